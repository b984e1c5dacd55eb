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
    Problem,
    RowDiff,
    pile_diff,
    played_from_pile,
    row_diffs,
)
from engines.brawl.faces import Face
from engines.brawl.landing import restored
from engines.brawl.moves import Act, Discard, Move, Remedy, Settle, Swap, Verb
from engines.brawl.ordering import PileStep, Plan, World, candidates, plan, seats_of
from engines.brawl.rules import objection, remedies
from engines.brawl.snapshot import SeenCard, SeenRow, Snapshot, named
from engines.brawl.state import Pair, Row, Source, State, letter
from engines.brawl.words import base_text, in_row, seat_text
from engines.core import Option, Question, RuleRef, Seat, Text

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
            reading.questions.append(_row_hidden(row.pair))
            continue
        reading.questions += [_ask_problem(problem) for problem in diff.problems]
        found += _without_disputed(row, diff.changes)
        reading.questions += _asked_of(snapshot, seen.unclear)
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
            reading.questions.append(_ask_pile(state, seat, diff))
        elif diff.added is not None and diff.added.face is None:
            reading.questions += _asked_of(snapshot, (diff.added.piece,))
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
            return next(iter(_asked_of(snapshot, doubt.pieces)), None)
    if change.piece and change.card is not None:
        for question in snapshot.questions:
            if question.id.startswith("order:") and change.piece in question.pieces:
                return question
    seats = seats_of(world.state, change)
    if change.card is None:
        return _ask_face(world, snapshot, change)
    if len(seats) == 1:
        return None
    return _ask_who(world, change)


def _ask_face(world: World, snapshot: Snapshot, change: Change) -> Question:
    """Which card is this? With the play that it would be, where the player is clear."""
    asked = next(
        (q for q in snapshot.questions if q.id == f"label:{change.piece}"), None
    )
    texts = (
        [(option.value, option.text) for option in asked.options]
        if asked
        else [(face.value, face.text) for face in Face]
    )
    options = []
    for value, text in texts:
        face = Face(value) if value in set(Face) else None
        moves = list(candidates(world, replace(change, card=face))) if face else []
        options.append(Option(value, text, str(moves[0]) if len(moves) == 1 else None))
    return Question(
        f"label:{change.piece}",
        None,
        Text.of("brawl.ask_label"),
        tuple(options),
        None,
        RuleRef("3"),
        (change.piece,),
    )


def _ask_who(world: World, change: Change) -> Question:
    """Who laid this card? For a Base: whose is it (B-15)?"""
    assert change.card is not None
    base = change.card is Face.BASE
    options = []
    for seat in (change.pair.first, change.pair.second):
        moves = list(candidates(world, replace(change, owner=seat)))
        move = str(moves[0]) if moves else None
        options.append(Option(letter(seat), seat_text(seat), move))
    order = world.order[change.pair]
    where = order.index(change.base) if change.base in order else None
    place = (
        Text.of("brawl.place_cleared")
        if where is None
        else in_row(
            base_text(where, len(order)), change.pair, several=len(world.order) > 1
        )
    )
    key = "owner" if base else "who"
    text = (
        Text.of("brawl.ask_owner", base=place)
        if base
        else Text.of("brawl.ask_who", card=change.card.text, place=place)
    )
    pieces = (change.piece,) if change.piece else ()
    return Question(
        f"{key}:{change.piece or f'{change.pair}:{change.base}'}",
        None,
        text,
        tuple(options),
        None,
        RuleRef("B-15") if base else RuleRef("4.1"),
        pieces,
    )


def _ask_pile(state: State, seat: Seat, diff: PileDiff) -> Question:
    """Was the top discard lifted, or was a like one laid on it?"""
    assert diff.added is not None
    assert diff.added.face is not None
    assert diff.removed is not None
    options = (
        Option(
            "lift",
            Text.of("brawl.answer_lifted", card=diff.removed.text),
            str(Act(seat, Verb.LIFT)),
        ),
        Option(
            "discard",
            Text.of("brawl.answer_discarded", card=diff.added.face.text),
            str(_discard(state, seat, diff.added)),
        ),
    )
    text = Text.of("brawl.ask_pile", seat=letter(seat))
    return Question(
        f"pile:{letter(seat)}",
        seat,
        text,
        options,
        None,
        RuleRef("4.1"),
        (diff.added.piece,),
    )


def _discard(state: State, seat: Seat, card: SeenCard) -> Discard:
    assert card.face is not None
    hand = state.players[seat].hand
    return Discard(seat, card.face, Source.HAND if hand else Source.DECK)


def _ask_problem(problem: Problem) -> Question:
    """Something has gone or changed: it is put right on the table, or undone."""
    options = (
        Option("put_right", Text.of("brawl.answer_put_right")),
        Option("undo", Text.of("brawl.answer_undo")),
    )
    pieces = tuple(piece for piece in problem.pieces if piece)
    name = ",".join(pieces) or "table"
    return Question(
        f"differs:{name}", None, problem.text, options, None, RuleRef("3"), pieces
    )


def _row_hidden(pair: Pair) -> Question:
    text = Text.of("brawl.row_hidden", pair=str(pair))
    options = (Option("put_right", Text.of("brawl.answer_put_right")),)
    return Question(f"hidden:{pair}", None, text, options, None, RuleRef("3"))


def _asked_of(snapshot: Snapshot, pieces: Sequence[str]) -> list[Question]:
    """Return the questions of the snapshot about any of these pieces."""
    return [
        question
        for question in snapshot.questions
        if any(piece in question.pieces for piece in pieces)
    ]
