"""Moves and their notation: ``A play Hg AB:0B from hand @81500``.

A seat's letter comes first, or ``referee``; ``@`` and the milliseconds since the start
of the session may end any move. RULES.md, "Notation", lists all forms.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, TypeAlias

from engines.brawl.faces import Face
from engines.brawl.place import Pair, Place, Source, letter
from engines.core import Seat

REFEREE = "referee"


@dataclass(frozen=True, slots=True)
class Landing:
    """A card that touches the table at a place; what the verb makes of it differs."""

    verb: ClassVar[str] = ""

    seat: Seat
    card: Face
    place: Place
    source: Source = Source.DECK
    time_ms: int | None = None

    def __str__(self) -> str:
        return _join(
            letter(self.seat),
            self.verb,
            self.card,
            str(self.place),
            _from(self.source),
            time_ms=self.time_ms,
        )


@dataclass(frozen=True, slots=True)
class Play(Landing):
    """A card is played: ``B play Br AB:0A``."""

    verb: ClassVar[str] = "play"


@dataclass(frozen=True, slots=True)
class Foul(Landing):
    """An illegal card lies there, until it is settled: ``A foul Hr AB:1B``."""

    verb: ClassVar[str] = "foul"


@dataclass(frozen=True, slots=True)
class Contest(Landing):
    """A card claims to have been there before the latest one: ``B contest Br AB:0A``.

    Its place is read as the row was before that latest card.
    """

    verb: ClassVar[str] = "contest"


@dataclass(frozen=True, slots=True)
class Take:
    """The top card of the deck goes into the hand; `card`, if anybody knows it."""

    seat: Seat
    card: Face | None = None
    time_ms: int | None = None

    def __str__(self) -> str:
        return _join(letter(self.seat), "take", self.card or "", time_ms=self.time_ms)


@dataclass(frozen=True, slots=True)
class Discard:
    """A card goes on the own discard pile: ``A discard Hg``."""

    seat: Seat
    card: Face
    source: Source = Source.DECK
    time_ms: int | None = None

    def __str__(self) -> str:
        return _join(
            letter(self.seat),
            "discard",
            self.card,
            _from(self.source),
            time_ms=self.time_ms,
        )


class Verb(StrEnum):
    """What a seat can do without naming a card or a place."""

    LIFT = "lift"
    """Take the top discard into the hand, in Tournament."""
    PASS = "pass"
    """Give up a turn in which nothing is possible, in Training."""
    STUCK = "stuck"
    """Confirm that nobody can move, in Tournament."""
    START = "start"
    """Be the one who was drawn to start, in Training."""
    EMPTY = "empty"
    """Say that a deck of unknown size is used up."""
    CONFIRM = "confirm"
    """Agree with the number of cards of a deck that was typed in."""
    RECOUNT = "recount"
    """Disagree: the contents of the deck count as unknown."""


@dataclass(frozen=True, slots=True)
class Act:
    """A move of one word: ``A lift``."""

    seat: Seat
    verb: Verb
    time_ms: int | None = None

    def __str__(self) -> str:
        return _join(letter(self.seat), self.verb, time_ms=self.time_ms)


class Remedy(StrEnum):
    """What is done about a foul (4.3)."""

    TAKE_BACK = "takeback"
    """The offender takes the card back; nothing has been built on it."""
    RESTORE = "restore"
    """The opponent has the row restored to the moment of the error."""
    STAND = "stand"
    """The opponent lets it stand."""
    CLAIM = "claim"
    """The opponent wins by forfeit."""


@dataclass(frozen=True, slots=True)
class Settle:
    """A foul in a row is settled: ``B stand AB``."""

    seat: Seat
    pair: Pair
    remedy: Remedy
    time_ms: int | None = None

    def __str__(self) -> str:
        return _join(
            letter(self.seat), self.remedy, str(self.pair), time_ms=self.time_ms
        )


@dataclass(frozen=True, slots=True)
class First:
    """The referee says who was first, `None`: both cards go back."""

    pair: Pair
    seat: Seat | None
    time_ms: int | None = None

    def __str__(self) -> str:
        who = "both" if self.seat is None else letter(self.seat)
        return _join(REFEREE, "first", str(self.pair), who, time_ms=self.time_ms)


@dataclass(frozen=True, slots=True)
class BlockOnHit2:
    """The players' answer to B-05: ``referee blockOnHit2 yes``."""

    allowed: bool
    time_ms: int | None = None

    def __str__(self) -> str:
        answer = "yes" if self.allowed else "no"
        return _join(REFEREE, "blockOnHit2", answer, time_ms=self.time_ms)


@dataclass(frozen=True, slots=True)
class ConfirmPairs:
    """The list of pairs of a circle is right (B-18): ``referee pairs``."""

    time_ms: int | None = None

    def __str__(self) -> str:
        return _join(REFEREE, "pairs", time_ms=self.time_ms)


@dataclass(frozen=True, slots=True)
class Swap:
    """The two starting Bases of a row lie the other way round: ``referee swap AB``."""

    pair: Pair
    time_ms: int | None = None

    def __str__(self) -> str:
        return _join(REFEREE, "swap", str(self.pair), time_ms=self.time_ms)


Move: TypeAlias = (
    Play
    | Foul
    | Contest
    | Take
    | Discard
    | Act
    | Settle
    | First
    | BlockOnHit2
    | ConfirmPairs
    | Swap
)


def _from(source: Source) -> str:
    return "" if source is Source.DECK else f"from {source}"


def _join(*words: str, time_ms: int | None) -> str:
    stamp = "" if time_ms is None else f"@{time_ms}"
    return " ".join(word for word in (*words, stamp) if word)
