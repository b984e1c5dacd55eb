"""Labels as people read them: ``10c`` is 10♣, the ten of clubs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from companion.i18n import N_, say
from engines.core import JOKER, Card, NotationError, Rank, Suit

if TYPE_CHECKING:
    from engines.core import Kit

SYMBOLS = {
    Suit.CLUBS: "♣",
    Suit.DIAMONDS: "♦",
    Suit.HEARTS: "♥",
    Suit.SPADES: "♠",
}
SUIT_NAMES = {
    Suit.CLUBS: N_("clubs"),
    Suit.DIAMONDS: N_("diamonds"),
    Suit.HEARTS: N_("hearts"),
    Suit.SPADES: N_("spades"),
}
RANK_NAMES = {
    Rank.ACE: N_("ace"),
    Rank.TWO: N_("two"),
    Rank.THREE: N_("three"),
    Rank.FOUR: N_("four"),
    Rank.FIVE: N_("five"),
    Rank.SIX: N_("six"),
    Rank.SEVEN: N_("seven"),
    Rank.EIGHT: N_("eight"),
    Rank.NINE: N_("nine"),
    Rank.TEN: N_("ten"),
    Rank.JACK: N_("jack"),
    Rank.QUEEN: N_("queen"),
    Rank.KING: N_("king"),
}
ZONE_NAMES = {
    "base": N_("on the Base"),
    "reserve": N_("Reserve"),
    "margin": N_("on the margin"),
    "off": N_("off the board"),
    "plain": N_("plain"),
    "forest": N_("forest"),
    "hill": N_("hill"),
    "swamp": N_("swamp"),
    "water": N_("water"),
}
"""Where a chip lies and on what; sectors are called what is printed on the mat."""
STANDARD_LABELS = (
    *(str(Card(rank, suit)) for suit in Suit for rank in Rank),
    str(JOKER),
)


@dataclass(frozen=True, slots=True)
class CardFace:
    """How one label is shown."""

    label: str
    short: str
    """What stands in the corner of the card: ``10♣``."""
    name: str
    """In words, for people who listen: ``ten of clubs``."""
    suit: str
    """``clubs`` and so on, ``joker``, or ``other``: chooses the colour."""


def face(label: str, language: str, kit: Kit | None = None) -> CardFace:
    """Return how `label` is shown; a label that is no standard card as it is."""
    try:
        card = Card.parse(label)
    except NotationError:
        name = _kit_name(label, language, kit)
        return CardFace(label, name, name, "other")
    if card.rank is None or card.suit is None:
        joker = say(language, N_("Joker"))
        return CardFace(label, joker, joker, "joker")
    name = say(
        language,
        N_("%(rank)s of %(suit)s"),
        rank=say(language, RANK_NAMES[card.rank]),
        suit=say(language, SUIT_NAMES[card.suit]),
    )
    short = f"{card.rank}{SYMBOLS[card.suit]}"
    return CardFace(label, short, name, card.suit.name.lower())


def zone_word(value: str, language: str) -> str:
    """Return the word for a zone or terrain; a name of a sector as it is."""
    return say(language, ZONE_NAMES[value]) if value in ZONE_NAMES else value


def as_glyphs(text: str) -> str:
    """Return `text` with its suits as letters of the font, never as emoji.

    >>> as_glyphs("10♣") == "10♣" + chr(0xFE0E)
    True
    """
    for symbol in SYMBOLS.values():
        text = text.replace(symbol, f"{symbol}\ufe0e")
    return text


def clock(moment: datetime) -> str:
    """Return the time of day where this machine stands: ``14:03:07``."""
    return moment.astimezone().strftime("%H:%M:%S")


def capital(text: str) -> str:
    """Return `text` with its first letter large."""
    return text[:1].upper() + text[1:]


def _kit_name(label: str, language: str, kit: Kit | None) -> str:
    faces = kit.faces if kit else ()
    return next((item.name(language) for item in faces if item.label == label), label)
