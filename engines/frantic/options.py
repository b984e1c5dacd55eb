"""The options of a game: one per ruling that a table may decide otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeGuard, TypeVar

from engines.core import OptionError, Seat

_Choice = TypeVar("_Choice", bound=StrEnum)

FIRST = Seat(0)
FEWEST, FEW, MOST = 2, 4, 8
LIMITS = {
    "short": (137, 113),
    "medium": (154, 137),
    "long": (179, 154),
}
"""Recommended limits for 2-4 and for 5-8 players."""


class AfterCounter(StrEnum):
    """Who moves after a Counterattack (F-09)."""

    NEXT_AFTER_HIM = "nextAfterHim"
    HIMSELF = "himself"
    ORIGINAL_ORDER = "originalOrder"


class CounterSplit(StrEnum):
    """What a Counterattack against a split Fantastic Four turns round (F-10)."""

    SHARE = "share"
    ALL = "all"


class PlusOne(StrEnum):
    """What Plus One adds a card to (F-27)."""

    PER_DRAW = "perDraw"
    PER_CARD = "perCard"


class RepeatPool(StrEnum):
    """Which events Repeat may carry out again (F-30)."""

    EXECUTED = "executed"
    SHOWN = "shown"


class Scoring(StrEnum):
    """What the cards are worth (F-43)."""

    RULEBOOK = "rulebook"
    HEAVY = "heavy"


class Look(StrEnum):
    """What a single photo shows."""

    AUTO = "auto"
    TABLE = "table"
    HAND = "hand"


@dataclass(frozen=True, slots=True)
class Options:
    """How this table plays; the defaults are those of RULES.md."""

    players: int = 4
    dealer: Seat = FIRST
    """Who deals the first round."""
    limit: int = 154
    points: bool = True
    """Without points a game is one round."""
    starred: bool = True
    """The box holds the starred cards too (F-01)."""
    start_effects: bool = True
    wish_compulsory: bool = False
    after_counter: AfterCounter = AfterCounter.NEXT_AFTER_HIM
    counter_split: CounterSplit = CounterSplit.SHARE
    plus_one: PlusOne = PlusOne.PER_DRAW
    distributor_derangement: bool = False
    repeat_pool: RepeatPool = RepeatPool.EXECUTED
    scoring: Scoring = Scoring.RULEBOOK
    look: Look = Look.AUTO
    mirrored: bool = False
    """The picture is a mirror image: left and right are exchanged."""
    seats_deg: tuple[float, ...] = (270.0, 0.0, 90.0, 180.0)
    """Where each seat is seen from the middle of the table: 0 = right, 90 = far."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return all seats in the order of play."""
        return tuple(Seat(number) for number in range(self.players))


def parse_options(values: Mapping[str, object]) -> Options:
    """Return the options named as in RULES.md; raise `OptionError` on a wrong one."""
    unknown = sorted(values.keys() - _READERS.keys())
    if unknown:
        raise OptionError(
            f"Frantic has no option {unknown[0]!r}; it has {', '.join(_READERS)}"
        )
    options = _players(Options(), values.get("players", 4))
    options = replace(
        options,
        limit=limit("medium", options.players),
        seats_deg=even_seats_deg(options.players),
    )
    for key, reader in _READERS.items():
        if key in values:
            options = reader(options, values[key])
    return options


def limit(name: str, players: int) -> int:
    """Return the recommended limit: ``short``, ``medium`` or ``long``."""
    few, many = LIMITS[name]
    return few if players <= FEW else many


def even_seats_deg(players: int) -> tuple[float, ...]:
    """Return seats evenly round the table, the first at the near side."""
    return tuple((270 + 360 * seat / players) % 360 for seat in range(players))


def _players(options: Options, value: object) -> Options:
    if not _is_int(value) or not FEWEST <= value <= MOST:
        raise OptionError(f"players must be {FEWEST} to {MOST}, not {value!r}")
    return replace(options, players=value)


def _dealer(options: Options, value: object) -> Options:
    if not _is_int(value) or not 0 <= value < options.players:
        raise OptionError(
            f"dealer must be a seat from 0 to {options.players - 1}, not {value!r}"
        )
    return replace(options, dealer=Seat(value))


def _limit(options: Options, value: object) -> Options:
    if isinstance(value, str) and value in LIMITS:
        return replace(options, limit=limit(value, options.players))
    if not _is_int(value) or value < 1:
        raise OptionError(
            f"limit must be {', '.join(LIMITS)} or a number from 1 on, not {value!r}"
        )
    return replace(options, limit=value)


def _deck(options: Options, value: object) -> Options:
    if value not in {"base", "base + starred"}:
        raise OptionError(f"deck must be 'base' or 'base + starred', not {value!r}")
    return replace(options, starred=value != "base")


def _seats_deg(options: Options, value: object) -> Options:
    angles = value if isinstance(value, list | tuple) else ()
    if len(angles) != options.players or not all(
        isinstance(angle, int | float) and not isinstance(angle, bool)
        for angle in angles
    ):
        raise OptionError(f"seatsDeg must give one angle for each player: {value!r}")
    turned = tuple(float(angle) % 360 for angle in angles)
    first = turned[0]
    round_the_table = [(angle - first) % 360 for angle in turned]
    if sorted(set(round_the_table)) != round_the_table:
        raise OptionError(
            f"seatsDeg must run counter-clockwise from the first seat: {value!r}"
        )
    return replace(options, seats_deg=turned)


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise OptionError(f"{key} must be true or false, not {value!r}")
    return value


def _one_of(kind: type[_Choice], key: str, value: object) -> _Choice:
    for choice in kind:
        if choice == value:
            return choice
    raise OptionError(f"{key} must be {' or '.join(kind)}, not {value!r}")


_READERS: Mapping[str, Callable[[Options, object], Options]] = {
    "players": _players,
    "dealer": _dealer,
    "limit": _limit,
    "points": lambda o, v: replace(o, points=_flag("points", v)),
    "deck": _deck,
    "startEffects": lambda o, v: replace(o, start_effects=_flag("startEffects", v)),
    "wishCompulsory": lambda o, v: replace(
        o, wish_compulsory=_flag("wishCompulsory", v)
    ),
    "afterCounter": lambda o, v: replace(
        o, after_counter=_one_of(AfterCounter, "afterCounter", v)
    ),
    "counterSplit": lambda o, v: replace(
        o, counter_split=_one_of(CounterSplit, "counterSplit", v)
    ),
    "plusOne": lambda o, v: replace(o, plus_one=_one_of(PlusOne, "plusOne", v)),
    "distributorDerangement": lambda o, v: replace(
        o, distributor_derangement=_flag("distributorDerangement", v)
    ),
    "repeatPool": lambda o, v: replace(
        o, repeat_pool=_one_of(RepeatPool, "repeatPool", v)
    ),
    "scoring": lambda o, v: replace(o, scoring=_one_of(Scoring, "scoring", v)),
    "look": lambda o, v: replace(o, look=_one_of(Look, "look", v)),
    "mirrored": lambda o, v: replace(o, mirrored=_flag("mirrored", v)),
    "seatsDeg": _seats_deg,
}
