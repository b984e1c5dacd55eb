"""Which of two places of a chip is right, where its rim hardly shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.boards import seed_px
from vision.chips import enrol_chips, face_likeness
from vision.discs import DiscFound, measure_discs
from vision.rim import DiscSize
from vision.scene.boards import render_board
from vision.scene.mats import RESOLUTIONS, draw_board


@pytest.mark.parametrize(
    ("board", "resolution", "at_mm"),
    [
        # Red on red, with a ring and a touching chip for a rim: the face is seen.
        (238, "720p", (224.1, 141.6)),
        # Under glare no place shows the face much better than the next: the rim is.
        (247, "1080p", (215.5, -133.3)),
    ],
)
def test_face_and_rim_settle_it_between_them(
    board: int, resolution: str, at_mm: tuple[float, float]
) -> None:
    rng = np.random.default_rng([31001, board])
    drawn, _, sizes, table = draw_board(rng, RESOLUTIONS[resolution], count=24)
    faces = {disc.label or "": [disc.face] for disc in drawn.discs}

    def away(x_mm: float, y_mm: float) -> float:
        return float(np.hypot(x_mm - at_mm[0], y_mm - at_mm[1]))

    nearest = sorted(drawn.discs, key=lambda disc: away(disc.x_mm, disc.y_mm))[:4]
    few = replace(drawn, discs=tuple(nearest))
    picture, truths = render_board(few, np.random.default_rng(5))
    size = DiscSize(
        sizes.diameter_mm,
        sizes.thickness_mm,
        sizes.diameter_sigma_mm,
        sizes.thickness_sigma_mm,
    )
    seeds = [(size, seed_px(truth, (0, 0))) for truth in truths]
    face = face_likeness(picture, table, enrol_chips(faces))
    found = measure_discs(picture, table, seeds, face=face)[0]
    assert isinstance(found, DiscFound)
    disc = truths[0].disc
    assert found.centre_mm == pytest.approx((disc.x_mm, disc.y_mm), abs=0.4)
