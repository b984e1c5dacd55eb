"""Options of a game of Brawl: players, mode, decks and house rulings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from engines.brawl.deck import Deck, known_decks, parse_deck
from engines.brawl.faces import Face
from engines.core import KitError, OptionError, Seat

LETTERS = "ABCDEFG"
MAX_PLAYERS = len(LETTERS)


class Mode(StrEnum):
    """The two levels of the game."""

    TRAINING = "training"
    TOURNAMENT = "tournament"


@dataclass(frozen=True, slots=True)
class Options:
    """What is agreed before the game; the defaults are those of RULES.md."""

    players: int = 2
    mode: Mode = Mode.TOURNAMENT
    decks: tuple[Deck | None, ...] = (None, None)
    """One per seat; `None`: contents unknown, so numbers of copies are not checked."""
    block_on_hit2: bool | None = None
    """B-05; `None`: asked once, and true until it is answered."""
    period_ms: float = 1000 / 30
    """Time between two frames: a touch is timed no better than this."""
    discards_mm: tuple[tuple[float, float] | None, ...] = (None, None)
    """Where each seat keeps its discard pile, if that is fixed."""
    centre_mm: tuple[float, float] | None = None
    """Middle of the circle of three or more; `None`: taken from the Bases."""
    play_off: bool = False
    """The tied players of a circle play this game: another tie is a draw."""

    @property
    def is_circle(self) -> bool:
        """Return whether more than two players sit in a circle."""
        return self.players > 2

    def owner(self, deck: str | None) -> Seat | None:
        """Return the seat that plays the deck of that name, if exactly one does."""
        if deck is None:
            return None
        seats = [
            Seat(seat)
            for seat, own in enumerate(self.decks)
            if deck.casefold() in {LETTERS[seat].casefold(), _name(own)}
        ]
        return seats[0] if len(seats) == 1 else None


def parse_options(values: Mapping[str, object]) -> Options:
    """Return options from plain values; raise `OptionError` on a wrong one."""
    if unknown := sorted(values.keys() - _KEYS):
        raise OptionError(
            f"unknown option {unknown[0]!r}; there are {', '.join(sorted(_KEYS))}"
        )
    players = _whole(values.get("players", 2), "players", 2, MAX_PLAYERS)
    options = Options(
        players=players,
        mode=_mode(values.get("mode", Mode.TOURNAMENT)),
        decks=_decks(values.get("decks"), players),
        block_on_hit2=_bool_or_none(values.get("blockOnHit2"), "blockOnHit2"),
        period_ms=_positive(values.get("period_ms", 1000 / 30), "period_ms"),
        discards_mm=_discards(values.get("discards_mm"), players),
        centre_mm=_point(values.get("centre_mm"), "centre_mm"),
        play_off=_bool_or_none(values.get("play_off"), "play_off") or False,
    )
    need = 2 if options.is_circle else 1
    for deck in options.decks:
        if deck is not None and deck.copies(Face.BASE) < need:
            raise OptionError(
                f"deck {deck.name!r}: in a circle each player starts with two Bases,"
                f" the deck holds {deck.copies(Face.BASE)}"
            )
    return options


def play_off_options(options: Options, tied: tuple[Seat, ...]) -> Options:
    """Return the options of the game that only the tied players of a circle play."""
    return replace(
        options,
        players=len(tied),
        decks=tuple(options.decks[seat] for seat in tied),
        discards_mm=(None,) * len(tied),
        centre_mm=None,
        play_off=True,
    )


_KEYS = frozenset(
    {
        "blockOnHit2",
        "centre_mm",
        "decks",
        "discards_mm",
        "mode",
        "period_ms",
        "play_off",
        "players",
    }
)


def _name(deck: Deck | None) -> str | None:
    return deck.name.casefold() if deck is not None else None


def _mode(value: object) -> Mode:
    try:
        return Mode(str(value))
    except ValueError as error:
        raise OptionError(
            f"mode must be training or tournament, not {value!r}"
        ) from error


def _decks(value: object, players: int) -> tuple[Deck | None, ...]:
    if value is None:
        return (None,) * players
    if not isinstance(value, list | tuple) or len(value) != players:
        raise OptionError(f"decks must list one deck per player, {players} in all")
    return tuple(_deck(item) for item in value)


def _deck(value: object) -> Deck | None:
    if value is None or isinstance(value, Deck):
        return value
    if isinstance(value, Mapping):
        try:
            return parse_deck({str(key): item for key, item in value.items()})
        except KitError as error:
            raise OptionError(str(error)) from error
    decks = known_decks()
    if isinstance(value, str) and value.lower() in decks:
        return decks[value.lower()]
    raise OptionError(
        f"unknown deck {value!r}; there are {', '.join(sorted(decks))}, or give name"
        " and copies"
    )


def _whole(value: object, key: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise OptionError(f"{key} must be a whole number, not {value!r}")
    if not low <= value <= high:
        raise OptionError(f"{key} must be from {low} to {high}, not {value}")
    return value


def _positive(value: object, key: str) -> float:
    if (
        not isinstance(value, int | float)
        or isinstance(value, bool)
        or not 0 < value < float("inf")
    ):
        raise OptionError(f"{key} must be a number above 0, not {value!r}")
    return float(value)


def _bool_or_none(value: object, key: str) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise OptionError(f"{key} must be true or false, not {value!r}")


def _discards(value: object, players: int) -> tuple[tuple[float, float] | None, ...]:
    if value is None:
        return (None,) * players
    if not isinstance(value, list | tuple) or len(value) != players:
        raise OptionError(f"discards_mm must list one point per player, {players}")
    return tuple(_point(item, "discards_mm") for item in value)


def _point(value: object, key: str) -> tuple[float, float] | None:
    if value is None:
        return None
    if isinstance(value, list | tuple) and len(value) == 2:
        x, y = value
        if isinstance(x, int | float) and isinstance(y, int | float):
            return (float(x), float(y))
    raise OptionError(f"{key} must be x and y in mm, not {value!r}")
