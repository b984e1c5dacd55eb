"""When a picture of a board allows no ruling, and the code of the reason."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.discs import DiscFound, DiscUnclear
from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.quality import edge_blur_px
from vision.rim import DiscSize
from vision.types import Bgr, Finding

LEAST_IN_VIEW = 0.985
"""Share of the mat that must be in the picture: what lies on the rest is not known."""
LEAST_CHIP_PX = 12.0
"""Across a chip where it looks smallest: print on it can hardly be told then."""
SOFT_LONG_PX, SOFT_PX = 1100, 2.2
"""Features of a mat are looked for at this size, and are gone with that blur."""
LARGEST_RESIDUAL_SHARE = 0.008
"""Of the mat's long side: a mat that is off by more does not lie flat, or is another
size than was said."""


def picture_objection(findings: Sequence[Finding]) -> str:
    """Return why the picture as such allows nothing, or "": ``blurred``."""
    return "blurred" if any(one.code == "blurred" for one in findings) else ""


def is_soft(bgr: Bgr) -> bool:
    """Return whether a picture is so blurred that a mat may not be known in it."""
    scale = min(1.0, SOFT_LONG_PX / max(bgr.shape[:2]))
    gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    small = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return edge_blur_px(np.asarray(small, np.uint8)) > SOFT_PX


def map_objection(
    table: TableMap, bounds_mm: tuple[float, float, float, float], chip: DiscSize
) -> str:
    """Return why a map allows no ruling, or "": ``inconsistent``, ``cut_off``,
    ``too_small``, ``horizon``."""
    left, low, right, high = bounds_mm
    if table.residual_mm > LARGEST_RESIDUAL_SHARE * max(right - left, high - low):
        return "inconsistent"
    x, y = np.meshgrid(np.linspace(left, right, 24), np.linspace(low, high, 24))
    spread = np.column_stack([x.ravel(), y.ravel()])
    try:
        seen = table.to_image(spread)
        scales = np.linalg.svd(table.jacobian(spread), compute_uv=False)
    except GeometryError:
        return "horizon"
    size = np.array([table.camera.width_px, table.camera.height_px])
    in_view = ((seen >= 0) & (seen <= size - 1)).all(axis=1).mean()
    if in_view < LEAST_IN_VIEW:
        return "cut_off"
    if float(scales.min()) * chip.diameter_mm < LEAST_CHIP_PX:
        return "too_small"
    return ""


def unsharp(discs: Sequence[DiscFound], unclear: Sequence[DiscUnclear]) -> str:
    """Return ``blurred`` or ``moving`` if most discs were refused for it, else ""."""
    for reason in ("moving", "blurred"):
        refused = sum(disc.reason == reason for disc in unclear)
        if refused > len(discs):
            return reason
    return ""
