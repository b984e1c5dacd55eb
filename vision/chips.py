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

from vision.discs import DiscFound, FaceLikeness
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
            normal = _normalised(_rings_of_square(picture))
            if normal is None:
                raise ValueError(f"the face of {label!r} shows nothing to tell it by")
            labels.append(label)
            spectra.append(np.fft.rfft(normal, axis=1))
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
        normal = _normalised(_rings_of_disc(bgr, table, disc.size, disc.centre_mm))
    except GeometryError:
        return ChipRead(UNKNOWN, 0.0, 0.0)
    if normal is None:
        return ChipRead(UNKNOWN, 0.0, 0.0)
    return _decided(_likeness(normal, gallery), gallery)


def face_likeness(bgr: Bgr, table: TableMap, gallery: ChipGallery) -> FaceLikeness:
    """Return what tells `measure_discs` how well a place shows an enrolled face."""

    def likeness(size: DiscSize, centre_mm: Array) -> float:
        try:
            normal = _normalised(_rings_of_disc(bgr, table, size, centre_mm))
        except GeometryError:
            return 0.0
        if normal is None or not gallery.labels:
            return 0.0
        return float(_likeness(normal, gallery).max())

    return likeness


def _likeness(normal: Polar, gallery: ChipGallery) -> Array:
    """Return (N, ANGLES) correlations with every picture at every turn."""
    mine = np.fft.rfft(normal, axis=1)
    joint = np.einsum("rfc,nrfc->nf", mine, gallery.spectra.conj())
    return np.asarray(np.fft.irfft(joint, n=ANGLES, axis=1), float)


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


def _rings_of_square(picture: Bgr) -> Polar:
    x, y = _directions()
    half = picture.shape[0] / 2
    # To the size at which chips are seen: finer print cannot be told apart there.
    size = 64
    if picture.shape[0] > size:
        picture = np.asarray(
            cv2.resize(picture, (size, size), interpolation=cv2.INTER_AREA), np.uint8
        )
        half = size / 2
    at_x = (half * (1 + x) - 0.5).astype(np.float32)
    at_y = (half * (1 - y) - 0.5).astype(np.float32)
    soft = cv2.GaussianBlur(picture, (0, 0), 0.9)
    return np.asarray(cv2.remap(soft, at_x, at_y, cv2.INTER_LINEAR), float)


def _rings_of_disc(bgr: Bgr, table: TableMap, size: DiscSize, centre: Array) -> Polar:
    x, y = _directions()
    radius = size.diameter_mm / 2
    points = np.column_stack([x.ravel(), y.ravel()]) * radius + centre
    at = table.to_image(points, size.top_mm)
    low = np.floor(at.min(0)).astype(int) - 4
    high = np.ceil(at.max(0)).astype(int) + 5
    left, top = max(int(low[0]), 0), max(int(low[1]), 0)
    part = bgr[top : max(int(high[1]), 0), left : max(int(high[0]), 0)]
    if min(part.shape[:2]) < 4:
        raise GeometryError("the disc lies outside the picture")
    diameter_px = float(np.ptp(at, axis=0).mean())
    soft = cv2.GaussianBlur(part, (0, 0), max(0.5, 0.9 * diameter_px / 64))
    maps = (at - [left, top]).reshape(RINGS, ANGLES, 2).astype(np.float32)
    values = cv2.remap(soft, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)
    return np.asarray(values, float)


def _normalised(rings: Polar) -> Polar | None:
    """Return the rings without brightness and contrast, of length 1; outer rings have
    more area and weigh as much. `None` for a face without any print."""
    x, y = _directions()
    weight = np.sqrt(np.hypot(x, y) + 0.2)[..., None]
    centred = rings - np.median(rings.mean(axis=2))
    # One level for all channels: that a chip is red stays to be seen.
    centred = centred - centred.mean()
    # Glare is cut off rather than left to rule the sum.
    spread = 3 * float(np.median(np.abs(centred))) + 1e-9
    tamed = np.clip(centred, -spread, spread) * weight
    length = float(np.linalg.norm(tamed))
    if spread < 2.0 or length < 1e-6:
        return None
    return np.asarray(tamed / length, float)
