"""What is wrong with a picture that people could put right by taking it again.

The limits follow from what must be seen: the index of a card. On a card 88 mm high its
strokes are about 1 mm, 1.2 % of the height, and rank and suit together 18 mm, 20 %.
They were set from that and checked on rendered tables, not fitted to photos.
"""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.levels import quantile
from vision.types import Array, Bgr, Finding, Kind, Placement

MAX_BLUR_PER_CARD = 0.012
"""Sigma of the blur, as a share of the card's height: at one stroke width a line keeps
38 % of its contrast and runs into the next."""
MAX_BLUR_PER_PICTURE = 0.0035
"""The same where no card is known, as a share of the picture's long side: cards are
seldom smaller than a quarter of it when a picture shows nothing else."""
MIN_CARD_PX = 80
"""A card's height; its index is then 16 px high: marginal, by F-31."""
MIN_LONG_SIDE_PX = 480
"""Of a picture without a card: six cards high."""
MIN_WHITE = 64
"""What is white in the scene; four stops below the top, where noise and JPEG rule."""
COLOURLESS = "colourless"
MAX_INK, CLIPPED, MAX_CLIPPED_SHARE = 150, 250, 0.6
"""Overexposed paper alone is no harm, but then ink is washed out with it."""
MAX_CHROMA = 8
"""Grey levels between the channels of a grey picture, at the most: what JPEG adds."""

_CARD_PX, _LONG_SIDE_PX = 120.0, 640.0
"""Blur is measured at these sizes, where the limits are one to three px."""
_FINE, _COARSE = 1.0, 2.0
_MIN_EDGES, _MIN_SHARE = 40, 0.06
"""Edge points that a direction needs to be judged by: this many, of all this share."""


def assess(bgr: Bgr, placements: Iterable[Placement] = ()) -> tuple[Finding, ...]:
    """Return the findings about a picture, judged by the cards in it where there are.

    Codes: ``low_resolution`` (card_px or long_side_px), ``blurred`` (share: sigma per
    height of a card, or per long side), ``dark`` and ``overexposed`` (level),
    ``colourless``.
    """
    quads = [
        np.array(one.quad_px)
        for one in placements
        if one.kind in (Kind.CARD, Kind.BACK)
    ]
    heights_px = [_height_px(quad) for quad in quads]
    card_px = float(np.median(heights_px)) if heights_px else None
    long_side_px = max(bgr.shape[:2])
    scale = _CARD_PX / card_px if card_px else _LONG_SIDE_PX / long_side_px
    scale = min(scale, 1.0, 2 * _LONG_SIDE_PX / long_side_px)
    small = _shrink(bgr, scale)
    cards = _mask(small, quads, scale) if quads else None
    darkest, brightest = _least_and_most(small)
    findings = [
        _low_resolution(card_px, long_side_px),
        _blurred(small, cards, (card_px or long_side_px) * scale),
        _dark(brightest, cards),
        _overexposed(darkest, cards),
        Finding(COLOURLESS) if quads and is_colourless(bgr) else None,
    ]
    return tuple(finding for finding in findings if finding is not None)


