"""The table's agreements: number of players and the rulings one may choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from engines.core import OptionError
from engines.regicide.cards import HAND_LIMIT, PLAYER_COUNTS, TAVERN_JOKERS


class RetroSpades(StrEnum):
    """How much earlier spades count once a Joker cancels a spades enemy's immunity."""

    ATTACK_VALUE = "attackValue"
    CARD_VALUE = "cardValue"


class OverDiscard(StrEnum):
    """Whether a player may discard on after the damage is covered."""

    STOP = "stop"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class Options:
    """Number of players and the rulings of RULES.md with a choice, by their default."""

    players: int = 2
    solo_yield: bool = False
    """R-01, key `soloYield`: a lone player may yield."""
    joker_self: bool = True
    """R-03, key `jokerSelf`: who plays the Joker may choose himself."""
    retro_spades: RetroSpades = RetroSpades.ATTACK_VALUE
    """R-05, key `retroSpades`."""
    over_discard: OverDiscard = OverDiscard.STOP
    """R-08, key `overDiscard`."""
    discard_browse: bool = False
    """R-15, key `discardBrowse`: the whole discard pile may be looked through."""

    @property
    def hand_limit(self) -> int:
        """Return how many cards a hand may hold."""
        return HAND_LIMIT[self.players]

    @property
    def tavern_jokers(self) -> int:
        """Return how many Jokers are shuffled into the Tavern."""
        return TAVERN_JOKERS[self.players]


KEYS = (
    "players",
    "soloYield",
    "jokerSelf",
    "retroSpades",
    "overDiscard",
    "discardBrowse",
)


def parse_options(values: Mapping[str, object]) -> Options:
    """Return the options that `values` set; raise `OptionError` on a wrong one."""
    unknown = sorted(str(key) for key in values if key not in KEYS)
    if unknown:
        raise OptionError(f"no option {unknown[0]!r}; there are {', '.join(KEYS)}")
    return Options(
        players=_players(values.get("players", 2)),
        solo_yield=_switch(values, "soloYield", default=False),
        joker_self=_switch(values, "jokerSelf", default=True),
        retro_spades=RetroSpades(
            _choice(values, "retroSpades", tuple(item.value for item in RetroSpades))
        ),
        over_discard=OverDiscard(
            _choice(values, "overDiscard", tuple(item.value for item in OverDiscard))
        ),
        discard_browse=_switch(values, "discardBrowse", default=False),
    )


def _players(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise OptionError(f"players must be 1, 2, 3 or 4, not {value!r}")
    if str(value) not in map(str, PLAYER_COUNTS):
        raise OptionError(f"players must be 1, 2, 3 or 4, not {value!r}")
    return int(value)


_SWITCH: Mapping[object, bool] = {"true": True, "false": False}


def _switch(values: Mapping[str, object], key: str, *, default: bool) -> bool:
    value = values.get(key, default)
    if isinstance(value, str):
        value = _SWITCH.get(value.lower(), value)
    if not isinstance(value, bool):
        raise OptionError(f"{key} must be true or false, not {value!r}")
    return value


def _choice(values: Mapping[str, object], key: str, choices: tuple[str, ...]) -> str:
    value = values.get(key, choices[0])
    if not isinstance(value, str) or value not in choices:
        raise OptionError(f"{key} must be {' or '.join(choices)}, not {value!r}")
    return value
