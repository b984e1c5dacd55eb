"""What a reading of labelled pictures counts up to: shares and their intervals.

Standard cards are named as `canonical` writes them; other decks' names stay theirs.
"""

from __future__ import annotations

import csv
import io
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

Z_95 = 1.959964

_STANDARD = re.compile(r"(10|[2-9AJQK])([SHDC])", re.IGNORECASE)


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


def _part(name: str, part: int) -> str:
    standard = _STANDARD.fullmatch(name)
    return standard.group(part) if standard else ""
