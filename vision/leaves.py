"""Clubs or spades: what the outline of the sign in a corner says, and of the pips.

Between the top leaf of a club and those at its sides there is a notch; a spade but
grows wider from its tip on, whoever drew it. In a blurred picture there is no notch,
and clubs pass for spades: there, what was read counts less. Pips are twice as large, so
they are sharper.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.cards import CardSeen, IndexSeen
from vision.glyphs import SUIT, ink_of
from vision.pips import pips_of, shows_pips
from vision.quads import is_inside
from vision.reading import SUITS
from vision.types import Array, Bgr, Kind

CLUBS, SPADES = SUITS.index("c"), SUITS.index("s")
BEYOND_DOUBT = 5.5
"""So much likelier (log) than the other black suit, one is not looked at closer."""
CELLS, REACH = 56, 3.0
PAPER, PRINT = 0.3, 0.7
"""What has less of the darkest print's contrast is no part of a sign; what has more is
all print: signs may be shaded."""
LEAST_WIDE = 0.1
"""The tip is where a sign is so wide, in its greatest width."""
STEEPEST = 0.98
"""An edge is as steep as that share of all cells' at most are."""
EDGES = np.array([0.65, 0.82, 1.0, 1.25, 1.6])
"""How steep edges are, in contrasts of the print per standard deviation of its ink."""
NOTCHES = np.array([0.0, 0.002, 0.0045, 0.009, 0.016, 0.03])
"""How deep a notch is, in widths of the sign."""
CLUB_LOGS = np.array(
    [
        [-0.2, 0.8, 0.8, 0.8, 1.5, 2.0],
        [-1.7, 0.7, 0.7, 1.5, 2.0, 2.5],
        [-2.5, -1.3, -0.2, -0.2, 0.7, 3.5],
        [-2.5, -2.2, -1.6, -1.2, 0.8, 3.5],
        [-2.5, -2.5, -2.3, -1.7, -0.8, 3.5],
    ]
)
"""(edges, notches) how much likelier a club is than a spade (log). Of 1027 corners of
black cards on rendered tables of four decks that the reader did not learn from, 770 had
edges of 0.9 and more: there 329 clubs and three spades had a notch of 0.02 and more,
three clubs and 321 spades one of less than 0.001. No notch says no more than -2.5: of
33 decks that are printed as art, one has clubs without any worth the name."""
NO_CLUB = -1.3
"""How much likelier a club is than a spade (log) at least where pips that are not quite
sharp have no notch. Of 298 black number cards on the tables of seed 6708, 11 of 43
clubs whose pips had edges of 0.8 to 1.6 had a notch below 0.008, and 50 of 53 spades;
with sharper ones, one of 79 clubs and 88 of 90 spades."""
SHARES = np.array([0.5, 0.6, 0.75, 1.0, 1.0])
LEANS = np.array([1.2, 0.9, 0.4, 0.0, 0.0])
"""(edges) what the odds (log) that were read count, and how much likelier a club is
than they say. Where edges were below 0.8, 25 of 80 clubs there were read as spades, and
none of 82 spades as a club; from 1 on none of 254, and five of 296."""


def told_by_outline(bgr: Bgr, cards: Sequence[CardSeen]) -> tuple[CardSeen, ...]:
    """Return the cards, those of a black suit with what the outline of it says of which
    one it is."""
    return tuple(_told(bgr, card, cards) if _is_open(card) else card for card in cards)


def _lies_on(upper: CardSeen, lower: CardSeen) -> bool:
    """Return whether a card hides a part of another: its corner shows where it lies."""
    shown = (index.quad_px.mean(0) for index in upper.indices)
    return upper is not lower and any(is_inside(lower.quad_px, at) for at in shown)


def _is_open(card: CardSeen) -> bool:
    """Return whether a card shows a corner of a black suit, and which is not clear."""
    return shows_black(card) and abs(club_log(card)) < BEYOND_DOUBT


def shows_black(card: CardSeen) -> bool:
    """Return whether a card shows a corner, and its suit is likely a black one."""
    if card.kind is not Kind.CARD or not card.indices:
        return False
    suits = card.suits
    return bool(suits[[CLUBS, SPADES]].sum() >= suits.sum() / 2)


def club_log(card: CardSeen) -> float:
    """Return how much likelier a club is than a spade (log), of what was read."""
    suits = card.suits
    return float(np.log(suits[CLUBS] / suits[SPADES]))


