"""Which of two places of a chip is right, where its rim hardly shows."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.support.boards import seed_px
from tests.support.measured_boards import rendered, size_of
from vision.chips import enrol_chips, face_likeness
from vision.discs import DiscFound, measure_discs
from vision.scene.boards import render_board
from vision.scene.mats import RESOLUTIONS, draw_board


@pytest.mark.parametrize(
    ("seed", "resolution", "at_mm"),
    [
        # Red on red, with a ring and a touching chip for a rim: the face is seen.
        ((31001, 238), "720p", (224.1, 141.6)),
        # Under glare no place shows the face much better than the next: the rim is.
        ((31001, 247), "1080p", (215.5, -133.3)),
    ],
)
def test_face_and_rim_settle_it_between_them(
    seed: tuple[int, int], resolution: str, at_mm: tuple[float, float]
) -> None:
    rng = np.random.default_rng(seed)
    drawn, _, sizes, table = draw_board(rng, RESOLUTIONS[resolution], count=24)
    faces = {disc.label or "": [disc.face] for disc in drawn.discs}

    def away(x_mm: float, y_mm: float) -> float:
        return float(np.hypot(x_mm - at_mm[0], y_mm - at_mm[1]))

    nearest = sorted(drawn.discs, key=lambda disc: away(disc.x_mm, disc.y_mm))[:4]
    few = replace(drawn, discs=tuple(nearest))
    picture, truths = render_board(few, np.random.default_rng(5))
    seeds = [(size_of(sizes), seed_px(truth, (0, 0))) for truth in truths]
    face = face_likeness(picture, table, enrol_chips(faces))
    found = measure_discs(picture, table, seeds, face=face)[0]
    assert isinstance(found, DiscFound)
    disc = truths[0].disc
    assert found.centre_mm == pytest.approx((disc.x_mm, disc.y_mm), abs=0.4)


@pytest.mark.parametrize(
    ("board", "resolution"),
    [
        # A face looked like .94 at a wrong rim 1.1 mm away, like .98 where it was.
        ((20261503, 18), "720p"),
        # A printed ring beside a chip passed for a chip below it.
        ((20261503, 33), "720p"),
        # Under glare a face looked like .68 where it was, like .77 3 mm beside it.
        ((20261505, 22), "720p"),
        # What looked like a face, and showed no rim, passed for a chip below another.
        ((20261505, 43), "720p"),
        # The top of a Fortress looked like .97 of a plain face, and had no clear rim.
        ((20261511, 92), "1080p"),
        # Two things that were none looked like .94 of a face, with next to no rim.
        ((20261512, 117), "1080p"),
    ],
)
def test_no_chip_is_farther_off_than_is_stated(
    board: tuple[int, int], resolution: str
) -> None:
    rng = np.random.default_rng(board)
    drawn = draw_board(rng, RESOLUTIONS[resolution], count=24)
    shot = rendered(*drawn, rng).enrolled()
    seen = shot.seen()
    assert len(seen.observation.placements) >= 20
    there = np.array([(one.disc.x_mm, one.disc.y_mm) for one in shot.truths])
    for placement in seen.observation.placements:
        if placement.identity.label is None:
            continue  # a person is asked what it is
        at = placement.position
        assert at is not None
        off = np.linalg.norm(there - (at.x_mm, at.y_mm), axis=1).min()
        xx, _, yy = at.covariance_mm2
        assert off < 5 * math.sqrt(max(xx, yy))
