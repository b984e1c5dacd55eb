"""Fans of cards: which chain a card belongs to, and in which order a chain lies.

Cards are joined to the nearest Base or card that already belongs to a chain, sideways
distance counting more than outward; so a fan may lean, curve or overlap as long as it
stays nearer to itself than to its neighbour.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from shapely.geometry import Polygon

from engines.brawl.frame import Frame
from engines.brawl.options import LETTERS
from engines.core import Piece, Seat

SIDEWAYS = 2.5
"""A millimetre along the row counts like this many across it."""
REACH_MM = 40.0
"""A card this far from a chain's edge may still belong to it."""
TOUCH_MM = 12.0
"""Up to here a card surely belongs to the chain; beyond it is asked."""
FIRST_MM = 25.0
"""So much room people leave between a Base and the first card before it."""
BESIDE = 0.5
"""A card that lies this part of its width beside the one before is asked about."""
APART, APART_MM = 0.9, 4.0
"""From here on, and with such a gap, it belongs to no chain: each card of a fan lies on
the one before; fans lean, they do not jump."""
LONG_STEP = 1.6
"""So is one that lies so many times the usual step of its chain farther out, and"""
LITTLE = 0.75
"""so much of its own height: it hardly overlaps the one before."""
LEAST_STEP_MM = 8.0
"""Cards nearer to each other than this are a pile, not a step of a fan."""
OUTWARD = 0.2
"""A chain card's middle lies at least this part of a Base's height off the Base's."""
RIVAL = 1.25
"""Another chain must be this much farther away, or it is asked."""
SAME_MM = 5.0
"""Cards no farther apart than this, outwards, are told apart by which lies on top."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of one Base, as a place for cards."""

    frame: Frame
    base: int
    seat: Seat

    @property
    def origin(self) -> Piece:
        """Return the Base's piece."""
        return self.frame.anchors[self.base].piece

    def __str__(self) -> str:
        return f"{self.frame.pair}:{self.base}{LETTERS[self.seat]}"

    def outward_mm(self, piece: Piece) -> float:
        """Return how far a piece lies on this side of the Base's middle."""
        _, d = self.frame.local(self.origin, piece)
        return d if self.seat == self.frame.pair.second else -d

    def cost(self, member: Piece, card: Piece) -> float:
        """Return how far a card lies from a member of the chain."""
        s, d = self.frame.local(member, card)
        return math.hypot(SIDEWAYS * s, d)


@dataclass(frozen=True, slots=True)
class Link:
    """How a card hangs on its chain."""

    fan: int
    parent: int | None
    """Index of the card it hangs on, `None` for the Base."""
    cost: float
    gap_mm: float


@dataclass(frozen=True, slots=True)
class Fans:
    """All chains: the cards of each side in order, and what is doubtful about them."""

    chains: Mapping[Side, tuple[Piece, ...]]
    unclear: tuple[tuple[tuple[Piece, ...], tuple[Side, ...]], ...]
    """A card with all that hangs on it, and the sides it may belong to; one side alone:
    it may be no chain card at all."""
    order: tuple[tuple[Side, Piece, Piece], ...]
    """Neighbours in a chain whose order the picture does not tell."""
    left: tuple[Piece, ...]
    """Cards that belong to no chain."""


def grow(
    sides: Sequence[Side],
    cards: Sequence[Piece],
    forced: Mapping[str, str],
    *,
    ask_gaps: bool,
) -> Fans:
    """Return the chains that `cards` form on `sides`.

    `forced` names the side of cards that somebody has told. `ask_gaps`: a card that
    does not touch its chain may be on a discard pile.
    """
    shapes = [_shape(card) for card in cards]
    base_shapes = [_shape(side.origin) for side in sides]
    links = _joined(sides, cards, forced, shapes, base_shapes)
    unclear: list[tuple[int, tuple[int, ...]]] = []
    for index, link in links.items():  # a card comes after the one it hangs on
        if cards[index].id in forced or _hangs_on_unclear(index, links, unclear):
            continue
        rivals = _rivals(index, link, sides, cards, links, shapes, base_shapes)
        if rivals or (ask_gaps and _may_be_loose(index, sides, cards, links)):
            unclear.append((index, (link.fan, *rivals)))
    chains: dict[Side, tuple[Piece, ...]] = {}
    order: list[tuple[Side, Piece, Piece]] = []
    for number, side in enumerate(sides):
        own = [cards[index] for index, link in links.items() if link.fan == number]
        chains[side], doubts = in_order(side, own)
        order += [(side, one, other) for one, other in doubts]
    return Fans(
        chains,
        tuple(
            (
                tuple(cards[i] for i in _hanging(index, links)),
                tuple(sides[fan] for fan in fans),
            )
            for index, fans in unclear
        ),
        tuple(order),
        tuple(card for i, card in enumerate(cards) if i not in links),
    )


