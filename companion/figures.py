"""A sheet of points as people see it: figures, signs, rows of cards.

The page and the terminal draw the same blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.i18n import N_, say
from companion.labels import SYMBOLS, CardFace, capital, face, zone_word
from engines.core import Card, Cell, Kit, NotationError, Number, Row, Sheet, Suit, Text


@dataclass(frozen=True, slots=True)
class Figure:
    """One cell."""

    title: str
    form: str
    """``number``, ``sign``, ``cards``, ``words``."""
    text: str = ""
    groups: tuple[tuple[CardFace, ...], ...] = ()
    """For ``cards``: the cards of each play."""
    is_known: bool = True
    holds: bool | None = None
    """For ``sign``: yes or no."""


@dataclass(frozen=True, slots=True)
class Block:
    """One row of the sheet, its cells by form."""

    key: str
    title: str
    figures: tuple[Figure, ...]

    def of(self, *forms: str) -> tuple[Figure, ...]:
        """Return the figures of these forms, in their order."""
        return tuple(figure for figure in self.figures if figure.form in forms)


def blocks_of(sheet: Sheet, language: str, kit: Kit | None) -> tuple[Block, ...]:
    """Return the totals, then the rows that say something."""
    rows = [
        Block(
            row.key,
            capital(row.title.render(language)),
            _figures(row.cells, language, kit),
        )
        for row in sheet.rows
        if _says_something(row)
    ]
    if sheet.totals:
        title = say(language, N_("Score"))
        rows.insert(0, Block("total", title, _figures(sheet.totals, language, kit)))
    return tuple(rows)


def spoken_score(blocks: tuple[Block, ...], language: str) -> str:
    """Return the first block as a sentence, for people who listen."""
    if not blocks:
        return say(language, N_("Nothing to score."))
    unknown = say(language, N_("not known"))
    told = [
        f"{figure.title}: {figure.text if figure.is_known else unknown}"
        for figure in blocks[0].of("number")
    ]
    return ", ".join([blocks[0].title, *told]) + "."


def _says_something(row: Row) -> bool:
    return any(cell.value is None or cell.value not in ((), "") for cell in row.cells)


def _figures(
    cells: tuple[Cell, ...], language: str, kit: Kit | None
) -> tuple[Figure, ...]:
    return tuple(_figure(cell, language, kit) for cell in cells)


def _figure(cell: Cell, language: str, kit: Kit | None) -> Figure:
    title, value = capital(cell.title.render(language)), cell.value
    match value:
        case None:
            return Figure(title, "number", "?", is_known=False)
        case bool():
            text = say(language, N_("yes") if value else N_("no"))
            return Figure(title, "sign", text, holds=value)
        case int() | float():
            written = Number(f"{value:g}" if isinstance(value, float) else value)
            return Figure(title, "number", written.render(language))
        case Text():
            return Figure(title, "words", value.render(language))
        case tuple():
            groups = tuple(
                tuple(face(label, language, kit) for label in play.split())
                for play in value
            )
            return Figure(title, "cards", groups=groups)
        case _:
            return _word(title, value, language, kit)


def _word(title: str, value: str, language: str, kit: Kit | None) -> Figure:
    if value in tuple(Suit):
        return Figure(title, "number", SYMBOLS[Suit(value)])
    try:
        Card.parse(value)
    except NotationError:
        if kit is None or not kit.copies(value):
            return Figure(title, "words", zone_word(value, language))
    return Figure(title, "cards", groups=((face(value, language, kit),),))
