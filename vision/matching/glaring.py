"""A card in glare is compared with every picture, each lit as the card is.

Where glare burns out most of a card the usual first look, on small print, finds
nothing: what is left is pale, and all else is white. So each picture is brought into
the card's own light first (`relit`), the likest are laid straight so, and compared.

Of 22 cards of rendered tables on which the usual look had failed the right face came to
log-odds above -1 for half, and the likest wrong one to -3.5; of 106 foreign things in
glare, each against two decks, none came nearer than -3.8.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.matching.align import Slopes, all_aligned, slopes
from vision.matching.patches import (
    ALIGNED,
    BURNT,
    LEAST_CONTRAST,
    LIMIT,
    WINDOW,
    Patch,
    Plane,
    card_pixels,
    features,
    of_levels,
)
from vision.matching.references import References
from vision.matching.relit import (
    AROUND,
    DARKEST,
    EXPOSURES,
    believed,
    is_bright,
    planes_of,
    relit,
)
from vision.matching.shortlist import HALF_TURN, NUDGES
from vision.matching.trial import Trial, compared
from vision.types import Array

MOST_FACES, LIKEST = 400, 6
"""Of more pictures none is lit; so many of the likest are laid straight."""
STEPS, ROUNDS = 5, 2
MOST_PLANES = 128
"""OpenCV 5 takes no more channels in one picture."""

HAZE_PX, HAZE, HAZE_RISES = 9, 100.0, 80.0
"""Glare that burns nothing out: in some part so wide (of 32 for a card) nothing is
darker than that, and by so much darker elsewhere. Of 40 foreign things 4 were so."""

MOVED = (NUDGES[0], *NUDGES[3:])
"""Corners may be off: it is looked at through each of these."""
GRAY = np.array([0.114, 0.587, 0.299], np.float32)


def glaring(patch: Patch) -> bool:
    """Return whether much of what is seen of a card is burnt out."""
    return is_bright(card_pixels(patch, 0, np.eye(3)))


def is_hazy(patch: Patch) -> bool:
    """Return whether glare may lie on a card that burns nothing out: dark print has
    become light in one part of it and has not in another."""
    pixels = card_pixels(patch, 0, np.eye(3))
    darkest = np.where(pixels[..., 3] > 0.01, pixels[..., :3].min(axis=2), 0)
    kernel, edge = np.ones((HAZE_PX, HAZE_PX), np.uint8), HAZE_PX // 2
    floor = cv2.erode(np.asarray(darkest, np.float32), kernel)[edge:-edge, edge:-edge]
    low, high = np.percentile(floor, (5, 95))
    return bool(high > HAZE and high - low > HAZE_RISES)


def lit_trials(
    patch: Patch, references: References, freedom: Plane, expected: int | None
) -> list[Trial]:
    """Return the pictures that a card in glare is most like, the likest first."""
    if not 0 < len(references.all) <= MOST_FACES:
        return []
    told = of_levels(tuple(believed(plane) for plane in patch.levels), patch)
    ways = _likest(told, references)
    if expected is not None and expected not in [picture for picture, _ in ways]:
        ways.append((expected, np.eye(3)))
    found: dict[int, Trial] = {}
    lies = _laid(told, references, ways, freedom)
    for (picture, _), lie in zip(ways, lies, strict=True):
        trial = compared(patch, references, picture, lie, ALIGNED[-1], is_lit=True)
        known = found.get(picture)
        if known is None or known.misfit.likeness < trial.misfit.likeness:
            found[picture] = trial
    return sorted(found.values(), key=lambda trial: -trial.misfit.likeness)


def _likest(patch: Patch, references: References) -> list[tuple[int, Array]]:
    """Return the pictures that a card is most like, small, and which way up."""
    starts = [turn @ move for turn in (np.eye(3), HALF_TURN) for move in MOVED]
    pictures = references.smallest()
    alike = np.stack([_alike(card_pixels(patch, 0, s), pictures) for s in starts])
    best = alike.argmax(axis=0)
    order = np.argsort(-alike.max(axis=0))[:LIKEST]
    return [(int(picture), starts[best[picture]]) for picture in order]


def _alike(seen: Plane, pictures: Plane) -> NDArray[np.float32]:
    """Return (N,) correlations of the print of (H, W, 4) pixels with that of (3, H, W,
    N) pictures, each lit as those are: `relit` of all at once."""
    colours, weight = planes_of(seen)[..., None], seen[..., 3:]
    told = (weight > 0.01).astype(np.float32)
    free = (colours < BURNT) * told
    side = int(AROUND * seen.shape[1]) | 1
    near = _blurred(free.sum(axis=0), side) + np.float32(1e-3)
    own = _blurred((pictures * free).sum(axis=0), side)
    light = _blurred((colours * free).sum(axis=0), side)
    best = np.zeros(pictures.shape[1:], np.float32)
    least = np.full(pictures.shape[-1], np.inf, np.float32)
    for gain in np.array(EXPOSURES, np.float32):
        shine = np.maximum((light - gain * own) / near, DARKEST)
        gray, away = np.zeros_like(best), np.zeros_like(best)
        for picture, colour, share in zip(pictures, colours, GRAY, strict=True):
            lit = gain * picture
            lit += shine
            np.clip(lit, 0, 255, out=lit)
            gray += share * lit
            lit -= colour
            away += np.abs(lit, out=lit)
        off = np.einsum("hwn,hwo->n", away, told)
        is_better = off < least
        best[..., is_better] = gray[..., is_better]
        least[is_better] = off[is_better]
    mine, yours = _print(np.tensordot(GRAY, colours, 1), weight), _print(best, weight)
    cross = (weight * mine * yours).sum(axis=(0, 1))
    size = (weight * mine**2).sum(axis=(0, 1)) * (weight * yours**2).sum(axis=(0, 1))
    return np.asarray(cross / np.sqrt(size + 1e-6), np.float32)


def _print(light: Plane, weight: Plane) -> Plane:
    """Return (H, W, N) light less that around it, in units of the contrast there."""
    window = int(light.shape[1] * WINDOW) | 1
    near = _blurred(weight, window) + np.float32(1e-3)
    away = light - _blurred(light * weight, window) / near
    spread = np.maximum(_blurred(away * away * weight, window) / near, 0)
    least = np.float32(LEAST_CONTRAST * 2.55)
    return np.clip(away / (np.sqrt(spread) + least), -LIMIT, LIMIT)


def _blurred(planes: Plane, window: int) -> Plane:
    """Return (H, W, N) planes, each the mean around its pixels."""
    blurred = np.empty_like(planes)
    for first in range(0, planes.shape[2], MOST_PLANES):
        some = slice(first, first + MOST_PLANES)
        part = np.ascontiguousarray(planes[..., some])
        mean = cv2.blur(part, (window, window), borderType=cv2.BORDER_REFLECT)
        blurred[..., some] = mean.reshape(part.shape)
    return blurred


def _laid(
    patch: Patch,
    references: References,
    ways: Sequence[tuple[int, Array]],
    freedom: Plane,
) -> Array:
    """Return the (N, 3, 3) maps by which pictures lie, from where each starts, laid
    straight in the light of where they lie."""
    lies = np.stack([start for _, start in ways])
    for _ in range(ROUNDS):
        for level in ALIGNED:
            prints = [
                _lit_slopes(patch, references.pixels(picture, level), level, lie)
                for (picture, _), lie in zip(ways, lies, strict=True)
            ]
            lies, _ = all_aligned(
                patch, prints, level, lies, steps=STEPS, freedom=freedom
            )
    return lies


def _lit_slopes(patch: Patch, own: Plane, level: int, lie: Array) -> Slopes:
    lit = relit(own, card_pixels(patch, level, lie), level).pixels
    return slopes(features(lit), level)
