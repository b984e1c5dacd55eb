"""Chips of a kit found without any seed: all of them, and nothing else."""

from __future__ import annotations

import math

import cv2
import numpy as np

from tests.support.boards import SIZE, chip, flat, seed_px, shown, small_table
from vision.chips import enrol_chips, face_likeness
from vision.disc_finder import (
    FAINT_VOTE,
    Evidence,
    _around,
    find_discs,
    only_real,
    with_boxes,
)
from vision.discs import DiscFound, DiscUnclear, measure_discs
from vision.scene.mats import draw_chip_face
from vision.types import Bgr, Detection, Kind

FACES = [draw_chip_face(np.random.default_rng(n)) for n in (1, 4, 7)]
PLACES = ((-70.0, 30.0), (-37.8, 30.0), (20.0, -40.0), (60.0, 35.0))
AREA = (-110.0, -80.0, 110.0, 80.0)


def ground() -> Bgr:
    """A felt with printed circles as large as chips."""
    picture = flat((100, 110, 90), 600)
    for x, y, colour in ((210, 330, (40, 60, 160)), (390, 260, (200, 200, 190))):
        cv2.circle(picture, (x, y), 16, colour, 2, cv2.LINE_AA)
    return picture


def test_all_chips_are_found_and_printed_circles_are_none() -> None:
    discs = [chip(x, y, face=FACES[n % 3]) for n, (x, y) in enumerate(PLACES)]
    table = small_table(20)
    picture, _, truths = shown(discs, table=table, ground=ground())
    gallery = enrol_chips({str(n): [face] for n, face in enumerate(FACES)})
    face = face_likeness(picture, table, gallery)
    seeds = find_discs(picture, table, SIZE, AREA, least_vote=FAINT_VOTE)
    assert len(seeds) > len(truths)
    measured = measure_discs(
        picture, table, [(SIZE, s.at_px) for s in seeds], face=face
    )
    known = {
        n: float(face([d.size], d.centre_mm[None])[0])
        for n, d in enumerate(measured)
        if isinstance(d, DiscFound)
    }
    real = only_real(measured, Evidence.of(measured, seeds, known, None))
    places = [d.centre_mm for d in real if isinstance(d, DiscFound)]
    assert len(places) == len(PLACES)
    for at in PLACES:
        assert min(math.dist(at, place) for place in places) < 0.5
    reasons = {d.reason for d in real if isinstance(d, DiscUnclear)}
    assert reasons <= {"no_rim", "same", "two_rims", "little_rim", "inexact"}


def test_boxes_of_a_network_add_what_edges_did_not_see() -> None:
    table = small_table(20)
    _, _, truths = shown([chip(x, y) for x, y in PLACES[:2]], table=table)
    corners = np.array([[-9.0, -8], [9, -8], [9, 8], [-9, 8]])
    boxes = [Detection(Kind.DISC, seed_px(t) + corners, 0.9) for t in truths]
    seeds = with_boxes((), boxes, table, SIZE)
    assert len(seeds) == 2
    assert with_boxes(seeds, boxes, table, SIZE) == seeds
    assert 0.4 < seeds[0].vote < 0.6
    middle = table.to_table(seeds[1].at_px[None], SIZE.thickness_mm / 2)[0]
    assert math.dist(middle, PLACES[1]) < 1.5


def test_votes_are_the_sums_over_circles_that_they_say() -> None:
    rng = np.random.default_rng(8)
    cos2, sin2 = rng.normal(0, 1, (2, 60, 75)).astype(np.float32)
    votes = _around(cos2, sin2, 9.0)
    y, x = np.mgrid[-11:12, -11:12]
    ring = np.exp(-0.5 * ((np.hypot(x, y) - 9.0) / 0.9) ** 2)
    ring /= ring.sum()
    way = 2 * np.arctan2(y, x)
    for row, column in ((20, 30), (48, 63), (11, 11)):
        around = np.s_[row - 11 : row + 12, column - 11 : column + 12]
        told = (ring * np.cos(way) * cos2[around]).sum()
        told += (ring * np.sin(way) * sin2[around]).sum()
        assert math.isclose(votes[row, column], told, abs_tol=1e-5)
