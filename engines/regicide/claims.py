"""What a move claims, in words, and the rule that allows it."""

from __future__ import annotations

from collections.abc import Mapping

from engines.core import Text
from engines.regicide.cards import seat_name, spoken, spoken_all
from engines.regicide.moves import (
    Castle,
    Cover,
    Discard,
    Draw,
    Flip,
    Heal,
    Lost,
    Misdraw,
    Move,
    Next,
    Play,
    Reveal,
    Say,
    Settle,
    Start,
    Tavern,
    Top,
    Yield,
)

_GROUNDS: Mapping[type, tuple[str, Text]] = {
    kind: (rule, Text.of(f"regicide.may_{kind.__name__.lower()}"))
    for kind, rule in (
        (Castle, "2"),
        (Tavern, "2"),
        (Start, "R-14"),
        (Reveal, "2"),
        (Play, "4.1"),
        (Yield, "4.2"),
        (Flip, "7.2"),
        (Heal, "5.1"),
        (Top, "3"),
        (Draw, "5.2"),
        (Misdraw, "4.6"),
        (Settle, "4.6"),
        (Discard, "4.3"),
        (Cover, "4.3"),
        (Next, "4.4"),
        (Lost, "6"),
        (Say, "4.5"),
    )
}


def ground(move: Move) -> tuple[str, Text]:
    """Return the rule that allows a kind of move, and why."""
    return _GROUNDS[type(move)]


def claim(move: Move) -> Text:
    """Return what a move says, as a sentence."""
    match move:
        case Play() | Discard():
            return _of(move, seat=seat_name(move.seat), cards=spoken_all(move.cards))
        case Yield() | Flip() | Lost():
            return _of(move, seat=seat_name(move.seat))
        case Cover():
            return _of(move, seat=seat_name(move.seat), count=move.count)
        case Next():
            return _of(move, seat=seat_name(move.seat), chosen=seat_name(move.chosen))
        case Say():
            what = Text.of(f"regicide.statement_{move.statement}")
            return _of(move, seat=seat_name(move.seat), what=what)
        case _:
            return _by_the_table(move)


def _by_the_table(
    move: Castle | Tavern | Start | Reveal | Heal | Top | Draw | Misdraw | Settle,
) -> Text:
    match move:
        case Castle() | Tavern():
            return _of(move)
        case Start():
            return _of(move, seat=seat_name(move.seat))
        case Reveal() | Top():
            return _of(move, card=spoken(move.card))
        case Heal():
            return _of(move, count=move.count)
        case Draw() | Misdraw():
            return _of(move, count=sum(move.counts))
        case Settle():
            return Text.of(f"regicide.claim_settle_{move.redress}")


def _of(move: Move, **values: int | Text) -> Text:
    return Text.of(f"regicide.claim_{type(move).__name__.lower()}", **values)