def _told(bgr: Bgr, card: CardSeen, cards: Sequence[CardSeen]) -> CardSeen:
    looks = [_look(bgr, index) for index in card.indices]
    corners = [look for look in looks if look is not None]
    pips = _look_at_pips(bgr, card, cards)
    told = [*corners, pips] if pips is not None else corners
    if not told:
        return card
    steep, deep = max(told)
    say = [float(np.interp(deep, NOTCHES, row)) for row in CLUB_LOGS]
    log = float(np.interp(steep, EDGES, say))
    if (steep, deep) == pips and steep < EDGES[-1]:
        log = max(log, NO_CLUB)
    if corners:
        steep, _ = max(corners)
        log += float(np.interp(steep, EDGES, LEANS))
        log -= (1 - float(np.interp(steep, EDGES, SHARES))) * club_log(card)
    return card.likelier_suit(CLUBS, SPADES, log)


def _look(bgr: Bgr, index: IndexSeen) -> tuple[float, float] | None:
    """Return how steep the edges of an index's suit and how deep its notch are; `None`
    where it is not to be seen alone."""
    ink = ink_of(bgr, index, SUIT, CELLS, REACH)
    sign = None if ink is None else alone(ink)
    return None if ink is None or sign is None else (steepness(ink), notch(sign))


def _look_at_pips(
    bgr: Bgr, card: CardSeen, cards: Sequence[CardSeen]
) -> tuple[float, float] | None:
    """Return how steep the edges of a card's pips and how deep their notches are, the
    median of each; `None` where none is to be seen."""
    if not shows_pips(card):
        return None
    upper_px = [other.quad_px for other in cards if _lies_on(other, card)]
    inks = pips_of(bgr, card, CELLS, REACH, upper_px)
    signs = [(ink, sign) for ink in inks if (sign := alone(ink)) is not None]
    if not signs:
        return None
    steep = float(np.median([steepness(ink) for ink, _ in signs]))
    return steep, float(np.median([_notch_of_pip(*pip) for pip in signs]))


def _notch_of_pip(ink: Array, sign: Array) -> float:
    """Return how deep the notch of a pip is. On its head a spade has one, too, so a
    sharp one must have one both ways."""
    deep = notch(sign)
    return deep if steepness(ink) < EDGES[-1] else min(deep, notch(sign[::-1]))


def alone(ink: Array) -> Array | None:
    """Return the (CELLS, CELLS) largest sign in some ink without what else is printed
    near it; `None` where it hangs together with what is above, as with its rank."""
    dark = (ink > PAPER).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(dark)
    if len(stats) < 2:
        return None
    largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    if stats[largest, cv2.CC_STAT_TOP] == 0:
        return None
    own = cv2.dilate((labels == largest).astype(np.uint8), np.ones((5, 5), np.uint8))
    others = (labels > 0) & (labels != largest)
    beside = cv2.dilate(others.astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.where((own > 0) & (beside == 0), np.clip(ink, 0, 1), 0)


def steepness(ink: Array) -> float:
    """Return how steep the edges of (CELLS, CELLS) ink are: its contrast per standard
    deviation."""
    down, right = np.gradient(np.clip(ink, 0, 1), 2 * REACH / CELLS)
    return float(np.quantile(np.hypot(down, right), STEEPEST))


def notch(sign: Array) -> float:
    """Return how deep the notch below the top leaf of a (CELLS, CELLS) sign is, in its
    greatest width; 0 where it but grows wider.

    Down from the tip, the sign first is wider than straight sides would make it, then
    less wide than straight sides to its widest place: the lesser of both is returned.
    """
    wide = np.clip((sign - PAPER) / (PRINT - PAPER), 0, 1).sum(1)
    wide = np.convolve(np.pad(wide, 1, mode="edge"), [0.25, 0.5, 0.25], "valid")
    wide = wide / max(float(wide.max()), 1e-6)
    widest = int(wide.argmax())
    tip = int((wide > LEAST_WIDE).argmax())
    wide = wide[tip : widest + 1]
    waists = range(2, len(wide) - 2)
    return max((min(_beyond(wide, w), _below(wide[w:])) for w in waists), default=0.0)


def _beyond(wide: Array, waist: int) -> float:
    """Return how much wider than straight sides a sign is from its tip to a waist."""
    straight = np.linspace(wide[0], wide[waist], waist + 1)
    return float((wide[: waist + 1] - straight).max())


def _below(wide: Array) -> float:
    """Return how much less wide than straight sides a sign is from its waist on."""
    rows = np.arange(1, len(wide))
    slopes = (wide[1:] - wide[0]) / rows
    steepest = np.maximum.accumulate(slopes[::-1])[::-1]
    return float(((steepest - slopes) * rows).max())
