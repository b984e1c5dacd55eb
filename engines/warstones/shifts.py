"""What lies elsewhere than the state says: seen chips matched to the state's chips."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from engines.core import Seat
from engines.warstones.resolve import Resolved
from engines.warstones.state import Chip, State
from engines.warstones.terms import ChipId, Place, Spot

MOVED_MM = 6.0
"""A chip whose spot changed by less has not been moved."""
LEAST_MM = 0.001
"""Ways that differ by less are as long."""

_ON_TABLE = frozenset({Spot.SECTOR, Spot.MARGIN})
_ASIDE = frozenset({Spot.BASE, Spot.RESERVE, Spot.LOST})


@dataclass(frozen=True, slots=True)
class Shift:
    """A chip that is not where the state says; `seen` is `None` if it is not there."""

    chip: ChipId
    seat: Seat
    old: Place
    seen: Place | None
    piece: str | None = None
    is_found: bool = False
    """It lies where people said, and was not seen there before: nobody moved it."""

    @property
    def is_gone(self) -> bool:
        """Return whether the chip left the board."""
        return self.seen is None or self.seen.spot is Spot.OFF

    @property
    def end(self) -> Place:
        """Return how a flick would end that did this."""
        if self.seen is None or self.seen.spot in {Spot.OFF, Spot.RESERVE}:
            return Place(Spot.OFF)
        return self.seen


@dataclass(frozen=True, slots=True)
class _Lying:
    """A chip that is seen."""

    piece: str
    place: Place
    sectors: frozenset[str]
    """The sectors that it reaches into."""


def shifts(state: State, chips: Iterable[Resolved]) -> tuple[Shift, ...]:
    """Return the chips that moved, appeared elsewhere or are gone.

    Chips of one unit are alike: those seen are matched to those of the state so that
    no two would have gone shorter ways the other way round.
    """
    groups: dict[tuple[Seat, str], list[_Lying]] = {}
    for chip in chips:
        if chip.label and chip.seat is not None and chip.place is not None:
            sectors = frozenset(sector for sector, _ in chip.seen.footing.sectors)
            seen = _Lying(chip.seen.piece, chip.place, sectors)
            groups.setdefault((chip.seat, chip.label), []).append(seen)
    found: list[Shift] = []
    kinds = dict.fromkeys((c.seat, state.options.label(c.id)) for c in state.chips)
    for seat, label in kinds:
        own = [
            c
            for c in state.chips
            if c.seat == seat and state.options.label(c.id) == label
        ]
        found.extend(_group_shifts(own, groups.get((seat, label), [])))
    return tuple(found)


def _group_shifts(chips: list[Chip], seen: list[_Lying]) -> Iterator[Shift]:
    seen = sorted(seen, key=lambda one: str(one.place))  # in whatever order it was read
    costs = [[_cost(chip.place, one.place) for one in seen] for chip in chips]
    matched = _likeliest(costs)
    for number, chip in enumerate(chips):
        old = chip.place
        if number in matched:
            one = seen[matched[number]]
            is_found = _is_found(old, one)
            if is_found or _has_moved(old, one.place):
                yield Shift(chip.id, chip.seat, old, one.place, one.piece, is_found)
        elif old.is_on_field and not old.is_unseen:
            yield Shift(chip.id, chip.seat, old, None)


def _likeliest(costs: Sequence[Sequence[float]]) -> dict[int, int]:
    """Return which row goes with which column, as many as can: the nearest first, and
    then any two changed round that are nearer together."""
    pairs = sorted(
        (cost, row, column)
        for row, by_column in enumerate(costs)
        for column, cost in enumerate(by_column)
    )
    matched: dict[int, int] = {}
    for _, row, column in pairs:
        if row not in matched and column not in matched.values():
            matched[row] = column
    is_better = True
    while is_better:
        is_better = False
        for one, other in combinations(matched, 2):
            here, there = matched[one], matched[other]
            now = costs[one][here] + costs[other][there]
            if costs[one][there] + costs[other][here] < now - LEAST_MM:
                matched[one], matched[other] = there, here
                is_better = True
    return matched


def _cost(old: Place, seen: Place) -> float:
    """Return how unlikely it is that a chip went from `old` to `seen`."""
    apart = _apart_mm(old, seen)
    if apart is not None and apart < MOVED_MM:
        return apart
    if old.spot is Spot.LOST:
        return 5000.0
    if old.is_unseen:
        # Rather another one came there than that it is seen all at once.
        return 2500.0 if (old.spot, old.sector) == (seen.spot, seen.sector) else 3000.0
    if (old.spot, old.sector) == (seen.spot, seen.sector):
        return 10.0 + (apart or 0.0)
    if old.spot is Spot.RESERVE and seen.spot is not Spot.BASE:
        return 4000.0
    return 1000.0 + (apart or 0.0)


def _is_found(old: Place, lying: _Lying) -> bool:
    """Return whether a chip may lie where people said: they see no line to the mm."""
    if not old.is_unseen or not lying.place.is_on_field:
        return False
    is_there = (old.spot, old.sector) == (lying.place.spot, lying.place.sector)
    return is_there or old.sector in lying.sectors


def _has_moved(old: Place, seen: Place) -> bool:
    apart = _apart_mm(old, seen)
    if apart is not None and apart < MOVED_MM:
        # A chip that must be carried off still lies where it was; nobody flicked it.
        return old.spot not in _ASIDE and (old.spot, old.sector) != (
            seen.spot,
            seen.sector,
        )
    if old.spot in _ASIDE and seen.spot is Spot.OFF:
        return False
    if (old.spot, old.sector) != (seen.spot, seen.sector):
        return True
    return apart is not None and old.spot in _ON_TABLE


def _apart_mm(old: Place, seen: Place) -> float | None:
    if old.at_mm is None or seen.at_mm is None:
        return None
    return math.dist(old.at_mm, seen.at_mm)
