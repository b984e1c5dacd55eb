"""Reading moves."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engines.core import NotationError, Seat
from engines.frantic.cards import NUMBERS, UNKNOWN, Colour, Hand, PlayCard
from engines.frantic.event import Event
from engines.frantic.moves.hands import Assign, Choose, GiveTo, Handle, SwapSeats, Verb
from engines.frantic.moves.move import Move, Pick
from engines.frantic.moves.table import (
    Agree,
    Correction,
    Deal,
    Flip,
    NameDealer,
    Nobody,
    Referee,
    Reveal,
    Shuffle,
    ShuffleEvents,
)
from engines.frantic.moves.turn import (
    Imitate,
    NameColour,
    Play,
    React,
    Reaction,
    Say,
    Split,
    Target,
    Wish,
    Word,
)

_SEAT = re.compile(r"p([1-8])")
_PLACE = re.compile(r"#([1-9]\d{0,2})")
_SHARE = re.compile(r"(p[1-8]):([1-9]\d?)")


def parse_move(text: str) -> Move:
    """Read a move such as ``p1 play R5``; raise `NotationError` with the column."""
    words = Words(text)
    first = words.next("a player such as p1, or a word such as flip")
    if _SEAT.fullmatch(first):
        return _seat_move(_seat_of(first), words)
    if first not in _TABLE:
        raise words.error(
            f"no move begins with {first!r}",
            "a player such as p1, or " + ", ".join(_TABLE),
        )
    return words.ended(_TABLE[first](words))


def _seat_move(seat: Seat, words: Words) -> Move:
    verb = words.next("what the player does")
    if verb in _READERS:
        return words.ended(_READERS[verb](seat, words))
    if verb in set(Word):
        return words.ended(Say(seat, Word(verb)))
    if verb in set(Reaction):
        return words.ended(React(seat, Reaction(verb), words.card()))
    if verb in set(Verb):
        return words.ended(_handle(seat, Verb(verb), words))
    known = sorted({*_READERS, *Word, *Reaction, *Verb})
    raise words.error(f"players do not {verb!r}", ", ".join(known))


@dataclass(slots=True)
class Words:
    """The words of a text, read one after the other."""

    text: str
    found: list[tuple[int, str]] = field(init=False)
    """(column from 1, word) pairs."""
    at: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.found = [
            (match.start() + 1, match[0]) for match in re.finditer(r"\S+", self.text)
        ]

    @property
    def is_left(self) -> bool:
        """Return whether there are more words."""
        return self.at < len(self.found)

    def next(self, expected: str) -> str:
        """Return the next word; `expected` is said where there is none."""
        if not self.is_left:
            raise NotationError(
                "the move ends too early",
                column=len(self.text.rstrip()) + 1,
                expected=expected,
            )
        self.at += 1
        return self.found[self.at - 1][1]

    def rest(self) -> list[str]:
        """Return all words that are left."""
        words = [word for _, word in self.found[self.at :]]
        self.at = len(self.found)
        return words

    def ended(self, move: Move) -> Move:
        """Return `move` if all words are read."""
        if self.is_left:
            self.at += 1
            word = self.found[self.at - 1][1]
            raise self.error(f"{word!r} is one word too many", "the end of the move")
        return move

    def error(self, message: str, expected: str) -> NotationError:
        """Return the error that the word just read is wrong."""
        column = self.found[self.at - 1][0] if self.at else 1
        return NotationError(message, column=column, expected=expected)

    def seat(self) -> Seat:
        """Read a player."""
        word = self.next("a player such as p2")
        if not _SEAT.fullmatch(word):
            raise self.error(f"not a player: {word!r}", "p1 to p8")
        return _seat_of(word)

    def card(self) -> PlayCard:
        """Read a card, which may be ``?``."""
        word = self.next("a card such as R5")
        try:
            return PlayCard(word)
        except NotationError as error:
            raise self.error(str(error), error.expected) from error

    def face(self) -> PlayCard:
        """Read a card that somebody has seen."""
        card = self.card()
        if card == UNKNOWN:
            raise self.error("this card lies face up", "a card such as R5")
        return card

    def cards(self) -> Hand:
        """Read cards up to ``/`` or the end; ``none`` or ``?`` alone are no cards."""
        cards: list[PlayCard] = []
        while self.is_left and self.found[self.at][1] != "/":
            cards.append(self.card())
        return tuple(cards)

    def event(self) -> Event:
        """Read an event."""
        word = self.next("an event such as E-market")
        try:
            return Event.parse(word)
        except NotationError as error:
            raise self.error(str(error), error.expected) from error

    def events(self) -> tuple[Event, ...]:
        """Read all events that follow."""
        events: list[Event] = []
        while self.is_left:
            events.append(self.event())
        return tuple(events)

    def is_only(self, word: str) -> bool:
        """Read `word` if it is the one word left."""
        if [left for _, left in self.found[self.at :]] != [word]:
            return False
        self.at += 1
        return True

    def colour(self) -> Colour:
        """Read a colour."""
        word = self.next("a colour")
        if word not in set(Colour):
            raise self.error(f"not a colour: {word!r}", "R, G, B or Y")
        return Colour(word)


def _seat_of(word: str) -> Seat:
    return Seat(int(word[1:]) - 1)


def _target(seat: Seat, words: Words) -> Move:
    return Target(seat, None if words.is_only("none") else words.seat())


def _split(seat: Seat, words: Words) -> Move:
    if words.is_only("none"):
        return Split(seat, ())
    shares: dict[Seat, int] = {}
    word = words.next("a share such as p2:4")
    while True:
        match = _SHARE.fullmatch(word)
        if not match:
            raise words.error(f"not a share: {word!r}", "a share such as p2:4")
        victim = _seat_of(match[1])
        if victim in shares:
            raise words.error(f"{match[1]} is named twice", "another player")
        shares[victim] = int(match[2])
        if not words.is_left:
            return Split(seat, tuple(shares.items()))
        word = words.next("a share such as p2:4")


def _wish(seat: Seat, words: Words) -> Move:
    word = words.next("R, G, B, Y, a number from 1 to 9, or none")
    if word == "none":
        return Wish(seat, None)
    if word in set(Colour):
        return Wish(seat, Colour(word))
    if word in {str(number) for number in NUMBERS}:
        return Wish(seat, int(word))
    raise words.error(f"not a wish: {word!r}", "R, G, B, Y, 1 to 9, or none")


def _handle(seat: Seat, verb: Verb, words: Words) -> Move:
    if words.is_only("none"):
        return Handle(seat, verb, ())
    if verb is Verb.GIVE and [word for _, word in words.found[-2:-1]] == ["to"]:
        return _give_to(seat, words)
    cards: list[Pick] = [_pick(words)]
    while words.is_left:
        cards.append(_pick(words))
    return Handle(seat, verb, tuple(cards))


def _give_to(seat: Seat, words: Words) -> Move:
    card: PlayCard | None = None
    if words.found[words.at][1] == "all":
        words.next("all")
    else:
        card = words.card()
    if words.next("to") != "to":
        raise words.error("one card goes to one player", "to")
    return GiveTo(seat, card, words.seat())


def _pick(words: Words) -> Pick:
    word = words.next("a card such as R5, ?, or a place such as #3")
    if match := _PLACE.fullmatch(word):
        return int(match[1])
    words.at -= 1
    return words.card()


def _deal(words: Words) -> Move:
    if words.is_only("?"):
        return Deal()
    cards = words.cards()
    if words.next("/ and the events") != "/":
        raise words.error("cards and events are parted by /", "/")
    return Deal(cards, words.events())


def _flip(words: Words) -> Move:
    cards = [words.face()]
    while words.is_left:
        cards.append(words.face())
    return Flip(tuple(cards))


def _shuffle(words: Words) -> Move:
    if words.is_only("?"):
        return Shuffle()
    cards = [words.face()]
    while words.is_left:
        cards.append(words.face())
    return Shuffle(tuple(cards))


def _shuffle_events(words: Words) -> Move:
    if words.is_only("?"):
        return ShuffleEvents()
    return ShuffleEvents((words.event(), *words.events()))


def _swap(seat: Seat, words: Words) -> Move:
    first, second = words.seat(), words.seat()
    if first == second:
        raise words.error("a player cannot swap with himself", "another player")
    return SwapSeats(seat, first, second)


def _referee(words: Words) -> Move:
    word = words.next("what the referee does")
    if word not in set(Correction):
        raise words.error(f"the referee does not {word!r}", ", ".join(Correction))
    correction = Correction(word)
    if correction in {Correction.DRAW, Correction.TURN}:
        return Referee(correction, words.seat())
    if correction is Correction.RETURN:
        return Referee(correction, words.seat(), words.card())
    if correction is Correction.ALLOW:
        return Referee(correction, words.seat(), words.face())
    return Referee(correction)


_READERS: Mapping[str, Callable[[Seat, Words], Move]] = {
    "play": lambda seat, words: Play(seat, words.face()),
    "as": lambda seat, words: Imitate(seat, words.face()),
    "target": _target,
    "split": _split,
    "wish": _wish,
    "colour": lambda seat, words: NameColour(seat, words.colour()),
    "choose": lambda seat, words: Choose(seat, words.event()),
    "assign": lambda seat, words: Assign(seat, words.seat(), words.seat()),
    "swap": _swap,
}

_TABLE: Mapping[str, Callable[[Words], Move]] = {
    "deal": _deal,
    "flip": _flip,
    "event": lambda words: Reveal(words.event()),
    "shuffle": _shuffle,
    "events": _shuffle_events,
    "nobody": lambda words: Nobody(),
    "agree": lambda words: Agree(),
    "dealer": lambda words: NameDealer(words.seat()),
    "referee": _referee,
}
