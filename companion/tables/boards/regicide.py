"""Regicide drawn: the enemy with its hit points, the suits, the hand, what is due."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.i18n import N_
from companion.labels import SUIT_NAMES, SYMBOLS
from companion.tables.boards.scene import Drawing, Scene, Tile, share
from engines.core import Suit

HIDDEN = {
    "castle": N_("the order of the Castle deck"),
    "tavern": N_("the order of the Tavern deck"),
    "top": N_("the card on top of the discard pile"),
    r"heal(?! \d+$)": N_("which cards go under the Tavern deck"),
}
"""Moves whose cards nobody may read: orders of piles (RULES.md 4)."""
WAITING = {
    "castle": N_("The Castle deck is put together: Jacks, Queens, Kings."),
    "tavern": N_("The Tavern deck is shuffled and dealt."),
    "reveal": N_("The next enemy is turned up."),
    "start": N_("Choose who begins."),
    "play": N_("%(name)s plays cards or yields."),
    "heal": N_("%(heal)s cards go from the discard pile under the Tavern deck."),
    "draw": N_("The players draw %(draw)s cards in turn."),
    "settle": N_("The damage is counted."),
    "suffer": N_("%(name)s discards cards worth %(suffer)s."),
    "choose": N_("%(name)s says who plays next."),
    "over": N_("The game is over."),
}
POWERS = {
    Suit.CLUBS: N_("double damage"),
    Suit.DIAMONDS: N_("draw cards"),
    Suit.HEARTS: N_("heal"),
    Suit.SPADES: N_("shield"),
}
ENDINGS = {
    "won": N_("Won: the last King is defeated."),
    "not_covered": N_("Lost: the damage could not be covered."),
    "stuck": N_("Lost: neither a card to play nor a yield was left."),
}


def draw(view: Mapping[str, Any], scene: Scene) -> Drawing:
    """Return the fight against the present enemy."""
    current = view["current"]
    waiting = scene.say(
        WAITING.get(view["phase"], ""),
        name=scene.name(current or 0),
        heal=view["to_heal"],
        draw=view["to_draw"],
        suffer=view["suffer"],
    )
    facts = {
        "enemy": _enemy(view["enemy"], scene),
        "suits": _suits(view["suits"], scene),
        "plays": [
            (scene.name(play["seat"]), [scene.card(label) for label in play["cards"]])
            for play in view["plays"]
        ],
        "due": _due(view, scene),
        "piles": (
            (scene.say(N_("Castle")), view["castle_size"]),
            (scene.say(N_("Tavern")), view["tavern_size"]),
            (scene.say(N_("Discarded")), view["discard_size"]),
        ),
        "hand": view["hand"] and [scene.card(c) if c else None for c in view["hand"]],
        "solo_jokers": view["solo_jokers"],
    }
    sizes = view["hand_sizes"] or [0] * view["players"]
    tiles = tuple(
        Tile(
            scene.name(seat),
            f"{size}/{view['hand_limit']}",
            scene.say(N_("cards in hand")),
            seat,
            is_turn=seat == current and view["phase"] != "over",
            has_won=scene.has_won(seat),
        )
        for seat, size in enumerate(sizes)
    )
    return Drawing("tables/boards/regicide.html", tiles, waiting, facts)


def _enemy(enemy: Mapping[str, Any] | None, scene: Scene) -> dict[str, Any] | None:
    if enemy is None:
        return None
    return {
        **enemy,
        "face": scene.card(enemy["card"]),
        "share": share(enemy["left"], enemy["hit_points"]),
    }


def _suits(open_suits: Mapping[str, bool], scene: Scene) -> list[dict[str, Any]]:
    return [
        {
            "symbol": SYMBOLS[suit],
            "key": suit.name.lower(),
            "name": scene.say(SUIT_NAMES[suit]),
            "power": scene.say(POWERS[suit]),
            "works": open_suits[suit.name.lower()],
        }
        for suit in (Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS, Suit.SPADES)
    ]


def _due(view: Mapping[str, Any], scene: Scene) -> list[tuple[str, int]]:
    due = (
        (scene.say(N_("to heal")), view["to_heal"]),
        (scene.say(N_("to draw")), view["to_draw"]),
        (scene.say(N_("damage to cover")), view["suffer"]),
    )
    return [(words, number) for words, number in due if number]
