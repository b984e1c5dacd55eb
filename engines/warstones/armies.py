"""Which armies a faction can build."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from engines.warstones.kit import WarKit
from engines.warstones.scoring import (
    army_points,
    base_points,
    base_points_needed,
    commanders,
)

EXAMPLES = 8


@lru_cache(maxsize=16)
def legal_armies(
    kit: WarKit, faction: str, agreed: int
) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Return all armies, each as units with their numbers, within `agreed` points."""
    units = kit.faction_units(faction)
    found = []
    for numbers in product(*(range(unit.copies + 1) for unit in units)):
        army = [(u, n) for u, n in zip(units, numbers, strict=True) if n]
        if (
            commanders(army) == 1
            and army_points(army) <= agreed
            and base_points(army) >= base_points_needed(agreed)
        ):
            found.append(tuple((unit.key, n) for unit, n in army))
    return tuple(found)


@lru_cache(maxsize=16)
def example_armies(
    kit: WarKit, faction: str, agreed: int
) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Return a few armies to choose from: those that spend most, of different units."""
    cost = {unit.key: unit.army_points for unit in kit.faction_units(faction)}
    by_cost = sorted(
        legal_armies(kit, faction, agreed),
        key=lambda army: (-sum(cost[unit] * n for unit, n in army), -len(army), army),
    )
    kinds: dict[frozenset[str], tuple[tuple[str, int], ...]] = {}
    for army in by_cost:
        kinds.setdefault(frozenset(unit for unit, _ in army), army)
    return tuple(kinds.values())[:EXAMPLES]
