"""Character decks: how many copies of each face, as printed on the cards."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from engines.brawl.faces import FREEZES_PER_DECK, Face, read_face
from engines.core import KitError, load_kit

KNOWN_SIZE = 35
NEUTRAL = "neutral"
"""Name of the deck that Arbitro prints: its copies are those of kit.toml."""


@dataclass(frozen=True, slots=True)
class Deck:
    """One character deck."""

    name: str
    counts: tuple[tuple[Face, int], ...]
    """Faces that the deck holds with their printed numbers, in the order of `Face`."""
    ships: bool = False
    """The deck comes with Arbitro; others are typed in from the cards."""

    @property
    def size(self) -> int:
        """Return how many cards the deck holds."""
        return sum(number for _, number in self.counts)

    def copies(self, face: Face) -> int:
        """Return how many copies of `face` the deck holds."""
        return sum(number for held, number in self.counts if held is face)


def known_decks() -> Mapping[str, Deck]:
    """Return the decks that ship with Arbitro, by name in lower case."""
    return _known()


def parse_deck(data: Mapping[str, object]) -> Deck:
    """Return the deck that a parsed deck file describes.

    The file says `name` and under `[copies]` the number printed on one card of each
    face. Raises `KitError` with what is wrong.
    """
    name, copies = data.get("name"), data.get("copies")
    if extra := sorted(str(key) for key in data.keys() - {"name", "copies"}):
        raise KitError(f"a deck file has name and [copies], not {extra[0]!r}")
    if not isinstance(name, str) or not name.strip():
        raise KitError('a deck must say its character: name = "..."')
    if not isinstance(copies, Mapping) or not copies:
        raise KitError(f"deck {name!r}: [copies] must give the number on each card")
    counts = _counts(name, copies)
    _check(name, counts)
    ordered = tuple((face, counts[face]) for face in Face if counts.get(face))
    return Deck(name, ordered)


def _counts(name: str, copies: Mapping[object, object]) -> dict[Face, int]:
    counts: dict[Face, int] = {}
    for label, number in copies.items():
        face = read_face(str(label))
        if face is None:
            raise KitError(
                f"deck {name!r}: {label!r} is no card of these rules (later decks have"
                f" more); the faces are {', '.join(Face)}"
            )
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise KitError(
                f"deck {name!r}: {label} must be a whole number from 0 on,"
                f" not {number!r}"
            )
        counts[face] = number
    return counts


def _check(name: str, counts: Mapping[Face, int]) -> None:
    freezes = counts.get(Face.FREEZE, 0)
    if freezes != FREEZES_PER_DECK:
        raise KitError(
            f"deck {name!r}: every deck holds {FREEZES_PER_DECK} Freezes,"
            f" not {freezes}: FREEZE = {FREEZES_PER_DECK}"
        )
    if counts.get(Face.BASE, 0) < 1:
        raise KitError(f"deck {name!r}: a deck holds at least one Base: BASE = 1")
    if not any(counts.get(face, 0) for face in counts if face.points):
        raise KitError(f"deck {name!r}: a deck holds at least one Hit")


@cache
def _known() -> Mapping[str, Deck]:
    text = (files("engines.brawl") / "decks.toml").read_text("utf-8")
    decks = [parse_deck(data) for data in tomllib.loads(text).values()]
    kit = load_kit("brawl")
    decks.append(
        parse_deck(
            {
                "name": NEUTRAL,
                "copies": {face.label: face.copies for face in kit.faces},
            }
        )
    )
    for deck in decks:
        if deck.size != KNOWN_SIZE:
            raise KitError(f"deck {deck.name!r}: {deck.size} cards, not {KNOWN_SIZE}")
    return {
        deck.name.lower(): Deck(deck.name, deck.counts, ships=True) for deck in decks
    }
