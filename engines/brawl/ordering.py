"""Puts changes into an order in which each is a legal move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engines.brawl.advance import advance
from engines.brawl.chain import ends
from engines.brawl.conditions import can_come
from engines.brawl.diff import Change
from engines.brawl.faces import Face
from engines.brawl.landing import held_card
from engines.brawl.moves import Act, Discard, Move, Play, Verb
from engines.brawl.place import AtEnd, End, OnBase, OnChain, Pair, Place, Source
from engines.brawl.rules import objection
from engines.brawl.state import Row, State
from engines.core import Seat

MAX_STEPS = 400
"""Moves that are tried before the natural order is taken."""


@dataclass(frozen=True, slots=True)
class PileStep:
    """A card has come to a discard pile, or has been lifted from it."""

    seat: Seat
    card: Face | None
    """`None`: lifted."""


Step = Change | PileStep


@dataclass(frozen=True, slots=True)
class World:
    """A state on the way to what lies on the table."""

    state: State
    order: Mapping[Pair, tuple[int, ...]]
    """The Bases of each row as they lie on the table; new ones by placeholder."""
    ids: tuple[tuple[int, int], ...] = ()
    """Placeholders of Bases that have been laid, and their ids now."""

    def after(self, move: Move, step: Step) -> World:
        """Return the world after a legal move."""
        ids = self.ids
        if isinstance(step, Change) and step.card is Face.BASE:
            row = self.state.row(step.pair)
            assert row is not None
            ids = (*ids, (step.base, row.next_id))
        return World(advance(self.state, move), self.order, ids)

    def base_id(self, base: int) -> int:
        """Return the id of a Base that the table or the state knows."""
        return dict(self.ids).get(base, base)


@dataclass(frozen=True, slots=True)
class Plan:
    """Legal moves and, where not all is legal, one move that is not."""

    moves: tuple[Move, ...]
    illegal: Move | None = None
    is_complete: bool = True


def plan(world: World, steps: Sequence[Step]) -> Plan:
    """Return the steps as moves, all legal if there is such an order."""
    steps = sorted(steps, key=_rank)
    found = _Search().order(world, steps)
    if found is not None:
        return Plan(found)
    moves: list[Move] = []
    while True:
        legal = _first_legal(world, steps)
        if legal is None:
            break
        move, step = legal
        moves.append(move)
        world = world.after(move, step)
        steps.remove(step)
    first = next(
        (move for step in _ready(steps) for move in candidates(world, step)), None
    )
    return Plan(tuple(moves), first, is_complete=False)


def candidates(world: World, step: Step) -> Iterator[Move]:
    """Yield the moves that a step may be, without asking whether they are legal."""
    state = world.state
    if isinstance(step, PileStep):
        if step.card is None:
            yield Act(step.seat, Verb.LIFT)
            return
        held = held_card(state.players[step.seat], step.card)
        yield Discard(step.seat, step.card, Source.HAND if held else Source.DECK)
        return
    row = state.row(step.pair)
    place = _place(world, row, step) if row is not None else None
    if place is None or step.card is None:
        return
    for seat in seats_of(state, step):
        source = step.source
        if source is Source.DECK and state.players[seat].hand:
            source = Source.HAND
        yield Play(seat, step.card, place, source)


def seats_of(state: State, change: Change) -> tuple[Seat, ...]:
    """Return who may have laid a card: its deck's owner, who is on, or who has one."""
    if change.owner is not None:
        return (change.owner,)
    both = (change.pair.first, change.pair.second)
    if state.is_training and state.turn in both:
        assert state.turn is not None
        return (state.turn,)
    card = change.card
    return tuple(seat for seat in both if card is None or _may_have(state, seat, card))


def _may_have(state: State, seat: Seat, card: Face) -> bool:
    player = state.players[seat]
    if held_card(player, card) is not None or can_come(player, card) is None:
        return True
    return bool(player.pile) and player.pile[-1] is card


@dataclass(slots=True)
class _Search:
    """Tries orders depth first, and gives up after a while."""

    tried: int = field(default=0)

    def order(self, world: World, steps: Sequence[Step]) -> tuple[Move, ...] | None:
        if not steps:
            return ()
        for step in _ready(steps):
            for move in candidates(world, step):
                self.tried += 1
                if self.tried > MAX_STEPS:
                    return None
                if objection(world.state, move) is not None:
                    continue
                rest = [other for other in steps if other is not step]
                tail = self.order(world.after(move, step), rest)
                if tail is not None:
                    return (move, *tail)
        return None


def _first_legal(world: World, steps: Sequence[Step]) -> tuple[Move, Step] | None:
    for step in _ready(steps):
        for move in candidates(world, step):
            if objection(world.state, move) is None:
                return move, step
    return None


def _ready(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield the steps before which nothing has to happen.

    Chains grow from the Base outwards, a Base lies before its cards, and a Freeze
    comes last.
    """
    for number, step in enumerate(steps):
        if not isinstance(step, Change):
            yield step
            continue
        others = [
            other
            for other in steps
            if isinstance(other, Change)
            and other is not step
            and other.base == step.base
            and other.pair == step.pair
        ]
        if step.card is Face.FREEZE:
            waits = any(other.side is not None for other in others)
        else:
            waits = any(
                other.side == step.side and other in steps[:number]
                for other in others
                if step.side is not None
            )
        if step.card is not Face.BASE:
            waits = waits or any(other.card is Face.BASE for other in others)
        if not waits:
            yield step


def _rank(step: Step) -> int:
    ranks = {Face.BASE: 1, Face.CLEAR: 2, Face.FREEZE: 3}
    return 0 if step.card is None else ranks.get(step.card, 0)


def _place(world: World, row: Row, change: Change) -> Place | None:
    if change.card is Face.BASE:
        end = _end(world, row, change)
        return AtEnd(row.pair, end) if end in ends(row.cards) else None
    index = row.cards.index(world.base_id(change.base))
    if index is None:
        return None
    if change.side is None:
        return OnBase(row.pair, index)
    return OnChain(row.pair, index, change.side)


def _end(world: World, row: Row, change: Change) -> End:
    """Return where a new Base goes among those that are there now."""
    order = [world.base_id(base) for base in world.order[row.pair]]
    position = world.order[row.pair].index(change.base)
    stay = [base.id for base in row.cards.bases if base.id in order]
    left = [base for base in stay if order.index(base) < position]
    if not left:
        return End.LEFT
    if len(left) == len(stay):
        return End.RIGHT
    index = row.cards.index(left[-1])
    assert index is not None
    return (End.GAP1, End.GAP2, End.GAP3)[min(index, 2)]
