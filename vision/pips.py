"""Pips: the suit's signs in the middle of a number card, each cut out alone.

They are twice as large as the sign in the corner, so what is blurred there may still
show here.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.cards import CardSeen
from vision.glyphs import SOFT_PX, SUIT, upright_ink
from vision.quads import UNIT_CORNERS
from vision.reading import COURTS, JOKER, RANKS
from vision.refine import is_well_cut
from vision.types import Array, Bgr

WIDE, HIGH = 240, 336
"""A card is looked at in this size."""
LEFT, RIGHT, TOP, BOTTOM = 0.17, 0.83, 0.08, 0.92
"""Where pips stand, in shares of the card: what reaches beyond is none."""
SMALLEST, LARGEST = 0.07, 0.4
"""How high and wide a pip is, in heights of the card."""
SLIMMEST = 0.6
"""Least of width to height, and of height to width."""
MIDDLE = 0.53
"""Pips whose middle is farther down are printed upside down."""
EVEN = 0.9
"""Least correlation of a pip with itself in a mirror: else something hides a part."""
PAPER, PRINT = 80, 1
"""So many per cent of what is between the corners are no brighter than paper, and no
brighter than print."""


def shows_pips(card: CardSeen) -> bool:
    """Return whether a card is a number that is seen as a whole: nothing that lies on
    it is taken for its print."""
    whole, rank = card.whole, int(card.faces[:-1].argmax()) % JOKER
    return (
        whole is not None
        and RANKS[rank] not in COURTS
        and is_well_cut(card.support)
        and int(whole.faces[:-1].argmax()) % JOKER == rank
    )


def pips_of(
    bgr: Bgr, card: CardSeen, side: int, reach: float, upper_px: Sequence[Array] = ()
) -> list[Array]:
    """Return the (side, side) ink of each dark pip that is wholly seen, and not in one
    of `upper_px`, upright, as far as `reach` standard deviations from its middle."""
    matrix = cv2.getPerspectiveTransform(
        card.quad_px.astype(np.float32),
        np.array(UNIT_CORNERS * [WIDE, HIGH], np.float32),
    )
    flat = cv2.warpPerspective(bgr, matrix, (WIDE, HIGH), flags=cv2.INTER_AREA)
    darkest = flat.min(2).astype(np.float32)
    soft = cv2.GaussianBlur(darkest, (0, 0), SOFT_PX)
    x0, x1 = round(LEFT * WIDE), round(RIGHT * WIDE)
    y0, y1 = round(TOP * HIGH), round(BOTTOM * HIGH)
    part = soft[y0:y1, x0:x1]
    dark = part < (np.percentile(part, PAPER) + np.percentile(part, PRINT)) / 2
    upper = np.zeros((HIGH, WIDE), np.uint8)
    for quad in upper_px:
        outline = cv2.perspectiveTransform(quad[None].astype(np.float32), matrix)
        cv2.fillConvexPoly(upper, np.round(outline[0]).astype(np.int32), (1,))
    upper = upper[y0:y1, x0:x1]
    _, _, stats, middles = cv2.connectedComponentsWithStats(dark.astype(np.uint8))
    pips = []
    for (x, y, wide, high, _), middle in zip(stats[1:], middles[1:], strict=True):
        least, most = sorted((wide, high))
        is_inside = x > 0 and x + wide < x1 - x0 and y > 0 and y + high < y1 - y0
        is_inside &= not upper[y : y + high, x : x + wide].any()
        has_size = least > SMALLEST * HIGH and most < LARGEST * HIGH
        if not is_inside or not has_size or least < SLIMMEST * most:
            continue
        box = (int(x0 + x), int(y0 + y), int(x0 + x + wide), int(y0 + y + high))
        ink = upright_ink(soft, box, SUIT, side, reach)
        is_turned = middle[1] + y0 > MIDDLE * HIGH
        ink = ink[::-1, ::-1] if is_turned else ink
        if np.corrcoef(ink.ravel(), ink[:, ::-1].ravel())[0, 1] > EVEN:
            pips.append(ink)
    return pips
