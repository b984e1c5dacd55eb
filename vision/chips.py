"""Which chip it is: a disc's face against the enrolled ones, whatever its rotation.

A face becomes rings of colour samples around its centre. Turned, it is those rings
shifted along the angle: all rotations are compared at once by a Fourier transform
(phase is kept: it is a correlation, not a spectrum). Brightness and contrast are taken
out; colour is not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.disc_choice import FaceLikeness
from vision.discs import DiscFound
from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.rim import DiscSize
from vision.types import UNKNOWN, Array, Bgr, Identity

ANGLES = 96
RINGS = 18
INNERMOST, OUTERMOST = 0.06, 0.93
"""In radii: the rim itself shows side and shadow."""
MIN_LIKENESS = 0.72
"""Correlation below which it is none of the known ones."""
MIN_MARGIN = 3.0
"""Log-likelihood ratio to the second below which it is asked, not said."""
SHARPNESS = 45.0
"""How fast likelihood falls with correlation; set on rendered chips."""
NONE_LIKENESS = 0.68
"""A face that is not enrolled is about as likely as one with this correlation."""

Polar = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ChipGallery:
    """Enrolled faces."""

    labels: tuple[str, ...]
    """One per picture; several pictures may show the same chip."""
    spectra: NDArray[np.complex128]
    """(N, RINGS, ANGLES // 2 + 1, 3), normalised."""


@dataclass(frozen=True, slots=True)
class ChipRead:
    """A chip's identity and how it is turned."""

    identity: Identity
    angle_deg: float
    """Direction of the face's top edge on the table, of the best candidate."""
    likeness: float
    """Correlation with the best candidate, at most 1."""


def enrol_chips(faces: Mapping[str, Sequence[Bgr]]) -> ChipGallery:
    """Return the gallery of square pictures, label -> pictures, the circle touching
    the edges of each square. Raises `ValueError` for a face without any print."""
    labels: list[str] = []
    spectra = []
    for label, pictures in faces.items():
        for picture in pictures:
            normal, shows = _normalised(_rings_of_square(picture)[None])
            if not shows[0]:
                raise ValueError(f"the face of {label!r} shows nothing to tell it by")
            labels.append(label)
            spectra.append(np.fft.rfft(normal[0], axis=1))
    stacked = np.array(spectra).reshape(-1, RINGS, ANGLES // 2 + 1, 3)
    return ChipGallery(tuple(labels), stacked)


def cut_face(bgr: Bgr, table: TableMap, disc: DiscFound, *, size_px: int = 128) -> Bgr:
    """Return the disc's face as a square picture to enrol, seen from straight above,
    the top of the square pointing away from the near edge.

    Raises `GeometryError` where the face lies beyond the horizon.
    """
    line = (np.arange(size_px) + 0.5) / size_px * 2 - 1
    x, y = np.meshgrid(line, -line)
    points = np.column_stack([x.ravel(), y.ravel()]) * disc.size.diameter_mm / 2
    at = table.to_image(points + disc.centre_mm, disc.size.top_mm)
    maps = at.reshape(size_px, size_px, 2).astype(np.float32)
    seen = cv2.remap(bgr, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)
    return np.asarray(seen, np.uint8)


def read_chip(
    bgr: Bgr, table: TableMap, disc: DiscFound, gallery: ChipGallery
) -> ChipRead:
    """Return which chip this is; an unknown or ambiguous one has no label, but its
    candidates, the likeliest first."""
    if not gallery.labels:
        return ChipRead(UNKNOWN, 0.0, 0.0)
    try:
        rings = _rings_of_disc(bgr, table, disc.size, disc.centre_mm)
    except GeometryError:
        return ChipRead(UNKNOWN, 0.0, 0.0)
    normal, shows = _normalised(rings[None])
    if not shows[0]:
        return ChipRead(UNKNOWN, 0.0, 0.0)
    return _decided(_likeness(normal, gallery)[0], gallery)


def face_likeness(bgr: Bgr, table: TableMap, gallery: ChipGallery) -> FaceLikeness:
    """Return what tells `measure_discs` how well places show an enrolled face."""
    softened: dict[int, Bgr] = {}

    def likeness(sizes: Sequence[DiscSize], centres_mm: Array) -> Array:
        if not gallery.labels or not len(sizes):
            return np.zeros(len(sizes))
        at = _rings_px(table, sizes, centres_mm)
        tenths = round(10 * _softness(at))
        if tenths not in softened:
            soft = cv2.GaussianBlur(bgr, (0, 0), tenths / 10)
            softened[tenths] = np.asarray(soft, np.uint8)
        normal, shows = _normalised(_rings_at(softened[tenths], at))
        best = _likeness(normal, gallery).max(axis=(1, 2))
        return np.asarray(np.where(shows, best, 0.0), float)

    return likeness


def _likeness(normal: Polar, gallery: ChipGallery) -> Array:
    """Return (P, N, ANGLES) correlations of P faces with all pictures at all turns."""
    mine = np.fft.rfft(normal, axis=2).transpose(2, 0, 1, 3)
    known = gallery.spectra.conj().transpose(2, 1, 3, 0)
    flat = mine.shape[0], mine.shape[1], -1
    joint = mine.reshape(flat) @ known.reshape(mine.shape[0], -1, known.shape[-1])
    turns = np.fft.irfft(joint.transpose(1, 2, 0), n=ANGLES, axis=2)
    return np.asarray(turns, float)


def _decided(likeness: Array, gallery: ChipGallery) -> ChipRead:
    best_turn = likeness.argmax(axis=1)
    best = likeness.max(axis=1)
    by_label: dict[str, tuple[float, int]] = {}
    for label, value, turn in zip(gallery.labels, best, best_turn, strict=True):
        if label not in by_label or value > by_label[label][0]:
            by_label[label] = (float(value), int(turn))
    ranked = sorted(by_label.items(), key=lambda item: -item[1][0])
    (first, (top, turn)), rest = ranked[0], ranked[1:]
    powers = [math.exp(SHARPNESS * (value - top)) for _, (value, _) in ranked]
    none = math.exp(SHARPNESS * (NONE_LIKENESS - top))
    total = sum(powers) + none
    candidates = tuple(
        (label, round(power / total, 4))
        for (label, _), power in zip(ranked, powers, strict=True)
        if power / total > 1e-3
    )
    margin = SHARPNESS * (top - rest[0][1][0]) if rest else SHARPNESS * top
    known = top >= MIN_LIKENESS and margin >= MIN_MARGIN
    identity = Identity(first if known else None, candidates, margin)
    # Angles run counter-clockwise; the enrolled face has its top at 90 degrees.
    return ChipRead(identity, (90 + turn * 360 / ANGLES) % 360, top)


def _directions() -> tuple[Array, Array]:
    t = np.arange(ANGLES) * (2 * math.pi / ANGLES)
    radii = np.sqrt(np.linspace(INNERMOST**2, OUTERMOST**2, RINGS))
    return np.cos(t) * radii[:, None], np.sin(t) * radii[:, None]


def _powers(x: Array, y: Array) -> Array:
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)


_X, _Y = _directions()
_WEIGHT = np.sqrt(np.hypot(_X, _Y) + 0.2)[..., None]
_ON_RINGS = _powers(_X.ravel(), _Y.ravel())
_GRID = np.array([[x, y] for y in (-1.0, 0.0, 1.0) for x in (-1.0, 0.0, 1.0)])
_FROM_GRID = np.linalg.pinv(_powers(*_GRID.T))


def _rings_px(table: TableMap, sizes: Sequence[DiscSize], centres_mm: Array) -> Array:
    """Return (P, RINGS * ANGLES, 2) px of the rings, by a parabola through nine points
    of each face: over a chip that is exact to a fiftieth of a px."""
    radii = np.array([size.diameter_mm / 2 for size in sizes])
    grid = centres_mm[:, None] + radii[:, None, None] * _GRID
    tops = np.repeat([size.top_mm for size in sizes], len(_GRID))
    seen = table.to_image(grid.reshape(-1, 2), tops).reshape(len(sizes), -1, 2)
    return np.asarray(_ON_RINGS @ (_FROM_GRID @ seen), float)


def _softness(at: Array) -> float:
    outer = at[:, -ANGLES :: ANGLES // 12]
    diameter_px = float(np.ptp(outer, axis=1).mean()) / OUTERMOST
    return max(0.5, 0.9 * diameter_px / 64)


def _rings_at(soft: Bgr, at: Array) -> Polar:
    maps = at.reshape(-1, ANGLES, 2).astype(np.float32)
    values = cv2.remap(soft, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)
    return np.asarray(values, float).reshape(-1, RINGS, ANGLES, 3)


def _rings_of_square(picture: Bgr) -> Polar:
    half = picture.shape[0] / 2
    # To the size at which chips are seen: finer print cannot be told apart there.
    size = 64
    if picture.shape[0] > size:
        picture = np.asarray(
            cv2.resize(picture, (size, size), interpolation=cv2.INTER_AREA), np.uint8
        )
        half = size / 2
    at_x = (half * (1 + _X) - 0.5).astype(np.float32)
    at_y = (half * (1 - _Y) - 0.5).astype(np.float32)
    soft = cv2.GaussianBlur(picture, (0, 0), 0.9)
    return np.asarray(cv2.remap(soft, at_x, at_y, cv2.INTER_LINEAR), float)


def _rings_of_disc(bgr: Bgr, table: TableMap, size: DiscSize, centre: Array) -> Polar:
    at = _rings_px(table, [size], centre[None])
    low = np.floor(at[0].min(0)).astype(int) - 4
    high = np.ceil(at[0].max(0)).astype(int) + 5
    left, top = max(int(low[0]), 0), max(int(low[1]), 0)
    part = bgr[top : max(int(high[1]), 0), left : max(int(high[0]), 0)]
    if min(part.shape[:2]) < 4:
        raise GeometryError("the disc lies outside the picture")
    soft = np.asarray(cv2.GaussianBlur(part, (0, 0), _softness(at)), np.uint8)
    return np.asarray(_rings_at(soft, at - [left, top])[0], float)


def _normalised(rings: Polar) -> tuple[Polar, NDArray[np.bool_]]:
    """Return (P, RINGS, ANGLES, 3) without brightness and contrast, of length 1, and
    (P,) whether they show any print. Outer rings have more area and weigh as much."""
    # One level for all channels: that a chip is red stays to be seen.
    centred = rings - rings.mean(axis=(1, 2, 3), keepdims=True)
    # Glare is cut off rather than left to rule the sum.
    away = np.abs(centred).reshape(len(rings), -1)
    spread = 3 * np.median(away, axis=1)[:, None, None, None] + 1e-9
    tamed = np.clip(centred, -spread, spread) * _WEIGHT
    length = np.sqrt((tamed**2).sum(axis=(1, 2, 3), keepdims=True))
    shows = ((spread >= 2.0) & (length >= 1e-6))[:, 0, 0, 0]
    return np.asarray(tamed / np.maximum(length, 1e-6), float), shows
