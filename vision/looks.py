"""All looks at one picture: outlines put on edges, windows read, each only once.

A picture is gone over twice (`pipeline`), and most of what the second round sees was
seen in the first; so outlines and readings are kept by the window that they are of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from vision.cards import FAINT, CardSeen, IndexSeen, upright_index
from vision.crops import (
    CROP_HEIGHT,
    CROP_WIDTH,
    INDEX_CONTEXT,
    card_window,
    in_window,
    index_window,
    turned,
)
from vision.once import by_place, indices_once
from vision.outline import outlined
from vision.owners import index_fits
from vision.quads import from_quad, is_inside, on_quad
from vision.reading import Read, Reading
from vision.refine import SURE_SUPPORT, RefinedQuad, is_well_cut, refine_quad
from vision.types import Array, Bgr, Detection

CLEAR_FACE = 0.9
"""An index that reads this well is the right way up."""
LEAST_LIKELY, CLEAR = 0.25, 0.95
"""Between these it is worth looking again at what a crop shows."""
LEAST_FACE = 0.3
"""Below this there is nothing that could be moved."""
LEANING = 0.8
"""Least cosine between up on an index's box and on its card: seen from low, the box
around an index leans."""
CARD_ASPECT = 1.4
STEPS, STILL = 2, 0.02
"""How often an index that is not clear is read again where it is said to lie, if that
is farther off than this share of its window."""


@dataclass(slots=True, eq=False)
class Looks:
    """Looks at one picture, and what each has shown so far."""

    bgr: Bgr
    read: Read
    card_px: float = 0.0
    """So long cards are known to be; 0 where nobody knows."""
    _outlines: dict[bytes, RefinedQuad] = field(default_factory=dict)
    _readings: dict[bytes, Reading] = field(default_factory=dict)
    _seen_closely: set[bytes] = field(default_factory=set)

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

    def closer(self, cards: Sequence[CardSeen]) -> bool:
        """Look at the cards again, where they really lie and from several places, where
        what they show is not clear; return whether there was anything to look at."""
        unclear: dict[bytes, Array] = {}
        for card in cards:
            looks = [(i.window_px, i.reading) for i in card.indices]
            if card.whole is not None:
                cut = card.quad_px if card.cut_px is None else card.cut_px
                looks.append((card_window(cut), card.whole))
            for window, reading in looks:
                if window is None or not _is_unclear(reading):
                    continue
                if (key := window.tobytes()) not in self._seen_closely:
                    unclear[key] = reading.meant(window)
        if unclear:
            windows = np.array(list(unclear.values()))
            answers = self.read(self.bgr, windows, closely=True)
            self._readings.update(zip(unclear, answers, strict=True))
            self._seen_closely.update(unclear)
        return bool(unclear)

    def worth_reading(
        self,
        corners: Sequence[Detection],
        cards: Sequence[RefinedQuad],
        wholes: Sequence[Reading],
    ) -> list[Detection]:
        """Return the corners without those that were seen but faintly on cards that
        are clear by themselves. All others are read: one may be that of the card below,
        and a deck is learnt from all that are its own."""
        clear = [
            card.quad_px
            for card, whole in zip(cards, wholes, strict=True)
            if min(card.support) >= SURE_SUPPORT and whole.certainty > CLEAR_FACE
        ]
        stands = [bool(own.any()) for own in _fits_on(clear, corners) < 1]
        return [
            corner
            for corner, is_own in zip(corners, stands, strict=True)
            if corner.score >= FAINT
            or not (is_own or any(is_inside(c, corner.quad_px.mean(0)) for c in clear))
        ]

    def indices(
        self, corners: Sequence[Detection], cards: Sequence[RefinedQuad]
    ) -> list[IndexSeen]:
        """Return the indices in the detector's boxes, the right way round.

        Of boxes around one place the best is read, the others where that is not clear.
        """
        places = by_place(sorted(corners, key=_score, reverse=True))
        seen = self._indices([boxes[0] for boxes in places], cards)
        unclear = [
            box
            for index, boxes in zip(seen, places, strict=True)
            if index.reading.certainty < CLEAR
            for box in boxes[1:]
        ]
        return indices_once([*seen, *self._indices(unclear, cards)])

    def upright(
        self,
        cards: Sequence[RefinedQuad],
        wholes: Sequence[Reading],
        indices: Sequence[IndexSeen],
    ) -> tuple[list[RefinedQuad], list[Reading]]:
        """Return the outlines and what is read in them, those on which an index stands
        sideways turned by a quarter: seen from low, a card may be wider than tall."""
        clear = [i for i in indices if i.reading.certainty > CLEAR_FACE]
        sideways = [
            _sideways(card.quad_px, clear)
            if whole.certainty < CLEAR_FACE
            else frozenset()
            for card, whole in zip(cards, wholes, strict=True)
        ]
        turned_by = [
            _quarter_turned(card) if faces else None
            for card, faces in zip(cards, sideways, strict=True)
        ]
        again = self._read_some(
            [None if card is None else card_window(card.quad_px) for card in turned_by]
        )
        straight, read = list(cards), list(wholes)
        for i, whole in again.items():
            card = turned_by[i]
            if card is not None and int(whole.faces.argmax()) in sideways[i]:
                straight[i], read[i] = card, whole
        return straight, read

    def _indices(
        self, corners: Sequence[Detection], cards: Sequence[RefinedQuad]
    ) -> list[IndexSeen]:
        """Return the index in each box.

        Where the outline of the card around is sure, the index is seen as if from
        straight above; else as its box shows it, and upside down too if unclear.
        """
        sure = [card.quad_px for card in cards if is_well_cut(card.support)]
        above = _seen_from_above(corners, sure)
        straight = self._read_some(above)
        clear = {i for i, one in straight.items() if one.face >= CLEAR_FACE}
        windows = [index_window(corner.quad_px) for corner in corners]
        as_found = self._read_some(
            [None if i in clear else window for i, window in enumerate(windows)]
        )
        upside_down = self._read_some(
            [
                turned(window)
                if i in as_found and as_found[i].face < CLEAR_FACE
                else None
                for i, window in enumerate(windows)
            ]
        )
        return self._where_they_lie(
            [
                _as_card_lies(corner, window, straight[i])
                if i in clear and window is not None
                else upright_index(corner, windows[i], as_found[i], upside_down.get(i))
                for i, (corner, window) in enumerate(zip(corners, above, strict=True))
            ]
        )

    def _where_they_lie(self, indices: Sequence[IndexSeen]) -> list[IndexSeen]:
        """Return the indices where the reader says that they lie (a detector's box
        may be a tenth off), and those that are not clear read again there."""
        moved = [
            _moved(index) if index.reading.face > LEAST_FACE else index
            for index in indices
        ]
        for _ in range(STEPS):
            answers = self._read_some(
                [
                    index.window_px if _may_be_clearer(index.reading) else None
                    for index in moved
                ]
            )
            moved = [
                _moved(index.read_as(answers[i])) if i in answers else index
                for i, index in enumerate(moved)
            ]
        return moved

    def _read_some(self, windows_px: Sequence[Array | None]) -> dict[int, Reading]:
        """Return readings of the windows that are there, by number."""
        there = {i: window for i, window in enumerate(windows_px) if window is not None}
        return dict(zip(there, self.readings(list(there.values())), strict=True))


def _sideways(card_px: Array, indices: Sequence[IndexSeen]) -> frozenset[int]:
    """Return the faces of the indices that stand at a corner of a card if what seems to
    be its top is one of its sides; none where any stands there as it is."""
    if not indices:
        return frozenset()
    quads = np.array([index.quad_px for index in indices])
    upright, stands = index_fits([card_px, np.roll(card_px, 1, axis=0)], quads)[0] < 1
    if upright.any():
        return frozenset()
    return frozenset(
        int(index.reading.faces.argmax())
        for index, here in zip(indices, stands, strict=True)
        if here
    )


def _quarter_turned(card: RefinedQuad) -> RefinedQuad:
    """Return the outline from its last corner on."""
    top, right, bottom, left = card.support
    return RefinedQuad(np.roll(card.quad_px, 1, axis=0), (left, top, right, bottom))


def _is_unclear(reading: Reading) -> bool:
    """Return whether a face was read of which it is not clear which one."""
    return reading.face > 0.5 and LEAST_LIKELY < float(reading.faces.max()) < CLEAR


def _moved(index: IndexSeen) -> IndexSeen:
    """Return the index where the reader says that it lies."""
    if index.window_px is None:
        return index
    window = index.reading.meant(index.window_px)
    return replace(index, quad_px=in_window(window), window_px=window)


def _may_be_clearer(reading: Reading) -> bool:
    """Return whether an index was read of which it is not clear which one, and that
    lies elsewhere."""
    is_open = reading.face > LEAST_FACE and reading.certainty < CLEAR
    return is_open and float(np.abs(reading.corners).max()) > STILL


def _score(detection: Detection) -> float:
    return detection.score


def _fits_on(cards_px: Sequence[Array], corners: Sequence[Detection]) -> Array:
    """Return (N, C) how badly each corner fits each card as an index of its own,
    whichever way up it was boxed: a detector's boxes are either."""
    if not corners or not cards_px:
        return np.full((len(corners), len(cards_px)), np.inf)
    quads = [corner.quad_px for corner in corners]
    ways = np.array([*quads, *map(turned, quads)])
    each, _ = index_fits(cards_px, ways, upright=LEANING)
    return np.asarray(each.reshape(len(cards_px), 2, -1).min(axis=1).T, float)


