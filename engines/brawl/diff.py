"""What differs between the state and one look at the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from engines.brawl.faces import Face
from engines.brawl.place import Pair, Source, letter
from engines.brawl.snapshot import SeenBase, SeenCard, SeenRow
from engines.brawl.state import Base, Laid, Moment
from engines.core import Seat, Text

NEW_BASE, NEW_CARD, GONE, OTHER_OWNER = 10, 1, 12, 40
"""How unlikely an explanation is: a Base more or less, a card more, a card that is gone
or another one, a Base of somebody else."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is new on the table, and what is known of who did it."""

    pair: Pair
    card: Face | None
    base: int
    """Id of the Base in the state; of a new Base `NEW` minus its position."""
    side: Seat | None = None
    """The chain; `None` for a Base, a Freeze or a Clear."""
    owner: Seat | None = None
    piece: str = ""
    source: Source = Source.DECK


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that no move explains."""

    text: Text
    pieces: tuple[str, ...] = ()
    cards: int = 1
    """How many cards are not where they were."""


@dataclass(frozen=True, slots=True)
class RowDiff:
    """The changes of one row under the likeliest reading of its Bases."""

    cost: int
    changes: tuple[Change, ...] = ()
    problems: tuple[Problem, ...] = ()
    order: tuple[int, ...] = ()
    """Ids of the Bases as they lie now, from left to right."""


NEW = -1


def row_diffs(pair: Pair, moment: Moment, seen: SeenRow) -> tuple[RowDiff, ...]:
    """Return the likeliest readings of a row, several if they are equally likely.

    A reading says which Base of the state is which on the table; the others have been
    cleared or are new.
    """
    diffs: list[RowDiff] = []
    for old, new in _matchings(len(moment.bases), len(seen.bases)):
        diff = _row_diff(pair, moment, seen, dict(zip(new, old, strict=True)))
        if not diffs or diff.cost < diffs[0].cost:
            diffs = [diff]
        elif diff.cost == diffs[0].cost and diff not in diffs:
            diffs.append(diff)
    return tuple(diffs)


def _matchings(old: int, new: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield all ways to pair positions of the state with positions on the table."""
    for size in range(min(old, new), -1, -1):
        for some_old in combinations(range(old), size):
            for some_new in combinations(range(new), size):
                yield some_old, some_new


def _row_diff(
    pair: Pair, moment: Moment, seen: SeenRow, matched: dict[int, int]
) -> RowDiff:
    cost = 0
    changes: list[Change] = []
    problems: list[Problem] = []
    order: list[int] = []
    for index, base in enumerate(moment.bases):
        if index not in matched.values():
            changes.append(Change(pair, Face.CLEAR, base.id))
            cost += NEW_BASE
            if _is_replaced(moment, seen, matched, index):
                cost += GONE * (len(base.first) + len(base.second))
    for position, now in enumerate(seen.bases):
        if position in matched:
            was = moment.bases[matched[position]]
            cost += 0 if now.owner in (None, was.owner) else OTHER_OWNER
            base_id = was.id
        else:
            base_id = NEW - position
            was = Base(base_id, now.owner if now.owner is not None else pair.first)
            changes.append(
                Change(pair, Face.BASE, base_id, owner=now.owner, piece=now.piece)
            )
            cost += NEW_BASE
        order.append(base_id)
        new, wrong = _base_diff(pair, was, now)
        changes += new
        problems += wrong
        cost += NEW_CARD * len(new) + GONE * sum(problem.cards for problem in wrong)
    return RowDiff(cost, tuple(changes), tuple(problems), tuple(order))


def _is_replaced(
    moment: Moment, seen: SeenRow, matched: Mapping[int, int], index: int
) -> bool:
    """Return whether a Base that would be cleared lies there all the same: where it lay
    there would be a new one, of the same owner. It was not cleared, its cards are gone.
    """
    left = sum(old < index for old in matched.values())
    owners = (None, moment.bases[index].owner)
    return any(
        position not in matched
        and sum(other < position for other in matched) == left
        and now.owner in owners
        for position, now in enumerate(seen.bases)
    )


