"""Faces that differ in little, told apart by their ink.

What a camera records of a card is its ink times the light: in logarithms a sum, and
light changes slowly. So what is left of both when all that is slow is taken out can be
compared as it is, without the contrast of each place, which makes a pale fill as large
as the line around it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np

from vision.matching.align import all_aligned
from vision.matching.patches import (
    ALIGNED,
    SIZES_PX,
    Patch,
    Plane,
    card_pixels,
    picture_pixels,
    pixel_centres,
    pixel_from_card,
    ring,
)
from vision.matching.references import References
from vision.matching.shortlist import HALF_TURN
from vision.matching.trial import Trial, compared
from vision.types import Array, Bgr

NEAR, NEARLY = 0.4, 0.5
"""Correlation of the ink of two pictures from which they differ in little, as they lie
on each other, and as they are."""
STEADY = 0.7
"""Where what is like neither comes to more of what tells them apart it counts less."""
MOST_NEAR = 12
"""So many faces are near one, at most."""
LEAST_ALIKE = 0.5
"""Correlation of a card with a picture from which those near it are looked at."""
HOPELESS = 0.35
"""One that correlates so much less than the likest is none of them."""
DARKEST = 4.0
"""Level below which nothing is darker."""
BLUR = 1 / 53
"""Pictures are blurred by so much of a card's width: of stripes the mean counts."""
GAINS, LEAST_TOLD, ROUNDS = (0.3, 2.0), 0.3, 3
STEPS = 5
MOST_FACES = 400
NO_INKS = np.zeros((0, 22, 16, 3), np.float32)


@dataclass(frozen=True, slots=True)
class Lean:
    """Which of two pictures a card leans to, by its ink."""

    share: float
    """1/2 is just like the first, -1/2 just like the other."""
    is_near: bool
    """The two differ in little: nothing else tells them better."""


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """Which faces of some galleries differ in little; may be used by many threads."""

    references: References
    _inks: list[Plane] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def trials(
        self, patch: Patch, found: Sequence[Trial], freedom: Plane
    ) -> list[Trial]:
        """Return the trials, and those of all faces that differ in little from the
        likest picture: what is no rival because nobody looked at it may be what the
        card is."""
        if not found or found[0].misfit.likeness < LEAST_ALIKE:
            return list(found)
        top = found[0]
        tried = {trial.picture for trial in found}
        near = [(n, turn) for n, turn in self.of(top.picture) if n not in tried]
        if not near:
            return list(found)
        pictures = [picture for picture, _ in near]
        lies = np.stack([top.card_from_card @ turn for _, turn in near])
        least = top.misfit.likeness - HOPELESS
        for level in ALIGNED:
            slopes = [self.references.prepared(n).slopes[level] for n in pictures]
            lies, alike = all_aligned(
                patch, slopes, level, lies, steps=STEPS, freedom=freedom
            )
            kept = np.flatnonzero(alike > least)
            lies, pictures = lies[kept], [pictures[i] for i in kept]
            if not pictures:
                return list(found)
        others = [
            compared(patch, self.references, picture, lie, ALIGNED[-1])
            for picture, lie in zip(pictures, lies, strict=True)
        ]
        return sorted([*found, *others], key=lambda trial: -trial.misfit.likeness)

    def of(self, picture: int) -> list[tuple[int, Array]]:
        """Return the pictures of other faces that differ in little from one, the
        nearest first, one of each face, and the turn by which each is the same way
        up."""
        inks = self._all()
        if not len(inks):
            return []
        ways = np.stack([inks, inks[:, ::-1, ::-1]])
        alike = np.einsum("wnhvc,hvc->wn", ways, inks[picture])
        found: list[tuple[int, Array]] = []
        seen = {self.references.all[picture].key}
        for number in np.argsort(-alike.max(axis=0)):
            if alike[:, number].max() < NEARLY or len(found) == MOST_NEAR:
                break
            key = self.references.all[number].key
            if key not in seen:
                seen.add(key)
                turn = HALF_TURN if alike[1, number] > alike[0, number] else np.eye(3)
                found.append((int(number), turn))
        return found

    def _all(self) -> Plane:
        """Return the (N, 22, 16, 3) inks of all pictures, each of length 1; of very
        many none, for want of time."""
        with self._lock:
            if not self._inks:
                few = len(self.references.all) <= MOST_FACES
                all_ = self.references.all if few else ()
                inks = [_small_ink(one.picture) for one in all_]
                self._inks.append(np.stack(inks) if inks else NO_INKS)
            return self._inks[0]


def lean(patch: Patch, references: References, one: Trial, other: Trial) -> Lean:
    """Return which of two trials the card leans to."""
    first = _lean(patch, references, one, other)
    second = _lean(patch, references, other, one)
    return Lean((first.share - second.share) / 2, first.is_near and second.is_near)


