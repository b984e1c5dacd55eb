"""The rules about illegal cards and about who was first."""

from __future__ import annotations

from engines.brawl.conditions import (
    in_reach,
    may_lie_there,
    may_move_card,
    neighbour,
    not_given_up,
    row_of,
    seated,
)
from engines.brawl.landing import restored
from engines.brawl.moves import Contest, First, Foul, Remedy, Settle
from engines.brawl.place import letter
from engines.brawl.scoring import is_score_due
from engines.brawl.state import Landed, Row, State
from engines.brawl.timing import contact_ruling, rival_of
from engines.brawl.words import place_text
from engines.core import Objection, RuleRef, Text, Verdict

FOULS = RuleRef("4.3")


def is_foul(state: State, move: Foul) -> Objection | None:
    """A foul is a card that the player could have played and that may not lie there."""
    if refusal := may_move_card(state, move):
        return refusal
    row = row_of(state, move.place.pair)
    if row.incident is not None:
        return Objection(FOULS, Text.of("brawl.settle_first", pair=str(row.pair)))
    if may_lie_there(state, move) is None:
        return Objection(
            FOULS,
            Text.of(
                "brawl.no_foul",
                card=move.card.text,
                place=place_text(state, move.place),
            ),
        )
    rival = rival_of(state, row, move)
    timing = contact_ruling(state.options, move, rival) if rival else None
    if timing is not None and timing.verdict is not Verdict.REJECTED:
        return Objection(timing.rule, timing.reason)
    return None


def may_contest(state: State, move: Contest) -> Objection | None:
    """A card may claim to have been first if the latest card alone is in its way."""
    refusal = (
        seated(state, move.seat)
        or not_given_up(state)
        or neighbour(state, move.seat, move.place.pair)
        or in_reach(state, move.seat, move.card, move.source)
    )
    if refusal:
        return refusal
    rival = rival_of(state, row_of(state, move.place.pair), move)
    if rival is None:
        return Objection(RuleRef("B-13"), Text.of("brawl.no_contest"))
    timing = contact_ruling(state.options, move, rival)
    if timing is not None and timing.verdict is Verdict.REJECTED:
        return Objection(timing.rule, timing.reason)
    return None


def may_settle(state: State, move: Settle) -> Objection | None:
    """The offender takes an illegal card back; what was built on is the opponent's."""
    if refusal := seated(state, move.seat) or neighbour(state, move.seat, move.pair):
        return refusal
    row = row_of(state, move.pair)
    incident = row.incident
    if incident is None or incident.rival is not None:
        return Objection(FOULS, Text.of("brawl.nothing_to_settle", pair=str(row.pair)))
    offender = incident.card.seat
    owed = offender if move.remedy is Remedy.TAKE_BACK else row.pair.other(offender)
    if move.seat != owed:
        return Objection(FOULS, Text.of("brawl.not_yours_to_settle", seat=letter(owed)))
    if move.remedy in remedies(state, row):
        return None
    reason = "too_late_to_restore" if is_score_due(state, row) else "other_remedy"
    return Objection(FOULS, Text.of(f"brawl.{reason}"))


def remedies(state: State, row: Row) -> tuple[Remedy, ...]:
    """Return what can be done about the open foul of a row."""
    if is_score_due(state, row):
        return (Remedy.STAND, Remedy.CLAIM)
    if dependents(state, row):
        return (Remedy.RESTORE, Remedy.STAND, Remedy.CLAIM)
    return (Remedy.TAKE_BACK,)


def dependents(state: State, row: Row) -> tuple[Landed, ...]:
    """Return the cards that have to go too if the row's open foul goes."""
    assert row.incident is not None
    _, returned = restored(row.incident, block_on_hit2=state.allows_block_on_hit2)
    return returned


def may_say_first(state: State, move: First) -> Objection | None:
    """The referee answers for the two whose cards met."""
    row = state.row(move.pair)
    if row is None or row.incident is None or row.incident.rival is None:
        return Objection(
            RuleRef("B-13"), Text.of("brawl.nothing_to_settle", pair=str(move.pair))
        )
    if move.seat is not None and move.seat not in move.pair:
        return Objection(
            RuleRef("B-13"),
            Text.of("brawl.not_in_pair", seat=letter(move.seat), pair=str(move.pair)),
        )
    return None
