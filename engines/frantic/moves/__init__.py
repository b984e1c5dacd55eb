"""The moves of a game and their notation: `str(move)` is what `parse_move` reads.

A seat is written ``p1`` for seat 0, a card by its label, ``?`` is a card that the
referee did not see and ``#3`` the third card of a hand that nobody looks into.
"""

from engines.frantic.moves.hands import Assign, Choose, GiveTo, Handle, SwapSeats, Verb
from engines.frantic.moves.move import Move, Pick, mark
from engines.frantic.moves.table import (
    Agree,
    Correction,
    Deal,
    Flip,
    NameDealer,
    Nobody,
    Referee,
    Reveal,
    Shuffle,
    ShuffleEvents,
)
from engines.frantic.moves.turn import (
    Imitate,
    NameColour,
    Play,
    React,
    Reaction,
    Say,
    Split,
    Target,
    Wish,
    Word,
)

__all__ = [
    "Agree",
    "Assign",
    "Choose",
    "Correction",
    "Deal",
    "Flip",
    "GiveTo",
    "Handle",
    "Imitate",
    "Move",
    "NameColour",
    "NameDealer",
    "Nobody",
    "Pick",
    "Play",
    "React",
    "Reaction",
    "Referee",
    "Reveal",
    "Say",
    "Shuffle",
    "ShuffleEvents",
    "Split",
    "SwapSeats",
    "Target",
    "Verb",
    "Wish",
    "Word",
    "mark",
]
