"""What was asked about a pile, while other cards came on it or the round ended.

In real time nobody has a hand free to answer. What is played meanwhile is played at
once; the question stays, and its answer puts the card where it lay: below them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from engines.core import Option, Question
from engines.frenzy.cards import Card, Region
from engines.frenzy.moves import Lay, Move, Play, Restore
from engines.frenzy.notation import parse_move
from engines.frenzy.sight import NOTHING
from engines.frenzy.snapshot import Snapshot
from engines.frenzy.state import Phase, State

AS_IT_WAS = {"card": NOTHING, "same": "same", "gone": "there"}
"""The answer to each kind of question by which a pile keeps its height."""


def still_asked(state: State, snapshot: Snapshot, time_ms: int) -> Iterator[Question]:
    """Yield what was asked about piles on which cards came since, with the answers that
    hold now, as long as what is asked about was not taken away."""
    for question in snapshot.asked:
        kind = question.id.partition(".")[0]
        was = _as_it_was(question, kind)
        if was is None:
            continue
        known = _known(state, was.region)
        since = known[: len(known) - len(was.cards)]
        if known[len(since) :] != was.cards or not _is_open(state, snapshot, question):
            continue
        if since or _is_below(state, snapshot, question, was.region):
            yield _as_set(state, question, since, was.cards, time_ms)


def after_the_end(state: State, question: Question, time_ms: int) -> Question:
    """Return what is asked when a round is over: nothing can be played any more, but it
    can be said what the piles held."""
    found = _as_set(state, question, (), (), time_ms)
    kept = [option for option in found.options if isinstance(_move(option), Restore)]
    return replace(found, options=tuple(kept))


def is_asked(snapshot: Snapshot, question: Question) -> bool:
    """Return whether people are asked this already."""
    return any(
        (asked.id, asked.pieces) == (question.id, question.pieces)
        for asked in snapshot.asked
    )


def without_double(questions: Iterable[Question]) -> list[Question]:
    """Return the questions, each once."""
    return list({question.id: question for question in questions}.values())


def _is_open(state: State, snapshot: Snapshot, question: Question) -> bool:
    """Return whether what is asked about lies there, and nothing is noted of it yet."""
    asked = set(question.pieces)
    seen = {s.piece for piles in snapshot.piles for pile in piles for s in pile.cards}
    noted = {
        laid.piece for player in state.players for pile in player.piles for laid in pile
    }
    return asked <= seen and not asked & noted


def _is_below(
    state: State, snapshot: Snapshot, question: Question, place: Region
) -> bool:
    """Return whether a question was about a pile below the card that is known to lie on
    top now; else the table itself says whether it is still to be asked."""
    laid, top = state.players[place.seat].pile(place.zone), snapshot.pile(place).top
    if not laid or top is None or top.piece != laid[0].piece:
        return False
    never = _option(question, "never")
    if never is not None:
        return never.cards[:1] == (laid[0].card,)
    return bool(question.pieces)


def _as_it_was(question: Question, kind: str) -> Restore | None:
    return _option(question, AS_IT_WAS.get(kind, ""))


def _option(question: Question, value: str) -> Restore | None:
    """Return the move of an option that says what a pile holds."""
    moves = (_move(option) for option in question.options if option.value == value)
    return next((move for move in moves if isinstance(move, Restore)), None)


def _as_set(
    state: State,
    question: Question,
    since: tuple[Card, ...],
    was: tuple[Card, ...],
    time_ms: int,
) -> Question:
    """Return a question whose answers say what a pile holds: `since` came on it, on
    what was there when it was asked (`was`, else what lies there)."""
    options = []
    for option in question.options:
        move = _move(option)
        match move:
            case Restore():
                cards, place = (*since, *move.cards), move.region
            case Lay() | Play():
                place = move.region
                below = was if since else _known(state, place)
                cards = (*since, move.card, *below)
            case _:
                options.append(option)
                continue
        piece = _top_piece(state, place) if since else move.piece
        move = Restore(place, cards, time_ms, piece)
        options.append(replace(option, move=str(move)))
    return replace(question, options=tuple(options))


def _known(state: State, place: Region) -> tuple[Card, ...]:
    pile = state.players[place.seat].pile(place.zone)
    return tuple(laid.card for laid in pile)


def _top_piece(state: State, place: Region) -> str | None:
    pile = state.players[place.seat].pile(place.zone)
    return pile[0].piece if pile else None


def _move(option: Option) -> Move | None:
    return None if option.move is None else parse_move(option.move)


def is_over(state: State) -> bool:
    """Return whether the round has ended, and it can be said what the piles held."""
    return state.phase is Phase.ENDED and state.race is None
