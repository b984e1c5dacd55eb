"""The moves of Warstones and their notation; `str(move)` and `parse_move` are inverse.

A army hero militia*4 archer        first A            draw W lateral-3
A recruit A:militia-1               A deploy A:militia-1   A move A:militia-1
A deploy A:militia-1 unseen         lies A:militia-1@N-C/forest
settle A:militia-1@N-C/forest:450,230 B:zombie-1@off
A attack N-C B with A:archer-1      A besiege M-C      A destroys B:zombie-1
assigner B     B returns none       B excess B:zombie-2
A ability A:hero-1 rally            A pass             A foul push
referee flick repeat | place A:militia-1@N-C | points A=3 | city W=lateral-2 | goal 6
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from engines.core import Seat
from engines.warstones.terms import ChipId, Place, letter


class FoulKind(StrEnum):
    """What was wrong with a flick (section 4.8)."""

    PUSH = "push"
    """Pushed with the finger instead of flicked."""
    TOUCH = "touch"
    """Touched another chip with the hand."""
    LINE = "line"
    """Left the half-moon of the Base while placing."""


class FoulCall(StrEnum):
    """What the referee does about it."""

    REPEAT = "repeat"
    VOID = "void"
    """Everything goes back, the flick is lost."""
    ACCEPT = "accept"


@dataclass(frozen=True, slots=True)
class Army:
    """A player's army: unit and number of chips, in alphabetical order."""

    seat: Seat
    units: tuple[tuple[str, int], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "units", tuple(sorted(self.units)))

    def __str__(self) -> str:
        words = (unit if n == 1 else f"{unit}*{n}" for unit, n in self.units)
        return " ".join((letter(self.seat), "army", *words))


@dataclass(frozen=True, slots=True)
class First:
    """The draw for the First Player marker."""

    seat: Seat

    def __str__(self) -> str:
        return f"first {letter(self.seat)}"


@dataclass(frozen=True, slots=True)
class Draw:
    """A City token is drawn onto a Fortress and shows its face."""

    city: str
    token: str

    def __str__(self) -> str:
        return f"draw {self.city} {self.token}"


@dataclass(frozen=True, slots=True)
class Recruit:
    """From the Reserve into the Base."""

    seat: Seat
    chip: ChipId

    def __str__(self) -> str:
        return f"{letter(self.seat)} recruit {self.chip}"


@dataclass(frozen=True, slots=True)
class Deploy:
    """A flick from the Base; `Settle` says where everything came to rest."""

    seat: Seat
    chip: ChipId
    unseen: bool = False
    """It lies on the board, and no camera sees where: `Lies` says it."""

    def __str__(self) -> str:
        text = f"{letter(self.seat)} deploy {self.chip}"
        return f"{text} unseen" if self.unseen else text


@dataclass(frozen=True, slots=True)
class Movement:
    """A flick of a unit on the field; `Settle` says how it ended."""

    seat: Seat
    chip: ChipId

    def __str__(self) -> str:
        return f"{letter(self.seat)} move {self.chip}"


@dataclass(frozen=True, slots=True)
class Settle:
    """Where the flicked chip and all chips that it moved came to rest."""

    ends: tuple[tuple[ChipId, Place], ...]

    def __post_init__(self) -> None:
        ordered = sorted(self.ends, key=lambda end: (end[0], str(end[1])))
        object.__setattr__(self, "ends", tuple(ordered))

    def __str__(self) -> str:
        return " ".join(("settle", *(f"{chip}@{place}" for chip, place in self.ends)))


@dataclass(frozen=True, slots=True)
class Lies:
    """Where a unit lies that no camera saw: a person tells it of the flicked one, or
    the camera sees it at last. Nothing was moved."""

    chip: ChipId
    place: Place

    def __str__(self) -> str:
        return f"lies {self.chip}@{self.place}"


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack on one player's units; `helpers` are distant or allied units."""

    seat: Seat
    sector: str
    target: Seat
    helpers: tuple[ChipId, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "helpers", tuple(sorted(set(self.helpers))))

    def __str__(self) -> str:
        text = f"{letter(self.seat)} attack {self.sector} {letter(self.target)}"
        return " ".join((text, *_helpers(self.helpers)))


