"""Details of the print tell where cards lie, and which of them lies on which."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from companion.prints.galleries import own_deck
from tests.support.deck_views import arts_of_gallery
from tests.support.tables import camera_above, photograph
from vision.geometry import Camera
from vision.identify import Identifier, fit
from vision.locate import locate_by_cards
from vision.matching.ground import on_table
from vision.matching.heap import lying_over, topmost_first
from vision.matching.votes import Vote, votes
from vision.quads import quad_overlap
from vision.scene.render import Thing, Truth
from vision.types import Array, Bgr, TableNotFound

CARD_MM, STRIP_MM = (63.0, 88.0), 30.0
CHAIN, BESIDE = ("Hr", "Dr", "Br", "P"), "Hg"


@cache
def identifier() -> Identifier:
    return fit([own_deck("brawl-falco")])


def voted(bgr: Bgr, open_px: list[Array]) -> list[tuple[Vote, Array]]:
    """Return what the details of a whole picture vote for, and where that lies."""
    everywhere = np.full(bgr.shape[:2], 255, np.uint8)
    wide = float(np.linalg.norm(open_px[0][1] - open_px[0][0]))
    pairs = identifier().voter.pairs(bgr, everywhere, wide, CARD_MM)
    table = locate_by_cards(open_px, Camera.guess(bgr.shape[1], bgr.shape[0], None))
    assert pairs is not None
    assert not isinstance(table, TableNotFound)
    found = votes(pairs, table, everywhere)
    return [(vote, on_table(table, vote.pose, CARD_MM)) for vote in found]


def label_of(vote: Vote) -> str | None:
    return identifier().references.all[vote.picture].label


def chain() -> tuple[Bgr, tuple[Truth, ...]]:
    """Return four cards, each on the one before, and one that lies open beside."""
    arts = arts_of_gallery(own_deck("brawl-falco"))
    things = [
        Thing(arts[label], -20.0, 60 - STRIP_MM * n, 90 + 3.0 * n, *CARD_MM)
        for n, label in enumerate(CHAIN)
    ]
    beside = Thing(arts[BESIDE], 70.0, 0.0, 88.0, *CARD_MM)
    return photograph([*things, beside], camera_above(tilt_deg=25))


def test_strips_vote_for_where_their_cards_lie() -> None:
    photo, truth = chain()
    found = voted(photo, [truth[3].quad_px, truth[4].quad_px])
    best = found[: len(truth)]
    assert sorted(str(label_of(vote)) for vote, _ in best) == sorted(
        str(t.label) for t in truth
    )
    for vote, quad in best:
        thing = next(t for t in truth if t.label == label_of(vote))
        assert quad_overlap(quad, thing.quad_px) > 0.93
        assert vote.count >= 6


def test_a_detail_is_of_one_card_only() -> None:
    photo, truth = chain()
    found = voted(photo, [truth[3].quad_px, truth[4].quad_px])
    own = [set(vote.details.tolist()) for vote, _ in found[: len(truth)]]
    taken = set().union(*own)
    assert len(taken) > 0.9 * sum(len(one) for one in own)


def test_what_shows_where_two_overlap_is_the_upper_one() -> None:
    photo, truth = chain()
    everywhere = np.full(photo.shape[:2], 255, np.uint8)
    wide = float(np.linalg.norm(truth[4].quad_px[1] - truth[4].quad_px[0]))
    pairs = identifier().voter.pairs(photo, everywhere, wide, CARD_MM)
    assert pairs is not None
    found = voted(photo, [truth[3].quad_px, truth[4].quad_px])[: len(truth)]
    over = lying_over(
        [quad for _, quad in found],
        [pairs.seen.points[vote.details] for vote, _ in found],
    )
    order = [label_of(found[i][0]) for i in topmost_first(over)]
    assert [label for label in order if label != BESIDE] == list(reversed(CHAIN))


def test_cards_that_lie_on_each_other_in_a_circle_are_all_listed() -> None:
    assert sorted(topmost_first([{1}, {2}, {0}, set()])) == [0, 1, 2, 3]
    assert topmost_first([{1}, {2}, set()]) == [2, 1, 0]


@pytest.mark.parametrize("level", [0, 128])
def test_nothing_votes_where_there_is_nothing(level: int) -> None:
    bgr = np.full((400, 400, 3), level, np.uint8)
    place = np.array([[100, 100], [163, 100], [163, 188], [100, 188]], float)
    assert voted(bgr, [place]) == []


def test_a_covered_detail_has_no_say() -> None:
    photo, truth = chain()
    shows = np.full(photo.shape[:2], 255, np.uint8)
    for thing in truth:
        cv2.fillConvexPoly(shows, np.round(thing.quad_px).astype(np.int32), (0,))
    wide = float(np.linalg.norm(truth[4].quad_px[1] - truth[4].quad_px[0]))
    pairs = identifier().voter.pairs(photo, np.full_like(shows, 255), wide, CARD_MM)
    camera = Camera.guess(photo.shape[1], photo.shape[0], None)
    table = locate_by_cards([truth[4].quad_px], camera)
    assert pairs is not None
    assert not isinstance(table, TableNotFound)
    strong = [v for v in votes(pairs, table, shows) if v.count >= 6]
    assert strong == []
