"""Builders of Frenzy states, tables and pieces that tests share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engines.core import Kind, Piece, PieceId, Question, Ruling, Seat, Verdict, play
from engines.frenzy import GAME, Move, Options, Snapshot, State
from engines.frenzy.cards import (
    BATTLE_LINE,
    SEATS,
    SUPPLY_LINE,
    ZONES,
    Card,
    Owned,
    Region,
    Side,
    Zone,
    seat_name,
)
from engines.frenzy.snapshot import Pile, Seen
from engines.frenzy.state import Cause, End, Laid, Phase, Player, initial
from tests.support.questions import asked_of

Labels = Sequence[str]
Answer = Callable[[Question], str]


def options(**values: object) -> Options:
    return GAME.options({"firstPlayer": "P1", **values})


def battle(**values: object) -> State:
    """Return the first battle, just begun at 1000 ms."""
    state = GAME.setup(options(**values))
    return after(state, "P1 turn F1 @0", "P2 go @1000")


def after(state: State, *moves: str) -> State:
    """Return the state after moves that must all be legal."""
    for text in moves:
        state = play(GAME, state, GAME.parse_move(text))
    return state


def judge(state: State, move: str) -> Ruling:
    return GAME.judge(state, GAME.parse_move(move))


def refusal(state: State, move: str) -> str:
    """Return the number of the rule that refuses `move`."""
    ruling = judge(state, move)
    assert ruling.verdict is Verdict.REJECTED, str(ruling.reason)
    return str(ruling.rule)


def with_piles(state: State, **piles: str) -> State:
    """Return the state with piles such as ``P1_B2="W4 W2"``, from the top; the deck
    gives the cards."""
    for key, labels in piles.items():
        region = Region.parse(key.replace("_", "."))
        cards = tuple(Laid(Card(label), state.clock_ms) for label in labels.split())
        player = state.players[region.seat]
        change = len(player.pile(region.zone)) - len(cards)
        player = player.with_pile(region.zone, cards).with_deck(change)
        state = state.with_player(region.seat, player)
    return state


def with_deck(state: State, seat: Seat, number: int) -> State:
    return state.with_player(seat, replace(state.players[seat], deck=number))


def ended(
    lines: Mapping[str, Labels],
    supply: Mapping[str, Sequence[Labels]],
    *,
    before: Mapping[str, Labels] | None = None,
    hq: Mapping[str, Labels] | None = None,
    round: int = 1,
    **values: object,
) -> State:
    """Return a round that has just ended, from the shape of the vectors."""
    state = initial(options(**values))
    for seat in SEATS:
        name = seat_name(seat)
        piles: dict[Zone, tuple[Laid, ...]] = {}
        for zone, label in zip(BATTLE_LINE, lines[name], strict=True):
            piles[zone] = () if label == "-" else (Laid(Card(label), 10),)
        for zone, labels in zip(SUPPLY_LINE, supply[name], strict=True):
            piles[zone] = tuple(Laid(Card(label), 10) for label in labels)
        piles[Zone.HQ] = tuple(
            Laid(Card(label), 10) for label in (hq or {}).get(name, ())
        )
        score = tuple(
            Owned(Card(label), seat) for label in (before or {}).get(name, ())
        )
        count = sum(map(len, piles.values())) + len(score)
        player = Player(39 - count, score=score)
        for zone in ZONES:
            player = player.with_pile(zone, piles[zone])
        state = state.with_player(seat, player)
    end = End(SEATS[0], 20, Cause.THIRD_HERO, is_settled=True)
    return replace(state, phase=Phase.ENDED, round=round, clock_ms=20, end=end)


def answered(state: State, choose: Answer) -> State:
    """Return the state after every question of a resolution has been answered."""
    while state.phase in (Phase.ENDED, Phase.SPOILS):
        question = GAME.questions(state)[0]
        state = after(state, answer(question, choose(question)))
    return state


def answer(question: Question, value: str) -> str:
    """Return the move that an answer is."""
    move = next(o.move for o in question.options if o.value == value)
    assert move is not None
    return move


def asked(state: State, snapshot: Snapshot, *open_now: Question) -> Question:
    """Return what is asked where `open_now` are open; each answer must be legal."""
    found = asked_of(GAME, state, replace(snapshot, asked=open_now))
    for option in found.options:
        assert option.move is not None
        move = GAME.parse_move(option.move)
        assert GAME.judge(state, move).verdict is Verdict.UPHELD, option.move
    return found


def followed(state: State, snapshot: Snapshot, *open_now: Question) -> State:
    """Return the state after all changes that are seen while `open_now` are open, each
    of which must be legal."""
    found = GAME.changes(state, replace(snapshot, asked=open_now))
    assert not isinstance(found, Question), found.id
    return after(state, *(str(move) for move in found))


def default(question: Question) -> str:
    """Return the default, else the first option."""
    return question.default or question.options[0].value


def seen(label: str, piece: str, *, touched: bool = False, order: int = 0) -> Seen:
    """Return a visible card; ``?`` could not be read."""
    return Seen(None if label == "?" else Card(label), piece, order, touched)


def snapshot(round: int = 1, /, **piles: str) -> Snapshot:
    """Return a look at piles such as ``P1_B2="W4 W2"``: the visible cards from the top.

    ``*`` after a card means that it is touched, ``#c7`` gives its piece.
    """
    found: dict[Region, Pile] = {}
    for key, labels in piles.items():
        region = Region.parse(key.replace("_", "."))
        cards = []
        for place, word in enumerate(labels.split()):
            text, _, piece = word.partition("#")
            label = text.rstrip("*")
            cards.append(
                seen(label, piece or f"{region}.{place}", touched=text.endswith("*"))
            )
        found[region] = Pile(tuple(cards))
    first, second = (
        tuple(found.get(Region(seat, zone), Pile()) for zone in ZONES) for seat in SEATS
    )
    one, two, three = (Side.ORANGE if n < round else Side.BLUE for n in range(3))
    return Snapshot((first, second), (one, two, three))


def look(state: State, *changes: str) -> Snapshot:
    """Return what a camera sees of a state, with changes such as ``P1.B2=W4*#c9``.

    Only tops are visible. Nothing after ``=`` takes the visible cards away.
    """
    piles = {}
    for seat in SEATS:
        for zone in ZONES:
            pile = state.players[seat].pile(zone)
            if pile:
                hand = "*" if state.players[seat].touching is zone else ""
                piece = pile[0].piece or f"{seat_name(seat)}.{zone}.0"
                piles[str(Region(seat, zone))] = f"{pile[0].card}{hand}#{piece}"
    for change in changes:
        place, _, labels = change.partition("=")
        piles[place] = labels
    return snapshot(
        state.round, **{key.replace(".", "_"): text for key, text in piles.items()}
    )


def moves_of(found: tuple[Move, ...] | Question) -> list[str]:
    """Return the notation without times; fails on a question."""
    assert not isinstance(found, Question), found.id
    return [str(move).rpartition(" @")[0] for move in found]


@dataclass(frozen=True, slots=True)
class Table:
    """A table in millimetres: where regions are, seen from P1's side, then turned."""

    pitch_mm: float = 95.0
    depth_mm: float = 102.0
    angle_deg: float = 0.0
    centre_mm: tuple[float, float] = (400.0, 300.0)
    order: tuple[int, int, int] = (1, 2, 3)
    """Printed numbers from P1's left to right."""
    mirror: bool = False

    def at(self, along: float, deep: float) -> tuple[float, float]:
        """Return a place: columns from the middle, rows towards P1."""
        x, y = along * self.pitch_mm, -deep * self.depth_mm
        if self.mirror:
            x = -x
        turn = math.radians(self.angle_deg)
        return (
            self.centre_mm[0] + x * math.cos(turn) - y * math.sin(turn),
            self.centre_mm[1] + x * math.sin(turn) + y * math.cos(turn),
        )

    def spot(self, place: str) -> tuple[float, float]:
        """Return the middle of a region or of a Battlefield card (``F2``)."""
        if place.startswith("F"):
            return self.at(self.order.index(int(place[1])) - 1, 0)
        region = Region.parse(place)
        deep = {"B": 1, "S": 2, "H": 3}[region.zone[0]]
        number = region.zone.number
        along = 0 if number is None else self.order.index(number) - 1
        return self.at(along, deep if region.seat == SEATS[0] else -deep)

    def piece(
        self,
        place: str,
        label: str | None,
        *,
        shift_mm: tuple[float, float] = (0.0, 0.0),
        turn_deg: float = 0.0,
        **fields: object,
    ) -> Piece:
        """Return a card on a region, shifted and turned as hands do."""
        x, y = self.spot(place)
        up = 90.0 if place.startswith(("F", "P1")) else 270.0
        piece = Piece(
            PieceId(f"{place}:{label}"),
            Kind.CARD,
            label,
            x + shift_mm[0],
            y + shift_mm[1],
            up + self.angle_deg + turn_deg,
        )
        return replace(piece, **fields)  # type: ignore[arg-type]

    def row(self, round: int = 1) -> list[Piece]:
        """Return the three Battlefield cards."""
        return [
            self.piece(f"F{n}", f"F{n}{'o' if n <= round else 'b'}") for n in (1, 2, 3)
        ]

    def full(self, cards: Mapping[str, str], round: int = 1) -> list[Piece]:
        """Return the row and one card on each region named."""
        return [
            *self.row(round),
            *(self.piece(place, label) for place, label in cards.items()),
        ]


FULL = {
    **{
        f"P1.{zone}": label
        for zone, label in zip(
            ZONES, ("W4", "A", "W3", "W2", "Z", "W1", "Z"), strict=True
        )
    },
    **{
        f"P2.{zone}": label
        for zone, label in zip(
            ZONES, ("W3", "W4", "W2", "W1", "W4", "W3", "A"), strict=True
        )
    },
}
"""One card on each of the fourteen regions."""


def tops(snapshot: Snapshot) -> dict[str, str]:
    """Return region -> label of the top card (``?`` unread), without empty regions."""
    found = {}
    for seat in SEATS:
        for zone in ZONES:
            top = snapshot.zone(seat, zone).top
            if top is not None:
                found[str(Region(seat, zone))] = "?" if top.card is None else top.card
    return {place: str(label) for place, label in found.items()}


def texts(findings: Iterable[object]) -> str:
    """Return all findings as one text."""
    return "\n".join(str(getattr(finding, "text", finding)) for finding in findings)
