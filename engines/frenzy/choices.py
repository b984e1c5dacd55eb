"""What must be chosen before a round can be resolved: copies, rulings, order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from engines.core import Seat
from engines.frenzy.cards import BATTLE_LINE, NUMBERS, SEATS, SUPPLY_LINE, Card, other
from engines.frenzy.duel import Duel, Fighter, duel
from engines.frenzy.moves import RulingKey
from engines.frenzy.options import EmptyPile, House, Order
from engines.frenzy.resolution import (
    Resolution,
    Spoils,
    begin,
    order_matters,
    resolution_order,
    spoils,
)
from engines.frenzy.state import State

Line: TypeAlias = Sequence[Card | None]
"""The top cards of one Battle Line by Battlefield; `None` is an empty pile."""


@dataclass(frozen=True, slots=True)
class CopyChoice:
    """A Bodyguard whose owner must say what it duplicates, and the Battlefields."""

    seat: Seat
    number: int
    sources: tuple[int, ...]


def copy_choices(seat: Seat, line: Line) -> tuple[CopyChoice, ...]:
    """Return the choices of one Battle Line.

    There is none where only one other pile has a card (it is duplicated), nor where
    all others are Bodyguards (Strength 0).
    """
    return tuple(
        CopyChoice(seat, number, sources)
        for number in NUMBERS
        if line[number - 1] is Card.BODYGUARD
        and len(sources := sources_of(line, number)) > 1
        and any(line[source - 1] is not Card.BODYGUARD for source in sources)
    )


def sources_of(line: Line, number: int) -> tuple[int, ...]:
    """Return the other Battlefields on whose pile a card lies."""
    return tuple(each for each in NUMBERS if each != number and line[each - 1])


def fighter(line: Line, number: int, source: int | None) -> Fighter:
    """Return the top card on Battlefield `number`, duplicating that of `source`."""
    card = line[number - 1]
    if card is not Card.BODYGUARD:
        return Fighter(card)
    sources = sources_of(line, number)
    if len(sources) == 1:
        source = sources[0]
    copied = line[source - 1] if source in sources and source else None
    return Fighter(card, None if copied is Card.BODYGUARD else copied)


def asks_bodyguard_ruling(pair: tuple[Fighter, Fighter]) -> bool:
    """Return whether FZ-R13 decides: Assassin against a Bodyguard that copies a 4."""
    return any(
        own.card is Card.ASSASSIN
        and rival.card is Card.BODYGUARD
        and rival.copied is Card.W4
        for own, rival in (pair, pair[::-1])
    )


def asks_empty_ruling(pair: tuple[Fighter, Fighter]) -> bool:
    """Return whether FZ-R04 decides: a card against an empty pile."""
    return (pair[0].card is None) is not (pair[1].card is None)


def lines(state: State) -> tuple[Line, Line]:
    """Return both Battle Lines."""
    first, second = (
        tuple(player.top(zone) for zone in BATTLE_LINE) for player in state.players
    )
    return first, second


def open_copies(state: State) -> tuple[CopyChoice, ...]:
    """Return the choices not made yet of the one player whose turn it is (FZ-R11)."""
    if state.lost_by is not None:
        return ()
    made = {(copied.seat, copied.number) for copied in state.copies}
    both = lines(state)
    for seat in state.stated_first:
        choices = copy_choices(seat, both[seat])
        if missing := [each for each in choices if (seat, each.number) not in made]:
            return tuple(missing)
    return ()


def fighters(state: State) -> tuple[tuple[Fighter, Fighter], ...]:
    """Return who meets whom on each Battlefield."""
    both = lines(state)
    sources: Mapping[tuple[Seat, int], int] = {
        (copied.seat, copied.number): copied.source for copied in state.copies
    }
    return tuple(
        (
            fighter(both[0], number, sources.get((SEATS[0], number))),
            fighter(both[1], number, sources.get((SEATS[1], number))),
        )
        for number in NUMBERS
    )


def bodyguards(both: tuple[Line, Line]) -> frozenset[int]:
    """Return the Battlefields on which a Bodyguard lies on top."""
    return frozenset(
        number
        for number in NUMBERS
        if any(line[number - 1] is Card.BODYGUARD for line in both)
    )


def open_ruling(state: State) -> RulingKey | None:
    """Return the ruling of section 8 that must be agreed now."""
    if state.lost_by is not None or open_copies(state):
        return None
    pairs, house = fighters(state), state.house
    if house.bodyguard_is_warrior is None and any(map(asks_bodyguard_ruling, pairs)):
        return RulingKey.BODYGUARD_IS_WARRIOR
    if house.empty_pile is None and any(map(asks_empty_ruling, pairs)):
        return RulingKey.EMPTY_PILE
    if house.order is None and order_matters(
        all_spoils(state), bodyguards(lines(state))
    ):
        return RulingKey.ORDER
    return None


def duels(state: State) -> tuple[Duel, ...]:
    """Return the result of each Battlefield."""
    return tuple(duel(first, second, state.house) for first, second in fighters(state))


def all_spoils(state: State) -> tuple[Spoils, ...]:
    """Return what each Battlefield yields."""
    supplies = [
        tuple(tuple(laid.card for laid in player.pile(zone)) for zone in SUPPLY_LINE)
        for player in state.players
    ]
    results = duels(state)
    both = lines(state)
    yields = []
    for number in NUMBERS:
        place = number - 1
        winner, champion = None, None
        if state.lost_by is not None:
            winner = other(state.lost_by)
        elif (side := results[place].winner) is not None:
            winner, champion = SEATS[side], both[side][place]
        supply = (supplies[0][place], supplies[1][place])
        yields.append(spoils(number, winner, champion, supply))
    return tuple(yields)


def begun(state: State) -> Resolution:
    """Return the resolution of the round, once nothing is left to choose."""
    numbers = bodyguards(lines(state))
    is_forfeit = state.lost_by is not None
    order = Order.NUMERIC if is_forfeit else state.house.order
    return begin(all_spoils(state), resolution_order(numbers, order), state.score_piles)


def agreed(house: House, key: RulingKey, value: str) -> House:
    """Return the rulings with one more agreed."""
    if key is RulingKey.ORDER:
        return replace(house, order=Order(value))
    if key is RulingKey.EMPTY_PILE:
        return replace(house, empty_pile=EmptyPile(value))
    return replace(house, bodyguard_is_warrior=value == "true")
