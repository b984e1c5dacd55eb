"""Reads and checks a kit file; its messages name the unit or token at fault."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from engines.core import KitError, parse_kit
from engines.warstones.kit import AbilityType, CityType, UnitType, WarKit
from engines.warstones.terms import UnitClass

DEFAULT_TOTALS = {"chips": 15, "units": 7, "central": 4, "lateral": 8}
"""What one box holds: chips and kinds of unit per faction, City tokens by place."""

CITY_PLACES = ("central", "lateral")
WHEN_DESTROYED = ("lost", "reserve", "base")
_UNIT = re.compile(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*")
_CITY = re.compile(r"city\.[a-z0-9][a-z0-9_-]*")
_UNIT_KEYS = frozenset(
    {
        *("label", "copies", "en", "it", "class", "army_points", "recruit", "strength"),
        *("deploy", "attack_range", "siege_range", "contact", "when_destroyed"),
        *("formation", "abilities"),
    }
)
_CITY_KEYS = frozenset(
    {"label", "copies", "en", "it", "city", "defence", "counterattack", "points"}
)


@cache
def sample_kit() -> WarKit:
    """Return the kit that ships: invented values for demo and tests."""
    text = (files("engines.warstones") / "kit.toml").read_text("utf-8")
    return parse_warkit(tomllib.loads(text))


def parse_warkit(data: Mapping[str, object]) -> WarKit:
    """Return the box that a parsed kit file describes; raise `KitError`."""
    kit = parse_kit(data)
    if kit.game != "warstones":
        raise KitError(f"this is a kit of {kit.game!r}, not of Warstones")
    faces = data["faces"]
    assert isinstance(faces, list)
    tables = [_table(face, "each [[faces]]") for face in faces]
    units = tuple(_unit(face) for face in tables if "class" in face)
    cities = tuple(_city(face) for face in tables if "city" in face)
    chip = _table(data.get("chip", {}), "[chip]")
    token = _table(data.get("token", {}), "[token]")
    warkit = WarKit(
        kit,
        data.get("sample") is True,
        _length(chip, "diameter_mm", "[chip]"),
        _length(chip, "thickness_mm", "[chip]"),
        _length(token, "diameter_mm", "[token]"),
        _factions(data, units),
        units,
        cities,
    )
    _check_totals(warkit, _totals(data))
    return warkit


def _unit(face: Mapping[str, object]) -> UnitType:
    label = str(face["label"])
    where = f"unit {label!r}"
    if _UNIT.fullmatch(label) is None:
        raise KitError(f"{where}: the label must be faction.unit in small letters")
    _known(face, _UNIT_KEYS, where)
    classes = {kind.value: kind for kind in UnitClass}
    formation = _table(face.get("formation", {}), f"{where}: formation")
    contact = _choice(face, "contact", ("none", "destroy"), where)
    return UnitType(
        label,
        _names(face),
        _count(face, "copies", where, default=1, least=1),
        classes[_choice(face, "class", tuple(classes), where)],
        _count(face, "army_points", where, least=1),
        _count(face, "recruit", where, most=5),
        _count(face, "strength", where),
        _count(face, "deploy", where, default=1, most=5),
        _count(face, "attack_range", where, default=0),
        _count(face, "siege_range", where, default=0),
        contact == "destroy",
        _choice(face, "when_destroyed", WHEN_DESTROYED, where),
        (
            _count(formation, "others", f"{where}: formation", default=0),
            _count(formation, "strength", f"{where}: formation", default=0),
        ),
        _abilities(face, where),
    )


def _abilities(face: Mapping[str, object], where: str) -> tuple[AbilityType, ...]:
    listed = face.get("abilities", [])
    if not isinstance(listed, list):
        raise KitError(f"{where}: abilities must be a list of tables")
    abilities = []
    for item in listed:
        table = _table(item, f"{where}: each ability")
        name = table.get("name")
        if not isinstance(name, str) or re.fullmatch(r"[a-z][a-z0-9_-]*", name) is None:
            raise KitError(f"{where}: each ability needs a name in small letters")
        place = f"{where}: ability {name!r}"
        effect = _choice(table, "effect", ("manual", "flick"), place)
        ap = _count(table, "ap", place, most=5)
        abilities.append(AbilityType(name, ap, effect, _names(table)))
    doubled = [k for k, n in Counter(a.name for a in abilities).items() if n > 1]
    if doubled:
        raise KitError(f"{where}: ability {doubled[0]!r} is listed twice")
    return tuple(abilities)


def _city(face: Mapping[str, object]) -> CityType:
    label = str(face["label"])
    where = f"City token {label!r}"
    if _CITY.fullmatch(label) is None:
        raise KitError(f"{where}: the label must be city.name in small letters")
    _known(face, _CITY_KEYS, where)
    if _count(face, "copies", where, default=1, least=1) != 1:
        raise KitError(f"{where}: list each City token by itself, with one copy")
    return CityType(
        label,
        _names(face),
        _choice(face, "city", CITY_PLACES, where),
        _count(face, "defence", where),
        _count(face, "counterattack", where),
        _count(face, "points", where, least=1),
    )


def _check_totals(kit: WarKit, totals: Mapping[str, int]) -> None:
    for faction, _ in kit.factions:
        units = kit.faction_units(faction)
        chips = sum(unit.copies for unit in units)
        if len(units) != totals["units"]:
            raise KitError(
                f"faction {faction!r} has {len(units)} units, "
                f"the box says {totals['units']}"
            )
        if chips != totals["chips"]:
            raise KitError(
                f"faction {faction!r} has {chips} chips, the box says {totals['chips']}"
            )
        commanders = [u for u in units if u.unit_class is UnitClass.COMMANDER]
        if not commanders:
            raise KitError(f"faction {faction!r} has no commander")
        if all(unit.unit_class is not UnitClass.BASE for unit in units):
            raise KitError(f"faction {faction!r} has no Base unit")
    for place in CITY_PLACES:
        found = sum(city.place == place for city in kit.cities)
        if found != totals[place]:
            raise KitError(
                f"the kit lists {found} {place} City tokens, "
                f"the box says {totals[place]}"
            )


def _factions(
    data: Mapping[str, object], units: tuple[UnitType, ...]
) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    tables = _table(data.get("factions", {}), "[factions]")
    keys = list(dict.fromkeys(unit.faction for unit in units))
    if not keys:
        raise KitError("the kit lists no unit: [[faces]] with label, class, strength")
    for key in tables:
        if key not in keys:
            raise KitError(f"faction {key!r} has no unit")
    return tuple(
        (key, _names(_table(tables.get(key, {}), f"[factions.{key}]"))) for key in keys
    )


def _totals(data: Mapping[str, object]) -> Mapping[str, int]:
    table = _table(data.get("totals", {}), "[totals]")
    _known(table, frozenset(DEFAULT_TOTALS), "[totals]")
    return {
        key: _count(table, key, "[totals]", default=default)
        for key, default in DEFAULT_TOTALS.items()
    }


def _table(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise KitError(f"{where} must be a table")
    return {str(key): item for key, item in value.items()}


def _names(table: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple((key, str(table[key])) for key in ("en", "it") if key in table)


def _known(table: Mapping[str, object], keys: frozenset[str], where: str) -> None:
    if unknown := sorted(table.keys() - keys):
        raise KitError(f"{where}: unknown entry {unknown[0]!r}")


def _count(
    table: Mapping[str, object],
    key: str,
    where: str,
    *,
    default: int | None = None,
    least: int = 0,
    most: int | None = None,
) -> int:
    value = table.get(key, default)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if not is_number or not isinstance(value, int) or value < least:
        raise KitError(f"{where}: {key} must be a whole number from {least} on")
    if most is not None and value > most:
        raise KitError(f"{where}: {key} must be at most {most}")
    return value


def _choice(
    table: Mapping[str, object], key: str, words: tuple[str, ...], where: str
) -> str:
    value = table.get(key, words[0])
    for word in words:
        if value == word:
            return word
    raise KitError(f"{where}: {key} must be one of {', '.join(words)}")


def _length(table: Mapping[str, object], key: str, where: str) -> float:
    value = table.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
        raise KitError(f"{where} {key} must be a length in millimetres")
    return float(value)
