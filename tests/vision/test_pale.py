"""Print that glare has left pale is brought back, and its details vote, too."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

import cv2
import numpy as np
import pytest

from companion.prints.galleries import own_deck
from tests.support.deck_views import arts_of_gallery
from tests.support.tables import camera_above, photograph
from vision.geometry import Camera, TableMap
from vision.identify import Identifier, fit
from vision.locate import locate_by_cards
from vision.matching.ground import ground_of, on_table, ways
from vision.matching.pale import brought_back, in_grey, pale_details
from vision.matching.votes import Vote, Voter, votes
from vision.peel import MOST_WAYS_PALE, PALE_INSIDE, peel
from vision.places import poses_of
from vision.quads import quad_overlap
from vision.scene.render import Thing, Truth
from vision.types import Array, Bgr, Frame, FrameId

CARD_MM, STRIP_MM = (63.0, 88.0), 40.0
CHAIN, BESIDE = ("Hr", "Dr", "Br"), "Hg"
PALE, PALER = 190.0, 220.0
"""White light in levels: some print is left, and hardly any."""


@cache
def identifier() -> Identifier:
    return fit([own_deck("brawl-falco")])


@cache
def chain(shine: float = PALE) -> tuple[Bgr, tuple[Truth, ...]]:
    """Return three cards in glare, each on the one before, and one beside in none."""
    arts = arts_of_gallery(own_deck("brawl-falco"))
    things = [
        Thing(arts[label], -30.0, 45 - STRIP_MM * n, 90 + 3.0 * n, *CARD_MM)
        for n, label in enumerate(CHAIN)
    ]
    beside = Thing(arts[BESIDE], 80.0, 0.0, 88.0, *CARD_MM)
    photo, truth = photograph([*things, beside], camera_above(tilt_deg=20))
    light = np.zeros(photo.shape[:2], np.float32)
    for one in truth[:3]:
        cv2.fillConvexPoly(light, np.round(one.quad_px).astype(np.int32), (1.0,))
    lit = photo + shine * cv2.GaussianBlur(light, (0, 0), 8)[..., None]
    return np.clip(lit, 0, 255).astype(np.uint8), truth


def table() -> TableMap:
    photo, truth = chain()
    camera = Camera.guess(photo.shape[1], photo.shape[0], None)
    found = locate_by_cards([one.quad_px for one in truth], camera)
    assert isinstance(found, TableMap)
    return found


def voted(voter: Voter) -> list[tuple[Vote, Array]]:
    photo, truth = chain()
    everywhere = np.full(photo.shape[:2], 255, np.uint8)
    wide = float(np.linalg.norm(truth[3].quad_px[1] - truth[3].quad_px[0]))
    pairs = voter.pairs(photo, everywhere, wide, CARD_MM)
    assert pairs is not None
    found = votes(pairs, table(), everywhere)
    return [(vote, on_table(table(), vote.pose, CARD_MM)) for vote in found]


def is_there(vote: Vote, quad_px: Array, one: Truth) -> bool:
    label = identifier().references.all[vote.picture].label
    return label == one.label and quad_overlap(quad_px, one.quad_px) > 0.85


def test_more_pale_details_vote_for_a_card_than_usual_ones() -> None:
    usual, pale = voted(identifier().voter), voted(identifier().pale)
    for one in chain()[1][:3]:
        few = [vote.count for vote, quad in usual if is_there(vote, quad, one)]
        many = [vote.count for vote, quad in pale if is_there(vote, quad, one)]
        assert max(many) >= 6, one.label
        assert max(many) > 2 * max(few, default=0), one.label
    # Other faces of one design have details in common; elsewhere no card is seen.
    wrong = [
        vote.count
        for vote, quad in pale
        if all(quad_overlap(quad, one.quad_px) < 0.5 for one in chain()[1])
    ]
    assert max(wrong, default=0) < 6


def test_cards_whose_print_is_pale_are_named_and_nobody_is_sure() -> None:
    photo, truth = chain(PALER)
    corners = np.concatenate([one.quad_px for one in truth[:3]])
    (left, top), (right, low) = corners.min(0), corners.max(0)
    around = np.array([[left, top], [right, top], [right, low], [left, low]])
    frame = Frame(FrameId("t"), photo, datetime.now(UTC))
    layers = peel(frame, [truth[3].quad_px, around], identifier(), CARD_MM)
    named = {one.sighting.identity.label: one.sighting for one in layers}
    assert {"Hg", "Br", "Dr"} <= named.keys() <= {"Hg", *CHAIN, None}
    assert not named["Hg"].in_glare
    assert named["Br"].in_glare
    assert named["Dr"].in_glare


@pytest.mark.parametrize("left", [0.05, 0.2])
def test_pale_print_has_its_contrast_again(left: float) -> None:
    picture = own_deck("brawl-falco").faces[0].pictures[0]
    small = np.asarray(cv2.resize(picture, (150, 210)), np.uint8)
    pale = np.asarray(255 - (255 - small) * left, np.uint8)
    again = brought_back(pale, 150.0)
    assert again.std() > 4 * pale.min(axis=2).std()
    alike = np.corrcoef(again.ravel(), small.min(axis=2).ravel())[0, 1]
    assert alike > 0.8


def test_where_nothing_is_burnt_out_no_detail_is_pale() -> None:
    dark = np.random.default_rng(1).integers(0, 200, (300, 300, 3), np.uint8)
    everywhere = np.full((300, 300), 255, np.uint8)
    assert len(pale_details(dark, everywhere, 100.0).owner) == 0


def test_a_sliver_of_pale_print_has_no_details() -> None:
    white = np.full((300, 300, 3), 255, np.uint8)
    sliver = np.zeros((300, 300), np.uint8)
    sliver[:, 150] = 255
    assert len(pale_details(white, sliver, 100.0).owner) == 0


@pytest.mark.parametrize("shine", [PALE, PALER])
def test_of_pale_print_the_way_that_the_topmost_card_lies_is_clear(
    shine: float,
) -> None:
    photo, truth = chain(shine)
    everywhere = np.full(photo.shape[:2], 255, np.uint8)
    region = np.zeros_like(everywhere)
    corners = np.concatenate([one.quad_px for one in truth[:3]]).astype(np.int32)
    cv2.fillConvexPoly(region, cv2.convexHull(corners), (255,))
    wide = float(np.linalg.norm(truth[3].quad_px[1] - truth[3].quad_px[0]))
    top, beside = poses_of(table(), [truth[2].quad_px, truth[3].quad_px], CARD_MM)
    pale = identifier().pale_thumbs.ready()
    assert pale is not None
    found = [
        ways(
            ground_of(bgr, table(), everywhere, region, beside[None], CARD_MM),
            *(thumbs, beside[None], MOST_WAYS_PALE, set(), PALE_INSIDE),
        )
        for bgr, thumbs in (
            (photo, identifier().references.thumbs),
            (in_grey(photo, wide), pale),
        )
    ]
    first = found[1][0]
    assert np.hypot(*(first[:2] - top[:2])) < 5.0
    assert abs((np.degrees(first[2] - top[2]) + 90) % 180 - 90) < 4.0
    # As print usually looks hardly any way is better than many others.
    assert len(found[1]) < 3
    if shine == PALER:
        assert len(found[0]) > 10
