"""The rendered tables that ship with Arbitro, for a first look without cards."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "demo"
GAME = "regicide"


@dataclass(frozen=True, slots=True)
class DemoTable:
    """One picture with what truly lies in it."""

    path: Path
    game: str
    options: Mapping[str, str]
    cards: tuple[str, ...]
    """Labels of all cards that lie face up."""

    @property
    def name(self) -> str:
        """Return the name of the file without its ending."""
        return self.path.stem


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was read against what is there."""

    right: int
    total: int
    missed: tuple[str, ...]
    wrong: tuple[str, ...]


@cache
def tables() -> tuple[DemoTable, ...]:
    """Return the tables, by name."""
    return tuple(map(_table, sorted(FOLDER.glob("*.jpg"))))


def compare(table: DemoTable, labels: Iterable[str]) -> Comparison:
    """Return how the labels that were read compare with the truth."""
    truth, read = Counter(table.cards), Counter(labels)
    return Comparison(
        right=(truth & read).total(),
        total=truth.total(),
        missed=tuple((truth - read).elements()),
        wrong=tuple((read - truth).elements()),
    )


def _table(path: Path) -> DemoTable:
    truth = json.loads(path.with_suffix(".json").read_text("utf-8"))
    options = {str(key): str(value) for key, value in truth.get("options", {}).items()}
    return DemoTable(path, truth["game"], options, tuple(truth["cards"]))
