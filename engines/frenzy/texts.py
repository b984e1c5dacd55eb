"""Names of players, cards and regions as texts."""

from __future__ import annotations

from collections.abc import Iterable

from engines.core import Seat, Text
from engines.frenzy.cards import Card, Region, Zone


def say(message: str, /, **values: str | int | float | Text) -> Text:
    """Return a sentence of this game."""
    return Text.of(f"frenzy.{message}", **values)


def player(seat: Seat | None) -> Text:
    """Return the player's name; `None` is the referee."""
    return Text.of("core.referee") if seat is None else say("player", number=seat + 1)


def name(card: Card | None) -> Text:
    """Return the card's name; `None` is an empty pile."""
    return say("no_card" if card is None else f"card_{card}")


def region(place: Region) -> Text:
    """Return where a region is, with its player: "on Battle Line 2 of Player 1"."""
    owner, number = player(place.seat), place.zone.number
    if place.zone is Zone.HQ or number is None:
        return say("region_HQ", player=owner)
    return say(f"region_{place.zone[0]}", player=owner, number=number)


def listing(parts: Iterable[Text]) -> Text:
    """Return the parts as one list with commas."""
    head, *tail = [*parts] or [say("nothing")]
    for part in tail:
        head = say("pair", head=head, tail=part)
    return head


def cards(labels: Iterable[Card]) -> Text:
    """Return the cards' names as one list."""
    return listing(name(card) for card in labels)
