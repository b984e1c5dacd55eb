"""The sheet of points: what `score_table` says of one look at the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from engines.core.ruling import Finding, Question, Ruling
from engines.core.text import Text

Scalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure: a `key` for programs, a `title` for people, and the value.

    A `Text` value is a sentence or a name; a tuple is a list of labels; `None` is
    "not known".
    """

    key: str
    title: Text
    value: Scalar | Text | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One battlefield, Base, sector, hand or enemy with its figures."""

    key: str
    title: Text
    cells: tuple[Cell, ...]

    def value(self, key: str) -> Scalar | Text | tuple[str, ...]:
        """Return the value of the cell `key`; raise `KeyError` if there is none."""
        for cell in self.cells:
            if cell.key == key:
                return cell.value
        raise KeyError(key)


@dataclass(frozen=True, slots=True)
class Sheet:
    """The score of a table, with what was ruled, asked and noticed on the way."""

    game: str
    rows: tuple[Row, ...]
    totals: tuple[Cell, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    questions: tuple[Question, ...] = ()
    findings: tuple[Finding, ...] = ()

    def row(self, key: str) -> Row:
        """Return the row `key`; raise `KeyError` if there is none."""
        for row in self.rows:
            if row.key == key:
                return row
        raise KeyError(key)

    def figures(self) -> Mapping[str, Mapping[str, object]]:
        """Return row key -> cell key -> plain value; totals under ``"total"``.

        Labels are lists, sentences are in English: the form that tests and JSON use.
        """
        figures = {row.key: _plain(row.cells) for row in self.rows}
        if self.totals:
            figures["total"] = _plain(self.totals)
        return figures


def _plain(cells: tuple[Cell, ...]) -> dict[str, object]:
    plain: dict[str, object] = {}
    for cell in cells:
        value: object = cell.value
        if isinstance(value, Text):
            value = str(value)
        elif isinstance(value, tuple):
            value = list(value)
        plain[cell.key] = value
    return plain
