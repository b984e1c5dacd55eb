"""The Frantic deck of our own: all play cards, starred ones marked, and the events."""

from __future__ import annotations

from collections.abc import Iterator

from companion.prints.decks import Deck, PrintedCard
from companion.prints.faces import Back, Face
from companion.prints.kits import data_of, names_of
from companion.prints.mosaic import Tones
from engines.core import load_kit
from engines.frantic.cards import FACTS, Colour, Facts, PlayCard

NAME = "frantic"
TONES = {
    Colour.RED: Tones("#6f0f14", "#d8363a", "#fac8bd"),
    Colour.GREEN: Tones("#0f4a26", "#37a055", "#cfeec7"),
    Colour.BLUE: Tones("#12306f", "#3f78d8", "#cbdffb"),
    Colour.YELLOW: Tones("#7a5200", "#f1bd1e", "#fdf3c4"),
}
SIGNS = {
    Colour.RED: "triangle",
    Colour.GREEN: "square",
    Colour.BLUE: "disc",
    Colour.YELLOW: "star",
}
BLACK = Tones("#101010", "#5c5c5c", "#d9d9d9")
BLACK_SIGN = "diamond"
NEUTRAL = Tones("#37205c", "#9a6fd0", "#ece0f8")
NEUTRAL_SIGN = "ring"
EVENT = Tones("#3d2a17", "#a9743a", "#efdcc0")
EVENT_SIGN = "wheel"
STAR_BADGE = "star"
PLAY_BACK = Back("back", NAME, Tones("#141b33", "#47599c", "#dde3f7"), "spark")
EVENT_BACK = Back("event-back", NAME, EVENT, "wheel")


def decks() -> Iterator[Deck]:
    """Yield the one deck."""
    cards = []
    for face in load_kit("frantic").faces:
        if face.label.startswith("E-"):
            cards.append(PrintedCard(_event(face.label), face.copies, EVENT_BACK))
        else:
            card = _play_card(PlayCard(face.label))
            cards.append(PrintedCard(card, face.copies, PLAY_BACK))
    yield Deck(NAME, "frantic", ("Frantic", "Frantic"), tuple(cards))


def _play_card(card: PlayCard) -> Face:
    facts, names = FACTS[card], names_of("frantic")[card]
    tones, mark, second = _colours(facts)
    if facts.number is not None:
        number = str(facts.number)
        return Face(card, NAME, names, tones, number, (mark,), "", number)
    said = data_of("frantic")["special"][facts.special]
    sign, figure = str(said.get("sign", "")), str(said.get("figure", ""))
    marks = (sign, mark) if sign else (mark,)
    if second is not None:
        marks = (mark, SIGNS[facts.colours[1]])
    return Face(
        card,
        NAME,
        names,
        tones,
        figure,
        marks,
        "" if second else sign,
        figure,
        text=(str(said["en"]), str(said["it"])),
        badge=STAR_BADGE if card.is_starred else "",
        second=second,
    )


def _colours(facts: Facts) -> tuple[Tones, str, Tones | None]:
    """Return the first colour's tones and sign, and the second colour's tones."""
    if not facts.colours:
        if facts.number is None:
            return NEUTRAL, NEUTRAL_SIGN, None
        return BLACK, BLACK_SIGN, None
    first, *rest = facts.colours
    return TONES[first], SIGNS[first], TONES[rest[0]] if rest else None


def _event(label: str) -> Face:
    said = data_of("frantic")["event"][label.removeprefix("E-")]
    return Face(
        label,
        NAME,
        names_of("frantic")[label],
        EVENT,
        str(said["code"]),
        (EVENT_SIGN,),
        text=(str(said["en"]), str(said["it"])),
        badge=STAR_BADGE if said.get("star") else "",
    )
