"""Names of seats, colours, cards and events as sentences in every language."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, reduce

from engines.core import Seat, Text
from engines.frantic.cards import UNKNOWN, Colour, PlayCard, Special
from engines.frantic.event import Event

PROPER_NAMES = {
    Special.SECOND_CHANCE: "2nd Chance",
    Special.SWAP: "Colour Swap",
    Special.EXCHANGE: "Exchange",
    Special.GIFT: "Gift",
    Special.SKIP: "Skip",
    Special.THIEF: "Thief",
    Special.TROUBLEMAKER: "Troublemaker",
    Special.FANTASTIC: "Fantastic",
    Special.FOUR: "Fantastic Four",
    Special.COUNTERATTACK: "Counterattack",
    Special.EQUALITY: "Equality",
    Special.INEQUALITY: "Inequality",
    Special.LUCKY: "Lucky Bastard",
    Special.NICE_TRY: "Nice Try",
    Special.FAVOURS: "Special Favours",
    Special.CURSE: "Curse",
    Special.FY: "Fuck You",
    Special.MIMICRY: "Mimicry",
}
"""The cards carry English names in every edition."""

EVENT_NAMES = {
    Event.FRIDAY: "Friday the 13th",
    Event.ALL_SEEING_EYE: "The All-Seeing Eye",
}

NONE = Text.of("frantic.none")
BLACK = Text.of("frantic.black")


def seat_name(seat: Seat) -> Text:
    """Return ``player 1`` for seat 0."""
    return Text.of("core.seat", number=seat + 1)


def colour_name(colour: Colour) -> Text:
    """Return ``red``."""
    return Text.of(f"frantic.{colour.name.lower()}")


def special_name(special: Special) -> Text:
    """Return the proper name of a special card."""
    return Text.of("core.literal", text=PROPER_NAMES[special])


@cache
def card_name(card: PlayCard) -> Text:
    """Return ``red 5``, ``black 5``, ``red-green Colour Swap`` or ``Fantastic``."""
    if card == UNKNOWN:
        return Text.of("core.unknown_card")
    names = tuple(colour_name(colour) for colour in card.colours)
    if card.number is not None:
        colour = names[0] if names else BLACK
        return Text.of("frantic.card_number", colour=colour, number=card.number)
    assert card.special is not None
    name = PROPER_NAMES[card.special]
    if not names:
        return special_name(card.special)
    if len(names) == 1:
        return Text.of("frantic.card_special", colour=names[0], name=name)
    return Text.of("frantic.card_two", first=names[0], second=names[1], name=name)


def event_name(event: Event) -> Text:
    """Return the proper name of an event."""
    plain = event.value.removeprefix("E-").replace("-", " ").title()
    return Text.of("core.literal", text=EVENT_NAMES.get(event, plain))


def listed(items: Iterable[Text]) -> Text:
    """Return ``a, b, c``, or ``nothing`` for no items."""
    texts = tuple(items)
    if not texts:
        return NONE
    return reduce(lambda a, b: Text.of("frantic.pair", first=a, rest=b), texts)


def cards_named(cards: Iterable[PlayCard | int]) -> Text:
    """Return the names of cards, or of their places in a hidden hand."""
    return listed(
        Text.of("frantic.place", number=card)
        if isinstance(card, int)
        else card_name(card)
        for card in cards
    )
