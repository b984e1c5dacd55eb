"""The spoils of a round: what is scored, and what Wizards cost (5.2, 5.3).

One small machine serves both ways in: the live game and the single photo.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from engines.core import Seat
from engines.frenzy.cards import SEATS, Card, Owned, other
from engines.frenzy.options import Order

Piles: TypeAlias = tuple[tuple[Owned, ...], tuple[Owned, ...]]
"""The score piles (or what was removed from them), by seat."""


@dataclass(frozen=True, slots=True)
class Spoils:
    """What one Battlefield yields, before any Wizard is paid for.

    `banished` are Wizards that the winner's Lich removes without effect.
    """

    number: int
    winner: Seat | None
    taken: tuple[Owned, ...] = ()
    banished: tuple[Owned, ...] = ()

    @property
    def wizards(self) -> int:
        """Return how many cards the opponent may pick because of this Battlefield."""
        return sum(owned.card is Card.WIZARD for owned in self.taken)

    @property
    def points(self) -> int:
        """Return the value of the taken cards."""
        return sum(owned.card.points for owned in self.taken)


@dataclass(frozen=True, slots=True)
class Resolution:
    """How far the Battlefields of a round are resolved."""

    spoils: tuple[Spoils, ...]
    """In the order of resolution."""
    piles: Piles
    removed: Piles = ((), ())
    done: int = 0
    """How many of `spoils` are in the piles."""
    owing: Seat | None = None
    """Who scored Wizards that are not paid for yet."""
    wizards: int = 0
    """How many of them."""

    @property
    def is_over(self) -> bool:
        """Return whether nothing is left to resolve or to pick."""
        return self.done == len(self.spoils) and self.owing is None

    @property
    def picker(self) -> Seat | None:
        """Return who must pick a card now."""
        return None if self.owing is None else other(self.owing)

    @property
    def choices(self) -> tuple[Card, ...]:
        """Return what may be picked now, highest first (FZ-R09: no Wizards)."""
        if self.owing is None:
            return ()
        cards = {owned.card for owned in self.piles[self.owing]} - {Card.WIZARD}
        return tuple(sorted(cards, key=lambda card: (-card.points, card.value)))


def spoils(
    number: int,
    winner: Seat | None,
    champion: Card | None,
    supply: tuple[tuple[Card, ...], tuple[Card, ...]],
) -> Spoils:
    """Return what `winner` takes with the card `champion` on the Battle Line.

    `supply` are both Supply piles from the top, by seat. A Knight takes two cards of
    each, as far as they exist (FZ-R17); a Lich keeps no Wizard.
    """
    if winner is None:
        return Spoils(number, None)
    depth = 2 if champion is Card.KNIGHT else 1
    cards = tuple(
        Owned(card, seat)
        for seat in (winner, other(winner))
        for card in supply[seat][:depth]
    )
    if champion is not Card.LICH:
        return Spoils(number, winner, cards)
    kept = tuple(owned for owned in cards if owned.card is not Card.WIZARD)
    banished = tuple(owned for owned in cards if owned.card is Card.WIZARD)
    return Spoils(number, winner, kept, banished)


def resolution_order(
    bodyguards: frozenset[int], order: Order | None
) -> tuple[int, ...]:
    """Return the numbers of the Battlefields in order of resolution (FZ-R10)."""
    if order is Order.NUMERIC:
        return (1, 2, 3)
    return tuple(
        sorted((1, 2, 3), key=lambda number: (number not in bodyguards, number))
    )


def order_matters(all_spoils: tuple[Spoils, ...], bodyguards: frozenset[int]) -> bool:
    """Return whether the two readings of FZ-R10 can give different score piles."""
    if resolution_order(bodyguards, None) == (1, 2, 3):
        return False
    return any(each.wizards for each in all_spoils)


def begin(
    all_spoils: tuple[Spoils, ...], order: tuple[int, ...], piles: Piles
) -> Resolution:
    """Return a resolution that has run up to the first pick, or to its end."""
    by_number = {each.number: each for each in all_spoils}
    ordered = tuple(by_number[number] for number in order if number in by_number)
    return _run(Resolution(ordered, piles))


def pick(resolution: Resolution, card: Card) -> Resolution:
    """Return the resolution after the opponent has picked `card` for one Wizard."""
    assert card in resolution.choices
    return _run(_pay(resolution, card))


def _run(resolution: Resolution) -> Resolution:
    while not resolution.is_over:
        if resolution.owing is None:
            resolution = _score_next(resolution)
        elif resolution.choices:
            return resolution
        else:
            resolution = _pay(resolution, None)  # FZ-R07: only the Wizard leaves
    return resolution


def _score_next(resolution: Resolution) -> Resolution:
    each = resolution.spoils[resolution.done]
    scored = replace(resolution, done=resolution.done + 1)
    if each.winner is None:
        return scored
    return replace(
        scored,
        piles=_added(scored.piles, each.winner, each.taken),
        removed=_added(scored.removed, each.winner, each.banished),
        owing=each.winner if each.wizards else None,
        wizards=each.wizards,
    )


def _pay(resolution: Resolution, card: Card | None) -> Resolution:
    """Remove one Wizard, and the picked card with it."""
    seat = resolution.owing
    assert seat is not None
    pile = list(resolution.piles[seat])
    gone = []
    for leaving in (Card.WIZARD, card):
        found = next((owned for owned in pile if owned.card is leaving), None)
        if found is not None:
            pile.remove(found)
            gone.append(found)
    left = resolution.wizards - 1
    return replace(
        resolution,
        piles=_with(resolution.piles, seat, tuple(pile)),
        removed=_added(resolution.removed, seat, tuple(gone)),
        owing=seat if left else None,
        wizards=left,
    )


def _with(piles: Piles, seat: Seat, pile: tuple[Owned, ...]) -> Piles:
    return (pile, piles[1]) if seat == SEATS[0] else (piles[0], pile)


def _added(piles: Piles, seat: Seat, cards: tuple[Owned, ...]) -> Piles:
    return _with(piles, seat, piles[seat] + cards)
