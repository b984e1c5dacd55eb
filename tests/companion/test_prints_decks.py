"""Our own decks: complete, legible, and no two faces alike."""

from __future__ import annotations

from collections import Counter
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest
from numpy.typing import NDArray

from companion.errors import UsageError
from companion.prints.decks import Deck, decks_of, decks_pdf, grid_on, own_decks
from companion.prints.faces import (
    HEIGHT_MM,
    LEAST_TEXT_MM,
    RIM_MM,
    TEXT_ROOM_MM,
    WIDTH_MM,
    Back,
    Face,
    fit_text,
)
from companion.prints.galleries import own_deck, own_deck_names, sides_pdf
from companion.prints.paper import PAPERS
from companion.prints.pen import Pen, new_canvas
from companion.prints.raster import POINTS_PER_MM, page_sizes_mm, render_all
from engines.brawl.deck import parse_deck
from engines.core import load_kit
from engines.frantic.cards import PlayCard
from engines.frenzy.cards import Faction
from vision.gallery import load_gallery, save_gallery
from vision.types import Bgr

MOST_ALIKE = 0.75
"""Correlation of thumbnails of two faces of a game, whichever way round: measured 0.64
sharp and 0.68 blurred by 2 px."""
THUMBNAIL_PX = (63, 88)


def of_game(game: str) -> list[tuple[Deck, Face]]:
    return [(deck, face) for deck in decks_of(game) for face, _ in deck.faces]


@pytest.mark.parametrize("game", ["brawl", "frantic", "frenzy"])
def test_every_label_of_the_kit_has_a_face_and_no_other(game: str) -> None:
    kit = {face.label for face in load_kit(game).faces}
    assert {face.label for _, face in of_game(game)} == kit


def test_a_frenzy_deck_holds_39_cards_its_own_hero_and_three_battlefields() -> None:
    kit = load_kit("frenzy")
    for faction in Faction:
        deck = own_decks()[f"frenzy-{faction}"]
        copies = {face.label: number for face, number in deck.faces}
        assert deck.size == 42
        assert sum(copies[f"W{n}"] for n in (1, 2, 3, 4)) == 28
        assert copies["A"] + copies["Z"] + copies[faction.hero] == 11
        assert all(number <= kit.copies(label) for label, number in copies.items())
        turned = [c for c in deck.cards if isinstance(c.back, Face)]
        assert [(c.front.label, c.back.label) for c in turned] == [
            ("F1b", "F1o"),
            ("F2b", "F2o"),
            ("F3b", "F3o"),
        ]


def test_a_brawl_deck_is_a_character_with_a_sound_list_of_35() -> None:
    decks = decks_of("brawl")
    assert len(decks) >= 2
    for deck in decks:
        copies = {face.label: number for face, number in deck.faces}
        assert parse_deck({"name": deck.name, "copies": copies}).size == 35
        assert all(face.badge == f"x{copies[face.label]}" for face, _ in deck.faces)


def test_the_frantic_deck_holds_all_copies_and_marks_the_starred_ones() -> None:
    (deck,) = decks_of("frantic")
    kit = load_kit("frantic")
    assert {face.label: n for face, n in deck.faces} == {
        face.label: face.copies for face in kit.faces
    }
    assert deck.size == 147 + 34
    play = [face for face, _ in deck.faces if not face.label.startswith("E-")]
    events = [face for face, _ in deck.faces if face.label.startswith("E-")]
    for face in play:
        assert (face.badge == "star") == PlayCard(face.label).is_starred, face.label
    assert sum(face.badge == "star" for face in events) == 13
    assert len({face.index for face in events}) == len(events) == 34


@pytest.mark.parametrize("game", ["brawl", "frantic", "frenzy"])
def test_corners_tell_each_card_of_a_deck_without_colour(game: str) -> None:
    for deck in decks_of(game):
        corners = Counter((face.index, face.marks) for face, _ in deck.faces)
        assert corners.most_common(1)[0][1] == 1


