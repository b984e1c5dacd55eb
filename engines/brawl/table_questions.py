"""Questions that one look at the table raises; answers are keyed by their ids."""

from __future__ import annotations

from collections.abc import Sequence

from engines.brawl.audit import Breach
from engines.brawl.faces import Face, read_face
from engines.brawl.moves import Remedy
from engines.brawl.place import Pair, letter
from engines.brawl.snapshot import SeenRow
from engines.brawl.words import chain_text, in_row, seat_text
from engines.core import Option, Piece, Question, RuleRef, Seat, Text, doubted

TABLE = RuleRef("3")
FOULS = RuleRef("4.3")


def ask_label(piece: Piece) -> Question:
    """Which card is this? The likely faces come first."""
    likely = [face for label, _ in _likely(piece) if (face := read_face(label))]
    faces = [*dict.fromkeys(likely), *(face for face in Face if face not in likely)]
    options = tuple(Option(face.value, face.text) for face in faces)
    none = Option("none", Text.of("brawl.answer_not_in_play"))
    return Question(
        f"label:{piece.id}",
        None,
        doubted(Text.of("brawl.ask_label"), [face.text for face in likely]),
        (*options, none),
        None,
        TABLE,
        (str(piece.id),),
    )


def ask_place(piece: Piece, places: Sequence[str], rows: Sequence[SeenRow]) -> Question:
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


def ask_sides() -> Question:
    """On which side of the picture does player A sit?"""
    options = (
        Option("near", Text.of("brawl.answer_near")),
        Option("far", Text.of("brawl.answer_far")),
    )
    return Question("sides", None, Text.of("brawl.ask_sides"), options, "near", TABLE)


def ask_owner(piece: str, pair: Pair, name: Text) -> Question:
    """Whose Base is this (B-15)?"""
    text = Text.of("brawl.ask_owner", base=name)
    options = _either(pair)
    return Question(
        f"owner:{piece}", None, text, options, None, RuleRef("B-15"), (piece,)
    )


def ask_offender(breach: Breach, pair: Pair) -> Question:
    """Who laid the illegal card? The other one then decides."""
    face = breach.card.face
    assert face is not None
    text = Text.of("brawl.ask_offender", card=face.text)
    return Question(
        f"by:{breach.key}", None, text, _either(pair), None, FOULS, breach.pieces
    )


def ask_foul(
    breach: Breach, offender: Seat | None, place: Text, *, is_due: bool
) -> Question:
    """What is done about an illegal card (4.3)?"""
    face = breach.card.face
    assert face is not None
    opponent = breach.pair.other(offender) if offender is not None else None
    remedies: tuple[Remedy, ...] = (Remedy.TAKE_BACK,)
    key, to = "brawl.ask_take_back", offender
    if is_due:
        remedies = (Remedy.STAND, Remedy.CLAIM)
        key, to = "brawl.ask_foul_at_scoring", opponent
    elif breach.built_on:
        remedies = (Remedy.RESTORE, Remedy.STAND, Remedy.CLAIM)
        key, to = "brawl.ask_foul_built_on", opponent
    names = [card.face.value if card.face else "?" for card in breach.built_on]
    text = Text.of(
        key,
        card=face.text,
        place=place,
        cards=", ".join(names),
        reason=breach.objection.reason,
    )
    return Question(
        f"foul:{breach.key}",
        to,
        text,
        tuple(Option(remedy, Text.of(f"brawl.answer_{remedy}")) for remedy in remedies),
        None if is_due else remedies[0],
        breach.objection.rule,
        breach.pieces,
    )


def ask_block_on_hit2() -> Question:
    """May a Block go on a Hit-2 (B-05)?"""
    return Question(
        "blockOnHit2",
        None,
        Text.of("brawl.ask_block_on_hit2"),
        (Option("true", Text.of("core.yes")), Option("false", Text.of("core.no"))),
        "true",
        RuleRef("B-05"),
    )


def _either(pair: Pair) -> tuple[Option, ...]:
    return tuple(
        Option(letter(seat), seat_text(seat)) for seat in (pair.first, pair.second)
    )


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