def _lean(patch: Patch, references: References, one: Trial, other: Trial) -> Lean:
    """Return the same with both pictures laid as the first one lies."""
    level = one.level
    pixels = card_pixels(patch, level, one.card_from_card)
    yours, known = _laid_over(references, one, other)
    weight = pixels[..., 3] * ring(level) * known
    weight = np.where(weight > LEAST_TOLD, weight, 0).ravel()
    if weight.sum() < LEAST_TOLD * weight.size:
        return Lean(0.0, is_near=False)
    mine = _log(references.pixels(one.picture, level))
    planes = np.stack([_log(pixels), mine, yours])
    told = weight
    for _ in range(ROUNDS):
        seen, first, second = _without_slow(planes, told, level)
        sizes = _dot(first, first, told), _dot(second, second, told)
        first *= _gain(_dot(seen, first, told), sizes[0])
        second *= _gain(_dot(seen, second, told), sizes[1])
        gap, rest = first - second, seen - (first + second) / 2
        apart = max(_dot(gap, gap, told), 1e-9)
        share = _dot(rest, gap, told) / apart
        # What is like neither (the edge of a shadow) has little say.
        off = np.minimum(
            _summed(np.square(rest - gap / 2)), _summed(np.square(rest + gap / 2))
        )
        usual = 2 * float(told @ off) / float(told.sum()) + 1e-4
        told = weight / (1 + off / usual)
    size = math.sqrt(_dot(first, first, told) * _dot(second, second, told))
    is_near = _dot(first, second, told) > NEAR * max(size, 1e-9)
    noise = math.sqrt(float(told @ off) / apart)
    return Lean(share * min(1.0, STEADY / max(noise, 1e-9)), is_near)


def _gain(cross: float, size: float) -> float:
    """Return how much of the ink of a picture a photo shows."""
    return min(max(cross / max(size, 1e-9), GAINS[0]), GAINS[1])


def _laid_over(references: References, one: Trial, other: Trial) -> tuple[Plane, Plane]:
    """Return the (H, W, 3) logarithms of the other picture as the first one lies, and
    where it is known."""
    level = one.level
    scale = pixel_from_card(level, (0, 0))
    between = np.linalg.inv(other.card_from_card) @ one.card_from_card
    matrix = scale @ between @ np.linalg.inv(scale)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    own = _log(references.pixels(other.picture, level))
    size = SIZES_PX[level]
    there = cv2.warpPerspective(
        own, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE
    )
    known = cv2.warpPerspective(ring(level), matrix, size, flags=flags)
    return np.asarray(there, np.float32), np.asarray(known, np.float32)


def _dot(one: Plane, other: Plane, told: Plane) -> float:
    return float(told @ _summed(one * other))


def _summed(pixels: Plane) -> Plane:
    """Return (N,) sums of (N, 3): `sum` along so short an axis takes far longer."""
    return np.asarray(pixels[:, 0] + pixels[:, 1] + pixels[:, 2], np.float32)


def _log(pixels: Plane) -> Plane:
    """Return (H, W, 3) logarithms of blurred pixels."""
    light = np.log(np.maximum(pixels[..., :3], DARKEST) / 255)
    blur = BLUR * pixels.shape[1]
    return np.asarray(cv2.GaussianBlur(light, (0, 0), blur), np.float32)


def _without_slow(planes: Plane, weight: Plane, level: int) -> Plane:
    """Return (K, H x W, 3) planes without what varies slowly over the card."""
    slow = _slow(*SIZES_PX[level])
    weighted = slow * weight[:, None]
    inverse = np.linalg.inv(slow.T @ weighted + 1e-6 * np.eye(slow.shape[1]))
    flat = planes.reshape(len(planes), -1, 3)
    return np.asarray(flat - slow @ (inverse @ (weighted.T @ flat)), np.float32)


@cache
def _slow(width: int, height: int) -> Plane:
    """Return (H x W, 6) planes that vary slowly: all of the second degree."""
    x, y = pixel_centres(width, height).T
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)


def _small_ink(picture: Bgr) -> Plane:
    """Return the (22, 16, 3) ink of a picture, small and of length 1."""
    pixels = picture_pixels(picture, 0)
    light = np.log(np.maximum(pixels[..., :3], DARKEST) / 255)
    flat = _without_slow(light[None], pixels[..., 3].ravel(), 0)[0]
    width, height = SIZES_PX[0]
    ink = flat.reshape(height, width, 3) * ring(0)[..., None]
    small = cv2.resize(ink, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    return np.asarray(small / max(float(np.linalg.norm(small)), 1e-6), np.float32)
