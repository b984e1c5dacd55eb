"""What is asked about stays in view while nobody answers, though it is covered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from companion.ledger import open_ledger
from companion.watching.messages import Seen
from companion.watching.playing import Playing
from engines.frenzy.cards import Zone
from tests.companion.tables import Laid, observation
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


def test_what_came_on_an_unread_card_is_played_and_that_stays_asked_about(
    tmp_path: Path,
) -> None:
    """Frenzy forgot the question when the next card came, and with it the card."""
    with open_ledger(tmp_path / "frenzy.db") as ledger:
        table = ledger.create_table("frenzy", {"firstPlayer": "P1"})
        now = datetime.now(UTC)
        for number, move in enumerate(("P1 turn F1 @0", "P2 go @1"), 1):
            ledger.append(
                table.id, number, move, source="page", actor="Ada", taken_at=now
            )
        playing = Playing(ledger, table.id)
        playing.see(battle({"c1": "W1"}))
        playing.see(battle({"c1": "W1", "c2": None}, ("c2", "laid")))
        assert [question.id for question in playing.questions] == ["card.P1.B1"]
        covered = ("c2", "covered"), ("c3", "laid")
        calls = playing.see(battle({"c3": "W4"}, *covered))
        assert [call.event.move.split(" @")[0] for call in calls] == [
            "P1 play W4 P1.B1 #c3"
        ]
        assert [question.id for question in playing.questions] == ["card.P1.B1"]
        playing.answer("card.P1.B1", "A", "Ada")
        pile = playing.live.state.players[0].pile(Zone.B1)
        assert [laid.card for laid in pile] == ["W4", "A", "W1"]
        assert playing.questions == ()
