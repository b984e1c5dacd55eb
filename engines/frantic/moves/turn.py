"""What a player does with a card on his turn or in reaction to one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engines.core import Seat, Text
from engines.frantic.cards import Colour, PlayCard, Special
from engines.frantic.moves.move import Move, mark
from engines.frantic.words import (
    NONE,
    card_name,
    colour_name,
    listed,
    seat_name,
    special_name,
)


@dataclass(frozen=True, slots=True)
class Play(Move):
    """``p1 play R5``."""

    seat: Seat
    card: PlayCard

    def __str__(self) -> str:
        return f"{mark(self.seat)} play {self.card}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat,)

    @property
    def claim(self) -> Text:
        return Text.of(
            "frantic.claim_play", seat=seat_name(self.seat), card=card_name(self.card)
        )

    @property
    def label(self) -> Text:
        return card_name(self.card)


@dataclass(frozen=True, slots=True)
class Imitate(Move):
    """``p1 as R-gift``: what a played Mimicry acts as."""

    seat: Seat
    card: PlayCard

    def __str__(self) -> str:
        return f"{mark(self.seat)} as {self.card}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat,)

    @property
    def claim(self) -> Text:
        return Text.of(
            "frantic.claim_as", seat=seat_name(self.seat), card=card_name(self.card)
        )

    @property
    def label(self) -> Text:
        return card_name(self.card)


class Word(StrEnum):
    """What a player does or says that needs no further detail."""

    DRAW = "draw"
    PASS = "pass"
    ACCEPT = "accept"
    RISK = "risk"
    DECLINE = "decline"


@dataclass(frozen=True, slots=True)
class Say(Move):
    """``p1 draw``, ``p1 pass``, ``p2 accept``, ``p1 risk``, ``p1 decline``."""

    seat: Seat
    word: Word

    def __str__(self) -> str:
        return f"{mark(self.seat)} {self.word}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat,)

    @property
    def claim(self) -> Text:
        return Text.of(f"frantic.claim_{self.word}", seat=seat_name(self.seat))

    @property
    def label(self) -> Text:
        return Text.of(f"frantic.word_{self.word}")


@dataclass(frozen=True, slots=True)
class Target(Move):
    """``p1 target p2``, or ``p1 target none`` for a wish card without its effect."""

    seat: Seat
    victim: Seat | None

    def __str__(self) -> str:
        victim = "none" if self.victim is None else mark(self.victim)
        return f"{mark(self.seat)} target {victim}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat,) if self.victim is None else (self.seat, self.victim)

    @property
    def claim(self) -> Text:
        return Text.of(
            "frantic.claim_target", seat=seat_name(self.seat), victim=self.label
        )

    @property
    def label(self) -> Text:
        if self.victim is None:
            return Text.of("frantic.nobody")
        return seat_name(self.victim)


@dataclass(frozen=True, slots=True)
class Split(Move):
    """``p1 split p2:3 p4:1``: who draws how many for a Fantastic Four."""

    seat: Seat
    shares: tuple[tuple[Seat, int], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", tuple(sorted(self.shares)))

    def __str__(self) -> str:
        shares = " ".join(f"{mark(seat)}:{number}" for seat, number in self.shares)
        return f"{mark(self.seat)} split {shares or 'none'}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat, *(seat for seat, _ in self.shares))

    @property
    def claim(self) -> Text:
        return Text.of(
            "frantic.claim_split", seat=seat_name(self.seat), shares=self.label
        )

    @property
    def label(self) -> Text:
        if not self.shares:
            return Text.of("frantic.nobody")
        return listed(
            Text.of("frantic.share", seat=seat_name(seat), number=number)
            for seat, number in self.shares
        )


@dataclass(frozen=True, slots=True)
class Wish(Move):
    """``p1 wish R``, ``p1 wish 7`` or ``p1 wish none``."""

    seat: Seat
    wish: Colour | int | None

    def __str__(self) -> str:
        return f"{mark(self.seat)} wish {'none' if self.wish is None else self.wish}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat,)

    @property
    def claim(self) -> Text:
        return Text.of("frantic.claim_wish", seat=seat_name(self.seat), wish=self.label)

    @property
    def label(self) -> Text:
        if self.wish is None:
            return NONE
        if isinstance(self.wish, Colour):
            return colour_name(self.wish)
        return Text.of("frantic.number", number=self.wish)


@dataclass(frozen=True, slots=True)
class NameColour(Move):
    """``p1 colour R``: which colour of a Colour Swap is active."""

    seat: Seat
    colour: Colour

    def __str__(self) -> str:
        return f"{mark(self.seat)} colour {self.colour}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat,)

    @property
    def claim(self) -> Text:
        return Text.of(
            "frantic.claim_colour", seat=seat_name(self.seat), colour=self.label
        )

    @property
    def label(self) -> Text:
        return colour_name(self.colour)


class Reaction(StrEnum):
    """A card played out of turn."""

    COUNTER = "counter"
    LUCKY = "lucky"
    NICE_TRY = "nice"

    @property
    def special(self) -> Special:
        """Return the card that reacts this way."""
        return _REACTION_CARDS[self]


_REACTION_CARDS = {
    Reaction.COUNTER: Special.COUNTERATTACK,
    Reaction.LUCKY: Special.LUCKY,
    Reaction.NICE_TRY: Special.NICE_TRY,
}


@dataclass(frozen=True, slots=True)
class React(Move):
    """``p2 counter N-counterattack``, ``p3 lucky N-mimicry``, ``p1 nice N-mimicry``."""

    seat: Seat
    reaction: Reaction
    card: PlayCard

    def __str__(self) -> str:
        return f"{mark(self.seat)} {self.reaction} {self.card}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat,)

    @property
    def claim(self) -> Text:
        return Text.of(
            "frantic.claim_react",
            seat=seat_name(self.seat),
            card=card_name(self.card),
            name=special_name(self.reaction.special),
        )

    @property
    def label(self) -> Text:
        return Text.of(
            "frantic.reaction", seat=seat_name(self.seat), card=card_name(self.card)
        )
