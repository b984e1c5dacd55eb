"""Arithmetic of the game: points of hands, ends of rounds, who wins, who deals."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from engines.core import Seat
from engines.frantic.cards import FY, PlayCard, Special
from engines.frantic.options import Scoring
from engines.frantic.state import Bomb, End, Ending

SPECIAL_POINTS = 7
FY_POINTS = 42
CURSE_POINTS = 13
DOOMSDAY_POINTS = 50
BOMB_POINTS = 10
SEPPUKU_LUCK, SEPPUKU_BAD_LUCK, SEPPUKU_REFUSED = -21, 42, 21
HEAVY_COLOURED, HEAVY_NEUTRAL, HEAVY_FY = 10, 20, 69


def card_points(card: PlayCard, scoring: Scoring = Scoring.RULEBOOK) -> int:
    """Return what a known card is worth in a hand."""
    if scoring is Scoring.HEAVY:
        return _heavy_points(card)
    if card.number is not None:
        return card.number
    if card.special is Special.CURSE:
        return CURSE_POINTS
    return FY_POINTS if card == FY else SPECIAL_POINTS


def _heavy_points(card: PlayCard) -> int:
    if card.number is not None:
        return card.number * 2 if card.is_black else card.number
    if card.special is Special.CURSE:
        return CURSE_POINTS
    if card == FY:
        return HEAVY_FY
    return HEAVY_COLOURED if card.colours else HEAVY_NEUTRAL


def hand_points(cards: Iterable[PlayCard], scoring: Scoring = Scoring.RULEBOOK) -> int:
    """Return what a hand of known cards is worth."""
    return sum(card_points(card, scoring) for card in cards)


def most_valuable(
    cards: Iterable[PlayCard], number: int, scoring: Scoring = Scoring.RULEBOOK
) -> int:
    """Return the points of the `number` most valuable cards."""
    points = sorted((card_points(card, scoring) for card in cards), reverse=True)
    return sum(points[:number])


def round_points(
    ending: Ending, bomb: Bomb | None, hands: Sequence[int], *, out: Collection[Seat]
) -> tuple[int, ...]:
    """Return what each seat gets for the round, from the points of its hand.

    `out` are the seats that hold no cards.
    """
    if ending.end is End.DOOMSDAY:
        points = [DOOMSDAY_POINTS] * len(hands)
    else:
        points = list(hands)
        if bomb is not None:
            points = _under_the_bomb(bomb, points, out)
        if ending.end is not End.FINISH_LINE:
            return tuple(points)
    for seat in ending.immune:
        points[seat] = 0
    return tuple(points)


def _under_the_bomb(bomb: Bomb, hands: list[int], out: Collection[Seat]) -> list[int]:
    def changed(seat: int, points: int) -> int:
        if seat in bomb.immune:
            return points
        if not out:
            return points * 2
        return points - BOMB_POINTS if seat in out else points + BOMB_POINTS

    return [changed(seat, points) for seat, points in enumerate(hands)]


def taken_unequally(own: int, victim: int) -> int:
    """Return how many of `own` cards make the victim hold more than what is left."""
    if victim > own:
        return 0
    return min((own - victim) // 2 + 1, own)


def tax_draws(taxes: Mapping[Seat, int]) -> dict[Seat, int]:
    """Return how many cards Double Taxation costs without points (F-42)."""
    ranks = {tax: rank for rank, tax in enumerate(sorted(set(taxes.values())), start=1)}
    sums = list(taxes.values())
    return {
        seat: 4 if sums.count(tax) > 1 else ranks[tax] for seat, tax in taxes.items()
    }


def lowest(accounts: Sequence[int]) -> tuple[Seat, ...]:
    """Return who has the lowest account; several share the win (F-40)."""
    return tuple(Seat(s) for s, a in enumerate(accounts) if a == min(accounts))


def highest(gains: Sequence[int]) -> tuple[Seat, ...]:
    """Return who got most points in a round."""
    return tuple(Seat(s) for s, gain in enumerate(gains) if gain == max(gains))
