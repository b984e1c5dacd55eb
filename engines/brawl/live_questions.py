"""Questions that the table raises in a live game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engines.brawl.diff import Change, PileDiff, Problem
from engines.brawl.faces import Face
from engines.brawl.moves import Act, Discard, Verb
from engines.brawl.ordering import World, candidates
from engines.brawl.place import Pair, Source, letter
from engines.brawl.snapshot import SeenCard, Snapshot
from engines.brawl.state import State
from engines.brawl.words import base_text, in_row, seat_text
from engines.core import Option, Question, RuleRef, Seat, Text


def ask_face(world: World, snapshot: Snapshot, change: Change) -> Question:
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


def ask_who(world: World, change: Change) -> Question:
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


def ask_pile(state: State, seat: Seat, diff: PileDiff) -> Question:
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


def ask_problem(problem: Problem) -> Question:
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


def ask_row(pair: Pair) -> Question:
    """A whole row is out of sight."""
    text = Text.of("brawl.row_hidden", pair=str(pair))
    options = (Option("put_right", Text.of("brawl.answer_put_right")),)
    return Question(f"hidden:{pair}", None, text, options, None, RuleRef("3"))


def asked_of(snapshot: Snapshot, pieces: Sequence[str]) -> list[Question]:
    """Return the questions of the snapshot about any of these pieces."""
    return [
        question
        for question in snapshot.questions
        if any(piece in question.pieces for piece in pieces)
    ]
