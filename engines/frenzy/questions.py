"""The open questions of a live match; every option carries the move that answers it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from engines.core import Option, Question, RuleRef, Seat, Text
from engines.frenzy.cards import SEATS, Card, Region, seat_name
from engines.frenzy.choices import lines, open_copies, open_ruling
from engines.frenzy.moves import (
    Agree,
    Aside,
    Blame,
    Copy,
    Decide,
    Earlier,
    Go,
    Lot,
    Pick,
    Remedy,
    Resolve,
    RulingKey,
    Turn,
)
from engines.frenzy.notation import VALUES
from engines.frenzy.options import EmptyPile, Order, Variant
from engines.frenzy.rules import MOST_ADVANCED
from engines.frenzy.state import Phase, State
from engines.frenzy.texts import cards, name, player, region, say

RULINGS: dict[RulingKey, tuple[str, str]] = {
    RulingKey.ORDER: ("FZ-R10", Order.BODYGUARD_FIRST.value),
    RulingKey.EMPTY_PILE: ("FZ-R04", EmptyPile.LOSES.value),
    RulingKey.BODYGUARD_IS_WARRIOR: ("FZ-R13", "false"),
}
"""The ruling that a key belongs to, and its default."""


def open_questions(state: State) -> tuple[Question, ...]:
    """Return what somebody must say now, the most urgent first."""
    if state.phase is Phase.OVER:
        return ()
    if state.upset is not None:
        return (_upset(state, state.upset),)
    return tuple(_questions(state))


def _questions(state: State) -> Iterator[Question]:
    now = state.clock_ms
    if state.race is not None:
        yield _race(state)
    elif state.claim is not None:
        yield _claim(state)
    match state.phase:
        case Phase.LOT:
            yield from _counts(state)
            yield lot_question(now)
        case Phase.TURN | Phase.READY:
            yield from _counts(state)
            yield _start(state)
        case Phase.ENDED if state.race is None and state.claim is None:
            yield _resolve(now)
        case Phase.SPOILS:
            yield from _choices(state)


def lot_question(now_ms: int) -> Question:
    """Return the question who is First Player."""
    options = (
        Option(seat_name(seat), player(seat), str(Lot(seat, now_ms))) for seat in SEATS
    )
    return Question("first", None, say("ask_first"), tuple(options), rule=RuleRef("2"))


def _counts(state: State) -> Iterator[Question]:
    """Yield how many advanced Heroes were put aside, where that is not known."""
    if state.options.variant is not Variant.BASE or state.round > 1:
        return
    for seat in SEATS:
        if state.players[seat].deck is None:
            yield Question(
                f"aside.{seat_name(seat)}",
                seat,
                say("ask_aside", player=player(seat)),
                tuple(
                    Option(
                        str(number),
                        say("number", number=number),
                        str(Aside(seat, number, state.clock_ms)),
                    )
                    for number in range(1, MOST_ADVANCED + 1)
                ),
                rule=RuleRef("2"),
            )


def _start(state: State) -> Question:
    number, now = state.round + 1, state.clock_ms
    assert state.first is not None
    assert state.second is not None
    if state.phase is Phase.TURN:
        move = str(Turn(state.first, number, now))
        text = say("ask_turn", player=player(state.first), number=number)
        option = Option("turned", say("turned"), move)
        return Question("turn", state.first, text, (option,), rule=RuleRef("2"))
    text = say("ask_go", player=player(state.second))
    option = Option("go", say("go"), str(Go(state.second, now)))
    return Question("go", state.second, text, (option,), rule=RuleRef("2"))


def _upset(state: State, place: Region) -> Question:
    now = state.clock_ms
    options = [
        Option(seat_name(seat), player(seat), str(Blame(seat, now))) for seat in SEATS
    ]
    options.append(Option("nobody", say("nobody_restore"), str(Blame(None, now))))
    text = say("ask_upset", region=region(place))
    return Question("upset", None, text, tuple(options), rule=RuleRef("F-A"))


def _race(state: State) -> Question:
    race, end, now = state.race, state.end, state.clock_ms
    assert race is not None
    assert end is not None
    options = [
        Option(seat_name(seat), player(seat), str(Earlier(seat, now))) for seat in SEATS
    ]
    options.append(Option("undo", say("undo_both"), str(Earlier(None, now))))
    text = say(
        "ask_race",
        card=name(race.laid.card),
        region=region(Region(race.seat, race.zone)),
        player=player(end.seat),
    )
    pieces = () if race.laid.piece is None else (race.laid.piece,)
    return Question(
        "race", None, text, tuple(options), rule=RuleRef("FZ-R19"), pieces=pieces
    )


def _claim(state: State) -> Question:
    foul = state.claim
    assert foul is not None
    to = SEATS[1 - foul.seat]
    options = tuple(
        Option(
            remedy.value,
            say(f"remedy_{remedy}"),
            str(Decide(to, remedy, state.clock_ms)),
        )
        for remedy in Remedy
    )
    text = say(
        "ask_claim",
        player=player(foul.seat),
        foul=say(f"foul_{foul.code}"),
        opponent=player(to),
    )
    return Question(
        "claim", to, text, options, Remedy.UNDO.value, RuleRef(foul.code.value)
    )


def _resolve(now_ms: int) -> Question:
    option = Option("resolve", say("resolve"), str(Resolve(now_ms)))
    return Question(
        "resolve", None, say("ask_resolve"), (option,), "resolve", RuleRef("6.1")
    )


def _choices(state: State) -> Iterator[Question]:
    now, resolution = state.clock_ms, state.resolution
    for choice in open_copies(state):
        line = lines(state)[choice.seat]
        moves = {
            source: str(Copy(choice.seat, choice.number, source, now))
            for source in choice.sources
        }
        yield copy_question(choice.seat, choice.number, line, moves)
    if (key := open_ruling(state)) is not None and resolution is None:
        yield ruling_question(
            key, {value: str(Agree(key, value, now)) for value in VALUES[key]}
        )
    if resolution is not None and resolution.picker is not None:
        picks = {
            card: str(Pick(resolution.picker, card, now)) for card in resolution.choices
        }
        yield pick_question("pick", resolution.picker, resolution.choices, picks)


def copy_question(
    seat: Seat,
    number: int,
    line: Iterable[Card | None],
    moves: Mapping[int, str | None],
) -> Question:
    """Return the question what a Bodyguard duplicates; `moves` by Battlefield."""
    tops = list(line)
    options = tuple(
        Option(str(source), _copy_text(source, tops[source - 1]), move)
        for source, move in moves.items()
    )
    text = say("ask_copy", player=player(seat), number=number)
    return Question(
        f"copy.{seat_name(seat)}.{number}", seat, text, options, rule=RuleRef("FZ-R11")
    )


def _copy_text(source: int, card: Card | None) -> Text:
    message = "copy_nothing" if card is Card.BODYGUARD else "copy_top"
    return say(message, card=name(card), number=source)


def ruling_question(key: RulingKey, moves: dict[str, str]) -> Question:
    """Return the question of section 8; `moves` by value, empty for a single photo."""
    rule, default = RULINGS[key]
    options = tuple(
        Option(value, say(f"{key}_{value}"), moves.get(value)) for value in VALUES[key]
    )
    return Question(
        key.value, None, say(f"ask_{key}"), options, default, rule=RuleRef(rule)
    )


def pick_question(
    id: str, picker: Seat, choices: Iterable[Card], moves: dict[Card, str]
) -> Question:
    """Return the question which card leaves with the Wizard, highest first."""
    options = tuple(
        Option(
            card.value,
            say("worth", card=name(card), points=card.points),
            moves.get(card),
        )
        for card in choices
    )
    text = say("ask_pick", player=player(SEATS[1 - picker]), cards=cards(choices))
    return Question(id, picker, text, options, rule=RuleRef("5.3"))
