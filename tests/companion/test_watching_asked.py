"""What is asked about stays in view while nobody answers, though it is covered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from companion.ledger import open_ledger
from companion.watching.asked import with_asked
from companion.watching.messages import Seen
from companion.watching.playing import Playing
from engines.core import Seat
from engines.frenzy.cards import Region, Zone
from tests.companion.tables import Laid, observation
from tests.support.following import compared, follow
from tests.support.rounds import MAKERS
from vision.unseen import Unseen
from vision.views import View

PILE = Laid(None, -42, 0, back=True)


ROW = [
    Laid(f"F{number}{face}", x, 0)
    for number, face, x in ((1, "o", -92), (2, "b", 0), (3, "b", 92))
]


def battle(cards: Mapping[str, str | None], *changes: tuple[str, str]) -> Seen:
    """Return Frenzy's row, and the cards of these pieces on the first player's first
    Battlefield, upper ones last."""
    laid = [Laid(label, -92, -97) for label in cards.values()]
    table = observation([*ROW, *laid])
    ids = ["f1", "f2", "f3", *cards]
    lying = tuple(
        replace(placement, id=id_, order=number, deck="frenzy")
        for number, (id_, placement) in enumerate(
            zip(ids, table.placements, strict=True)
        )
    )
    return Seen(View(replace(table, placements=lying), 0.0, changes), b"", b"")


def seen(cards: Mapping[str, str], *changes: tuple[str, str]) -> Seen:
    """Return the draw pile, and the discard pile of these pieces, upper ones last."""
    table = observation([PILE, *(Laid(label, 42, 0) for label in cards.values())])
    lying = tuple(
        replace(placement, id=id_, order=number, deck="frantic")
        for number, (id_, placement) in enumerate(
            zip(["b1", *cards], table.placements, strict=True)
        )
    )
    return Seen(View(replace(table, placements=lying), 0.0, changes), b"", b"")


@pytest.fixture
def playing(tmp_path: Path) -> Iterator[Playing]:
    """Yield a table of Frantic on which hands were dealt."""
    with open_ledger(tmp_path / "frantic.db") as ledger:
        table = ledger.create_table("frantic", {"players": 3})
        now = datetime.now(UTC)
        ledger.append(table.id, 1, "deal ?", source="page", actor="Ada", taken_at=now)
        yield Playing(ledger, table.id)


def alone(cards: Mapping[str, str], *changes: tuple[str, str]) -> Seen:
    """Return the same where the draw pile was overlooked."""
    view = seen(cards, *changes).view
    lying = view.observation.placements[1:]
    observation = replace(view.observation, placements=lying)
    return Seen(replace(view, observation=observation), b"", b"")


def test_what_is_laid_on_the_one_card_that_is_known_is_new(playing: Playing) -> None:
    """A Fantastic was laid just on the only piece that lay there: all pieces were new,
    so the table seemed to be read for the first time, and the play was lost in silence
    (Frantic 5700)."""
    playing.see(alone({"c1": "G5"}))
    playing.see(alone({"c2": "G5"}, ("c1", "covered"), ("c2", "laid")))
    assert playing.questions[0].id == "same-face"
    assert playing.questions[0].pieces == ("c2",)
    memory = json.loads(json.dumps(playing.memory()))
    again = Playing(playing.ledger, playing.table_id)
    again.resume(alone({"c2": "G5"}), memory)
    assert again.questions[0].pieces == ("c2",)


@pytest.mark.parametrize(
    ("answer", "moves"),
    [
        (1, ["p2 play Y9", "p3 play Y9", "p1 play Y7"]),
        (0, ["p2 play Y9", "p3 play Y7"]),
    ],
)
def test_a_card_that_came_on_one_that_is_asked_about_is_played_by_whose_turn_it_was(
    playing: Playing, answer: int, moves: list[str]
) -> None:
    """It was taken for the play of who may have laid the one below (Frantic)."""
    playing.see(seen({"c1": "Y4"}))
    playing.see(seen({"c1": "Y4", "c2": "Y9"}))
    playing.see(seen({"c3": "Y9"}, ("c2", "covered"), ("c3", "laid")))
    assert playing.questions[0].id == "same-face"
    playing.see(seen({"c4": "Y7"}, ("c3", "covered"), ("c4", "laid")))
    assert playing.questions[0].pieces == ("c3",)
    options = [option.value for option in playing.questions[0].options]
    playing.answer("same-face", options[answer], "Ada")
    played = [event.move for event in playing.ledger.events(playing.table_id)]
    assert [move for move in played if "play" in move] == moves


def test_what_was_taken_away_is_asked_about_no_more(playing: Playing) -> None:
    playing.see(seen({"c1": "Y4"}))
    playing.see(seen({"c3": "Y4"}, ("c1", "covered"), ("c3", "laid")))
    assert playing.questions[0].pieces == ("c3",)
    playing.see(seen({"c1": "Y4"}, ("c3", "gone"), ("c1", "uncovered")))
    assert "same-face" not in {question.id for question in playing.questions}


@pytest.mark.parametrize(
    ("answer", "moves"),
    [
        ("Y3", ["p2 play Y9", "p3 play Y3", "p1 play Y7"]),
        ("none", ["p2 play Y9", "p3 play Y7"]),
    ],
)
def test_a_refused_card_is_asked_about_and_what_came_on_it_waits(
    playing: Playing, answer: str, moves: list[str]
) -> None:
    """It was read for another one, or is a strip of one below (Frantic 5248): nothing
    after it was played, and nobody was asked."""
    playing.see(seen({"c1": "Y4"}))
    playing.see(seen({"c1": "Y4", "c2": "Y9"}))
    playing.see(seen({"c2": "Y9", "c3": "B3"}, ("c1", "covered"), ("c3", "laid")))
    assert playing.questions[0].pieces == ("c3",)
    playing.see(seen({"c4": "Y7"}, ("c3", "covered"), ("c4", "laid")))
    assert [q.pieces for q in playing.questions].count(("c3",)) == 1
    playing.answer(playing.questions[0].id, answer, "Ada")
    assert upheld(playing) == moves
    assert not any(question.pieces for question in playing.questions)


def test_a_refused_card_that_is_taken_up_again_is_asked_about_no_more(
    playing: Playing,
) -> None:
    playing.see(seen({"c1": "Y4"}))
    playing.see(seen({"c1": "Y4", "c2": "Y9"}))
    playing.see(seen({"c2": "Y9", "c3": "B3"}, ("c3", "laid")))
    playing.answer(playing.questions[0].id, "restore", "Ada")
    assert not any(question.pieces for question in playing.questions)
    playing.see(seen({"c2": "Y9"}, ("c3", "gone")))
    playing.see(seen({"c2": "Y9", "c4": "Y7"}, ("c4", "laid")))
    assert upheld(playing) == ["p2 play Y9", "p3 play Y7"]


@pytest.fixture
def regicide(tmp_path: Path) -> Iterator[Playing]:
    """Yield a fight against the Jack of spades; the first player must suffer 10."""
    begun = ("castle ?", "reveal Js", "tavern ?", "start 0", "0: play 9h")
    with open_ledger(tmp_path / "regicide.db") as ledger:
        table = ledger.create_table("regicide", {"players": 2})
        now = datetime.now(UTC)
        for number, move in enumerate(begun, 1):
            ledger.append(
                table.id, number, move, source="page", actor="Ada", taken_at=now
            )
        yield Playing(ledger, table.id)


def fight(cards: Mapping[str, Laid], *changes: tuple[str, str]) -> Seen:
    """Return the enemy and the first play, and these pieces, upper ones last."""
    laid = {"c1": Laid("Js", 0, 0), "c2": Laid("9h", 0, -160), **cards}
    table = observation(laid.values())
    lying = tuple(
        replace(placement, id=id_)
        for id_, placement in zip(laid, table.placements, strict=True)
    )
    return Seen(View(replace(table, placements=lying), 0.0, changes), b"", b"")


def test_a_discard_that_is_covered_before_anybody_answers_is_not_forgotten(
    regicide: Playing,
) -> None:
    """No pile was seen and hearts were played (Regicide 5415, 5423, 5480): the next
    card was asked about alone, and the attack was never suffered."""
    regicide.see(fight({"c3": Laid("6h", -230, 0)}))
    assert [q.pieces for q in regicide.questions if q.pieces] == [("c3",)]
    covered = ("c3", "covered"), ("c4", "laid")
    regicide.see(fight({"c4": Laid("4h", -230, 0)}, *covered))
    assert [q.pieces for q in regicide.questions if q.pieces] == [("c3", "c4")]
    regicide.answer("discarded", "0: discard 6h 4h", "Ada")
    assert not any(question.pieces for question in regicide.questions)
    cards = {"c4": Laid("4h", -230, 0), "c5": Laid("10c", 0, 160)}
    regicide.see(fight(cards, ("c5", "laid")))
    assert upheld(regicide) == ["0: play 9h", "1: play 10c"]


def test_an_answer_that_was_refused_is_not_asked_for_again(regicide: Playing) -> None:
    """People gave the same answer twice a second, without end."""
    view = fight({"c3": Laid("10c", 0, 160)})
    regicide.see(view)
    asked = regicide.questions[0]
    discard, play, before = (option.value for option in asked.options)
    assert (discard, play, before) == ("0: discard 10c", "1: play 10c", "before")
    (call,) = regicide.answer(asked.id, "1: play 10c", "Ada")
    assert not call.is_upheld
    assert [o.value for o in regicide.questions[0].options] == [discard, before]
    regicide.see(view)
    assert [o.value for o in regicide.questions[0].options] == [discard, before]
    regicide.answer("suffer", "0: cover 1", "Ada")
    assert upheld(regicide) == ["0: play 9h", "1: play 10c"]


def upheld(playing: Playing) -> list[str]:
    """Return the plays that stand."""
    refused = playing.live.refused
    events = playing.ledger.events(playing.table_id)
    return [e.move for e in events if "play" in e.move and e.seq not in refused]


@pytest.fixture
def frenzy(tmp_path: Path) -> Iterator[Playing]:
    """Yield a battle of Frenzy."""
    with open_ledger(tmp_path / "frenzy.db") as ledger:
        table = ledger.create_table("frenzy", {"firstPlayer": "P1"})
        now = datetime.now(UTC)
        for number, move in enumerate(("P1 turn F1 @0", "P2 go @1"), 1):
            ledger.append(
                table.id, number, move, source="page", actor="Ada", taken_at=now
            )
        yield Playing(ledger, table.id)


def first_pile(playing: Playing) -> list[str]:
    """Return what the first player has laid on the first Battlefield, from the top."""
    pile = playing.live.state.players[0].pile(Zone.B1)
    return [str(laid.card) for laid in pile]


def restarted(playing: Playing) -> Playing:
    """Return the same table as the next process finds it."""
    memory = json.loads(json.dumps(playing.memory()))
    later = Playing(playing.ledger, playing.table_id)
    later.recall(memory)
    return later


def test_what_came_on_an_unread_card_is_played_and_that_stays_asked_about(
    frenzy: Playing,
) -> None:
    """Frenzy forgot the question when the next card came, and with it the card."""
    frenzy.see(battle({"c1": "W1"}))
    frenzy.see(battle({"c1": "W1", "c2": None}, ("c2", "laid")))
    assert [question.id for question in frenzy.questions] == ["card.P1.B1"]
    covered = ("c2", "covered"), ("c3", "laid")
    calls = frenzy.see(battle({"c3": "W4"}, *covered))
    assert [call.event.move.split(" @")[0] for call in calls] == [
        "P1 play W4 P1.B1 #c3"
    ]
    assert [question.id for question in frenzy.questions] == ["card.P1.B1"]
    frenzy.answer("card.P1.B1", "A", "Ada")
    assert first_pile(frenzy) == ["W4", "A", "W1"]
    assert frenzy.questions == ()


def test_a_second_unread_card_is_kept_beside_the_first(frenzy: Playing) -> None:
    """Of two in a row on one pile the first was forgotten when the second came."""
    frenzy.see(battle({"c1": "W1"}))
    frenzy.see(battle({"c1": "W1", "c2": None}, ("c2", "laid")))
    frenzy.see(battle({"c3": None}, ("c2", "covered"), ("c3", "laid")))
    frenzy.see(battle({"c4": "W4"}, ("c3", "covered"), ("c4", "laid")))
    asked = {question.pieces: question.id for question in frenzy.questions}
    assert set(asked) == {("c2",), ("c3",)}
    frenzy.answer(asked["c3",], "K", "Ada")
    frenzy.see(battle({"c5": "W2"}, ("c4", "covered"), ("c5", "laid")))
    frenzy.answer(asked["c2",], "A", "Ada")
    assert first_pile(frenzy) == ["W2", "W4", "K", "A", "W1"]
    assert frenzy.questions == ()


@pytest.mark.parametrize("told", list(permutations("AKO")))
def test_three_unread_cards_keep_their_order_in_whichever_one_they_are_told_of(
    frenzy: Playing, told: tuple[str, ...]
) -> None:
    """They came in one gap: told of as lowest, top and middle, the last two changed
    places in silence."""
    names = {"c2": "A", "c3": "K", "c4": "O"}
    frenzy.see(battle({"c1": "W1"}))
    frenzy.see(battle(dict.fromkeys(names), *((id_, "laid") for id_ in names)))
    frenzy.see(battle({"c5": "W4"}, *((id_, "covered") for id_ in names)))
    for name in told:
        (piece,) = (id_ for id_, known in names.items() if known == name)
        (asked,) = (q.id for q in frenzy.questions if q.pieces == (piece,))
        frenzy.answer(asked, name, "Ada")
    assert first_pile(frenzy) == ["W4", "O", "K", "A", "W1"]
    assert frenzy.questions == ()


def test_what_is_asked_about_a_covered_card_outlives_the_process(
    frenzy: Playing,
) -> None:
    """Who restarted the server lost the question, and with it the card; the next eye
    calls what lies there as it likes."""
    frenzy.see(battle({"c1": "W1"}))
    frenzy.see(battle({"c1": "W1", "c2": None}, ("c2", "laid")))
    frenzy.see(battle({"c3": "W4"}, ("c2", "covered"), ("c3", "laid")))
    later = restarted(frenzy)
    assert later.questions == frenzy.questions
    assert later.see(battle({"c2": "W4"}, ("c2", "laid"))) == ()
    assert later.questions == frenzy.questions
    later.see(battle({"c4": "W2"}, ("c2", "covered"), ("c4", "laid")))
    later = restarted(later)
    later.see(battle({"c1": "W2"}, ("c1", "laid")))
    assert [question.id for question in later.questions] == ["card.P1.B1"]
    later.answer("card.P1.B1", "A", "Ada")
    assert first_pile(later) == ["W2", "W4", "A", "W1"]
    assert later.questions == ()


def test_what_lay_there_before_a_restart_is_not_asked_about_again(
    frenzy: Playing,
) -> None:
    """Another eye's first card had the name of one below: that seemed to be gone."""
    frenzy.see(battle({}))
    frenzy.see(battle({"c1": "W1"}, ("c1", "laid")))
    frenzy.see(battle({"c2": "W4"}, ("c1", "covered"), ("c2", "laid")))
    later = restarted(frenzy)
    assert later.see(battle({"c1": "W4"}, ("c1", "laid"))) == ()
    assert later.questions == ()
    later.see(battle({"c2": "W3"}, ("c1", "covered"), ("c2", "laid")))
    assert first_pile(later) == ["W3", "W4", "W1"]


