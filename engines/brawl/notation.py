"""Reads moves; the inverse of their `str`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from engines.brawl.faces import Face, read_face
from engines.brawl.moves import (
    REFEREE,
    Act,
    BlockOnHit2,
    ConfirmPairs,
    Contest,
    Discard,
    First,
    Foul,
    Move,
    Play,
    Remedy,
    Settle,
    Swap,
    Take,
    Verb,
)
from engines.brawl.options import LETTERS
from engines.brawl.place import AtEnd, End, OnBase, OnChain, Pair, Place, Source
from engines.core import NotationError, Seat

Read = TypeVar("Read")

_PLACE = re.compile(r"([A-G]{2}):(?:(\d)([A-G])?|([a-z]+\d?))")
_TIME = re.compile(r"@(\d{1,12})")
_LANDINGS: dict[str, type[Play] | type[Foul] | type[Contest]] = {
    kind.verb: kind for kind in (Play, Foul, Contest)
}
_FACES = "a card: " + ", ".join(Face)
_A_PLACE = "a place such as AB:0B, AB:1 or AB:left"
_A_PAIR = "two neighbours such as AB"
_A_SEAT = f"a seat from {LETTERS[0]} to {LETTERS[-1]}"


def parse_move(text: str) -> Move:
    """Return the move that `text` names; raise `NotationError`."""
    words = _Words(text)
    time_ms = words.time()
    who = words.take(f"{_A_SEAT} or {REFEREE}")
    verb = words.take("a verb such as play")
    if who == REFEREE:
        move = _referee_move(words, verb, time_ms)
    else:
        words.back(2)
        seat = words.read(_seat, _A_SEAT)
        words.take("")
        move = _seat_move(words, seat, verb, time_ms)
    words.end()
    return move


def _seat_move(words: _Words, seat: Seat, verb: str, time_ms: int | None) -> Move:
    if verb in _LANDINGS:
        return _landing(words, _LANDINGS[verb], seat, time_ms)
    if verb == "take":
        card = words.read(read_face, _FACES) if words.more else None
        return Take(seat, card, time_ms)
    if verb == "discard":
        return Discard(seat, words.read(read_face, _FACES), words.source(), time_ms)
    if verb in set(Verb):
        return Act(seat, Verb(verb), time_ms)
    if verb in set(Remedy):
        return Settle(seat, words.read(_pair, _A_PAIR), Remedy(verb), time_ms)
    verbs = [*_LANDINGS, "take", "discard", *Verb, *Remedy]
    raise words.error(f"no such move: {verb!r}", ", ".join(verbs))


def _landing(
    words: _Words,
    kind: type[Play] | type[Foul] | type[Contest],
    seat: Seat,
    time_ms: int | None,
) -> Play | Foul | Contest:
    card = words.read(read_face, _FACES)
    place = words.place()
    return kind(seat, card, place, words.source(), time_ms)


def _referee_move(words: _Words, verb: str, time_ms: int | None) -> Move:
    if verb == "first":
        pair = words.read(_pair, _A_PAIR)
        who = words.take("a seat, or both")
        if who == "both":
            return First(pair, None, time_ms)
        words.back(1)
        return First(pair, words.read(_seat, f"{_A_SEAT}, or both"), time_ms)
    if verb == "blockOnHit2":
        return BlockOnHit2(words.read(_yes_or_no, "yes or no") == "yes", time_ms)
    if verb == "pairs":
        return ConfirmPairs(time_ms)
    if verb == "swap":
        return Swap(words.read(_pair, _A_PAIR), time_ms)
    raise words.error(f"no such move: {verb!r}", "first, blockOnHit2, pairs or swap")


class _Words:
    """The words of a move, read from the left, with their columns."""

    def __init__(self, text: str) -> None:
        self._words = [
            (match.start() + 1, match.group()) for match in re.finditer(r"\S+", text)
        ]
        self._end = len(text) + 1
        self._next = 0

    @property
    def more(self) -> bool:
        return self._next < len(self._words)

    def time(self) -> int | None:
        """Take the time off the end, if there is one."""
        if not self._words or not self._words[-1][1].startswith("@"):
            return None
        column, word = self._words.pop()
        match = _TIME.fullmatch(word)
        if match is None or not word[1:].isascii() or str(int(word[1:])) != word[1:]:
            raise NotationError(
                f"not a time: {word!r}", column=column, expected="@ and milliseconds"
            )
        return int(match[1])

    def take(self, expected: str) -> str:
        if not self.more:
            raise NotationError(
                "the move ends too early", column=self._end, expected=expected
            )
        self._next += 1
        return self._words[self._next - 1][1]

    def back(self, words: int) -> None:
        self._next -= words

    def read(self, parse: Callable[[str], Read | None], expected: str) -> Read:
        word = self.take(expected)
        value = parse(word)
        if value is None:
            raise self.error(f"cannot read {word!r}", expected)
        return value

    def place(self) -> Place:
        """Take a place."""
        word = self.take(_A_PLACE)
        place = _place(word)
        if place is None:
            raise self.error(f"cannot read {word!r}", _A_PLACE)
        return place

    def source(self) -> Source:
        """Take `from discard` or `from hand`, if it is there."""
        if not self.more:
            return Source.DECK
        if self.take("from") != "from":
            raise self.error("one word too many", "from discard, from hand or the end")
        return self.read(_source, "discard or hand")

    def end(self) -> None:
        if self.more:
            self._next += 1
            raise self.error("one word too many", "the end of the move")

    def error(self, message: str, expected: str) -> NotationError:
        """Return an error at the word taken last."""
        column = self._words[self._next - 1][0]
        return NotationError(message, column=column, expected=expected)


def _seat(word: str) -> Seat | None:
    return Seat(LETTERS.index(word)) if len(word) == 1 and word in LETTERS else None


def _pair(word: str) -> Pair | None:
    if len(word) != 2 or word[0] == word[1]:
        return None
    first, second = _seat(word[0]), _seat(word[1])
    return None if first is None or second is None else Pair(first, second)


def _place(word: str) -> Place | None:
    match = _PLACE.fullmatch(word)
    pair = _pair(match[1]) if match else None
    if match is None or pair is None:
        return None
    if match[4] is not None:
        return AtEnd(pair, End(match[4])) if match[4] in set(End) else None
    if not match[2].isascii():
        return None
    side = _seat(match[3]) if match[3] else None
    if side is None:
        return OnBase(pair, int(match[2]))
    return OnChain(pair, int(match[2]), side) if side in pair else None


def _source(word: str) -> Source | None:
    return Source(word) if word in (Source.DISCARD, Source.HAND) else None


def _yes_or_no(word: str) -> str | None:
    return word if word in ("yes", "no") else None
