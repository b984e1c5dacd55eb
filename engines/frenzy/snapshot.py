"""What one look at the table shows, region by region."""

from __future__ import annotations

from dataclasses import dataclass

from engines.core import Finding, Question, Seat
from engines.frenzy.cards import ZONES, Card, Faction, Region, Side, Zone


@dataclass(frozen=True, slots=True)
class Seen:
    """One card on the table; no `card` where the face could not be told."""

    card: Card | None
    piece: str
    order: int = 0
    touched: bool = False
    faction: Faction | None = None
    candidates: tuple[tuple[Card, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Pile:
    """What is visible of one pile, from the top.

    A card that is covered completely is not there: a pile of one visible card may be
    any height. `unclear` are the pieces that may each be the top card.
    """

    cards: tuple[Seen, ...] = ()
    unclear: tuple[str, ...] = ()

    @property
    def top(self) -> Seen | None:
        """Return the top card that is seen, `None` for an empty pile."""
        return self.cards[0] if self.cards else None


@dataclass(frozen=True, slots=True)
class Doubt:
    """A card between regions; `regions` are those it may belong to."""

    seen: Seen
    regions: tuple[Region, ...]
    may_be_off: bool = False
    """It may also lie outside all regions."""


NO_PILES: tuple[Pile, ...] = (Pile(),) * len(ZONES)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The table of one frame."""

    piles: tuple[tuple[Pile, ...], tuple[Pile, ...]] = (NO_PILES, NO_PILES)
    """By seat and region."""
    faces: tuple[Side | None, Side | None, Side | None] = (None, None, None)
    """The sides of the Battlefield cards 1 to 3."""
    doubts: tuple[Doubt, ...] = ()
    findings: tuple[Finding, ...] = ()
    is_laid_out: bool = True
    """The Battlefield cards were found, so regions have a place."""
    time_ms: int | None = None
    """Time of the frame: set by who knows it, `layout` does not."""
    asked: tuple[Question, ...] = ()
    """What people are asked about the table and have not answered; set likewise."""
    answered: tuple[str, ...] = ()
    """Pieces that people were asked about and have told of, in that order; likewise."""

    def pile(self, region: Region) -> Pile:
        """Return the pile of a region."""
        return self.piles[region.seat][region.zone.slot]

    def zone(self, seat: Seat, zone: Zone) -> Pile:
        """Return the pile of one player's region."""
        return self.piles[seat][zone.slot]

    @property
    def rounds(self) -> tuple[int, ...]:
        """Return the rounds that the faces allow, 0 before the first (2).

        One number where all faces are known: that of the orange cards. Cards are
        turned in order, which narrows what an unseen one may be.
        """
        if None not in self.faces:
            return (sum(face is Side.ORANGE for face in self.faces),)
        fitting = tuple(
            number
            for number in range(4)
            if all(
                face is None or (face is Side.ORANGE) is (place < number)
                for place, face in enumerate(self.faces)
            )
        )
        return fitting or (0, 1, 2, 3)

    @property
    def round(self) -> int | None:
        """Return the round, `None` where the faces do not tell."""
        rounds = self.rounds
        return rounds[0] if len(rounds) == 1 else None
