"""The figures of a Base on the sheet, and how far they are known."""

from __future__ import annotations

from collections.abc import Sequence

from engines.brawl.faces import Face
from engines.brawl.place import Pair, letter
from engines.brawl.scoring import Span
from engines.brawl.snapshot import SeenBase, SeenCard, SeenRow, Snapshot
from engines.core import Cell, Seat, Text

UNKNOWN = "?"
MOST_POINTS = max(face.points for face in Face)


def base_reason(pair: Pair, spans: tuple[Span, Span], winner: Seat) -> Text:
    """Return why a Base is won."""
    first, second = spans
    if first.exact is None or second.exact is None:
        return Text.of("brawl.wins_anyway")
    values: dict[str, str | int] = {
        "first": letter(pair.first),
        "hits_first": first.exact,
        "second": letter(pair.second),
        "hits_second": second.exact,
    }
    if first.exact == second.exact:
        return Text.of("brawl.tie_to_owner", owner=letter(winner), **values)
    return Text.of("brawl.more_hits", **values)


def cells_of(
    pair: Pair, base: SeenBase, spans: tuple[Span, Span], winner: Seat | None
) -> tuple[Cell, ...]:
    """Return the figures of a Base: the chains as they lie, the Hits as they count."""
    seats = (pair.first, pair.second)
    cells = [
        Cell("owner", Text.of("brawl.title_owner"), _letter(base.owner)),
        Cell("frozen", Text.of("brawl.title_frozen"), bool(base.freezes)),
    ]
    for seat, span, chain in zip(seats, spans, (base.first, base.second), strict=True):
        key = letter(seat)
        labels = tuple(card.face.value if card.face else UNKNOWN for card in chain)
        hits = Text.of("brawl.title_hits", seat=key)
        cells.append(Cell(f"hits_{key}", hits, span.exact))
        title = Text.of("brawl.title_chain", seat=key)
        cells.append(Cell(f"chain_{key}", title, labels))
    cells.append(Cell("winner", Text.of("brawl.title_base_winner"), _letter(winner)))
    return tuple(cells)


def _letter(seat: Seat | None) -> str | None:
    return None if seat is None else letter(seat)


def spans_of(rows: Sequence[SeenRow], snapshot: Snapshot) -> dict[str, Span]:
    """Return the Hits of every chain, as far as its cards are known to belong there."""
    doubtful = {piece for doubt in snapshot.doubts for piece in doubt.pieces}
    low: dict[str, int] = {}
    high: dict[str, int] = {}
    worth: dict[str, int] = {}
    for row in rows:
        for number, base in enumerate(row.bases):
            for seat, chain in (
                (row.pair.first, base.first),
                (row.pair.second, base.second),
            ):
                key = f"{row.pair}:{number}{letter(seat)}"
                low[key] = high[key] = 0
                for card in chain:
                    least, most = _points(card)
                    worth[card.piece] = most
                    low[key] += 0 if card.piece in doubtful else least
                    high[key] += most
    for doubt in snapshot.doubts:
        most = sum(worth.get(piece, 0) for piece in doubt.pieces)
        for place in doubt.places[1:]:
            if place in high:
                high[place] += most
    return {key: Span(low[key], high[key]) for key in low}


def _points(card: SeenCard) -> tuple[int, int]:
    if card.face is None:
        return 0, MOST_POINTS
    return card.face.points, card.face.points
