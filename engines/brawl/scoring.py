"""Points, who wins a Base, and how a game ends (RULES.md, 6 and 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engines.brawl.options import Options
from engines.brawl.place import letter
from engines.brawl.state import Base, Laid, Row, State
from engines.core import Outcome, RuleRef, Seat, Text

SCORING = RuleRef("6")


@dataclass(frozen=True, slots=True)
class Span:
    """The Hits on one side of a Base: at least `low`, at most `high`."""

    low: int
    high: int

    @property
    def exact(self) -> int | None:
        """Return the number if it is known."""
        return self.low if self.low == self.high else None


def base_winner(
    first: Span, second: Span, seats: tuple[Seat, Seat], owner: Seat | None
) -> Seat | None:
    """Return who wins a Base whatever the unknown cards are, `None` if that is open.

    `first` and `second` belong to `seats` in that order. More Hits win; a tie goes to
    the owner.
    """
    mine, theirs = seats
    if first.low > second.high or (first.low >= second.high and owner == mine):
        return mine
    if second.low > first.high or (second.low >= first.high and owner == theirs):
        return theirs
    return None


def hits(chain: Iterable[Laid]) -> int:
    """Return the Hits of a chain, a Hit-2 counting two."""
    return sum(laid.card.points for laid in chain)


def winner_of(row: Row, base: Base) -> Seat:
    """Return who wins a Base as it lies."""
    if row.forfeit is not None:
        return row.forfeit
    first, second = hits(base.first), hits(base.second)
    if first == second:
        return base.owner
    return row.pair.first if first > second else row.pair.second


def bases_won(state: State) -> Mapping[Seat, int]:
    """Return how many Bases each seat wins as they lie."""
    won = Counter(
        winner_of(row, base) for row in state.rows for base in row.cards.bases
    )
    return {seat: won[seat] for seat in state.seats}


def is_over(state: State) -> bool:
    """Return whether nothing more can be played anywhere."""
    return is_given_up(state) or all(row.is_finished for row in state.rows)


def is_given_up(state: State) -> bool:
    """Return whether all have passed in a row, or confirmed that nobody can move."""
    players = len(state.players)
    return state.passes >= players or len(state.stuck) >= players


def is_score_due(state: State, row: Row) -> bool:
    """Return whether a row is only waiting for its points."""
    return row.is_finished or is_over(state)


def outcome(state: State) -> Outcome | None:
    """Return how the game ended, `None` while it goes on or something is disputed."""
    if not is_over(state) or any(row.incident for row in state.rows):
        return None
    only = state.rows[0]
    if not state.options.is_circle and only.forfeit is not None:
        reason = Text.of("brawl.won_by_forfeit", seat=letter(only.forfeit))
        return Outcome((only.forfeit,), reason, RuleRef("4.3"))
    return result(bases_won(state), state.options)


def result(won: Mapping[Seat, int], options: Options) -> Outcome:
    """Return who wins with these numbers of Bases."""
    leaders = leading(won)
    numbers = ", ".join(f"{letter(seat)} {number}" for seat, number in won.items())
    if len(leaders) == 1:
        reason = Text.of("brawl.won", seat=letter(leaders[0]), numbers=numbers)
        return Outcome(leaders, reason, SCORING)
    if options.is_circle and not options.play_off:
        names = " ".join(map(letter, leaders))
        reason = Text.of("brawl.replay", seats=names, numbers=numbers)
        return Outcome(leaders, reason, RuleRef("B-19"))
    return Outcome((), Text.of("brawl.drawn", numbers=numbers), SCORING)


def leading(won: Mapping[Seat, int]) -> tuple[Seat, ...]:
    """Return the seats with the most Bases; several tie."""
    most = max(won.values())
    return tuple(seat for seat, number in won.items() if number == most)
