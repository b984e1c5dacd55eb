"""From pieces to zones: enemy, play areas, discard pile, Castle and Tavern.

Nothing is printed on the table, so zones come from how cards lie to each other, all in
widths of a card (`w`):

* The enemy is the highest royal that lies open: Jacks fall before Queens before Kings
  (rule 2), so a lower one was defeated before. Several of the highest rank: the one
  beside a face-down pile first, and the sheet asks.
* Face-down cards form piles. The one beside the enemy (up to 0.6 w) is the Castle, the
  next nearest the Tavern. The open cards squarely beside the Tavern (up to 0.6 w)
  are the discard pile. Several such heaps, one at a corner of it, one beside the only
  pile, a royal elsewhere, a stack of cards that cannot be one play: they may be either
  and are marked doubtful.
* What is left was played against the enemy. Cards that overlap form a heap; its seat
  comes from its direction as seen from the enemy and from the way the cards face
  (seats are spread evenly, seat 0 near, clockwise). Near the border of two areas both
  seats are named.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import TypeAlias

from engines.core import Kind, Piece, Rank, Seat
from engines.regicide.cards import is_royal
from engines.regicide.options import Options
from engines.regicide.outline import centre_distance_mm, components, gap_mm, is_sound
from engines.regicide.sets import together
from engines.regicide.snapshot import Heap, Snapshot, card_of

Cards: TypeAlias = tuple[Piece, ...]

BESIDE_W = 0.6
"""Free space up to which a card lies beside another, in card widths."""
IN_LINE_W = 0.5
"""A discard pile is shifted against the Tavern by no more than this."""
PILE_W = 0.5
"""Face-down cards whose middles lie this near are one pile."""
STACK_W = 0.2
"""The middles of a stack lie this near to its own middle; a cascade is wider."""
STACK_CARDS = 3
SEAT_DOUBT_DEG = 12.0
"""Two seats whose costs differ by less are both possible."""
FACING_SHARE = 0.3
"""Weight of the way a card faces against the direction in which it lies."""
CENTRAL_W = 0.4
"""A heap whose middle lies this near to the enemy's has no direction."""


def lay_out(
    pieces: Sequence[Piece], options: Options, *, enemy: Piece | None = None
) -> Snapshot:
    """Return the zones; `enemy` fixes the enemy where a person said which it is."""
    sound = [piece for piece in pieces if is_sound(piece)]
    up = sorted((p for p in sound if p.kind is Kind.CARD), key=_from_the_bottom)
    down = [piece for piece in sound if piece.kind is Kind.BACK]
    strange = tuple(p for p in pieces if p not in up and p not in down)
    unit = _unit_mm([*up, *down])
    jokers = tuple(p for p in up if options.players == 1 and p.label == "X")
    up = [piece for piece in up if piece not in jokers]

    piles = components(down, lambda a, b: centre_distance_mm(a, b) <= unit * PILE_W)
    enemy, rivals, deduced = _find_enemy(up, down, unit, chosen=enemy)
    open_cards = [p for p in up if p is not enemy]
    heaps = components(open_cards, lambda a, b: _beside(a, b, 0.0))
    castle, tavern = _find_piles(piles, enemy, heaps, unit)
    discard, doubtful = _find_discard(heaps, castle, tavern, unit)
    centre = _centre(enemy, [*castle, *tavern], up)
    return Snapshot(
        pieces=tuple(pieces),
        card_width_mm=unit,
        enemy=enemy,
        rivals=rivals,
        heaps=tuple(
            replace(_seated(heap, centre, unit, options), is_doubtful=heap in doubtful)
            for heap in heaps
            if heap != discard
        ),
        discard=_stacked(discard),
        castle=castle,
        tavern=tavern,
        backs=tuple(p for p in down if p not in castle and p not in tavern),
        jokers=jokers,
        strange=strange,
        deduced=deduced,
    )


def _unit_mm(cards: Sequence[Piece]) -> float:
    if not cards:
        return 63.0
    return median(min(card.width_mm, card.height_mm) for card in cards)


def _beside(a: Piece, b: Piece, gap: float) -> bool:
    return gap_mm(a, b, within_mm=gap) <= gap


def _between(heap: Sequence[Piece], other: Sequence[Piece]) -> float:
    return min((gap_mm(a, b) for a in heap for b in other), default=math.inf)


def _from_the_bottom(piece: Piece) -> tuple[int, float, float]:
    """Sort from the lowest card up; cards that lie apart from left to right."""
    return piece.order, piece.x_mm, piece.y_mm


def _stacked(heap: Sequence[Piece]) -> tuple[Piece, ...]:
    return tuple(sorted(heap, key=_from_the_bottom))


def _find_enemy(
    up: Sequence[Piece], down: Sequence[Piece], unit: float, *, chosen: Piece | None
) -> tuple[Piece | None, tuple[Piece, ...], bool]:
    """Return the enemy, its rivals, and whether lower royals lie open as well."""
    royals = [(p, c) for p in up if (c := card_of(p)) is not None and is_royal(c)]
    if chosen is not None:
        return chosen, (), False
    if not royals:
        return None, (), False
    ranks = list(Rank)
    top = max(ranks.index(card.rank) for _, card in royals if card.rank)
    highest = [p for p, card in royals if card.rank and ranks.index(card.rank) == top]
    best = min(highest, key=lambda p: _place_in_doubt(p, up, down, unit))
    rivals = tuple(p for p in highest if p is not best)
    return best, rivals, len(royals) > len(highest)