def unseen(view: Seen, piece: str) -> Seen:
    """Return the view with the place of the `piece` not seen yet, and without it."""
    scale, cells = 4.0, np.zeros((200, 320), bool)
    lying = view.view.observation.placements
    (hidden,) = (one for one in lying if one.id == piece)
    middle = np.array(hidden.quad_px).mean(axis=0)
    x, y = (int(value / scale) for value in middle)
    cells[max(0, y - 15) : y + 15, max(0, x - 15) : x + 15] = True
    observed = replace(
        view.view.observation, placements=tuple(p for p in lying if p is not hidden)
    )
    hole = Unseen.of(cells, scale)
    return replace(view, view=replace(view.view, observation=observed, unseen=hole))


def test_what_a_hand_hides_when_another_eye_begins_lies_there_still(
    frenzy: Playing,
) -> None:
    """It was taken for gone, and moves came of it (Frenzy 7103, Brawl 7103)."""
    frenzy.see(battle({}))
    frenzy.see(battle({"c1": "W1"}, ("c1", "laid")))
    later = restarted(frenzy)
    assert later.see(unseen(battle({"c7": "W1"}), "c7")) == ()
    assert later.questions == ()
    assert [
        piece.id for piece in later.lying.shown if piece.identity.label == "W1"
    ] == ["c1"]
    assert later.see(battle({"c8": "W1"}, ("c8", "laid"))) == ()
    assert "c1" in later.lying.ids
    assert first_pile(later) == ["W1"]


