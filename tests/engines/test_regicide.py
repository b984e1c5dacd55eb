"""Every vector of the rules file, run against the engine."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.core import JOKER, Card, Rank, Seat, Suit, Verdict, play
from engines.regicide import GAME
from engines.regicide.cards import CASTLE_RANKS, tavern_cards, value
from engines.regicide.facts import draw_counts
from engines.regicide.listing import sets_among
from engines.regicide.moves import (
    Castle,
    Draw,
    Flip,
    Heal,
    Lost,
    Play,
    Reveal,
    Say,
    Statement,
    Tavern,
    Yield,
)
from engines.regicide.options import Options
from engines.regicide.rules import covers
from engines.regicide.sets import is_set, together
from engines.regicide.showing import medal
from engines.regicide.state import Action, Ending, Phase, State, initial

CASES = Path(__file__).parent.parent / "cases" / "regicide.json"
VECTORS: list[dict[str, Any]] = json.loads(CASES.read_text(encoding="utf-8"))


def cards(labels: Sequence[str]) -> tuple[Card, ...]:
    return tuple(map(Card.parse, labels))


def castle_after(enemy: Card) -> tuple[Card | None, ...]:
    """The face-down rest of the Castle behind the first enemy of that rank."""
    assert enemy.rank is not None
    return (None,) * (len(CASTLE_RANKS) - 1 - CASTLE_RANKS.index(enemy.rank))


def fight(values: Mapping[str, Any], *, castle: int | None = None) -> State:
    """A live table as a vector describes it: sizes are known, cards are not."""
    enemy = Card.parse(values["enemy"])
    players = len(values["hands"])
    rest = castle_after(enemy) if castle is None else (None,) * castle
    return State(
        Options(players=players),
        phase=Phase.PLAY,
        current=Seat(values["cur"]),
        castle=rest,
        tavern=(None,) * values["tavern"],
        discard=(None,) * values["discard"],
        hands=tuple((None,) * size for size in values["hands"]),
        last=(None,) * players,
        enemy=enemy,
        dealt=values["dealt"],
        shield=values["shield"],
        blocked_spades=values["blockedSpades"],
        immune=values["immune"],
        started=True,
    )


def holding(state: State, hand: Sequence[Card]) -> State:
    """The same table where the current player is known to hold `hand`."""
    seat = state.current
    unknown = (None,) * (len(state.hands[seat]) - len(hand))
    hands = list(state.hands)
    hands[seat] = (*hand, *unknown)
    return replace(state, hands=tuple(hands))


def test_the_case_file_holds_every_vector_of_the_rules_file() -> None:
    ids = [vector["id"] for vector in VECTORS]
    assert len(ids) == len(set(ids)) == 41


@pytest.mark.parametrize("vector", VECTORS, ids=[v["id"] for v in VECTORS])
def test_vector(vector: dict[str, Any]) -> None:
    RUNNERS[vector["kind"]](vector)


def run_play(vector: dict[str, Any]) -> None:
    """Play the cards, do what the powers ask for, and compare every figure."""
    # RG-31 is about the last King; every other enemy has successors.
    last = vector["id"] == "RG-31"
    hand = cards(vector["cards"])
    before = holding(fight(vector["state"], castle=0 if last else None), hand)
    seat = before.current
    seen: dict[str, Any] = {"attack": sum(map(value, hand)), "healed": 0}
    seen["drawn"] = [0] * before.options.players
    state = play(GAME, before, Play(seat, hand))
    if state.phase is Phase.HEAL:
        seen["healed"] = state.to_heal
        state = play(GAME, state, Heal(state.to_heal))
    if state.phase is Phase.DRAW:
        seen["drawn"] = list(draw_counts(state))
        state = play(GAME, state, Draw(draw_counts(state)))
    seen |= after_play(before, state, hand)
    if last:
        assert state.ending is Ending.WON
        assert GAME.outcome(state) is not None
    for key, expected in vector["expect"].items():
        assert seen[key] == expected, key


def after_play(before: State, state: State, hand: Sequence[Card]) -> dict[str, Any]:
    enemy = before.enemy
    assert enemy is not None
    fallen = state.enemy != enemy
    seen: dict[str, Any] = {
        "shield": state.shield,
        "blockedSpades": state.blocked_spades,
        "immune": state.immune,
        "suffer": state.suffer,
        "hands": [len(hand) for hand in state.hands],
        "tavern": len(state.tavern),
        "discard": len(state.discard),
    }
    if fallen:
        exact = enemy in state.tavern
        assert (enemy in state.discard) is not exact
        seen["result"] = "exact" if exact else "defeated"
        seen["dealt"] = dealt_by(before, hand)
        seen["damage"] = seen["dealt"] - before.dealt
        return seen
    seen["dealt"] = state.dealt
    seen["damage"] = state.dealt - before.dealt
    names = {Phase.CHOOSE: "chooseNext", Phase.SUFFER: "suffer", Phase.PLAY: "next"}
    seen["result"] = names[state.phase]
    return seen


def dealt_by(before: State, hand: Sequence[Card]) -> int:
    """The damage as the engine's own strike adds it up against a sturdier enemy."""
    sturdy = replace(before, dealt=-1000)
    state = play(GAME, sturdy, Play(before.current, tuple(hand)))
    while state.phase in {Phase.HEAL, Phase.DRAW}:
        (question,) = GAME.questions(state)
        state = play(GAME, state, GAME.parse_move(question.options[0].value))
    return state.dealt + 1000 + before.dealt