def vectors(pictures: list[Bgr], blur_px: float) -> NDArray[np.float64]:
    """Return one normalised row for each thumbnail."""
    rows = []
    for bgr in pictures:
        small = cv2.resize(bgr, THUMBNAIL_PX, interpolation=cv2.INTER_AREA).astype(
            float
        )
        if blur_px:
            small = np.asarray(cv2.GaussianBlur(small, (0, 0), blur_px))
        small -= small.mean((0, 1))
        rows.append(small.ravel() / np.linalg.norm(small))
    return np.array(rows)


@pytest.fixture(scope="module")
def all_sides() -> tuple[list[Face | Back], bytes]:
    """Every face and back of every deck, and the PDF of them."""
    sides: list[Face | Back] = []
    for deck in own_decks().values():
        sides += [*(face for face, _ in deck.faces), *deck.backs]
    return sides, sides_pdf(sides, "en")


@pytest.fixture(scope="module")
def pictures(all_sides: tuple[list[Face | Back], bytes]) -> dict[Face | Back, Bgr]:
    """What they look like."""
    sides, pdf = all_sides
    return dict(zip(sides, render_all(pdf, px_per_mm=2), strict=True))


@pytest.mark.parametrize("game", ["brawl", "frantic", "frenzy"])
def test_no_two_faces_of_a_game_look_alike(
    game: str, pictures: dict[Face | Back, Bgr]
) -> None:
    faces = [face for _, face in of_game(game)]
    upright = [pictures[face] for face in faces]
    turned = [np.ascontiguousarray(bgr[::-1, ::-1]) for bgr in upright]
    for blur_px in (0.0, 2.0):
        mine = vectors(upright, blur_px)
        likeness = np.maximum(mine @ mine.T, mine @ vectors(turned, blur_px).T)
        np.fill_diagonal(likeness, -1)
        one, two = np.unravel_index(likeness.argmax(), likeness.shape)
        assert likeness.max() < MOST_ALIKE, (faces[one].label, faces[two].label)


def test_backs_differ_and_are_the_same_turned_round(
    pictures: dict[Face | Back, Bgr],
) -> None:
    backs = [back for deck in own_decks().values() for back in deck.backs]
    assert len(backs) == len(set(backs)) == 8
    mine = vectors([pictures[back] for back in backs], 0.0)
    likeness = mine @ mine.T
    np.fill_diagonal(likeness, -1)
    assert likeness.max() < MOST_ALIKE
    for back in backs:
        turned = pictures[back][::-1, ::-1].astype(int)
        assert np.abs(turned - pictures[back]).mean() < 1.0


def check_words(sides: list[Face | Back], pdf: bytes) -> None:
    for side, page in zip(sides, pypdfium2.PdfDocument(pdf), strict=True):
        text = page.get_textpage()
        if isinstance(side, Back):
            assert text.count_chars() == 0
            continue
        boxes = np.array([text.get_charbox(at) for at in range(text.count_chars())])
        left, low = boxes[:, :2].min(0) / POINTS_PER_MM
        right, high = boxes[:, 2:].max(0) / POINTS_PER_MM
        assert left > RIM_MM, side.label
        assert low > RIM_MM, side.label
        assert right < WIDTH_MM - RIM_MM, side.label
        assert high < HEIGHT_MM - RIM_MM, side.label


def test_all_words_stay_inside_the_card(
    all_sides: tuple[list[Face | Back], bytes],
) -> None:
    check_words(*all_sides)


def test_italian_words_stay_inside_the_card_and_its_text_in_its_plate() -> None:
    pen = Pen(new_canvas(BytesIO(), ""))
    sides: list[Face | Back] = [f for _, f in of_game("frantic") if f.text[1]]
    check_words(sides, sides_pdf(sides, "it"))
    for side in sides:
        assert isinstance(side, Face)
        for text in side.text:
            size, lines = fit_text(pen, text, 38.0)
            assert size >= LEAST_TEXT_MM
            assert 1.22 * size * len(lines) <= TEXT_ROOM_MM - 1.8 + 1e-6, side.label