def test_what_is_not_there_once_its_place_is_seen_is_asked_about(
    frenzy: Playing,
) -> None:
    frenzy.see(battle({}))
    frenzy.see(battle({"c1": "W1"}, ("c1", "laid")))
    later = restarted(frenzy)
    later.see(unseen(battle({"c7": "W1"}), "c7"))
    later.see(battle({}))
    assert [question.id for question in later.questions] == ["gone.P1.B1"]


def test_a_card_that_a_hand_hides_in_part_is_what_lay_there(frenzy: Playing) -> None:
    frenzy.see(battle({}))
    frenzy.see(battle({"c1": "W1"}, ("c1", "laid")))
    later = restarted(frenzy)
    half = battle({"c7": None})
    hole = unseen(half, "c7").view.unseen
    assert later.see(replace(half, view=replace(half.view, unseen=hole))) == ()
    assert later.see(battle({"c7": "W1"}, ("c7", "named"))) == ()
    assert first_pile(later) == ["W1"]
    assert later.questions == ()


def test_a_card_that_another_took_the_place_of_meanwhile_is_asked_about(
    frenzy: Playing,
) -> None:
    frenzy.see(battle({}))
    frenzy.see(battle({"c1": "W1"}, ("c1", "laid")))
    far = battle({"c1": "W1"}, ("c1", "laid"))
    *row, card = far.view.observation.placements
    quad = tuple((x + 40.0, y) for x, y in card.quad_px)
    moved = replace(
        far.view.observation, placements=(*row, replace(card, quad_px=quad))
    )
    later = restarted(frenzy)
    later.see(replace(far, view=replace(far.view, observation=moved)))
    assert [question.id for question in later.questions] == ["same.P1.B1"]


