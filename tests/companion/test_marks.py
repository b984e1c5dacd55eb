"""What is drawn over the picture must leave in sight what it names."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from companion.web.marks import Mark, marks_of
from vision.overlay.beside import Box
from vision.types import FrameId, Identity, Kind, Observation, Placement, TableNotFound

UNITS = {"undead.zombie": "Zombie", "empire.militia": "Militia"}
SIZE = 1280, 960


@pytest.mark.parametrize(
    "middles_px",
    [
        [(400, 300), (441, 300), (420, 336)],
        [(30, 30), (1250, 930), (30, 930), (1250, 30)],
        [(640, y) for y in range(300, 700, 41)],
    ],
    ids=["touching", "in the corners", "in a row"],
)
def test_the_names_of_chips_cover_neither_chips_nor_each_other(
    middles_px: list[tuple[int, int]],
) -> None:
    labels = [list(UNITS)[n % 2] for n in range(len(middles_px))]
    chips = [
        _chip(n, *middle, label)
        for n, (middle, label) in enumerate(zip(middles_px, labels, strict=True))
    ]
    seen = Observation(
        FrameId("f"), "", *SIZE, datetime.now(UTC), TableNotFound("none"), tuple(chips)
    )

    marks = marks_of(seen, {}, "en", None, UNITS)

    plates = [_plate(mark) for mark in marks]
    rims = [(x - 20.0, y - 20.0, x + 20.0, y + 20.0) for x, y in middles_px]
    assert [mark.text for mark in marks] == [UNITS[label] for label in labels]
    for number, plate in enumerate(plates):
        assert not any(_overlap(plate, rim) for rim in rims)
        assert not any(_overlap(plate, other) for other in plates[:number])
        assert plate[0] >= 0
        assert plate[1] >= 0
        assert plate[2] <= SIZE[0]
        assert plate[3] <= SIZE[1]


def _chip(number: int, x: float, y: float, label: str) -> Placement:
    return Placement(
        id=f"d{number}",
        kind=Kind.DISC,
        identity=Identity(label, ((label, 0.99),), 4.0),
        score=0.9,
        quad_px=(
            (x - 20, y - 20),
            (x + 20, y - 20),
            (x + 20, y + 20),
            (x - 20, y + 20),
        ),
        visible=1.0,
        order=number,
    )


def _plate(mark: Mark) -> Box:
    wide, tall = mark.width_px / 2, mark.height_px / 2
    return mark.x_px - wide, mark.y_px - tall, mark.x_px + wide, mark.y_px + tall


def _overlap(one: Box, other: Box) -> bool:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    tall = min(one[3], other[3]) - max(one[1], other[1])
    return wide > 0.2 and tall > 0.2
