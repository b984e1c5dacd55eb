"""What a player does with cards that change hands, and what he decides."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engines.core import Seat, Text
from engines.frantic.cards import PlayCard
from engines.frantic.event import Event
from engines.frantic.moves.move import Move, Pick, mark, picks, sorted_picks
from engines.frantic.words import (
    card_name,
    cards_named,
    event_name,
    listed,
    seat_name,
)


class Verb(StrEnum):
    """What is done with picked cards."""

    GIVE = "give"
    TAKE = "take"
    DISCARD = "discard"
    BID = "bid"
    PUT = "put"
    SHOW = "show"


@dataclass(frozen=True, slots=True)
class Handle(Move):
    """``p1 give R5 B3``, ``p2 take #1 #4``, ``p3 discard ?``, ``p4 show none``."""

    seat: Seat
    verb: Verb
    cards: tuple[Pick, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", sorted_picks(self.cards))

    def __str__(self) -> str:
        return f"{mark(self.seat)} {self.verb} {picks(self.cards)}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat,)

    @property
    def claim(self) -> Text:
        return Text.of(
            f"frantic.claim_{self.verb}", seat=seat_name(self.seat), cards=self.label
        )

    @property
    def label(self) -> Text:
        return cards_named(self.cards)


@dataclass(frozen=True, slots=True)
class GiveTo(Move):
    """``p1 give R5 to p2``, or ``p1 give all to p2`` for the rest of a hand."""

    seat: Seat
    card: PlayCard | None
    to: Seat

    def __str__(self) -> str:
        return f"{mark(self.seat)} give {self.card or 'all'} to {mark(self.to)}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat, self.to)

    @property
    def claim(self) -> Text:
        return Text.of(
            "frantic.claim_give_to",
            seat=seat_name(self.seat),
            card=self._what,
            to=seat_name(self.to),
        )

    @property
    def label(self) -> Text:
        return Text.of("frantic.card_to", card=self._what, to=seat_name(self.to))

    @property
    def _what(self) -> Text:
        return card_name(self.card) if self.card else Text.of("frantic.all_cards")


@dataclass(frozen=True, slots=True)
class Choose(Move):
    """``p1 choose E-market``: for the Event Manager and Repeat."""

    seat: Seat
    event: Event

    def __str__(self) -> str:
        return f"{mark(self.seat)} choose {self.event}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat,)

    @property
    def claim(self) -> Text:
        return Text.of(
            "frantic.claim_choose", seat=seat_name(self.seat), event=self.label
        )

    @property
    def label(self) -> Text:
        return event_name(self.event)


@dataclass(frozen=True, slots=True)
class Assign(Move):
    """``p1 assign p2 p3``: the Distributor gives player 2 the hand of player 3."""

    seat: Seat
    to: Seat
    source: Seat

    def __str__(self) -> str:
        return f"{mark(self.seat)} assign {mark(self.to)} {mark(self.source)}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat, self.to, self.source)

    @property
    def claim(self) -> Text:
        return Text.of(
            "frantic.claim_assign",
            seat=seat_name(self.seat),
            to=seat_name(self.to),
            source=seat_name(self.source),
        )

    @property
    def label(self) -> Text:
        return seat_name(self.source)


@dataclass(frozen=True, slots=True)
class SwapSeats(Move):
    """``p1 swap p2 p3``: Identity Theft in a game without points."""

    seat: Seat
    first: Seat
    second: Seat

    def __post_init__(self) -> None:
        first, second = sorted((self.first, self.second))
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "second", second)

    def __str__(self) -> str:
        return f"{mark(self.seat)} swap {mark(self.first)} {mark(self.second)}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat, self.first, self.second)

    @property
    def claim(self) -> Text:
        return Text.of(
            "frantic.claim_swap", seat=seat_name(self.seat), players=self.label
        )

    @property
    def label(self) -> Text:
        return listed((seat_name(self.first), seat_name(self.second)))