def in_order(
    side: Side, cards: Sequence[Piece]
) -> tuple[tuple[Piece, ...], tuple[tuple[Piece, Piece], ...]]:
    """Return a chain from the Base outwards, and the neighbours whose order is unclear.

    Outwards is the direction of the farthest card; cards at one distance lie in the
    order in which they are stacked.
    """
    if not cards:
        return (), ()
    base = (side.origin.x_mm, side.origin.y_mm)
    far = max(cards, key=lambda card: math.dist(base, (card.x_mm, card.y_mm)))
    dx, dy = far.x_mm - side.origin.x_mm, far.y_mm - side.origin.y_mm
    length = math.hypot(dx, dy) or 1.0

    def out_mm(card: Piece) -> float:
        x, y = card.x_mm - side.origin.x_mm, card.y_mm - side.origin.y_mm
        return (x * dx + y * dy) / length

    ordered = sorted(cards, key=lambda card: (out_mm(card), card.order))
    groups: list[list[Piece]] = [[ordered[0]]]
    for card in ordered[1:]:
        last = groups[-1][-1]
        sigma_mm = math.hypot(card.sigma_mm, last.sigma_mm)
        if out_mm(card) - out_mm(last) < max(SAME_MM, 3 * sigma_mm):
            groups[-1].append(card)
        else:
            groups.append([card])
    doubts: list[tuple[Piece, Piece]] = []
    for group in groups:
        group.sort(key=lambda card: card.order)
        doubts += [
            (one, other)
            for one, other in pairwise(group)
            if one.order == other.order and one.label != other.label
        ]
    return tuple(card for group in groups for card in group), tuple(doubts)


def _joined(
    sides: Sequence[Side],
    cards: Sequence[Piece],
    forced: Mapping[str, str],
    shapes: Sequence[Polygon],
    base_shapes: Sequence[Polygon],
) -> dict[int, Link]:
    """Return the link of every card that a chain can reach, nearest first."""
    links: dict[int, Link] = {}
    waiting: list[tuple[float, int, int, int, float]] = []

    def offer(fan: int, parent: int | None) -> None:
        side = sides[fan]
        member = side.origin if parent is None else cards[parent]
        shape = base_shapes[fan] if parent is None else shapes[parent]
        for index, card in enumerate(cards):
            if index in links or forced.get(card.id, str(side)) != str(side):
                continue
            if card.id in forced:
                heapq.heappush(waiting, (0.0, index, fan, -1, 0.0))
                continue
            edge = _edge(side, member, shape, card, shapes[index])
            if edge is not None:
                cost, gap_mm = edge
                up = -1 if parent is None else parent
                heapq.heappush(waiting, (cost, index, fan, up, gap_mm))

    for fan in range(len(sides)):
        offer(fan, None)
    while waiting:
        cost, index, fan, parent, gap_mm = heapq.heappop(waiting)
        if index in links:
            continue
        links[index] = Link(fan, None if parent < 0 else parent, cost, gap_mm)
        offer(fan, index)
    return links


def _edge(
    side: Side, member: Piece, shape: Polygon, card: Piece, card_shape: Polygon
) -> tuple[float, float] | None:
    """Return cost and gap of hanging a card on a member, `None` if it cannot hang."""
    if side.outward_mm(card) < OUTWARD * side.origin.height_mm:
        return None
    far_mm = math.hypot(card.x_mm - member.x_mm, card.y_mm - member.y_mm)
    if far_mm > REACH_MM + math.hypot(card.width_mm, card.height_mm):
        return None
    gap_mm = float(shape.distance(card_shape))
    s, _ = side.frame.local(member, card)
    if gap_mm > REACH_MM or (gap_mm > APART_MM and abs(s) > APART * card.width_mm):
        return None
    return side.cost(member, card), gap_mm


def _may_be_loose(
    index: int,
    sides: Sequence[Side],
    cards: Sequence[Piece],
    links: Mapping[int, Link],
) -> bool:
    """Return whether a card may lie on a discard pile that a chain has come close to.

    A first card lies straight before its Base; each further one lies about a step
    farther out than the one before.
    """
    link = links[index]
    side, card = sides[link.fan], cards[index]
    member = side.origin if link.parent is None else cards[link.parent]
    s, d = side.frame.local(member, card)
    is_beside = abs(s) > BESIDE * card.width_mm
    if link.parent is None:
        return link.gap_mm > (TOUCH_MM if is_beside else FIRST_MM)
    steps = [
        step
        for other, own in links.items()
        if own.fan == link.fan and own.parent is not None and other != index
        if (step := abs(side.frame.local(cards[own.parent], cards[other])[1]))
        > LEAST_STEP_MM
    ]
    is_apart = abs(d) > LITTLE * card.height_mm
    is_far = bool(steps) and is_apart and abs(d) > LONG_STEP * median(steps)
    return link.gap_mm > TOUCH_MM or (abs(d) > LEAST_STEP_MM and (is_beside or is_far))


def _rivals(
    index: int,
    link: Link,
    sides: Sequence[Side],
    cards: Sequence[Piece],
    links: Mapping[int, Link],
    shapes: Sequence[Polygon],
    base_shapes: Sequence[Polygon],
) -> tuple[int, ...]:
    """Return the other chains that a card is about as near to as to its own."""
    rivals = []
    for fan, side in enumerate(sides):
        if fan == link.fan:
            continue
        members = [(side.origin, base_shapes[fan])]
        members += [(cards[i], shapes[i]) for i, own in links.items() if own.fan == fan]
        costs = [
            edge[0]
            for member, shape in members
            if (edge := _edge(side, member, shape, cards[index], shapes[index]))
        ]
        if costs and min(costs) < RIVAL * link.cost:
            rivals.append(fan)
    return tuple(rivals)


def _hangs_on_unclear(
    index: int,
    links: Mapping[int, Link],
    unclear: Sequence[tuple[int, tuple[int, ...]]],
) -> bool:
    roots = {root for root, _ in unclear}
    parent = links[index].parent
    while parent is not None:
        if parent in roots:
            return True
        parent = links[parent].parent
    return False


def _hanging(root: int, links: Mapping[int, Link]) -> list[int]:
    """Return a card and all that hang on it, in the order in which they were joined."""
    found = [root]
    for index, link in links.items():
        if link.parent in found:
            found.append(index)
    return found


def _shape(piece: Piece) -> Polygon:
    return Polygon(piece.corners_mm)
