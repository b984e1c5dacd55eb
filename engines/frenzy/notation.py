"""Reading moves; `RULES.md` lists the notation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from engines.core import NotationError, Seat
from engines.frenzy import moves
from engines.frenzy.cards import Card, Region, parse_seat
from engines.frenzy.moves import Move, Remedy, RulingKey
from engines.frenzy.options import EmptyPile, Order
from engines.frenzy.state import FoulCode

VALUES: Mapping[RulingKey, tuple[str, ...]] = {
    RulingKey.ORDER: tuple(Order),
    RulingKey.EMPTY_PILE: tuple(EmptyPile),
    RulingKey.BODYGUARD_IS_WARRIOR: ("false", "true"),
}
"""What each ruling of section 8 may be answered with."""
WORD = re.compile(r"\S+")
DIGITS = re.compile(r"0|[1-9][0-9]{0,14}")
Value = TypeVar("Value")
Word = TypeVar("Word", bound=StrEnum)


class Words:
    """The words of one line, read from left to right."""

    def __init__(self, text: str) -> None:
        self._words = [(hit.group(), hit.start() + 1) for hit in WORD.finditer(text)]
        self._end = len(text) + 1
        self._next = 0

    @property
    def ahead(self) -> str:
        """Return the next word without reading it, or nothing at the end."""
        return self._words[self._next][0] if self._next < len(self._words) else ""

    def error(self, expected: str, back: int = 0) -> NotationError:
        """Return the error of the next word (`back` words earlier)."""
        place = self._next - back
        if place < len(self._words):
            word, column = self._words[place]
            message = f"{word!r} cannot stand here"
        else:
            column, message = self._end, "the line ends too early"
        return NotationError(message, column=column, expected=expected)

    def read(self, expected: str, parse: Callable[[str], Value]) -> Value:
        """Return the next word as a value; a `ValueError` of `parse` is translated."""
        try:
            value = parse(self.ahead)
        except ValueError as error:
            raise self.error(expected) from error
        self._next += 1
        return value

    def word(self, *words: str) -> str:
        """Return the next word, which must be one of `words`."""
        return self.read(
            f"one of {', '.join(words)}", lambda word: words[words.index(word)]
        )

    def one_of(self, kind: type[Word]) -> Word:
        """Return the next word as a member of an enum."""
        return self.read(f"one of {', '.join(kind)}", kind)

    def seat(self) -> Seat:
        """Return the next word as a player."""
        return self.read("P1 or P2", parse_seat)

    def region(self) -> Region:
        """Return the next word as a region."""
        return self.read("a region such as P1.B2 or P2.HQ", Region.parse)

    def card(self) -> Card:
        """Return the next word as a card."""
        return self.read("a card: W1 W2 W3 W4 A Z K O B L", Card)

    def number(self, expected: str = "a number") -> int:
        """Return the next word as a number without sign."""
        return self.read(expected, _number)

    def battlefield(self) -> int:
        """Return the number in ``F1``, ``F2`` or ``F3``."""
        return self.read("F1, F2 or F3", lambda word: _FIELDS.index(word) + 1)

    def piece(self) -> str | None:
        """Return the piece's id in ``#c7``, if that stands next."""
        if not self.ahead.startswith("#"):
            return None
        return self.read("a piece such as #c7", _piece)

    def time_ms(self) -> int:
        """Return the time, which ends the line."""
        time_ms = self.read("@ and a time in milliseconds, such as @4700", _time)
        if self._next < len(self._words):
            raise self.error("the end of the line")
        return time_ms


_FIELDS = ("F1", "F2", "F3")


def _number(word: str) -> int:
    if not DIGITS.fullmatch(word):
        raise ValueError(word)
    return int(word)


def _time(word: str) -> int:
    if not word.startswith("@"):
        raise ValueError(word)
    return _number(word[1:])


def _piece(word: str) -> str:
    if len(word) < 2:
        raise ValueError(word)
    return word[1:]


def parse_move(text: str) -> Move:
    """Read a move; raise `NotationError` that names the column."""
    words = Words(text)
    actor = words.word("P1", "P2", "REF")
    if actor == "REF":
        verb = words.word(*REFEREE)
        return REFEREE[verb](words)
    verb = words.word(*PLAYERS)
    return PLAYERS[verb](parse_seat(actor), words)


def _lay(seat: Seat, words: Words) -> Move:
    card, region, piece = words.card(), words.region(), words.piece()
    return moves.Lay(seat, card, region, words.time_ms(), piece)


def _play(seat: Seat, words: Words) -> Move:
    card, region, piece = words.card(), words.region(), words.piece()
    return moves.Play(seat, card, region, words.time_ms(), piece)


def _copy(seat: Seat, words: Words) -> Move:
    return moves.Copy(seat, words.battlefield(), words.battlefield(), words.time_ms())


def _set(words: Words) -> Move:
    region, cards = words.region(), []
    if words.ahead == "-":
        words.word("-")
    else:
        cards.append(words.card())
        while not words.ahead.startswith(("@", "#")):
            cards.append(words.card())
    piece = words.piece()
    return moves.Restore(region, tuple(cards), words.time_ms(), piece)


def _blame(words: Words) -> Move:
    who = words.word("P1", "P2", "nobody")
    return moves.Blame(None if who == "nobody" else parse_seat(who), words.time_ms())


def _earlier(words: Words) -> Move:
    who = words.word("P1", "P2", "undo")
    return moves.Earlier(None if who == "undo" else parse_seat(who), words.time_ms())


def _foul(words: Words) -> Move:
    seat, code = words.seat(), words.one_of(FoulCode)
    card = None if words.ahead.startswith("@") else words.card()
    return moves.Record(seat, code, card, words.time_ms())


def _rule(words: Words) -> Move:
    key = words.one_of(RulingKey)
    return moves.Agree(key, words.word(*VALUES[key]), words.time_ms())


PLAYERS: Mapping[str, Callable[[Seat, Words], Move]] = {
    "aside": lambda seat, words: moves.Aside(seat, words.number(), words.time_ms()),
    "turn": lambda seat, words: moves.Turn(seat, words.battlefield(), words.time_ms()),
    "go": lambda seat, words: moves.Go(seat, words.time_ms()),
    "draw": lambda seat, words: moves.Draw(seat, words.time_ms()),
    "lay": _lay,
    "release": lambda seat, words: moves.Release(seat, words.time_ms()),
    "lift": lambda seat, words: moves.Lift(seat, words.time_ms()),
    "play": _play,
    "finished": lambda seat, words: moves.Finished(seat, words.time_ms()),
    "claim": lambda seat, words: moves.Claim(
        seat, words.one_of(FoulCode), words.time_ms()
    ),
    "decide": lambda seat, words: moves.Decide(
        seat, words.one_of(Remedy), words.time_ms()
    ),
    "copy": _copy,
    "pick": lambda seat, words: moves.Pick(seat, words.card(), words.time_ms()),
}
REFEREE: Mapping[str, Callable[[Words], Move]] = {
    "first": lambda words: moves.Lot(words.seat(), words.time_ms()),
    "count": lambda words: moves.Count(words.seat(), words.number(), words.time_ms()),
    "set": _set,
    "upset": lambda words: moves.Upset(words.region(), words.time_ms()),
    "blame": _blame,
    "foul": _foul,
    "earlier": _earlier,
    "resolve": lambda words: moves.Resolve(words.time_ms()),
    "rule": _rule,
}
