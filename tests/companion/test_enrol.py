"""Decks of one's own: cut out, named, kept, checked, exported and taken in."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.decks.building import build, merged
from companion.decks.checks import check
from companion.decks.errors import DeckError
from companion.decks.naming import (
    BACK,
    SKIP,
    Name,
    close_to,
    named_by_file,
    read_name,
    read_names,
)
from companion.decks.places import deck_folder, open_deck
from companion.decks.suggest import colour_of, suggester
from companion.referee import game_kit
from engines.core import Kit, Sheet
from tests.support.custom_photos import Lens, photograph
from tests.support.custom_tables import Spot, TrueTable
from vision.gallery import Gallery, load_gallery

SCAN = (126, 176)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARBITRO_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def kit_of(game: str) -> Kit:
    kit = game_kit(game)
    assert kit is not None
    return kit


def run(runner: CliRunner, *arguments: object, stdin: str | None = None) -> Result:
    result = runner.invoke(main, [str(item) for item in arguments], input=stdin)
    assert "Traceback" not in result.output, result.output
    return result


def scan(number: int) -> np.ndarray:
    """Return a picture with the shape of a card, unlike any other number's."""
    rng = np.random.default_rng(number)
    small = rng.integers(0, 255, (8, 6, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(small, SCAN, interpolation=cv2.INTER_CUBIC), np.uint8)


def scans(folder: Path, names: Sequence[str]) -> Path:
    folder.mkdir()
    for number, name in enumerate(names):
        cv2.imwrite(str(folder / f"{name}.png"), scan(number))
    return folder


# Names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("R5", Name("R5")),
        (" r5 ", Name("R5")),
        ("red 5", Name("R5")),
        ("5 rosso", Name("R5")),
        ("R5*2", Name("R5", 2)),
        ("N-fy x1", Name("N-fy", 1)),
        ("back", Name(BACK)),
        ("dorso", Name(BACK)),
        ("-", Name(SKIP)),
        ("R5*0", None),
        ("R55", None),
        ("", Name(SKIP)),
    ],
)
def test_a_name_is_a_label_or_a_name_in_either_language(
    text: str, name: Name | None
) -> None:
    assert read_name(text, kit_of("frantic")) == name


def test_a_list_of_names_has_commas_lines_and_comments() -> None:
    names = read_names("W1*7, W2 # twos\n\n-\nback", kit_of("frenzy"))
    assert [name.label for name in names] == ["W1", "W2", SKIP, BACK]
    with pytest.raises(DeckError, match="W9"):
        read_names("W1, W9", kit_of("frenzy"))
    assert close_to("fre", kit_of("brawl")) == ["FREEZE"]


def test_file_names_of_scans_are_names() -> None:
    kit = kit_of("frenzy")
    assert named_by_file(Path("W1.png"), kit) == Name("W1")
    assert named_by_file(Path("W1-2.jpg"), kit) == Name("W1")
    assert named_by_file(Path("back 3.jpg"), kit) == Name(BACK)
    assert named_by_file(Path("IMG_2041.jpg"), kit) is None


def test_the_colour_of_a_card_is_told_for_suggestions() -> None:
    for letter, bgr in (
        ("R", (40, 40, 210)),
        ("G", (60, 170, 50)),
        ("B", (210, 90, 30)),
        ("Y", (30, 200, 230)),
        ("K", (60, 60, 60)),
    ):
        card = np.full((88, 63, 3), 250, np.uint8)
        card[20:70, 10:50] = bgr
        assert colour_of(card) == letter


def test_a_number_in_the_corner_is_suggested(home: Path, models: None) -> None:
    suggest = suggester(kit_of("frenzy"))
    faces = {f.label: f.pictures[0] for f in open_deck("own:frenzy-orcs").faces}
    assert suggest(faces["W4"]) == "W4"
    assert suggest(faces["W2"]) is None  # it may be a Battlefield card


# What a deck holds, and lacks


def named(*names: str, game: str = "frenzy") -> list[tuple[np.ndarray, Name]]:
    read = [read_name(name, kit_of(game)) for name in names]
    return [(scan(n), name) for n, name in enumerate(read) if name is not None]


def test_several_pictures_of_one_name_are_one_face() -> None:
    deck = build("d", kit_of("frenzy"), named("W1*7", "W1", "back", "-"), {})
    (face,) = deck.faces
    assert (face.label, len(face.pictures), face.copies) == ("W1", 2, 7)
    assert len(deck.backs) == 1
    assert deck.meta == {"game": "frenzy", "copies": "counted"}
    with pytest.raises(DeckError):
        build("d", kit_of("frenzy"), named("back", "-"), {})