def test_what_is_asked_about_stays_below_what_lay_on_it() -> None:
    """It came to lie on top of that when it was carried on for the second time."""
    both = battle({"c1": "W1", "c2": None})
    covered = with_asked(battle({"c3": "W4"}, ("c3", "laid")), both, {"c2"})
    again = with_asked(battle({"c3": "W4"}), covered, {"c2"})
    lying = sorted(again.view.observation.placements, key=lambda one: one.order)
    assert [one.id for one in lying] == ["f1", "f2", "f3", "c2", "c3"]


def test_a_view_is_laid_out_once_however_often_the_game_is_asked(
    frenzy: Playing,
) -> None:
    frenzy.see(battle({"c1": "W1"}))
    first = frenzy.lying.snapshot(frenzy.live, ())
    assert frenzy.lying.snapshot(frenzy.live, ()).piles is first.piles
    frenzy.put_right("c1", "W2", "Ada")
    again = frenzy.lying.snapshot(frenzy.live, ())
    assert again.pile(Region(Seat(0), Zone.B1)).cards[0].card == "W2"


@pytest.mark.parametrize(
    ("game", "seed", "at_s"),
    [
        ("brawl", 7000, 7.0),  # strips of chains that the next eye overlooked
        ("brawl", 7002, 10.5),
        ("frenzy", 7000, 9.4),
        ("regicide", 7000, 12.5),
        ("brawl", 7103, 3.9),  # it began as a hand came
        ("frenzy", 7102, 6.0),
        ("frenzy", 7103, 6.5),
    ],
)
def test_a_round_is_followed_on_by_the_next_process(
    tmp_path: Path, game: str, seed: int, at_s: float
) -> None:
    """Moves were lost and invented, and questions came that nobody had to ask."""
    made = MAKERS[game](seed)
    on = follow(made, tmp_path, seed=seed, reading_s=0.1)
    (tmp_path / "again").mkdir()
    again = follow(made, tmp_path / "again", seed=seed, reading_s=0.1, restart_s=at_s)
    assert compared(on.moves, again.moves)[1:] == (0, 0)
    assert again.asked == on.asked
    assert {one.id for one in again.open} == {one.id for one in on.open}
