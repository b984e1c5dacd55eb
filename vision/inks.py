"""Red or black: told by the ink of the sure cards of the same picture.

How red ink is in numbers depends on the light, so that red and black overlap from
picture to picture; within one they hardly do, not even where it is burnt out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.cards import CardSeen, IndexSeen
from vision.quads import from_quad
from vision.reading import JOKER, SUITS
from vision.types import Array, Bgr, Kind

RED = frozenset(SUITS.index(suit) for suit in "dh")
CELLS = 16
INK_SHARE, PAPER_SHARE = 0.08, 0.85
"""Darker than ink is so much of what is looked at, and so much is than paper."""
NEAR_INK, NEAR_PAPER = 0.15, 0.1
"""What is nearer to these than so much of their contrast is taken for them."""
LEAST_CONTRAST = 25.0
"""Grey levels."""
FEWEST, MOST = 2, 6
"""So many sure corners there must be of each colour, and so many are looked at."""
BEYOND_DOUBT = 0.998
"""What is as likely as this is not looked at."""
LEAST_GAP, CLEAR = 0.2, 0.5
"""Both colours must be so far apart; and a corner so far (in halves of the gap) from
what is as near to either."""
LEAST_ALIKE = 0.75
"""So many of the sure ones of a colour must lie on its side; decks of four colours have
others."""
BOTH_LOG, SUIT_LOG = 6.0, 4.5
"""How much likelier suits of the colour are that both rank and suit of a corner are
printed in, or its suit where it is not clear of the rank. On 210 rendered tables none
of 2,063 corners was of the other one, and two of 203."""


def _grid(top: float, bottom: float) -> Array:
    """Return (CELLS * CELLS, 2) places in the window around an index, in shares."""
    x, y = np.meshgrid(np.linspace(0.3, 0.7, CELLS), np.linspace(top, bottom, CELLS))
    return np.column_stack([x.ravel(), y.ravel()])


RANK_PLACES, SUIT_PLACES = _grid(0.12, 0.48), _grid(0.54, 0.86)


@dataclass(frozen=True, slots=True, eq=False)
class _Inks:
    """How red the rank and the suit in a corner of a card are printed."""

    card: int
    is_red: bool
    levels: Array
    """(2,) darkening in red over that in green or blue; `nan` where not seen."""


def told_by_ink(
    bgr: Bgr, cards: Sequence[CardSeen], sure: Sequence[tuple[int, IndexSeen]]
) -> tuple[CardSeen, ...]:
    """Return the cards with what the colour of their corners says.

    `sure` are corners that are beyond doubt, with the numbers of their cards.
    """
    groups = [
        [(n, index) for n, index in sure if (_suit_of(index) in RED) is is_red][:MOST]
        for is_red in (False, True)
    ]
    doubtful = {n for n, card in enumerate(cards) if _is_open(card)}
    if min(map(len, groups)) < FEWEST or not doubtful:
        return tuple(cards)
    known = [
        _Inks(number, bool(is_red), levels_of(bgr, index))
        for is_red, group in enumerate(groups)
        for number, index in group
    ]
    return tuple(
        _told(bgr, card, [one for one in known if one.card != n])
        if n in doubtful
        else card
        for n, card in enumerate(cards)
    )


def levels_of(bgr: Bgr, index: IndexSeen) -> Array:
    """Return (2,) how red the rank and the suit of an index are printed: black about 1,
    red less; `nan` where no ink is seen."""
    if index.window_px is None:
        return np.full(2, np.nan)
    return np.array(
        [_level(bgr, index.window_px, places) for places in (RANK_PLACES, SUIT_PLACES)]
    )


def _level(bgr: Bgr, window_px: Array, places: Array) -> float:
    points = from_quad(window_px, places).astype(np.float32)
    cells = cv2.remap(
        bgr, points[:, :1], points[:, 1:], cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE
    )[:, 0].astype(np.float32)
    darkness = np.minimum(np.minimum(cells[:, 0], cells[:, 1]), cells[:, 2])
    ordered = np.sort(darkness)
    ink = float(ordered[int(INK_SHARE * len(ordered))])
    paper = float(ordered[int(PAPER_SHARE * len(ordered))])
    contrast = paper - ink
    if contrast < LEAST_CONTRAST:
        return float("nan")
    printed = cells[darkness <= ink + NEAR_INK * contrast].mean(0)
    blank = cells[darkness >= paper - NEAR_PAPER * contrast].mean(0)
    blue, green, red = (float(v) for v in blank - printed)
    return red / max(blue, green, 1.0)


def _suit_of(index: IndexSeen) -> int:
    return int(index.reading.faces.argmax()) // JOKER


def _is_open(card: CardSeen) -> bool:
    if card.kind is not Kind.CARD or not card.indices:
        return False
    return float(card.faces.max()) < BEYOND_DOUBT


def _told(bgr: Bgr, card: CardSeen, others: Sequence[_Inks]) -> CardSeen:
    """Return the card, its suits likelier that are printed in its colour."""
    leads = [_lead(levels_of(bgr, index), others) for index in card.indices]
    lead = float(np.mean(leads))
    if not lead:
        return card
    logs = np.array([-lead if suit in RED else lead for suit in range(4)]) / 2
    return card.likelier(logs[:, None])


def _lead(levels: Array, others: Sequence[_Inks]) -> float:
    """Return how much likelier (log) a corner is black than red."""
    rank, suit = (_side(float(levels[part]), part, others) for part in range(2))
    if rank == suit:
        return BOTH_LOG * suit
    return 0.0 if rank else SUIT_LOG * suit


def _side(level: float, part: int, others: Sequence[_Inks]) -> float:
    """Return 1 for black, -1 for red, 0 where it is not clear."""
    groups = [
        np.array(
            [
                one.levels[part]
                for one in others
                if one.is_red is is_red and not np.isnan(one.levels[part])
            ]
        )
        for is_red in (False, True)
    ]
    if min(map(len, groups)) < FEWEST or np.isnan(level):
        return 0.0
    black, red = (float(np.median(group)) for group in groups)
    middle, half = (black + red) / 2, (black - red) / 2
    if half < LEAST_GAP / 2:
        return 0.0
    alike = min(float((groups[0] > middle).mean()), float((groups[1] < middle).mean()))
    off = (level - middle) / half
    if alike < LEAST_ALIKE or abs(off) < CLEAR:
        return 0.0
    return float(np.sign(off))