def test_copies_come_from_a_box_that_is_always_the_same_or_are_assumed() -> None:
    frantic = build("d", kit_of("frantic"), named("R5", "N-fy", game="frantic"), {})
    assert [face.copies for face in frantic.faces] == [2, 1]
    assert frantic.meta["copies"] == "counted"
    assumed = build("d", kit_of("brawl"), named("Hr", game="brawl"), {})
    assert assumed.meta["copies"] == "assumed"
    meta = {"character": "Hale"}
    known = build("d", kit_of("brawl"), named("Hg", game="brawl"), meta)
    assert known.faces[0].copies == 8


def test_pictures_added_later_join_their_face() -> None:
    kit = kit_of("frenzy")
    first = build("d", kit, named("W1*7"), {"faction": "orcs"})
    second = build("d", kit, named("W1", "W2*7", "back"), {})
    both = merged(first, second)
    assert [(f.label, len(f.pictures)) for f in both.faces] == [("W1", 2), ("W2", 1)]
    assert both.meta["faction"] == "orcs"
    assert len(both.backs) == 1


def codes(deck: Gallery, game: str) -> dict[str, bool]:
    return {remark.code: remark.is_fault for remark in check(deck, kit_of(game))}


def test_what_a_deck_lacks_is_said() -> None:
    kit = kit_of("frenzy")
    labels = ["W1*7", "W2*7", "W3*7", "W4*7", "A*4", "Z*4"]
    labels += [f"F{n}{side}" for n in (1, 2, 3) for side in "bo"]
    whole = build("d", kit, named(*labels, "O*3", "back"), {"faction": "orcs"})
    assert codes(whole, "frenzy") == {}
    heroless = build("d", kit, named(*labels, "back"), {"faction": "orcs"})
    assert codes(heroless, "frenzy") == {"missing_faces": True}
    (remark,) = check(heroless, kit)
    assert "O" in remark.sentence("en")
    backless = build("d", kit, named(*labels, "O*3"), {"faction": "orcs"})
    assert codes(backless, "frenzy") == {"no_back": False}
    assert codes(whole, "brawl")["extra_label"]


@pytest.mark.parametrize("name", ["frenzy-orcs", "brawl-falco", "frantic"])
def test_our_own_decks_lack_nothing(name: str, home: Path) -> None:
    deck = open_deck(f"own:{name}")
    faults = [r for r in check(deck, kit_of(deck.meta["game"])) if r.is_fault]
    assert faults == []
    assert deck.meta["copies"] == "counted"


# The commands


def test_a_folder_of_scans_named_by_file_is_a_deck(
    runner: CliRunner, home: Path, tmp_path: Path
) -> None:
    folder = scans(tmp_path / "scans", ["W1", "W1-2", "A", "back"])
    result = run(runner, "enrol", "mine", folder, "--game", "frenzy")
    assert result.exit_code == 1, result.output  # most cards are still missing
    assert "Cards without a picture" in result.output
    deck = load_gallery(deck_folder("mine"))
    assert [(f.label, len(f.pictures)) for f in deck.faces] == [("W1", 2), ("A", 1)]
    assert (deck_folder("mine") / "contact.png").is_file()
    assert "mine" in run(runner, "decks").output

    again = run(runner, "enrol", "mine", folder, "--game", "frenzy")
    assert again.exit_code == 2
    assert "--add" in again.output
    more = scans(tmp_path / "more", ["Z"])
    run(runner, "enrol", "mine", more, "--game", "frenzy", "--add")
    assert [f.label for f in open_deck("mine").faces] == ["W1", "A", "Z"]


