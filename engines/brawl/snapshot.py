"""What lies on the table: the result of `layout`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from engines.brawl.faces import Face, read_face
from engines.brawl.place import Pair, letter
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
                yield from _cards(base)
        for pile in self.piles:
            yield from pile


def named(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with an id for every card that came without a piece.

    Cards are then called by their place: ``AB:0``, ``AB:0A:2``, ``AB:0+1``.
    """
    rows = tuple(_named_row(row) for row in snapshot.rows)
    return snapshot if rows == snapshot.rows else replace(snapshot, rows=rows)


def told(snapshot: Snapshot, answers: Mapping[str, str]) -> Snapshot:
    """Return the snapshot with faces and owners that people have told.

    For a snapshot that was not laid out from pieces; where a card lies stays as it is.
    """
    if not any(key.partition(":")[0] in ("label", "owner") for key in answers):
        return snapshot
    rows = tuple(
        replace(
            row, bases=tuple(_told_base(row.pair, base, answers) for base in row.bases)
        )
        for row in snapshot.rows
    )
    return replace(snapshot, rows=rows)


def _named_row(row: SeenRow) -> SeenRow:
    bases = tuple(_named_base(row.pair, n, base) for n, base in enumerate(row.bases))
    return replace(row, bases=bases)


def _named_base(pair: Pair, number: int, base: SeenBase) -> SeenBase:
    key = f"{pair}:{number}"
    if base.piece and all(card.piece for card in _cards(base)):
        return base
    return SeenBase(
        base.owner,
        _named(f"{key}{letter(pair.first)}:", base.first),
        _named(f"{key}{letter(pair.second)}:", base.second),
        _named(f"{key}+", base.freezes),
        _named(f"{key}-", base.clears),
        base.piece or key,
    )


def _named(prefix: str, cards: tuple[SeenCard, ...]) -> tuple[SeenCard, ...]:
    return tuple(
        card if card.piece else replace(card, piece=f"{prefix}{number}")
        for number, card in enumerate(cards)
    )


def _told_base(pair: Pair, base: SeenBase, answers: Mapping[str, str]) -> SeenBase:
    owner = base.owner
    for seat in (pair.first, pair.second):
        if answers.get(f"owner:{base.piece}") == letter(seat):
            owner = seat
    return replace(
        base,
        owner=owner,
        first=tuple(_told_card(card, answers) for card in base.first),
        second=tuple(_told_card(card, answers) for card in base.second),
    )


def _told_card(card: SeenCard, answers: Mapping[str, str]) -> SeenCard:
    face = read_face(answers.get(f"label:{card.piece}"))
    return card if face is None else replace(card, face=face)


def _cards(base: SeenBase) -> Iterator[SeenCard]:
    yield from base.first
    yield from base.second
    yield from base.freezes
    yield from base.clears
