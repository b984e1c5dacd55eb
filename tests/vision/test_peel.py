"""Cards that lie on each other are named layer by layer, by what shows of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import cache

import cv2
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.deck_views import drawn_arts
from tests.support.tables import camera_above, photograph
from vision.gallery import Face, Gallery
from vision.geometry import Camera, TableMap
from vision.identify import Identifier, fit, nothing
from vision.locate import locate_by_cards
from vision.matching.claim import shown_share
from vision.matching.leftover import is_outline, strange_px2
from vision.matching.votes import Vote
from vision.peel import Layer, _Looks, peel
from vision.places import Place, poses_of
from vision.scene.art import FACE_HEIGHT_PX, premultiplied, rounded_mask
from vision.scene.art import Face as Art
from vision.scene.camera import SceneCamera
from vision.scene.light import Conditions
from vision.scene.render import Thing, Truth
from vision.strangers import is_beside, strangers
from vision.types import Array, Bgr, Frame, FrameId, Kind
from vision.unpeeled import Heap

SIZE = (round(FACE_HEIGHT_PX * 63 / 88), FACE_HEIGHT_PX)
CARD_MM = (63.0, 88.0)
STRIP_MM = 30.0


@cache
def pictures() -> tuple[Bgr, ...]:
    """Return faces with much on them, also on every strip."""
    arts = drawn_arts(np.random.default_rng(5), 60)
    every = [
        np.asarray(cv2.resize(a.bgra[..., :3], SIZE), np.uint8) for a in arts.values()
    ]
    return tuple(sorted(every, key=_details, reverse=True)[:30])


def _details(bgr: Bgr) -> int:
    return len(cv2.SIFT.create(300).detect(cv2.resize(bgr, (252, 352)), None))


@cache
def identifier() -> Identifier:
    known = pictures()[:-2]
    faces = tuple(Face(f"n{i}", (bgr,)) for i, bgr in enumerate(known))
    return fit([Gallery("d", faces)])


def card(number: int, x_mm: float, y_mm: float, angle_deg: float) -> Thing:
    mask = rounded_mask(*SIZE, 0.05)
    art = premultiplied(np.dstack([pictures()[number], mask]))
    return Thing(Art(Kind.CARD, f"n{number}", art), x_mm, y_mm, angle_deg, *CARD_MM)


def photo_of(
    things: list[Thing], camera: SceneCamera | None = None
) -> tuple[Bgr, tuple[Truth, ...]]:
    light = Conditions(gain=0.85, blur_px=0.5, noise=1.5)
    return photograph(things, camera, conditions=light)


def around(truths: tuple[Truth, ...]) -> Array:
    """Return a box around some cards, as a detector draws one that is not sure."""
    corners = np.concatenate([truth.quad_px for truth in truths])
    (left, top), (right, bottom) = corners.min(0), corners.max(0)
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], float)


def read(bgr: Bgr, quads: list[Array]) -> list[Layer]:
    frame = Frame(FrameId("t"), bgr, datetime.now(UTC))
    return peel(frame, quads, identifier(), CARD_MM)


def labels(layers: list[Layer]) -> list[str | None]:
    return [layer.sighting.identity.label for layer in layers]


@pytest.mark.parametrize("turn_deg", [0.0, 4.0])
def test_a_chain_of_strips_is_named_from_the_top(turn_deg: float) -> None:
    chain = [card(n, -20.0, 60 - STRIP_MM * n, 90 + turn_deg * n) for n in range(4)]
    photo, truth = photo_of([*chain, card(6, 70.0, 0.0, 88.0)])
    # The topmost and the one beside lie open; of the rest one box shows that they are.
    layers = read(photo, [truth[3].quad_px, truth[4].quad_px, around(truth[:3])])
    assert sorted(labels(layers[:2]), key=str) == ["n3", "n6"]
    assert labels(layers[2:]) == ["n2", "n1", "n0"]
    for layer, number in zip(layers[2:], (2, 1, 0), strict=True):
        assert np.abs(layer.sighting.quad_px - truth[number].quad_px).max() < 5


def test_a_card_of_another_deck_stays_unknown_and_hides_none() -> None:
    stranger = len(pictures()) - 1
    things = [card(1, -60.0, 0.0, 90.0), card(stranger, 60.0, 0.0, 90.0)]
    photo, truth = photo_of(things)
    layers = read(photo, [t.quad_px for t in truth])
    assert labels(layers) == ["n1", None]
    assert layers[1].sighting.deck is None


def test_a_stranger_under_a_card_is_asked_about() -> None:
    stranger = len(pictures()) - 1
    photo, truth = photo_of([card(stranger, 28.0, 10.0, 90.0), card(1, 0.0, 0.0, 90.0)])
    layers = read(photo, [truth[1].quad_px, truth[0].quad_px])
    assert labels(layers) == ["n1", None]


def test_a_stranger_on_a_card_is_asked_about_and_the_card_is_named() -> None:
    stranger = len(pictures()) - 1
    things = [card(1, 0.0, 0.0, 90.0), card(stranger, 38.0, 30.0, 80.0)]
    photo, truth = photo_of([*things, card(6, -90.0, 0.0, 88.0)])
    # Where the detector takes both for one card, nothing but the print tells.
    layers = read(photo, [truth[2].quad_px, truth[0].quad_px])
    assert labels(layers) == ["n6", "n1", None]


def test_the_order_is_that_of_the_heap_though_one_box_holds_it_all() -> None:
    heap = [card(n, 26.0 * n, 9.0 * n, 90.0 - 6 * n) for n in range(4)]
    photo, truth = photo_of([*heap, card(6, -90.0, 0.0, 88.0)])
    layers = read(photo, [truth[4].quad_px, truth[0].quad_px, around(truth[:4])])
    assert [x for x in labels(layers) if x != "n6"] == ["n3", "n2", "n1", "n0"]


def test_a_box_that_holds_a_card_and_bare_table_is_that_card() -> None:
    photo, (truth,) = photo_of([card(1, 0.0, 0.0, 90.0)])
    beside = truth.quad_px + np.array([0.35 * np.ptp(truth.quad_px[:, 0]), 0.0])
    assert labels(read(photo, [truth.quad_px, beside])) == ["n1"]


def test_of_two_looks_at_one_card_one_is_kept() -> None:
    photo, (truth,) = photo_of([card(2, 0.0, 0.0, 75.0)], camera_above(tilt_deg=20))
    near = truth.quad_px + np.array([[3, -2], [-2, 3], [2, 2], [-3, 1]], float)
    assert labels(read(photo, [truth.quad_px, near])) == ["n2"]


off = st.lists(st.floats(-1, 1), min_size=3, max_size=3)


@settings(max_examples=20, deadline=None)
@given(off, st.integers(0, 20))
@example([0.0, 0.5, 0.0], 11)
def test_on_a_known_table_a_card_is_put_right_and_stays_a_rectangle(
    shares: list[float], number: int
) -> None:
    picture = pictures()[number]
    photo = np.full((600, 560, 3), 90, np.uint8)
    photo[120:472, 150:402] = cv2.resize(picture, (252, 352)) * 0.85
    place = np.array([[150, 120], [402, 120], [402, 472], [150, 472]], float) - 0.5
    turn = 0.05 * shares[2]
    middle = place.mean(0)
    turned = (place - middle) @ np.array(
        [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]
    )
    seen = identifier().identify(
        photo, turned + middle + 8.0 * np.array(shares[:2]), size_mm=(252.0, 352.0)
    )
    assert seen.identity.label == f"n{number}"
    found = seen.quad_px
    sides = np.linalg.norm(np.roll(found, -1, 0) - found, axis=1)
    assert sides == pytest.approx([252, 352, 252, 352], rel=0.04)
    assert sides[:2] == pytest.approx(sides[2:], rel=1e-3)
    assert np.abs(found - place).max() < 6


def test_what_has_the_colours_of_the_table_is_not_strange() -> None:
    rng = np.random.default_rng(1)
    photo = rng.normal((60, 90, 50), 6, (300, 300, 3)).clip(0, 255).astype(np.uint8)
    quad = np.array([[100, 80], [180, 80], [180, 200], [100, 200]], float)
    visible = np.full((300, 300), 255, np.uint8)
    things = np.zeros((300, 300), np.uint8)
    cv2.fillConvexPoly(things, quad.astype(np.int32), (255,))
    assert strange_px2(photo, quad, visible, things) < 100
    photo[80:200, 100:140] = rng.normal((40, 60, 200), 6, (120, 40, 3)).clip(0, 255)
    assert strange_px2(photo, quad, visible, things) == pytest.approx(4800, rel=0.15)
    # What a known card covers is not asked about.
    visible[80:200, 100:140] = 0
    assert strange_px2(photo, quad, visible, things) < 100


def test_a_card_under_another_needs_no_box_of_its_own() -> None:
    things = [card(3, -22.0, 4.0, 90.0), card(1, 0.0, 0.0, 92.0)]
    photo, truth = photo_of([*things, card(6, 110.0, 0.0, 88.0)])
    layers = read(photo, [truth[1].quad_px, truth[2].quad_px])
    assert sorted(labels(layers), key=str) == ["n1", "n3", "n6"]
    (below,) = (x for x in layers if x.sighting.identity.label == "n3")
    assert np.abs(below.sighting.quad_px - truth[0].quad_px).max() < 3


@pytest.mark.parametrize(("aside_mm", "is_looked_for"), [(8.0, True), (0.0, False)])
def test_a_narrow_strip_on_two_sides_of_a_card_is_looked_at(
    aside_mm: float, is_looked_for: bool
) -> None:
    photo, (truth,) = photo_of([card(1, 0.0, 0.0, 90.0)])
    photo = np.asarray(cv2.resize(photo, None, fx=3, fy=3), np.uint8)
    quad = 3 * truth.quad_px + 1
    px_per_mm = np.linalg.norm(quad[1] - quad[0]) / CARD_MM[0]
    below = quad + aside_mm * px_per_mm * np.array([-1, 1])
    under, over = photo.copy(), np.zeros(photo.shape[:2], np.uint8)
    cv2.fillConvexPoly(under, np.round(below).astype(int), (40, 20, 160))
    cv2.fillConvexPoly(over, np.round(quad).astype(int), (255,))
    photo = np.where(over[..., None] > 0, photo, under)
    heap = Heap(photo, identifier(), CARD_MM, [quad])
    heap.take([(heap.places[0], heap.look(heap.places[0]))])
    assert is_beside(heap) == is_looked_for


def test_what_lies_on_a_known_card_is_no_table_beside_another() -> None:
    photo, (one, other) = photo_of(
        [card(1, 20.0, 45.0, 90.0), card(2, 0.0, -50.0, 90.0)]
    )
    photo = np.asarray(cv2.resize(photo, None, fx=3, fy=3), np.uint8)
    first, second = 3 * one.quad_px + 1, 3 * other.quad_px + 1
    foreign = (40, 20, 160)
    note = (first - first.mean(0)) * 0.8 + first.mean(0)
    wide = float(np.ptp(second[:, 0]))
    low, high = second.min(0), second.max(0)
    strip = np.array([[high[0], low[1]], [high[0] + 0.25 * wide, high[1]]])
    (left, top), (right, bottom) = np.round(strip).astype(int)
    cv2.fillConvexPoly(photo, np.round(note).astype(int), foreign)
    cv2.rectangle(photo, (left, top), (right, bottom), foreign, -1)
    aside = second + np.array([0.25 * wide, 0.0])
    heap = Heap(photo, identifier(), CARD_MM, [second, aside])
    heap.places.append(Place(first, 0, is_tabled=False))
    heap.take([(place, heap.look(place)) for place in heap.places[::2]])
    assert [heap.visible[int(y), int(x)] for x, y in (note.mean(0), strip.mean(0))] == [
        255,
        255,
    ]
    assert is_beside(heap)


def test_a_card_that_was_laid_awry_is_laid_as_the_table_has_it() -> None:
    photo, truth = photo_of([card(n, 90.0 * n - 180, 0.0, 85.0) for n in range(1, 4)])
    table = locate_by_cards(
        [t.quad_px for t in truth], Camera.guess(*photo.shape[1::-1])
    )
    assert isinstance(table, TableMap)
    heap = Heap(photo, identifier(), CARD_MM, [t.quad_px for t in truth], table)
    for place, true in zip(list(heap.places), truth, strict=True):
        look = heap.look(place)
        awry = true.quad_px + np.array([[0, 0], [0, 0], [6, 5], [0, 0]], float)
        heap.take([(place, replace(look, quad_px=awry, likeness=0.9))])
    heap.straighten()
    for layer, true in zip(heap.found, truth, strict=True):
        assert np.abs(layer.sighting.quad_px - true.quad_px).max() < 2


def test_a_card_that_was_stretched_where_nothing_held_it_is_laid_by_what_shows() -> (
    None
):
    """What lies on it is not known yet, and it looks like its face where it fits."""
    stranger = len(pictures()) - 1
    things = [card(n, 90.0 * n - 180, -50.0, 85.0) for n in range(1, 4)]
    things += [card(4, 0.0, 60.0, 90.0), card(stranger, -40.0, 70.0, 75.0)]
    photo, truth = photo_of(things)
    table = locate_by_cards(
        [t.quad_px for t in truth[:3]], Camera.guess(*photo.shape[1::-1])
    )
    assert isinstance(table, TableMap)
    heap = Heap(photo, identifier(), CARD_MM, [t.quad_px for t in truth[:4]], table)
    quad = truth[3].quad_px
    down = quad[3] - quad[0]
    stretched = quad - np.array([0.2, 0.2, 0, 0])[:, None] * down
    for place, true in zip(list(heap.places), truth, strict=False):
        there = stretched if true is truth[3] else true.quad_px
        look = heap.look(place)
        heap.take([(place, replace(look, quad_px=there, likeness=0.99))])
    before = heap.claims[3].px2
    heap.straighten()
    assert np.abs(heap.found[3].sighting.quad_px - quad).max() < 2
    assert heap.claims[3].px2 > 1.2 * before


def test_of_a_look_and_a_few_details_that_agree_neither_needs_be_sure() -> None:
    photo, (truth,) = photo_of([card(1, 0.0, 0.0, 90.0)])
    heap = Heap(photo, identifier(), CARD_MM, [truth.quad_px])
    look = replace(heap.look(heap.places[0]), likeness=0.7)
    assert look.picture is not None
    for picture, believed in ((look.picture, 1), (look.picture + 1, 0)):
        vote = Vote(np.zeros(3), picture, 3, np.arange(3))
        place = Place(truth.quad_px, 0, is_tabled=True, expected=vote, look=look)
        heap.places = [place]
        assert len(_Looks(heap).believed()) == believed


@pytest.mark.parametrize(
    ("seen", "agrees", "is_named"),
    [(0.12, False, False), (0.12, True, True), (0.3, False, True)],
)
def test_by_an_eighth_of_a_card_a_look_cannot_gainsay_details(
    seen: float, agrees: bool, is_named: bool
) -> None:
    photo, (truth,) = photo_of([card(1, 0.0, 0.0, 90.0)])
    look = replace(identifier().identify(photo, truth.quad_px), seen=seen)
    assert look.picture is not None
    vote = Vote(np.zeros(3), look.picture + (not agrees), 6, np.arange(6))
    place = Place(truth.quad_px, 0, is_tabled=True, expected=vote, look=look)
    assert place.is_named == is_named


@pytest.mark.parametrize("aside_mm", [0.0, 4.0])
def test_a_strip_under_a_card_is_looked_at_though_it_is_laid_a_little_aside(
    aside_mm: float,
) -> None:
    things = [card(3, -13.0, 0.0, 90.0), card(1, 0.0, 0.0, 90.0)]
    photo, truth = photo_of([*things, card(6, 110.0, 0.0, 88.0)])
    table = locate_by_cards(
        [t.quad_px for t in truth[1:]], Camera.guess(*photo.shape[1::-1])
    )
    assert isinstance(table, TableMap)
    heap = Heap(photo, identifier(), CARD_MM, [t.quad_px for t in truth[1:]], table)
    heap.take([(place, heap.look(place)) for place in list(heap.places)])
    (pose,) = poses_of(table, [truth[0].quad_px], CARD_MM)
    above = poses_of(table, [truth[1].quad_px], CARD_MM)[0] - pose
    way = above[:2] / np.hypot(*above[:2])
    pose[:2] += aside_mm * way
    heap.places = [heap.tabled(pose, None)]
    shown = shown_share(heap.visible, heap.places[0].quad_px)
    assert 0.1 < shown < (0.15 if aside_mm else 0.2)
    (place,) = _Looks(heap).named()
    assert place.look is not None
    assert place.look.identity.label == "n3"


@pytest.mark.parametrize(
    ("agrees", "show", "strangers_there"),
    [(True, True, 1), (False, True, 0), (True, False, 0)],
)
def test_details_that_the_look_does_not_bear_out_are_asked_about_only_off_the_table(
    agrees: bool, show: bool, strangers_there: int
) -> None:
    """Nor are those asked about that are a known card's."""
    photo, (truth,) = photo_of([card(1, 0.0, 0.0, 90.0)])
    heap = Heap(photo, identifier(), CARD_MM, [truth.quad_px])
    heap.take([(heap.places[0], heap.look(heap.places[0]))])
    beside = truth.quad_px - np.array([truth.quad_px[1, 0] - truth.quad_px[0, 0], 0])
    look = replace(nothing(beside), picture=4, likeness=0.085)
    vote = Vote(np.zeros(3), 4 if agrees else 5, 7, np.arange(7))
    place = Place(beside, 0, is_tabled=True, expected=vote, look=look)
    place.details_px = np.tile((beside if show else truth.quad_px).mean(0), (7, 1))
    heap.places = [place]
    assert len(strangers(heap)) == strangers_there
    heap.bgr = photo.copy()  # something lies there
    cv2.fillConvexPoly(heap.bgr, np.round(beside).astype(int), (40, 20, 160))
    assert len(strangers(heap)) == 1


