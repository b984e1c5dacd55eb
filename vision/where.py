"""Millimetres for a followed table: one map, kept as long as the camera stands still.

A photo makes its own map from the cards in it. Live, the map of the first good look is
kept, so that a card that does not move does not move in mm either. It is made again
while there are few cards to go by; after a bump it is carried along with the picture,
so that near stays near even if the camera was turned round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from vision.errors import GeometryError
from vision.geometry import Camera, TableMap
from vision.locate import locate_by_cards
from vision.place import place
from vision.roi import Part
from vision.sameness import plain
from vision.table import placed_on
from vision.types import (
    Array,
    Kind,
    Observation,
    Placement,
    Position,
    Quad,
    TableFound,
    TableNotFound,
)

Carry: TypeAlias = Callable[[Array], Array]
ENOUGH_REFERENCES = 6
"""With so many cards a map does not get better by more."""
MIN_VISIBLE = 0.9
FLAT = (Kind.CARD, Kind.BACK)


@dataclass(slots=True)
class Whereabouts:
    """The map of the table and the places that were worked out with it."""

    _map: TableMap | None = None
    _found: TableFound | TableNotFound = field(
        default_factory=lambda: TableNotFound("no_reference")
    )
    _made_of: int = 0
    _given: TableFound | None = None
    """Found by the eye itself, which knows more: a mat, markers."""
    _places: dict[Quad, Position] = field(default_factory=dict)
    _then_from_now: Carry | None = None
    """Since a bump: where a place of the picture was when the map was made."""

    def observe(self, observation: Observation, *, is_whole: bool) -> None:
        """Note a table that was found by more than its cards, with its positions: by a
        mat, on which discs were placed without any card."""
        kinds = {p.kind for p in observation.placements if p.position is not None}
        has_given = Kind.DISC in kinds and not kinds & set(FLAT)
        if is_whole and has_given and isinstance(observation.table, TableFound):
            self._given = observation.table

    def carry(self, then_from_now: Carry) -> None:
        """Keep the map after a bump: who sat near sits near, wherever the camera is."""
        if self._map is None:
            return
        before = self._then_from_now
        self._then_from_now = (
            then_from_now if before is None else partial(_both, before, then_from_now)
        )
        self._made_of = ENOUGH_REFERENCES
        self._places.clear()

    def place(
        self, placements: Sequence[Placement], size_px: tuple[int, int]
    ) -> tuple[TableFound | TableNotFound, tuple[Placement, ...]]:
        """Return what is known of the table, and the placements in millimetres."""
        if self._given is not None:
            return self._given, tuple(placements)
        self._renew(placements, size_px)
        if self._map is None:
            return self._found, tuple(replace(p, position=None) for p in placements)
        return self._found, tuple(self._placed(p, self._map) for p in placements)

    def in_part(self, part: Part) -> TableMap | None:
        """Return the map for a part of the picture; `None` while there is none, or
        since the camera was bumped."""
        if self._map is None or self._then_from_now is not None:
            return None
        camera = self._map.camera
        x_px, y_px = camera.centre_px
        cut = replace(
            camera,
            width_px=part.right - part.left,
            height_px=part.bottom - part.top,
            centre_px=(x_px - part.left, y_px - part.top),
        )
        return replace(self._map, camera=cut)

    def _renew(self, placements: Sequence[Placement], size_px: tuple[int, int]) -> None:
        ruler = [p for p in placements if p.kind in FLAT and p.visible >= MIN_VISIBLE][
            :ENOUGH_REFERENCES
        ]
        if self._made_of >= ENOUGH_REFERENCES or len(ruler) <= self._made_of:
            return
        found = locate_by_cards(
            [np.array(p.quad_px) for p in ruler],
            Camera.guess(*size_px),
            corner_sigma_px=_sigma_px(ruler),
        )
        if isinstance(found, TableNotFound):
            self._found = found if self._map is None else self._found
            return
        self._map, self._made_of = found, len(ruler)
        self._found = TableFound(round(found.residual_mm, 3), found.references)
        self._places.clear()

    def _placed(self, placement: Placement, table: TableMap) -> Placement:
        if placement.kind is Kind.DISC:
            return self._placed_disc(placement, table)
        if placement.kind not in FLAT:
            return placement
        key = placement.quad_px
        if key not in self._places:
            if len(self._places) > 500:
                self._places.clear()
            quad_px = np.array(key)
            if self._then_from_now is not None:
                quad_px = self._then_from_now(quad_px)
            try:
                self._places[key] = place(
                    quad_px, table, corner_sigma_px=_sigma_px([placement])
                )
            except GeometryError:
                return replace(placement, position=None)
        return replace(placement, position=self._places[key])

    def _placed_disc(self, placement: Placement, table: TableMap) -> Placement:
        quad_px = np.array(placement.quad_px)
        if self._then_from_now is not None:
            quad_px = self._then_from_now(quad_px)
        then = placed_on(replace(placement, quad_px=plain(quad_px)), table)
        return replace(placement, position=then.position)


def _both(first: Carry, then: Carry, quad_px: Array) -> Array:
    return first(then(quad_px))


def _sigma_px(placements: Sequence[Placement]) -> float:
    sizes = [np.ptp(np.array(p.quad_px), axis=0).max() for p in placements]
    return max(0.7, 0.01 * float(np.median(sizes)))
