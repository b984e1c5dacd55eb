"""Of what was detected, what is to be read: most of a followed table is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from vision.quads import is_inside
from vision.types import Array, Detection, Kind

Wanted: TypeAlias = Callable[[Array], bool]
"""Whether anything is wanted on a quad in px."""


def anywhere(_: Array) -> bool:
    """Return that things are wanted wherever they lie."""
    return True


def where_wanted(found: Sequence[Detection], wanted: Wanted) -> tuple[Detection, ...]:
    """Return what lies where something is wanted, and hands. An index goes with the
    card that it stands on: alone it would make a card."""
    if wanted is anywhere:
        return tuple(found)
    kept: list[Array] = []
    left_out: list[Array] = []
    for one in found:
        if one.kind in {Kind.CARD, Kind.BACK}:
            (kept if wanted(one.quad_px) else left_out).append(one.quad_px)

    def is_wanted(one: Detection) -> bool:
        if one.kind is Kind.HAND:
            return True
        if one.kind is Kind.INDEX:
            middle = one.quad_px.mean(0)
            if any(is_inside(card, middle) for card in kept):
                return True
            if any(is_inside(card, middle) for card in left_out):
                return False
        return wanted(one.quad_px)

    return tuple(one for one in found if is_wanted(one))