def is_colourless(bgr: Bgr) -> bool:
    """Return whether the picture has no colour, as cameras see by infrared."""
    step = max(1, max(bgr.shape[:2]) // 320)
    darkest, brightest = _least_and_most(np.ascontiguousarray(bgr[::step, ::step]))
    return quantile(cv2.subtract(brightest, darkest), 0.999) <= MAX_CHROMA


def edge_blur_px(
    gray: NDArray[np.uint8], where: NDArray[np.bool_] | None = None
) -> float:
    """Return with what sigma the sharpest edges are blurred, or NaN without edges.

    An edge is blurred once more, and twice as much: how much its slope falls then
    tells how blurred it was, whatever its contrast. A motion blurs the edges across it
    only, so the worst of four directions counts.
    """
    fine_x, fine_y = _gradient(gray, _FINE)
    slope = np.asarray(cv2.magnitude(fine_x, fine_y), np.float32)
    # The noise of a picture is seen in its quiet half.
    floor = max(1.5, 6 * float(np.median(slope[::3, ::3])))
    usable = slope.copy() if where is None else np.where(where, slope, 0)
    usable[:4] = usable[-4:] = 0
    usable[:, :4] = usable[:, -4:] = 0
    at = np.flatnonzero(usable > floor)
    direction = np.round(
        np.arctan2(fine_y.take(at), fine_x.take(at)) / np.float32(np.pi / 4)
    )
    direction = direction.astype(int) % 4
    width = gray.shape[1]
    ahead = np.array([1, width + 1, width, width - 1])[direction]
    here = slope.take(at)
    ridge = (here >= slope.take(at + ahead)) & (here >= slope.take(at - ahead))
    at, direction, here = at[ridge], direction[ridge], here[ridge]
    coarse_x, coarse_y = _gradient(gray, _COARSE)
    fall = here / np.maximum(np.hypot(coarse_x.take(at), coarse_y.take(at)), 1e-6)
    fall = np.clip(fall, 1.01, _COARSE / _FINE) ** 2
    sigma = np.sqrt((_COARSE**2 - fall * _FINE**2) / (fall - 1))
    sharpest = []
    for way in range(4):
        in_it = direction == way
        if in_it.sum() >= max(_MIN_EDGES, _MIN_SHARE * len(here)):
            # Its own strong edges: those that a motion blurred are weaker than others.
            strong = here >= 0.4 * np.quantile(here[in_it], 0.97)
            sharpest.append(np.quantile(sigma[in_it & strong], 0.25))
    return float(max(sharpest)) if sharpest else float("nan")


def _gradient(
    gray: NDArray[np.uint8], sigma: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    smooth = cv2.GaussianBlur(gray.astype(np.float32), (0, 0), sigma)
    x = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=1 / 8)
    y = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=1 / 8)
    return np.asarray(x, np.float32), np.asarray(y, np.float32)


def _height_px(quad: Array) -> float:
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    return float(max(sides[0] + sides[2], sides[1] + sides[3]) / 2)


def _shrink(bgr: Bgr, scale: float) -> Bgr:
    if scale >= 1:
        return bgr
    height, width = bgr.shape[:2]
    size = (max(16, round(width * scale)), max(16, round(height * scale)))
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)


def _least_and_most(bgr: Bgr) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return (H, W) the darkest and the brightest channel of each pixel."""
    blue, green, red = cv2.split(bgr)
    least, most = (each(blue, each(green, red)) for each in (cv2.min, cv2.max))
    return np.asarray(least, np.uint8), np.asarray(most, np.uint8)


def _mask(small: Bgr, quads: list[Array], scale: float) -> NDArray[np.bool_]:
    mask = np.zeros(small.shape[:2], np.uint8)
    for quad in quads:
        bounded = np.clip(quad * scale, -20_000, 20_000)
        cv2.fillConvexPoly(mask, np.round(bounded).astype(np.int32), 1)
    return mask.astype(bool)


def _low_resolution(card_px: float | None, long_side_px: int) -> Finding | None:
    if card_px is None and long_side_px < MIN_LONG_SIDE_PX:
        return Finding("low_resolution", (("long_side_px", long_side_px),))
    if card_px is not None and card_px < MIN_CARD_PX:
        return Finding("low_resolution", (("card_px", round(card_px)),))
    return None


def _blurred(
    small: Bgr, cards: NDArray[np.bool_] | None, size_px: float
) -> Finding | None:
    gray = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
    share = edge_blur_px(gray, cards) / size_px
    limit = MAX_BLUR_PER_PICTURE if cards is None else MAX_BLUR_PER_CARD
    # Without any edge there is nothing to be sharp: an empty table is not blurred.
    if share > limit:
        return Finding("blurred", (("share", round(share, 4)),))
    return None


def _dark(
    brightest: NDArray[np.uint8], cards: NDArray[np.bool_] | None
) -> Finding | None:
    # Of a card most is paper; of a picture at least a little is bright.
    level = (
        quantile(brightest[::2, ::2], 0.99)
        if cards is None or not cards.any()
        else quantile(brightest[cards], 0.75)
    )
    return Finding("dark", (("level", round(level)),)) if level < MIN_WHITE else None


def _overexposed(
    darkest: NDArray[np.uint8], cards: NDArray[np.bool_] | None
) -> Finding | None:
    # Red ink is dark in two channels out of three.
    if cards is not None and cards.any():
        darkest = darkest[cards]
        if quantile(darkest, 0.02) <= MAX_INK:
            return None
    share = float((darkest >= CLIPPED).mean())
    if share <= MAX_CLIPPED_SHARE:
        return None
    return Finding("overexposed", (("share", round(share, 2)),))
