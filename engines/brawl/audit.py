"""What lies on the table and may not lie there, seen without history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from engines.brawl.chain import frozen, may_clear, may_follow
from engines.brawl.faces import FREEZES_PER_DECK, CardType, Face
from engines.brawl.moves import Remedy
from engines.brawl.options import Options
from engines.brawl.place import Pair
from engines.brawl.snapshot import SeenBase, SeenCard, SeenRow, Snapshot
from engines.brawl.state import MAX_BASES, Base, Moment
from engines.core import Finding, Objection, RuleRef, Seat, Text


@dataclass(frozen=True, slots=True)
class Breach:
    """An illegal card on the table."""

    key: str
    """Id of the card's piece, or the pair for one Base too many."""
    pair: Pair
    card: SeenCard
    objection: Objection
    base: int
    side: Seat | None = None
    """The chain in which it lies; `None`: on the Base, or the Base itself."""
    at: int = 0
    """Its position in that chain, counted from the Base."""
    built_on: tuple[SeenCard, ...] = ()

    @property
    def pieces(self) -> tuple[str, ...]:
        """Return the id of the illegal card; of one Base too many none is known."""
        return (self.card.piece,) if self.card.piece else ()


def row_breaches(
    row: SeenRow, answers: Mapping[str, str], *, block_on_hit2: bool
) -> Iterator[Breach]:
    """Yield the illegal cards of a row, in each chain from the Base outwards.

    Behind an illegal card that nobody has let stand a chain is not looked at.
    """
    if len(row.bases) > MAX_BASES:
        owner = SeenCard(Face.BASE)
        too_many = Objection(RuleRef("4.2"), Text.of("brawl.max3"))
        yield Breach(str(row.pair), row.pair, owner, too_many, len(row.bases) - 1)
    for number, base in enumerate(row.bases):
        for clear in base.clears:
            if objection := _clear_objection(row, number):
                yield Breach(clear.piece, row.pair, clear, objection, number)
        for side, chain in (
            (row.pair.first, base.first),
            (row.pair.second, base.second),
        ):
            yield from _chain_breaches(
                row.pair, number, side, chain, answers, block_on_hit2=block_on_hit2
            )


def _chain_breaches(
    pair: Pair,
    base: int,
    side: Seat,
    chain: tuple[SeenCard, ...],
    answers: Mapping[str, str],
    *,
    block_on_hit2: bool,
) -> Iterator[Breach]:
    below: list[Face] = []
    for at, card in enumerate(chain):
        if card.face is None:
            # Whatever it is, it must have been legal, and so must what lies on it.
            below = []
            continue
        unknown_below = at > 0 and not below
        if not unknown_below:
            objection = may_follow(below, card.face, block_on_hit2=block_on_hit2)
            if objection is not None:
                yield Breach(
                    card.piece, pair, card, objection, base, side, at, chain[at + 1 :]
                )
                if answers.get(f"foul:{card.piece}") != Remedy.STAND:
                    return
        below.append(card.face)


def _clear_objection(row: SeenRow, number: int) -> Objection | None:
    base = row.bases[number]
    if base.freezes:
        return frozen(Face.CLEAR)
    moment = Moment(tuple(Base(i, row.pair.first) for i in range(len(row.bases))))
    return may_clear(moment, number)


def uses_block_on_hit2(rows: Iterable[SeenRow]) -> bool:
    """Return whether a Block lies on a Hit-2 anywhere: B-05 matters."""
    return any(
        below.face is not None
        and card.face is not None
        and below.face.type is CardType.HIT2
        and card.face.type is CardType.BLOCK
        for row in rows
        for base in row.bases
        for chain in (base.first, base.second)
        for below, card in pairwise(chain)
    )


def stray_freezes(rows: Iterable[SeenRow]) -> Iterator[Finding]:
    """Yield a finding for each second Freeze on a Base (B-11); it changes no points."""
    for row in rows:
        for base in row.bases:
            if len(base.freezes) > 1:
                pieces = tuple(card.piece for card in base.freezes)
                yield Finding(Text.of("brawl.second_freeze"), pieces)


def surplus_cards(snapshot: Snapshot, options: Options) -> Iterator[Finding]:
    """Yield a finding for each face seen more often than the decks hold it."""
    seen = list(_faces_and_owners(snapshot))
    for owner, deck in enumerate(options.decks):
        if deck is None:
            continue
        own = Counter(face for face, seat in seen if seat == owner)
        for face, number in sorted(own.items()):
            if number > deck.copies(face):
                yield _too_many(face, number, deck.copies(face))
    if None not in options.decks:
        limits = Counter[Face]()
        for deck in options.decks:
            assert deck is not None
            limits.update(dict(deck.counts))
        faces: Iterable[Face] = Face
    else:
        faces = (Face.FREEZE,)
        limits = Counter({Face.FREEZE: FREEZES_PER_DECK * options.players})
    for face, number in sorted(Counter(face for face, _ in seen).items()):
        unattributed = any(f is face and seat is None for f, seat in seen)
        if unattributed and face in faces and number > limits[face]:
            yield _too_many(face, number, limits[face])


def _faces_and_owners(snapshot: Snapshot) -> Iterator[tuple[Face, Seat | None]]:
    for row in snapshot.rows:
        for base in row.bases:
            yield Face.BASE, base.owner
    for card in snapshot.cards():
        if card.face is not None:
            yield card.face, card.owner


def _too_many(face: Face, seen: int, copies: int) -> Finding:
    return Finding(
        Text.of("core.too_many_copies", label=face.text, seen=seen, copies=copies)
    )


def without(base: SeenBase, breach: Breach, pair: Pair) -> SeenBase:
    """Return the Base without the illegal card and what is built on it."""
    if breach.side is None:
        return SeenBase(
            base.owner, base.first, base.second, base.freezes, (), base.piece
        )
    first, second = base.first, base.second
    if breach.side == pair.first:
        first = first[: breach.at]
    else:
        second = second[: breach.at]
    return SeenBase(base.owner, first, second, base.freezes, base.clears, base.piece)
