"""The box: units and City tokens with the values that its owner entered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engines.core import Kit, Text, names_text
from engines.warstones.terms import Terrain, UnitClass


@dataclass(frozen=True, slots=True)
class AbilityType:
    """An ability that costs action points."""

    name: str
    ap: int
    effect: str
    """``flick``: the unit is flicked; ``manual``: the players carry it out."""
    names: tuple[tuple[str, str], ...]

    @property
    def is_flick(self) -> bool:
        """Return whether using it is a flick."""
        return self.effect == "flick"


@dataclass(frozen=True, slots=True)
class UnitType:
    """What is printed on a unit's chip and card."""

    label: str
    names: tuple[tuple[str, str], ...]
    copies: int
    unit_class: UnitClass
    army_points: int
    recruit: int
    strength: int
    deploy: int = 1
    attack_range: int = 0
    """How many sectors away it may still take part in an attack."""
    siege_range: int = 0
    destroys_on_contact: bool = False
    when_destroyed: str = "lost"
    formation: tuple[int, int] = (0, 0)
    """With so many other own units in its sector it has so much more Strength."""
    abilities: tuple[AbilityType, ...] = ()

    @property
    def faction(self) -> str:
        """Return the faction's key."""
        return self.label.partition(".")[0]

    @property
    def key(self) -> str:
        """Return the unit's key inside its faction."""
        return self.label.partition(".")[2]

    @property
    def text(self) -> Text:
        """Return the unit's name."""
        return names_text(self.names, self.key)

    def strength_at(self, terrain: Terrain, *, others: int = 0) -> int:
        """Return its Strength on `terrain` beside so many other own units."""
        needed, bonus = self.formation
        raised = self.strength + (bonus if 0 < needed <= others else 0)
        return max(raised - (terrain is Terrain.WATER), 0)


@dataclass(frozen=True, slots=True)
class CityType:
    """What is printed on a City token."""

    label: str
    names: tuple[tuple[str, str], ...]
    place: str
    """``central`` or ``lateral``: the stack it belongs to if there are two."""
    defence: int
    counterattack: int
    points: int

    @property
    def key(self) -> str:
        """Return the token's name in the notation: ``lateral-3``."""
        return self.label.partition(".")[2]

    @property
    def text(self) -> Text:
        """Return the token's name."""
        return names_text(self.names, self.key)


@dataclass(frozen=True, slots=True)
class WarKit:
    """All units and City tokens of a box, checked."""

    kit: Kit
    is_sample: bool
    """The values are invented, not those of a published box."""
    chip_mm: float
    thickness_mm: float
    token_mm: float
    factions: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    units: tuple[UnitType, ...]
    cities: tuple[CityType, ...]
    by_label: Mapping[str, UnitType] = field(init=False, repr=False, compare=False)
    """The units again, to look them up."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_label", {unit.label: unit for unit in self.units})

    def unit(self, label: str) -> UnitType | None:
        """Return the unit of that label (``empire.soldier``)."""
        return self.by_label.get(label)

    def city(self, key: str) -> CityType | None:
        """Return the City token of that name (``lateral-3``)."""
        return next((city for city in self.cities if city.key == key), None)

    def faction_units(self, faction: str) -> tuple[UnitType, ...]:
        """Return the units of a faction in the order of the kit."""
        return tuple(unit for unit in self.units if unit.faction == faction)

    def faction_text(self, faction: str) -> Text:
        """Return the faction's name."""
        return names_text(dict(self.factions).get(faction, ()), faction)
