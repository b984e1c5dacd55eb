"""Moves and how they are written; `notation.parse_move` reads them.

A player's move starts with the seat, counted from 0::

    0: play 8d Ac    1: yield    0: discard 9h 2h    1: cover 2
    0: flip          2: next 0   0: lost             1: say hand_size

What the cards and the group decide has no seat; ``?`` is an order that nobody saw::

    castle Jh Jd ...   tavern 5h ...   tavern ?      start 0      reveal Qh
    heal 7             heal 5h 3c      top 4h        draw 5 4     misdraw 6 4
    settle keep

In a set, cards stand from the highest down.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from engines.core import Card, Seat
from engines.regicide.cards import in_order

UNSEEN = "?"


class Statement(StrEnum):
    """Kinds of things that players say at the table (4.5)."""

    HAND_SIZE = "hand_size"
    PILE_SIZE = "pile_size"
    PUBLIC_FACT = "public_fact"
    GO_NEXT = "go_next"
    """A general wish, or reluctance, to play next."""
    HELD_CARD = "held_card"
    SUIT_WISH = "suit_wish"
    PROMISE = "promise"
    """What a play of somebody else would bring about."""
    LEAVE_ENEMY = "leave_enemy"


class Redress(StrEnum):
    """What the group decides after a wrong number of cards was drawn (4.6)."""

    RETURN = "return"
    KEEP = "keep"


def _words(*words: object) -> str:
    return " ".join(map(str, words))


@dataclass(frozen=True, slots=True)
class Castle:
    """The Castle pile was made: its order from the top, or `None` if unseen."""

    cards: tuple[Card, ...] | None

    def __str__(self) -> str:
        return _words("castle", *((UNSEEN,) if self.cards is None else self.cards))


@dataclass(frozen=True, slots=True)
class Tavern:
    """The Tavern pile was shuffled and dealt: its order from the top, or `None`."""

    cards: tuple[Card, ...] | None

    def __str__(self) -> str:
        return _words("tavern", *((UNSEEN,) if self.cards is None else self.cards))


@dataclass(frozen=True, slots=True)
class Start:
    """That seat plays first."""

    seat: Seat

    def __str__(self) -> str:
        return _words("start", self.seat)


@dataclass(frozen=True, slots=True)
class Reveal:
    """The next Castle card was turned."""

    card: Card

    def __str__(self) -> str:
        return _words("reveal", self.card)


@dataclass(frozen=True, slots=True)
class Play:
    """Cards laid against the enemy in one go."""

    seat: Seat
    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        if len(self.cards) > 1:
            object.__setattr__(self, "cards", in_order(self.cards))

    def __str__(self) -> str:
        return _words(f"{self.seat}: play", *self.cards)


@dataclass(frozen=True, slots=True)
class Yield:
    """ "I yield"."""

    seat: Seat

    def __str__(self) -> str:
        return f"{self.seat}: yield"


@dataclass(frozen=True, slots=True)
class Flip:
    """A lone player turns a Joker: the hand goes, a new one is drawn."""

    seat: Seat

    def __str__(self) -> str:
        return f"{self.seat}: flip"


@dataclass(frozen=True, slots=True)
class Heal:
    """Cards went from the discard pile under the Tavern: which, or only how many."""

    count: int
    cards: tuple[Card, ...] | None = None

    def __str__(self) -> str:
        return _words("heal", *((self.count,) if self.cards is None else self.cards))


@dataclass(frozen=True, slots=True)
class Top:
    """That card lies open on the discard pile, where it lay unseen before."""

    card: Card

    def __str__(self) -> str:
        return _words("top", self.card)


@dataclass(frozen=True, slots=True)
class Draw:
    """Cards were drawn for diamonds: how many by each seat."""

    counts: tuple[int, ...]

    def __str__(self) -> str:
        return _words("draw", *self.counts)


@dataclass(frozen=True, slots=True)
class Misdraw:
    """A wrong number was drawn and somebody has seen the cards."""

    counts: tuple[int, ...]

    def __str__(self) -> str:
        return _words("misdraw", *self.counts)


@dataclass(frozen=True, slots=True)
class Settle:
    """The group decides on a wrong draw."""

    redress: Redress

    def __str__(self) -> str:
        return f"settle {self.redress}"


@dataclass(frozen=True, slots=True)
class Discard:
    """Cards from the hand against the counterattack, all of it or a part."""

    seat: Seat
    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        if len(self.cards) > 1:
            object.__setattr__(self, "cards", in_order(self.cards))

    def __str__(self) -> str:
        return _words(f"{self.seat}: discard", *self.cards)


@dataclass(frozen=True, slots=True)
class Cover:
    """The rest of the damage was covered with so many cards that nobody noted."""

    seat: Seat
    count: int

    def __str__(self) -> str:
        return f"{self.seat}: cover {self.count}"


@dataclass(frozen=True, slots=True)
class Next:
    """After a Joker: who plays next."""

    seat: Seat
    chosen: Seat

    def __str__(self) -> str:
        return f"{self.seat}: next {self.chosen}"


@dataclass(frozen=True, slots=True)
class Lost:
    """A player says that he cannot go on."""

    seat: Seat

    def __str__(self) -> str:
        return f"{self.seat}: lost"


@dataclass(frozen=True, slots=True)
class Say:
    """A player said something of that kind."""

    seat: Seat
    statement: Statement

    def __str__(self) -> str:
        return f"{self.seat}: say {self.statement}"


Move: TypeAlias = (
    Castle
    | Tavern
    | Start
    | Reveal
    | Play
    | Yield
    | Flip
    | Heal
    | Top
    | Draw
    | Misdraw
    | Settle
    | Discard
    | Cover
    | Next
    | Lost
    | Say
)
