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


@dataclass(frozen=True, slots=True, eq=False)
class Leans:
    """To which of two trials a card leans; what each shows is worked out once."""

    patch: Patch
    references: References
    found: Sequence[Trial]
    _seen: dict[int, tuple[Plane, Plane]] = field(default_factory=dict)
    _inks: dict[tuple[int, int], Plane] = field(default_factory=dict)

    def between(self, one: int, other: int) -> Lean:
        """Return which of two trials the card leans to, by their numbers."""
        first, second = self._lean(one, other), self._lean(other, one)
        share = (first.share - second.share) / 2
        return Lean(share, first.is_near and second.is_near)

    def _lean(self, one: int, other: int) -> Lean:
        """Return the same with both pictures laid as the first one lies."""
        level = self.found[one].level
        (seen, weight), mine = self._seen_by(one), self._ink(one, level)
        yours = self._ink(other, level)
        yours, known = _laid_over(yours, self.found[one], self.found[other])
        told = weight * known
        told = np.where(told > LEAST_TOLD, told, 0).ravel()
        if told.sum() < LEAST_TOLD * told.size:
            return Lean(0.0, is_near=False)
        planes = [plane for ink in (seen, mine, yours) for plane in cv2.split(ink)]
        return _told_apart(np.reshape(planes, (9, -1)), told, level)

    def _seen_by(self, number: int) -> tuple[Plane, Plane]:
        """Return the (H, W, 3) logarithms of what is seen where a trial has the card,
        and the (H, W) weights of the pixels."""
        if number not in self._seen:
            trial = self.found[number]
            pixels = card_pixels(self.patch, trial.level, trial.card_from_card)
            self._seen[number] = _log(pixels), pixels[..., 3] * ring(trial.level)
        return self._seen[number]

    def _ink(self, number: int, level: int) -> Plane:
        """Return the (H, W, 3) logarithms of a trial's picture in one size."""
        if (number, level) not in self._inks:
            picture = self.found[number].picture
            self._inks[number, level] = _log(self.references.pixels(picture, level))
        return self._inks[number, level]


def _told_apart(inks: Plane, weight: Plane, level: int) -> Lean:
    """Return which of two pictures a card leans to, by the (9, N) logarithms of its own
    colours and of both pictures', and the weights of the N pixels."""
    told = weight
    for _ in range(ROUNDS):
        flat = _without_slow(inks, told, level)
        dots = _dots(flat, told)
        first, second = (_gain(dots[0, n], dots[n, n]) for n in (1, 2))
        # What is left of the card if it is one of them, and if it is the other.
        mine = _squared(flat[:3] - np.float32(first) * flat[3:6])
        yours = _squared(flat[:3] - np.float32(second) * flat[6:])
        apart = max(_apart(dots, first, second), 1e-9)
        share = float(told @ (yours - mine)) / 2 / apart
        # What is like neither (the edge of a shadow) has little say.
        off = np.minimum(mine, yours)
        usual = 2 * float(told @ off) / float(told.sum()) + 1e-4
        told = np.asarray(weight / (1 + off / usual), np.float32)
    noise = math.sqrt(float(told @ off) / apart)
    dots = _dots(flat, told)
    size = math.sqrt(dots[1, 1] * dots[2, 2])
    is_near = bool(dots[1, 2] > NEAR * max(size, 1e-9))
    return Lean(share * min(1.0, STEADY / max(noise, 1e-9)), is_near)


def _dots(flat: Plane, told: Plane) -> Array:
    """Return the (3, 3) products of the card's ink and both pictures', each with each,
    of all pixels and colours."""
    products = (flat * told) @ flat.T
    return np.asarray(products.reshape(3, 3, 3, 3).trace(axis1=1, axis2=3), float)


def _apart(dots: Array, first: float, second: float) -> float:
    """Return how far two pictures are apart that show so much of their ink."""
    own = first**2 * dots[1, 1] + second**2 * dots[2, 2]
    return float(own - 2 * first * second * dots[1, 2])


def _gain(cross: float, size: float) -> float:
    """Return how much of the ink of a picture a photo shows."""
    return min(max(cross / max(size, 1e-9), GAINS[0]), GAINS[1])


def _laid_over(ink: Plane, one: Trial, other: Trial) -> tuple[Plane, Plane]:
    """Return the (H, W, 3) logarithms of the other picture as the first one lies, and
    where it is known."""
    level = one.level
    scale = pixel_from_card(level, (0, 0))
    between = np.linalg.inv(other.card_from_card) @ one.card_from_card
    matrix = scale @ between @ np.linalg.inv(scale)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = SIZES_PX[level]
    there = cv2.warpPerspective(
        ink, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE
    )
    known = cv2.warpPerspective(ring(level), matrix, size, flags=flags)
    return np.asarray(there, np.float32), np.asarray(known, np.float32)


def _squared(pixels: Plane) -> Plane:
    """Return (N,) sums of the squares of (3, N)."""
    return np.asarray(np.einsum("cn,cn->n", pixels, pixels), np.float32)


def _log(pixels: Plane) -> Plane:
    """Return (H, W, 3) logarithms of blurred pixels."""
    light = np.log(np.maximum(pixels[..., :3], DARKEST) / 255)
    blur = BLUR * pixels.shape[1]
    return np.asarray(cv2.GaussianBlur(light, (0, 0), blur), np.float32)


def _without_slow(planes: Plane, weight: Plane, level: int) -> Plane:
    """Return (K, H x W) planes without what varies slowly over the card."""
    slow = _slow(*SIZES_PX[level])
    weighted = slow * weight
    inverse = np.linalg.inv(weighted @ slow.T + 1e-6 * np.eye(len(slow)))
    shares = (planes @ weighted.T) @ inverse
    return np.asarray(planes - shares.astype(np.float32) @ slow, np.float32)


@cache
def _slow(width: int, height: int) -> Plane:
    """Return (6, H x W) planes that vary slowly: all of the second degree."""
    x, y = pixel_centres(width, height).T
    planes = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y])
    return planes.astype(np.float32)


def _small_ink(picture: Bgr) -> Plane:
    """Return the (22, 16, 3) ink of a picture, small and of length 1."""
    pixels = picture_pixels(picture, 0)
    light = np.log(np.maximum(pixels[..., :3], DARKEST) / 255)
    planes = light.reshape(-1, 3).T
    flat = _without_slow(planes, pixels[..., 3].ravel(), 0)
    width, height = SIZES_PX[0]
    ink = flat.T.reshape(height, width, 3) * ring(0)[..., None]
    small = cv2.resize(ink, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    return np.asarray(small / max(float(np.linalg.norm(small)), 1e-6), np.float32)