def _as_card_lies(corner: Detection, window_px: Array, reading: Reading) -> IndexSeen:
    """Return the index the way round that its card lies."""
    quad = corner.quad_px
    if float((quad[0] - quad[3]) @ (window_px[0] - window_px[3])) < 0:
        quad = turned(quad)
    return IndexSeen(quad, corner.score, reading, window_px).read_as(reading)


def _seen_from_above(
    corners: Sequence[Detection], cards_px: Sequence[Array]
) -> list[Array | None]:
    """Return for each corner the window around it as the card that it stands on lies,
    or `None` if it stands on none."""
    fits = _fits_on(cards_px, corners)
    return [
        _window_on(cards_px[int(own.argmin())], corner.quad_px)
        if own.min(initial=np.inf) < 1
        else None
        for corner, own in zip(corners, fits, strict=True)
    ]


def _window_on(card: Array, index_px: Array) -> Array:
    """Return the window around an index as the card lies on which it stands."""
    points = on_quad(card, index_px)
    x, y = points.mean(0)
    tall = float(np.abs(points[3] + points[2] - points[0] - points[1])[1]) / 2
    tall *= INDEX_CONTEXT
    wide = tall * CARD_ASPECT * CROP_WIDTH / CROP_HEIGHT
    box = np.array([[-wide, -tall], [wide, -tall], [wide, tall], [-wide, tall]]) / 2
    if y > 0.5:
        box = -box
    return from_quad(card, box + np.array([x, y]))
