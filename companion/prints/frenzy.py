"""The Frenzy decks of our own: four factions.

How many copies of a card a box holds is not known (rules, 1); ours hold seven of each
Warrior, four Assassins, four Wizards and three advanced Heroes: 39, and Battlefields.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.prints.decks import Deck, PrintedCard
from companion.prints.faces import Back, Face, Words
from companion.prints.kits import names_of
from companion.prints.mosaic import Tones
from engines.frenzy.cards import BATTLEFIELDS, NUMBERS, STRENGTH, Card, Faction, Side

COPIES = {Card.ASSASSIN: 4, Card.WIZARD: 4}
WARRIORS, ADVANCED = 7, 3
TONES = {
    Faction.HUMANS: Tones("#6e1423", "#c73e4e", "#f7cfc4"),
    Faction.ORCS: Tones("#1d4a22", "#5a9b3c", "#dbeab4"),
    Faction.DWARVES: Tones("#3b3f46", "#8a8f98", "#e7e4da"),
    Faction.UNDEAD: Tones("#3a1a5e", "#8a5cc0", "#e3d3f3"),
}
FIELD_TONES = {
    Side.BLUE: Tones("#0e3566", "#2f7fd0", "#c9e4fb"),
    Side.ORANGE: Tones("#7a3300", "#f0861c", "#fde2b8"),
}
SIGNS = {
    Faction.HUMANS: "crown",
    Faction.ORCS: "axe",
    Faction.DWARVES: "hammer",
    Faction.UNDEAD: "skull",
}
"""Of the factions, so that colour is not the only thing that tells them."""
FIELD_SIGNS = {Side.BLUE: "moon", Side.ORANGE: "sun"}
HERO_SIGNS = {
    Card.ASSASSIN: "dagger",
    Card.WIZARD: "hat",
    Card.KNIGHT: "helm",
    Card.OGRE: "club",
    Card.BODYGUARD: "shield",
    Card.LICH: "lich",
}
TITLES: dict[Faction, Words] = {
    Faction.HUMANS: ("Frenzy, Humans", "Frenzy, Umani"),
    Faction.ORCS: ("Frenzy, Orcs", "Frenzy, Orchi"),
    Faction.DWARVES: ("Frenzy, Dwarves", "Frenzy, Nani"),
    Faction.UNDEAD: ("Frenzy, Undead", "Frenzy, Non morti"),
}


def decks() -> Iterator[Deck]:
    """Yield the four decks."""
    for faction in Faction:
        name = f"frenzy-{faction}"
        back = Back("back", name, TONES[faction], SIGNS[faction])
        cards = (
            *(PrintedCard(_face(f, faction), n, back) for f, n in _list(faction)),
            *_battlefields(faction),
        )
        yield Deck(
            name, "frenzy", TITLES[faction], cards, (("faction", faction.value),)
        )


def _list(faction: Faction) -> Iterator[tuple[Card, int]]:
    for card in Card:
        if card in STRENGTH:
            yield card, WARRIORS
        elif card in COPIES:
            yield card, COPIES[card]
        elif card is faction.hero:
            yield card, ADVANCED


def _face(card: Card, faction: Faction) -> Face:
    names = names_of("frenzy")[card.value]
    tones, of_faction = TONES[faction], SIGNS[faction]
    name = f"frenzy-{faction}"
    if card in STRENGTH:
        figure = str(STRENGTH[card])
        return Face(
            card.value,
            name,
            names,
            tones,
            figure,
            ("sword", of_faction),
            "sword",
            figure,
            STRENGTH[card],
        )
    sign = HERO_SIGNS[card]
    marks = (sign, "diamond", of_faction) if card.is_advanced else (sign, of_faction)
    return Face(card.value, name, names, tones, card.value, marks, sign)


def _battlefields(faction: Faction) -> Iterator[PrintedCard]:
    names, name = names_of("frenzy"), f"frenzy-{faction}"
    for number in NUMBERS:
        blue, orange = (
            Face(
                label,
                name,
                names[label],
                FIELD_TONES[side],
                str(number),
                (FIELD_SIGNS[side], SIGNS[faction]),
                FIELD_SIGNS[side],
                str(number),
                1,
            )
            for label, (at, side) in BATTLEFIELDS.items()
            if at == number
        )
        yield PrintedCard(blue, 1, orange)
