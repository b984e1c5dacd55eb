"""Kit files and mats: what ships is sound, and what is wrong is named."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest

from engines.core import KitError, OptionError, Seat, load_kit
from engines.warstones import GAME, arbitro_mat, parse_mat, parse_warkit, sample_kit
from engines.warstones.terms import Terrain, UnitClass

ROOM = files("engines.warstones")
KIT: dict[str, Any] = tomllib.loads((ROOM / "kit.toml").read_text("utf-8"))
MAT: dict[str, Any] = json.loads((ROOM / "mat.geojson").read_text("utf-8"))
Edit = Callable[[Any], object]


# The kit


def test_the_sample_kit_says_that_its_values_are_invented() -> None:
    kit = sample_kit()
    assert kit.is_sample
    assert "INVENTED" in (ROOM / "kit.toml").read_text("utf-8")
    assert [len(kit.faction_units(f)) for f, _ in kit.factions] == [7, 7]
    assert [sum(u.copies for u in kit.faction_units(f)) for f, _ in kit.factions] == [
        15,
        15,
    ]
    assert sum(city.place == "central" for city in kit.cities) == 4
    assert sum(city.place == "lateral" for city in kit.cities) == 8
    assert load_kit("warstones") == kit.kit


def test_water_takes_one_strength_but_never_below_0() -> None:
    militia = sample_kit().unit("empire.militia")
    assert militia is not None
    assert militia.strength_at(Terrain.WATER) == 0
    assert militia.strength_at(Terrain.FOREST) == 1
    assert militia.unit_class is UnitClass.BASE


def face(data: Any, label: str) -> Any:
    return next(item for item in data["faces"] if item["label"] == label)


def drop(label: str) -> Edit:
    return lambda data: data["faces"].remove(face(data, label))


def setting(label: str, key: str, value: object) -> Edit:
    return lambda data: face(data, label).update({key: value})


KIT_FAULTS: list[tuple[Edit, str]] = [
    (lambda d: d.update(game="brawl"), "a kit of 'brawl'"),
    (lambda d: d.pop("chip"), r"\[chip\] diameter_mm must be a length"),
    (lambda d: d.update(chip=3), r"\[chip\] must be a table"),
    (drop("empire.knight"), "'empire' has 6 units, the box says 7"),
    (setting("empire.knight", "copies", 3), "'empire' has 16 chips, the box says 15"),
    (setting("empire.hero", "class", "elite"), "'empire' has no commander"),
    (setting("empire.hero", "class", "king"), "'empire.hero': class must be one of"),
    (setting("empire.hero", "strength", -1), "'empire.hero': strength must be a whole"),
    (setting("empire.hero", "strength", "4"), "strength must be a whole number"),
    (setting("empire.hero", "recruit", 6), "'empire.hero': recruit must be at most 5"),
    (setting("empire.hero", "strenght", 3), "unknown entry 'strenght'"),
    (setting("empire.hero", "label", "Hero"), "'Hero': the label must be faction.unit"),
    (
        lambda d: face(d, "empire.hero").pop("army_points"),
        "army_points must be a whole",
    ),
    (setting("empire.hero", "abilities", 3), "abilities must be a list"),
    (setting("empire.hero", "abilities", [{"ap": 1}]), "needs a name in small letters"),
    (
        setting("empire.hero", "abilities", [{"name": "a", "ap": 1}] * 2),
        "ability 'a' is listed twice",
    ),
    (
        setting("empire.hero", "abilities", [{"name": "a", "ap": 1, "effect": "fly"}]),
        "ability 'a': effect must be one of manual, flick",
    ),
    (setting("empire.hero", "formation", 2), "formation must be a table"),
    (drop("city.lateral-8"), "7 lateral City tokens, the box says 8"),
    (
        setting("city.lateral-8", "city", "middle"),
        "city must be one of central, lateral",
    ),
    (setting("city.lateral-8", "copies", 2), "each City token by itself"),
    (setting("city.lateral-8", "points", 0), "points must be a whole number from 1"),
    (setting("city.lateral-8", "label", "city.A"), "'city.A': the label must be city"),
    (lambda d: d["totals"].update(cards=7), "unknown entry 'cards'"),
    (lambda d: d["factions"].update(elves={}), "faction 'elves' has no unit"),
]


@pytest.mark.parametrize(("edit", "message"), KIT_FAULTS)
def test_a_faulty_kit_is_refused_by_name(edit: Edit, message: str) -> None:
    data = copy.deepcopy(KIT)
    edit(data)
    with pytest.raises(KitError, match=message):
        parse_warkit(data)


def test_a_kit_needs_base_units_and_units_at_all() -> None:
    data = copy.deepcopy(KIT)
    for item in data["faces"]:
        if item.get("class") == "base" and item["label"].startswith("undead"):
            item["class"] = "elite"
    with pytest.raises(KitError, match="'undead' has no Base unit"):
        parse_warkit(data)
    data["faces"] = [item for item in data["faces"] if "class" not in item]
    with pytest.raises(KitError, match="lists no unit"):
        parse_warkit(data)


def test_a_kit_of_another_size_must_say_so() -> None:
    data = copy.deepcopy(KIT)
    face(data, "empire.militia")["copies"] = 3
    data["totals"]["chips"] = 14
    with pytest.raises(KitError, match="'undead' has 15 chips, the box says 14"):
        parse_warkit(data)
    face(data, "undead.zombie")["copies"] = 2
    options = GAME.options({"kit": data})
    assert not GAME.options({"kit": {**data, "sample": False}}).kit.is_sample
    assert options.kit.is_sample


# The mat


def test_the_mat_that_ships_has_everything_a_game_needs() -> None:
    mat = arbitro_mat()
    assert mat.board.zone.bounds_mm == (0, 0, 900, 900)
    assert [len(part) for part in (mat.sectors, mat.cities, mat.bases)] == [9, 3, 6]
    assert [len(part) for part in (mat.reserves, mat.tracks)] == [2, 4]
    kinds = {area.terrain for area in mat.terrains}
    assert kinds == {Terrain.FOREST, Terrain.HILL, Terrain.SWAMP, Terrain.WATER}
    middle = [area for area in mat.sectors if area.id.startswith("M")]
    outer = [area for area in mat.sectors if not area.id.startswith("M")]
    largest = max(area.zone.area_mm2 for area in middle)
    assert largest < min(area.zone.area_mm2 for area in outer)
    assert dict(mat.city_sectors) == {"W": "M-W", "C": "M-C", "E": "M-E"}
    for players in (2, 3, 4):
        for seat in range(players):
            assert mat.base(Seat(seat), players) is not None
            for areas in (mat.reserves, mat.tracks):
                assert sum(Seat(seat) in a.owners(players) for a in areas) == 1
    assert all(dict(area.names).keys() == {"en", "it"} for area in mat.sectors)


def test_sectors_are_counted_across_borders_not_corners() -> None:
    mat = arbitro_mat()
    assert mat.steps("N-W", "N-W") == 0
    assert mat.steps("N-W", "N-C") == 1
    assert mat.steps("N-W", "M-C") == 2
    assert mat.steps("N-W", "F-E") == 4
    assert mat.steps("N-W", "nowhere") is None


def test_rule_w_06_distance_goes_from_centre_to_centre() -> None:
    mat = arbitro_mat()
    near, far = mat.distances_mm(Seat(0), 2), mat.distances_mm(Seat(1), 2)
    assert near["N-C"] < near["N-W"] < near["M-W"] < near["F-C"] < near["F-W"]
    assert near["M-W"] == pytest.approx(near["M-E"])
    assert far["F-C"] == pytest.approx(near["N-C"])
    assert mat.distances_mm(Seat(3), 2) == {}


def feature(data: Any, name: str) -> Any:
    return next(item for item in data["features"] if item["id"] == name)


def prop(name: str, key: str, value: object) -> Edit:
    return lambda data: feature(data, name)["properties"].update({key: value})


def shape(name: str, ring: object) -> Edit:
    geometry = {"type": "Polygon", "coordinates": [ring]}
    return lambda data: feature(data, name).update(geometry=geometry)


def square(x: float, y: float, side: float) -> list[list[float]]:
    return [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]


BOW = [[0, 0], [50, 50], [50, 0], [0, 50], [0, 0]]
MAT_FAULTS: list[tuple[Edit, str]] = [
    (lambda d: d.update(type="Feature"), "FeatureCollection"),
    (lambda d: d.update(features=[]), "at least one feature"),
    (lambda d: d["features"].append(3), 'feature 36: must be an object of type "Feat'),
    (lambda d: feature(d, "N-C").pop("properties"), "feature 3: has no properties"),
    (lambda d: feature(d, "N-C").update(id="N C"), "feature 3: needs an id"),
    (lambda d: feature(d, "N-C").update(id="off"), "'off' is a word of the notation"),
    (lambda d: feature(d, "N-C").update(id="N-W"), "'N-W'.: the id is used twice"),
    (prop("N-C", "kind", "sektor"), r"feature 3 \('N-C'\): kind must be one of"),
    (prop("hill-1", "terrain", "mud"), r"\('hill-1'\): terrain must be one of"),
    (prop("C", "place", "left"), r"\('C'\): place must be one of central, lateral"),
    (prop("base-1", "facing_deg", "up"), "'base-1'.: facing_deg must be a number"),
    (prop("base-1", "seats", [0]), "'base-1'.: seats must be such as"),
    (prop("base-1", "seats", {"5": [0]}), "seats has '5', not 2, 3 or 4"),
    (prop("base-1", "seats", {"2": [2]}), "seats of 2 players go from 0"),
    (prop("base-1", "seats", {"2": 0}), "'base-1'.: seats: a list was expected"),
    (prop("base-1", "seats", {"2": [1]}), "with 2 players seat 0 has 0 Bases"),
    (lambda d: feature(d, "N-C").pop("geometry"), "'N-C'.: has no geometry"),
    (lambda d: feature(d, "N-C")["geometry"].update(type="Point"), "must be a Polygon"),
    (lambda d: feature(d, "N-C")["geometry"].update(coordinates=3), "a list was exp"),
    (lambda d: feature(d, "N-C")["geometry"].update(coordinates=[]), "an outer ring"),
    (shape("N-C", [[0, 0], [1, 0], [1, 1]]), "'N-C'.: a ring needs four points"),
    (shape("N-C", [[0], [1, 0], [1, 1], [0]]), "a point needs x and y"),
    (shape("N-C", [[0, "a"], [1, 0], [1, 1], [0, "a"]]), "a coordinate must be a num"),
    (shape("N-C", BOW), "'N-C'.: the outline is not a simple polygon: Self-inter"),
    (shape("N-C", square(200, 120, 200)), "features 'N-W' and 'N-C' overlap"),
    (shape("N-C", square(400, 680, 200)), "overlap"),
    (shape("hill-1", square(150, 200, 60)), "'forest-1' and 'hill-1' overlap|'hill-1'"),
    (shape("N-E", square(600, -60, 150)), "'N-E' reaches beyond the board"),
    (shape("C", square(580, 440, 40)), "City space 'C' must lie inside one sector"),
    (shape("C", square(80, 460, 30)), "City spaces 'W' and 'C' lie in one sector"),
    (lambda d: d["features"].remove(feature(d, "N-C")), "9 features of kind 'sector'"),
    (lambda d: d["features"].remove(feature(d, "C")), "3 features of kind 'city'"),
    (lambda d: d["features"].remove(feature(d, "board")), "exactly one board"),
    (shape("board", square(0, 0, 0.9)), "0.9 x 0.9: coordinates must be millimetres"),
]


@pytest.mark.parametrize(("edit", "message"), MAT_FAULTS)
def test_a_faulty_mat_is_refused_by_feature(edit: Edit, message: str) -> None:
    data = copy.deepcopy(MAT)
    edit(data)
    with pytest.raises(KitError, match=message):
        parse_mat(data)


def test_a_scenario_mat_may_have_fewer_sectors_and_no_base_for_four() -> None:
    data = copy.deepcopy(MAT)
    gone = {"F-W", "forest-2", "base-A", "base-B", "base-C", "base-D"}
    data["features"] = [f for f in data["features"] if f["id"] not in gone]
    feature(data, "base-1")["properties"]["seats"] = {"2": [0]}
    data["scenario"] = "A short one"
    mat = parse_mat(data)
    assert len(mat.sectors) == 8
    assert mat.base(Seat(0), 4) is None
    with pytest.raises(OptionError, match="no Bases for 3 players"):
        GAME.options({"mat": data, "players": 3})


def test_a_hand_drawn_mat_may_miss_the_lines_by_little() -> None:
    data = copy.deepcopy(MAT)
    ring = feature(data, "N-C")["geometry"]["coordinates"][0]
    for point in ring:
        point[0] += 1.5
        point[1] -= 1.2
    mat = parse_mat(data)
    assert mat.steps("N-W", "N-C") == mat.steps("N-C", "M-C") == 1


def test_a_zone_may_be_made_of_several_polygons_with_holes() -> None:
    data = copy.deepcopy(MAT)
    feature(data, "forest-1")["geometry"] = {
        "type": "MultiPolygon",
        "coordinates": [
            [square(100, 150, 60), square(120, 170, 10)],
            [square(200, 250, 40)],
        ],
    }
    forest = next(a for a in parse_mat(data).terrains if a.id == "forest-1")
    assert forest.zone.area_mm2 == 60 * 60 - 10 * 10 + 40 * 40
