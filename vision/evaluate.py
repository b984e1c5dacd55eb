"""How well a folder of labelled pictures is read, counted (`vision.accuracy`).

The folder holds ``labels.csv`` (columns ``image``, ``cards``, perhaps ``n_cards`` and
``note``), the pictures beside it or in ``images/``, and perhaps ``boxes.csv`` (``image
card xmin ymin xmax ymax kind``). Cards are separated by spaces or, where names have
spaces themselves, by ``|``. Standard cards may be written ``10C`` or ``10c``.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from vision.accuracy import Report, Row, canonical
from vision.errors import ImageError, VisionError
from vision.types import Kind, Observation, Placement

Box = tuple[float, float, float, float]
"""xmin, ymin, xmax, ymax in px."""

MIN_IOU = 0.5
EDGE_SHARE = 0.02
"""A card whose box comes this near to the border of the picture lies at its edge."""
_UNLABELLED = re.compile(r"unlabelled|not labelled", re.IGNORECASE)


def evaluate(
    folder: Path,
    read: Callable[[Path], Observation],
    *,
    known: frozenset[str] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Read every labelled picture of `folder` and compare with the labels.

    `known` are the labels that can be named at all, where a deck is given: other cards
    count only if a name is given to them. Cards of the column `partly_visible` may be
    named or not.

    A picture that `read` refuses (`ImageError`) counts as all missed. `progress` is
    told how many pictures of how many are done. Raises `VisionError` if the labels
    cannot be used.
    """
    labels = _read_csv(folder / "labels.csv", ("image", "cards"))
    boxes: dict[str, list[dict[str, str]]] = {}
    if (folder / "boxes.csv").exists():
        columns = ("image", "card", "xmin", "ymin", "xmax", "ymax")
        for box in _read_csv(folder / "boxes.csv", columns):
            boxes.setdefault(box["image"], []).append(box)
    inside = folder / "images" if (folder / "images").is_dir() else folder
    rows = []
    for done, label in enumerate(labels, start=1):
        image = label["image"]
        truth = tuple(canonical(name) for name in _names(label))
        if known is not None:
            truth = tuple(name for name in truth if name in known)
        try:
            observation = read(inside / image)
        except ImageError as error:
            missed, boxed = tuple(sorted(set(truth))), len(boxes.get(image, ()))
            rows.append(Row(image, truth, missed=missed, boxes=boxed, error=error.code))
        else:
            rows.append(_compare(label, truth, boxes.get(image, []), observation))
        progress(done, len(labels))
    return Report(folder.name, tuple(rows))


def iou(a: Box, b: Box) -> float:
    """Return the intersection over union of two boxes."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    return width * height / (sum(areas) - width * height)


def _read_csv(path: Path, columns: tuple[str, ...]) -> list[dict[str, str]]:
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise VisionError(f"cannot read the labels in {path}") from error
    rows = list(csv.DictReader(io.StringIO(text), restval=""))
    if not rows or any(column not in rows[0] for column in columns):
        raise VisionError(f"{path} needs the columns {', '.join(columns)}")
    return rows


def _names(label: Mapping[str, str]) -> list[str]:
    cards = label["cards"].strip()
    if "|" in cards:
        return [name for name in cards.split("|") if name.strip()]
    # A single title may have spaces in it.
    return [cards] if label.get("n_cards") == "1" and cards else cards.split()


def _compare(
    label: Mapping[str, str],
    truth: tuple[str, ...],
    boxes: list[dict[str, str]],
    observation: Observation,
) -> Row:
    shown = [one for one in observation.placements if one.kind is Kind.CARD]
    named = [one for one in shown if one.identity.label is not None]
    labelled = set(truth)
    partly = {canonical(name) for name in label.get("partly_visible", "").split("|")}
    some_unlabelled = bool(_UNLABELLED.search(label.get("note", "")))
    beside = [
        one
        for one in named
        if canonical(one.identity.label or "") not in labelled
        and (
            canonical(one.identity.label or "") in partly
            or (some_unlabelled and _is_at_edge(one, observation))
        )
    ]
    names = Counter(
        canonical(one.identity.label or "") for one in named if one not in beside
    )
    return Row(
        image=label["image"],
        truth=truth,
        right=tuple(sorted(labelled & names.keys())),
        missed=tuple(sorted(labelled - names.keys())),
        false=tuple(sorted(names.keys() - labelled)),
        unlabelled=tuple(sorted(one.identity.label or "" for one in beside)),
        exact=names == Counter(truth),
        doubled=sum((names - Counter(truth))[name] for name in labelled),
        unread=len(shown) - len(named),
        boxes=len(boxes),
        boxes_found=_boxes_found(boxes, observation),
        findings=tuple(finding.code for finding in observation.findings),
        timings_ms=observation.timings_ms,
    )


def _bounds(placement: Placement, observation: Observation) -> Box:
    x, y = zip(*placement.quad_px, strict=True)
    right, bottom = observation.width_px, observation.height_px
    return max(min(x), 0), max(min(y), 0), min(max(x), right), min(max(y), bottom)


def _is_at_edge(placement: Placement, observation: Observation) -> bool:
    left, top, right, bottom = _bounds(placement, observation)
    width, height = observation.width_px, observation.height_px
    within = EDGE_SHARE * max(width, height)
    return min(left, top, width - right, height - bottom) < within


def _boxes_found(boxes: list[dict[str, str]], observation: Observation) -> int:
    """Return how many boxes have a card of their own.

    Boxes of whole cards are found by overlap, whatever the card was read as; boxes of
    corner indices, which are smaller than any placement, by a card of that name around
    them.
    """
    kinds = (Kind.CARD, Kind.BACK)
    cards = [one for one in observation.placements if one.kind in kinds]
    free = {one.id: _bounds(one, observation) for one in cards}
    overlaps = []
    found = 0
    for number, row in enumerate(boxes):
        box = _box(row)
        if row.get("kind") == "corner":
            name = canonical(row["card"])
            found += any(
                canonical(one.identity.label or "") == name and _is_around(one, box)
                for one in cards
            )
        else:
            overlaps += [(iou(box, other), number, id_) for id_, other in free.items()]
    taken: set[int] = set()
    for overlap, number, id_ in sorted(overlaps, reverse=True):
        if overlap >= MIN_IOU and number not in taken and id_ in free:
            taken.add(number)
            del free[id_]
    return found + len(taken)


def _box(row: Mapping[str, str]) -> Box:
    try:
        xmin, ymin, xmax, ymax = (
            float(row[key]) for key in ("xmin", "ymin", "xmax", "ymax")
        )
    except ValueError as error:
        raise VisionError(f"boxes.csv: not a box: {dict(row)}") from error
    return xmin, ymin, xmax, ymax


def _is_around(placement: Placement, box: Box) -> bool:
    """Whether the middle of the box lies within the quad, or half a box outside."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    slack = max(box[2] - box[0], box[3] - box[1]) / 2
    quad = placement.quad_px
    for (x0, y0), (x1, y1) in zip(quad, (*quad[1:], quad[0]), strict=True):
        length = math.hypot(x1 - x0, y1 - y0)
        # Clockwise with y down: the inside is on the right-hand side of every edge.
        inward = (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)
        if inward < -slack * length:
            return False
    return True
