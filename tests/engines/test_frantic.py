"""Every vector of the rules file, run against the engine."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.core import Kind, Piece, PieceId, Seat, Verdict
from engines.frantic import GAME
from engines.frantic.cards import FY, Colour, Hand, PlayCard, Special, copies, deck
from engines.frantic.engine import settle
from engines.frantic.event import Event, events
from engines.frantic.hands import choices
from engines.frantic.layout import layout
from engines.frantic.options import LIMITS, even_seats_deg
from engines.frantic.rounds import CountRound, PickDealer
from engines.frantic.scoring import hand_points
from engines.frantic.state import Bomb, Cause, End, Ending, State, Top
from engines.frantic.turn import Turn
from tests.support.frantic import (
    answers,
    event_now,
    filled,
    playing,
    table,
    worth,
)

CASES = Path(__file__).parent.parent / "cases" / "frantic.json"
VECTORS: list[dict[str, Any]] = json.loads(CASES.read_text(encoding="utf-8"))


def top_of(values: Mapping[str, Any]) -> Top:
    values = dict(values)
    if "colour" in values:
        values["colour"] = Colour(values["colour"])
    if "symbol" in values:
        values["symbol"] = Special(values["symbol"])
    return Top(**values)


def allows(state: State, move: str) -> bool:
    ruling = GAME.judge(state, GAME.parse_move(move))
    return ruling.verdict is Verdict.UPHELD


def counts(state: State) -> list[int]:
    return list(state.counts)


def after_round(state: State, ending: Ending) -> State:
    """The state once the hands of a round have been counted."""
    return settle(replace(state, ending=ending, steps=(CountRound(),)))


def finished(state: State) -> bool:
    """Whether the round is over: hands are dealt anew, or the game has ended."""
    return not any(isinstance(step, Turn) for step in state.steps)


def legal(given: Any) -> object:
    card = PlayCard(given["card"])
    size = given.get("handSize", 2)
    (hand,) = filled([size - 1], used=(card,))
    other = "K1" if card != "K1" and "K1" not in hand else "K2"
    state = table(" ".join((card, *hand)), other, top=top_of(given["top"]))
    return allows(state, f"p1 play {card}")


def imitated(given: Any) -> object:
    """The same, with a Mimicry that acts as the card."""
    state = table("N-mimicry G1", "G2", top=top_of(given["top"]))
    state = playing(state, "p1 play N-mimicry")
    return allows(state, f"p1 as {PlayCard(given['card'])}")


def active_colour(given: Any) -> object:
    top = top_of({"colour": given["playedOn"], "number": 4})
    state = table(f"{PlayCard(given['card'])} B1 B2", "G1", top=top)
    state = playing(state, f"p1 play {PlayCard(given['card'])}")
    return state.top.colour


def self_punish(given: Any) -> object:
    state = table("N-fantastic-four B1", "G1", "G2")
    state = playing(state, "p1 play N-fantastic-four")
    shares = " ".join(f"p{int(s) + 1}:{n}" for s, n in given["distribution"].items())
    return {"legal": allows(state, f"p{given['player'] + 1} split {shares}")}


def exchange(given: Any) -> object:
    mine, theirs = filled([given["giver"], given["target"]])
    state = table(" ".join(("R-exchange", *mine)), " ".join(theirs))
    state = playing(state, "p1 play R-exchange", "p1 target p2", "p2 accept")
    given_away = 2
    state = playing(state, f"p1 give {' '.join(mine[:given_away])}")
    taken = min(len(theirs), 2)
    places = " ".join(f"#{n}" for n in range(1, taken + 1))
    state = playing(state, f"p1 take {places}")
    return {
        "given": given_away,
        "taken": taken,
        "giverAfter": state.counts[0],
        "targetAfter": state.counts[1],
    }


def nice_try(given: Any) -> object:
    if "hands" not in given:
        state = table("R-gift N-nice-try R5", "B1 B2")
        state = playing(state, "p1 play R-gift", "p1 target p2", "p2 accept")
        state = playing(state, "p1 give N-nice-try R5")
        assert state.counts[0] == given["finisherHand"]
        state = playing(state, "p2 nice N-nice-try", "p2 wish none")
        return {"finisherHand": state.counts[0], "roundGoesOn": not finished(state)}
    *_, last = given["hands"]
    (hand,) = filled([last + 3], used=(PlayCard("R1"), PlayCard("R2"), PlayCard("R3")))
    state = table("R1", "R2 R3", " ".join((*hand, "N-nice-try")), turn=2)
    state = event_now(state, Event.RECESSION, 2)
    state = playing(state, "p1 discard R1", "p2 discard R2", "p2 discard R3")
    state = playing(state, *(f"p3 discard {card}" for card in hand[:3]))
    assert counts(state) == [*given["hands"][:2], last + 1]
    return {"hands": counts(playing(state, "p3 nice N-nice-try"))}


def distributor(given: Any) -> object:
    names = given["hands"]
    state = event_now(table("R1", "R2", "R3"), Event.DISTRIBUTOR, 0)
    hands = dict(zip(names, state.hands, strict=True))
    for to in (1, 2, 0):
        source = names.index(given["assign"][to])
        assert not allows(state, "p1 assign p1 p1")
        state = playing(state, f"p1 assign p{to + 1} p{source + 1}")
    return {"legal": list(state.hands) == [hands[name] for name in given["assign"]]}


def limits(given: Any) -> object:
    assert given == ["2-4", "5-8"]
    return [
        [GAME.options({"players": n, "limit": name}).limit for name in LIMITS]
        for n in (4, 5)
    ]


def points(given: Any) -> object:
    return hand_points(map(PlayCard, given))


def inequality(given: Any) -> object:
    mine, theirs = filled([given["player"], given["victim"]])
    state = table(" ".join(("N-inequality", *mine)), " ".join(theirs), "Y1")
    state = playing(state, "p1 play N-inequality", "p1 target p2")
    if theirs:
        state = playing(state, "p2 accept")
    taken = given["player"] - playing_all_taken(state).counts[0]
    after = playing_all_taken(state)
    return {"taken": taken, "player": after.counts[0], "victim": after.counts[1]}


def playing_all_taken(state: State) -> State:
    """The state after a blind pick of the first cards, where there is one."""
    picks = [move for move in answers(state) if move.startswith("p2 take #")]
    return playing(state, min(picks)) if picks else state


def equality(given: Any) -> object:
    mine, theirs, more = filled([given["player"], given["target"], given["player"]])
    hands = (" ".join(hand) for hand in (("N-equality", *mine), theirs, more))
    state = playing(table(*hands), "p1 play N-equality")
    assert not allows(state, "p1 target p3")
    state = playing(state, "p1 target p2", "p2 accept")
    return {"drawn": state.counts[1] - given["target"]}


def skip(given: Any) -> object:
    pending = tuple(Seat(1 + n) for n, waits in enumerate(given["pending"]) if waits)
    state = table("R-skip R1", "G1 G2", "B1 B2")
    state = playing(replace(state, skips=pending), "p1 play R-skip")
    return [allows(state, f"p1 target p{n + 2}") for n in range(len(given["pending"]))]


def skip_two(given: Any) -> object:
    state = table("R-skip R1", "G1 G2")
    assert state.options.players == given["players"]
    state = playing(state, "p1 play R-skip", "p1 target p2", "p2 accept")
    assert isinstance(state.step, Turn)
    return {"next": "same" if state.step.seat == 0 else "other"}


def gift(given: Any) -> object:
    handed, needed = [], []
    for left in given["left"]:
        (hand,) = filled([left])
        state = table(" ".join(("R-gift", *hand)), "G1 G2", "B1")
        state = playing(state, "p1 play R-gift")
        needed.append(not allows(state, "p1 target none"))
        state = playing(state, "p1 target p2", "p2 accept")
        if left:
            state = playing(state, f"p1 give {' '.join(hand)}")
        handed.append(state.counts[1] - 2)
    return {"given": handed, "targetNeeded": needed}


def gift_fy(given: Any) -> object:
    hand = " ".join(PlayCard(card) for card in given)
    state = playing(table(f"R-gift {hand}", "G1"), "p1 play R-gift", "p1 target p2")
    given_moves = answers(playing(state, "p2 accept"))
    return {"giveable": [move.removeprefix("p1 give ") for move in given_moves]}


def exchange_last(given: Any) -> object:
    mine, theirs = filled([given["hand"], given["target"]])
    state = table(" ".join(("R-exchange", *mine)), " ".join(theirs))
    state = playing(state, "p1 play R-exchange", "p1 target p2", "p2 accept")
    state = playing(state, "p1 take #1 #3")
    return {
        "handAfter": state.counts[0],
        "targetAfter": state.counts[1],
        "roundEnds": finished(state),
    }


def second_chance(given: Any) -> object:
    (hand,) = filled([given["hand"]])
    state = table(" ".join(("R-second-chance", *hand)), "G1 G2")
    state = playing(state, "p1 play R-second-chance", "p1 draw")
    return {"handAfter": state.counts[0], "roundEnds": finished(state)}


def counterattack(given: Any) -> object:
    assert given["chain"] == ["A->B", "B->C", "C->A"]
    counter = "N-counterattack"
    state = table("R-gift R1 R2", f"{counter} G1 G2", f"{counter} B1 B2")
    before = state.hands
    state = playing(state, "p1 play R-gift", "p1 target p2", f"p2 counter {counter}")
    state = playing(state, "p2 target p3", f"p3 counter {counter}", "p3 target p1")
    state = playing(state, "p1 accept", "p3 give B1 B2")
    assert state.hands[1] == before[1][1:]
    (receiver,) = (n for n in range(3) if set(before[2][1:]) <= set(state.hands[n]))
    return {"receives": "ABC"[receiver], "giver": "C"}


def event_order(given: Any) -> object:
    state = table(*(f"R{n + 1}" for n in range(given["n"])))
    return list(state.involved(Cause(Seat(given["trigger"]))))


def expansion(given: Any) -> object:
    state = table(*(f"R{n + 1}" for n in range(given["n"])))
    state = event_now(state, Event.EXPANSION, given["trigger"])
    return [count - 1 for count in state.counts]


def recession(given: Any) -> object:
    hands = filled(given["hands"])
    state = table(*(" ".join(hand) for hand in hands))
    state = event_now(state, Event.RECESSION, given["trigger"])
    while any(" discard " in move for move in answers(state)):
        state = playing(state, min(answers(state)))
    empty = [seat for seat, hand in enumerate(state.hands) if not hand]
    return {"hands": counts(state), "empty": empty}


def robin_hood(given: Any) -> object:
    before = table(*(" ".join(hand) for hand in filled(given["hands"])))
    after = event_now(before, Event.ROBIN_HOOD, given["trigger"])
    moved = [n for n in range(4) if before.hands[n] != after.hands[n]]
    fewest, most = sorted(moved, key=lambda seat: before.counts[seat])
    assert after.hands[fewest] == before.hands[most]
    return {"fewest": fewest, "most": most, "handsAfter": counts(after)}


def charity(given: Any) -> object:
    state = table(*(" ".join(hand) for hand in filled(given)))
    state = event_now(state, Event.CHARITY, 0)
    while any(" take " in move for move in answers(state)):
        state = playing(state, min(answers(state)))
    return counts(state)


def crowdfunding(given: Any) -> object:
    state = table(*(" ".join(hand) for hand in filled(given)))
    state = event_now(state, Event.CROWDFUNDING, 0)
    while any(" give " in move for move in answers(state)):
        state = playing(state, min(answers(state)))
    return counts(state)


def drawn_by(event: Event) -> Callable[[Any], object]:
    def run(given: Any) -> object:
        before = table(*(" ".join(hand) for hand in filled(given)))
        after = event_now(before, event, 0)
        return {
            "drawn": [b - a for a, b in zip(before.counts, after.counts, strict=True)]
        }

    return run


def mating_season(given: Any) -> object:
    state = table(" ".join(map(PlayCard, given)), "R1 G2")
    return left_of(event_now(state, Event.MATING_SEASON, 0), given)


def vandalism(given: Any) -> object:
    hand = " ".join(map(PlayCard, given["hand"]))
    state = table(hand, "G1 G2", colour=given["colour"])
    return left_of(event_now(state, Event.VANDALISM, 0), given["hand"])


def left_of(state: State, hand: Sequence[str]) -> list[str]:
    """The codes of a hand that are still held by the first player."""
    return [code for code in hand if PlayCard(code) in state.hands[0]]


def plus_one(given: Any) -> object:
    drawn = []
    for number in given["draw"]:
        state = replace(table("R1", "R2"), plus_one=True)
        if number == 1:
            state = playing(state, "p1 draw")
        else:
            state = event_now(state, Event.THIRD_TIME_LUCKY, 0)
        drawn.append(state.counts[0] - 1)
    return drawn


def gambling_man(given: Any) -> object:
    bids = [n and f"R{n}" for n in given["revealed"]]
    state = table(*(f"{bid or ''} G{n + 1}" for n, bid in enumerate(bids)), colour="R")
    before = state
    state = event_now(state, Event.GAMBLING_MAN, given["trigger"])
    for seat, bid in enumerate(bids):
        state = playing(state, f"p{seat + 1} bid {bid or 'none'}")
    (loser,) = (n for n in range(4) if state.hands[n].count(PlayCard("R9")) == 2)
    gained = [b - a for a, b in zip(before.counts, state.counts, strict=True)]
    return {
        "loser": loser,
        "takes": gained[loser] + 1,
        "draw2": [n for n in range(4) if not bids[n] and gained[n] == 2],
    }


def time_bomb(given: Any) -> object:
    hands = worth(given["points"])
    state = table(*(" ".join(hand) for hand in hands), options={"limit": 999})
    out = given["finisher"] or []
    assert [seat for seat, hand in enumerate(hands) if not hand] == out
    state = replace(state, bomb=Bomb((3,) * len(hands)))
    end = End.OUT if out else End.TIME_BOMB
    return list(after_round(state, Ending(end)).gains)


def doomsday(given: Any) -> object:
    hands = worth(given["points"])
    state = table(*(" ".join(hand) for hand in hands), options={"limit": 999})
    state = event_now(state, Event.DOOMSDAY, 0)
    assert finished(state)
    return list(state.gains)


def double_taxation(given: Any) -> object:
    state = table(*(" ".join(map(PlayCard, hand)) for hand in given))
    state = event_now(state, Event.DOUBLE_TAXATION, 0)
    assert not finished(state)
    return list(state.accounts)


def identity_theft(given: Any) -> object:
    state = replace(table("R1", "R2", "R3"), accounts=tuple(given))
    return list(event_now(state, Event.IDENTITY_THEFT, 0).accounts)


def seppuku(given: Any) -> object:
    state = replace(table("R1", "R2", "R3"), accounts=tuple(given))
    state = event_now(replace(state, pile=(PlayCard("G9"), FY)), Event.SEPPUKU, 2)
    state = playing(state, "p1 decline", "p2 risk", "flip G9", "p3 risk", "flip N-fy")
    return list(state.accounts)


def deck_out(given: Any) -> object:
    pile = "Y1 Y2"[: 3 * given["deck"] - 1]
    if "draw" in given:
        assert given["draw"] == 1
        state = playing(table("R1", "R2", pile=pile), "p1 draw")
        return {"roundEnds": finished(state) or state.ending is not None}
    hands = [f"R{n + 1}" for n in range(given["n"])]
    state = event_now(table(*hands, pile=pile), Event.THIRD_TIME_LUCKY, 0)
    drawn = [count - 1 for count in state.counts]
    return {"drawn": drawn, "roundEnds": finished(state)}


def game_end(given: Any) -> object:
    winners = []
    for totals in given:
        state = table("", "", "", options={"limit": 137})
        state = after_round(replace(state, accounts=tuple(totals)), Ending(End.OUT))
        outcome = GAME.outcome(state)
        assert outcome is not None
        winners.append(list(outcome.winners))
    return winners


def next_dealer(given: Any) -> object:
    found: list[object] = []
    for gains in given:
        state = table(*(" ".join(hand) for hand in worth(gains)))
        state = after_round(state, Ending(End.EXHAUSTED))
        if isinstance(state.step, PickDealer):
            (question,) = GAME.questions(state)
            assert question.default == "dealer p2"
            found.append("prompt")
        else:
            found.append(state.dealer)
    return found


def lucky_bastard(given: Any) -> object:
    hands = worth([10, 20, 30])
    state = table(*(" ".join(hand) for hand in hands))
    state = event_now(state, Event.FINISH_LINE, 0, immune=[given["protected"]])
    assert list(state.gains) == [10, 0, 30]
    state = table(*(" ".join(hand) for hand in hands))
    event = Event(f"E-{given['event'].lower()}")
    return list(event_now(state, event, 0, immune=[given["protected"]]).gains)


def direction(given: Any) -> object:
    """Seats in play order lie counter-clockwise, and the layout finds them there."""
    assert list(even_seats_deg(len(given))) == given
    pieces = [Piece(PieceId("pile"), Kind.BACK, None, 0.0, 0.0)]
    for angle in given:
        x, y = (400 * f(math.radians(angle)) for f in (math.cos, math.sin))
        pieces.append(Piece(PieceId(f"{angle}"), Kind.CARD, "R1", x, y))
    look = layout(pieces, GAME.options({"players": len(given)}))
    by_seat = {hand.seat: hand.cards[0].id for hand in look.hands}
    return [by_seat[Seat(seat)] for seat in range(len(given))]


def box(given: Any) -> object:
    def specials(*, starred: bool) -> int:
        held = copies(starred=True).items()
        return sum(n for c, n in held if c.special and c.is_starred is starred)

    return {
        "base": len(deck(starred=False)),
        "withStarred": len(deck(starred=True)),
        "baseSpecials": specials(starred=False),
        "starredSpecials": specials(starred=True),
        "events": len(events(starred=True)),
        "starredEvents": sum(event.is_starred for event in Event),
    }


KINDS: dict[str, Callable[[Any], object]] = {
    "legal": legal,
    "activeColour": active_colour,
    "selfPunish": self_punish,
    "exchange": exchange,
    "niceTry": nice_try,
    "distributor": distributor,
    "limits": limits,
    "points": points,
    "inequality": inequality,
    "equality": equality,
    "skip": skip,
    "skip2p": skip_two,
    "gift": gift,
    "giftFY": gift_fy,
    "exchangeLast": exchange_last,
    "secondChance": second_chance,
    "counterattack": counterattack,
    "eventOrder": event_order,
    "expansion": expansion,
    "recession": recession,
    "robinHood": robin_hood,
    "charity": charity,
    "crowdfunding": crowdfunding,
    "communism": drawn_by(Event.COMMUNISM),
    "capitalism": drawn_by(Event.CAPITALISM),
    "matingSeason": mating_season,
    "vandalism": vandalism,
    "plusOne": plus_one,
    "gamblingMan": gambling_man,
    "timeBomb": time_bomb,
    "doomsday": doomsday,
    "doubleTaxation": double_taxation,
    "identityTheft": identity_theft,
    "seppuku": seppuku,
    "deckOut": deck_out,
    "gameEnd": game_end,
    "dealer": next_dealer,
    "luckyBastard": lucky_bastard,
    "direction": direction,
    "deck": box,
}


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_vector(vector: dict[str, Any]) -> None:
    result = KINDS[vector["kind"]](vector["input"])
    assert result == vector["expect"], vector["note"]
    if vector["note"].startswith("Mimicry"):
        assert imitated(vector["input"]) == vector["expect"]


def test_every_vector_has_its_own_id() -> None:
    assert len({vector["id"] for vector in VECTORS}) == len(VECTORS) == 71


def test_a_choice_of_equal_cards_is_one_choice() -> None:
    hand: Hand = (PlayCard("R5"), PlayCard("R5"), PlayCard("B3"))
    assert list(choices(hand, 2)) == [("B3", "R5"), ("R5", "R5")]
