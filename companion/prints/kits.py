"""What the kits of the games say, as cards need it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from tomllib import loads
from typing import Any

from companion.prints.faces import Words
from engines.core import load_kit


@cache
def names_of(game: str) -> Mapping[str, Words]:
    """Return label -> name in English and Italian."""
    kit = load_kit(game)
    return {face.label: (face.name("en"), face.name("it")) for face in kit.faces}


@cache
def data_of(name: str) -> Mapping[str, Any]:
    """Return the parsed `data/NAME.toml` of this package."""
    folder = files("companion.prints") / "data"
    return loads((folder / f"{name}.toml").read_text("utf-8"))
