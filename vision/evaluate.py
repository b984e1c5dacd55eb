"""How well a folder of labelled pictures is read: counts, shares and their intervals.

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
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from vision.errors import ImageError, VisionError
from vision.types import Kind, Observation, Placement

Box = tuple[float, float, float, float]
"""xmin, ymin, xmax, ymax in px."""

MIN_IOU = 0.5
EDGE_SHARE = 0.02
"""A card whose box comes this near to the border of the picture lies at its edge."""
Z_95 = 1.959964

_STANDARD = re.compile(r"(10|[2-9AJQK])([SHDC])", re.IGNORECASE)
_UNLABELLED = re.compile(r"unlabelled|not labelled", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many, with what that says of the true share.

    >>> str(Share(98, 100))
    '98/100 = 0.980 (0.930-0.994)'
    """

    hits: int
    total: int

    @property
    def value(self) -> float:
        """Return the share, or NaN of nothing."""
        return self.hits / self.total if self.total else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of Wilson, which is sensible near 0 and 1 too."""
        if not self.total:
            return (0.0, 1.0)
        n, p, z2 = self.total, self.value, Z_95**2
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        reach = Z_95 * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
        return (max(0.0, middle - reach), min(1.0, middle + reach))

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.hits}/{self.total} = {self.value:.3f} ({low:.3f}-{high:.3f})"


@dataclass(frozen=True, slots=True)
class Row:
    """One picture: the names that it should give and those that it gave."""

    image: str
    truth: tuple[str, ...]
    """As labelled, copies and all."""
    right: tuple[str, ...] = ()
    """Distinct names that are there and were read."""
    missed: tuple[str, ...] = ()
    false: tuple[str, ...] = ()
    unlabelled: tuple[str, ...] = ()
    """Read at the edge of a picture whose note says that cards there have no label:
    neither right nor false."""
    exact: bool = False
    """The names and how often each occurs are just those of the labels."""
    doubled: int = 0
    """Cards that are there and were read once more than they lie there."""
    unread: int = 0
    """Cards, face up, that were found but not named."""
    boxes: int = 0
    boxes_found: int = 0
    findings: tuple[str, ...] = ()
    timings_ms: tuple[tuple[str, float], ...] = ()
    error: str = ""
    """Why the picture could not be read at all."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a reader makes of a folder."""

    folder: str
    rows: tuple[Row, ...]

    @property
    def recall(self) -> Share:
        """Return how many of the distinct cards of all pictures were named."""
        right = sum(len(row.right) for row in self.rows)
        return Share(right, right + sum(len(row.missed) for row in self.rows))

    @property
    def precision(self) -> Share:
        """Return how many of the distinct names given are there."""
        right = sum(len(row.right) for row in self.rows)
        return Share(right, right + sum(len(row.false) for row in self.rows))

    @property
    def exact(self) -> Share:
        """Return how many pictures are wholly right."""
        return Share(sum(row.exact for row in self.rows), len(self.rows))

    @property
    def localisation(self) -> Share:
        """Return how many labelled boxes were found; the total is 0 without boxes."""
        found = sum(row.boxes_found for row in self.rows)
        return Share(found, sum(row.boxes for row in self.rows))

    @property
    def recall_by_suit(self) -> dict[str, Share]:
        """Return the recall of each suit of standard cards."""
        return self._recall_by(2, "shdc")

    @property
    def recall_by_rank(self) -> dict[str, Share]:
        """Return the recall of each rank of standard cards."""
        return self._recall_by(1, ("A", *map(str, range(2, 11)), "J", "Q", "K"))

    @property
    def rank_confusions(self) -> Counter[tuple[str, str]]:
        """Return how often a rank (first) was read as another one (second)."""
        return self._confusions(1)

    @property
    def suit_confusions(self) -> Counter[tuple[str, str]]:
        """Return how often a suit (first) was read as another one (second)."""
        return self._confusions(2)

    @property
    def median_ms(self) -> dict[str, float]:
        """Return the median time of each stage, in the order of the stages."""
        times: dict[str, list[float]] = {}
        for row in self.rows:
            for stage, took_ms in row.timings_ms:
                times.setdefault(stage, []).append(took_ms)
        return {stage: statistics.median(took) for stage, took in times.items()}

    def records(self) -> list[dict[str, str | int | float]]:
        """Return the summary, one measure per record, with its 95 % interval."""
        shares = {
            "recall": self.recall,
            "precision": self.precision,
            "exact photos": self.exact,
        }
        if self.localisation.total:
            shares["boxes found"] = self.localisation
        shares |= {f"recall {suit}": one for suit, one in self.recall_by_suit.items()}
        shares |= {f"recall {rank}": one for rank, one in self.recall_by_rank.items()}
        return [
            {
                "set": self.folder,
                "measure": measure,
                "hits": share.hits,
                "total": share.total,
                "value": round(share.value, 4) if share.total else "",
                "low": round(share.interval[0], 4),
                "high": round(share.interval[1], 4),
            }
            for measure, share in shares.items()
        ]

    def _recall_by(self, part: int, order: Iterable[str]) -> dict[str, Share]:
        right = Counter(_part(name, part) for row in self.rows for name in row.right)
        missed = Counter(_part(name, part) for row in self.rows for name in row.missed)
        return {
            key: Share(right[key], right[key] + missed[key])
            for key in order
            if right[key] + missed[key]
        }

    def _confusions(self, part: int) -> Counter[tuple[str, str]]:
        pairs = (pair for row in self.rows for pair in confused(row.missed, row.false))
        parts = ((_part(truth, part), _part(read, part)) for truth, read in pairs)
        return Counter((truth, read) for truth, read in parts if truth != read)


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


