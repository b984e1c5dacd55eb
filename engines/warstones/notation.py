"""Reads moves; says which column is wrong and what should stand there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from engines.core import NotationError, Seat
from engines.warstones.moves import (
    Ability,
    Army,
    Assigner,
    Attack,
    Besiege,
    CallFlick,
    Deploy,
    Destroy,
    Draw,
    Excess,
    First,
    Foul,
    FoulCall,
    FoulKind,
    Lies,
    Move,
    Movement,
    Pass,
    PutBack,
    Recruit,
    Return,
    SetCity,
    SetGoal,
    SetPoints,
    Settle,
)
from engines.warstones.terms import (
    SEATS,
    ChipId,
    Place,
    parse_chip,
    parse_seat,
)

_Read = TypeVar("_Read")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_UNIT = re.compile(r"([a-z][a-z0-9_]*)(?:\*([1-9][0-9]?))?")
_NUMBER = re.compile(r"[0-9]{1,3}")


def parse_move(text: str) -> Move:
    """Read a move; raise `NotationError` with the column of what cannot be read."""
    words = _Words(text)
    first = words.word(f"a player A to D, or one of {', '.join(_OPENINGS)}")
    if first in _OPENINGS:
        move = _OPENINGS[first](words)
    elif len(first) == 1 and first in SEATS:
        seat = parse_seat(first)
        verb = words.word(f"one of {', '.join(_VERBS)}")
        if verb not in _VERBS:
            raise words.error(f"no move {verb!r}", f"one of {', '.join(_VERBS)}")
        move = _VERBS[verb](seat, words)
    else:
        expected = f"a player A to D, or one of {', '.join(_OPENINGS)}"
        raise words.error(f"not a move: {first!r}", expected)
    words.end()
    return move


class _Words:
    """The words of one line, read from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found = [(m[0], m.start() + 1) for m in re.finditer(r"\S+", text)]
        self._next = 0

    def word(self, expected: str) -> str:
        if self._next == len(self._found):
            raise NotationError(
                "the line ends too early", column=len(self._text) + 1, expected=expected
            )
        self._next += 1
        return self._found[self._next - 1][0]

    def read(self, parse: Callable[[str], _Read], expected: str) -> _Read:
        word = self.word(expected)
        try:
            return parse(word)
        except NotationError as error:
            raise self.error(str(error), error.expected or expected) from error

    def rest(self, parse: Callable[[str], _Read], expected: str) -> tuple[_Read, ...]:
        items = []
        while self._next < len(self._found):
            items.append(self.read(parse, expected))
        return tuple(items)

    def has_more(self) -> bool:
        return self._next < len(self._found)

    def error(self, message: str, expected: str) -> NotationError:
        column = self._found[max(self._next - 1, 0)][1] if self._found else 1
        return NotationError(message, column=column, expected=expected)

    def end(self) -> None:
        if self.has_more():
            word, column = self._found[self._next]
            raise NotationError(
                f"{word!r} is too much", column=column, expected="the end of the line"
            )

    def seat(self) -> Seat:
        return self.read(parse_seat, "A, B, C or D")

    def chip(self) -> ChipId:
        return self.read(parse_chip, "a chip such as A:soldier-2")

    def name(self, expected: str) -> str:
        return self.read(_name, expected)

    def chips(self) -> tuple[ChipId, ...]:
        """Read one chip or more, or the word none."""
        if self.has_more() and self._found[self._next][0] == "none":
            self._next += 1
            return ()
        if not self.has_more():
            self.word("chips such as B:zombie-1, or none")
        return self.rest(parse_chip, "a chip such as B:zombie-1")

    def helpers(self) -> tuple[ChipId, ...]:
        if not self.has_more():
            return ()
        word = self.word("with")
        if word != "with":
            raise self.error(f"{word!r} is out of place", "with, then chips")
        if not self.has_more():
            self.word("chips such as A:archer-1")
        return self.rest(parse_chip, "a chip such as A:archer-1")


def _name(text: str) -> str:
    if _NAME.fullmatch(text) is None:
        raise NotationError(f"not a name: {text!r}")
    return text


