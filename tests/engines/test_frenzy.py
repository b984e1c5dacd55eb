"""Every vector of the rules file, run against the engine: live, and from one photo."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from engines.core import Question, Seat, Verdict
from engines.frenzy import GAME, State
from engines.frenzy.cards import SEATS, ZONES, Card, Owned, Zone, seat_name
from engines.frenzy.census import Census
from engines.frenzy.layout import laid_out
from engines.frenzy.outcome import final
from engines.frenzy.state import Phase
from tests.support.frenzy import (
    Table,
    after,
    answered,
    battle,
    ended,
    judge,
    options,
    refusal,
    snapshot,
    with_deck,
    with_piles,
)

Vector = Mapping[str, Any]
CASES = Path(__file__).parent.parent / "cases" / "frenzy.json"
VECTORS: list[Vector] = json.loads(CASES.read_text(encoding="utf-8"))
ROUNDS = [vector for vector in VECTORS if vector["id"].startswith("FZ-")]
OTHERS = [vector for vector in VECTORS if vector["id"].startswith("FT-")]


def by_id(vectors: list[Vector]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", vectors, ids=lambda vector: vector["id"])


def labels(cards: tuple[Owned, ...]) -> list[str]:
    return sorted(owned.card.value for owned in cards)


def test_all_39_vectors_are_here() -> None:
    assert len(ROUNDS) == 26
    assert len(OTHERS) == 13


# Rounds


@by_id(ROUNDS)
def test_round_played_live(vector: Vector) -> None:
    picks = list(vector.get("wizardPicks", ()))
    copies = vector.get("copies", {})

    def choose(question: Question) -> str:
        kind, _, rest = question.id.partition(".")
        if kind == "copy":
            player, number = rest.split(".")
            return str(copies[player][number])
        if kind == "pick":
            return str(picks.pop(0))
        assert question.default is not None, question.id
        return question.default

    state = ended(
        vector["battle"],
        vector["supply"],
        before=vector.get("pileBefore"),
        **vector.get("options", {}),
    )
    state = answered(state, choose)
    assert not picks
    expect = dict(vector["expect"])
    report = state.reports[-1].spoils
    found: dict[str, object] = {
        "order": [each.number for each in report],
        "winners": [
            None if each.winner is None else seat_name(each.winner)
            for each in sorted(report, key=lambda each: each.number)
        ],
    }
    for key, value in (
        ("points", [player.points for player in state.players]),
        ("piles", [labels(player.score) for player in state.players]),
        ("removed", [labels(player.removed) for player in state.players]),
    ):
        found[key] = dict(zip(("P1", "P2"), value, strict=True))
    assert {key: found[key] for key in expect} == expect


@by_id(ROUNDS)
def test_round_from_one_photo(vector: Vector) -> None:
    before = vector.get("pileBefore")
    answers = {
        f"copy.{player}.{number}": source
        for player, choices in vector.get("copies", {}).items()
        for number, source in choices.items()
    }
    for place, pick in enumerate(vector.get("wizardPicks", ()), start=1):
        answers[f"pick.{place}"] = pick
    piles = {}
    for seat in SEATS:
        name = seat_name(seat)
        answers[f"pile.{name}"] = " ".join((before or {}).get(name, ())) or "-"
        for place, label in enumerate(vector["battle"][name], start=1):
            if label != "-":
                piles[f"{name}_B{place}"] = label
        for place, cards in enumerate(vector["supply"][name], start=1):
            if cards:
                piles[f"{name}_S{place}"] = cards[0]
            second = cards[1] if len(cards) > 1 else "-"
            answers[f"second.{name}.S{place}"] = second
    look = snapshot(2 if before else 1, **piles)
    sheet = GAME.score_table(look, options(**vector.get("options", {})), answers)
    assert {question.id for question in sheet.questions} <= {
        "order",
        "emptyPile",
        "bodyguardIsWarriorForAssassin",
    }
    assert all(question.default is not None for question in sheet.questions)
    figures = sheet.figures()
    expect = vector["expect"]
    winners = [figures[f"F{number}"]["winner"] for number in (1, 2, 3)]
    if "winners" in expect:
        assert winners == [winner or "nobody" for winner in expect["winners"]]
    for player in ("P1", "P2"):
        row = figures[player]
        if "points" in expect:
            assert row["points"] == expect["points"][player]
            assert figures["total"][player] == expect["points"][player]
        if "piles" in expect:
            assert row["pile"] == expect["piles"][player]
        if "removed" in expect:
            assert row["removed"] == expect["removed"][player]
    if "order" in expect:
        assert figures["total"]["order"] == [f"F{n}" for n in expect["order"]]


# Timing and the match


def two_heroes(seat: int = 0) -> State:
    return with_piles(battle(), **{f"P{seat + 1}_HQ": "A Z"})


def ft_01(vector: Vector) -> None:
    state = after(with_piles(two_heroes(), P2_B2="W2"), "P2 lay W4 P2.B2 @2000")
    decks = [player.deck for player in state.players]
    state = after(state, "P1 play A P1.HQ @3000")
    expect = vector["expect"]
    assert (state.phase is Phase.ENDED) is expect["ended"]
    assert state.players[1].top(Zone.B2) == expect["top"]["P2.B2"]
    assert state.end is not None
    back = [e.laid.card for e in state.end.returned if e.laid and e.seat == SEATS[1]]
    assert back == expect["backToDeck"]["P2"]
    assert state.players[1].deck == (decks[1] or 0) + 1


def ft_02(vector: Vector) -> None:
    state = after(two_heroes(), "P1 lay A P1.HQ @3000")
    assert (state.phase is Phase.ENDED) is vector["expect"]["ended"]
    assert after(state, "P1 release @3500").phase is Phase.ENDED


def ft_03(vector: Vector) -> None:
    state = after(with_deck(battle(), SEATS[0], 1), "P1 draw @2000")
    assert state.players[0].deck == 0
    assert (state.phase is Phase.ENDED) is vector["expect"]["ended"]


def ft_04(vector: Vector) -> None:
    for zone in ZONES:  # on any region
        state = after(
            with_deck(battle(), SEATS[0], 1),
            "P1 draw @2000",
            f"P1 lay A P1.{zone} @2500",
        )
        assert state.phase is Phase.BATTLE
        state = after(state, "P1 release @3000")
        assert (state.phase is Phase.ENDED) is vector["expect"]["ended"]


def ft_05(vector: Vector) -> None:
    state = after(battle(), "P1 play A P1.HQ @2000")
    assert refusal(state, "P1 play W2 P1.HQ @3000") == vector["expect"]["foul"]
    state = after(state, "REF foul P1 F-E W2 @3000", "P1 play Z P1.HQ @4000")
    assert [laid.card for laid in state.players[0].pile(Zone.HQ)] == ["Z", "W2", "A"]
    assert state.players[0].heroes == vector["expect"]["heroes"]
    assert (state.phase is Phase.ENDED) is vector["expect"]["ended"]


def ft_06(vector: Vector) -> None:
    state = after(battle(), "P1 draw @2000")
    assert refusal(state, "P1 draw @2500") == vector["expect"]["foul"]
    state = after(battle(), "P1 lay W4 P1.B1 @2000")
    assert refusal(state, "P1 draw @2500") == vector["expect"]["foul"]


def ft_07(vector: Vector) -> None:
    piles = {"P1": ["W4"] * 5, "P2": ["W3"]}
    assert vector["score"] == {"P1": 20, "P2": 3}
    blank = {"P1": ["-"] * 3, "P2": ["-"] * 3}
    no_supply: dict[str, list[list[str]]] = {"P1": [[]] * 3, "P2": [[]] * 3}
    state = answered(
        ended(blank, no_supply, before=piles),
        lambda question: question.default or "",
    )
    state = after(state, "P1 turn F2 @30", "P2 go @40", "REF upset P2.B1 @50")
    assert GAME.outcome(state) is None
    state = after(state, f"REF blame {vector['by']} @60")
    outcome = GAME.outcome(state)
    assert outcome is not None
    winners = [seat_name(seat) for seat in outcome.winners]
    assert winners == [vector["expect"]["matchWinner"]]


def piles_of(vector: Vector) -> tuple[tuple[Owned, ...], tuple[Owned, ...]]:
    first, second = (
        tuple(Owned(Card(label), Seat(0)) for label in vector["piles"][player])
        for player in ("P1", "P2")
    )
    return first, second


def ft_08(vector: Vector) -> None:
    outcome = final(piles_of(vector))
    winners = [seat_name(seat) for seat in outcome.winners]
    assert winners == [vector["expect"]["winner"]]
    assert vector["expect"]["reason"] in str(outcome.reason)


def ft_09(vector: Vector) -> None:
    assert vector["expect"]["winner"] is None
    outcome = final(piles_of(vector))
    assert outcome.winners == ()
    assert "nobody wins" in str(outcome.reason)


def ft_10(vector: Vector) -> None:
    state = ended(
        {"P1": ["W4", "W1", "W1"], "P2": ["W3", "W2", "W2"]},
        {"P1": [["W1"], ["W2"], ["W3"]], "P2": [[], [], []]},
        hq={"P1": ["A", "Z", "A"]},
    )
    state = answered(state, lambda question: question.default or "")
    assert [each.winner for each in state.reports[-1].spoils] == [0, 1, 1]
    assert state.players[0].deck == vector["expect"]["nextDeck"]


def ft_11(vector: Vector) -> None:
    table = Table()
    pieces = [
        table.piece(name, f"{name}{'o' if face == 'orange' else 'b'}")
        for name, face in vector["faces"].items()
    ]
    look = laid_out(pieces, options())
    assert look.round == vector["expect"]["round"]


def ft_12(vector: Vector) -> None:
    census = Census.of(vector["census"])
    assert (census.findings() == ()) is vector["expect"]["valid"]
    assert options(census={"P1": vector["census"]}).census[0] == census


def ft_13(vector: Vector) -> None:
    assert (Census.of(vector["census"]).findings() == ()) is vector["expect"]["valid"]
    said = str(Census.of(vector["census"]).findings()[0].text)
    assert said == "A deck holds 28 Warriors, not 32."


TIMED: Mapping[str, Callable[[Vector], None]] = {
    f"FT-{number:02}": check
    for number, check in enumerate(
        (
            ft_01,
            ft_02,
            ft_03,
            ft_04,
            ft_05,
            ft_06,
            ft_07,
            ft_08,
            ft_09,
            ft_10,
            ft_11,
            ft_12,
            ft_13,
        ),
        start=1,
    )
}


@by_id(OTHERS)
def test_timing_and_match(vector: Vector) -> None:
    TIMED[vector["id"]](vector)


def test_the_trigger_is_told_in_the_ruling() -> None:
    ruling = judge(two_heroes(), "P1 play A P1.HQ @3000")
    assert ruling.verdict is Verdict.UPHELD
    assert "third Hero" in str(ruling.reason)
