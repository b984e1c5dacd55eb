"""Light across the rims of discs in rows of samples, for `vision.side_model`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from vision.medians import middle_of
from vision.types import Array

DARK_LEVELS = 12.0
"""Noise varies as light plus that."""

Samples = NDArray[np.float32]
"""What there is much of: single precision is enough, and half the work."""


@dataclass(frozen=True, slots=True, eq=False)
class Strips:
    """Samples across the rims of P discs, in G arcs each, at M offsets."""

    rows: Samples
    """(P, G, M, 3) linear light: brightness and two of colour."""
    at_px: Samples
    """(P, G, M) outwards from where the rim is thought to be."""
    past_px: Samples
    """(P, G, M) outwards from the outline of disc and side."""
    blur_px: Array
    """(P, G) sigma of the edges."""
    gap_px: Array
    """(P, G) width of the side that is seen, 0 where it is hidden."""
    taper_px: Array
    """(P, G) how far from the rim samples count, as the sigma of a bell."""
    known: NDArray[np.bool_]
    """(P, G) whether an arc lies in the picture."""
    worth: Samples
    """(P, G, M) how much each sample counts by itself, against the mean: by how many
    pixels it stands for, and less where it is bright (shot noise)."""
    line_px: Array
    line_light: Array
    """(P, G) width of the line with which faces end, and its light as a share of the
    face's beside it, 1 where there is none."""

    @classmethod
    def of(
        cls,
        rows: Samples,
        at_px: Array,
        blur_px: Array,
        gap_px: Array,
        taper_px: Array,
        known: NDArray[np.bool_],
        lines: tuple[Array, Array] | None = None,
    ) -> Strips:
        """Return samples at the same (M,) offsets from all rims."""
        at = np.broadcast_to(at_px.astype(np.float32), rows.shape[:3])
        past = at - gap_px[..., None].astype(np.float32)
        worth = worth_of(rows, np.float32(1))
        lines = lines or (np.zeros(blur_px.shape), np.ones(blur_px.shape))
        return cls(rows, at, past, blur_px, gap_px, taper_px, known, worth, *lines)

    def some(self, numbers: Sequence[int]) -> Strips:
        """Return those of some of the discs."""
        return Strips(*(getattr(self, one.name)[list(numbers)] for one in fields(self)))

    @property
    def lined(self) -> NDArray[np.bool_]:
        """Return (P,) whether their faces end in a line."""
        return np.asarray((self.line_light != 1).any(axis=1), bool)

    def line_at(self, near: Samples, blur: Samples) -> tuple[Samples, Samples]:
        """Return where samples lie from the inner edge of the line, in blurs, given how
        far they lie from the rim; and (P, G, 1) how much darker the line is."""
        into = near + np.asarray(self.line_px[..., None], np.float32) / blur
        return into, np.asarray(1 - self.line_light[..., None], np.float32)

    @property
    def channels(self) -> Array:
        """Return (P, 3) what counts at all: of a line the brightness alone is known."""
        ones = np.ones((len(self.lined), 3))
        ones[self.lined, 1:] = 0
        return ones


def worth_of(rows: Samples, many: Samples | np.float32) -> Samples:
    """Return how much samples count that stand for so `many` pixels."""
    light = np.maximum(rows[..., 0], 0) + np.float32(DARK_LEVELS)
    some = light[:, ::2, ::2].reshape(len(light), -1)
    usual = middle_of(np.asarray(some, float))[:, None, None]
    return np.asarray(many * usual / light, np.float32)