@pytest.mark.parametrize("name", sorted(PAPERS))
def test_card_sheets_have_exact_pages_and_full_size_cards(name: str) -> None:
    paper, deck = PAPERS[name], own_decks()["frenzy-orcs"]
    grid = grid_on(paper)
    pdf = decks_pdf([deck], paper, "en")
    sizes = page_sizes_mm(pdf)
    assert len(sizes) == 2 * -(-deck.size // grid.count)
    assert np.allclose(sizes, (grid.paper.width_mm, grid.paper.height_mm), atol=0.01)
    left, low, right, high = grid.paper.free_mm
    x, y = grid.origin_mm
    assert left <= x
    assert x + grid.columns * WIDTH_MM <= right + 1e-6
    assert low <= y
    assert y + grid.rows * HEIGHT_MM <= high + 1e-6
    for page in pypdfium2.PdfDocument(pdf):
        said = page.get_textpage().get_text_range()
        assert "100 mm" in said
        assert "Print at 100 %" in said


def middle_mm(page: pypdfium2.PdfPage, words: str) -> float:
    """Return how far right of the paper's left edge some words stand."""
    text = page.get_textpage()
    at, count = text.search(words).get_next()
    boxes = np.array([text.get_charbox(i) for i in range(at, at + count)])
    return float((boxes[:, 0].min() + boxes[:, 2].max()) / 2 / POINTS_PER_MM)


def test_backs_lie_behind_their_fronts() -> None:
    """A Battlefield card is blue in front and orange behind: turned over along the long
    edge both are at the same place."""
    paper = PAPERS["a4"]
    document = pypdfium2.PdfDocument(
        decks_pdf([own_decks()["frenzy-orcs"]], paper, "en")
    )
    front, back = document[len(document) - 2], document[len(document) - 1]
    grid = grid_on(paper)
    for number in (3, 4, 5):
        x, _ = grid.place_mm(number)
        behind, _ = grid.place_mm(number, mirrored=True)
        assert x + WIDTH_MM + behind == pytest.approx(paper.width_mm)
        name = number - 2
        blue = middle_mm(front, f"Battlefield {name}, blue")
        orange = middle_mm(back, f"Battlefield {name}, orange")
        assert x < blue < x + WIDTH_MM
        assert behind < orange < behind + WIDTH_MM


def test_the_same_deck_is_the_same_file() -> None:
    deck = own_decks()["brawl-falco"]
    once = decks_pdf([deck], PAPERS["a4"], "it")
    assert once == decks_pdf([deck], PAPERS["a4"], "it")


def test_an_own_deck_is_a_gallery_that_can_be_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARBITRO_HOME", str(tmp_path / "home"))
    own_deck.cache_clear()
    gallery = own_deck("frenzy-undead")
    assert gallery.meta == {"game": "frenzy", "faction": "undead"}
    assert (gallery.width_mm, gallery.height_mm) == (WIDTH_MM, HEIGHT_MM)
    assert {face.label: face.copies for face in gallery.faces}["L"] == 3
    assert len(gallery.backs) == 1
    save_gallery(gallery, tmp_path / "deck")
    again = load_gallery(tmp_path / "deck")
    assert [face.label for face in again.faces] == [f.label for f in gallery.faces]
    own_deck.cache_clear()
    kept = own_deck("frenzy-undead")  # from the folder that the first call has filled
    for one, two in zip(kept.faces, gallery.faces, strict=True):
        assert np.array_equal(one.pictures[0], two.pictures[0])
    own_deck.cache_clear()


def test_an_unknown_deck_is_refused_with_the_names_there_are() -> None:
    assert own_deck_names() == tuple(own_decks())
    with pytest.raises(UsageError, match="frenzy-orcs"):
        own_deck("poker")
