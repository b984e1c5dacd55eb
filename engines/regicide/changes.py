"""Which moves explain what now lies on the table.

Only cards tell: those that lie open now and did not before. They are read in the order
of a turn: an enemy that was turned, a play of whoever is to move, his discards, and so
on for several turns at once. History settles what a photo cannot: whose turn it is says
who played, and all new cards of one player are one play.

What a camera cannot see (cards moved under the Tavern, cards drawn, a spoken "I yield",
who was chosen after a Joker) is asked, but only once something new lies there. A move
comes back even where the rules forbid it, with the seat and the cards as they lie, and
`judge` rules on it: it is for the referee to refuse, not for the camera to hide. No
moves at all means that nothing new lies there.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.core import Card, Option, Question, RuleRef, Seat, Suit, Text
from engines.regicide.asking import move_option, questions
from engines.regicide.cards import hit_points_of, seat_name, spoken_all
from engines.regicide.doubts import which_card
from engines.regicide.facts import can_yield, next_rank
from engines.regicide.grouping import Clump, clumps, is_suspicious
from engines.regicide.layout import lay_out
from engines.regicide.moves import Flip, Move, Play, Reveal, Top, Yield
from engines.regicide.news import News, cards_of, news_of, others_move
from engines.regicide.rules import objection
from engines.regicide.sets import damage, is_set
from engines.regicide.snapshot import Heap, Snapshot, card_of
from engines.regicide.state import Phase, State
from engines.regicide.strange import (
    first_enemy,
    impossible_enemy,
    unread_card,
    which_enemy,
)
from engines.regicide.suffering import phase_four
from engines.regicide.turn import advance


def changes(state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
    """Return the moves that lead from `state` to the table, or what must be asked."""
    if state.phase is Phase.OVER:
        return ()
    if not state.started:
        return _set_up(state, snapshot)
    snapshot = _with_enemy(state, snapshot)
    unread = unread_card(state, snapshot)
    if unread is not None:
        return which_card(snapshot, unread, state.options, is_followed=True)
    strange = impossible_enemy(state, snapshot)
    if strange is not None:
        return which_enemy(state, strange)
    if _has_flipped(state, snapshot):
        return (Flip(state.current),)
    return _explain(state, news_of(state, snapshot))


def _set_up(state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
    seen = None if snapshot.enemy is None else card_of(snapshot.enemy)
    if state.phase is Phase.REVEAL and seen is not None and not snapshot.rivals:
        assert snapshot.enemy is not None
        if seen.rank is not next_rank(state):
            return first_enemy(state, snapshot.enemy, seen)
        return (Reveal(seen),)
    return questions(state)[0]


# What is new -------------------------------------------------------------------------


def _with_enemy(state: State, snapshot: Snapshot) -> Snapshot:
    """Lay the table out around the enemy that is being fought, if it is seen."""
    if state.enemy is None:
        return snapshot
    for piece in snapshot.pieces:
        if card_of(piece) == state.enemy and piece is not snapshot.enemy:
            return lay_out(snapshot.pieces, state.options, enemy=piece)
    return snapshot


def _has_flipped(state: State, snapshot: Snapshot) -> bool:
    """Return whether a solo Joker was turned face down."""
    return len(snapshot.jokers) < state.jokers and bool(snapshot.backs)


# Explaining it -----------------------------------------------------------------------


def _explain(state: State, news: News) -> tuple[Move, ...] | Question:
    """Follow the phases as far as the new cards carry."""
    while news:
        step = _step(state, news)
        if isinstance(step, Question) and not news.moves:
            return step
        if step is None or isinstance(step, Question):
            break
        news.moves.append(step)
        if objection(state, step) is not None:
            break
        state = advance(state, step)
    return tuple(news.moves)


def _step(state: State, news: News) -> Move | Question | None:
    """Return the next move, a question, or `None` when the table says no more."""
    match state.phase:
        case Phase.REVEAL:
            if news.enemy is None:
                return questions(state)[0]
            card, news.enemy = news.enemy, None
            return Reveal(card)
        case Phase.PLAY:
            return _phase_one(state, news)
        case Phase.SUFFER:
            return phase_four(state, news)
        case Phase.OVER:
            return None
        case _:
            return questions(state)[0]


def _phase_one(state: State, news: News) -> Move | Question | None:
    own = [heap for heap in news.heaps if state.current in heap.seats]
    if own and not news.has_piles:
        sure = [heap for heap in own if len(heap.seats) == 1]
        if not sure:
            return _whether_played(state, own)
        own = sure
    if own:
        return _own_play(state, news, own)
    if news.enemy is not None:
        return _after_a_kill(state, news)
    if news.discards and None in state.discard:
        return Top(news.discards.pop())
    return _yield_or_else(state, news)


def _whether_played(state: State, heaps: Sequence[Heap]) -> Question:
    """Ask for what lies between the areas while the piles are not seen: it may be an
    old discard that was put under the Tavern and lies there still."""
    cards = cards_of(piece for heap in heaps for piece in heap.pieces)
    move = Play(state.current, cards)
    return Question(
        id=f"played:{cards[0]}",
        to=state.current,
        text=Text.of(
            "regicide.ask_played",
            seat=seat_name(state.current),
            cards=spoken_all(cards),
        ),
        options=(
            move_option(move, Text.of("core.yes")),
            Option("before", Text.of("regicide.lay_there")),
        ),
        rule=RuleRef("4.1"),
        pieces=tuple(piece.id for heap in heaps for piece in heap.pieces),
    )


def _own_play(state: State, news: News, own: Sequence[Heap]) -> Move | Question:
    """Take all new cards of the current player as one play if that can be meant."""
    cards = cards_of(piece for heap in own for piece in heap.pieces)
    if is_set(cards) or is_suspicious(cards):
        news.heaps = [heap for heap in news.heaps if heap not in own]
        return Play(state.current, cards)
    return _how_played(state.current, clumps([h.pieces for h in own], news.unit), cards)


def _how_played(
    seat: Seat, parts: Sequence[Clump], cards: tuple[Card, ...]
) -> Question:
    """Ask which of several plays came first: nobody saw them being laid."""
    plays = [
        play
        for part in parts
        for reading in part.readings
        if reading.is_legal
        for play in reading.plays
    ]
    moves = dict.fromkeys(Play(seat, play) for play in (*plays, cards))
    return Question(
        id="first_play",
        to=seat,
        text=Text.of("regicide.ask_first_play", cards=spoken_all(cards)),
        options=tuple(move_option(move, spoken_all(move.cards)) for move in moves),
        rule=RuleRef("4.1"),
        pieces=tuple(p.id for part in parts for p in part.pieces),
    )


def _after_a_kill(state: State, news: News) -> Move | Question:
    """A new enemy lies open: the play that killed is on the discard pile by now."""
    cards = tuple(news.discards)
    if is_set(cards) and _kills(state, cards):
        news.discards = []
        return Play(state.current, cards)
    assert news.snapshot.enemy is not None
    return which_enemy(state, news.snapshot.enemy)


def _kills(state: State, cards: Sequence[Card]) -> bool:
    if state.enemy is None:
        return False
    dealt = damage(cards, doubled=state.is_blocked is not Suit.CLUBS)
    return state.dealt + dealt >= hit_points_of(state.enemy)


def _yield_or_else(state: State, news: News) -> Move | Question:
    """Somebody else's cards, or discards, lie there: did the current player yield?"""
    seat = state.current
    other = others_move(news)
    if not can_yield(state, seat):
        return other
    return Question(
        id="yielded",
        to=seat,
        text=Text.of("regicide.ask_yielded", seat=seat_name(seat)),
        options=(
            move_option(Yield(seat), Text.of("regicide.did_yield")),
            move_option(other, Text.of("regicide.did_not_yield")),
        ),
        rule=RuleRef("4.2"),
    )
