"""What lies on the table: the result of `layout`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engines.brawl.faces import Face
from engines.brawl.state import Pair
from engines.core import Finding, Piece, Question, Seat


@dataclass(frozen=True, slots=True)
class SeenCard:
    """A card as it was seen; `face` is `None` where it could not be told."""

    face: Face | None
    piece: str = ""
    owner: Seat | None = None
    """Whose deck it was recognised to be of."""


@dataclass(frozen=True, slots=True)
class SeenBase:
    """A Base, its two chains from the Base outwards, and what lies on it."""

    owner: Seat | None
    first: tuple[SeenCard, ...] = ()
    second: tuple[SeenCard, ...] = ()
    freezes: tuple[SeenCard, ...] = ()
    clears: tuple[SeenCard, ...] = ()
    """A Clear that has been laid, before the Base is swept away."""
    piece: str = ""


@dataclass(frozen=True, slots=True)
class SeenRow:
    """The Bases between two neighbours, from the left of the pair's first player."""

    pair: Pair
    bases: tuple[SeenBase, ...] = ()
    unclear: tuple[str, ...] = ()
    """Pieces in the row that may or may not be Bases."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Cards of which it is not clear where they belong: a card and what hangs on it."""

    pieces: tuple[str, ...]
    places: tuple[str, ...]
    """Chains such as ``AB:0A``, or ``discard``: where they may belong; the first is
    where the snapshot has them."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One look at the table."""

    rows: tuple[SeenRow, ...]
    piles: tuple[tuple[SeenCard, ...], ...] = ()
    """One per seat: its face-up discards as far as they can be seen, the top last."""
    doubts: tuple[Doubt, ...] = ()
    questions: tuple[Question, ...] = ()
    """What the picture alone does not tell."""
    findings: tuple[Finding, ...] = ()
    pieces: tuple[Piece, ...] = ()
    """What it was made from, to be laid out again with answers."""

    def row(self, pair: Pair) -> SeenRow:
        """Return the row of that pair, an empty one if none was seen."""
        for row in self.rows:
            if row.pair == pair:
                return row
        return SeenRow(pair)

    def cards(self) -> Iterator[SeenCard]:
        """Yield every card but the Bases."""
        for row in self.rows:
            for base in row.bases:
                yield from base.first
                yield from base.second
                yield from base.freezes
                yield from base.clears
        for pile in self.piles:
            yield from pile
