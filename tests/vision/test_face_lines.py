"""Lines with which faces end are seen in enrolled pictures, and known to the fit."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from tests.support.boards import SIZE, chip, flat, seed_px, shown, small_table
from vision.chips import enrol_chips, face_likeness
from vision.discs import DiscFound, measure_disc
from vision.edges import LINEAR
from vision.face_lines import NO_LINE, lines_of
from vision.types import Bgr

LINE = 0.08
"""Width of the line, in radii."""


def lined_face(*, half: bool = False) -> Bgr:
    """Return a light face with a figure that ends in a dark line; with `half`, it is
    as dark as that on its left half."""
    bgr = flat((190, 200, 205), 256)
    cv2.rectangle(bgr, (90, 60), (150, 190), (60, 40, 120), -1)
    if half:
        bgr[:, :128] = 40
    yy, xx = np.mgrid[:256, :256] - 127.5
    bgr[np.hypot(xx, yy) > 128 * (1 - LINE)] = 40
    return bgr


def test_a_dark_line_around_a_face_is_seen_with_its_width_and_light() -> None:
    lines = lines_of(lined_face())
    assert lines[:, 0] == pytest.approx(LINE, abs=0.01)
    luma = np.array([0.21, 0.50, 0.29])
    light = float(LINEAR[40]) / float(luma @ LINEAR[[190, 200, 205]])
    assert lines[:, 1] == pytest.approx(light, rel=0.15)


def test_where_the_face_is_as_dark_as_the_line_there_is_none() -> None:
    lines = lines_of(lined_face(half=True))
    right, left = np.r_[0:75, 285:360], np.r_[105:255]
    assert lines[right, 0] == pytest.approx(LINE, abs=0.01)
    assert (lines[left] == NO_LINE).all()


def test_a_plain_face_has_no_line() -> None:
    assert (lines_of(flat((90, 120, 200), 128)) == NO_LINE).all()


@pytest.mark.parametrize("tilt_deg", [10.0, 40.0])
def test_a_line_as_dark_as_the_side_does_not_pull_the_rim(tilt_deg: float) -> None:
    """Before, the inside of the line was taken for the rim, up to half a mm away."""
    table = small_table(tilt_deg)
    face = lined_face(half=True)
    gallery = enrol_chips({"lined": [face]})
    errors = []
    for number in range(6):
        disc = chip(
            3.1 * number - 9, 2.3 * number - 6, face=face, angle_deg=55 * number
        )
        picture, _, (truth,) = shown([disc], table=table, seed=number, finer=2)
        like = face_likeness(picture, table, gallery)
        found = measure_disc(picture, table, SIZE, seed_px(truth), face=like)
        assert isinstance(found, DiscFound)
        errors.append(math.dist(found.at_mm, (disc.x_mm, disc.y_mm)))
    assert math.sqrt(float(np.mean(np.square(errors)))) < 0.08
