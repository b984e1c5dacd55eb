"""Warstones drawn: the mat with its terrain, every chip on it, totals per sector."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from companion.i18n import N_
from companion.tables.boards.scene import Drawing, Scene, Tile

LETTERS = "ABCD"
HIDDEN: Mapping[str, str] = {}
"""Warstones has no secret but the order of the stack, which no move tells."""
ARTICLES = ("it",)
"""Languages in which "player 1" stands after an article, so that no name fits."""
CHIP_MM = 29.0
"""Radius of a drawn chip: larger than a real one, so that a phone can show it."""
PLACE = re.compile(r"([^/:]+)(?:/([a-z]+))?(?::(-?\d+),(-?\d+))?")
SPOTS = {
    "reserve": N_("Reserve"),
    "base": N_("on the Base"),
    "lost": N_("out of the game"),
    "off": N_("off the board"),
    "margin": N_("on the margin"),
}
TERRAINS = {
    "forest": N_("forest"),
    "hill": N_("hill"),
    "hills": N_("hills"),
    "river": N_("river"),
    "water": N_("water"),
    "swamp": N_("swamp"),
    "rough": N_("rough ground"),
    "mountain": N_("mountain"),
    "plain": N_("plain"),
}


def draw(view: Mapping[str, Any], scene: Scene) -> Drawing:
    """Return the mat and what lies on it, seen from the near side."""
    mat = scene.options.mat
    left, bottom, right, top = mat.board.zone.bounds_mm
    chips = [_chip(id_, chip, scene) for id_, chip in view["chips"].items()]
    facts = {
        "box": f"{left:.0f} {-top:.0f} {right - left:.0f} {top - bottom:.0f}",
        "sectors": [_sector(area, chips, view, scene) for area in mat.sectors],
        "terrains": [
            (_path(area.zone.edges), str(area.terrain), _terrain(area.terrain, scene))
            for area in mat.terrains
        ],
        "bases": [_path(area.zone.edges) for area in mat.bases],
        "cities": [_city(area, view, scene) for area in mat.cities],
        "chips": _placed(chips, mat),
        "armies": [_army(letter, chips, view, scene) for letter in view["players"]],
        "round": view["round"],
        "goal": view["goal"],
        "stack": view["stack"],
    }
    return Drawing(
        "tables/boards/warstones.html",
        _tiles(view, scene),
        _waiting(view, scene),
        facts,
    )


def _tiles(view: Mapping[str, Any], scene: Scene) -> tuple[Tile, ...]:
    note = (
        scene.say(N_("of %(goal)s victory points"), goal=view["goal"])
        if view["goal"]
        else scene.say(N_("victory points"))
    )
    return tuple(
        Tile(
            scene.name(seat),
            str(player["victory_points"]),
            note,
            seat,
            is_turn=letter == view["turn"],
            has_won=scene.has_won(seat),
        )
        for seat, (letter, player) in enumerate(view["players"].items())
    )


def _waiting(view: Mapping[str, Any], scene: Scene) -> str:
    if view["winners"] is not None:
        return scene.say(N_("The game is over."))
    if view["turn"] is None:
        return scene.say(N_("Armies, Cities and First Player are chosen."))
    return scene.say(
        N_("%(name)s acts. Action points left: %(points)s."),
        name=scene.name(LETTERS.index(view["turn"])),
        points=view["players"][view["turn"]]["action_points"],
    )


def _chip(id_: str, chip: Mapping[str, Any], scene: Scene) -> dict[str, Any]:
    found = PLACE.fullmatch(chip["place"])
    place, terrain, x, y = found.groups() if found else (chip["place"], None, "", "")
    name = _name_of(chip["unit"], scene)
    return {
        "id": id_,
        "seat": id_[0],
        "name": name,
        "short": name[:2],
        "strength": chip["strength"],
        "place": place,
        "terrain": terrain,
        "at": (float(x), float(y)) if x else None,
    }


def _sector(
    area: Any, chips: Iterable[Mapping[str, Any]], view: Mapping[str, Any], scene: Scene
) -> dict[str, Any]:
    there = [chip for chip in chips if chip["place"] == area.id]
    x, _, _, top = area.zone.bounds_mm
    return {
        "id": area.id,
        "name": _in_words(area.names, scene),
        "path": _path(area.zone.edges),
        "x": x + 10,
        "y": -top + 32,
        "totals": [
            (letter, sum(chip["strength"] for chip in there if chip["seat"] == letter))
            for letter in view["players"]
            if any(chip["seat"] == letter for chip in there)
        ],
        "chips": there,
    }


def _city(area: Any, view: Mapping[str, Any], scene: Scene) -> dict[str, Any]:
    x, y = area.zone.centre_mm
    token = view["cities"].get(area.id)
    kit = scene.options.kit
    card = next((city for city in kit.cities if city.label == f"city.{token}"), None)
    card = card or next((city for city in kit.cities if city.label == token), None)
    return {
        "path": _path(area.zone.edges),
        "x": x,
        "y": -y,
        "defence": None if card is None else card.defence,
        "points": None if card is None else card.points,
        "name": "" if token is None else _name_of(token, scene),
    }


def _army(
    letter: str,
    chips: Iterable[Mapping[str, Any]],
    view: Mapping[str, Any],
    scene: Scene,
) -> dict[str, Any]:
    player = view["players"][letter]
    own = [chip for chip in chips if chip["seat"] == letter]
    kinds = dict.fromkeys(chip["place"] for chip in own if chip["place"] in SPOTS)
    return {
        "letter": letter,
        "name": scene.name(LETTERS.index(letter)),
        "faction": _in_words(
            dict(scene.options.kit.factions)[player["faction"]], scene
        ),
        "action_points": player["action_points"],
        "cities": [_name_of(token, scene) for token in player["cities"]],
        "aside": [
            (scene.say(SPOTS[spot]), [chip for chip in own if chip["place"] == spot])
            for spot in kinds
        ],
    }


def _placed(chips: Iterable[Mapping[str, Any]], mat: Any) -> list[dict[str, Any]]:
    """Where each chip is drawn: where it lies if that is known, else in rows."""
    sectors = {area.id: area.zone.bounds_mm for area in mat.sectors}
    inside: dict[str, int] = dict.fromkeys(sectors, 0)
    drawn = []
    for chip in chips:
        if chip["place"] not in sectors:
            continue
        at = chip["at"]
        if at is None:
            left, _, right, top = sectors[chip["place"]]
            per_row = max(1, math.floor((right - left - 20) / (2.1 * CHIP_MM)))
            row, column = divmod(inside[chip["place"]], per_row)
            inside[chip["place"]] += 1
            at = (
                left + 10 + CHIP_MM * (1.05 + 2.1 * column),
                top - 10 - CHIP_MM * (1.05 + 2.1 * row),
            )
        drawn.append({**chip, "x": round(at[0]), "y": round(-at[1])})
    return drawn


def _path(edges: Iterable[tuple[float, float, float, float]]) -> str:
    """Return an outline as SVG wants it, y down."""
    words: list[str] = []
    last: tuple[float, float] | None = None
    for x1, y1, x2, y2 in edges:
        if last != (x1, y1):
            words.append(f"M{x1:.0f} {-y1:.0f}")
        words.append(f"L{x2:.0f} {-y2:.0f}")
        last = (x2, y2)
    return "".join(words)


def _name_of(label: str, scene: Scene) -> str:
    kit = scene.options.kit
    for item in (*kit.units, *kit.cities):
        if item.label in (label, f"city.{label}"):
            return _in_words(item.names, scene)
    return label


def _terrain(terrain: object, scene: Scene) -> str:
    return scene.say(TERRAINS.get(str(terrain), str(terrain)))


def _in_words(names: Iterable[tuple[str, str]], scene: Scene) -> str:
    known = dict(names)
    return known.get(scene.language) or known.get("en", "")