def run_legal_plays(vector: dict[str, Any]) -> None:
    """The rule itself, and the same through `judge` for a hand that may hold it."""
    state = replace(
        fight({**PLAIN, "enemy": "Js", "hands": [5, 5, 5, 5]}), castle=(None,) * 8
    )
    found = [together(cards(labels)) is None for labels in vector["input"]]
    assert found == vector["expect"]
    assert [is_set(cards(labels)) for labels in vector["input"]] == found
    for labels, expected in zip(vector["input"], vector["expect"], strict=True):
        hand = cards(labels)
        ruling = GAME.judge(holding(state, hand), Play(Seat(0), hand))
        assert (ruling.verdict is Verdict.UPHELD) is expected
        assert str(ruling.rule) == "4.1"


PLAIN: dict[str, Any] = {
    "enemy": "Jh",
    "dealt": 0,
    "shield": 0,
    "blockedSpades": 0,
    "immune": True,
    "hands": [7, 7],
    "cur": 0,
    "tavern": 20,
    "discard": 10,
}
ACTIONS = {
    "yield": Action.YIELD,
    "play": Action.PLAY,
    "joker": Action.JOKER,
    None: None,
}


def may_yield(last: Sequence[str | None], current: int) -> bool:
    state = fight({**PLAIN, "hands": [5] * len(last), "cur": current})
    state = replace(state, last=tuple(ACTIONS[action] for action in last))
    ruling = GAME.judge(state, Yield(Seat(current)))
    return ruling.verdict is Verdict.UPHELD


def run_yield(vector: dict[str, Any]) -> None:
    given = vector["input"]
    if isinstance(given, dict):
        assert may_yield(given["lastActions"], given["current"]) is vector["expect"]
        return
    assert [may_yield(*row) for row in given] == vector["expect"]


def run_hand_values(vector: dict[str, Any]) -> None:
    assert [value(card) for card in cards(vector["input"]["cards"])] == vector["expect"]


def run_solo_medal(vector: dict[str, Any]) -> None:
    assert [medal(flipped) for flipped in vector["input"]] == vector["expect"]
    for flipped, name in zip(vector["input"], vector["expect"], strict=True):
        won = replace(
            initial(Options(players=1)),
            phase=Phase.OVER,
            ending=Ending.WON,
            jokers=2 - flipped,
        )
        outcome = GAME.outcome(won)
        assert outcome is not None
        assert name in str(outcome.reason)


