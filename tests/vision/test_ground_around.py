"""What goes on across its sides is the ground, and no card face down."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.carpets import carpet
from tests.support.tables import SIZE_PX, camera_above, lay, photograph
from tests.vision.test_pipeline import frame_of
from vision.cards import CardSeen, IndexSeen
from vision.ground_around import is_ground, without_ground
from vision.pipeline import load_pipeline
from vision.quads import grown
from vision.reading import LABELS, Reading
from vision.scene.backs import draw_back
from vision.scene.render import Thing, Truth, thing_of
from vision.types import UNKNOWN, Array, Bgr, Identity, Kind

SEEDS = range(8)
NO_EDGES = (0.0, 0.0, 0.0, 0.0)


def on_carpet(seed: int, *things: Thing) -> tuple[Bgr, tuple[Truth, ...]]:
    ground = carpet(np.random.default_rng(seed))
    return photograph(things, ground=ground, seed=seed)


def back_at(seed: int, *spots: tuple[float, float, float]) -> list[Thing]:
    face = draw_back(np.random.default_rng(seed))
    return [thing_of(face, *spot) for spot in spots]


def outlined(
    quad_px: Array, support: tuple[float, ...] = NO_EDGES, kind: Kind = Kind.BACK
) -> CardSeen:
    return CardSeen(quad_px, 0.9, kind, support=support)


def askew(quad_px: Array, deg: float) -> Array:
    turn = np.deg2rad(deg)
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    middle = quad_px.mean(0)
    return np.asarray(middle + (quad_px - middle) @ rotation)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_piece_of_carpet_is_no_card(seed: int) -> None:
    """Beside a card that lies open, as large or larger, half under it or half out of
    the picture; few of the tufts lie on a line and pass for an edge."""
    bgr, (card,) = on_carpet(seed, *lay([("7h", 0.0, 0.0, 90.0)]))
    open_px = card.quad_px
    assert not is_ground(bgr, outlined(open_px), ())
    wide, tall = np.ptp(open_px, axis=0)
    for off in ([1.3 * wide, 0], [-1.4 * wide, 9.0], [0.5 * wide, -0.8 * tall]):
        for size in (1.0, 1.3):
            piece = grown(open_px + off, size)
            assert is_ground(bgr, outlined(piece), [open_px])
    for corner in ([0.0, 0], [SIZE_PX[0], SIZE_PX[1]]):
        piece = open_px - open_px.mean(0) + corner
        assert is_ground(bgr, outlined(piece), [open_px])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_card_face_down_ends_at_its_sides(seed: int) -> None:
    """Even where no edge was found and the outline is loose or askew, where others lie
    on it, or where half of it is not in the picture."""
    bgr, (back, upper, aside) = on_carpet(
        seed,
        *back_at(seed, (-60.0, 0.0, 80.0)),
        *lay([("7h", -20.0, 10.0, 95.0)]),
        *back_at(seed, (165.0, 40.0, 90.0)),
    )
    for outline in (back.quad_px, grown(back.quad_px, 1.1), askew(back.quad_px, 4)):
        assert not is_ground(bgr, outlined(outline), [upper.quad_px])
    assert not is_ground(bgr, outlined(aside.quad_px), [upper.quad_px])


@pytest.mark.parametrize("seed", SEEDS)
def test_two_cards_face_down_in_one_outline_are_not_the_ground(seed: int) -> None:
    """So hole cards are seen: askew over each other, and no side on an edge."""
    things = back_at(seed, (-12.0, 5.0, 80.0), (14.0, -4.0, 100.0))
    bgr, backs = on_carpet(seed, *things)
    points = np.vstack([back.quad_px for back in backs]).astype(np.float32)
    around = np.asarray(cv2.boxPoints(cv2.minAreaRect(points)), float)
    assert not is_ground(bgr, outlined(around), ())


@pytest.mark.parametrize("seed", [10, 20])
def test_a_card_between_others_face_down_is_not_the_ground(seed: int) -> None:
    """Its print goes on in theirs, but they have sides of their own and are cards."""
    spots = [(x, 0.0, 90.0) for x in (-40.0, 0.0, 40.0)]
    bgr, backs = on_carpet(seed, *back_at(seed, *spots))
    cards = [outlined(back.quad_px) for back in backs]
    assert is_ground(bgr, cards[1], ())
    assert without_ground(bgr, cards, [UNKNOWN] * 3, [True] * 3) == (True, True, True)


def test_what_has_no_side_in_the_picture_is_no_card() -> None:
    bgr, _ = on_carpet(1)
    right, bottom = SIZE_PX[0] - 1.0, SIZE_PX[1] - 1.0
    all_of_it = np.array([[0, 0], [right, 0], [right, bottom], [0, bottom]])
    assert is_ground(bgr, outlined(all_of_it), ())


def test_what_ends_at_as_many_sides_as_it_goes_on_across_may_be_a_card() -> None:
    """A dark back on dark ground: edges show, though two sides look like the ground."""
    bgr = np.full((200, 200, 3), 40, np.uint8)
    bgr[60:140, 70:100] = 90
    bgr[60:140, 100:130] = 40
    quad = np.array([[70.0, 60], [130, 60], [130, 140], [70, 140]])
    bgr[100:140, 70:130] = 90
    assert not is_ground(bgr, outlined(quad, (0.0, 0.0, 1.0, 1.0)), ())
    assert is_ground(
        bgr, outlined(quad + np.array([60.0, -50]), (0.0, 0.0, 0.0, 1.0)), ()
    )


def test_a_name_or_an_index_is_not_on_the_ground() -> None:
    bgr, _ = on_carpet(2)
    quad = np.array([[200.0, 150], [300, 150], [300, 290], [200, 290]])
    reading = Reading(np.full(len(LABELS), 1 / len(LABELS)), 0.9, 0.0, 0.1)
    index = IndexSeen(quad, 0.5, reading)
    cards = (
        outlined(quad),
        outlined(quad, kind=Kind.CARD),
        CardSeen(quad, 0.9, Kind.CARD, indices=(index,)),
    )
    names = (UNKNOWN, Identity("7h"), UNKNOWN)
    assert without_ground(bgr, cards[:1], names[:1], (True,)) == (False,)
    assert without_ground(bgr, cards[1:], names[1:], (True, True)) == (True, True)
    assert without_ground(bgr, cards[1:], names[1:], (True, False)) == (True, False)


@pytest.mark.parametrize("seed", [0, 2, 19])
def test_a_carpet_beside_an_open_card_is_not_read_as_backs(seed: int) -> None:
    """The detector is sure of one in each of these pictures."""
    bgr, _ = photograph(
        lay([("7h", -25.0, 10.0, 95.0)]),
        camera_above(distance_mm=260.0, tilt_deg=15.0),
        ground=carpet(np.random.default_rng(seed)),
    )
    (card,) = load_pipeline()(frame_of(bgr)).placements
    assert card.identity.label == "7h"
