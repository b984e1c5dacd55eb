"""The Brawl decks of our own: two characters with complete lists of 35 cards."""

from __future__ import annotations

from collections.abc import Iterator

from companion.prints.decks import Deck, PrintedCard
from companion.prints.faces import Back, Face
from companion.prints.kits import data_of, names_of
from companion.prints.mosaic import Tones
from engines.brawl.faces import CardType, Colour, read_face
from engines.brawl.faces import Face as BrawlFace

TONES = {
    Colour.RED: Tones("#6f0f14", "#d8363a", "#fac8bd"),
    Colour.GREEN: Tones("#0f4a26", "#37a055", "#cfeec7"),
    Colour.BLUE: Tones("#12306f", "#3f78d8", "#cbdffb"),
}
COLOUR_SIGNS = {Colour.RED: "triangle", Colour.GREEN: "square", Colour.BLUE: "disc"}
PLAIN = Tones("#2b2b2b", "#8c8c86", "#efece2")
COLD = Tones("#0c4f5c", "#3fb4c4", "#d8f4f3")
SIGNS = {
    CardType.HIT: "burst",
    CardType.HIT2: "bursts",
    CardType.BLOCK: "shield",
    CardType.PRESS: "press",
    CardType.CLEAR: "sweep",
    CardType.FREEZE: "snow",
}
INDEXES = {CardType.HIT: "1", CardType.HIT2: "2", CardType.BLOCK: "B"}
INDEXES |= {CardType.PRESS: "P", CardType.CLEAR: "C", CardType.FREEZE: "F"}


def decks() -> Iterator[Deck]:
    """Yield the decks of the characters in data/brawl.toml."""
    for key, character in data_of("brawl").items():
        name = f"brawl-{key}"
        tones = Tones(*character["tones"])
        back = Back("back", name, tones, character["token"])
        cards = []
        for label, copies in character["copies"].items():
            face = read_face(label)
            assert face is not None
            cards.append(
                PrintedCard(_face(face, copies, name, character), copies, back)
            )
        title = str(character["name"])
        titles = (f"Brawl, {title}", f"Brawl, {title}")
        yield Deck(name, "brawl", titles, tuple(cards), (("character", title),))


def _face(
    face: BrawlFace, copies: int, deck: str, character: dict[str, object]
) -> Face:
    names, token = names_of("brawl")[face.value], str(character["token"])
    badge = f"x{copies}"
    if face.type is CardType.BASE:
        title, tones = str(character["name"]), Tones(*_three(character["tones"]))
        portrait = str(character["portrait"])
        return Face(
            face.value,
            deck,
            (title, title),
            tones,
            "",
            (portrait, token),
            portrait,
            badge=badge,
        )
    tones = PLAIN
    marks: tuple[str, ...] = (SIGNS[face.type], token)
    if face.type is CardType.FREEZE:
        tones = COLD
    if face.colour is not None:
        tones = TONES[face.colour]
        marks = (COLOUR_SIGNS[face.colour], SIGNS[face.type], token)
    return Face(
        face.value,
        deck,
        names,
        tones,
        INDEXES[face.type],
        marks,
        SIGNS[face.type],
        badge=badge,
    )


def _three(values: object) -> tuple[str, str, str]:
    assert isinstance(values, list)
    dark, full, pale = map(str, values)
    return dark, full, pale
