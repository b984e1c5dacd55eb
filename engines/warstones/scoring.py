"""The arithmetic of Warstones, without a table: attacks, sieges, ends, armies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from engines.warstones.kit import UnitType
from engines.warstones.terms import Terrain, UnitClass

MOVEMENT_POINTS = 3
ACTION_POINTS = 1
ARMY_TOLERANCE = 5


def movement_cost(terrain: Terrain) -> int:
    """Return the action points of a Movement that starts on `terrain` (4.1, W-22)."""
    return MOVEMENT_POINTS + (terrain is Terrain.SWAMP) - (terrain is Terrain.HILL)


def resistance(strength: int) -> int:
    """Return the damage that destroys a unit: its Strength, at least 1 (W-11)."""
    return max(strength, 1)


@dataclass(frozen=True, slots=True)
class Damage:
    """The damage of an attack."""

    total: int
    near: int
    """How much of it may fall on units in a forest: what the attackers in the sector
    have left of their own Strength."""


def attack_damage(
    attackers: Sequence[int],
    defenders: Sequence[int],
    *,
    distant: Sequence[int] = (),
    hidden: Sequence[int] = (),
) -> Damage:
    """Return the damage of attackers on the defenders in the open and those `hidden`
    in a forest (4.6, W-23).

    Distant attackers neither reach hidden units nor have them against them; without a
    target in the open they are left out.
    """
    near = max(sum(attackers) - sum(hidden), 0)
    far = sum(distant) if defenders else 0
    total = max(near + far - sum(defenders), 0)
    return Damage(total, min(near, total))


def destroyed(strengths: Sequence[int], assigned: Sequence[int]) -> tuple[int, ...]:
    """Return the indices of the units that get at least their Strength as damage."""
    pairs = zip(strengths, assigned, strict=True)
    return tuple(i for i, (s, damage) in enumerate(pairs) if damage >= resistance(s))


@dataclass(frozen=True, slots=True)
class SiegeResult:
    """How a siege ended."""

    conquered: bool
    destroyed: tuple[int, ...]
    minimum_used: bool
    """The damage destroyed nobody, so one unit was destroyed all the same."""


def siege(
    strengths: Sequence[int],
    *,
    distant: Sequence[int],
    defence: int,
    assigned: Sequence[int],
    forced: int | None,
) -> SiegeResult:
    """Return the result of a siege (4.7); `distant` are indices of `strengths`.

    `forced` is the unit that is destroyed if the damage destroys none; raises
    `ValueError` for an assignment that the rules forbid.
    """
    fallen = destroyed(strengths, assigned)
    minimum_used = not fallen
    if minimum_used:
        if forced is None:
            raise ValueError("one unit is always destroyed: say which")
        fallen = (forced,)
    local = [s for i, s in enumerate(strengths) if i not in distant]
    lost = [strengths[i] for i in fallen if i not in distant]
    far = [strengths[i] for i in fallen if i in distant]
    if far and len(lost) < len(local):
        raise ValueError("distant units can be destroyed only after all others")
    return SiegeResult(sum(strengths) >= defence, fallen, minimum_used)


def may_fall(
    chosen: Sequence[int], *, spared: Sequence[int], damage: int, distant: bool
) -> bool:
    """Return whether a counterattack of `damage` may destroy the `chosen` units.

    `chosen` are Strengths, `spared` those of the units in the City sector that would
    survive; `distant` says that a chosen unit stands elsewhere.
    """
    if not chosen or (distant and spared):
        return False
    if sum(map(resistance, chosen)) <= damage:
        return True
    alone = len(chosen) == 1
    return alone and all(resistance(s) > damage for s in (*chosen, *spared))


@dataclass(frozen=True, slots=True)
class Tally:
    """What decides the game when the armies are exhausted."""

    points: int
    cities: tuple[int, ...]
    """Victory points of each conquered City."""
    lost: int
    """Units destroyed."""

    @property
    def rank(self) -> tuple[int, int, int]:
        """Return what is compared, the greater the better (section 6)."""
        return self.points, max(self.cities, default=0), -self.lost


def best(tallies: Sequence[Tally]) -> tuple[int, ...]:
    """Return the indices of the best; several are a draw."""
    top = max(tally.rank for tally in tallies)
    return tuple(i for i, tally in enumerate(tallies) if tally.rank == top)


def is_exhausted(reserves: Sequence[int], bases: Sequence[int]) -> bool:
    """Return whether nobody has a unit in Reserve or Base (section 6, W-19)."""
    return not any(reserves) and not any(bases)


def army_points(army: Sequence[tuple[UnitType, int]]) -> int:
    """Return the Army Points of all chips."""
    return sum(unit.army_points * chips for unit, chips in army)


def base_points(army: Sequence[tuple[UnitType, int]]) -> int:
    """Return the Army Points of the Base units."""
    return army_points([e for e in army if e[0].unit_class is UnitClass.BASE])


def base_points_needed(agreed: int) -> float:
    """Return the Army Points that Base units must make up (W-01)."""
    return agreed / 2 - ARMY_TOLERANCE


def commanders(army: Sequence[tuple[UnitType, int]]) -> int:
    """Return how many commanders an army has."""
    return sum(chips for u, chips in army if u.unit_class is UnitClass.COMMANDER)


def subsets(items: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield all subsets, the empty one first."""
    for size in range(len(items) + 1):
        yield from combinations(items, size)
