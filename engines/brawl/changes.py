"""The moves that explain what now lies on the table, or what must be asked.

Changes are put into an order in which each is legal. Where there is none, the moves
that are legal come first and then one that is not: as a `Play`, which `judge` rejects
with the rule, so that the foul is ruled on and never swallowed. What cannot be
explained holds nothing else up: it is asked when all the rest has been played.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

from engines.brawl.advance import advance
from engines.brawl.asking import questions
from engines.brawl.diff import (
    Change,
    PileDiff,
    RowDiff,
    pile_diff,
    played_from_pile,
    row_diffs,
)
from engines.brawl.faces import Face
from engines.brawl.fouls import remedies
from engines.brawl.landing import restored
from engines.brawl.live_questions import (
    ask_face,
    ask_pile,
    ask_problem,
    ask_row,
    ask_who,
    asked_of,
)
from engines.brawl.moves import Act, Move, Remedy, Settle, Swap, Verb
from engines.brawl.ordering import PileStep, Plan, World, plan, seats_of
from engines.brawl.place import Pair, Source
from engines.brawl.rules import objection
from engines.brawl.snapshot import SeenRow, Snapshot, named
from engines.brawl.state import Row, State
from engines.core import Question, Seat

MAX_READINGS = 8
"""Readings of the rows that are tried for one in which all is legal."""


def changes(state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
    """Return the moves that explain the table, or what must be asked first."""
    if state.is_training and state.turn is None:
        return questions(state)[0]
    snapshot = named(snapshot)
    before, state = _corrections(state, snapshot)
    rows = [row for row in state.rows if row.forfeit is None]
    readings = [row_diffs(row.pair, row.cards, snapshot.row(row.pair)) for row in rows]
    best: tuple[_Reading, Plan] | None = None
    for diffs in islice(product(*readings), MAX_READINGS):
        reading = _read(state, snapshot, rows, diffs)
        found = reading.plan(state)
        if best is None:
            best = reading, found
        if found.is_complete:
            best = reading, found
            break
    if best is None:
        return before
    reading, found = best
    moves = (*before, *found.moves)
    if found.illegal is not None and not reading.questions:
        return (*moves, found.illegal)
    if moves or not reading.questions:
        return moves
    return reading.questions[0]


@dataclass(slots=True)
class _Reading:
    """One way to read the table: what is new, and what has to be asked."""

    order: dict[Pair, tuple[int, ...]] = field(default_factory=dict)
    steps: list[Change | PileStep] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    def plan(self, state: State) -> Plan:
        return plan(World(state, self.order), self.steps)


def _read(
    state: State, snapshot: Snapshot, rows: Sequence[Row], diffs: Sequence[RowDiff]
) -> _Reading:
    reading = _Reading()
    found: list[Change] = []
    for row, diff in zip(rows, diffs, strict=True):
        reading.order[row.pair] = diff.order
        seen = snapshot.row(row.pair)
        if not seen.bases and row.cards.bases:
            reading.questions.append(ask_row(row.pair))
            continue
        reading.questions += [ask_problem(problem) for problem in diff.problems]
        found += _without_disputed(row, diff.changes)
        reading.questions += asked_of(snapshot, seen.unclear)
    found = _piles(state, snapshot, found, reading)
    world = World(state, reading.order)
    held: set[tuple[Pair, int]] = set()
    for change in found:
        if (change.pair, change.base) in held:
            continue
        question = _doubt(world, snapshot, change)
        if question is None:
            reading.steps.append(change)
            continue
        reading.questions.append(question)
        held.add((change.pair, change.base))
    # A Freeze waits for the cards that it would freeze.
    reading.steps = [
        step
        for step in reading.steps
        if not (
            isinstance(step, Change)
            and step.card is Face.FREEZE
            and (step.pair, step.base) in held
        )
    ]
    return reading


def _corrections(state: State, snapshot: Snapshot) -> tuple[tuple[Move, ...], State]:
    """Return the swap and the take-backs that bring the state nearer to the table."""
    moves: list[Move] = []
    for row in state.rows:
        seen = snapshot.row(row.pair)
        if not seen.bases or row.forfeit is not None:
            continue
        move = _swap(state, row, seen) or _take_back(state, row, seen)
        if move is not None:
            moves.append(move)
            state = advance(state, move)
    return tuple(moves), state


def _swap(state: State, row: Row, seen: SeenRow) -> Move | None:
    move = Swap(row.pair)
    if objection(state, move) is not None:
        return None
    reversed_cards = replace(row.cards, bases=tuple(reversed(row.cards.bases)))
    as_is = row_diffs(row.pair, row.cards, seen)[0].cost
    return move if row_diffs(row.pair, reversed_cards, seen)[0].cost < as_is else None


def _take_back(state: State, row: Row, seen: SeenRow) -> Move | None:
    incident = row.incident
    if incident is None or incident.rival is not None:
        return None
    moment, _ = restored(incident, block_on_hit2=state.allows_block_on_hit2)
    as_is = row_diffs(row.pair, row.cards, seen)[0].cost
    if row_diffs(row.pair, moment, seen)[0].cost >= as_is:
        return None
    offender = incident.card.seat
    if Remedy.TAKE_BACK in remedies(state, row):
        return Settle(offender, row.pair, Remedy.TAKE_BACK)
    move = Settle(row.pair.other(offender), row.pair, Remedy.RESTORE)
    return move if objection(state, move) is None else None


def _without_disputed(row: Row, found: Sequence[Change]) -> Iterator[Change]:
    """Leave out the card that waits for "who was first": it lies there already."""
    disputed = row.incident.card if row.incident and row.incident.rival else None
    for change in found:
        if (
            disputed is not None
            and change.card is disputed.card
            and change.owner in (None, disputed.seat)
            and (change.base == disputed.base or change.card is Face.BASE)
        ):
            disputed = None
            continue
        yield change


def _piles(
    state: State, snapshot: Snapshot, found: list[Change], reading: _Reading
) -> list[Change]:
    """Add what has happened to the discard piles; plays of a top discard are marked."""
    for seat, seen in zip(state.seats, snapshot.piles, strict=False):
        diff = pile_diff(state.players[seat].pile, seen)
        played = _index_of_play(found, seat, diff)
        if played is not None:
            found[played] = played_from_pile(found[played], seat)
            continue
        if diff.unclear and not state.is_training:
            reading.questions.append(ask_pile(state, seat, diff))
        elif diff.added is not None and diff.added.face is None:
            reading.questions += asked_of(snapshot, (diff.added.piece,))
        elif diff.added is not None:
            reading.steps.append(PileStep(seat, diff.added.face))
        elif diff.removed and objection(state, Act(seat, Verb.LIFT)) is None:
            reading.steps.append(PileStep(seat, None))
    return found


def _index_of_play(found: Sequence[Change], seat: Seat, diff: PileDiff) -> int | None:
    if diff.removed is None:
        return None
    for index, change in enumerate(found):
        if (
            change.card is diff.removed
            and seat in change.pair
            and change.owner in (None, seat)
            and change.source is Source.DECK
        ):
            return index
    return None


def _doubt(world: World, snapshot: Snapshot, change: Change) -> Question | None:
    """Return what has to be asked about a change before it is a move."""
    for doubt in snapshot.doubts:
        if change.piece in doubt.pieces:
            return next(iter(asked_of(snapshot, doubt.pieces)), None)
    if change.piece and change.card is not None:
        for question in snapshot.questions:
            if question.id.startswith("order:") and change.piece in question.pieces:
                return question
    seats = seats_of(world.state, change)
    if change.card is None:
        return ask_face(world, snapshot, change)
    if len(seats) == 1:
        return None
    return ask_who(world, change)
