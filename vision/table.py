"""From pixels to millimetres: the table map of a frame and the places on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.errors import GeometryError
from vision.geometry import Camera, TableMap
from vision.locate import locate_by_cards
from vision.place import place, place_all
from vision.types import (
    Array,
    Frame,
    Kind,
    Placement,
    Position,
    TableFound,
    TableNotFound,
)

MIN_VISIBLE = 0.9
"""A card that is partly covered has corners that were guessed: no reference."""
MAX_REFERENCES = 14
"""More cards do not make the map better, only slower."""
DISC_SIGMA_MM = 2.0
"""A disc is no ruler: its height is not known here."""
FLAT = frozenset({Kind.CARD, Kind.BACK})


def locate_and_place(
    frame: Frame, placements: Sequence[Placement], *, by_print: bool = False
) -> tuple[TableFound | TableNotFound, tuple[Placement, ...]]:
    """Return what is known of the table, and the placements with their millimetres.

    The uncovered cards in the picture are the ruler; without one, or where they do not
    agree, positions stay unknown. Cards that were laid `by_print` are a ruler though
    others lie on them, if none is uncovered.
    """
    height, width = frame.bgr.shape[:2]
    flat = [p for p in placements if p.kind in FLAT]
    bare = [p for p in flat if p.visible >= MIN_VISIBLE]
    if by_print and not bare:
        bare = [p for p in flat if p.deck is not None]
    ruler = sorted(bare, key=lambda p: -p.score)[:MAX_REFERENCES]
    camera = Camera.guess(width, height, frame.exif)
    found = locate_by_cards(
        [np.array(p.quad_px) for p in ruler],
        camera,
        corner_sigma_px=_corner_sigma_px(ruler),
    )
    if isinstance(found, TableNotFound):
        return found, tuple(placements)
    placed = _all_placed(placements, found)
    return TableFound(round(found.residual_mm, 3), found.references), placed


def _corner_sigma_px(placements: Sequence[Placement]) -> float:
    """Return how exact detected corners are: about one per cent of the card."""
    sizes = [np.ptp(np.array(p.quad_px), axis=0).max() for p in placements]
    return max(0.7, 0.01 * float(np.median(sizes))) if sizes else 1.0


def _all_placed(
    placements: Sequence[Placement], table: TableMap
) -> tuple[Placement, ...]:
    """Return the placements with their millimetres; all cards are worked out at once
    where all can be seen on the table."""
    flat = [placement for placement in placements if placement.kind in FLAT]
    if not flat:
        return tuple(placed_on(placement, table) for placement in placements)
    sigmas = [_corner_sigma_px([placement]) for placement in flat]
    try:
        positions = iter(
            place_all(
                np.array([placement.quad_px for placement in flat], float),
                table,
                corner_sigmas_px=np.array(sigmas),
            )
        )
    except GeometryError:
        return tuple(placed_on(placement, table) for placement in placements)
    return tuple(
        replace(placement, position=next(positions))
        if placement.kind in FLAT
        else placed_on(placement, table)
        for placement in placements
    )


def placed_on(placement: Placement, table: TableMap) -> Placement:
    """Return the placement with its millimetres by a map, if it can be seen there."""
    quad: Array = np.array(placement.quad_px)
    try:
        if placement.kind in FLAT:
            sigma = _corner_sigma_px([placement])
            position = place(quad, table, corner_sigma_px=sigma)
            return replace(placement, position=position)
        if placement.kind is Kind.DISC:
            across = table.to_table(quad)
            sides = np.linalg.norm(np.roll(across, -1, axis=0) - across, axis=1)
            x_mm, y_mm = (float(mm) for mm in across.mean(axis=0))
            variance = DISC_SIGMA_MM**2
            return replace(
                placement,
                position=Position(x_mm, y_mm, 0.0, (variance, 0.0, variance)),
                diameter_mm=round(float(sides.mean()), 2),
            )
    except GeometryError:
        return placement
    return placement
