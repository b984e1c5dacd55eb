"""Which boxes of corner indices are around one place, and what is read there once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from vision.cards import FAINT, IndexSeen
from vision.quads import area_px2, is_inside, quad_overlap
from vision.types import Detection

Box = TypeVar("Box", Detection, IndexSeen)
SAME_PLACE, BESIDE, SAME_INDEX = 0.2, 0.3, 0.4
"""Boxes of indices that overlap by more (IoU) are of one place, those that were found
but faintly by more than the first; and what is read there is one index if it is one
face, or overlaps by more than the last: in a close fan two cards' indices overlap by a
third."""
GIANT = 3.0
"""A box of so many times the area is not of the same index."""
TOLD = 0.4
"""A reading that is less certain than this says nothing against another. Of 22 on 130
rendered tables that said another face so surely, and overlapped by .2 to .3, 21 were of
another card, 15 of them less sure than .8; of 15 that overlapped by more than .4 none
was."""


def by_place(boxes: Sequence[Box]) -> list[list[Box]]:
    """Return the boxes in groups, those of one place together, in the order given."""
    return _grouped(boxes, _are_of_one_place)


def _grouped(
    boxes: Sequence[Box], is_same: Callable[[Box, Box], bool]
) -> list[list[Box]]:
    """Return groups of boxes that are the same as the first of their group."""
    groups: list[list[Box]] = []
    for box in boxes:
        for group in groups:
            if is_same(group[0], box):
                group.append(box)
                break
        else:
            groups.append([box])
    return groups


def _are_of_one_place(one: Box, other: Box) -> bool:
    least = BESIDE if other.score >= FAINT else SAME_PLACE
    return quad_overlap(one.quad_px, other.quad_px) > least


def indices_once(indices: Sequence[IndexSeen]) -> list[IndexSeen]:
    """Return the indices with those that several boxes led to once: the clearest, and
    seen as surely as any of them."""
    clearest = sorted(indices, key=lambda index: -index.reading.certainty)
    return [
        replace(group[0], score=max(index.score for index in group))
        for group in _grouped(clearest, _is_same)
    ]


def _is_same(one: IndexSeen, other: IndexSeen) -> bool:
    """Return whether two boxes led to one index, or the second to a card on which the
    first stands, as if it were its corner."""
    is_told = other.reading.certainty > TOLD
    is_alike = one.reading.faces.argmax() == other.reading.faces.argmax()
    if is_alike and other.window_px is not None:
        is_giant = area_px2(other.quad_px) > GIANT * area_px2(one.quad_px)
        if is_giant and is_inside(other.window_px, one.quad_px.mean(0)):
            return True
    least = SAME_INDEX if is_told and not is_alike else SAME_PLACE
    return quad_overlap(one.quad_px, other.quad_px) > least
