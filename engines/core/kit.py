"""Kits: the physical cards of a game, as `kit.toml` tells them."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files

from engines.core.card import SIGNS, Card
from engines.core.errors import KitError, NotationError
from engines.core.ruling import Finding
from engines.core.text import LANGUAGES, Text, names_text


@dataclass(frozen=True, slots=True)
class Face:
    """One card face: its label, how many copies the kit holds, its names."""

    label: str
    copies: int
    names: tuple[tuple[str, str], ...]
    """(language, name) pairs, in the game's own words."""

    def name(self, language: str) -> str:
        """Return the name in `language`, or the label where it has none."""
        return dict(self.names).get(language, self.label)

    @property
    def text(self) -> Text:
        """Return the name as a sentence of any language."""
        return names_text(self.names, self.label)


@dataclass(frozen=True, slots=True)
class Kit:
    """All faces of one game and the size of its cards."""

    game: str
    width_mm: float
    height_mm: float
    faces: tuple[Face, ...]

    def copies(self, label: str) -> int:
        """Return how many copies of `label` exist; 0 for a label not in the kit."""
        return sum(face.copies for face in self.faces if face.label == label)

    def text(self, label: str) -> Text:
        """Return what people call `label`: a standard card by rank and suit where the
        kit has no such face, anything else as it is written."""
        face = next((face for face in self.faces if face.label == label), None)
        return label_text(label) if face is None else face.text


def label_text(label: str) -> Text:
    """Return what people call a label that no kit knows: ``10h`` is 10♥."""
    try:
        card = Card.parse(label)
    except NotationError:
        return Text.of("core.literal", text=label)
    if card.suit is None:
        return Text.of("core.joker")
    return Text.of("core.literal", text=f"{card.rank}{SIGNS[card.suit]}")


def load_kit(game: str) -> Kit:
    """Return the kit that ships with `game`; raise `KitError` if it is not sound."""
    text = (files(f"engines.{game}") / "kit.toml").read_text("utf-8")
    return parse_kit(tomllib.loads(text))


def parse_kit(data: Mapping[str, object]) -> Kit:
    """Return the kit that a parsed `kit.toml` describes; raise `KitError`."""
    game, card, faces = data.get("game"), data.get("card"), data.get("faces")
    if not isinstance(game, str):
        raise KitError('a kit must say its game: game = "..."')
    if not isinstance(card, Mapping):
        raise KitError("a kit must give the card's size: [card] width_mm, height_mm")
    if not isinstance(faces, list) or not faces:
        raise KitError("a kit must list at least one [[faces]]")
    parsed = tuple(_face(face) for face in faces)
    doubled = [k for k, n in Counter(face.label for face in parsed).items() if n > 1]
    if doubled:
        raise KitError(f"face {doubled[0]!r} is listed twice")
    return Kit(game, _size(card, "width_mm"), _size(card, "height_mm"), parsed)


def surplus(kit: Kit, labels: Iterable[str], *, decks: int = 1) -> tuple[Finding, ...]:
    """Return one finding for each label seen more often than `decks` kits hold it."""
    return tuple(
        Finding(
            Text.of(
                "core.too_many_copies",
                label=kit.text(label),
                seen=seen,
                copies=kit.copies(label) * decks,
            )
        )
        for label, seen in sorted(Counter(labels).items())
        if seen > kit.copies(label) * decks
    )


def _face(face: object) -> Face:
    if not isinstance(face, Mapping) or not isinstance(face.get("label"), str):
        raise KitError("each [[faces]] must have a label")
    label, copies = str(face["label"]), face.get("copies", 1)
    if not isinstance(copies, int) or isinstance(copies, bool) or copies < 1:
        raise KitError(f"face {label!r}: copies must be a whole number from 1 on")
    names = tuple(
        (language, str(face[language])) for language in LANGUAGES if language in face
    )
    return Face(label, copies, names)


def _size(card: Mapping[object, object], key: str) -> float:
    value = card.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
        raise KitError(f"[card] {key} must be a length in millimetres")
    return float(value)
