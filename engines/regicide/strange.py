"""What on the table cannot be as it was read: what must be named before play goes on.

A card that could not be read, one of which the deck has a single copy and that is seen
twice, an enemy whose turn has not come (rule 2).
"""

from __future__ import annotations

from collections import Counter

from engines.core import Card, Option, Piece, Question, RuleRef, Text
from engines.regicide.asking import move_option
from engines.regicide.cards import spoken
from engines.regicide.facts import next_rank, unseen
from engines.regicide.fight import copies_allowed
from engines.regicide.moves import Reveal
from engines.regicide.options import Options
from engines.regicide.snapshot import Snapshot, card_of
from engines.regicide.state import State


def unread_card(state: State, snapshot: Snapshot) -> Piece | None:
    """Return a card that must be named, unless it may be one that is known already."""
    unread = [p for p in snapshot.played if card_of(p) is None]
    seen = Counter(card for p in snapshot.pieces if (card := card_of(p)) is not None)
    played = Counter(card for play in state.plays for card in play.cards)
    hidden = (played - seen).total()
    if len(unread) > hidden:
        return unread[0]
    return _seen_twice(snapshot, state.options)


def _seen_twice(snapshot: Snapshot, options: Options) -> Piece | None:
    """Return a played card that is read as one that lies there already: the deck holds
    one, so it is another, or the same seen twice."""
    seen: Counter[Card] = Counter()
    for piece in snapshot.played:
        card = card_of(piece)
        if card is None:
            continue
        seen[card] += 1
        if seen[card] > max(copies_allowed(card, options), 1):
            return piece
    return None


def impossible_enemy(state: State, snapshot: Snapshot) -> Piece | None:
    """Return what is taken for the enemy and cannot be: the one that is fought is not
    seen, and this is not of the rank of the next one (rule 2)."""
    if state.enemy is None or snapshot.enemy is None:
        return None
    card = card_of(snapshot.enemy)
    if card is None or card == state.enemy or card.rank is next_rank(state):
        return None
    return snapshot.enemy


def which_enemy(state: State, piece: Piece) -> Question:
    """Ask which enemy lies there: the one that is fought, or what was read."""
    card = card_of(piece)
    assert card is not None
    assert state.enemy is not None
    return Question(
        id="enemy",
        to=None,
        text=Text.of(
            "regicide.ask_enemy_changed",
            card=spoken(card),
            enemy=spoken(state.enemy),
        ),
        options=(
            Option(str(state.enemy), spoken(state.enemy)),
            Option(str(card), spoken(card)),
        ),
        default=str(state.enemy),
        rule=RuleRef("5.6"),
        pieces=(piece.id,),
    )


def first_enemy(state: State, piece: Piece, seen: Card) -> Question:
    """Ask which card was turned that cannot come now: it may be misread; if it is not,
    the rules say what that means."""
    rank = next_rank(state)
    likely = [card for card in unseen(state) if card.rank is rank]
    return Question(
        id="enemy",
        to=None,
        text=Text.of("regicide.ask_card"),
        options=(
            *(Option(str(card), spoken(card)) for card in likely),
            move_option(Reveal(seen), spoken(seen)),
        ),
        rule=RuleRef("2"),
        pieces=(piece.id,),
    )
