"""Brawl drawn: the Bases side by side, a chain on either side of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.i18n import N_
from companion.tables.boards.scene import Drawing, Scene, Tile

LETTERS = "ABCDEFG"
HIDDEN = {r"[A-G] take": N_("a card that goes into a hand")}
"""It is known to its player only."""
COLOURS = {"r": "red", "g": "green", "b": "blue"}
KINDS = {
    "H": N_("Hit"),
    "D": N_("Hit-2"),
    "B": N_("Block"),
    "P": N_("Press"),
    "CLEAR": N_("Clear"),
    "FREEZE": N_("Freeze"),
    "BASE": N_("Base"),
}


def draw(view: Mapping[str, Any], scene: Scene) -> Drawing:
    """Return every row of Bases; near player below, far player above."""
    turn = view["turn"]
    if view["over"]:
        waiting = scene.say(N_("The game is over."))
    elif turn:
        waiting = scene.say(N_("%(name)s plays."), name=_name(turn, scene))
    else:
        waiting = scene.say(N_("Everybody plays at the same time."))
    facts = {
        "rows": [_row(row, scene) for row in view["rows"]],
        "players": [
            {
                "letter": letter,
                "name": _name(letter, scene),
                "discard": player["discard"] and _card(player["discard"], scene),
                "discards": player["discards"],
                "deck_left": player["deck_left"],
                "held": [
                    None if held is None else _card(held, scene)
                    for held in player.get("held", [])
                ],
                "hand": player["hand"],
            }
            for letter, player in view["players"].items()
        ],
    }
    bases = [base for row in view["rows"] for base in row["bases"]]
    tiles = tuple(
        Tile(
            _name(letter, scene),
            str(sum(base["winner"] == letter for base in bases)),
            scene.say(N_("Bases led")),
            LETTERS.index(letter),
            is_turn=letter == turn,
            has_won=scene.has_won(LETTERS.index(letter)),
        )
        for letter in view["players"]
    )
    return Drawing("tables/boards/brawl.html", tiles, waiting, facts)


def _row(row: Mapping[str, Any], scene: Scene) -> dict[str, Any]:
    first, second = row["pair"]
    return {
        "near": _name(first, scene),
        "far": _name(second, scene),
        "near_letter": first,
        "far_letter": second,
        "finished": row["finished"],
        "disputed": row["disputed"],
        "bases": [
            {
                "frozen": base["frozen"],
                "owner": _name(base["owner"], scene),
                "winner": base["winner"],
                "winner_name": _name(base["winner"], scene),
                "near": [_card(label, scene) for label in base["chains"][first]],
                "far": [_card(x, scene) for x in reversed(base["chains"][second])],
                "near_hits": base["hits"][first],
                "far_hits": base["hits"][second],
            }
            for base in row["bases"]
        ],
    }


def _card(label: str, scene: Scene) -> dict[str, str]:
    has_colour = len(label) == 2 and label[1] in COLOURS
    kind = label[0] if has_colour else label
    return {
        "kind": scene.say(KINDS.get(kind, kind)),
        "colour": COLOURS[label[1]] if has_colour else "plain",
        "name": scene.card(label).name,
    }


def _name(letter: str, scene: Scene) -> str:
    return scene.name(LETTERS.index(letter))