@pytest.mark.parametrize("is_card", [False, True])
def test_print_of_a_mat_that_passes_for_a_card_is_table_beside_more_of_it(
    is_card: bool,
) -> None:
    """A frame of a card's size and a line: only what is no print is a card."""
    photo, (truth,) = photo_of([card(1, 0.0, 0.0, 90.0)])
    wide = float(np.ptp(truth.quad_px[:, 0]))
    box = truth.quad_px + np.array([1.2 * wide, 0.0])
    beside = box - np.array([0.0, 1.45 * wide])
    pale, thick = (150, 190, 195), 9
    corners = np.round(box).astype(int)
    cv2.polylines(photo, [corners], isClosed=True, color=pale, thickness=thick)
    cv2.line(photo, corners[0] - [0, 20], corners[0] - [0, 70], pale, thick)
    if is_card:
        cv2.fillConvexPoly(photo, corners, (60, 190, 195))
    heap = Heap(photo, identifier(), CARD_MM, [truth.quad_px, box, beside])
    heap.take([(heap.places[0], heap.look(heap.places[0]))])
    assert len(strangers(heap)) == is_card


def test_a_box_around_bare_table_is_the_outline_of_no_card() -> None:
    photo, (truth,) = photo_of([card(1, 0.0, 0.0, 90.0)])
    bare = np.array([[40.0, 40], [120, 42], [118, 190], [40, 188]])
    odd_mm = np.array([[0.0, 0], [48, 0], [48, 85], [0, 85]])
    card_mm = np.array([[0.0, 0], [63, 0], [63, 88], [0, 88]])
    assert is_outline(photo, truth.quad_px, odd_mm, CARD_MM)
    assert is_outline(photo, bare, card_mm, CARD_MM)
    assert is_outline(photo, bare, np.roll(card_mm, 1, axis=0), CARD_MM)
    assert not is_outline(photo, bare, odd_mm, CARD_MM)
    burnt = photo.copy()
    burnt[60:150, 50:110] = 255
    assert is_outline(burnt, bare, odd_mm, CARD_MM)