def run_setup(vector: dict[str, Any]) -> None:
    found = []
    for players in vector["input"]:
        state = initial(Options(players=players))
        for move in (Castle(None), Reveal(Card.parse("Jh")), Tavern(None)):
            state = play(GAME, state, move)
        jokers = sum(card == JOKER for card in tavern_cards(players))
        assert {len(hand) for hand in state.hands} == {state.options.hand_limit}
        found.append([jokers, len(state.hands[0]), len(state.tavern)])
    assert found == vector["expect"]


STATEMENTS = {
    "number of own cards": Statement.HAND_SIZE,
    "number of cards left in the Tavern": Statement.PILE_SIZE,
    "naming a held card": Statement.HELD_CARD,
    "wishing for a suit": Statement.SUIT_WISH,
    "promising a result if someone plays a suit": Statement.PROMISE,
    "asking to leave the enemy alone": Statement.LEAVE_ENEMY,
    "general wish or reluctance to go next": Statement.GO_NEXT,
}


def run_speech(vector: dict[str, Any]) -> None:
    """Public facts are allowed, hints are not, wishes only until the next turn."""
    state = fight({**PLAIN, "hands": [5, 5, 5]})
    after_joker = play(GAME, state, Play(Seat(0), (JOKER,)))
    next_turn = play(GAME, after_joker, GAME.parse_move("0: next 1"))

    def may_say(state: State, text: str) -> bool:
        ruling = GAME.judge(state, Say(Seat(1), STATEMENTS[text]))
        assert str(ruling.rule) == "4.5"
        return ruling.verdict is Verdict.UPHELD

    given = vector["input"]
    for moment in (state, after_joker, next_turn):
        assert all(may_say(moment, text) for text in given["allowed"])
        assert not any(may_say(moment, text) for text in given["forbidden"])
    for text in given["afterJokerUntilNextTurnStarts"]:
        assert may_say(after_joker, text)
        assert not may_say(state, text)
        assert not may_say(next_turn, text)
    assert GAME.advance(state, Say(Seat(1), Statement.HAND_SIZE)) == state


def run_legal_play_count(vector: dict[str, Any]) -> None:
    sizes = [len(play) for play in sets_among(tavern_cards(2))]
    assert [sizes.count(size) for size in (1, 2, 3, 4)] == vector["expect"]


def run_discard(vector: dict[str, Any]) -> None:
    found = [covers(cards(labels), damage) for labels, damage in vector["input"]]
    assert found == vector["expect"]


def run_turn_flow(vector: dict[str, Any]) -> None:
    seat = Seat(vector["input"]["seat"])
    values = {**PLAIN, "enemy": "Jd", "hands": [6, 6, 6], "cur": seat, "dealt": 5}
    state = replace(
        fight(values),
        castle=(Card.parse("Jc"), *(None,) * 10),
        shield=3,
        immune=False,
        plays=(Play(Seat(0), (JOKER,)), Play(Seat(0), cards(["5s"]))),
    )
    after = play(GAME, state, Play(seat, cards(["8c"])))
    assert GAME.judge(state, Play(seat, cards(["8c"]))).verdict is Verdict.UPHELD
    expect = vector["expect"]
    assert after.current == expect["next"]
    assert (after.shield, after.dealt) == (expect["shield"], expect["dealt"])
    assert after.immune is expect["immune"]
    assert (after.phase is Phase.PLAY) is (expect["phase"] == 1)
    assert after.enemy == Card.parse("Jc")
    assert after.discard[:4] == cards(["8c", "5s", "X", "Jd"])


