"""What every pipeline shares: laps, things seen twice, and the observation itself."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vision.quads import quad_overlap
from vision.types import (
    Array,
    Bgr,
    Detection,
    Finding,
    Frame,
    Identity,
    Kind,
    Observation,
    Placement,
    Quad,
    TableFound,
    TableNotFound,
)

MIN_CONTRAST = 3.0
"""Grey levels (standard deviation) that a hand has at least."""
SAME_OUTLINE = 0.9
"""Two outlines that overlap by more (IoU) are of one card."""


@dataclass(slots=True)
class Stopwatch:
    """Laps in milliseconds, in the order of the stages."""

    laps: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

    def lap(self, stage: str) -> None:
        """Add the time since the last lap to `stage`."""
        now = time.perf_counter()
        self.laps[stage] = self.laps.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now


def distinct(found: Sequence[Detection], quads_px: Sequence[Array]) -> list[int]:
    """Return which detections stay, best first: not those whose outline fell on that of
    a better one."""
    kept: list[int] = []
    for i in sorted(range(len(found)), key=lambda i: -found[i].score):
        if all(quad_overlap(quads_px[i], quads_px[k]) < SAME_OUTLINE for k in kept):
            kept.append(i)
    return kept


def hands(bgr: Bgr, found: Sequence[Detection], min_score: float) -> list[Detection]:
    """Return the hands among what was detected."""
    return [
        d
        for d in found
        if d.kind is Kind.HAND
        and d.score >= min_score
        and _has_contrast(bgr, d.quad_px)
    ]


def others_placed(things: Sequence[Detection], cards: int) -> list[Placement]:
    """Return the placements of hands and discs, on top of so many cards."""
    return [
        Placement(
            id=f"{thing.kind.value[0]}{number}",
            kind=thing.kind,
            identity=Identity(None),
            score=round(thing.score, 4),
            quad_px=plain_quad(thing.quad_px),
            order=cards + number,
        )
        for number, thing in enumerate(things)
    ]


def noticed(placements: Sequence[Placement]) -> tuple[Finding, ...]:
    """Return what is missing: everything, or the names of some cards."""
    if not placements:
        return (Finding("nothing_found"),)
    unread = [
        p.id for p in placements if p.kind is Kind.CARD and p.identity.label is None
    ]
    if not unread:
        return ()
    return (Finding("unread", (("count", len(unread)),), tuple(unread)),)


def observed(
    frame: Frame,
    table: TableFound | TableNotFound,
    placements: tuple[Placement, ...],
    findings: tuple[Finding, ...],
    watch: Stopwatch,
) -> Observation:
    """Return all that was seen in a frame."""
    return Observation(
        frame=frame.id,
        source=frame.source,
        width_px=frame.bgr.shape[1],
        height_px=frame.bgr.shape[0],
        taken_at=frame.taken_at,
        table=table,
        placements=placements,
        findings=findings,
        timings_ms=tuple((k, round(v, 2)) for k, v in watch.laps.items()),
    )


def plain_quad(quad_px: Array) -> Quad:
    """Return a quad as plain numbers, to a hundredth of a px."""
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in quad_px)


def _has_contrast(bgr: Bgr, quad_px: Array) -> bool:
    """Return whether there is anything to see in a box: a hand is not one even grey."""
    low = np.maximum(quad_px.min(0), 0).astype(int)
    high = np.ceil(quad_px.max(0)).astype(int)
    part = bgr[low[1] : high[1] : 4, low[0] : high[0] : 4]
    return bool(part.size) and float(part.std(axis=(0, 1)).max()) > MIN_CONTRAST
