"""Pictures in which left and right are swapped, as some front cameras take them.

Cards give it away: a reader is surer of the mirror image of their corners than of the
corners. Most ranks are none in a mirror, the others say nothing either way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.cards import CardSeen
from vision.crops import index_window, mirrored, turned
from vision.looks import Looks
from vision.once import by_place
from vision.reading import LABELS, ONE_WAY_RANKS, Reading
from vision.types import Array, Detection, Finding, Frame, Identity

MIRRORED = "mirrored"
SEEN = 0.4
"""A corner that the detector is surer of than this should be readable."""
LEAST_CORNERS, MOST_CORNERS = 2, 6
"""So many have to speak for a mirror, and so many are looked at."""
CLEAR = 0.9
"""Two corners so certainly of a rank that is none in a mirror need no more."""
SPEAKING_LOG, SURE_LOG = math.log(2), math.log(10)
"""How much likelier a corner that speaks for a mirror, and all of them together, are to
be read there."""
FLOOR = 0.02
"""No reading is less certain: a network is not that sure of anything."""


def is_mirrored(
    looks: Looks, corners: Sequence[Detection], cards: Sequence[CardSeen]
) -> bool:
    """Return whether the corners that were seen are read in a mirror far rather.

    Two corners on the `cards` that clearly read as a rank that is none in a mirror
    settle it, at no cost.
    """
    clear = [
        i.reading for card in cards for i in card.indices if _is_one_way(i.reading)
    ]
    if len(clear) >= LEAST_CORNERS:
        return False
    surest = sorted(corners, key=lambda corner: -corner.score)
    places = by_place([corner for corner in surest if corner.score >= SEEN])
    seen = [boxes[0] for boxes in places[:MOST_CORNERS]]
    if len(seen) < LEAST_CORNERS:
        return False
    windows = [index_window(corner.quad_px) for corner in seen]
    here = _certainties(looks, windows)
    there = _certainties(looks, [mirrored(window) for window in windows])
    gain = np.log((there + FLOOR) / (here + FLOOR))
    speaking = int(np.sum(gain > SPEAKING_LOG))
    return speaking >= LEAST_CORNERS and float(gain.sum()) > SURE_LOG


def _is_one_way(reading: Reading) -> bool:
    label = LABELS[int(reading.faces.argmax())]
    return reading.certainty > CLEAR and label[:-1] in ONE_WAY_RANKS


def unnamed(identities: Sequence[Identity]) -> tuple[Identity, ...]:
    """Return as many that say nothing: what was read in a mirror is not so."""
    return tuple(Identity(None) for _ in identities)


def swapped_back(frame: Frame) -> Frame:
    """Return the frame with left and right swapped."""
    return replace(frame, bgr=np.ascontiguousarray(frame.bgr[:, ::-1]))


def says_mirrored(findings: Sequence[Finding]) -> bool:
    """Return whether one of the findings is that the picture is mirrored."""
    return any(finding.code == MIRRORED for finding in findings)


def _certainties(looks: Looks, windows_px: Sequence[Array]) -> Array:
    """Return how certain each window is read, the better way up."""
    ways = looks.readings([*windows_px, *map(turned, windows_px)])
    certain = np.array([reading.certainty for reading in ways])
    return np.asarray(certain.reshape(2, -1).max(0), float)
