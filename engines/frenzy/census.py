"""What one deck holds, counted by a person or by the first scan of the deck.

No source tells how many copies of a card exist, so nothing is called a foul by number
before the deck in hand has been counted (section 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engines.core import Finding, OptionError, Text
from engines.frenzy.cards import STRENGTH, Card

WARRIORS = 28
HEROES = 11
PLAY_DECK = WARRIORS + HEROES
"""Cards in the deck of the advanced game."""
KEYS = ("W1", "W2", "W3", "W4", "A", "Z", "adv")


@dataclass(frozen=True, slots=True)
class Census:
    """Copies per face; `adv` are the Heroes with the diamond."""

    counts: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, values: Mapping[object, object]) -> Census:
        """Return the census of ``{"W1": 7, ..., "adv": 3}``; raise `OptionError`."""
        if set(values) != set(KEYS):
            raise OptionError(f"a census counts {', '.join(KEYS)}")
        for key, number in values.items():
            if not isinstance(number, int) or isinstance(number, bool) or number < 0:
                raise OptionError(f"census: {key} must be a number of cards from 0 on")
        return cls(tuple((key, int(str(values[key]))) for key in KEYS))

    def copies(self, card: Card) -> int:
        """Return how many copies of `card` the deck may hold."""
        return self._copies["adv" if card.is_advanced else card.value]

    @property
    def advanced(self) -> int:
        """Return the number of Heroes with the diamond."""
        return self._copies["adv"]

    def findings(self) -> tuple[Finding, ...]:
        """Return what does not fit the totals that the box states."""
        warriors = sum(self._copies[card.value] for card in STRENGTH)
        heroes = self._copies["A"] + self._copies["Z"] + self._copies["adv"]
        return tuple(
            Finding(Text.of(f"frenzy.{message}", counted=counted, printed=printed))
            for message, counted, printed in (
                ("census_warriors", warriors, WARRIORS),
                ("census_heroes", heroes, HEROES),
            )
            if counted != printed
        )

    @property
    def _copies(self) -> Mapping[str, int]:
        return dict(self.counts)