def _place_in_doubt(
    royal: Piece, up: Sequence[Piece], down: Sequence[Piece], unit: float
) -> tuple[float, float]:
    """Sort beside a face-down pile first, then by how much lies upon it."""
    beside = min(_between([royal], down), unit * 2)
    covered = sum(
        other is not royal and _beside(royal, other, 0.0) and royal.order < other.order
        for other in up
    )
    return beside, float(covered)


def _find_piles(
    piles: Sequence[Cards], enemy: Piece | None, heaps: Sequence[Cards], unit: float
) -> tuple[Cards, Cards]:
    """Return the Castle and the Tavern, empty where they are not seen."""
    if enemy is None or not piles:
        return (), ()
    beside = unit * BESIDE_W
    near, *others = sorted(piles, key=lambda pile: _between(pile, [enemy]))
    if _between(near, [enemy]) > beside:
        return (), near
    if not others:
        return near, ()
    other = others[0]
    # Both piles beside the enemy: the one with open cards beside it is the Tavern.
    if _between(other, [enemy]) <= beside:
        by_near = len(_heaps_beside(near, heaps, unit))
        by_other = len(_heaps_beside(other, heaps, unit))
        if by_near == 1 != by_other:
            return other, near
    return near, other


def _heaps_beside(pile: Cards, heaps: Sequence[Cards], unit: float) -> list[Cards]:
    return [heap for heap in heaps if _between(heap, pile) <= unit * BESIDE_W]


def _find_discard(
    heaps: Sequence[Cards], castle: Cards, tavern: Cards, unit: float
) -> tuple[Cards, Sequence[Cards]]:
    """Return the discard pile and the heaps that may be one."""
    near = _heaps_beside(tavern or castle, heaps, unit)
    if tavern and len(near) == 1 and _in_line(near[0], tavern, unit):
        return near[0], ()
    return (), near or [
        heap for heap in heaps if _is_stack(heap, unit) or _has_royal(heap)
    ]


def _in_line(heap: Cards, pile: Cards, unit: float) -> bool:
    """Return whether a heap lies squarely beside, above or below a pile."""
    up = math.radians(pile[0].angle_deg)
    dx = fmean(p.x_mm for p in heap) - pile[0].x_mm
    dy = fmean(p.y_mm for p in heap) - pile[0].y_mm
    along = abs(dx * math.cos(up) + dy * math.sin(up))
    across = abs(dx * math.sin(up) - dy * math.cos(up))
    return min(along, across) <= unit * IN_LINE_W


def _has_royal(heap: Cards) -> bool:
    """Return whether a royal besides the enemy lies there: drawn, or defeated."""
    return any((card := card_of(p)) is not None and is_royal(card) for p in heap)


def _is_stack(heap: Sequence[Piece], unit: float) -> bool:
    """Return whether cards lie squarely on each other without being one play."""
    if len(heap) < STACK_CARDS:
        return False
    x, y = fmean(p.x_mm for p in heap), fmean(p.y_mm for p in heap)
    cards = [card for p in heap if (card := card_of(p)) is not None]
    squarely = all(math.hypot(p.x_mm - x, p.y_mm - y) < unit * STACK_W for p in heap)
    return squarely and together(cards) is not None


def _centre(
    enemy: Piece | None, piles: Sequence[Piece], up: Sequence[Piece]
) -> tuple[float, float]:
    pieces = [enemy] if enemy is not None else piles or up
    if not pieces:
        return 0.0, 0.0
    return fmean(p.x_mm for p in pieces), fmean(p.y_mm for p in pieces)


def _seated(
    heap: Sequence[Piece], centre: tuple[float, float], unit: float, options: Options
) -> Heap:
    """Return the heap with the seats whose play area it may lie in."""
    pieces = _stacked(heap)
    seats = tuple(Seat(seat) for seat in range(options.players))
    dx = fmean(p.x_mm for p in heap) - centre[0]
    dy = fmean(p.y_mm for p in heap) - centre[1]
    costs = sorted((_seat_cost(heap, dx, dy, s, options.players), s) for s in seats)
    if math.hypot(dx, dy) < unit * CENTRAL_W:
        return Heap(pieces, tuple(seat for _, seat in costs))
    best = costs[0][0]
    return Heap(
        pieces, tuple(seat for cost, seat in costs if cost - best < SEAT_DOUBT_DEG)
    )


def _seat_cost(
    heap: Sequence[Piece], dx: float, dy: float, seat: Seat, players: int
) -> float:
    """Return how badly a heap fits a play area, in degrees."""
    towards_deg = 270.0 - 360.0 * seat / players
    lies_deg = math.degrees(math.atan2(dy, dx))
    off_deg = abs(math.remainder(lies_deg - towards_deg, 360.0))
    # A card that faces its player is upright for him, or upside down: a standard
    # card cannot be told from itself turned by half a turn.
    turned_deg = fmean(
        abs(math.remainder(p.angle_deg - towards_deg, 180.0)) for p in heap
    )
    return off_deg + FACING_SHARE * turned_deg
