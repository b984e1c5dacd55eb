"""Moves that players make at the table."""

from __future__ import annotations

from dataclasses import dataclass

from engines.core import Seat, Text
from engines.frenzy.cards import Card, Region, seat_name
from engines.frenzy.texts import name, player, region, say


def piece_suffix(piece: str | None) -> str:
    """Return ` #c7`, or nothing."""
    return "" if piece is None else f" #{piece}"


@dataclass(frozen=True, slots=True)
class Lot:
    """``REF first P1``: the lot has named the First Player (2)."""

    first: Seat
    time_ms: int

    def __str__(self) -> str:
        return f"REF first {seat_name(self.first)} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_first", player=player(self.first))


@dataclass(frozen=True, slots=True)
class Aside:
    """``P1 aside 3``: so many advanced Heroes were put aside (base game, 2)."""

    seat: Seat
    number: int
    time_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} aside {self.number} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_aside", player=player(self.seat), number=self.number)


@dataclass(frozen=True, slots=True)
class Turn:
    """``P1 turn F2``: a Battlefield card is turned to orange (2, 6.1)."""

    seat: Seat
    number: int
    time_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} turn F{self.number} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_turn", player=player(self.seat), number=self.number)


@dataclass(frozen=True, slots=True)
class Go:
    """``P2 go``: the countdown is over, the battle begins (2)."""

    seat: Seat
    time_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} go @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_go", player=player(self.seat))


@dataclass(frozen=True, slots=True)
class Draw:
    """``P1 draw``: a card is taken from the own deck; its face stays hidden (4.1)."""

    seat: Seat
    time_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} draw @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_draw", player=player(self.seat))


@dataclass(frozen=True, slots=True)
class Lay:
    """``P1 lay W4 P1.B2``: a card lies there, the hand is still on it (4.1).

    A player who holds no card draws with the same movement.
    """

    seat: Seat
    card: Card
    region: Region
    time_ms: int
    piece: str | None = None

    def __str__(self) -> str:
        words = f"{seat_name(self.seat)} lay {self.card} {self.region}"
        return f"{words}{piece_suffix(self.piece)} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say(
            "claim_lay",
            player=player(self.seat),
            card=name(self.card),
            region=region(self.region),
        )


@dataclass(frozen=True, slots=True)
class Release:
    """``P1 release``: the hand leaves the card; only now it is played (4.1)."""

    seat: Seat
    time_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} release @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_release", player=player(self.seat))


@dataclass(frozen=True, slots=True)
class Lift:
    """``P1 lift``: a card that was never let go is back in the hand (4.1)."""

    seat: Seat
    time_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} lift @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_lift", player=player(self.seat))


@dataclass(frozen=True, slots=True)
class Play:
    """``P1 play W4 P1.B2``: laid and let go; the time is that of the release (4.1)."""

    seat: Seat
    card: Card
    region: Region
    time_ms: int
    piece: str | None = None

    def __str__(self) -> str:
        words = f"{seat_name(self.seat)} play {self.card} {self.region}"
        return f"{words}{piece_suffix(self.piece)} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say(
            "claim_play",
            player=player(self.seat),
            card=name(self.card),
            region=region(self.region),
        )


@dataclass(frozen=True, slots=True)
class Finished:
    """``P1 finished``: the announcement, where the deck was never counted (4.2)."""

    seat: Seat
    time_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} finished @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_finished", player=player(self.seat))
