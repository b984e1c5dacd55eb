"""Which chip it is: a disc's face against the enrolled ones, whatever its rotation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.disc_faces import FaceLikeness
from vision.discs import DiscFound
from vision.errors import GeometryError
from vision.face_lines import NO_LINE, lines_of
from vision.face_rings import FINE, ROUGH, SMALL, Polar, Rings, Spectra, width_px
from vision.geometry import TableMap
from vision.rim import DiscSize
from vision.rim_verdict import ARCS
from vision.types import UNKNOWN, Array, Bgr, Identity

MIN_LIKENESS = 0.72
"""Correlation below which it is none of the known ones."""
FACE_ALONE = 0.85
"""The same of a disc whose rim is not seen: a printed one looks much like a face."""
MIN_MARGIN = 3.0
"""Log-likelihood ratio to the second below which it is asked, not said."""
SHARPNESS = 45.0
"""How fast likelihood falls with correlation; set on rendered chips."""
HALF_SOFT_PX = 1.3
"""Pictures that are blurred by more are kept at half their size."""
FEW_PLACES = 12
"""For no more than so many faces only what is around them is blurred."""
NONE_LIKENESS = 0.68
"""A face that is not enrolled is about as likely as one with this correlation."""


@dataclass(frozen=True, slots=True, eq=False)
class ChipGallery:
    """Enrolled faces."""

    labels: tuple[str, ...]
    """One per picture; several pictures may show the same chip."""
    spectra: Mapping[Rings, Spectra]
    """How faces are sampled -> (N, rings, frequencies, 3), normalised."""
    lines: tuple[Array, ...]
    """Of each (360, 2) the lines with which it ends, see `vision.face_lines`."""

    @property
    def has_lines(self) -> bool:
        """Return whether any of them ends in a line."""
        return any((line != NO_LINE).any() for line in self.lines)


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
    labels = [label for label, pictures in faces.items() for _ in pictures]
    squares = [picture for pictures in faces.values() for picture in pictures]
    _, shows = _spectra_of(squares, FINE)
    for label, any_print in zip(labels, shows, strict=True):
        if not any_print:
            raise ValueError(f"the face of {label!r} shows nothing to tell it by")
    lines = tuple(lines_of(square) for square in squares)
    kinds = (FINE, ROUGH, *SMALL.values())
    spectra = {rings: _spectra_of(squares, rings)[0] for rings in kinds}
    return ChipGallery(tuple(labels), spectra, lines)


def _spectra_of(squares: Sequence[Bgr], rings: Rings) -> tuple[Spectra, list[bool]]:
    if not squares:
        empty = np.empty((0, rings.rings, rings.angles // 2 + 1, 3), np.complex64)
        return empty, []
    levels = np.array([rings.of_square(picture) for picture in squares])
    normal, shows = rings.normalised(levels)
    return rings.spectra(normal), [bool(one) for one in shows]


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
    return read_chips(bgr, table, [disc], gallery)[0]


def read_chips(
    bgr: Bgr, table: TableMap, discs: Sequence[DiscFound], gallery: ChipGallery
) -> list[ChipRead]:
    """Return the same for many, in order."""
    nothing = ChipRead(UNKNOWN, 0.0, 0.0)
    if not gallery.labels or not discs:
        return [nothing] * len(discs)
    rings = _rings_for(table, discs)
    known = gallery.spectra[rings]
    normal, shows = rings.normalised(_levels(bgr, table, discs, rings))
    likeness = rings.correlations(rings.spectra(normal), known)
    for number, disc in enumerate(discs):
        if disc.is_part:
            shown = _shown(disc)
            part = rings.part_correlations(normal[number], known, shown)
            likeness[number] = np.maximum(likeness[number], part)
    return [
        _decided(mine, gallery, MIN_LIKENESS if disc.shows_rim else FACE_ALONE)
        if any_print
        else nothing
        for disc, mine, any_print in zip(discs, likeness, shows, strict=True)
    ]


def _rings_for(table: TableMap, discs: Sequence[DiscFound]) -> Rings:
    """Return what samples the faces of discs as small as these are seen."""
    sizes = [disc.size for disc in discs]
    try:
        wide_px = width_px(table, sizes, np.array([disc.centre_mm for disc in discs]))
    except GeometryError:
        return FINE
    return FINE.for_width(wide_px)


def _levels(
    bgr: Bgr, table: TableMap, discs: Sequence[DiscFound], rings: Rings
) -> Polar:
    """Return the levels of all faces, 0 of those beyond the horizon."""
    sizes = [disc.size for disc in discs]
    try:
        return rings.of_discs(
            bgr, table, sizes, np.array([disc.centre_mm for disc in discs])
        )
    except GeometryError:
        if len(discs) == 1:
            return np.zeros((1, rings.rings, rings.angles, 3), np.float32)
        return np.concatenate([_levels(bgr, table, [disc], rings) for disc in discs])


def _shown(disc: DiscFound) -> NDArray[np.bool_]:
    """Return (angles,) where the face is seen: as far as its rim is."""
    arc = np.arange(FINE.angles) * ARCS // FINE.angles
    return np.asarray([bool(disc.arcs >> int(n) & 1) for n in arc], bool)


def face_likeness(bgr: Bgr, table: TableMap, gallery: ChipGallery) -> FaceLikeness:
    """Return what tells `measure_discs` how well places show an enrolled face."""
    return _Likeness(bgr, table, gallery, {})


@dataclass(frozen=True, slots=True, eq=False)
class _Likeness:
    """Compares places of a picture with enrolled faces."""

    bgr: Bgr
    table: TableMap
    gallery: ChipGallery
    softened: dict[tuple[float, bool], Bgr]
    """The picture with the blurs that were asked for."""

    def __call__(
        self, sizes: Sequence[DiscSize], centres_mm: Array, *, rough: bool = False
    ) -> Array:
        """Return (P,) likenesses at (P, 2) centres."""
        seen = self._seen(sizes, centres_mm, ROUGH if rough else FINE)
        return np.asarray(seen.max(axis=(1, 2), initial=0.0), float)

    def lines(self, sizes: Sequence[DiscSize], centres_mm: Array) -> Array:
        """Return (P, ARCS, 2) width and light of the lines of the faces seen there."""
        result = np.broadcast_to(NO_LINE, (len(sizes), ARCS, 2)).copy()
        if not self.gallery.has_lines:
            return result
        seen = self._seen(sizes, centres_mm, FINE)
        around = (np.arange(ARCS) + 0.5) * 360 / ARCS
        for n, one in enumerate(seen):
            face, turn = np.unravel_index(int(one.argmax()), one.shape)
            if one[face, turn] >= MIN_LIKENESS:
                angle = (around - turn * 360 / FINE.angles) % 360
                result[n] = self.gallery.lines[face][angle.astype(int)]
                result[n, :, 0] *= sizes[n].diameter_mm / 2
        return result

    def _seen(
        self, sizes: Sequence[DiscSize], centres_mm: Array, rings: Rings
    ) -> Array:
        """Return (P, N, angles) likenesses to all faces, at all turns."""
        if not self.gallery.labels or not len(sizes):
            return np.zeros((len(sizes), len(self.gallery.labels), rings.angles))
        steps = 1.5 if rings is ROUGH else 5.0
        rings = rings.for_width(width_px(self.table, sizes, centres_mm))
        at = rings.seen_px(self.table, sizes, centres_mm)
        mean = float(rings.softness_px(at).mean())
        softness = max(round(steps * mean), 2) / steps
        levels = self._levels(rings, at, softness)
        normal, shows = rings.normalised(levels)
        known = self.gallery.spectra[rings]
        seen = rings.correlations(rings.spectra(normal), known)
        return np.asarray(np.where(shows[:, None, None], seen, 0.0), float)

    def _levels(self, rings: Rings, at_px: Array, softness: float) -> Polar:
        """Return the levels there, of the picture blurred by so much; where it is
        looked at in a few places alone, of their surroundings."""
        half = softness > HALF_SOFT_PX
        soft = self.softened.get((softness, half))
        if soft is None and not half and len(at_px) <= FEW_PLACES:
            return rings.of_places(self.bgr, at_px, [softness] * len(at_px))
        if soft is None:
            soft = _softened(self.bgr, softness, half=half)
            self.softened[softness, half] = soft
        return rings.sampled(soft, at_px / 2 - 0.25 if half else at_px)


def _softened(bgr: Bgr, softness_px: float, *, half: bool) -> Bgr:
    """Return the picture blurred that much, at half its size where that shows it."""
    sigma, picture = softness_px, bgr
    if half:
        picture = np.asarray(
            cv2.resize(bgr, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        )
        # Four pixels in one are a blur already, and so is sampling between these.
        sigma = math.sqrt(max(softness_px**2 - 0.5, 0.25)) / 2
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), np.uint8)


def _decided(likeness: Array, gallery: ChipGallery, least: float) -> ChipRead:
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
    known = top >= least and margin >= MIN_MARGIN
    identity = Identity(first if known else None, candidates, margin)
    # Angles run counter-clockwise; the enrolled face has its top at 90 degrees.
    return ChipRead(identity, (90 + turn * 360 / FINE.angles) % 360, top)
