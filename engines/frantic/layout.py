"""From pieces to a snapshot: piles, events, market and laid-out hands.

Nothing is printed on the table, so everything is found from how the cards lie: the
face-down piles and the events are the middle, the discard is the heap beside them, and
what lies further out belongs to the seat in whose direction it lies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engines.core import Finding, Kind, Piece, Seat, Text, label_text
from engines.frantic.cards import FACTS, UNKNOWN
from engines.frantic.event import Event
from engines.frantic.grouping import (
    Group,
    Point,
    centre_mm,
    distance_mm,
    groups,
    in_reading_order,
    mean_mm,
    spread_mm,
)
from engines.frantic.options import Look, Options
from engines.frantic.snapshot import LaidHand, Seen, Snapshot

ROOM_MM = 10.0
"""Cards of one group lie at most so far apart."""
WIDE_ROOM_MM = 60.0
"""A hand alone in the picture may be laid out with so much room."""
HEAP_MM = 60.0
"""An untidy pile spreads at most so far from its middle."""
REACH_MM = 230.0
"""The discard and the market lie within this distance of the middle."""
DOUBT = 0.125
"""Part of the angle between two seats, on both sides of the line that halves it, in
which a hand may belong to either."""
FAR_MM = 1e6
EVENT_LABELS = frozenset(event.value for event in Event)
PLAY_LABELS = frozenset(FACTS) - {str(UNKNOWN)}


def layout(pieces: Sequence[Piece], options: Options) -> Snapshot:
    """Return what lies in which zone."""
    lost = [piece for piece in pieces if not _is_somewhere(piece)]
    pieces = [_turned(piece, options) for piece in pieces if piece not in lost]
    faces = [p for p in pieces if p.kind is Kind.CARD and not _is_event(p)]
    events = [p for p in pieces if p.kind is Kind.CARD and _is_event(p)]
    backs = [p for p in pieces if p.kind is Kind.BACK]
    others = [p for p in pieces if p.kind not in {Kind.CARD, Kind.BACK}]
    plan = _plan(faces, events, backs, options)
    return Snapshot(
        discard=tuple(_seen(p) for p in sorted(plan.discard, key=_height)),
        events=tuple(_seen(p) for p in sorted(events, key=_height)),
        market=tuple(_seen(p) for p in in_reading_order(plan.market))
        if plan.market
        else (),
        hands=plan.hands,
        alone=tuple(_seen(p) for p in sorted(plan.alone, key=_height)),
        findings=(*_strangers([*others, *lost]), *_odd_labels(pieces)),
        is_touched=any(piece.touched for piece in pieces),
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """Which face-up cards lie where."""

    discard: Group = ()
    market: Group = ()
    hands: tuple[LaidHand, ...] = ()
    alone: Group = ()


def _plan(
    faces: list[Piece], events: list[Piece], backs: list[Piece], options: Options
) -> Plan:
    if not faces:
        return Plan()
    is_alone = not backs and not events and options.look is Look.AUTO
    hand = (LaidHand(_read(faces)),)
    heaps = groups(faces, ROOM_MM)
    if options.look is Look.HAND:
        return Plan(hands=hand)
    if is_alone and len(groups(faces, WIDE_ROOM_MM)) == 1:
        is_heap = len(heaps) == 1 and spread_mm(faces) <= HEAP_MM
        return Plan(hands=hand, alone=heaps[0] if is_heap else ())
    if backs or events:
        middle = centre_mm([*backs, *events])
        discard = _nearest_heap(heaps, [*backs, *events])
    else:
        middle = mean_mm([centre_mm(heap) for heap in heaps])
        discard = _middle_heap(heaps, middle)
    if discard:
        middle = mean_mm([middle, centre_mm(discard)])
    rest = [heap for heap in heaps if heap is not discard]
    market: Group = ()
    if any(event.label == Event.MARKET for event in events):
        inner = [h for h in rest if distance_mm(centre_mm(h), middle) <= REACH_MM]
        market = tuple(piece for heap in inner for piece in heap)
        rest = [heap for heap in rest if heap not in inner]
    return Plan(discard, market, _hands(rest, middle, options))


def _nearest_heap(heaps: Sequence[Group], anchors: Sequence[Piece]) -> Group:
    """Return the heap beside the piles, or no cards where there is none."""

    def reach(heap: Group) -> float:
        middle = centre_mm(heap)
        return min(distance_mm(middle, (p.x_mm, p.y_mm)) for p in anchors)

    near = [h for h in heaps if spread_mm(h) <= HEAP_MM and reach(h) <= REACH_MM]
    return min(near, key=reach, default=())


def _middle_heap(heaps: Sequence[Group], middle: Point) -> Group:
    """Return the heap that lies clearly inside all others."""
    near = sorted(heaps, key=lambda heap: distance_mm(centre_mm(heap), middle))
    if len(near) == 1:
        return near[0] if spread_mm(near[0]) <= HEAP_MM else ()
    first, second = (distance_mm(centre_mm(heap), middle) for heap in near[:2])
    if spread_mm(near[0]) <= HEAP_MM and first < second / 2:
        return near[0]
    return ()


def _hands(
    heaps: Sequence[Group], middle: Point, options: Options
) -> tuple[LaidHand, ...]:
    """Return the hands: what lies clearly before one seat is one hand."""
    owned: dict[Seat, list[Piece]] = {}
    doubtful: list[tuple[Group, tuple[Seat, ...]]] = []
    for heap in heaps:
        for part, seats in _parts(heap, middle, options):
            if len(seats) == 1:
                owned.setdefault(seats[0], []).extend(part)
            else:
                doubtful.append((part, seats))
    return (
        *(LaidHand(_read(owned[seat]), seat) for seat in sorted(owned)),
        *(LaidHand(_read(part), None, seats) for part, seats in doubtful),
    )


def _parts(
    heap: Group, middle: Point, options: Options
) -> list[tuple[Group, tuple[Seat, ...]]]:
    """Return a heap with whose it may be; where the hands of two players run into each
    other, in parts."""
    whole = claimants(centre_mm(heap), middle, options)
    by_card: dict[tuple[Seat, ...], list[Piece]] = {}
    for piece in heap:
        seats = claimants((piece.x_mm, piece.y_mm), middle, options)
        by_card.setdefault(tuple(sorted(seats)), []).append(piece)
    clear = {seats for seats in by_card if len(seats) == 1}
    if len(clear) < 2 or (len(whole) == 1 and _faces_one_way(heap)):
        return [(heap, whole)]
    return [(tuple(part), seats) for seats, part in by_card.items()]


def _faces_one_way(heap: Group) -> bool:
    """Whether all cards of a heap are turned the same way, as in one long row."""
    first = heap[0].angle_deg
    return all(_turn_deg(piece.angle_deg, first) < 30 for piece in heap)


def claimants(point: Point, middle: Point, options: Options) -> tuple[Seat, ...]:
    """Return the seat in whose direction a point lies, the nearest first; two where
    it lies about halfway between them."""
    x, y = point[0] - middle[0], point[1] - middle[1]
    direction = math.degrees(math.atan2(y, x))
    off = sorted(
        (_turn_deg(angle, direction), seat)
        for seat, angle in zip(options.seats, options.seats_deg, strict=True)
    )
    (first, nearest), (second, next_one), *_ = off
    between = _turn_deg(options.seats_deg[nearest], options.seats_deg[next_one])
    if distance_mm(point, middle) < 1 or second - first < 2 * DOUBT * between:
        return nearest, next_one
    return (nearest,)


def _turn_deg(a: float, b: float) -> float:
    turn = abs(a - b) % 360
    return min(turn, 360 - turn)


def _turned(piece: Piece, options: Options) -> Piece:
    """Return the piece as it lies when the picture is a mirror image."""
    if not options.mirrored:
        return piece
    return replace(piece, x_mm=-piece.x_mm, angle_deg=180 - piece.angle_deg)


def _is_somewhere(piece: Piece) -> bool:
    """Whether the piece's place and size are numbers that can be reckoned with."""
    numbers = (piece.x_mm, piece.y_mm, piece.angle_deg, piece.width_mm, piece.height_mm)
    return all(math.isfinite(n) and abs(n) < FAR_MM for n in numbers) and (
        piece.width_mm > 0 and piece.height_mm > 0
    )


