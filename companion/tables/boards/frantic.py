"""Frantic drawn: the active card, the accounts against the limit, events, hands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from companion.i18n import N_
from companion.labels import capital
from companion.tables.boards.scene import Drawing, Scene, Tile, share
from engines.core import Text

HIDDEN = {
    "deal": N_("the cards that are dealt"),
    "flip": N_("the card that is turned over"),
    "shuffle": N_("the order of the draw pile"),
    "events": N_("the order of the events"),
    r"p\d+ give": N_("cards that are given"),
    r"p\d+ take": N_("cards that are taken"),
    r"p\d+ put": N_("cards that are put down"),
    r"p\d+ bid": N_("cards that are bid"),
    r"p\d+ discard": N_("cards that are discarded"),
}
"""Moves whose cards are known to the seat that makes them only, or to nobody."""
COLOURS = {"R": "red", "G": "green", "B": "blue", "Y": "yellow", "K": "black"}
COLOUR_NAMES = {
    "R": N_("red"),
    "G": N_("green"),
    "B": N_("blue"),
    "Y": N_("yellow"),
    "K": N_("black"),
}


def draw(view: Mapping[str, Any], scene: Scene) -> Drawing:
    """Return the middle of the table and every player's account."""
    limit = getattr(scene.options, "limit", 0)
    awaits = _called(capital(view["awaits"].get(scene.language, "")), view, scene)
    facts = {
        "round": view["round"],
        "limit": limit,
        "top": None if view["discard"] is None else card(view["discard"], scene),
        "wanted": _wanted(view, scene),
        "pile": view["pile"],
        "events": [
            (scene.card(label).name, event_text(label, scene.language))
            for label in view["open_events"]
        ],
        "market": [card(label, scene) for label in view["market"]],
        "accounts": _accounts(view, limit, scene),
        "signs": _signs(view, scene),
        "hands": [
            (scene.name(int(seat)), [card(label, scene) for label in labels])
            for seat, labels in view["hands"].items()
            if labels
        ],
    }
    accounts = view["accounts"] or [0] * len(view["counts"])
    tiles = tuple(
        Tile(
            scene.name(seat),
            str(account) if view["accounts"] is not None else "–",
            scene.say(N_("of %(limit)s points"), limit=limit),
            seat,
            is_turn=seat == view["turn"],
            has_won=scene.has_won(seat),
        )
        for seat, account in enumerate(accounts)
    )
    return Drawing("tables/boards/frantic.html", tiles, awaits, facts)


def event_text(label: str, language: str) -> str:
    """Return what an event does, in our own words, as on our own cards."""
    words = _events().get(label.removeprefix("E-"), {})
    return str(words.get(language, words.get("en", "")))


@cache
def _events() -> Mapping[str, Mapping[str, Any]]:
    path = files("companion.prints") / "data" / "frantic.toml"
    found: Mapping[str, Mapping[str, Any]] = tomllib.loads(path.read_text("utf-8"))[
        "event"
    ]
    return found


def card(label: str, scene: Scene) -> dict[str, Any]:
    """Return how one play card is drawn: its colours, its sign, its name."""
    head, dash, tail = label.partition("-")
    letters = [letter for letter in head if letter in COLOURS]
    name = scene.card(label).name
    return {
        "colours": [COLOURS[letter] for letter in letters] or ["neutral"],
        "letters": "".join(letters),
        "sign": _sign(head, tail, name),
        "is_number": not dash,
        "name": name,
    }


def _sign(head: str, tail: str, name: str) -> str:
    """Return what stands large on a card: its number, or its name without colours."""
    if not tail:
        return head.strip("RGBYK")
    return tail.replace("-", " ").capitalize() if head != "N" else name


def _wanted(view: Mapping[str, Any], scene: Scene) -> dict[str, str] | None:
    letter = view["colour"] or view["top"]["colour"]
    if letter not in COLOURS:
        return None
    return {"key": COLOURS[letter], "name": scene.say(COLOUR_NAMES[letter])}


def _accounts(
    view: Mapping[str, Any], limit: int, scene: Scene
) -> list[dict[str, Any]]:
    waits, order = view["waits_for"], view["order"]
    points = view["accounts"] or [0] * len(view["counts"])
    return [
        {
            "name": scene.name(seat),
            "cards": view["counts"][seat],
            "points": points[seat],
            "share": share(points[seat], limit),
            "is_turn": seat == view["turn"],
            "is_awaited": seat in waits,
            "deals": seat == view["dealer"],
            "skips": seat in view["skips"],
        }
        for seat in order
    ]


def _signs(view: Mapping[str, Any], scene: Scene) -> list[str]:
    signs = []
    if view["plus_one"]:
        signs.append(scene.say(N_("Plus One")))
    if view["last_chance"]:
        signs.append(scene.say(N_("Last Chance")))
    if view["time_bomb"] is not None:
        left = ", ".join(str(turns) for turns in view["time_bomb"])
        signs.append(scene.say(N_("Time Bomb: %(turns)s"), turns=left))
    return signs


def _called(sentence: str, view: Mapping[str, Any], scene: Scene) -> str:
    """Return a sentence of the view with the players' names for their numbers."""
    for seat in range(len(view["counts"])):
        number = Text.of("core.seat", number=seat + 1).render(scene.language)
        pattern = re.compile(rf"\b{re.escape(number)}\b", re.IGNORECASE)
        sentence = pattern.sub(scene.name(seat).replace("\\", r"\\"), sentence)
    return sentence
