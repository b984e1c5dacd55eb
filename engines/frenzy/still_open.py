"""What was asked about a pile, while other cards came on it or the round ended.

In real time nobody has a hand free to answer. What is played meanwhile is played at
once; the question stays, and its answer puts the card where it lay: below them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import takewhile

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
        was = _as_it_was(question)
        if was is None or not _is_open(state, snapshot, question):
            continue
        known = _known(state, was.region)
        if _is_told_of(state, was, question):
            at = _let_in_at(known, was.cards, question)
            if at is not None:
                is_below = _is_on_what_was_told(state, snapshot, question, was.region)
                yield _with_card(question, was.cards, known, at, is_below, time_ms)
            continue
        since = known[: len(known) - len(was.cards)]
        if known[len(since) :] != was.cards:
            continue
        if since or _is_below(state, snapshot, question, was.region):
            yield _as_set(state, question, since, was.cards, time_ms)


def after_the_end(state: State, question: Question, time_ms: int) -> Question:
    """Return what is asked when a round is over: nothing can be played any more, but it
    can be said what the piles held."""
    found = _as_set(state, question, (), (), time_ms)
    kept = [option for option in found.options if isinstance(_move(option), Restore)]
    return replace(found, options=tuple(kept))


def told_apart(
    questions: Iterable[Question], asked: Iterable[Question]
) -> tuple[Question, ...]:
    """Return each question once, as it comes first, under the id under which it is
    `asked` already; of two cards of one pile the later one's id says which piece that
    is."""
    about: dict[tuple[str, tuple[str, ...] | str], Question] = {}
    for each in questions:
        about.setdefault((_kind(each), each.pieces or each.id), each)
    known = {(_kind(each), each.pieces or each.id): each.id for each in asked}
    taken = {known[key] for key in about if key in known}
    found = []
    for key, question in about.items():
        own = known.get(key, question.id)
        if key not in known and own in taken:
            own = ".".join((own, *question.pieces))
        taken.add(own)
        found.append(replace(question, id=own))
    return tuple(found)


def _kind(question: Question) -> str:
    return question.id.partition(".")[0]


def _is_open(state: State, snapshot: Snapshot, question: Question) -> bool:
    """Return whether what is asked about lies there, nothing is noted of it yet, and it
    is not on top of all that is: else the table itself tells what to ask."""
    asked = set(question.pieces)
    piles = [
        [s.piece for s in pile.cards] for piles in snapshot.piles for pile in piles
    ]
    noted = {
        laid.piece for player in state.players for pile in player.piles for laid in pile
    }
    if not asked <= {piece for pile in piles for piece in pile} or asked & noted:
        return False
    above = (pile[: pile.index(piece)] for pile in piles for piece in asked & set(pile))
    return not asked or any(not noted.isdisjoint(pieces) for pieces in above)


def _is_told_of(state: State, was: Restore, question: Question) -> bool:
    """Return whether a pile holds one card more than it did and none came on top: what
    another card below that one is was answered meanwhile."""
    known = _known(state, was.region)
    top = _top_piece(state, was.region)
    is_same_top = top is not None and top == was.piece and top not in question.pieces
    return is_same_top and len(known) == len(was.cards) + 1


def _let_in_at(
    known: tuple[Card, ...], was: tuple[Card, ...], question: Question
) -> int | None:
    """Return where in the pile a card was let in, counted from the top: as near as may
    be to where the one belongs that is asked about; `None` where the pile is another
    one."""
    places = [
        at for at in range(1, len(known)) if (*known[:at], *known[at + 1 :]) == was
    ]
    moves = [_move(option) for option in question.options]
    gaps = [_alike(move.cards, was) for move in moves if isinstance(move, Restore)]
    gap = min(gaps, default=0)  # where the card has its neighbour's face, one further
    return min(places, key=lambda at: abs(at - gap), default=None)


def _is_on_what_was_told(
    state: State, snapshot: Snapshot, question: Question, place: Region
) -> bool:
    """Return whether the card asked about lies on the one that was told of last: an
    unread one that nobody is asked about any more."""
    asked = {piece for each in snapshot.asked for piece in each.pieces}
    noted = {laid.piece for laid in state.players[place.seat].pile(place.zone)}
    cards = snapshot.pile(place).cards
    order = [seen.piece for seen in cards]
    if not question.pieces or question.pieces[0] not in order:
        return False
    lower = cards[order.index(question.pieces[0]) + 1 :]
    told = [piece for piece in snapshot.answered if piece in {*order} - asked - noted]
    if told:
        return told[-1] in {seen.piece for seen in lower}
    return any(seen.card is None and seen.piece not in asked | noted for seen in lower)


def _with_card(
    question: Question,
    was: tuple[Card, ...],
    known: tuple[Card, ...],
    at: int,
    is_below: bool,
    time_ms: int,
) -> Question:
    """Return a question with one card more in what its answers say that the pile holds:
    the one that was let in there, below the card that is asked about or above it."""
    options = []
    for option in question.options:
        move = _move(option)
        if not isinstance(move, Restore):
            options.append(option)
            continue
        cards, end = move.cards, len(was) - at
        may_be_above = _alike(cards, was) >= at
        may_be_below = _alike(cards[::-1], was[::-1]) >= end
        from_top = may_be_above and not (is_below and may_be_below)
        here = at if from_top else len(cards) - end
        cards = (*cards[:here], known[at], *cards[here:])
        move = replace(move, cards=cards, time_ms=time_ms)
        options.append(replace(option, move=str(move)))
    return replace(question, options=tuple(options))


def _alike(cards: tuple[Card, ...], others: tuple[Card, ...]) -> int:
    """Return how many cards are the same from the top on."""
    pairs = zip(cards, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))


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


def _as_it_was(question: Question) -> Restore | None:
    return _option(question, AS_IT_WAS.get(_kind(question), ""))


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
