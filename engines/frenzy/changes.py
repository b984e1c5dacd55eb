"""What happened between a state and what is now on the table."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator
from itertools import takewhile
from typing import TypeAlias

from engines.core import Option, Question, RuleRef
from engines.frenzy import doubts
from engines.frenzy.cards import SEATS, ZONES, Region, Zone
from engines.frenzy.moves import Lay, Lift, Move, Play, Release, Turn
from engines.frenzy.questions import lot_question
from engines.frenzy.sight import joined
from engines.frenzy.snapshot import Doubt, Pile, Seen, Snapshot
from engines.frenzy.spots import Spot, depth_of, laying
from engines.frenzy.state import Laid, Phase, State
from engines.frenzy.still_open import (
    after_the_end,
    is_over,
    still_asked,
    told_apart,
)
from engines.frenzy.texts import say

Change: TypeAlias = "Move | Question"


def changes_of(state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
    """Return the moves that lead from `state` to the table, or what must be asked.

    All that is clear comes first: a doubt about one pile never hides the others, and
    is asked as soon as nothing else has changed. A card that lies where it may not is
    reported as the move that laid it, so that `judge` refuses it with its rule.
    """
    if state.phase is Phase.LOT:
        return lot_question(state.clock_ms)
    if state.phase is Phase.TURN:
        return _turned(state, snapshot)
    if state.phase in (Phase.SPOILS, Phase.OVER):
        return ()
    if not snapshot.is_laid_out:
        return _without_row(snapshot) if state.phase is Phase.BATTLE else ()
    found = list(_found(state, snapshot))
    if _is_cleared(state, snapshot, found):
        return ()  # the players are already taking their cards
    moves = [each for each in found if not isinstance(each, Question)]
    questions = _all_asked(state, snapshot, found) if _may_ask(state) else ()
    if moves or not questions:
        return in_order(moves)
    # Each is put once before any is put again: what came on it can be played then.
    new = [each for each in questions if not each.is_among(snapshot.asked)]
    return (new or questions)[0]


def doubts_of(state: State, snapshot: Snapshot) -> tuple[Question, ...]:
    """Return all that must be asked about the table, beside what nobody doubts."""
    if not _may_ask(state) or not snapshot.is_laid_out:
        return ()
    found = list(_found(state, snapshot))
    if _is_cleared(state, snapshot, found):
        return ()
    return _all_asked(state, snapshot, found)


def _may_ask(state: State) -> bool:
    return state.phase is Phase.BATTLE or is_over(state)


def _all_asked(
    state: State, snapshot: Snapshot, found: Iterable[Change]
) -> tuple[Question, ...]:
    """Return what must be asked of what was found, and what is asked still."""
    time_ms = time_of(state, snapshot)
    questions = (each for each in found if isinstance(each, Question))
    still = still_asked(state, snapshot, time_ms)
    asked = told_apart([*questions, *still], snapshot.asked)
    if state.phase is Phase.ENDED:
        return tuple(after_the_end(state, each, time_ms) for each in asked)
    return tuple(asked)


def _without_row(snapshot: Snapshot) -> tuple[Move, ...] | Question:
    """Return what must be put right before anything can be followed: the finding that
    says why there is no row."""
    for found in snapshot.findings:
        is_row = found.text.id in ("frenzy.found_missing", "frenzy.found_no_row")
        if is_row and found.pieces:  # an empty table has been cleared
            put_right = Option("put_right", say("row_put_right"))
            rule, pieces = RuleRef("2"), found.pieces
            return Question("row", None, found.text, (put_right,), None, rule, pieces)
    return ()


def in_order(moves: list[Move]) -> tuple[Move, ...]:
    """Return the moves of one frame in the order in which hands can have made them.

    A hand leaves a card before it takes the next; one that lies on a card came there
    last; what may end the round comes after what was played beside it.
    """
    ending = {m.seat for m in moves if isinstance(m, Play) and _may_end(m)}

    def rank(move: Move) -> int:
        match move:
            case Release() | Lift():
                return 0
            case Lay():
                return 4 if move.seat in ending else 2
            case Play() if _may_end(move):
                return 3
            case _:
                return 1

    return tuple(sorted(moves, key=rank))


def _may_end(move: Play) -> bool:
    return move.region.zone is Zone.HQ


def _is_cleared(state: State, snapshot: Snapshot, found: Iterable[Change]) -> bool:
    """Return whether a round is over and a card is gone of which that was not asked
    before."""
    asked = {question.id for question in snapshot.asked}
    questions = (each for each in found if isinstance(each, Question))
    return state.phase is Phase.ENDED and any(
        q.id.startswith("gone.") and q.id not in asked for q in questions
    )


def _turned(state: State, snapshot: Snapshot) -> tuple[Move, ...]:
    number = snapshot.round
    if number is None or number <= state.round or state.first is None:
        return ()
    return (Turn(state.first, number, time_of(state, snapshot)),)


def time_of(state: State, snapshot: Snapshot) -> int:
    """Return the time of the frame; without one, the next frame after the last move."""
    if snapshot.time_ms is not None:
        return snapshot.time_ms
    return state.clock_ms + math.ceil(state.options.frame_period_ms)


def _found(state: State, snapshot: Snapshot) -> Iterator[Change]:
    time_ms = time_of(state, snapshot)
    placed, open_doubts = _told_apart(state, snapshot)
    unsure = {place for doubt in open_doubts for place in doubt.regions}
    asked = {piece for question in snapshot.asked for piece in question.pieces}
    for seat in SEATS:
        for zone in ZONES:
            place = Region(seat, zone)
            pile = snapshot.pile(place)
            for seen in placed.get(place, ()):
                pile = joined(pile, seen)
            pile, releases = _without_waiting(state, place, pile, time_ms)
            yield from releases
            if place not in unsure:
                player = state.players[seat]
                yield from _at(Spot(place, player, pile, time_ms, state.options), asked)
    for doubt in open_doubts:
        yield doubts.misplaced(state, doubt, time_ms)


def _told_apart(
    state: State, snapshot: Snapshot
) -> tuple[dict[Region, list[Seen]], list[Doubt]]:
    """Return the doubtful cards whose place the state knows, and the other doubts."""
    placed: dict[Region, list[Seen]] = {}
    open_doubts = []
    for doubt in snapshot.doubts:
        places = [
            place
            for place in doubt.regions
            for laid in state.players[place.seat].pile(place.zone)
            if laid.piece == doubt.seen.piece
        ]
        if places:
            placed.setdefault(places[0], []).append(doubt.seen)
        else:
            open_doubts.append(doubt)
    return placed, open_doubts


def _without_waiting(
    state: State, place: Region, pile: Pile, time_ms: int
) -> tuple[Pile, list[Move]]:
    """Return the pile without cards that lie there but do not count yet or any more:
    the one whose release is in doubt, and one that was touched at the end."""
    releases: list[Move] = []
    hidden = set()
    race = state.race
    if race is not None and (race.seat, race.zone) == (place.seat, place.zone):
        hidden |= _shown(pile, race.laid)
    for entry in state.end.returned if state.end is not None else ():
        if entry.laid is None or (entry.seat, entry.zone) != (place.seat, place.zone):
            continue
        shown = _shown(pile, entry.laid)
        hidden |= shown
        if any(seen.piece in shown and not seen.touched for seen in pile.cards):
            releases.append(Release(place.seat, time_ms))
    if not hidden:
        return pile, releases
    cards = tuple(seen for seen in pile.cards if seen.piece not in hidden)
    return Pile(cards), releases


def _shown(pile: Pile, laid: Laid) -> set[str]:
    """Return the piece that shows a laid card, by id or else by its face on top."""
    for seen in pile.cards:
        if seen.piece == laid.piece:
            return {seen.piece}
    top = pile.top
    is_it = top is not None and laid.piece is None and top.card is laid.card
    return {top.piece} if top is not None and is_it else set()


def _at(spot: Spot, asked: Container[str]) -> Iterator[Change]:
    """Yield what changed in one region; people are `asked` about these pieces. What
    lies on an unread card waits till that is asked, Heroes side by side do not."""
    new, depth, seen = _compared(spot)
    if spot.pile.unclear and len(new) > 1:
        yield doubts.unclear_top(spot, new)
        return
    if seen is None:
        if spot.laid and not new:
            yield from _taken_off(spot, len(spot.laid), is_sure=True)
        elif spot.has_hand:
            yield Release(spot.place.seat, spot.time_ms)
    elif depth > 0:
        yield from _taken_off(spot, depth, is_sure=spot.laid[depth].piece == seen.piece)
    elif spot.has_hand and not seen.touched:
        yield Release(spot.place.seat, spot.time_ms)
    elif not new and not _is_same(spot.laid[0], seen):
        yield doubts.same_face(spot, seen)
    elif not new:
        yield from _unexplained(spot)
    for each in reversed(new):
        yield _new_card(spot, each)
        # What is asked about stays open, and what came on it is played or asked about.
        is_open = each.piece in asked or spot.place.zone is Zone.HQ
        if each.card is None and not is_open:
            return


def _compared(spot: Spot) -> tuple[list[Seen], int, Seen | None]:
    """Return the new cards from the top, and the upper known one with its depth: of
    Heroes side by side a hand may be on the lower one, which seems on top then."""
    pile, least = spot.pile, len(spot.laid)
    known: list[tuple[Seen, int | None]] = []
    is_heap = not pile.unclear and spot.place.zone is not Zone.HQ
    for seen in reversed(pile.cards):
        depth = depth_of(spot.laid, seen, pile, least)
        known.insert(0, (seen, depth))
        if is_heap and depth is not None and spot.laid[depth].piece == seen.piece:
            least = min(least, depth)
    if spot.pile.unclear:  # side by side: what is new was laid last
        known.sort(key=lambda pair: -1 if pair[1] is None else pair[1])
    new = [seen for seen, _ in takewhile(lambda pair: pair[1] is None, known)]
    found = [(depth, seen) for seen, depth in known if depth is not None]
    if not found:
        return new, 0, None
    depth, top = min(found, key=lambda pair: pair[0])
    return new, depth, top


def _unexplained(spot: Spot) -> Iterator[Change]:
    """Yield what lies there that the state does not explain, although nothing is new on
    top: a card noted under another name, and a Hero that nobody saw laid. One card
    without a name may be any that was noted and is not seen."""
    by_piece = {laid.piece: laid for laid in reversed(spot.laid) if laid.piece}
    cards = spot.pile.cards
    for seen in cards:
        noted = by_piece.get(seen.piece)
        if noted is not None and seen.card not in (None, noted.card):
            yield doubts.other_face(spot, seen, noted)
            return
    loose = [seen for seen in cards if seen.piece not in by_piece]
    pieces = {seen.piece for seen in cards}
    unseen = [laid for laid in spot.laid if laid.piece not in pieces]
    if spot.place.zone is Zone.HQ and len(loose) > len(unseen):
        yield _new_card(spot, loose[-1])


def _is_same(laid: Laid, seen: Seen) -> bool:
    return laid.piece in (None, seen.piece)


def _taken_off(spot: Spot, depth: int, *, is_sure: bool) -> Iterator[Change]:
    """Yield why the upper cards of a pile are gone."""
    if not spot.has_hand:
        yield doubts.gone(spot)
    elif is_sure and depth == 1:
        yield Lift(spot.place.seat, spot.time_ms)
    else:
        yield doubts.lifted(spot)


def _new_card(spot: Spot, seen: Seen) -> Change:
    if seen.card is None:
        return doubts.unread(spot, seen)
    return laying(seen, seen.card, spot.place, spot.time_ms, spot.options)
