"""Millimetres of a followed table: whose map counts, and for parts of the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from tests.support.tables import SIZE_PX, lay, photograph
from vision.roi import Part
from vision.sameness import plain
from vision.types import (
    UNKNOWN,
    FrameId,
    Identity,
    Kind,
    Observation,
    Placement,
    Position,
    TableFound,
)
from vision.where import Whereabouts

SPOTS = [("Jh", -80.0, 40.0, 90.0), ("5s", 0.0, 40.0, 90.0), ("9d", 80.0, -40.0, 90.0)]
LARGE = Part(0, 0, *SIZE_PX, *SIZE_PX)


def cards() -> list[Placement]:
    """Return three cards of a rendered table."""
    _, truth = photograph(lay(SPOTS))
    return [
        Placement(
            f"c{n}", Kind.CARD, Identity(true.label), 0.9, plain(true.quad_px), order=n
        )
        for n, true in enumerate(truth)
    ]


def disc_on(card: Placement) -> Placement:
    """Return a disc in the middle of a card, with the place that an eye gives it."""
    middle = np.array(card.quad_px).mean(axis=0)
    quad = plain(middle + 9.0 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))
    position = Position(1.0, 2.0, 0.0, (4.0, 0.0, 4.0))
    return Placement("d9", Kind.DISC, UNKNOWN, 0.6, quad, position=position)


def seen(placements: Sequence[Placement]) -> Observation:
    return Observation(
        FrameId("f"),
        "",
        *SIZE_PX,
        datetime.now(UTC),
        TableFound(0.5, 3),
        (*placements,),
    )


def test_a_disc_that_was_placed_by_the_cards_takes_no_millimetres_away() -> None:
    where, lying = Whereabouts(), cards()
    placed = [replace(p, position=Position(0, 0, 0, (1, 0, 1))) for p in lying]
    where.observe(seen([*placed, disc_on(lying[1])]), is_whole=True)
    _, shown = where.place([*lying, replace(disc_on(lying[1]), position=None)], SIZE_PX)
    first, second, third, disc = (p.position for p in shown)
    assert first is not None
    assert second is not None
    assert third is not None
    assert disc is not None, "without a place of its own nothing else would have one"
    assert second.x_mm - first.x_mm == pytest.approx(80.0, abs=2.0)
    assert third.y_mm - second.y_mm == pytest.approx(-80.0, abs=2.0)
    assert (disc.x_mm, disc.y_mm) == pytest.approx((second.x_mm, second.y_mm), abs=2.0)


def test_a_table_of_discs_alone_was_found_by_its_mat() -> None:
    where = Whereabouts()
    disc = disc_on(cards()[0])
    where.observe(seen([disc]), is_whole=True)
    assert where.place([disc], SIZE_PX) == (TableFound(0.5, 3), (disc,))


def test_a_part_sees_the_table_where_the_whole_picture_does() -> None:
    where = Whereabouts()
    assert where.in_part(LARGE) is None
    where.place(cards(), SIZE_PX)
    whole, part = (
        where.in_part(one) for one in (LARGE, replace(LARGE, left=100, top=60))
    )
    assert whole is not None
    assert part is not None
    points = np.array([[320.0, 240.0], [200.0, 300.0]])
    assert part.to_table(points - [100, 60]) == pytest.approx(whole.to_table(points))


def test_after_a_bump_no_part_is_said_to_lie_where_it_did() -> None:
    where = Whereabouts()
    where.place(cards(), SIZE_PX)
    where.carry(lambda quad: quad + 5.0)
    assert where.in_part(LARGE) is None
