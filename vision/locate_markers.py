"""The table map from printed corner markers, and from four taps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, product

import numpy as np

from vision.geometry import Camera, TableMap
from vision.markers import MarkerBoard, MarkerSeen, find_markers
from vision.pose import KnownPoints, fit_pose, missed_px
from vision.types import Array, Bgr, TableNotFound

MARKER_SIGMA_PX = 0.06
"""Of a fitted corner; the fit's own residuals raise it. On 50 rendered boards corners
were off by 0.04 px."""
ROUGH_SIGMA_PX = 1.0
"""Of corners in whole pixels, where the sides of a marker could not be fitted."""
TAP_SIGMA_PX = 3.0
WORST_SHARE = 0.05
"""Of the markers' side: corners that are off by more do not belong to this board."""
MOST_INK_MM = 0.6
"""How far a marker's corners may have spread."""
MOST_CHOICES = 64
FEWEST = 3
"""Markers that must agree; three of four, so that one may be covered."""


def locate_by_markers(
    bgr: Bgr, board: MarkerBoard, camera: Camera
) -> TableMap | TableNotFound:
    """Return the map of the table whose corner markers are in the picture.

    Reasons for none: ``no_reference`` (no marker of this board), ``few_markers`` (one
    or two), ``mirrored``, ``inconsistent`` (what is seen is not this board: markers
    moved, another mat, a marker bent), ``horizon``.
    """
    ids = tuple(board.corners_mm)
    quick = find_markers(bgr, ids, quick=True)
    if {marker.id for marker in quick} == set(ids):
        found = locate_by_seen_markers(quick, board, camera)
        if isinstance(found, TableMap) and found.references == len(ids):
            return found
    return locate_by_seen_markers(find_markers(bgr, ids), board, camera)


def locate_by_seen_markers(
    seen: Sequence[MarkerSeen], board: MarkerBoard, camera: Camera
) -> TableMap | TableNotFound:
    """Return the same from markers already found; those that do not fit are left out
    as long as three agree. Those without sub-pixel corners count only where there are
    too few others."""
    fitted = [marker for marker in seen if marker.is_fitted]
    found = _agreed(fitted, board, camera)
    if isinstance(found, TableMap) or len(fitted) == len(seen):
        return found
    return _agreed(seen, board, camera)


def _agreed(
    seen: Sequence[MarkerSeen], board: MarkerBoard, camera: Camera
) -> TableMap | TableNotFound:
    """Return the map on which most markers agree, three at least."""
    known: dict[int, list[MarkerSeen]] = {}
    for marker in seen:
        if marker.id in board.corners_mm:
            known.setdefault(marker.id, []).append(marker)
    if len(known) < FEWEST:
        return TableNotFound("few_markers" if known else "no_reference")
    reason = "inconsistent"
    for count in range(len(known), FEWEST - 1, -1):
        fits: list[tuple[float, TableMap, KnownPoints]] = []
        for chosen in islice(_choices(known, count), MOST_CHOICES):
            points = marker_points(chosen, board)
            found = fit_pose(points, camera, with_lens=False)
            if isinstance(found, TableNotFound):
                reason = found.reason
                continue
            worst = float(missed_px(found, points).max())
            if worst <= max(1.0, WORST_SHARE * _side_px(chosen)):
                fits.append((worst, found, points))
        if fits:
            _, table, points = min(fits, key=lambda fit: fit[0])
            return _inked(table, points, camera)
    return TableNotFound(reason)


def _inked(table: TableMap, points: KnownPoints, camera: Camera) -> TableMap:
    """Return the map once more, with the markers as large as they were printed.

    Ink spreads, and cameras let dark or bright grow: all corners lie off outwards by
    the same distance. That moves no marker, but it would be taken for their error.
    """
    assert points.groups is not None
    middles = np.array(
        [points.mm[points.groups == group].mean(axis=0) for group in points.groups]
    )
    outward = points.mm - middles
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    off = ((table.to_table(points.px) - points.mm) * outward).sum(axis=1)
    spread_mm = float(np.clip(np.median(off), -MOST_INK_MM, MOST_INK_MM))
    grown = replace(points, mm=points.mm + outward * spread_mm)
    found = fit_pose(grown, camera, near=table)
    return table if isinstance(found, TableNotFound) else found


def _choices(
    known: Mapping[int, Sequence[MarkerSeen]], count: int
) -> Iterator[tuple[MarkerSeen, ...]]:
    """Yield so many markers of different ids, in every way."""
    for ids in combinations(known, count):
        yield from product(*(known[id] for id in ids))


def locate_by_taps(
    taps_px: Array, corners_mm: Array, camera: Camera, *, sigma_px: float = TAP_SIGMA_PX
) -> TableMap | TableNotFound:
    """Return the map from four or more tapped points.

    `taps_px` and `corners_mm` are (N, 2), in the same order. Four taps cannot check
    each other: the covariance rests on `sigma_px` alone.
    """
    taps, corners = np.asarray(taps_px, float), np.asarray(corners_mm, float)
    if taps.shape != corners.shape or len(taps) < 4:
        return TableNotFound("no_reference")
    return fit_pose(KnownPoints(taps, corners, sigma_px), camera)


def marker_points(seen: Sequence[MarkerSeen], board: MarkerBoard) -> KnownPoints:
    """Return the corners of markers as points of the table."""
    return KnownPoints(
        np.concatenate([marker.corners_px for marker in seen]),
        np.concatenate([board.corners_mm[marker.id] for marker in seen]),
        MARKER_SIGMA_PX if all(one.is_fitted for one in seen) else ROUGH_SIGMA_PX,
        np.repeat(np.arange(len(seen)), 4),
    )


def _side_px(seen: Sequence[MarkerSeen]) -> float:
    quads = np.array([marker.corners_px for marker in seen])
    return float(np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2).min())
