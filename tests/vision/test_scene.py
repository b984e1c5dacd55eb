"""The renderer is the judge of all figures; so it is judged by closed forms here."""

from __future__ import annotations

from itertools import combinations

import cv2
import numpy as np
import pytest

from tests.support.tables import camera_above, lay, photograph, plain_deck
from vision.scene.art import FACE_HEIGHT_PX, turned_boxes
from vision.scene.backs import draw_medallion_back
from vision.scene.custom import draw_numbered_card
from vision.scene.faces import RANKS, _print_beside, draw_deck
from vision.scene.framed import draw_framed_deck
from vision.scene.ground import patterned
from vision.scene.ink import flat_three
from vision.scene.light import Conditions
from vision.scene.painting import painting
from vision.scene.render import render, table_from_thing
from vision.scene.suits import SUITS
from vision.scene.tables import Props, draw_scene
from vision.training.dataset import MEDALLIONS, Sources, draw_props
from vision.types import Kind


@pytest.mark.parametrize("tilt_deg", [0.0, 25.0, 50.0])
@pytest.mark.parametrize("height_mm", [0.0, 5.0])
def test_a_plane_is_projected_as_its_points_are(
    tilt_deg: float, height_mm: float
) -> None:
    camera = camera_above(tilt_deg=tilt_deg, yaw_deg=33.0)
    points = np.array([[0.0, 0.0], [60.0, -40.0], [-80.0, 30.0]])
    flat = np.column_stack([points, np.ones(3)]) @ camera.image_from_plane(height_mm).T
    lifted = np.column_stack([points, np.full(3, height_mm)])
    assert flat[:, :2] / flat[:, 2:] == pytest.approx(camera.project(lifted))


def test_right_of_the_table_is_right_in_the_picture_and_far_is_up() -> None:
    near, right, far = camera_above(tilt_deg=20.0).project(
        np.array([[0.0, 0, 0], [50.0, 0, 0], [0.0, 50, 0]])
    )
    assert right[0] > near[0] + 20
    assert far[1] < near[1] - 20


def test_a_card_has_its_size_and_its_top_edge_points_where_its_angle_says() -> None:
    (card,) = lay([("7h", 10.0, 20.0, 90.0)])
    corners = table_from_thing(card) @ np.array(
        [[0, 1, 1, 0], [0, 0, 1, 1], [1, 1, 1, 1]]
    )
    left, right = card.x_mm - card.width_mm / 2, card.x_mm + card.width_mm / 2
    expected = [[left, right, right, left], [64.0, 64.0, -24.0, -24.0]]
    assert corners[:2] == pytest.approx(np.array(expected))


def test_the_upper_card_hides_the_lower_one() -> None:
    below, above = ("2c", 0.0, 0.0, 90.0), ("Kd", 15.0, 0.0, 90.0)
    _, (lower, upper) = photograph(lay([below, above]))
    assert upper.visible > 0.98
    width = lay([below])[0].width_mm
    assert lower.visible == pytest.approx(15 / width, abs=0.03)
    assert lower.indices[0].visible > 0.7 * 0.15
    assert lower.indices[1].visible == 0.0


def test_what_lies_outside_the_picture_is_not_visible() -> None:
    _, (half, gone) = photograph(
        lay([("2c", -217.0, 0.0, 90.0), ("3c", 900.0, 0.0, 90.0)])
    )
    assert half.visible == pytest.approx(0.5, abs=0.05)
    assert gone.visible == 0.0


def test_the_same_seed_makes_the_same_picture() -> None:
    def draw() -> np.ndarray:
        rng = np.random.default_rng(9)
        scene = draw_scene(rng, Props(draw_deck(rng)))
        return render(scene, rng)[0]

    assert np.array_equal(draw(), draw())


def test_every_face_of_a_drawn_deck_has_ink_in_its_index_and_none_beside_it() -> None:
    deck = plain_deck()
    assert set(deck.faces) == {rank + suit for rank in RANKS for suit in SUITS}
    for face in deck.faces.values():
        height, width = face.bgra.shape[:2]
        x0, y0, x1, y1 = face.indices[0]
        box = np.array([x0 * width, y0 * height, x1 * width, y1 * height]).astype(int)
        inside = face.bgra[box[1] : box[3], box[0] : box[2], :3]
        assert np.ptp(inside.astype(int)) > 100
        assert 0 <= x0 < x1 < 0.5
        assert 0 <= y0 < y1 < 0.5


@pytest.mark.parametrize("motley", [False, True])
def test_the_cards_of_a_deck_are_of_one_style_but_in_a_motley_one(
    motley: bool,
) -> None:
    deck = draw_deck(np.random.default_rng(4), motley=motley)
    tall = {round(f.indices[0][3] - f.indices[0][1], 3) for f in deck.faces.values()}
    assert (len(tall) > 30) is motley
    assert len(tall) == 1 or motley


