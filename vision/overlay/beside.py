"""Where a tag goes beside the thing that it names."""

from __future__ import annotations

from collections.abc import Sequence

from vision.types import Array

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def box_of(points: Array) -> Box:
    """Return the box around (N, 2) points."""
    (left, top), (right, bottom) = points.min(0), points.max(0)
    return float(left), float(top), float(right), float(bottom)


def place_beside(
    thing: Box,
    extent: tuple[float, float],
    gap: float,
    taken: Sequence[Box],
    size: tuple[int, int],
) -> Box:
    """Return where a tag so wide and tall hides the least of what is `taken`: right of
    the thing, left, above or below, the first of those as good.

    `size` is that of the picture, width and height: what is cut off is the last choice.
    """
    wide, tall = extent
    left, top, right, bottom = thing
    x, y = (left + right) / 2, (top + bottom) / 2
    corners = (
        (right + gap, y - tall / 2),
        (left - gap - wide, y - tall / 2),
        (x - wide / 2, top - gap - tall),
        (x - wide / 2, bottom + gap),
    )
    boxes = [(a, b, a + wide, b + tall) for a, b in corners]
    return min(boxes, key=lambda box: _hidden(box, taken, size))


def _hidden(box: Box, taken: Sequence[Box], size: tuple[int, int]) -> float:
    """Return the area that a tag there would hide, more for what is cut off."""
    hidden = 0.0
    for other in taken:
        wide = min(box[2], other[2]) - max(box[0], other[0])
        tall = min(box[3], other[3]) - max(box[1], other[1])
        hidden += max(wide, 0.0) * max(tall, 0.0)
    inside = box[0] >= 0 and box[1] >= 0 and box[2] < size[0] and box[3] < size[1]
    return hidden if inside else hidden + 1e6
