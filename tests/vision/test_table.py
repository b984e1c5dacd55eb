"""Millimetres for everything that lies on a table which cards have told."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from tests.support.tables import camera_above
from vision.observing import plain_quad
from vision.table import locate_and_place
from vision.types import UNKNOWN, Frame, FrameId, Kind, Placement, TableFound


def test_a_disc_beside_cards_has_a_place_and_takes_none_of_theirs_away() -> None:
    camera = camera_above(tilt_deg=25)
    spots = [
        (-90.0, 0.0, 63.0, 88.0),
        (80.0, 30.0, 63.0, 88.0),
        (0.0, 90.0, 40.0, 40.0),
    ]
    kinds = (Kind.CARD, Kind.CARD, Kind.DISC)
    placed = []
    for number, ((x, y, wide, tall), kind) in enumerate(zip(spots, kinds, strict=True)):
        half = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * (wide / 2, tall / 2)
        corners = np.column_stack([half + np.array([x, y]), np.zeros(4)])
        quad = plain_quad(camera.project(corners))
        placed.append(Placement(f"p{number}", kind, UNKNOWN, 0.9, quad))
    width, height = 1200, 900
    bgr = np.zeros((height, width, 3), np.uint8)
    frame = Frame(FrameId("t"), bgr, datetime.now(UTC))
    found, seen = locate_and_place(frame, placed)
    assert isinstance(found, TableFound)
    places = [p.position for p in seen]
    assert all(place is not None for place in places)
    away = [
        np.hypot(one.x_mm - places[0].x_mm, one.y_mm - places[0].y_mm)
        for one in places
        if one is not None and places[0] is not None
    ]
    truly = [np.hypot(x + 90, y) for x, y, *_ in spots]
    assert away == pytest.approx(truly, abs=6)
    assert seen[2].diameter_mm == pytest.approx(40, abs=3)


@pytest.mark.parametrize("by_print", [True, False])
def test_covered_cards_are_a_ruler_only_if_their_print_tells_where_they_lie(
    by_print: bool,
) -> None:
    camera = camera_above(tilt_deg=25)
    half = np.array([[-31.5, 44], [31.5, 44], [31.5, -44], [-31.5, -44]])
    placed = []
    for number in range(3):
        corners = np.column_stack(
            [half + np.array([40.0 * number - 40, 0.0]), np.zeros(4)]
        )
        quad = plain_quad(camera.project(corners))
        one = Placement(f"p{number}", Kind.CARD, UNKNOWN, 0.9, quad)
        placed.append(replace(one, visible=0.6, deck="d"))
    frame = Frame(FrameId("t"), np.zeros((900, 1200, 3), np.uint8), datetime.now(UTC))
    found, seen = locate_and_place(frame, placed, by_print=by_print)
    assert isinstance(found, TableFound) is by_print
    assert all((one.position is not None) is by_print for one in seen)
