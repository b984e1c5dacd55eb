"""Frenzy drawn: three Battlefields with the fourteen regions around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.i18n import N_
from companion.tables.boards.scene import Drawing, Scene, Tile

SEATS = ("P1", "P2")
HIDDEN = {"REF set": N_("what a pile covers")}
"""It is secret from everybody (4.1)."""
WAITING = {
    "lot": N_("Draw lots: who is First Player?"),
    "turn": N_("%(name)s turns the next Battlefield."),
    "ready": N_("The Battlefield is turned: %(second)s counts down."),
    "battle": N_("Battle! Both play at the same time."),
    "ended": N_("The round has ended. The table stays as it is."),
    "spoils": N_("The Battlefields are resolved one after the other."),
    "over": N_("The game is over."),
}


def draw(view: Mapping[str, Any], scene: Scene) -> Drawing:
    """Return both players' regions, the far player's on top and turned round."""
    first = view["first"]
    waiting = scene.say(
        WAITING.get(view["phase"], ""),
        name=scene.name(SEATS.index(first)) if first else "?",
        second=scene.name(1 - SEATS.index(first)) if first else "?",
    )
    facts = {
        "round": view["round"],
        "fields": [_field(number, view, scene) for number in (1, 2, 3)],
        "near": _camp("P1", view, scene),
        "far": _camp("P2", view, scene),
        "reports": [
            {
                "round": report["round"],
                "results": [
                    _winner(s["winner"], scene) for s in report["battlefields"]
                ],
            }
            for report in view["reports"]
        ],
        "fouls": view["fouls"],
    }
    tiles = tuple(
        Tile(
            scene.name(seat),
            str(view["players"][key]["points"]),
            scene.say(N_("points")),
            seat,
            is_turn=key == first and view["phase"] == "turn",
            has_won=scene.has_won(seat),
        )
        for seat, key in enumerate(SEATS)
    )
    return Drawing("tables/boards/frenzy.html", tiles, waiting, facts)


def _field(number: int, view: Mapping[str, Any], scene: Scene) -> dict[str, Any]:
    done = {each["battlefield"]: each for each in view["resolved"]}
    regions = {key: view["players"][key]["regions"] for key in SEATS}
    resolved = done.get(number)
    return {
        "number": number,
        "is_turned": number <= view["round"],
        "far": [_pile(regions["P2"][f"{row}{number}"], scene) for row in "SB"],
        "near": [_pile(regions["P1"][f"{row}{number}"], scene) for row in "BS"],
        "result": None if resolved is None else _winner(resolved["winner"], scene),
        "side": None if resolved is None else resolved["winner"],
    }


def _winner(key: str | None, scene: Scene) -> str:
    return scene.name(SEATS.index(key)) if key else scene.say(N_("nobody"))


def _camp(key: str, view: Mapping[str, Any], scene: Scene) -> dict[str, Any]:
    player = view["players"][key]
    return {
        "name": scene.name(SEATS.index(key)),
        "deck": player["deck"],
        "holds": player["holds"],
        "touching": player["touching"],
        "heroes": player["heroes"],
        "hq": _pile(player["regions"]["HQ"], scene),
        "score": [scene.card(label) for label in player["score"]],
    }


def _pile(region: Mapping[str, Any], scene: Scene) -> dict[str, Any]:
    top = region["top"]
    shown = None if top is None else scene.card(top)
    return {
        "count": region["cards"],
        "top": top,
        "sign": "" if top is None else top.removeprefix("W"),
        "is_hero": top is not None and not top.startswith("W"),
        "name": "" if shown is None else shown.name,
    }
