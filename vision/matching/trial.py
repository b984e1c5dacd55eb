"""The pictures that a card could be, each laid over it and compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.matching.align import ANYHOW, all_aligned
from vision.matching.compare import Misfit, compare, lead
from vision.matching.patches import (
    CORNERS,
    Patch,
    Plane,
    card_pixels,
    features,
    mapped,
)
from vision.matching.references import References
from vision.matching.relit import believed, is_bright, relit
from vision.matching.shortlist import Guess, guesses
from vision.types import Array

GUESSES, FINALISTS, FINEST = 6, 4, 2
STEPS = (9, 4)
NOTHING_ALIKE = 0.25
"""Correlation of the likest picture below which it is no card of the galleries."""
SMALL_ALIKE = 0.25
"""Small, as a whole, things are so much more like some picture."""
LAID_WELL = 0.8
"""Correlation from which the likest picture needs not be laid afresh."""
MOVES = tuple(
    np.array([[1, 0, x], [0, 1, y], [0, 0, 1.0]])
    for share in (-0.12, -0.06, 0.06, 0.12)
    for x, y in ((share, 0), (0, share))
)
"""Lines of text catch on each other: if it is not laid well the likest picture is laid
from so far aside, in half widths and half heights of the card, too."""
HOPELESS = 0.35
"""A picture that correlates so much less than the best is no rival of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A picture laid over the card."""

    picture: int
    card_from_card: Array
    """(3, 3) map in card space from the picture to the patch."""
    level: int
    seen: Plane
    misfit: Misfit
    in_glare: bool = False
    """It was lit as the card is before it was compared (`relit`)."""

    def quad_px(self, patch: Patch) -> Array:
        """Return where the card's own corners are in the image, by this picture."""
        return mapped(patch.image_from_card @ self.card_from_card, CORNERS)

    @property
    def turned(self) -> bool:
        """Return whether the card lies the other way up than the patch."""
        return bool(self.card_from_card[0, 0] < 0)


def trials(
    patch: Patch,
    references: References,
    freedom: Plane = ANYHOW,
    expected: int | None = None,
) -> list[Trial]:
    """Return the pictures that the card is most like, the likest first.

    Of one picture the better way up is kept; none where none is alike. `freedom` is how
    the card may lie other than its quad has it (`align`); the picture that is
    `expected` there, as the quad has it, is among those that are tried.
    """
    guessed = _guessed(patch, references)
    if expected is not None:
        guessed = [Guess(expected, np.eye(3), 1.0), *guessed[:-1]]
    pictures = [guess.picture for guess in guessed]
    starts = np.stack([guess.start for guess in guessed])
    lies, likeness = _laid(patch, references, pictures, starts, 0, freedom)
    best = np.argsort(-likeness)[:FINALISTS]
    if expected is not None and 0 not in best:
        best[-1] = 0
    elif max(likeness[best[0]], guessed[0].likeness - SMALL_ALIKE) < NOTHING_ALIKE:
        return []
    best = best[likeness[best] > likeness[best[0]] - HOPELESS]
    laid, likeness = _laid(
        patch, references, [pictures[i] for i in best], lies[best], 1, freedom
    )
    tried = [(pictures[i], lie) for i, lie in zip(best, laid, strict=True)]
    if likeness.max() < LAID_WELL:
        for number in {int(best[likeness.argmax()]), 0}:
            aside = np.stack([starts[number] @ move for move in MOVES])
            again = [pictures[number]] * len(aside)
            others, alike = _laid(patch, references, again, aside, 1, freedom)
            tried.append((pictures[number], others[alike.argmax()]))
    found: dict[int, Trial] = {}
    for picture, lie in tried:
        last = compared(patch, references, picture, lie, 1)
        known = found.get(picture)
        if known is None or known.misfit.likeness < last.misfit.likeness:
            found[picture] = last
    return sorted(found.values(), key=lambda trial: -trial.misfit.likeness)


def _guessed(patch: Patch, references: References) -> list[Guess]:
    """Return the faces that the card could be, each by the picture that it is most like
    that way up: many pictures of one face leave room for others."""
    found: dict[tuple[int, str | None, bool], Guess] = {}
    for guess in guesses(patch, references.thumbs, GUESSES * references.most_each):
        key = (*references.all[guess.picture].key, bool(guess.start[0, 0] < 0))
        found.setdefault(key, guess)
    return list(found.values())[:GUESSES]


def _laid(
    patch: Patch,
    references: References,
    pictures: Sequence[int],
    starts: Array,
    level: int,
    freedom: Plane,
) -> tuple[Array, Array]:
    slopes = [references.prepared(picture).slopes[level] for picture in pictures]
    return all_aligned(
        patch, slopes, level, starts, steps=STEPS[level], freedom=freedom
    )


def closer(patch: Patch, found: Sequence[Trial], references: References) -> list[Trial]:
    """Return the same trials, compared in the largest size."""
    return [
        compared(patch, references, trial.picture, trial.card_from_card, FINEST)
        for trial in found
    ]


def leads(found: Sequence[Trial], references: References, open_: Array) -> Array:
    """Return (N, N) how much more the card looks like one than like the other, in
    [-1/2, 1/2] or so, judged where the two differ and as each of them lies.

    Only of pairs that are `open_`, (N, N): of others it is 0.
    """
    planes = [references.features(trial.picture, trial.level) for trial in found]
    share = np.zeros((len(found), len(found)))
    for i, j in zip(*np.nonzero(open_), strict=True):
        if i != j:
            share[i, j] = lead(found[i].seen, planes[i], planes[j])
    return np.asarray((share - share.T) / 2, float)


def compared(
    patch: Patch,
    references: References,
    picture: int,
    lies: Array,
    level: int,
    *,
    is_lit: bool = False,
) -> Trial:
    """Return a picture that lies so, compared with the card; in the card's light if it
    is more like it then, where much is burnt out or it `is_lit` anyway."""
    pixels = card_pixels(patch, level, lies)
    seen = features(pixels)
    misfit = compare(seen, references.features(picture, level))
    if is_lit or is_bright(pixels):
        lit = relit(references.pixels(picture, level), pixels, level)
        lit_so = compare(features(believed(pixels)), features(lit.pixels))
        if lit_so.likeness > misfit.likeness:
            glare = lit.is_in_glare
            return Trial(picture, lies, level, seen, lit_so, in_glare=glare)
    return Trial(picture, lies, level, seen, misfit)