def to_csv(report: Report) -> str:
    """Return one line per picture, with a header."""
    stages = list(report.median_ms)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([
        *("set", "image", "labelled", "right", "missed", "false", "unlabelled"),
        *("exact", "doubled", "unread", "boxes", "boxes_found"),
        *("missed_names", "false_names", "findings", "error"),
        *(f"{stage}_ms" for stage in stages),
    ])  # fmt: skip
    for row in report.rows:
        took = dict(row.timings_ms)
        writer.writerow([
            *(report.folder, row.image, len(set(row.truth)), len(row.right)),
            *(len(row.missed), len(row.false), len(row.unlabelled), int(row.exact)),
            *(row.doubled, row.unread, row.boxes, row.boxes_found),
            *("|".join(row.missed), "|".join(row.false), "|".join(row.findings)),
            row.error,
            *(f"{took[stage]:.1f}" if stage in took else "" for stage in stages),
        ])  # fmt: skip
    return out.getvalue()


def canonical(name: str) -> str:
    """Return a card's name as Arbitro writes it; other decks' names stay as they are.

    >>> [canonical(name) for name in ("10C", "qh", "JOKER", "Sol Ring")]
    ['10c', 'Qh', 'X', 'Sol Ring']
    """
    name = " ".join(name.split())
    if standard := _STANDARD.fullmatch(name):
        rank, suit = standard.groups()
        return rank.upper() + suit.lower()
    return "X" if re.fullmatch(r"joker\d?", name, re.IGNORECASE) else name


def confused(missed: Iterable[str], false: Iterable[str]) -> list[tuple[str, str]]:
    """Return (truth, read) pairs of standard cards that were taken for another.

    Without places, which false name stands for which card is a guess: first those that
    share the suit or the rank, and then, if just one of each is left, these two.
    """
    left = [name for name in missed if _STANDARD.fullmatch(name)]
    read = [name for name in false if _STANDARD.fullmatch(name)]
    pairs = []
    for part in (2, 1):
        for truth in list(left):
            same = [name for name in read if _part(name, part) == _part(truth, part)]
            if same:
                pairs.append((truth, same[0]))
                left.remove(truth)
                read.remove(same[0])
    if len(left) == len(read) == 1:
        pairs.append((left[0], read[0]))
    return pairs


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


def _part(name: str, part: int) -> str:
    standard = _STANDARD.fullmatch(name)
    return standard.group(part) if standard else ""


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
