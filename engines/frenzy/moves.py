"""Moves: what players do at the table, what a referee puts right, what is answered.

Every move is one line: who (``P1``, ``P2`` or ``REF``), what, and ``@`` the time in
milliseconds. `str(move)` and `parse_move` are inverse. `move.claim` is the sentence
that `judge` rules on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from engines.core import Seat, Text
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


def _piece(piece: str | None) -> str:
    return "" if piece is None else f" #{piece}"


@dataclass(frozen=True, slots=True)
class Lot:
    """``REF first P1``: the lot has named the First Player (2)."""

    first: Seat
    at_ms: int

    def __str__(self) -> str:
        return f"REF first {seat_name(self.first)} @{self.at_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_first", player=player(self.first))


@dataclass(frozen=True, slots=True)
class Aside:
    """``P1 aside 3``: so many advanced Heroes were put aside (base game, 2)."""

    seat: Seat
    number: int
    at_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} aside {self.number} @{self.at_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_aside", player=player(self.seat), number=self.number)


@dataclass(frozen=True, slots=True)
class Turn:
    """``P1 turn F2``: a Battlefield card is turned to orange (2, 6.1)."""

    seat: Seat
    number: int
    at_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} turn F{self.number} @{self.at_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_turn", player=player(self.seat), number=self.number)


@dataclass(frozen=True, slots=True)
class Go:
    """``P2 go``: the countdown is over, the battle begins (2)."""

    seat: Seat
    at_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} go @{self.at_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_go", player=player(self.seat))


@dataclass(frozen=True, slots=True)
class Draw:
    """``P1 draw``: a card is taken from the own deck; its face stays hidden (4.1)."""

    seat: Seat
    at_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} draw @{self.at_ms}"

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
    at_ms: int
    piece: str | None = None

    def __str__(self) -> str:
        words = f"{seat_name(self.seat)} lay {self.card} {self.region}"
        return f"{words}{_piece(self.piece)} @{self.at_ms}"

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
    at_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} release @{self.at_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_release", player=player(self.seat))


@dataclass(frozen=True, slots=True)
class Lift:
    """``P1 lift``: a card that was never let go is back in the hand (4.1)."""

    seat: Seat
    at_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} lift @{self.at_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_lift", player=player(self.seat))


@dataclass(frozen=True, slots=True)
class Play:
    """``P1 play W4 P1.B2``: laid and let go; the time is that of the release (4.1)."""

    seat: Seat
    card: Card
    region: Region
    at_ms: int
    piece: str | None = None

    def __str__(self) -> str:
        words = f"{seat_name(self.seat)} play {self.card} {self.region}"
        return f"{words}{_piece(self.piece)} @{self.at_ms}"

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
    at_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} finished @{self.at_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_finished", player=player(self.seat))


@dataclass(frozen=True, slots=True)
class Count:
    """``REF count P1 12``: a deck was counted by hand, which the count in play obeys."""

    player: Seat
    number: int
    at_ms: int

    def __str__(self) -> str:
        return f"REF count {seat_name(self.player)} {self.number} @{self.at_ms}"

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
    at_ms: int
    piece: str | None = None

    def __str__(self) -> str:
        pile = " ".join(self.cards) or "-"
        return f"REF set {self.region} {pile}{_piece(self.piece)} @{self.at_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_set", region=region(self.region), cards=cards(self.cards))


@dataclass(frozen=True, slots=True)
class Upset:
    """``REF upset P2.B2``: a pile was disturbed; time stands still (F-A)."""

    region: Region
    at_ms: int

    def __str__(self) -> str:
        return f"REF upset {self.region} @{self.at_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_upset", region=region(self.region))


@dataclass(frozen=True, slots=True)
class Blame:
    """``REF blame P1`` or ``REF blame nobody``: who disturbed the pile (F-A)."""

    player: Seat | None
    at_ms: int

    def __str__(self) -> str:
        who = "nobody" if self.player is None else seat_name(self.player)
        return f"REF blame {who} @{self.at_ms}"

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
    at_ms: int

    def __str__(self) -> str:
        card = "" if self.card is None else f" {self.card}"
        return f"REF foul {seat_name(self.player)} {self.code}{card} @{self.at_ms}"

    @property
    def claim(self) -> Text:
        foul = say(f"foul_{self.code}")
        return say("claim_foul", player=player(self.player), foul=foul)


@dataclass(frozen=True, slots=True)
class Claim:
    """``P2 claim F-E``: the opponent asks for a remedy of a foul on record (4.4)."""

    seat: Seat
    code: FoulCode
    at_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} claim {self.code} @{self.at_ms}"

    @property
    def claim(self) -> Text:
        foul = say(f"foul_{self.code}")
        return say("claim_claim", player=player(self.seat), foul=foul)


@dataclass(frozen=True, slots=True)
class Decide:
    """``P2 decide undo``: the answer to a claimed foul (4.4)."""

    seat: Seat
    remedy: Remedy
    at_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} decide {self.remedy} @{self.at_ms}"

    @property
    def claim(self) -> Text:
        remedy = say(f"remedy_{self.remedy}")
        return say("claim_decide", player=player(self.seat), remedy=remedy)


@dataclass(frozen=True, slots=True)
class Earlier:
    """``REF earlier P1``, ``REF earlier undo``: who was first, or both undone (FZ-R19)."""

    player: Seat | None
    at_ms: int

    def __str__(self) -> str:
        who = "undo" if self.player is None else seat_name(self.player)
        return f"REF earlier {who} @{self.at_ms}"

    @property
    def claim(self) -> Text:
        if self.player is None:
            return say("claim_undo_both")
        return say("claim_earlier", player=player(self.player))


@dataclass(frozen=True, slots=True)
class Resolve:
    """``REF resolve``: the table lies as shown, the round may be resolved (6.1)."""

    at_ms: int

    def __str__(self) -> str:
        return f"REF resolve @{self.at_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_resolve")


@dataclass(frozen=True, slots=True)
class Copy:
    """``P1 copy F3 F1``: the Bodyguard on 3 duplicates the own top card on 1 (5.1)."""

    seat: Seat
    number: int
    source: int
    at_ms: int

    def __str__(self) -> str:
        words = f"{seat_name(self.seat)} copy F{self.number} F{self.source}"
        return f"{words} @{self.at_ms}"

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
    at_ms: int

    def __str__(self) -> str:
        return f"REF rule {self.key} {self.value} @{self.at_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_rule", value=say(f"{self.key}_{self.value}"))


@dataclass(frozen=True, slots=True)
class Pick:
    """``P2 pick W4``: the card that leaves the score pile with a Wizard (5.3)."""

    seat: Seat
    card: Card
    at_ms: int

    def __str__(self) -> str:
        return f"{seat_name(self.seat)} pick {self.card} @{self.at_ms}"

    @property
    def claim(self) -> Text:
        return say("claim_pick", player=player(self.seat), card=name(self.card))


Move: TypeAlias = (
    Lot
    | Aside
    | Turn
    | Go
    | Draw
    | Lay
    | Release
    | Lift
    | Play
    | Finished
    | Count
    | Restore
    | Upset
    | Blame
    | Record
    | Claim
    | Decide
    | Earlier
    | Resolve
    | Copy
    | Agree
    | Pick
)