def test_a_card_whose_box_is_far_off_is_laid_twice() -> None:
    photo, (truth,) = photo_of([card(1, 0.0, 0.0, 90.0)], camera_above(tilt_deg=25))
    loose = truth.quad_px + np.array([[-12, -9], [4, -3], [14, 10], [-10, 12]], float)
    (layer,) = read(photo, [loose])
    assert layer.sighting.identity.label == "n1"
    assert np.abs(layer.sighting.quad_px - truth.quad_px).max() < 2


def test_what_lies_by_itself_is_cut_out_though_its_box_ends_at_another_card() -> None:
    things = [card(1, 0.0, 0.0, 90.0), card(len(pictures()) - 1, 80.0, 0.0, 90.0)]
    photo, (known, strange) = photo_of(things, camera_above(tilt_deg=15))
    box = strange.quad_px.copy()
    box[[0, 3]] = known.quad_px[[1, 2]]
    layers = read(photo, [known.quad_px, box])
    assert labels(layers) == ["n1", None]
    assert np.abs(layers[1].sighting.quad_px - strange.quad_px).max() < 2


def test_a_doubtful_look_is_believed_last_where_the_detector_saw_a_card_too() -> None:
    photo, truth = photo_of([card(1, 0.0, 0.0, 90.0), card(2, 90.0, 0.0, 90.0)])
    boxed, bare = (t.quad_px for t in truth)
    heap = Heap(photo, identifier(), CARD_MM, [boxed])
    look = replace(heap.look(heap.places[0]), likeness=0.7)
    heap.places = [Place(q, 0, is_tabled=True, look=look) for q in (boxed, bare)]
    assert [place.quad_px is boxed for place in _Looks(heap).boxed()] == [True]


