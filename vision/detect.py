"""Finds cards, backs, indices, discs and hands. The only file that knows the runtime.

The network (see models/detector) is fully convolutional and was trained on things of a
certain size in px. So the picture is looked at in several sizes, each of which shows
some of them at the right size, and what was found twice is kept once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.levels import planes
from vision.models import Manifest
from vision.types import Array, Bgr, Detection, Kind

CLASSES = (Kind.CARD, Kind.BACK, Kind.INDEX, Kind.DISC, Kind.HAND)
STRIDE = 32
FILL = 114
THREADS = 2

Detect = Callable[[Bgr, Sequence["View"]], tuple[Detection, ...]]


@dataclass(frozen=True, slots=True)
class View:
    """A part of the picture and the scale at which to look at it."""

    x_px: int
    y_px: int
    width_px: int
    height_px: int
    scale: float
    """Network px per picture px."""
    kinds: frozenset[Kind] = frozenset(CLASSES)


def whole_view(bgr: Bgr, long_side_px: float) -> View:
    """Return a view of all of `bgr`, its long side `long_side_px` for the network."""
    h, w = bgr.shape[:2]
    return View(0, 0, w, h, long_side_px / max(h, w))


def load_detector(manifest: Manifest) -> Detect:
    """Return a detector; only this function imports the runtime.

    Raises `ModelError` if the file is missing or is not what the manifest says.
    """
    session = open_session(manifest)
    least = dict.fromkeys(CLASSES, manifest.threshold("min_score"))
    least[Kind.INDEX] = manifest.threshold("min_index_score")
    return partial(_detect, session, least)


def open_session(manifest: Manifest) -> Any:
    """Return an onnxruntime session in 32 bit floats on the CPU."""
    weights = manifest.verified_weights()
    import onnxruntime  # noqa: PLC0415 - slow to import

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.log_severity_level = 3
    # Views and batches have many shapes; a plan kept for each doubles the memory.
    options.enable_mem_pattern = False
    # Threads that wait awake for more of one network keep the other's off the cores.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    return onnxruntime.InferenceSession(
        str(weights), options, providers=["CPUExecutionProvider"]
    )


def _detect(
    session: Any, least: Mapping[Kind, float], bgr: Bgr, views: Sequence[View]
) -> tuple[Detection, ...]:
    """Return what the network sees in `views`, best first, each thing once."""
    found: list[Detection] = []
    for view in views:
        found += _look(session, least, bgr, view)
    return merged(found)


def _look(
    session: Any, least: Mapping[Kind, float], bgr: Bgr, view: View
) -> Iterable[Detection]:
    part = bgr[
        view.y_px : view.y_px + view.height_px, view.x_px : view.x_px + view.width_px
    ]
    width = max(8, round(view.width_px * view.scale))
    height = max(8, round(view.height_px * view.scale))
    shrink = cv2.INTER_AREA if view.scale < 1 else cv2.INTER_LINEAR
    small = cv2.resize(part, (width, height), interpolation=shrink)
    padded = np.full(
        (-(-height // STRIDE) * STRIDE, -(-width // STRIDE) * STRIDE, 3), FILL, np.uint8
    )
    padded[:height, :width] = small
    # The network was trained on RGB, as ultralytics feeds it.
    blob = planes(padded[None], (2, 1, 0))
    (rows,) = session.run(None, {session.get_inputs()[0].name: blob})
    scale = np.array([width / view.width_px, height / view.height_px])
    for kind, box, score in _decoded(rows[0], least):
        if kind not in view.kinds:
            continue
        quad = (_corners(box) + 0.5) / scale - 0.5 + [view.x_px, view.y_px]
        yield Detection(kind, quad, score)


def _decoded(
    rows: NDArray[np.float32], least: Mapping[Kind, float]
) -> Iterable[tuple[Kind, Array, float]]:
    """Yield (kind, [cx, cy, w, h, angle], score) with at least the score of the kind,
    overlaps removed."""
    scores = rows[4 : 4 + len(CLASSES)]
    best = scores.max(0)
    needed = np.array([least[kind] for kind in CLASSES])[scores.argmax(0)]
    keep = np.flatnonzero(best >= needed)
    keep = keep[np.argsort(-best[keep])][:600]
    boxes = rows[[0, 1, 2, 3, 4 + len(CLASSES)]][:, keep].T.astype(float)
    classes = scores[:, keep].argmax(0)
    for number, kind in enumerate(CLASSES):
        mine = np.flatnonzero(classes == number)
        for i in _suppressed(boxes[mine], MAX_OVERLAP[kind]):
            yield kind, boxes[mine[i]], float(best[keep[mine[i]]])


MAX_OVERLAP = {
    Kind.CARD: 0.62,
    Kind.BACK: 0.62,
    Kind.INDEX: 0.6,
    Kind.DISC: 0.5,
    Kind.HAND: 0.5,
}
"""Two of a kind that overlap by more (IoU) are the same thing seen twice. Cards that
lie on each other overlap much; what is still doubled then is settled by identity."""


def _suppressed(boxes: Array, max_overlap: float) -> list[int]:
    """Return the rows that stay; `boxes` are sorted, best first."""
    kept: list[int] = []
    overlaps = _overlaps(boxes)
    alive = np.ones(len(boxes), bool)
    for i in range(len(boxes)):
        if alive[i]:
            kept.append(i)
            alive &= overlaps[i] <= max_overlap
    return kept


def _overlaps(boxes: Array) -> Array:
    """Return the (N, N) IoU of oriented boxes, by the Gaussian approximation (ProbIoU,
    arXiv 2106.06072) that the network was trained with."""
    x, y, w, h, angle = boxes.T
    a, b = w * w / 12, h * h / 12
    cos, sin = np.cos(angle), np.sin(angle)
    xx, yy = a * cos**2 + b * sin**2, a * sin**2 + b * cos**2
    xy = (a - b) * cos * sin
    sxx, syy = xx[:, None] + xx, yy[:, None] + yy
    sxy = xy[:, None] + xy
    dx, dy = x[:, None] - x, y[:, None] - y
    det = np.maximum(sxx * syy - sxy**2, 1e-9)
    near = (sxx * dy**2 + syy * dx**2 - 2 * sxy * dx * dy) / det / 4
    own = np.maximum(xx * yy - xy**2, 1e-9)
    spread = np.log(det / (4 * np.sqrt(own[:, None] * own)) + 1e-9) / 2
    distance = np.clip(near + spread, 0, 100)
    return np.asarray(1 - np.sqrt(np.clip(1 - np.exp(-distance), 0, 1)), float)


def _corners(box: Array) -> Array:
    """Return the (4, 2) corners, clockwise in the image, the first edge a short one."""
    x, y, w, h, angle = box
    if w > h:
        w, h, angle = h, w, angle + np.pi / 2
    right = np.array([np.cos(angle), np.sin(angle)]) * w / 2
    down = np.array([-np.sin(angle), np.cos(angle)]) * h / 2
    centre = np.array([x, y])
    return np.array(
        [
            centre - right - down,
            centre + right - down,
            centre + right + down,
            centre - right + down,
        ]
    )


def merged(
    found: Iterable[Detection], closer: Iterable[Detection] = ()
) -> tuple[Detection, ...]:
    """Return detections of several views with each thing once, best first.

    Where an index was seen in a closer look too, that one counts, whatever the scores:
    from afar, boxes on a fan lie askew.
    """
    nearby = frozenset(closer)
    ranked = sorted((*found, *nearby), key=lambda detection: -detection.score)
    result: list[Detection] = []
    for kind in CLASSES:
        mine = [d for d in ranked if d.kind is kind]
        if kind is Kind.INDEX:
            mine.sort(key=lambda detection: detection not in nearby)
        if mine:
            boxes = np.array([_box_of(d.quad_px) for d in mine])
            result += [mine[i] for i in _suppressed(boxes, MAX_OVERLAP[kind])]
    return tuple(sorted(result, key=lambda detection: -detection.score))


def _box_of(quad: Array) -> Array:
    right, down = quad[1] - quad[0], quad[3] - quad[0]
    centre = quad.mean(0)
    angle = float(np.arctan2(right[1], right[0]))
    return np.array([*centre, np.hypot(*right), np.hypot(*down), angle])
