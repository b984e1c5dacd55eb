"""Where to look closer: parts of the picture whose cards were too small to be sure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.cards import CardSeen
from vision.detect import View
from vision.types import Array, Bgr, Detection, Identity, Kind

CLOSE_CARD_PX = 150.0
"""How long a card shall be for the network in a closer look."""
CLOSE_INDEX_PX = 44.0
"""How tall a corner index shall be there; what counts where cards are fanned."""
MANY_CORNERS = 4
SMALL_CARD_PX = 56.0
"""Cards shorter than this at the first look hide indices that it cannot see."""
PROMISING, PROMISING_CORNER = 0.6, 0.3
"""How sure the detector must be of an unnamed card, or of a corner, to look again."""
MAX_SCALE = 2.0
TILE_PX = 640
MARGIN = 0.6
"""Room around a card, in card lengths, that is looked at with it."""


def zoom_views(
    bgr: Bgr,
    found: Sequence[Detection],
    cards: Sequence[CardSeen],
    identities: Sequence[Identity],
    first_scale: float,
) -> tuple[View, ...]:
    """Return the closer views that are worth their time; none when all is read.

    `first_scale` is what was looked at first, in network px per px of the picture.

    Cards that were named and are not small need no second look, unless they touch one
    that does.
    """
    lengths = [_length(d.quad_px) for d in found if d.kind in {Kind.CARD, Kind.BACK}]
    corners = [_length(i.quad_px) for card in cards for i in card.indices]
    lengths += [_length(c.quad_px) for c in cards if c.whole is None]
    if not lengths:
        return ()
    typical = float(np.median(lengths))
    scale = CLOSE_CARD_PX / typical
    if len(corners) >= MANY_CORNERS:
        scale = max(scale, CLOSE_INDEX_PX / float(np.median(corners)))
    scale = min(scale, MAX_SCALE)
    if scale < 1.25 * first_scale:
        return ()
    small = typical * first_scale < SMALL_CARD_PX
    fanned = len(corners) >= MANY_CORNERS
    boxes = [
        _around(card.quad_px, MARGIN * typical, bgr.shape)
        for card, identity in zip(cards, identities, strict=True)
        if small
        or (identity.label is None and _is_promising(card))
        or (fanned and card.whole is None and identity.label is not None)
    ]
    return tuple(
        View(x, y, w, h, scale)
        for box in _clusters(boxes)
        for x, y, w, h in _tiles(box, round(TILE_PX / scale))
    )


def _is_promising(card: CardSeen) -> bool:
    """Return whether there is likely to be a card that a closer look could name."""
    if card.kind is not Kind.CARD:
        return False
    return card.score >= (PROMISING_CORNER if card.indices else PROMISING)


def _length(quad_px: Array) -> float:
    return float(np.linalg.norm(quad_px[3] - quad_px[0]))


def _around(quad_px: Array, margin: float, shape: tuple[int, ...]) -> Array:
    low = np.maximum(quad_px.min(0) - margin, 0)
    high = np.minimum(quad_px.max(0) + margin, [shape[1], shape[0]])
    return np.array([*low, *high])


def _clusters(boxes: Sequence[Array]) -> list[Array]:
    """Return the boxes with overlapping ones joined."""
    joined = list(boxes)
    changed = True
    while changed:
        changed = False
        for i, one in enumerate(joined):
            for j in range(i + 1, len(joined)):
                other = joined[j]
                if np.all(one[:2] < other[2:]) and np.all(other[:2] < one[2:]):
                    low = np.minimum(one[:2], other[:2])
                    joined[i] = np.array([*low, *np.maximum(one[2:], other[2:])])
                    del joined[j]
                    changed = True
                    break
            if changed:
                break
    return joined


def _tiles(box: Array, size: int) -> list[tuple[int, int, int, int]]:
    """Return (x, y, w, h) tiles of at most `size` that cover the box, overlapping."""
    x0, y0, x1, y1 = (int(v) for v in box)
    columns, rows = _steps(x1 - x0, size), _steps(y1 - y0, size)
    width, height = min(size, x1 - x0), min(size, y1 - y0)
    return [(x0 + x, y0 + y, width, height) for y in rows for x in columns]


def _steps(length: int, size: int) -> list[int]:
    if length <= size:
        return [0]
    count = int(np.ceil((length - size) / (size * 0.7))) + 1
    return [round(v) for v in np.linspace(0, length - size, count)]