@dataclass(frozen=True, slots=True)
class Besiege:
    """A siege; `helpers` are distant or allied units that take part."""

    seat: Seat
    sector: str
    helpers: tuple[ChipId, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "helpers", tuple(sorted(set(self.helpers))))

    def __str__(self) -> str:
        text = f"{letter(self.seat)} besiege {self.sector}"
        return " ".join((text, *_helpers(self.helpers)))


@dataclass(frozen=True, slots=True)
class Destroy:
    """The units that the damage of an attack or a counterattack destroys."""

    seat: Seat
    chips: tuple[ChipId, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "chips", tuple(sorted(set(self.chips))))

    def __str__(self) -> str:
        return " ".join((letter(self.seat), "destroys", *(self.chips or ("none",))))


@dataclass(frozen=True, slots=True)
class Assigner:
    """Who assigns the counterattack (W-10)."""

    seat: Seat

    def __str__(self) -> str:
        return f"assigner {letter(self.seat)}"


@dataclass(frozen=True, slots=True)
class Return:
    """The units that leave a conquered sector for the Base; the others stay."""

    seat: Seat
    chips: tuple[ChipId, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "chips", tuple(sorted(set(self.chips))))

    def __str__(self) -> str:
        return " ".join((letter(self.seat), "returns", *(self.chips or ("none",))))


@dataclass(frozen=True, slots=True)
class Excess:
    """A unit goes from the overfull Base to the Reserve."""

    seat: Seat
    chip: ChipId

    def __str__(self) -> str:
        return f"{letter(self.seat)} excess {self.chip}"


@dataclass(frozen=True, slots=True)
class Ability:
    """An ability that is printed on a unit's card."""

    seat: Seat
    chip: ChipId
    name: str

    def __str__(self) -> str:
        return f"{letter(self.seat)} ability {self.chip} {self.name}"


@dataclass(frozen=True, slots=True)
class Pass:
    """All action points that are left are given up."""

    seat: Seat

    def __str__(self) -> str:
        return f"{letter(self.seat)} pass"


@dataclass(frozen=True, slots=True)
class Foul:
    """Somebody says that the player's last flick was foul."""

    seat: Seat
    kind: FoulKind

    def __str__(self) -> str:
        return f"{letter(self.seat)} foul {self.kind}"


@dataclass(frozen=True, slots=True)
class CallFlick:
    """The referee decides about a foul flick."""

    call: FoulCall

    def __str__(self) -> str:
        return f"referee flick {self.call}"


@dataclass(frozen=True, slots=True)
class PutBack:
    """The referee corrects where a unit is."""

    chip: ChipId
    place: Place

    def __str__(self) -> str:
        return f"referee place {self.chip}@{self.place}"


@dataclass(frozen=True, slots=True)
class SetPoints:
    """The referee corrects an action counter."""

    seat: Seat
    points: int

    def __str__(self) -> str:
        return f"referee points {letter(self.seat)}={self.points}"


@dataclass(frozen=True, slots=True)
class SetCity:
    """The referee corrects which token lies on a Fortress."""

    city: str
    token: str

    def __str__(self) -> str:
        return f"referee city {self.city}={self.token}"


@dataclass(frozen=True, slots=True)
class SetGoal:
    """The victory points that win, agreed on before the start (W-03)."""

    points: int

    def __str__(self) -> str:
        return f"referee goal {self.points}"


Move: TypeAlias = (
    Army
    | First
    | Draw
    | Recruit
    | Deploy
    | Movement
    | Settle
    | Lies
    | Attack
    | Besiege
    | Destroy
    | Assigner
    | Return
    | Excess
    | Ability
    | Pass
    | Foul
    | CallFlick
    | PutBack
    | SetPoints
    | SetCity
    | SetGoal
)


def _helpers(chips: tuple[ChipId, ...]) -> tuple[str, ...]:
    return ("with", *chips) if chips else ()
