"""What the table shows besides the score: fouls and cards that do not belong there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engines.core import Finding, Kind, Piece, Seat, Text, label_text
from engines.frenzy.cards import BATTLEFIELDS, SEATS, ZONES, Card, Region, Zone, other
from engines.frenzy.options import Options
from engines.frenzy.snapshot import Pile, Seen
from engines.frenzy.texts import name, region, say

COVERED_MM = 8.0
"""A lower card that sticks out less than this counts as covered (F-G)."""
COVERED_DEG = 12.0
CARDS: Mapping[str, Card] = {card.value: card for card in Card}


@dataclass(frozen=True, slots=True)
class Placed:
    """A card and the regions it may be in: one, where there is no doubt."""

    piece: Piece
    seen: Seen
    regions: tuple[Region, ...]
    may_be_off: bool

    @property
    def is_sure(self) -> bool:
        """Return whether the place is clear."""
        return len(self.regions) == 1 and not self.may_be_off


def labels_found(placed: Iterable[Placed]) -> list[Finding]:
    """Return the cards in regions that no card of a deck is known by."""
    findings = []
    for each in placed:
        piece = each.piece
        place = region(each.regions[0])
        if piece.kind is Kind.BACK:
            text = say("found_face_down", region=place)
        elif piece.label in BATTLEFIELDS:
            text = say("found_battlefield", region=place)
        elif piece.label is not None and piece.label not in CARDS:
            label = label_text(piece.label)
            text = say("found_foreign_label", label=label, region=place)
        else:
            continue
        findings.append(Finding(text, (piece.id,)))
    return findings


def fouls_found(
    placed: Iterable[Placed], piles: tuple[tuple[Pile, ...], ...], options: Options
) -> list[Finding]:
    """Return the fouls that lie open (4.4), and cards too many."""
    pieces: Mapping[str, Piece] = {each.piece.id: each.piece for each in placed}
    findings = []
    for seat in SEATS:
        for zone, pile in zip(ZONES, piles[seat], strict=True):
            place = Region(seat, zone)
            findings += _pile_fouls(place, pile, pieces)
            findings += _strangers(place, pile, options)
        findings += _surplus(seat, piles[seat], options)
    return findings


def _pile_fouls(
    place: Region, pile: Pile, pieces: Mapping[str, Piece]
) -> list[Finding]:
    findings = [
        Finding(
            say("found_warrior_in_hq", card=name(seen.card), region=region(place)),
            (seen.piece,),
        )
        for seen in pile.cards
        if place.zone is Zone.HQ and seen.card is not None and not seen.card.is_hero
    ]
    for upper, lower in zip(pile.cards, pile.cards[1:], strict=False):
        if _sticks_out(pieces[upper.piece], pieces[lower.piece]):
            findings.append(
                Finding(say("found_not_covered", region=region(place)), (lower.piece,))
            )
    return findings


def _sticks_out(upper: Piece, lower: Piece) -> bool:
    offset_mm = math.hypot(upper.x_mm - lower.x_mm, upper.y_mm - lower.y_mm)
    turn_deg = (upper.angle_deg - lower.angle_deg + 90) % 180 - 90
    return offset_mm > COVERED_MM or abs(turn_deg) > COVERED_DEG


def _strangers(place: Region, pile: Pile, options: Options) -> list[Finding]:
    """Return the cards of the opponent's faction on this side (F-F)."""
    own, rival = options.factions[place.seat], options.factions[other(place.seat)]
    if own is None or rival is None or own is rival:
        return []
    return [
        Finding(
            say("found_stranger", card=name(seen.card), region=region(place)),
            (seen.piece,),
        )
        for seen in pile.cards
        if seen.faction is rival
    ]


def _surplus(seat: Seat, piles: Iterable[Pile], options: Options) -> list[Finding]:
    census = options.census[seat]
    if census is None:
        return []
    seen: dict[Card, list[str]] = {}
    for pile in piles:
        for each in pile.cards:
            if each.card is not None:
                seen.setdefault(each.card, []).append(each.piece)
    return [
        Finding(
            Text.of(
                "core.too_many_copies",
                label=name(card),
                seen=len(pieces),
                copies=census.copies(card),
            ),
            tuple(pieces),
        )
        for card, pieces in seen.items()
        if len(pieces) > census.copies(card)
    ]