def _is_event(piece: Piece) -> bool:
    if piece.label in PLAY_LABELS:
        return False
    if piece.label is not None:
        return piece.label in EVENT_LABELS
    return bool(piece.candidates) and piece.candidates[0][0] in EVENT_LABELS


def _height(piece: Piece) -> tuple[int, str]:
    return piece.order, piece.id


def _read(pieces: Sequence[Piece]) -> tuple[Seen, ...]:
    return tuple(_seen(piece) for piece in in_reading_order(pieces))


def _seen(piece: Piece) -> Seen:
    known = PLAY_LABELS | EVENT_LABELS
    if piece.label in known:
        return Seen(piece.id, piece.label)
    likely = sorted(piece.candidates, key=lambda candidate: -candidate[1])
    return Seen(piece.id, None, tuple(label for label, _ in likely if label in known))


def _strangers(pieces: Sequence[Piece]) -> tuple[Finding, ...]:
    if not pieces:
        return ()
    text = Text.of("frantic.strangers", number=len(pieces))
    return (Finding(text, tuple(piece.id for piece in pieces)),)


def _odd_labels(pieces: Sequence[Piece]) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            Text.of("frantic.odd_label", label=label_text(piece.label)), (piece.id,)
        )
        for piece in pieces
        if piece.kind is Kind.CARD
        and piece.label is not None
        and piece.label not in PLAY_LABELS | EVENT_LABELS
    )
