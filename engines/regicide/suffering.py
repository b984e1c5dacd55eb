"""Which new cards were discarded to suffer an attack (rule 4.3).

Discards lie beside the Tavern. Where the Tavern is not seen the rules tell: nobody may
play before the attack is suffered, so a heap between the play areas is the discard. One
in a play area is asked about, since it may have been played out of turn; so is any once
cards were put under the Tavern, which may lie there still, and one that lies beside no
Tavern but may be the current player's: what was taken for the Tavern may be none. A
card that could not be read is asked for by its piece, as soon as it lies there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from engines.core import Card, Option, Question, RuleRef, Suit, Text
from engines.regicide.asking import move_option, questions
from engines.regicide.cards import seat_name, spoken, spoken_all
from engines.regicide.doubts import which_card
from engines.regicide.moves import Discard, Move, Top
from engines.regicide.news import News, cards_of, others_move
from engines.regicide.rules import covers, objection
from engines.regicide.state import State

MOST_DISCARDS = 8
"""A hand holds no more cards than this."""


def phase_four(state: State, news: News) -> Move | Question:
    """Take new cards on the discard pile as the current player's discards."""
    loose = [heap for heap in news.heaps if heap.is_doubtful]
    news.heaps = [heap for heap in news.heaps if not heap.is_doubtful]
    news.discards += [card for heap in loose for card in cards_of(heap.pieces)]
    if news.unread:
        unread = news.unread[0]
        return which_card(news.snapshot, unread, state.options, is_followed=True)
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
    if not cards:
        found = _apart(state, news)
        if found is not None:
            return found
    asked = questions(state)
    if asked:
        return asked[0]
    return Discard(state.current, cards) if cards else others_move(news)


def _apart(state: State, news: News) -> Move | Question | None:
    """Return what the heaps are where no pile tells: a discard, or a question."""
    mine = [
        (heap, Discard(state.current, cards_of(heap.pieces)))
        for heap in news.heaps
        if not news.has_piles or state.current in heap.seats
    ]
    fitting = [(h, move) for h, move in mine if objection(state, move) is None]
    if not fitting:
        return None
    heap, move = fitting[0]
    is_alone = len(news.heaps) == 1 and news.enemy is None and not news.has_piles
    if is_alone and len(heap.seats) > 1 and not _may_have_healed(state):
        news.heaps = []
        return move
    options = [_discard_option(move) for _, move in fitting]
    old = Option("before", Text.of("regicide.lay_there"))
    not_he = move_option(others_move(news), Text.of("regicide.did_not_yield"))
    return Question(
        id="discarded",
        to=state.current,
        text=Text.of("regicide.ask_which_discarded", seat=seat_name(state.current)),
        options=(*options, not_he, *([old] if _may_have_healed(state) else [])),
        rule=RuleRef("4.3"),
        pieces=tuple(p.id for h, _ in fitting for p in h.pieces),
    )


def _may_have_healed(state: State) -> bool:
    """Return whether old discards may lie there still that have no name any more."""
    known = [card for play in state.plays for card in play.cards]
    known += [card for card in state.discard if card is not None]
    return None in state.discard or any(card.suit is Suit.HEARTS for card in known)


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
    return Question(
        id="discarded",
        to=seat,
        text=Text.of("regicide.ask_which_discarded", seat=seat_name(seat)),
        options=tuple(_discard_option(Discard(seat, part)) for part in parts),
        rule=RuleRef("4.3"),
    )


def _discard_option(move: Discard) -> Option:
    return move_option(move, spoken_all(move.cards))


def _whether_discarded(state: State, news: News) -> Question:
    """After hearts an old card may lie open for the first time: ask."""
    card = news.discards[-1]
    discard, top = Discard(state.current, (card,)), Top(card)
    return Question(
        id=f"discarded:{card}",
        to=state.current,
        text=Text.of(
            "regicide.ask_discarded", seat=seat_name(state.current), card=spoken(card)
        ),
        options=(
            move_option(discard, Text.of("core.yes")),
            move_option(top, Text.of("regicide.lay_there")),
        ),
        rule=RuleRef("4.3"),
    )
