"""Moves that put something right, claim a foul, or answer a question."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engines.core import Seat, Text
from engines.frenzy.acts import piece_suffix
from engines.frenzy.cards import Card, Region, seat_name
from engines.frenzy.state import FoulCode
from engines.frenzy.texts import cards, name, player, region, say


class Remedy(StrEnum):
    """What the opponent decides about a claimed foul (4.4)."""

    STAND = "stand"
    UNDO = "undo"
    LOST = "lost"


class RulingKey(StrEnum):
    """The option keys of the rulings that are asked once per match."""

    ORDER = "order"
    EMPTY_PILE = "emptyPile"
    BODYGUARD_IS_WARRIOR = "bodyguardIsWarriorForAssassin"


@dataclass(frozen=True, slots=True)
class Count:
    """``REF count P1 12``: a deck was counted by hand; that number holds."""

    player: Seat
    number: int
    time_ms: int

    def __str__(self) -> str:
        return f"REF count {seat_name(self.player)} {self.number} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_count", player=player(self.player), number=self.number)


@dataclass(frozen=True, slots=True)
class Restore:
    """``REF set P1.S2 W4 W2``: what a pile really holds, from the top; ``-`` nothing.

    `piece` is the top card's, so that the camera knows it again.
    """

    region: Region
    cards: tuple[Card, ...]
    time_ms: int
    piece: str | None = None

    def __str__(self) -> str:
        pile = " ".join(self.cards) or "-"
        return f"REF set {self.region} {pile}{piece_suffix(self.piece)} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_set", region=region(self.region), cards=cards(self.cards))


@dataclass(frozen=True, slots=True)
class Upset:
    """``REF upset P2.B2``: a pile was disturbed; time stands still (F-A)."""

    region: Region
    time_ms: int

    def __str__(self) -> str:
        return f"REF upset {self.region} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_upset", region=region(self.region))


@dataclass(frozen=True, slots=True)
class Blame:
    """``REF blame P1`` or ``REF blame nobody``: who disturbed the pile (F-A)."""

    player: Seat | None
    time_ms: int

    def __str__(self) -> str:
        who = "nobody" if self.player is None else seat_name(self.player)
        return f"REF blame {who} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        who = say("nobody") if self.player is None else player(self.player)
        return say("claim_blame", player=who)


@dataclass(frozen=True, slots=True)
class Record:
    """``REF foul P1 F-E W2``: a foul goes on record with what it leaves behind (4.4).

    The card is named where the foul leaves one on the table: a Warrior in the HQ.
    """

    player: Seat
    code: FoulCode
    card: Card | None
    time_ms: int

    def __str__(self) -> str:
        card = "" if self.card is None else f" {self.card}"
        return f"REF foul {seat_name(self.player)} {self.code}{card} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        foul = say(f"foul_{self.code}")
        return say("claim_foul", player=player(self.player), foul=foul)


@dataclass(frozen=True, slots=True)
class Claim:
    """``P2 claim F-E``: the opponent asks for a remedy of a foul on record (4.4)."""

    seat: Seat
    code: FoulCode
    time_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} claim {self.code} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        foul = say(f"foul_{self.code}")
        return say("claim_claim", player=player(self.seat), foul=foul)


@dataclass(frozen=True, slots=True)
class Decide:
    """``P2 decide undo``: the answer to a claimed foul (4.4)."""

    seat: Seat
    remedy: Remedy
    time_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} decide {self.remedy} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        remedy = say(f"remedy_{self.remedy}")
        return say("claim_decide", player=player(self.seat), remedy=remedy)


@dataclass(frozen=True, slots=True)
class Earlier:
    """``REF earlier P1``: who was first; ``undo``: neither counts (FZ-R19)."""

    player: Seat | None
    time_ms: int

    def __str__(self) -> str:
        who = "undo" if self.player is None else seat_name(self.player)
        return f"REF earlier {who} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        if self.player is None:
            return say("claim_undo_both")
        return say("claim_earlier", player=player(self.player))


@dataclass(frozen=True, slots=True)
class Resolve:
    """``REF resolve``: the table lies as shown, the round may be resolved (6.1)."""

    time_ms: int

    def __str__(self) -> str:
        return f"REF resolve @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_resolve")


@dataclass(frozen=True, slots=True)
class Copy:
    """``P1 copy F3 F1``: the Bodyguard on 3 duplicates the own top card on 1 (5.1)."""

    seat: Seat
    number: int
    source: int
    time_ms: int

    def __str__(self) -> str:
        words = f"{seat_name(self.seat)} copy F{self.number} F{self.source}"
        return f"{words} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say(
            "claim_copy",
            player=player(self.seat),
            number=self.number,
            source=self.source,
        )


@dataclass(frozen=True, slots=True)
class Agree:
    """``REF rule order numeric``: a ruling of section 8, agreed once per match."""

    key: RulingKey
    value: str
    time_ms: int

    def __str__(self) -> str:
        return f"REF rule {self.key} {self.value} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_rule", value=say(f"{self.key}_{self.value}"))


@dataclass(frozen=True, slots=True)
class Pick:
    """``P2 pick W4``: the card that leaves the score pile with a Wizard (5.3)."""

    seat: Seat
    card: Card
    time_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} pick {self.card} @{self.time_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_pick", player=player(self.seat), card=name(self.card))
