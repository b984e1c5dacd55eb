"""The card faces of Brawl and what a card is worth."""

from __future__ import annotations

from enum import StrEnum

from engines.core import Text


class Colour(StrEnum):
    """The three colours of Hits and Blocks."""

    RED = "r"
    GREEN = "g"
    BLUE = "b"


class CardType(StrEnum):
    """What a card does, whatever its colour."""

    HIT = "hit"
    HIT2 = "hit2"
    BLOCK = "block"
    PRESS = "press"
    CLEAR = "clear"
    FREEZE = "freeze"
    BASE = "base"


class Face(StrEnum):
    """A card face; the value is its notation and its label in a gallery."""

    HIT_RED = "Hr"
    HIT_GREEN = "Hg"
    HIT_BLUE = "Hb"
    HIT2_RED = "Dr"
    HIT2_GREEN = "Dg"
    HIT2_BLUE = "Db"
    BLOCK_RED = "Br"
    BLOCK_GREEN = "Bg"
    BLOCK_BLUE = "Bb"
    PRESS = "P"
    CLEAR = "CLEAR"
    FREEZE = "FREEZE"
    BASE = "BASE"

    @property
    def type(self) -> CardType:
        """Return what the card does."""
        return _TYPES[self]

    @property
    def colour(self) -> Colour | None:
        """Return the colour of a Hit, Hit-2 or Block; `None` for the others."""
        return _COLOURS.get(self)

    @property
    def points(self) -> int:
        """Return what the card counts on its side of a Base."""
        return _POINTS.get(_TYPES[self], 0)

    @property
    def text(self) -> Text:
        """Return the card's name."""
        return Text.of(f"brawl.face_{self.value}")


_BY_LETTER = {"H": CardType.HIT, "D": CardType.HIT2, "B": CardType.BLOCK}
_PLAIN = {
    Face.PRESS: CardType.PRESS,
    Face.CLEAR: CardType.CLEAR,
    Face.FREEZE: CardType.FREEZE,
    Face.BASE: CardType.BASE,
}
_TYPES = {
    face: _PLAIN[face] if face in _PLAIN else _BY_LETTER[face.value[0]] for face in Face
}
_COLOURS = {face: Colour(face.value[1]) for face in Face if face not in _PLAIN}
_POINTS = {CardType.HIT: 1, CardType.HIT2: 2}

CHAIN_FACES = tuple(
    face
    for face in Face
    if _TYPES[face] not in {CardType.CLEAR, CardType.FREEZE, CardType.BASE}
)
"""The faces that lie in chains."""

HITS = frozenset({CardType.HIT, CardType.HIT2})
FREEZES_PER_DECK = 3


def read_face(label: str | None) -> Face | None:
    """Return the face of a label, `None` for an unknown one."""
    return _BY_LABEL.get(label) if label is not None else None


_BY_LABEL = {face.value: face for face in Face}
