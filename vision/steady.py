"""Is what one corner alone says still said where it is cut out a little otherwise?

A corner that is one reads the same where its window is turned, grown, shrunk or moved a
little; print that passes for one, or a corner of which a part is hidden, mostly does
so in one window only, as sure as it may be there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.cards import CardSeen
from vision.crops import beside
from vision.naming import is_said_once, read_alike
from vision.reading import LABELS, Read
from vision.types import Array, Bgr, Identity

WAYS = (
    *((0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 1.0, 7.0), (0.0, 0.0, 1.0, -7.0)),
    *((0.0, 0.0, 0.85, 0.0), (0.0, 0.0, 1.15, 0.0)),
    *((0.08, 0.0, 1.0, 0.0), (-0.08, 0.0, 1.0, 0.0)),
    *((0.0, 0.06, 1.0, 0.0), (0.0, -0.06, 1.0, 0.0)),
)
"""A corner reads the same where its window is moved, grown or turned so much."""
SURE = 0.96
"""A name that is surer is looked at so only where the detector was half sure."""
STEADY, STEADY_ONCE = 0.5, 0.84
"""How likely a name must be in the mean of all ways; of what was half found. On 1,700
rendered tables 57 of 591 names of corners half found were less likely, with 7 of the 9
that were wrong and 3 of 184 that a person can read; of 1,073 others below `SURE` 55,
with 6 of 26 wrong and 8 of 498."""


def without_unsteady(
    read: Read,
    bgr: Bgr,
    cards: Sequence[CardSeen],
    identities: Sequence[Identity],
) -> tuple[Identity, ...]:
    """Return the identities without names that one corner alone gives and that are not
    what is read around it. Which of the two black suits it is, more than its windows
    tells (`leaves`, `thinned`)."""
    asked = {
        number: window
        for number, card in enumerate(cards)
        if identities[number].label is not None
        and (window := _only_window(card)) is not None
    }
    if not asked:
        return tuple(identities)
    looks = read(
        bgr, np.concatenate([beside(window, WAYS) for window in asked.values()])
    )
    kept = list(identities)
    for at, number in enumerate(asked):
        faces = read_alike(LABELS.index(str(identities[number].label)))
        own = looks[at * len(WAYS) : (at + 1) * len(WAYS)]
        mean = float(np.mean([look.face * look.faces[faces].sum() for look in own]))
        if mean < (STEADY_ONCE if is_said_once(cards[number]) else STEADY):
            kept[number] = replace(kept[number], label=None)
    return tuple(kept)


def _only_window(card: CardSeen) -> Array | None:
    """Return the window from which alone a card has its name; `None` where more say
    so, or it is beyond doubt."""
    if len(card.indices) != 1:
        return None
    is_open = is_said_once(card) or card.face * float(card.faces.max()) < SURE
    return card.indices[0].window_px if is_open else None
