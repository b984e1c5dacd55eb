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

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from engines.core import Card, Option, Piece, Question, RuleRef, Seat, Suit, Text
from engines.regicide.asking import questions
from engines.regicide.cards import hit_points_of, seat_name, spoken, spoken_all
from engines.regicide.doubts import which_card
from engines.regicide.facts import can_yield
from engines.regicide.grouping import Clump, clumps, is_suspicious
from engines.regicide.layout import lay_out
from engines.regicide.moves import Discard, Flip, Move, Play, Reveal, Top, Yield
from engines.regicide.rules import covers, objection
from engines.regicide.sets import damage, is_set
from engines.regicide.snapshot import Heap, Snapshot, card_of
from engines.regicide.state import Phase, State
from engines.regicide.turn import advance

MOST_DISCARDS = 8
"""A hand holds no more cards than this."""


@dataclass(slots=True)
class _News:
    """What lies open and is not explained yet; used up move by move."""

    enemy: Card | None
    heaps: list[Heap]
    discards: list[Card]
    unit: float
    moves: list[Move] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.heaps or self.discards or self.enemy)


def changes(state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
    """Return the moves that lead from `state` to the table, or what must be asked."""
    if state.phase is Phase.OVER:
        return ()
    if not state.started:
        return _set_up(state, snapshot)
    snapshot = _with_enemy(state, snapshot)
    unread = _unread(state, snapshot)
    if unread is not None:
        return which_card(snapshot, unread, state.options)
    if _has_flipped(state, snapshot):
        return (Flip(state.current),)
    return _explain(state, _news(state, snapshot))


def _set_up(state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
    seen = None if snapshot.enemy is None else card_of(snapshot.enemy)
    if state.phase is Phase.REVEAL and seen is not None and not snapshot.rivals:
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


def _known(state: State) -> Counter[Card]:
    """Return the cards that lie, or may still lie, open from before."""
    known = Counter(card for play in state.plays for card in play.cards)
    known.update(card for card in (*state.discard, *state.tavern) if card is not None)
    if state.enemy is not None:
        known[state.enemy] += 1
    return known


def _unread(state: State, snapshot: Snapshot) -> Piece | None:
    """Return a card that must be named, unless it may be one that is known already."""
    unread = [p for p in snapshot.played if card_of(p) is None]
    seen = Counter(card for p in snapshot.pieces if (card := card_of(p)) is not None)
    played = Counter(card for play in state.plays for card in play.cards)
    hidden = (played - seen).total()
    return unread[0] if len(unread) > hidden else None


def _has_flipped(state: State, snapshot: Snapshot) -> bool:
    """Return whether a solo Joker was turned face down."""
    return len(snapshot.jokers) < state.jokers and bool(snapshot.backs)


def _news(state: State, snapshot: Snapshot) -> _News:
    known = _known(state)
    enemy = None if snapshot.enemy is None else card_of(snapshot.enemy)
    if enemy is not None and known[enemy]:
        enemy = None
    heaps: list[Heap] = []
    for heap in snapshot.heaps:
        pieces = _new(heap.pieces, known)
        if pieces:
            heaps.append(Heap(pieces, heap.seats, heap.is_doubtful))
    discards = [
        card
        for piece in _new(snapshot.discard, known)
        if (card := card_of(piece)) is not None
    ]
    return _News(enemy, heaps, discards, snapshot.card_width_mm)


def _new(pieces: Iterable[Piece], known: Counter[Card]) -> tuple[Piece, ...]:
    """Return the pieces that are not known; takes the others off `known`."""
    new: list[Piece] = []
    for piece in pieces:
        card = card_of(piece)
        if card is None:
            continue
        if known[card] > 0:
            known[card] -= 1
        else:
            new.append(piece)
    return tuple(new)


# Explaining it -----------------------------------------------------------------------


def _explain(state: State, news: _News) -> tuple[Move, ...] | Question:
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


def _step(state: State, news: _News) -> Move | Question | None:
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
            return _phase_four(state, news)
        case Phase.OVER:
            return None
        case _:
            return questions(state)[0]


def _phase_one(state: State, news: _News) -> Move | Question | None:
    own = [heap for heap in news.heaps if state.current in heap.seats]
    if own:
        return _own_play(state, news, own)
    if news.enemy is not None:
        return _after_a_kill(state, news, news.enemy)
    if news.discards and None in state.discard:
        return Top(news.discards.pop())
    return _yield_or_else(state, news)


def _own_play(state: State, news: _News, own: Sequence[Heap]) -> Move | Question:
    """Take all new cards of the current player as one play if that can be meant."""
    cards = _cards(piece for heap in own for piece in heap.pieces)
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
        options=tuple(
            Option(str(move), spoken_all(move.cards), str(move)) for move in moves
        ),
        rule=RuleRef("4.1"),
        pieces=tuple(p.id for part in parts for p in part.pieces),
    )


def _after_a_kill(state: State, news: _News, enemy: Card) -> Move | Question:
    """A new enemy lies open: the play that killed is on the discard pile by now."""
    cards = tuple(news.discards)
    if is_set(cards) and _kills(state, cards):
        news.discards = []
        return Play(state.current, cards)
    assert state.enemy is not None
    return Question(
        id="enemy",
        to=None,
        text=Text.of(
            "regicide.ask_enemy_changed",
            card=spoken(enemy),
            enemy=spoken(state.enemy),
        ),
        options=(
            Option(str(state.enemy), spoken(state.enemy)),
            Option(str(enemy), spoken(enemy)),
        ),
        default=str(state.enemy),
        rule=RuleRef("5.6"),
    )


def _kills(state: State, cards: Sequence[Card]) -> bool:
    if state.enemy is None:
        return False
    dealt = damage(cards, doubled=state.is_blocked is not Suit.CLUBS)
    return state.dealt + dealt >= hit_points_of(state.enemy)


def _yield_or_else(state: State, news: _News) -> Move | Question:
    """Somebody else's cards, or discards, lie there: did the current player yield?"""
    seat = state.current
    other = _others_move(news)
    if not can_yield(state, seat):
        return other
    return Question(
        id="yielded",
        to=seat,
        text=Text.of("regicide.ask_yielded", seat=seat_name(seat)),
        options=(
            _option(Yield(seat), Text.of("regicide.did_yield")),
            _option(other, Text.of("regicide.did_not_yield")),
        ),
        rule=RuleRef("4.2"),
    )


def _others_move(news: _News) -> Move:
    """Return the new cards as the move of whoever seems to have made it."""
    if news.heaps:
        heap = news.heaps.pop(0)
        return Play(heap.seat, _cards(heap.pieces))
    cards, news.discards = tuple(news.discards), []
    return Discard(Seat(0), cards)


def _option(move: Move, text: Text) -> Option:
    return Option(str(move), text, str(move))


def _phase_four(state: State, news: _News) -> Move | Question:
    """Take new cards on the discard pile as the current player's discards."""
    loose = [heap for heap in news.heaps if heap.is_doubtful]
    news.heaps = [heap for heap in news.heaps if not heap.is_doubtful]
    news.discards += [card for heap in loose for card in _cards(heap.pieces)]
    cards = tuple(news.discards)
    went_on = bool(news.heaps) or news.enemy is not None
    if cards and None in state.discard:
        return _whether_discarded(state, news)
    if cards and not went_on:
        news.discards = []
        return Discard(state.current, cards)
    parts = _covering_parts(cards, state.suffer)
    if len(parts) > 1:
        return _which_discarded(state, parts)
    if parts:
        news.discards = [card for card in cards if card not in parts[0]]
        return Discard(state.current, parts[0])
    asked = questions(state)
    if asked:
        return asked[0]
    return Discard(state.current, cards) if cards else _others_move(news)


def _covering_parts(cards: Sequence[Card], suffer: int) -> list[tuple[Card, ...]]:
    """Return the sets among new discards that cover; the rest came in a later turn. A
    card that is seen twice makes the same set twice, which counts once."""
    parts = (
        part
        for size in range(1, min(len(cards), MOST_DISCARDS) + 1)
        for part in combinations(cards[-MOST_DISCARDS:], size)
        if covers(part, suffer)
    )
    return list(dict.fromkeys(parts))


def _which_discarded(state: State, parts: Sequence[tuple[Card, ...]]) -> Question:
    seat = state.current
    moves = [Discard(seat, part) for part in parts]
    return Question(
        id="discarded",
        to=seat,
        text=Text.of("regicide.ask_which_discarded", seat=seat_name(seat)),
        options=tuple(
            Option(str(move), spoken_all(move.cards), str(move)) for move in moves
        ),
        rule=RuleRef("4.3"),
    )


def _whether_discarded(state: State, news: _News) -> Question:
    """After hearts an old card may lie open for the first time: ask."""
    card = news.discards[-1]
    return Question(
        id=f"discarded:{card}",
        to=state.current,
        text=Text.of(
            "regicide.ask_discarded", seat=seat_name(state.current), card=spoken(card)
        ),
        options=(
            _option(Discard(state.current, (card,)), Text.of("core.yes")),
            _option(Top(card), Text.of("regicide.lay_there")),
        ),
        rule=RuleRef("4.3"),
    )


def _cards(pieces: Iterable[Piece]) -> tuple[Card, ...]:
    return tuple(card for piece in pieces if (card := card_of(piece)) is not None)
