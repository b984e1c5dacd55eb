"""The decks that Arbitro prints, and their sheets: fronts, backs, crop marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from companion.i18n import N_, say
from companion.prints.faces import (
    HEIGHT_MM,
    WIDTH_MM,
    Back,
    Face,
    Words,
    draw_side,
    in_language,
)
from companion.prints.paper import Document, Paper
from companion.prints.pen import Pen

CARD_MM = (WIDTH_MM, HEIGHT_MM)


@dataclass(frozen=True, slots=True)
class PrintedCard:
    """One card, both sides; the other side of some is a face as well."""

    front: Face
    copies: int
    back: Back | Face


@dataclass(frozen=True, slots=True)
class Deck:
    """One deck of our own."""

    name: str
    game: str
    titles: Words
    cards: tuple[PrintedCard, ...]
    meta: tuple[tuple[str, str], ...] = ()
    """What a gallery says of it beside its game: faction, character."""

    @property
    def size(self) -> int:
        """Return how many cards it has."""
        return sum(card.copies for card in self.cards)

    @property
    def faces(self) -> tuple[tuple[Face, int], ...]:
        """Return every face once, with the number of cards that bear it."""
        sides = [(card.front, card.copies) for card in self.cards]
        sides += [(c.back, c.copies) for c in self.cards if isinstance(c.back, Face)]
        return tuple(sides)

    @property
    def backs(self) -> tuple[Back, ...]:
        """Return every back once."""
        backs = [card.back for card in self.cards if isinstance(card.back, Back)]
        return tuple(dict.fromkeys(backs))


@cache
def own_decks() -> Mapping[str, Deck]:
    """Return all decks of our own by name."""
    from companion.prints import brawl, frantic, frenzy  # noqa: PLC0415 - they need us

    found = (*brawl.decks(), *frantic.decks(), *frenzy.decks())
    return {deck.name: deck for deck in found}


def decks_of(game: str) -> tuple[Deck, ...]:
    """Return the decks of one game."""
    return tuple(deck for deck in own_decks().values() if deck.game == game)


@dataclass(frozen=True, slots=True)
class Grid:
    """Where cards stand on a page."""

    paper: Paper
    columns: int
    rows: int

    @property
    def count(self) -> int:
        """Return how many cards fit."""
        return self.columns * self.rows

    @property
    def origin_mm(self) -> tuple[float, float]:
        """Return the lower left corner: in the middle, so that both sides of the paper
        meet, and a little higher than the middle, over the ruler."""
        left, low, _, high = self.paper.free_mm
        width, height = self.columns * WIDTH_MM, self.rows * HEIGHT_MM
        x = (self.paper.width_mm - width) / 2
        y = min(max(low, (self.paper.height_mm - height) / 2), high - height)
        assert x >= left - 1e-6
        return x, y

    def place_mm(self, number: int, *, mirrored: bool = False) -> tuple[float, float]:
        """Return the lower left corner of a card, in reading order; `mirrored` on the
        back of the paper."""
        row, column = divmod(number, self.columns)
        if mirrored:
            column = self.columns - 1 - column
        x, y = self.origin_mm
        return x + column * WIDTH_MM, y + (self.rows - 1 - row) * HEIGHT_MM


def grid_on(paper: Paper) -> Grid:
    """Return the way round of the paper that holds most cards."""
    grids = [_fill(paper), _fill(paper.turned)]
    return max(grids, key=lambda grid: grid.count)


def _fill(paper: Paper) -> Grid:
    left, low, right, high = paper.free_mm
    side = max(left, paper.width_mm - right)
    across = int((paper.width_mm - 2 * side + 1e-6) // WIDTH_MM)
    return Grid(paper, across, int((high - low + 1e-6) // HEIGHT_MM))


def decks_pdf(decks: Sequence[Deck], paper: Paper, language: str) -> bytes:
    """Return the sheets of some decks: each page of fronts, then its page of backs."""
    titles = ", ".join(in_language(deck.titles, language) for deck in decks)
    document = Document(f"Arbitro: {titles}", language)
    grid = grid_on(paper)
    for deck in decks:
        for note, sides, mirrored in _pages(deck, grid, language):
            with document.page(grid.paper, note) as pen:
                _draw_page(pen, grid, sides, mirrored, language)
    return document.pdf()


def _pages(
    deck: Deck, grid: Grid, language: str
) -> Iterator[tuple[str, list[Face | Back], bool]]:
    cards = [card for card in deck.cards for _ in range(card.copies)]
    title = in_language(deck.titles, language)
    flip = (
        N_("print on both sides, flip on the short edge")
        if grid.paper.is_landscape
        else N_("print on both sides, flip on the long edge")
    )
    sheets = range(0, len(cards), grid.count)
    for number, start in enumerate(sheets, start=1):
        here = cards[start : start + grid.count]
        where = f"{title}  {number}/{len(sheets)}"
        yield f"{where}  ({say(language, flip)})", [c.front for c in here], False
        backs = say(language, N_("backs"))
        yield f"{where}  {backs}", [card.back for card in here], True


def _draw_page(
    pen: Pen,
    grid: Grid,
    sides: Sequence[Face | Back],
    mirrored: bool,
    language: str,
) -> None:
    x, y = grid.origin_mm
    _draw_crop_marks(pen, grid)
    pen.rect(x, y, grid.columns * WIDTH_MM, grid.rows * HEIGHT_MM, fill="#ffffff")
    for number, side in enumerate(sides):
        with pen.at(*grid.place_mm(number, mirrored=mirrored)):
            name = _form_name(side, language)
            pen.once(name, CARD_MM, partial(draw_side, side=side, language=language))


def _form_name(side: Face | Back, language: str) -> str:
    kind = "face" if isinstance(side, Face) else "back"
    letters = [c if c.isalnum() else "_" for c in f"{kind}_{side.seed}_{language}"]
    return "".join(letters)


MARK_MM, MARK_GAP_MM = 3.6, 0.8


def _draw_crop_marks(pen: Pen, grid: Grid) -> None:
    """Draw short lines outside the cards where they are to be cut."""
    left, low = grid.origin_mm
    right, high = left + grid.columns * WIDTH_MM, low + grid.rows * HEIGHT_MM
    for column in range(grid.columns + 1):
        x = left + column * WIDTH_MM
        for start, way in ((low, -1), (high, 1)):
            y = start + way * MARK_GAP_MM
            pen.line(x, y, x, y + way * MARK_MM, colour="#000000", width=0.12)
    for row in range(grid.rows + 1):
        y = low + row * HEIGHT_MM
        for start, way in ((left, -1), (right, 1)):
            x = start + way * MARK_GAP_MM
            pen.line(x, y, x + way * MARK_MM, y, colour="#000000", width=0.12)
