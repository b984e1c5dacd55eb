"""What a table agrees on before it plays, with the defaults of section 8."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from engines.core import NotationError, OptionError, Seat
from engines.frenzy.cards import SEATS, Card, Faction, parse_seat, seat_name
from engines.frenzy.census import PLAY_DECK, Census


class Variant(StrEnum):
    """Section 7."""

    BASE = "base"
    ADVANCED = "advanced"


class Order(StrEnum):
    """FZ-R10: in which order the Battlefields are resolved."""

    BODYGUARD_FIRST = "bodyguardFirst"
    NUMERIC = "numeric"


class EmptyPile(StrEnum):
    """FZ-R04: what an empty Battle Line pile does against a card."""

    LOSES = "loses"
    NO_WINNER = "noWinner"


@dataclass(frozen=True, slots=True)
class House:
    """The rulings that are asked once per match; `None` is "not asked yet"."""

    order: Order | None = None
    empty_pile: EmptyPile | None = None
    bodyguard_is_warrior: bool | None = None
    """FZ-R13: a Bodyguard that duplicates a 4 falls to the Assassin like a Warrior."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one match; what is `None` is not known or not decided yet."""

    variant: Variant = Variant.ADVANCED
    first: Seat | None = None
    factions: tuple[Faction | None, Faction | None] = (None, None)
    census: tuple[Census | None, Census | None] = (None, None)
    house: House = House()
    frame_period_ms: float = 33.0
    """Time between two frames: what separates two releases for the camera."""

    @property
    def timing_sigma_ms(self) -> float:
        """Return one sigma of the difference between two times of release.

        A release lies anywhere between two frames: an even spread of one period
        (period / sqrt 12), and there are two of them.
        """
        return self.frame_period_ms / math.sqrt(6)

    def deck_size(self, seat: Seat) -> int | None:
        """Return the cards of the play deck; `None` for an uncounted base deck."""
        if self.variant is Variant.ADVANCED:
            return PLAY_DECK
        census = self.census[seat]
        return None if census is None else PLAY_DECK - census.advanced

    def cards(self, seat: Seat) -> tuple[Card, ...]:
        """Return the faces that the deck of `seat` may hold."""
        faction = self.factions[seat]
        return tuple(
            card
            for card in Card
            if not card.is_advanced
            or (
                self.variant is Variant.ADVANCED
                and (faction is None or faction.hero is card)
            )
        )


KEYS = (
    "variant",
    "firstPlayer",
    "factions",
    "census",
    "framePeriodMs",
    "order",
    "emptyPile",
    "bodyguardIsWarriorForAssassin",
)


def parse_options(values: Mapping[str, object]) -> Options:
    """Return the options; raise `OptionError` on an unknown key or a wrong value."""
    if unknown := sorted(set(values) - set(KEYS)):
        raise OptionError(f"no option {unknown[0]!r}; there are {', '.join(KEYS)}")
    given = {key: value for key, value in values.items() if value is not None}
    return Options(
        variant=_choice(given, "variant", Variant) or Variant.ADVANCED,
        first=_seat(given.get("firstPlayer")),
        factions=_factions(given.get("factions")),
        census=_censuses(given.get("census")),
        house=House(
            _choice(given, "order", Order),
            _choice(given, "emptyPile", EmptyPile),
            _flag(given, "bodyguardIsWarriorForAssassin"),
        ),
        frame_period_ms=_period(given.get("framePeriodMs", 33.0)),
    )


Choice = TypeVar("Choice", bound=StrEnum)


def _choice(
    values: Mapping[str, object], key: str, kind: type[Choice]
) -> Choice | None:
    if key not in values:
        return None
    return _member(key, values[key], kind)


def _member(key: str, value: object, kind: type[Choice]) -> Choice:
    for member in kind:
        if value == member.value:
            return member
    raise OptionError(f"{key} must be one of {', '.join(kind)}, not {value!r}")


def _flag(values: Mapping[str, object], key: str) -> bool | None:
    value = values.get(key)
    if value in ("true", "false"):
        return value == "true"
    if value is None or isinstance(value, bool):
        return value
    raise OptionError(f"{key} must be true or false, not {value!r}")


def _seat(value: object) -> Seat | None:
    if value is None:
        return None
    try:
        return parse_seat(str(value))
    except NotationError as error:
        raise OptionError(f"firstPlayer must be P1 or P2, not {value!r}") from error


def _by_seat(key: str, value: object) -> tuple[object, object]:
    """Return the two values of ``{"P1": ..., "P2": ...}``; either may be left out."""
    names = [seat_name(seat) for seat in SEATS]
    if not isinstance(value, Mapping) or not set(value) <= set(names):
        raise OptionError(f"{key} must be given by player: P1 and P2")
    return value.get(names[0]), value.get(names[1])


def _factions(value: object) -> tuple[Faction | None, Faction | None]:
    if value is None:
        return (None, None)
    first, second = (
        None if name is None else _member("factions", name, Faction)
        for name in _by_seat("factions", value)
    )
    return first, second


def _censuses(value: object) -> tuple[Census | None, Census | None]:
    if value is None:
        return (None, None)
    first, second = (_census(counts) for counts in _by_seat("census", value))
    return first, second


def _census(counts: object) -> Census | None:
    if counts is None:
        return None
    if not isinstance(counts, Mapping):
        raise OptionError("a census gives the number of copies per card")
    census = Census.of(counts)
    if findings := census.findings():
        raise OptionError(str(findings[0].text))
    return census


def _period(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        period_ms = float(value)
        if 0 < period_ms <= 10_000:
            return period_ms
    raise OptionError(f"framePeriodMs must be above 0 and at most 10000, not {value!r}")
