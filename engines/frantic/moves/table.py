"""What happens on the table without belonging to one player."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engines.core import Seat, Text
from engines.frantic.cards import Hand, PlayCard
from engines.frantic.event import Event
from engines.frantic.moves.move import Move, mark
from engines.frantic.words import card_name, cards_named, event_name, seat_name


@dataclass(frozen=True, slots=True)
class Deal(Move):
    """``deal R5 B3 ... / E-market ...``: the shuffled piles from the top; ``deal ?``
    where nobody has seen them."""

    cards: Hand = ()
    events: tuple[Event, ...] = ()

    def __str__(self) -> str:
        if not self.cards and not self.events:
            return "deal ?"
        return " ".join(("deal", *self.cards, "/", *self.events))

    @property
    def claim(self) -> Text:
        return Text.of("frantic.claim_deal")


@dataclass(frozen=True, slots=True)
class Flip(Move):
    """``flip R5``: cards turned face up from the draw pile."""

    cards: Hand

    def __str__(self) -> str:
        return f"flip {' '.join(self.cards)}"

    @property
    def claim(self) -> Text:
        return Text.of("frantic.claim_flip", cards=self.label)

    @property
    def label(self) -> Text:
        return cards_named(self.cards)


@dataclass(frozen=True, slots=True)
class Reveal(Move):
    """``event E-market``: the top event card is turned."""

    event: Event

    def __str__(self) -> str:
        return f"event {self.event}"

    @property
    def claim(self) -> Text:
        return Text.of("frantic.claim_event", event=self.label)

    @property
    def label(self) -> Text:
        return event_name(self.event)


@dataclass(frozen=True, slots=True)
class Shuffle(Move):
    """``shuffle R5 B3``: gathered cards in their new order, the top first;
    ``shuffle ?`` where nobody has seen them."""

    cards: Hand = ()

    def __str__(self) -> str:
        return f"shuffle {' '.join(self.cards) or '?'}"

    @property
    def claim(self) -> Text:
        return Text.of("frantic.claim_shuffle")


@dataclass(frozen=True, slots=True)
class ShuffleEvents(Move):
    """``events E-market E-tornado``: the shown events become a new pile."""

    events: tuple[Event, ...] = ()

    def __str__(self) -> str:
        return f"events {' '.join(self.events) or '?'}"

    @property
    def claim(self) -> Text:
        return Text.of("frantic.claim_events")


@dataclass(frozen=True, slots=True)
class Nobody(Move):
    """``nobody``: nobody uses the reaction that is open."""

    def __str__(self) -> str:
        return "nobody"

    @property
    def claim(self) -> Text:
        return Text.of("frantic.claim_nobody")

    @property
    def label(self) -> Text:
        return Text.of("frantic.nobody")


@dataclass(frozen=True, slots=True)
class Agree(Move):
    """``agree``: all take up their hands again after The All-Seeing Eye."""

    def __str__(self) -> str:
        return "agree"

    @property
    def claim(self) -> Text:
        return Text.of("frantic.claim_agree")


@dataclass(frozen=True, slots=True)
class NameDealer(Move):
    """``dealer p2``."""

    seat: Seat

    def __str__(self) -> str:
        return f"dealer {mark(self.seat)}"

    @property
    def seats(self) -> tuple[Seat, ...]:
        return (self.seat,)

    @property
    def claim(self) -> Text:
        return Text.of("frantic.claim_dealer", seat=self.label)

    @property
    def label(self) -> Text:
        return seat_name(self.seat)


class Correction(StrEnum):
    """What a referee may do about an error (4.5)."""

    OPEN = "open"
    ALLOW = "allow"
    DRAW = "draw"
    RETURN = "return"
    TURN = "turn"
    FORGET = "forget"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Referee(Move):
    """``referee open``, ``referee draw p2``, ``referee return p2 R5``,
    ``referee turn p3``, ``referee allow p2 R5``, ``referee forget``, ``referee done``.
    """

    correction: Correction
    seat: Seat | None = None
    card: PlayCard | None = None

    def __str__(self) -> str:
        words = ["referee", str(self.correction)]
        if self.seat is not None:
            words.append(mark(self.seat))
        if self.card is not None:
            words.append(self.card)
        return " ".join(words)

    @property
    def seats(self) -> tuple[Seat, ...]:
        return () if self.seat is None else (self.seat,)

    @property
    def claim(self) -> Text:
        values: dict[str, Text] = {}
        if self.seat is not None:
            values["seat"] = seat_name(self.seat)
        if self.card is not None:
            values["card"] = card_name(self.card)
        return Text.of(f"frantic.referee_{self.correction}", **values)
