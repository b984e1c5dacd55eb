"""Damage and shield of what lies on the table, with the width of what is not known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engines.core import Card, Suit
from engines.regicide.cards import total
from engines.regicide.fight import Fight, Strike
from engines.regicide.grouping import Group, Reading
from engines.regicide.options import Options
from engines.regicide.sets import late_shield, suits_of

BEFORE, AFTER = "before", "after"


@dataclass(frozen=True, slots=True)
class Span:
    """A whole number that is known, or known to lie between two."""

    low: int
    high: int | None
    """`None`: there is no telling."""

    @classmethod
    def of(cls, *values: int) -> Span:
        """Return the span from the least to the greatest of `values`."""
        return cls(min(values), max(values))

    @property
    def value(self) -> int | None:
        """Return the number if it is known."""
        return self.low if self.low == self.high else None

    def __add__(self, other: Span) -> Span:
        high = (
            None if self.high is None or other.high is None else self.high + other.high
        )
        return Span(self.low + other.low, high)

    def __or__(self, other: Span) -> Span:
        high = (
            None
            if self.high is None or other.high is None
            else max(self.high, other.high)
        )
        return Span(min(self.low, other.low), high)


NOTHING = Span(0, 0)
ANYTHING = Span(0, None)


@dataclass(frozen=True, slots=True)
class Effect:
    """What some cards do: damage dealt and attack warded off."""

    damage: Span
    shield: Span

    def __add__(self, other: Effect) -> Effect:
        return Effect(self.damage + other.damage, self.shield + other.shield)

    def __or__(self, other: Effect) -> Effect:
        return Effect(self.damage | other.damage, self.shield | other.shield)


NO_EFFECT = Effect(NOTHING, NOTHING)
ANY_EFFECT = Effect(ANYTHING, ANYTHING)


@dataclass(frozen=True, slots=True)
class Judging:
    """What the effect of a play depends on."""

    enemy: Card
    jokers: bool | None
    options: Options
    answers: Mapping[str, str]

    def play(self, cards: Group) -> Effect:
        """Return the effect of one legal play."""
        return Effect(self._damage(cards), self._shield(cards))

    def reading(self, reading: Reading) -> Effect:
        """Return the effect of all plays; an illegal reading goes back to the hand."""
        if not reading.is_legal:
            return NO_EFFECT
        return add_up(self.play(cards) for cards in reading.plays)

    def strike(self, strike: Strike) -> Effect:
        """Return the effect of some cards over all their readings."""
        if strike.clump.is_cut_short:
            return ANY_EFFECT
        effects = [self.reading(reading) for reading in strike.clump.readings]
        effect = effects[0]
        for other in effects[1:]:
            effect |= other
        return effect | NO_EFFECT if strike.is_doubtful else effect

    def order(self, cards: Group) -> str | None:
        """Return whether a play came before or after the Joker, as far as told."""
        return self.answers.get(f"joker:{cards[0]}")

    def depends_on_order(self, cards: Group) -> bool:
        """Return whether before or after the Joker makes a difference."""
        return self.jokers is not False and self._early(cards) != self._late(cards)

    def _damage(self, cards: Group) -> Span:
        early, late = self._early(cards)[0], self._late(cards)[0]
        return self._by_order(cards, early, late, without=early)

    def _shield(self, cards: Group) -> Span:
        early, late = self._early(cards)[1], self._late(cards)[1]
        blocked = Suit.SPADES is self.enemy.suit
        return self._by_order(cards, early, late, without=0 if blocked else early)

    def _by_order(self, cards: Group, early: int, late: int, *, without: int) -> Span:
        """Return the figure given what is known of the Joker and of the order."""
        told = {BEFORE: Span.of(early), AFTER: Span.of(late)}.get(
            self.order(cards) or "", Span.of(early, late)
        )
        if self.jokers is True:
            return told
        return Span.of(without) if self.jokers is False else told | Span.of(without)

    def _early(self, cards: Group) -> tuple[int, int]:
        """Return damage and shield of a play made before the Joker, once it lies."""
        suits = suits_of(cards) - {self.enemy.suit}
        base = total(cards)
        if self.enemy.suit is Suit.SPADES:
            shield = late_shield(cards, self.options.retro_spades)
        else:
            shield = base if Suit.SPADES in suits else 0
        return base * (2 if Suit.CLUBS in suits else 1), shield

    def _late(self, cards: Group) -> tuple[int, int]:
        """Return damage and shield of a play made after the Joker."""
        suits, base = suits_of(cards), total(cards)
        return (
            base * (2 if Suit.CLUBS in suits else 1),
            base if Suit.SPADES in suits else 0,
        )


def add_up(effects: Iterable[Effect]) -> Effect:
    """Return the sum of several effects."""
    whole = NO_EFFECT
    for effect in effects:
        whole += effect
    return whole


def whole_effect(fight: Fight, judging: Judging) -> Effect:
    """Return what all cards on the table do to the enemy and its attack."""
    effect = add_up(judging.strike(strike) for strike in fight.strikes)
    if fight.unread or fight.twice:
        effect += ANY_EFFECT
    return effect