def blank(x_mm: float, y_mm: float, angle_deg: float) -> Thing:
    """Return a card whose print is lost, as in glare."""
    white = np.full((SIZE[1], SIZE[0], 3), 255, np.uint8)
    art = premultiplied(np.dstack([white, rounded_mask(*SIZE, 0.05)]))
    return Thing(Art(Kind.CARD, "blank", art), x_mm, y_mm, angle_deg, *CARD_MM)


def test_cards_are_named_though_none_lies_open() -> None:
    fan = [card(n, -60 + 34.0 * n, 6.0 * n, 100 - 6.0 * n) for n in range(3)]
    photo, truth = photo_of([*fan, blank(42.0, 18.0, 80.0)])
    # No box is that of a card, so nothing but the print tells where the table is.
    layers = read(photo, [around(truth[:2]), around(truth[1:])])
    named = [one for one in layers if one.sighting.deck is not None]
    assert [one.sighting.identity.label for one in named] == ["n2", "n1", "n0"]
    for one, number in zip(named, (2, 1, 0), strict=True):
        assert np.abs(one.sighting.quad_px - truth[number].quad_px).max() < 5


def test_strangers_of_which_none_lies_open_stay_unknown() -> None:
    strange = len(pictures()) - 2
    fan = [card(strange + n, -40 + 34.0 * n, 6.0 * n, 100 - 6.0 * n) for n in range(2)]
    photo, truth = photo_of([*fan, blank(28.0, 12.0, 88.0)])
    layers = read(photo, [around(truth[:2]), around(truth[1:])])
    assert [label for label in labels(layers) if label is not None] == []