def test_what_stands_beside_an_index_leaves_it_free() -> None:
    """Blades and feathers of a court reach close to its letter, never over it."""
    indices = turned_boxes((0.04, 0.04, 0.16, 0.25), four=True)
    art = np.full((400, 260, 3), 255, np.uint8)
    for seed in range(20):
        _print_beside(np.random.default_rng(seed), art, indices)
    assert art.min() < 100, "something was printed"
    for x0, y0, x1, y1 in indices:
        own = art[round(y0 * 400) : round(y1 * 400), round(x0 * 260) : round(x1 * 260)]
        assert own.min() == 255


def test_a_three_with_a_straight_top_is_straight_there_and_open_to_the_left() -> None:
    mask = flat_three(600)
    assert mask[4].mean() > 200  # one bar from left to right
    assert mask[len(mask) // 2, : mask.shape[1] // 4].max() == 0


def test_light_and_lens_change_the_picture_and_not_the_truth() -> None:
    cards = lay([("2c", 0.0, 0.0, 70.0)])
    hard = Conditions(
        shading=0.5, hard_shadow=0.5, glare=1.0, blur_px=1.0, motion_px=3.0, noise=8.0
    )
    clean, (one,) = photograph(cards, conditions=Conditions())
    spoilt, (other,) = photograph(cards, conditions=hard)
    assert one.quad_px == pytest.approx(other.quad_px)
    assert cv2.absdiff(clean, spoilt).mean() > 5


@pytest.mark.parametrize("seed", range(6))
def test_random_tables_are_rendered_whatever_comes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scene = draw_scene(rng, Props(plain_deck()))
    bgr, truth = render(scene, rng)
    assert bgr.shape == (320, 320, 3)
    for item in truth:
        assert 0 <= item.visible <= 1
        assert item.kind in set(Kind)


@pytest.mark.parametrize("seed", range(6))
def test_a_back_with_medallions_is_the_same_from_both_ends(seed: int) -> None:
    back = draw_medallion_back(np.random.default_rng(seed))
    art = back.bgra[..., :3].astype(int)
    inside = art[20:-20, 20:-20]
    assert back.kind is Kind.BACK
    assert np.abs(inside - inside[::-1, ::-1]).mean() < 6
    border = art[2:5, 40:-40].mean((0, 1))
    assert border.min() > 200, "a light border"


@pytest.mark.parametrize("seed", range(8))
def test_printed_cloth_says_the_same_again_and_again(seed: int) -> None:
    """Two inks, each on a tenth of the cloth at least: nothing plain."""
    grey = patterned(np.random.default_rng(seed)).mean(2)
    middle = (np.percentile(grey, 3) + np.percentile(grey, 97)) / 2
    assert 0.04 < float((grey < middle).mean()) < 0.96


@pytest.mark.parametrize("seed", range(12))
def test_a_card_of_another_game_has_its_signs_where_its_corners_say(seed: int) -> None:
    face = draw_numbered_card(np.random.default_rng(seed))
    h, w = face.bgra.shape[:2]
    assert face.label is None
    assert len(face.indices) == 2
    for x0, y0, x1, y1 in face.indices:
        place = face.bgra[round(y0 * h) : round(y1 * h), round(x0 * w) : round(x1 * w)]
        assert place[..., :3].astype(float).std((0, 1)).max() > 8, "ink on a ground"


def test_what_makes_training_harder_is_not_in_the_tables_of_the_tests() -> None:
    sources = Sources(None, None, ("sans",))
    learnt = draw_props(np.random.default_rng(1), sources, held_out=False)
    judged = draw_props(np.random.default_rng(1), sources, held_out=True)
    assert len(learnt.backs) == len(judged.backs) + MEDALLIONS
    assert learnt.share_of_custom > judged.share_of_custom
    assert learnt.custom
    assert not judged.custom
    assert judged.share_of_custom == Props(judged.deck).share_of_custom


@pytest.mark.parametrize("seed", range(6))
def test_cards_with_pictures_are_of_one_deck_and_no_two_are_the_same(seed: int) -> None:
    faces = draw_framed_deck(np.random.default_rng(seed), count=4)
    assert len({face.bgra.shape for face in faces}) == 1
    for one, other in combinations(faces, 2):
        differs = np.abs(one.bgra.astype(int) - other.bgra) > 8
        assert float(differs.any(axis=2).mean()) > 0.05
    for face in faces:
        assert face.label is None
        assert face.indices == ()
        assert face.bgra[0, 0, 3] == 0, "corners are round"
        assert face.bgra.shape[0] == FACE_HEIGHT_PX


def test_given_pictures_are_printed_in_another_light() -> None:
    """One in four pictures is one of those given, all of one colour here."""
    red = np.full((40, 40, 3), (10, 20, 200), np.uint8)
    rng = np.random.default_rng(3)
    plain = [float(painting(rng, 30, 50, [red]).std((0, 1)).max()) for _ in range(60)]
    assert 5 < sum(spread < 1 for spread in plain) < 28
