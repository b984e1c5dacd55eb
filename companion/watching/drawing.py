"""The picture of a watched table with what was read drawn on it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from vision.images import decode, to_jpeg
from vision.overlay import draw
from vision.types import Observation, Placement

QUALITY = 80


def overlay_jpeg(jpeg: bytes, observation: Observation | None) -> bytes:
    """Return the picture with the marks of an observation; without one, as it is.

    The picture may be smaller than the one that was read.
    """
    if observation is None:
        return jpeg
    frame = decode(jpeg, source="live")
    scale = frame.bgr.shape[1] / observation.width_px
    placements = tuple(_scaled(one, scale) for one in observation.placements)
    small = replace(
        observation,
        width_px=frame.bgr.shape[1],
        height_px=frame.bgr.shape[0],
        taken_at=datetime.now(UTC),
        placements=placements,
    )
    return to_jpeg(draw(frame, small), QUALITY)


def _scaled(placement: Placement, scale: float) -> Placement:
    quad = tuple((x * scale, y * scale) for x, y in placement.quad_px)
    return replace(placement, quad_px=quad)
