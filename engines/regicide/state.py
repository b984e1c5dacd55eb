"""The whole game as one frozen value.

A place in a hand or a pile holds a card, or `None` where nobody who tells the engine
has seen it: a table watched by a camera knows sizes, and cards only once they lie open.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from engines.core import Card, Seat, Suit
from engines.regicide.cards import SOLO_JOKERS, attack_of
from engines.regicide.moves import Play
from engines.regicide.options import Options

Slot: TypeAlias = "Card | None"
Slots: TypeAlias = "tuple[Card | None, ...]"


FIRST_SEAT = Seat(0)


class Phase(StrEnum):
    """What must happen next."""

    CASTLE = "castle"
    TAVERN = "tavern"
    REVEAL = "reveal"
    START = "start"
    PLAY = "play"
    HEAL = "heal"
    DRAW = "draw"
    SETTLE = "settle"
    SUFFER = "suffer"
    CHOOSE = "choose"
    OVER = "over"


class Action(StrEnum):
    """What a seat did on its last turn (R-02)."""

    PLAY = "play"
    JOKER = "joker"
    YIELD = "yield"


class Ending(StrEnum):
    """How a game ended."""

    WON = "won"
    NOT_COVERED = "not_covered"
    STUCK = "stuck"


@dataclass(frozen=True, slots=True)
class State:
    """A game of Regicide. Piles list their cards from the top."""

    options: Options
    phase: Phase = Phase.CASTLE
    current: Seat = FIRST_SEAT
    castle: Slots = ()
    tavern: Slots = ()
    discard: Slots = ()
    hands: tuple[Slots, ...] = ()
    """Empty until the cards are dealt."""
    last: tuple[Action | None, ...] = ()
    enemy: Card | None = None
    plays: tuple[Play, ...] = ()
    """Plays against the current enemy, the Joker included."""
    dealt: int = 0
    shield: int = 0
    blocked_spades: int = 0
    """What a Joker would add to the shield."""
    immune: bool = True
    to_heal: int = 0
    to_draw: int = 0
    misdrawn: tuple[int, ...] = ()
    suffer: int = 0
    """Damage that the current player still has to cover in phase four."""
    jokers: int = 0
    """Solo Jokers that are still face up."""
    started: bool = False
    ending: Ending | None = None

    @property
    def attack(self) -> int:
        """Return what is left of the enemy's attack behind the shield."""
        if self.enemy is None:
            return 0
        return max(0, attack_of(self.enemy) - self.shield)

    @property
    def is_blocked(self) -> Suit | None:
        """Return the suit whose power the enemy blocks now."""
        return self.enemy.suit if self.enemy is not None and self.immune else None


def initial(options: Options) -> State:
    """Return the state before the piles are made."""
    return State(options, jokers=SOLO_JOKERS if options.players == 1 else 0)
