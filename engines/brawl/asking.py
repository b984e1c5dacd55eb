"""The questions that are open in a live game."""

from __future__ import annotations

from collections.abc import Iterator

from engines.brawl.chain import placement
from engines.brawl.fouls import FOULS, dependents, remedies
from engines.brawl.moves import (
    Act,
    BlockOnHit2,
    ConfirmPairs,
    First,
    Move,
    Remedy,
    Settle,
    Verb,
)
from engines.brawl.place import letter
from engines.brawl.rules import may_be_stuck
from engines.brawl.scoring import is_over, is_score_due
from engines.brawl.state import Row, State
from engines.brawl.words import place_text, seat_text
from engines.core import Objection, Option, Question, RuleRef, Seat, Text


def questions(state: State) -> tuple[Question, ...]:
    """Return what somebody is asked now, the most pressing first."""
    return (
        *(_incident(state, row) for row in state.rows if row.incident),
        *_before_the_game(state),
        *_stuck(state),
    )


def _incident(state: State, row: Row) -> Question:
    assert row.incident is not None
    return _foul(state, row) if row.incident.rival is None else _first(state, row)


def _foul(state: State, row: Row) -> Question:
    incident = row.incident
    assert incident is not None
    card = incident.card
    offender, opponent = card.seat, row.pair.other(card.seat)
    answers = remedies(state, row)
    built_on = dependents(state, row)
    if Remedy.TAKE_BACK in answers:
        key, to = "brawl.ask_take_back", offender
    elif is_score_due(state, row):
        key, to = "brawl.ask_foul_at_scoring", opponent
    else:
        key, to = "brawl.ask_foul_built_on", opponent
    text = Text.of(
        key,
        card=card.card.text,
        place=place_text(state, card.place),
        cards=", ".join(later.card for later in built_on),
        reason=why_foul(state, row).reason,
    )
    options = tuple(
        Option(
            remedy,
            Text.of(f"brawl.answer_{remedy}"),
            str(Settle(to, row.pair, remedy)),
        )
        for remedy in answers
    )
    default = answers[0] if answers[0] is not Remedy.STAND else None
    return Question(
        f"foul:{row.pair}", to, text, options, default, why_foul(state, row).rule
    )


def _first(state: State, row: Row) -> Question:
    incident = row.incident
    assert incident is not None
    assert incident.rival is not None
    seats = sorted((incident.card.seat, incident.rival.seat))
    options = [
        Option(letter(seat), seat_text(seat), str(First(row.pair, seat)))
        for seat in seats
    ]
    back = Option("both", Text.of("brawl.answer_both_back"), str(First(row.pair, None)))
    text = Text.of(
        "brawl.ask_first",
        card=incident.card.card.text,
        seat=letter(incident.card.seat),
        other_card=incident.rival.card.text,
        other=letter(incident.rival.seat),
    )
    return Question(
        f"first:{row.pair}", None, text, (*options, back), None, RuleRef("B-13")
    )


def _before_the_game(state: State) -> Iterator[Question]:
    if is_over(state):
        return
    if state.is_training and state.turn is None:
        yield Question(
            "start",
            None,
            Text.of("brawl.ask_start"),
            tuple(_act(seat, Verb.START) for seat in state.seats),
            None,
            RuleRef("2"),
        )
    for seat in state.seats:
        deck = state.players[seat].deck
        if deck is not None and not state.players[seat].is_confirmed:
            yield Question(
                f"deck:{letter(seat)}",
                seat,
                Text.of("brawl.ask_deck", name=deck.name, cards=deck.size),
                (
                    _answer("yes", "core.yes", Act(seat, Verb.CONFIRM)),
                    _answer("no", "brawl.answer_recount", Act(seat, Verb.RECOUNT)),
                ),
                "yes",
                RuleRef("B-01"),
            )
    if state.block_on_hit2 is None:
        yield Question(
            "blockOnHit2",
            None,
            Text.of("brawl.ask_block_on_hit2"),
            (
                _answer("true", "core.yes", BlockOnHit2(allowed=True)),
                _answer("false", "core.no", BlockOnHit2(allowed=False)),
            ),
            "true",
            RuleRef("B-05"),
        )
    if not state.are_pairs_confirmed:
        names = ", ".join(str(row.pair) for row in state.rows)
        yield Question(
            "pairs",
            None,
            Text.of("brawl.ask_pairs", pairs=names),
            (_answer("yes", "core.yes", ConfirmPairs()),),
            "yes",
            RuleRef("B-18"),
        )


def _stuck(state: State) -> Iterator[Question]:
    for seat in state.seats:
        if may_be_stuck(state, seat) is None:
            yield Question(
                f"stuck:{letter(seat)}",
                seat,
                Text.of("brawl.ask_stuck"),
                (_answer("yes", "core.yes", Act(seat, Verb.STUCK)),),
                None,
                RuleRef("B-12"),
            )


def why_foul(state: State, row: Row) -> Objection:
    """Return the rule that the open foul of a row breaks."""
    incident = row.incident
    assert incident is not None
    card = incident.card
    why = placement(
        incident.before,
        card.card,
        card.place,
        block_on_hit2=state.allows_block_on_hit2,
    )
    return why or Objection(FOULS, Text.of("brawl.was_foul"))


def _act(seat: Seat, verb: Verb) -> Option:
    return Option(letter(seat), seat_text(seat), str(Act(seat, verb)))


def _answer(value: str, key: str, move: Move) -> Option:
    return Option(value, Text.of(key), str(move))
