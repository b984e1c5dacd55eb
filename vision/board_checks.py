"""When a picture of a board allows no ruling, and the code of the reason."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from vision.discs import DiscFound, DiscUnclear
from vision.errors import GeometryError
from vision.geometry import Camera, TableMap
from vision.quality import edge_blur_px
from vision.rim import DiscSize
from vision.rim_verdict import MAX_RADIUS_SIGMAS, OTHER_SIZE
from vision.types import Bgr, Finding, TableNotFound

LEAST_IN_VIEW = 0.985
"""Share of the mat that must be in the picture: what lies on the rest is not known."""
LEAST_CHIP_PX = 12.0
"""Across a chip where it looks smallest: print on it can hardly be told then."""
UNKNOWN, LOST_SHARE = ("no_reference", "mat_not_seen", "inconsistent"), 1.5
"""Where a mat is not found, and for so many times the pixels, it is for want of them.
"""
SOFT_LONG_PX, SOFT_PX = 1100, 2.2
"""Features of a mat are looked for at this size, and are gone with that blur."""
SMEARED_SHARE = 0.12
"""Slopes in the flattest direction, of those in the steepest one: less is a smear."""
KNOWN_FOCAL, LEAST_FOCAL, FOCAL_SHARE, OTHER_LENS_SIGMAS = 0.1, 0.005, 0.008, 3.0
"""A focal length is known if its sigma, as a share of it, is less than the first; no
calibration is better than the second, and a bent mat or a focus that breathes moves
what is seen by the third."""
FEWEST_OTHER, OTHER_SIGMAS, OTHER_SHARE = 2, 1.5, 0.03
"""One or two discs of another size may be another game's; all discs of one picture
differ from the kit the same way, by what lens and sensor let grow: of 60 rendered
boards the median was off by 0.8 sigmas at most. Our own fiches have outlines that a
camera sharpens: seen 20 px wide they look larger by up to 2.2 % of their radius."""
LARGEST_RESIDUAL_SHARE = 0.008
"""Of the mat's long side: a mat that is off by more does not lie flat, or is another
size than was said."""


def picture_objection(findings: Sequence[Finding]) -> str:
    """Return why the picture as such allows nothing, or "": ``blurred``."""
    return "blurred" if any(one.code == "blurred" for one in findings) else ""


def why_unseen(bgr: Bgr) -> str:
    """Return why a mat may not be known in a picture: ``moving``, ``blurred``, or "".

    A motion takes away all slopes along it: of 183 photos of tables none had less than
    0.24 of its slopes in the flattest direction.
    """
    scale = min(1.0, SOFT_LONG_PX / max(bgr.shape[:2]))
    gray = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    small = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    x, y = cv2.Sobel(small, cv2.CV_32F, 1, 0), cv2.Sobel(small, cv2.CV_32F, 0, 1)
    slopes = np.stack([np.ravel(x), np.ravel(y)])
    least, most = np.linalg.eigvalsh(slopes @ slopes.T)
    if most > 0 and least < SMEARED_SHARE * most:
        return "moving"
    return "blurred" if edge_blur_px(np.asarray(small, np.uint8)) > SOFT_PX else ""


def has_few_pixels(
    bgr: Bgr,
    bounds_mm: tuple[float, float, float, float],
    chip: DiscSize,
    table: TableMap | TableNotFound,
) -> bool:
    """Return whether chips are too small in a picture, whatever the camera's place.

    The mat covers no more than the picture. So the mean of what a square mm covers is
    bounded, and with it how wide a chip is where it looks smallest. A mat that was not
    found fills less than that: its pixels are the likeliest reason.
    """
    left, low, right, high = bounds_mm
    height_px, width_px = bgr.shape[:2]
    most = height_px * width_px / (LEAST_IN_VIEW * (right - left) * (high - low))
    is_lost = isinstance(table, TableNotFound) and table.reason in UNKNOWN
    least_px = LEAST_CHIP_PX * (LOST_SHARE if is_lost else 1.0)
    return math.sqrt(most) * chip.diameter_mm < least_px


def map_objection(
    table: TableMap,
    bounds_mm: tuple[float, float, float, float],
    chip: DiscSize,
    camera: Camera,
) -> str:
    """Return why a map allows no ruling, or "": ``inconsistent``, ``another_lens``,
    ``cut_off``, ``too_small``, ``horizon``."""
    left, low, right, high = bounds_mm
    if is_another_lens(table, camera):
        return "another_lens"
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


def is_another_lens(table: TableMap, camera: Camera) -> bool:
    """Return whether the mat is seen as by another lens than that of the camera.

    A screen or a print shows the perspective of the lens that took it, made smaller by
    as much as it does not fill the picture. Where the focal length is known (from EXIF
    or a calibration) and the mat is seen aslant, the two contradict each other. A
    picture that is shown undistorted and fills the frame is as good as itself.
    """
    if camera.focal_sigma > KNOWN_FOCAL:
        return False
    shown = math.log(table.camera.focal_px[0] / camera.focal_px[0])
    off, sigma = table.lens or (shown, 0.0)
    spread = math.hypot(max(camera.focal_sigma, LEAST_FOCAL), FOCAL_SHARE, sigma)
    return abs(off) > OTHER_LENS_SIGMAS * spread


def lens_findings(camera: Camera) -> tuple[Finding, ...]:
    """Return ``lens_unknown`` where no photo of a screen could be told by its lens."""
    return (Finding("lens_unknown"),) if camera.focal_sigma > KNOWN_FOCAL else ()


def discs_objection(
    discs: Sequence[DiscFound], unclear: Sequence[DiscUnclear], *, tapped: bool
) -> str:
    """Return why what was measured allows no ruling, or "": ``blurred`` or ``moving``
    if most discs were refused for it, ``other_size`` if most are not as large as the
    kit says.

    Chips are rigid and of known size: if they measure wrong the map is (the camera was
    bumped after its corners were tapped, say), or the kit is. A map that rests on print
    in the picture is checked by that; where corners were `tapped`, nothing else tells.
    """
    for reason in ("moving", "blurred"):
        refused = sum(disc.reason == reason for disc in unclear)
        if refused > len(discs):
            return reason
    least = 0.0 if tapped else OTHER_SHARE
    other = sum(_is_other(disc, least) for disc in discs)
    as_said = len(discs) - other
    other += sum(disc.reason == OTHER_SIZE for disc in unclear)
    return OTHER_SIZE if other > max(as_said, FEWEST_OTHER) else ""


def _is_other(disc: DiscFound, least_share: float) -> bool:
    sigmas, radius_mm = abs(disc.radius_sigmas), disc.size.diameter_mm / 2
    clearly = abs(disc.radius_error_mm) >= least_share * radius_mm
    return sigmas >= MAX_RADIUS_SIGMAS or (sigmas > OTHER_SIGMAS and clearly)
