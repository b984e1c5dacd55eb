"""All looks at one picture: outlines put on edges, windows read, each only once.

A picture is gone over twice (`pipeline`), and most of what the second round sees was
seen in the first; so outlines and readings are kept by the window that they are of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.cards import IndexSeen, index_fit, upright_index
from vision.crops import CROP_HEIGHT, CROP_WIDTH, INDEX_CONTEXT, index_window, turned
from vision.outline import outlined
from vision.quads import on_quad
from vision.reading import Read, Reading
from vision.refine import SURE_SUPPORT, RefinedQuad, refine_quad
from vision.types import Array, Bgr, Detection

CLEAR_FACE = 0.9
"""An index that reads this well is the right way up."""
FAINT = 0.25
SURE_SIDE = 0.6
LEANING = 0.8
"""Least cosine between up on an index's box and on its card: seen from low, the box
around an index leans."""
_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
CARD_ASPECT = 1.4


@dataclass(slots=True, eq=False)
class Looks:
    """Looks at one picture, and what each has shown so far."""

    bgr: Bgr
    read: Read
    _outlines: dict[bytes, RefinedQuad] = field(default_factory=dict)
    _readings: dict[bytes, Reading] = field(default_factory=dict)

    def outline(self, box_px: Array) -> RefinedQuad:
        """Return the outline of the card in a detector's box."""
        key = box_px.tobytes()
        if key not in self._outlines:
            refined = refine_quad(self.bgr, box_px)
            if min(refined.support) < SURE_SUPPORT:
                refined = outlined(self.bgr, box_px, refined)
            self._outlines[key] = refined
        return self._outlines[key]

    def readings(self, windows_px: Sequence[Array]) -> list[Reading]:
        """Return what the reader says of each window."""
        keys = [window.tobytes() for window in windows_px]
        fresh = {
            key: window
            for key, window in zip(keys, windows_px, strict=True)
            if key not in self._readings
        }
        if fresh:
            answers = self.read(self.bgr, np.array(list(fresh.values())))
            self._readings.update(zip(fresh, answers, strict=True))
        return [self._readings[key] for key in keys]

    def worth_reading(
        self,
        corners: Sequence[Detection],
        cards: Sequence[RefinedQuad],
        wholes: Sequence[Reading],
    ) -> list[Detection]:
        """Return the corners without faint ones on cards that are clear by themselves:
        pips, mostly, which cost as much to read as an index does."""
        clear = [
            card.quad_px.astype(np.float32)
            for card, whole in zip(cards, wholes, strict=True)
            if min(card.support) >= SURE_SUPPORT
            and whole.face * float(whole.faces.max()) > CLEAR_FACE
        ]
        return [
            corner
            for corner in corners
            if corner.score >= FAINT
            or not any(
                cv2.pointPolygonTest(card, corner.quad_px.mean(0).tolist(), False) > 0
                for card in clear
            )
        ]

    def indices(
        self, corners: Sequence[Detection], cards: Sequence[RefinedQuad]
    ) -> list[IndexSeen]:
        """Return the indices in the detector's boxes, the right way round.

        Where the outline of the card around is sure, the index is seen as if from
        straight above; else as its box shows it, and upside down too if unclear.
        """
        sure = [card.quad_px for card in cards if _is_sure(card)]
        above = [_seen_from_above(corner.quad_px, sure) for corner in corners]
        straight = dict(
            zip(
                [i for i, window in enumerate(above) if window is not None],
                self.readings([window for window in above if window is not None]),
                strict=True,
            )
        )
        windows = [index_window(corner.quad_px) for corner in corners]
        as_found = self.readings(windows)
        unclear = [i for i, one in enumerate(as_found) if one.face < CLEAR_FACE]
        upside_down = dict(
            zip(
                unclear,
                self.readings([turned(windows[i]) for i in unclear]),
                strict=True,
            )
        )
        return [
            _better(
                upright_index(corner, one, upside_down.get(i)),
                straight.get(i),
            )
            for i, (corner, one) in enumerate(zip(corners, as_found, strict=True))
        ]


def _is_sure(card: RefinedQuad) -> bool:
    return sorted(card.support)[1] >= SURE_SIDE


def _better(index: IndexSeen, straight: Reading | None) -> IndexSeen:
    if straight is None or straight.face < CLEAR_FACE:
        return index
    return index.read_as(straight)


def _seen_from_above(index_px: Array, cards_px: Sequence[Array]) -> Array | None:
    """Return the window around an index as the card that it stands on lies, or `None`
    if it stands on none."""
    fits = [
        (index_fit(card, index_px, upright=LEANING)[0], number)
        for number, card in enumerate(cards_px)
    ]
    fit, best = min(fits, default=(1.0, -1))
    if fit >= 1:
        return None
    card = cards_px[best]
    points = on_quad(card, index_px)
    x, y = points.mean(0)
    tall = float(np.abs(points[3] + points[2] - points[0] - points[1])[1]) / 2
    tall *= INDEX_CONTEXT
    wide = tall * CARD_ASPECT * CROP_WIDTH / CROP_HEIGHT
    box = np.array([[-wide, -tall], [wide, -tall], [wide, tall], [-wide, tall]]) / 2
    if y > 0.5:
        box = -box
    matrix = cv2.getPerspectiveTransform(_UNIT, card.astype(np.float32))
    window = cv2.perspectiveTransform(
        (box + np.array([x, y]))[None].astype(np.float32), matrix
    )
    return np.asarray(window[0], float)