def test_a_stranger_that_shares_two_fifths_of_a_face_is_not_that_card() -> None:
    """Cards of other decks have its frame: nothing that is known lies on the rest."""
    bgr = pictures()[-1].copy()
    bgr[: round(0.42 * SIZE[1])] = pictures()[0][: round(0.42 * SIZE[1])]
    art = premultiplied(np.dstack([bgr, rounded_mask(*SIZE, 0.05)]))
    stranger = Thing(Art(Kind.CARD, "none", art), 0.0, 0.0, 90.0, *CARD_MM)
    photo, truth = photo_of([stranger, blank(80.0, 10.0, 90.0)])
    layers = read(photo, [around(truth)])
    assert [label for label in labels(layers) if label is not None] == []
    assert layers != []


def test_an_open_card_is_not_given_up_for_one_a_figure_aside() -> None:
    """Details of a figure that a face has twice vote for it one figure farther, too."""
    one, two = (figures(n) for n in (1, 2))
    bgr = np.full((500, 600, 3), (60, 110, 60), np.uint8)
    bgr[100:276, 100:226] = one
    names = fit([Gallery("d", (Face("one", (one,)), Face("two", (two,))))])
    quad = np.array([[100, 100], [226, 100], [226, 276], [100, 276]], float) - 0.5
    heap = Heap(bgr, names, (63.0, 88.0), [quad])
    place = Place(quad + np.array([0, 36.0]), 0, is_tabled=True)
    look = names.identify(bgr, quad)
    place.look = replace(look, picture=1, likeness=0.95, quad_px=place.quad_px)
    (kept,) = _Looks(heap)._without_aside([place], list(heap.places))
    assert kept is heap.places[0]
    assert kept.look is not None
    assert kept.look.identity.label == "one"
    assert not place.is_named


def figures(count: int) -> Bgr:
    """Return a card with so many figures below each other."""
    card = np.full((176, 126, 3), 225, np.uint8)
    for number in range(count):
        y = 88 + round((number - (count - 1) / 2) * 60)
        cv2.circle(card, (63, y), 22, (40, 40, 180), -1, cv2.LINE_AA)
        cv2.putText(card, "x", (50, y + 8), 0, 1.0, (230, 230, 230), 3)
    return card