def _base_diff(
    pair: Pair, was: Base, now: SeenBase
) -> tuple[list[Change], list[Problem]]:
    changes: list[Change] = []
    problems: list[Problem] = []
    for side, old, new in (
        (pair.first, was.first, now.first),
        (pair.second, was.second, now.second),
    ):
        wrong = chain_problem(old, new)
        if wrong is not None:
            problems.append(wrong)
            continue
        changes += [
            Change(pair, card.face, was.id, side, card.owner, card.piece)
            for card in new[len(old) :]
        ]
    if was.freezes and not now.freezes:
        problems.append(Problem(Text.of("brawl.freeze_missing"), (now.piece,)))
    for face, cards, before in (
        (Face.FREEZE, now.freezes, len(was.freezes)),
        (Face.CLEAR, now.clears, 0),
    ):
        changes += [
            Change(pair, face, was.id, owner=card.owner, piece=card.piece)
            for card in cards[before:]
        ]
    return changes, problems


def chain_problem(old: Sequence[Laid], new: Sequence[SeenCard]) -> Problem | None:
    """Return why the chain on the table does not continue the one of the state.

    A card that cannot be read is taken for the one that is known to lie there, unless
    the chain goes on as it did without it.
    """
    for laid, card in zip(old, new, strict=False):
        text = _changed(laid, card)
        if text is not None:
            return Problem(text, (card.piece,))
    between = _unread_between(old, new)
    if between is not None:
        return Problem(Text.of("brawl.card_between"), (between.piece,))
    if len(new) < len(old):
        missing = old[len(new)].card.text
        pieces = tuple(card.piece for card in new[-1:])
        text = Text.of("brawl.card_missing", card=missing)
        return Problem(text, pieces, len(old) - len(new))
    return None


def _changed(laid: Laid, card: SeenCard) -> Text | None:
    """Return how a card is known not to be the one that was laid there."""
    if card.face not in (None, laid.card):
        assert card.face is not None
        return Text.of("brawl.card_changed", was=laid.card.text, now=card.face.text)
    if card.owner is not None and card.owner != laid.by:
        return Text.of(
            "brawl.card_of_another",
            card=laid.card.text,
            was=letter(laid.by),
            now=letter(card.owner),
        )
    return None


def _unread_between(old: Sequence[Laid], new: Sequence[SeenCard]) -> SeenCard | None:
    """Return a card that cannot be read and without which the chain is the one of the
    state: it was overlooked, and the card at the end is no second one."""
    for place, card in enumerate(new[: len(old)] if len(new) > len(old) else ()):
        rest = [*new[:place], *new[place + 1 :]]
        if card.face is None and all(
            other.face is laid.card for laid, other in zip(old, rest, strict=False)
        ):
            return card
    return None


@dataclass(frozen=True, slots=True)
class PileDiff:
    """What has happened to a discard pile, as far as its top tells."""

    removed: Face | None = None
    added: SeenCard | None = None
    unclear: bool = False
    """The card below may have come to light, or a like one was laid on top."""


def pile_diff(pile: Sequence[Face], seen: Sequence[SeenCard]) -> PileDiff:
    """Return the difference between a pile and what is seen of it."""
    if not seen:
        # Of several cards only the top one can have gone; the rest is out of sight.
        return PileDiff(removed=pile[-1]) if len(pile) == 1 else PileDiff()
    top = seen[-1]
    if top.face is None:
        return PileDiff(added=top) if not pile else PileDiff()
    if pile and pile[-1] is top.face:
        return PileDiff()
    if len(pile) > 1 and pile[-2] is top.face:
        return PileDiff(removed=pile[-1], added=top, unclear=True)
    return PileDiff(added=top)


def played_from_pile(change: Change, seat: Seat) -> Change:
    """Return the change as a play of the top discard of `seat`."""
    return replace(change, owner=seat, source=Source.DISCARD)