def _number(text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise NotationError(f"not a number: {text!r}", expected="a whole number")
    return int(text)


def _unit(text: str) -> tuple[str, int]:
    match = _UNIT.fullmatch(text)
    if match is None:
        raise NotationError(
            f"not a unit: {text!r}", expected="a unit such as soldier*4"
        )
    return match[1], int(match[2] or 1)


def _end(text: str) -> tuple[ChipId, Place]:
    chip, at, place = text.partition("@")
    if not at:
        raise NotationError(f"no place: {text!r}", expected="such as A:soldier-1@N-C")
    return parse_chip(chip), Place.parse(place)


def _foul(text: str) -> FoulKind:
    try:
        return FoulKind(text)
    except ValueError as error:
        raise NotationError(f"not a foul: {text!r}") from error


def _call(text: str) -> FoulCall:
    try:
        return FoulCall(text)
    except ValueError as error:
        raise NotationError(f"not a decision: {text!r}") from error


def _army(seat: Seat, words: _Words) -> Move:
    units = words.rest(_unit, "a unit such as soldier*4")
    if len({unit for unit, _ in units}) < len(units):
        raise words.error("a unit is listed twice", "each unit once, as soldier*4")
    return Army(seat, units)


def _attack(seat: Seat, words: _Words) -> Move:
    sector, target = words.name("a sector such as N-C"), words.seat()
    return Attack(seat, sector, target, words.helpers())


def _deploy(seat: Seat, words: _Words) -> Move:
    chip, is_unseen = words.chip(), words.has_more()
    if is_unseen and (word := words.word("unseen")) != "unseen":
        raise words.error(f"{word!r} is too much", "unseen, or the end of the line")
    return Deploy(seat, chip, is_unseen)


def _besiege(seat: Seat, words: _Words) -> Move:
    return Besiege(seat, words.name("a sector such as M-C"), words.helpers())


def _referee(words: _Words) -> Move:
    what = words.word(f"one of {', '.join(_CORRECTIONS)}")
    if what not in _CORRECTIONS:
        raise words.error(
            f"no such call: {what!r}", f"one of {', '.join(_CORRECTIONS)}"
        )
    return _CORRECTIONS[what](words)


def _points(text: str) -> SetPoints:
    seat, _, points = text.partition("=")
    return SetPoints(parse_seat(seat), _number(points))


def _city(text: str) -> SetCity:
    city, _, token = text.partition("=")
    return SetCity(_name(city), _name(token))


_VERBS: dict[str, Callable[[Seat, _Words], Move]] = {
    "army": _army,
    "recruit": lambda seat, words: Recruit(seat, words.chip()),
    "deploy": _deploy,
    "move": lambda seat, words: Movement(seat, words.chip()),
    "attack": _attack,
    "besiege": _besiege,
    "destroys": lambda seat, words: Destroy(seat, words.chips()),
    "returns": lambda seat, words: Return(seat, words.chips()),
    "excess": lambda seat, words: Excess(seat, words.chip()),
    "ability": lambda seat, words: Ability(
        seat, words.chip(), words.name("the ability's name")
    ),
    "pass": lambda seat, words: Pass(seat),
    "foul": lambda seat, words: Foul(seat, words.read(_foul, "push, touch or line")),
}
_OPENINGS: dict[str, Callable[[_Words], Move]] = {
    "settle": lambda words: Settle(words.rest(_end, "such as A:soldier-1@N-C")),
    "lies": lambda words: Lies(*words.read(_end, "such as A:soldier-1@N-C")),
    "first": lambda words: First(words.seat()),
    "draw": lambda words: Draw(
        words.name("a City space such as W"), words.name("a token such as lateral-3")
    ),
    "assigner": lambda words: Assigner(words.seat()),
    "referee": _referee,
}
_CORRECTIONS: dict[str, Callable[[_Words], Move]] = {
    "flick": lambda words: CallFlick(words.read(_call, "repeat, void or accept")),
    "place": lambda words: PutBack(*words.read(_end, "such as A:soldier-1@N-C")),
    "points": lambda words: words.read(_points, "such as A=3"),
    "city": lambda words: words.read(_city, "such as W=lateral-2"),
    "goal": lambda words: SetGoal(words.read(_number, "a whole number")),
}
