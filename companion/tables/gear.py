"""What a table is played with: decks, mat, kit, calibrated camera, copies.

Names only, each of something that is kept here or printed by Arbitro; a page never
hands on a path. They are opened where a picture is read.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.config import default_folder
from companion.decks.places import FILE, deck_folder, deck_names
from companion.decks.places import OWN as PRINTED
from companion.decks.roles import OWNERS
from companion.errors import UsageError
from companion.i18n import N_, say

if TYPE_CHECKING:
    from companion.decks.roles import DeckInPlay

OWN = "own"
MOST_DECKS = 7
WHOSE = ("faction", "character", "owner")
"""What a deck may say of itself."""
NO_DECKS = ("regicide",)
"""Games of standard cards, which are known without a deck."""


@dataclass(frozen=True, slots=True)
class Gear:
    """What is on a table, by name; empty is what the game says by itself."""

    decks: tuple[str, ...] = ()
    """In the order of their owners."""
    mat: str = ""
    kit: str = ""
    camera: str = ""
    copies: int = 1

    @property
    def board(self) -> Mapping[str, str | None]:
        """Return mat, kit and camera as `measure` and `watching` take them."""
        return {
            "mat": self.mat or None,
            "kit": self.kit or None,
            "camera": self.camera or None,
        }

    def written(self) -> str:
        """Return this as it is stored."""
        return json.dumps(asdict(self))

    def in_play(self, game: str) -> tuple[DeckInPlay, ...]:
        """Return the decks as rules and story need them."""
        if not self.decks:
            return ()
        from companion.decks.places import open_decks  # noqa: PLC0415 - pictures
        from companion.decks.roles import in_play  # noqa: PLC0415 - as above

        return in_play(game, open_decks(self.decks))


def read_gear(written: str | None) -> Gear:
    """Return what was stored; nothing special where nothing was.

    >>> read_gear(Gear(decks=("own:frenzy-humans",), copies=2).written()).copies
    2
    >>> read_gear(None)
    Gear(decks=(), mat='', kit='', camera='', copies=1)
    """
    if not written:
        return Gear()
    found = json.loads(written)
    return Gear(
        tuple(found["decks"]),
        found["mat"],
        found["kit"],
        found["camera"],
        found["copies"],
    )


@dataclass(frozen=True, slots=True)
class Shelves:
    """What can be chosen for one game."""

    decks: tuple[tuple[str, str], ...] = ()
    """Name, and whose or what deck it is."""
    places: int = 0
    """How many decks may lie on the table."""
    is_measured: bool = False
    mats: tuple[str, ...] = ()
    kits: tuple[str, ...] = ()
    cameras: tuple[str, ...] = ()


def shelves(game: str) -> Shelves:
    """Return the decks, mats, kits and cameras that fit a game."""
    from companion.measure import is_measured  # noqa: PLC0415 - only here

    if is_measured(game):
        return Shelves(
            is_measured=True, mats=mat_names(), kits=kit_names(), cameras=camera_names()
        )
    decks = decks_of(game)
    return Shelves(decks, len(OWNERS.get(game, (None,))) if decks else 0)


OUR_DECKS = {
    "brawl-falco": N_("Brawl hawk"),
    "brawl-volpe": N_("Brawl fox"),
    "frenzy-dwarves": N_("Frenzy dwarves"),
    "frenzy-humans": N_("Frenzy humans"),
    "frenzy-orcs": N_("Frenzy orcs"),
    "frenzy-undead": N_("Frenzy undead"),
}
"""Names of the decks that can be printed; Frantic's is called as the game."""


def deck_name(name: str, language: str = "en") -> str:
    """Return a deck's name as people read it.

    >>> deck_name("own:frenzy-humans"), deck_name("kitchen")
    ('Frenzy humans', 'kitchen')
    """
    if not name.startswith(PRINTED):
        return name
    if (ours := OUR_DECKS.get(name.removeprefix(PRINTED))) is not None:
        return say(language, ours)
    words = name.removeprefix(PRINTED).replace("-", " ")
    return words[:1].upper() + words[1:]


def decks_of(game: str) -> tuple[tuple[str, str], ...]:
    """Return name and owner of every deck that was made for a game."""
    if game in NO_DECKS:
        return ()
    from companion.prints.decks import own_decks  # noqa: PLC0415 - imports reportlab

    mine = [
        (name, whose)
        for name in deck_names()
        for of_game, whose in [deck_fact(name)]
        if of_game == game
    ]
    ours = [(PRINTED + name, "") for name, d in own_decks().items() if d.game == game]
    return (*mine, *ours)


def deck_fact(name: str) -> tuple[str, str]:
    """Return the game of one of the user's decks, and whose deck it is."""
    try:
        data = tomllib.loads((deck_folder(name) / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return "", ""
    meta = data.get("meta", {})
    whose = next((meta[key] for key in WHOSE if key in meta), "")
    return str(meta.get("game", "")), str(whose)


def mat_names() -> tuple[str, ...]:
    """Return the names of the user's mats whose lines are drawn."""
    folder = default_folder() / "mats"
    return tuple(
        sorted(
            path.parent.name
            for path in folder.glob("*/mat.geojson")
            if not _read_json(path).get("draft")
        )
    )


def kit_names() -> tuple[str, ...]:
    """Return the names of the user's kits."""
    folder = default_folder() / "kits"
    return tuple(sorted(path.parent.name for path in folder.glob("*/kit.toml")))


def camera_names() -> tuple[str, ...]:
    """Return the names of the calibrated cameras; older calibrations are left out."""
    files = (default_folder() / "cameras").glob("*.json")
    current = [_read_json(path) for path in files if "." not in path.stem]
    return tuple(sorted(str(data["name"]) for data in current if "name" in data))


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def chosen_gear(game: str, decks: Sequence[str], named: Mapping[str, str]) -> Gear:
    """Return the gear that a form names; raise `UsageError` for what is not kept here.

    `named` may hold ``mat``, ``kit``, ``camera`` and ``copies``.
    """
    known = shelves(game)
    wanted = tuple(name for name in decks if name)[:MOST_DECKS]
    names = {name for name, _ in known.decks}
    for word, there in (
        *((name, names) for name in wanted),
        (named.get("mat", ""), {OWN, *known.mats}),
        (named.get("kit", ""), {OWN, *known.kits}),
        (named.get("camera", ""), set(known.cameras)),
    ):
        if word and word not in there:
            raise UsageError(N_("There is nothing called %(name)s here."), name=word)
    copies = named.get("copies", "1")
    return Gear(
        wanted,
        named.get("mat", ""),
        named.get("kit", ""),
        named.get("camera", ""),
        int(copies) if copies in ("1", "2", "3", "4") else 1,
    )
