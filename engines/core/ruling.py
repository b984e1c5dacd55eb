"""Rulings, their margins and evidence, and questions to a person.

A referee that guesses is not trusted. So a `Ruling` cannot be built with a verdict
that its `Margin` does not support, and what a camera cannot know becomes a
`Question` to somebody who does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NewType

from engines.core.text import DEFAULT_LANGUAGE, Number, Text, number

Seat = NewType("Seat", int)
"""A place at the table, counted from 0 in the order of play; unless a game says
otherwise, from the near side and clockwise as seen from above."""

CLEAR_SIGMAS = 3.0
"""A margin is clear from here on: at the edge of the band one verdict in 740 would be
wrong if it were given, and the further away, the fewer."""
MOST_PLACES = 3
"""Decimal places in which people are told of a measurement, at most."""


class Verdict(StrEnum):
    """The answer to a claim."""

    UPHELD = "upheld"
    REJECTED = "rejected"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, order=True)
class RuleRef:
    """The number of a heading in the game's RULES.md, such as ``4.2`` or ``R-08``."""

    number: str

    def __str__(self) -> str:
        return self.number


@dataclass(frozen=True, slots=True)
class Margin:
    """How far a measurement lies from the deciding line.

    `value` is signed: positive supports the claim. `sigma` is one standard deviation,
    in the same `unit` (``mm``, ``ms``, ``share``).
    """

    value: float
    sigma: float
    unit: str

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and math.isfinite(self.sigma)):
            raise ValueError(f"a margin must be finite, not {self}")
        if self.sigma < 0:
            raise ValueError(f"sigma must not be negative: {self.sigma}")

    @property
    def verdict(self) -> Verdict:
        """Return UNDECIDED inside `CLEAR_SIGMAS`, else what the sign says."""
        if self.value == 0 or abs(self.value) < CLEAR_SIGMAS * self.sigma:
            return Verdict.UNDECIDED
        return Verdict.UPHELD if self.value > 0 else Verdict.REJECTED

    def __neg__(self) -> Margin:
        return Margin(-self.value, self.sigma, self.unit)

    def written(self, language: str = DEFAULT_LANGUAGE) -> str:
        """Return value, with its sign, sigma and unit as people read them.

        >>> Margin(-1.234, 0.31, "mm").written("it")
        '-1,2 ± 0,3 mm'
        """
        sign = "-" if self.value < 0 else "+"
        value, sigma = as_measured(abs(self.value), self.sigma)
        return f"{sign}{value.render(language)} ± {sigma.render(language)} {self.unit}"


def as_measured(value: float, sigma: float) -> tuple[Number, Number]:
    """Return a measured value and its sigma with one decimal place; with as many more
    as sigma needs to be seen: nothing that was measured is known to 0.0.

    >>> as_measured(12.34, 0.26), as_measured(12.34, 0.03), as_measured(0.5, 2e-5)
    (('12.3', '0.3'), ('12.34', '0.03'), ('0.500', '0.001'))
    """
    places = 1
    while sigma > 0 and float(f"{sigma:.{places}f}") == 0 and places < MOST_PLACES:
        places += 1
    if sigma > 0:
        sigma = max(sigma, 10.0**-MOST_PLACES)
    return number(value, places), number(sigma, places)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One fact and where it was seen: ``frame:142``, ``event:17``, ``piece:c3``."""

    fact: Text
    source: str


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a move is refused; what a rule function returns."""

    rule: RuleRef
    reason: Text
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruling:
    """The referee's answer to a claim.

    `grounds` are earlier rulings that this one rests on: the doubt rule of a game is a
    second ruling, without a margin, whose ground is the undecided measurement.
    """

    claim: Text
    verdict: Verdict
    reason: Text
    rule: RuleRef
    evidence: tuple[Evidence, ...] = ()
    margin: Margin | None = None
    grounds: tuple[Ruling, ...] = ()

    def __post_init__(self) -> None:
        if self.margin is not None and self.margin.verdict is not self.verdict:
            raise ValueError(f"verdict {self.verdict} contradicts {self.margin}")

    @classmethod
    def upheld(cls, claim: Text, reason: Text, rule: RuleRef) -> Ruling:
        """Return a ruling in favour of `claim`."""
        return cls(claim, Verdict.UPHELD, reason, rule)

    @classmethod
    def refused(cls, claim: Text, objection: Objection) -> Ruling:
        """Return a ruling against `claim` with the objection's rule and reason."""
        return cls(
            claim,
            Verdict.REJECTED,
            objection.reason,
            objection.rule,
            objection.evidence,
        )


@dataclass(frozen=True, slots=True)
class Option:
    """One possible answer to a question.

    `move` is the notation of the move that gives this answer in a live game; `None`
    where the question comes from a single photo.
    """

    value: str
    text: Text
    move: str | None = None


FACE_DOWN, NO_CARD = "back", "none"
"""What people say of what could not be read and is no card that lies open: values of
options."""


@dataclass(frozen=True, slots=True)
class Question:
    """A doubt or a choice that belongs to a person.

    `to` is a seat, or `None` for the referee (or whoever holds the phone). `default`
    is the value of one of the options, or `None` where nothing may be assumed.
    """

    id: str
    to: Seat | None
    text: Text
    options: tuple[Option, ...]
    default: str | None = None
    rule: RuleRef | None = None
    pieces: tuple[str, ...] = ()
    """Ids of the pieces that the question is about, for the picture."""

    def __post_init__(self) -> None:
        values = [option.value for option in self.options]
        if len(set(values)) != len(values):
            raise ValueError(f"question {self.id} has two options of one value")
        if self.default is not None and self.default not in values:
            raise ValueError(
                f"question {self.id}: default {self.default!r} is no option"
            )

    def is_among(self, asked: Iterable[Question]) -> bool:
        """Return whether this is asked of these pieces already; the answers, and what
        they come to, may have changed since."""
        return any((q.id, q.pieces) == (self.id, self.pieces) for q in asked)

    def is_about(self, moves: Set[str]) -> bool:
        """Return whether all that can be answered is one of these moves."""
        return bool(self.options) and all(o.move in moves for o in self.options)

    def without(self, moves: Set[str]) -> Question:
        """Return the question without the options that make one of these moves."""
        kept = tuple(option for option in self.options if option.move not in moves)
        is_default = self.default in {option.value for option in kept}
        return replace(self, options=kept, default=self.default if is_default else None)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something on the table that players should know: a fifth copy, a stray card."""

    text: Text
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: who won (several seats share a win, none is a loss or draw)."""

    winners: tuple[Seat, ...]
    reason: Text
    rule: RuleRef