def run_loss(vector: dict[str, Any]) -> None:
    given = vector["input"]
    if "canYield" in given:
        # Seat 0 yields and covers with its only card; seat 1 is next, without cards.
        state = fight({**PLAIN, "hands": [1, given["hand"]]})
        state = replace(state, hands=(cards(["10d"]), ()))
        state = play(GAME, state, Yield(Seat(0)))
        state = play(GAME, state, GAME.parse_move("0: discard 10d"))
        assert state.ending is Ending.STUCK
    else:
        state = cannot_cover(given["handValue"], given["suffer"], jokers=0)
        assert state.ending is Ending.NOT_COVERED
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert vector["expect"] == "lost"
    assert outcome.winners == ()


def cannot_cover(hand_value: int, suffer: int, *, jokers: int) -> State:
    """A lone player with too little in hand who has just played."""
    state = replace(
        fight({**PLAIN, "hands": [1]}),
        hands=(cards(["2s", f"{hand_value}d"]),),
        shield=10 - suffer - 2,
        jokers=jokers,
    )
    after = play(GAME, state, Play(Seat(0), cards(["2s"])))
    assert after.attack == suffer
    return after


def run_solo(vector: dict[str, Any]) -> None:
    given = vector["input"]
    if vector["expect"] == "decisionPending":
        state = cannot_cover(given["handValue"], given["suffer"], jokers=1)
        assert state.phase is Phase.SUFFER
        assert GAME.outcome(state) is None
        (question,) = GAME.questions(state)
        assert {option.move for option in question.options} == {"0: flip", "0: lost"}
        assert GAME.judge(state, GAME.parse_move("0: discard 9d")).verdict is (
            Verdict.REJECTED
        )
        flipped = play(GAME, state, Flip(Seat(0)))
        assert len(flipped.hands[0]) == 8
        assert flipped.suffer == given["suffer"]
        assert play(GAME, state, Lost(Seat(0))).ending is Ending.NOT_COVERED
        return
    values = {**PLAIN, "enemy": given["enemy"], "hands": [given["hand"]]}
    state = replace(fight({**values, "tavern": given["tavern"]}), jokers=2)
    after = play(GAME, state, Flip(Seat(0)))
    expect = vector["expect"]
    assert len(after.hands[0]) == expect["hand"]
    assert len(after.tavern) == expect["tavern"]
    assert len(after.discard) - len(state.discard) == expect["discardAdded"]
    assert after.immune is expect["immune"]


def run_order(vector: dict[str, Any]) -> None:
    """Jacks, then Queens, then Kings: anything else is refused with rule 2."""
    assert vector["expect"] is None
    right = [
        Card(rank, suit)
        for rank, suit in zip(CASTLE_RANKS, [*Suit, *Suit, *Suit], strict=True)
    ]
    start = initial(Options())
    assert GAME.judge(start, Castle(tuple(right))).verdict is Verdict.UPHELD
    early = [*right[:3], right[4], right[3], *right[5:]]
    assert str(GAME.judge(start, Castle(tuple(early))).rule) == "2"
    state = play(GAME, start, Castle(None))
    for rank in (Rank.QUEEN, Rank.KING):
        ruling = GAME.judge(state, Reveal(Card.parse(f"{rank}h")))
        assert ruling.verdict is Verdict.REJECTED
        assert str(ruling.rule) == "2"
    fifth = replace(fight({**PLAIN, "enemy": "Js"}), phase=Phase.REVEAL)
    fifth = replace(
        fifth, enemy=None, castle=(None,) * 8, discard=cards(["Js", "Jh", "Jd", "Jc"])
    )
    ruling = GAME.judge(fifth, Reveal(Card.parse("Jh")))
    assert ruling.verdict is Verdict.REJECTED


RUNNERS: Mapping[str, Callable[[dict[str, Any]], None]] = {
    "play": run_play,
    "legalPlays": run_legal_plays,
    "yield": run_yield,
    "handValues": run_hand_values,
    "soloMedal": run_solo_medal,
    "setup": run_setup,
    "speech": run_speech,
    "legalPlayCount": run_legal_play_count,
    "discard": run_discard,
    "turnFlow": run_turn_flow,
    "loss": run_loss,
    "solo": run_solo,
    "order": run_order,
}
