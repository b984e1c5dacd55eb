"""Questions that one look at the table raises; answers are keyed by their ids."""

from __future__ import annotations

from collections.abc import Sequence

from engines.brawl.faces import Face, read_face
from engines.brawl.snapshot import SeenRow
from engines.brawl.state import letter
from engines.brawl.words import chain_text, in_row, seat_text
from engines.core import Option, Piece, Question, RuleRef, Seat, Text

TABLE = RuleRef("3")


def ask_label(piece: Piece) -> Question:
    """Which card is this? The likely faces come first."""
    likely = [face for label, _ in _likely(piece) if (face := read_face(label))]
    faces = [*dict.fromkeys(likely), *(face for face in Face if face not in likely)]
    options = tuple(Option(face.value, face.text) for face in faces)
    none = Option("none", Text.of("brawl.answer_not_in_play"))
    return Question(
        f"label:{piece.id}",
        None,
        Text.of("brawl.ask_label"),
        (*options, none),
        None,
        TABLE,
        (str(piece.id),),
    )


def ask_place(
    piece: Piece, places: Sequence[str], rows: Sequence[SeenRow]
) -> Question:
    """Where does this card belong?"""
    options = tuple(Option(place, _place(place, rows)) for place in places)
    none = Option("none", Text.of("brawl.answer_not_in_play"))
    face = read_face(piece.label)
    card = face.text if face else Text.of("core.unknown_card")
    return Question(
        f"place:{piece.id}",
        None,
        Text.of("brawl.ask_place", card=card),
        (*options, none),
        None,
        TABLE,
        (str(piece.id),),
    )


def ask_order(one: Piece, other: Piece) -> Question:
    """Which of two cards lies nearer to the Base?"""
    names = [
        face.text if face else Text.of("core.unknown_card")
        for face in (read_face(one.label), read_face(other.label))
    ]
    return Question(
        f"order:{one.id}",
        None,
        Text.of("brawl.ask_order", one=names[0], other=names[1]),
        (Option("as_is", names[0]), Option("swapped", names[1])),
        None,
        TABLE,
        (str(one.id), str(other.id)),
    )


def ask_seat(
    key: str, piece: str, seats: Sequence[Seat], text: Text, rule: RuleRef
) -> Question:
    """Which of the two is it: whose Base, who laid the card?"""
    options = tuple(Option(letter(seat), seat_text(seat)) for seat in seats)
    return Question(f"{key}:{piece}", None, text, options, None, rule, (piece,))


def _likely(piece: Piece) -> list[tuple[str, float]]:
    return sorted(piece.candidates, key=lambda candidate: -candidate[1])


def _place(place: str, rows: Sequence[SeenRow]) -> Text:
    kind, _, rest = place.partition(":")
    if kind == "discard":
        return Text.of("brawl.place_discard", seat=rest)
    row = next(row for row in rows if str(row.pair) == kind)
    side = row.pair.first if rest[1] == letter(row.pair.first) else row.pair.second
    text = chain_text(side, int(rest[0]), len(row.bases))
    return in_row(text, row.pair, several=len(rows) > 1)


