"""Reading moves; the notation is described in `moves`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from engines.core import Card, NotationError, Seat
from engines.regicide.moves import (
    UNSEEN,
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
    Redress,
    Reveal,
    Say,
    Settle,
    Start,
    Statement,
    Tavern,
    Top,
    Yield,
)

MOST_DIGITS = 4


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the text and the column at which it starts."""

    text: str
    column: int

    def wrong(self, expected: str) -> NotationError:
        return NotationError(
            f"{self.text!r} is not {expected}", column=self.column, expected=expected
        )


def parse_move(text: str) -> Move:
    """Return the move that `text` notes; raise `NotationError` on anything else."""
    words = _split(text)
    if not words:
        raise NotationError("there is no move", expected="a move such as 0: play 8d Ac")
    first, *rest = words
    if first.text.endswith(":"):
        return _seated(first, rest)
    reader = _FREE.get(first.text)
    if reader is None:
        raise first.wrong(f"a move ({', '.join(_FREE)}) or a seat such as 0:")
    return reader(first, rest)


def _split(text: str) -> list[_Word]:
    words: list[_Word] = []
    column = 0
    for part in text.split():
        column = text.index(part, column)
        words.append(_Word(part, column + 1))
        column += len(part)
    return words


def _seated(first: _Word, rest: Sequence[_Word]) -> Move:
    seat = Seat(_number(_Word(first.text[:-1], first.column), "a seat such as 0:"))
    expected = f"a player's move ({', '.join(_BY_SEAT)})"
    if not rest:
        end = first.column + len(first.text)
        raise NotationError("the move is missing", column=end, expected=expected)
    verb, *words = rest
    reader = _BY_SEAT.get(verb.text)
    if reader is None:
        raise verb.wrong(expected)
    return reader(seat, verb, words)


def _number(word: _Word, expected: str) -> int:
    text = word.text
    sound = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    if not sound or str(int(text)) != text:
        raise word.wrong(expected)
    return int(text)


def _card(word: _Word) -> Card:
    try:
        return Card.parse(word.text)
    except NotationError as error:
        raise word.wrong("a card such as 10c, Jh or X") from error


def _cards(words: Iterable[_Word]) -> tuple[Card, ...]:
    return tuple(map(_card, words))


def _numbers(words: Iterable[_Word]) -> tuple[int, ...]:
    return tuple(_number(word, "a number of cards") for word in words)


def _one(verb: _Word, words: Sequence[_Word], expected: str) -> _Word:
    if len(words) == 1:
        return words[0]
    if words:
        raise words[1].wrong("the end of the move")
    end = verb.column + len(verb.text)
    raise NotationError(f"{expected} is missing", column=end, expected=expected)


def _none(words: Sequence[_Word]) -> None:
    if words:
        raise words[0].wrong("the end of the move")


def _pile(verb: _Word, words: Sequence[_Word]) -> tuple[Card, ...] | None:
    if not words:
        _one(verb, words, "a card or ?")
    if words[0].text == UNSEEN:
        _none(words[1:])
        return None
    return _cards(words)


def _heal(verb: _Word, words: Sequence[_Word]) -> Move:
    if not words:
        _one(verb, words, "a number of cards or the cards")
    if words[0].text.isdigit():
        return Heal(_number(_one(verb, words, "a number of cards"), "a number"))
    cards = _cards(words)
    return Heal(len(cards), cards)


def _counts(verb: _Word, words: Sequence[_Word]) -> tuple[int, ...]:
    if not words:
        _one(verb, words, "a number of cards for each seat")
    return _numbers(words)


def _settle(verb: _Word, words: Sequence[_Word]) -> Move:
    word = _one(verb, words, "return or keep")
    try:
        return Settle(Redress(word.text))
    except ValueError as error:
        raise word.wrong("return or keep") from error


def _say(seat: Seat, verb: _Word, words: Sequence[_Word]) -> Move:
    word = _one(verb, words, "a kind of statement")
    try:
        return Say(seat, Statement(word.text))
    except ValueError as error:
        raise word.wrong(f"one of {', '.join(Statement)}") from error


def _seat(verb: _Word, words: Sequence[_Word]) -> Seat:
    return Seat(_number(_one(verb, words, "a seat"), "a seat"))


def _yield(seat: Seat, _: _Word, words: Sequence[_Word]) -> Move:
    _none(words)
    return Yield(seat)


def _flip(seat: Seat, _: _Word, words: Sequence[_Word]) -> Move:
    _none(words)
    return Flip(seat)


def _lost(seat: Seat, _: _Word, words: Sequence[_Word]) -> Move:
    _none(words)
    return Lost(seat)


def _cover(seat: Seat, verb: _Word, words: Sequence[_Word]) -> Move:
    word = _one(verb, words, "a number of cards")
    return Cover(seat, _number(word, "a number of cards"))


_FREE: Mapping[str, Callable[[_Word, Sequence[_Word]], Move]] = {
    "castle": lambda verb, words: Castle(_pile(verb, words)),
    "tavern": lambda verb, words: Tavern(_pile(verb, words)),
    "start": lambda verb, words: Start(_seat(verb, words)),
    "reveal": lambda verb, words: Reveal(_card(_one(verb, words, "a card"))),
    "heal": _heal,
    "top": lambda verb, words: Top(_card(_one(verb, words, "a card"))),
    "draw": lambda verb, words: Draw(_counts(verb, words)),
    "misdraw": lambda verb, words: Misdraw(_counts(verb, words)),
    "settle": _settle,
}
_BY_SEAT: Mapping[str, Callable[[Seat, _Word, Sequence[_Word]], Move]] = {
    "play": lambda seat, _, words: Play(seat, _cards(words)),
    "yield": _yield,
    "flip": _flip,
    "discard": lambda seat, _, words: Discard(seat, _cards(words)),
    "cover": _cover,
    "next": lambda seat, verb, words: Next(seat, _seat(verb, words)),
    "lost": _lost,
    "say": _say,
}
