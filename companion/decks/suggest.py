"""Which label a cut-out card may bear, where a number stands in its corner.

The reader of standard cards knows printed digits of many kinds; the colour of the card
then tells the number cards of one game apart. Only ever a suggestion to a person.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import cv2
import numpy as np

if TYPE_CHECKING:
    from engines.core import Kit
    from vision.reading import Read
    from vision.types import Array, Bgr

Suggest: TypeAlias = "Callable[[Bgr], str | None]"

DIGITS = "23456789"
"""A 1 looks like a J to the reader, so it is not suggested."""
CLEAR = 0.9
LEFT, TOP, TALL = (0.02, 0.05, 0.08), (0.02, 0.05), (0.12, 0.18, 0.26)
"""Where a number may stand in the upper left corner, in shares of the card."""
HUES = {"R": (0, 170), "Y": (27, 27), "G": (62, 62), "B": (112, 112)}
COLOURED = 0.12
"""With less colour on it a card counts as black."""


def suggester(kit: Kit) -> Suggest:
    """Return what suggests a label of this kit, or nothing, for a picture."""
    labels = {face.label for face in kit.faces}

    def suggest(bgr: Bgr) -> str | None:
        digit = number_on(bgr)
        if digit is None:
            return None
        numbered = [label for label in labels if re.fullmatch(f"[A-Z]{digit}.?", label)]
        if len(numbered) > 1:
            numbered = [label for label in numbered if label[0] == colour_of(bgr)]
        return numbered[0] if len(numbered) == 1 else None

    return suggest


def number_on(bgr: Bgr) -> str | None:
    """Return the digit in the corner of an upright card, `None` if none is clear."""
    from vision.reading import RANKS  # noqa: PLC0415 - loads the runtime

    height, width = bgr.shape[:2]
    windows = [
        _window(x * width + 0.06 * width, y * height, tall * height)
        for x in LEFT
        for y in TOP
        for tall in TALL
    ]
    logs = np.zeros(13)
    for reading in _reader()(bgr, np.array(windows)):
        ranks = reading.faces[:52].reshape(4, 13).sum(0)
        logs += np.log(ranks * reading.face + 1e-3)
    shares = np.exp(logs - logs.max())
    best = int(shares.argmax())
    is_clear = shares[best] / shares.sum() > CLEAR
    return RANKS[best] if is_clear and RANKS[best] in DIGITS else None


def colour_of(bgr: Bgr) -> str:
    """Return the letter of the colour that a card mostly has; ``K`` is black."""
    hue, saturation, value = cv2.split(cv2.cvtColor(bgr, cv2.COLOR_BGR2HSV))
    strong = (saturation > 90) & (value > 50)
    if strong.mean() < COLOURED:
        return "K"
    hues = hue[strong].astype(float)
    near = {
        letter: min(float(np.median(_apart(hues, middle))) for middle in middles)
        for letter, middles in HUES.items()
    }
    return min(near, key=lambda letter: near[letter])


def _apart(hues: Array, middle: float) -> Array:
    off = np.abs(hues - middle) % 180
    return np.asarray(np.minimum(off, 180 - off), float)


def _window(x: float, y: float, tall: float) -> Array:
    """Return a window around a digit whose top is at y and whose middle is at x."""
    high = tall * 1.35
    wide, middle = high * 80 / 112, y + tall / 2
    left, right = x - wide / 2, x + wide / 2
    top, low = middle - high / 2, middle + high / 2
    return np.array([[left, top], [right, top], [right, low], [left, low]])


@cache
def _reader() -> Read:
    from vision.models import load_manifest  # noqa: PLC0415 - as above
    from vision.reading import load_reader  # noqa: PLC0415 - as above

    return load_reader(load_manifest("reader"))