def test_names_are_asked_for_where_files_do_not_tell(
    runner: CliRunner, home: Path, tmp_path: Path, models: None
) -> None:
    folder = scans(tmp_path / "scans", ["img1", "img2", "img3"])
    answers = "W1\nwarrior 9\nWizard\n-\n"
    result = run(runner, "enrol", "m", folder, "--game", "frenzy", stdin=answers)
    assert "There is no such card" in result.output
    assert [face.label for face in open_deck("m").faces] == ["W1", "Z"]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("enrol", "../x", "none.jpg", "--game", "frenzy"), 1, "cannot be the name"),
        (("enrol", "x", "none.jpg", "--game", "chess"), 2, "no such game"),
        (("enrol", "x", "none.jpg", "--game", "frenzy"), 1, "no such file"),
        (("decks", "check", "none"), 1, "There is no deck none"),
        (("decks", "import", "none.zip"), 2, "none.zip"),
        (("score", "x.jpg", "--game", "frenzy", "--deck", "none"), 1, "no deck none"),
        (
            ("score", "x.jpg", "--game", "brawl", "--deck", "own:frenzy-orcs"),
            1,
            "is for frenzy",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line(
    runner: CliRunner,
    home: Path,
    arguments: tuple[str, ...],
    code: int,
    told: str,
) -> None:
    result = run(runner, *arguments)
    assert result.exit_code == code, result.output
    assert told.lower() in result.output.lower()


def test_as_many_names_as_cards_are_needed(
    runner: CliRunner, home: Path, tmp_path: Path
) -> None:
    folder = scans(tmp_path / "scans", ["W1", "A"])
    result = run(runner, "enrol", "m", folder, "--game", "frenzy", "--names", "W1,A,Z")
    assert result.exit_code == 2
    assert "2 cards were cut out, but 3 names" in result.output


def test_faces_that_look_alike_are_shown_as_pairs(
    runner: CliRunner, home: Path, tmp_path: Path
) -> None:
    folder = scans(tmp_path / "scans", ["W1", "W2", "A"])
    cv2.imwrite(str(folder / "W3.png"), cv2.GaussianBlur(scan(0), (0, 0), 1.0))
    result = run(runner, "enrol", "m", folder, "--game", "frenzy")
    assert "W1 and W3 look alike" in result.output
    assert "W1 and W2" not in result.output
    assert (deck_folder("m") / "look-alikes.png").is_file()


def test_two_decks_that_look_alike_are_told_with_the_pair(
    runner: CliRunner, home: Path, tmp_path: Path
) -> None:
    first = scans(tmp_path / "first", ["W1", "W2", "A"])
    run(runner, "enrol", "red", first, "--game", "frenzy")
    second = scans(tmp_path / "second", ["W1"])
    result = run(runner, "enrol", "green", second, "--game", "frenzy")
    assert "look like cards of the deck red: 1 (W1 ~ W1)" in result.output
    assert (deck_folder("green") / "look-alikes.png").is_file()
    again = run(runner, "decks", "check", "red")
    assert "look like cards of the deck green: 1 (W1 ~ W1)" in again.output


def test_a_deck_travels_in_one_zip(
    runner: CliRunner, home: Path, tmp_path: Path
) -> None:
    folder = scans(tmp_path / "scans", ["W1", "A", "back"])
    run(runner, "enrol", "mine", folder, "--game", "frenzy")
    packed = tmp_path / "friend.zip"
    assert run(runner, "decks", "export", "mine", packed).exit_code == 0
    assert run(runner, "decks", "import", packed).exit_code == 0
    copy, deck = open_deck("friend"), open_deck("mine")
    assert [face.label for face in copy.faces] == [face.label for face in deck.faces]
    assert copy.name == "friend"
    assert np.array_equal(copy.faces[0].pictures[0], deck.faces[0].pictures[0])
    assert run(runner, "decks", "import", packed).exit_code == 2


def test_a_zip_from_a_stranger_stays_in_its_folder(
    runner: CliRunner, home: Path, tmp_path: Path
) -> None:
    evil = tmp_path / "evil.zip"
    with zipfile.ZipFile(evil, "w") as archive:
        archive.writestr("../../outside.txt", "x")
    result = run(runner, "decks", "import", evil)
    assert result.exit_code == 1
    assert not list(tmp_path.rglob("outside.txt"))
    assert not deck_folder("evil").exists()


def test_nine_cards_are_cut_out_of_a_photo_in_reading_order(
    home: Path, tmp_path: Path, runner: CliRunner, models: None
) -> None:
    own = open_deck("own:frenzy-orcs")
    labels = [face.label for face in own.faces][:9]
    rng = np.random.default_rng(3)
    spots = tuple(
        Spot(
            label,
            (n % 3) * 78 + float(rng.normal(0, 2)),
            -(n // 3) * 104 + float(rng.normal(0, 2)),
            90 + float(rng.normal(0, 3)),
        )
        for n, label in enumerate(labels)
    )
    table = TrueTable("frenzy", spots, {}, Sheet("frenzy", ()))
    bgr, _ = photograph(table, [own], rng, Lens((1600, 1200), 8, 0, 1))
    photo = tmp_path / "nine.jpg"
    cv2.imwrite(str(photo), bgr)
    names = ",".join(labels)
    run(runner, "enrol", "o", photo, "--game", "frenzy", "--names", names)
    cut = {face.label: face.pictures[0] for face in open_deck("o").faces}
    assert sorted(cut) == sorted(labels)
    for face in own.faces[:9]:
        assert likeness(cut[face.label], face.pictures[0]) > 0.9, face.label


def likeness(one: np.ndarray, other: np.ndarray) -> float:
    """Return the correlation of two pictures at a tenth of a card's size."""
    small = [
        cv2.resize(p, (63, 88), interpolation=cv2.INTER_AREA).astype(float).ravel()
        for p in (one, other)
    ]
    return float(np.corrcoef(small)[0, 1])


def test_decks_are_listed_with_game_and_owner(runner: CliRunner, home: Path) -> None:
    lines = run(runner, "decks").output.splitlines()
    (orcs,) = [line for line in lines if line.startswith("own:frenzy-orcs")]
    assert orcs.split() == ["own:frenzy-orcs", "frenzy", "13", "orcs"]
    assert json.dumps(lines)
