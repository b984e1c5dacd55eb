"""Who was first (B-13): a ruling with a margin in milliseconds."""

from __future__ import annotations

import math

from engines.brawl.chain import fits, placement
from engines.brawl.landing import base_id, rebuilt
from engines.brawl.moves import Contest, Foul, Play
from engines.brawl.options import Options
from engines.brawl.place import AtEnd, letter
from engines.brawl.state import Landed, Moment, Row, State
from engines.core import Margin, RuleRef, Ruling, Seat, Text, Verdict

FIRST_CONTACT = RuleRef("B-13")


def first_contact(
    seat: Seat, time_ms: float, other: Seat, other_ms: float, *, sigma_ms: float
) -> Ruling:
    """Rule on the claim that the card of `seat` touched the table before the other's.

    `sigma_ms` is one standard deviation of the difference of the two times.
    """
    margin = Margin(other_ms - time_ms, sigma_ms, "ms")
    reason = "first_unclear" if margin.verdict is Verdict.UNDECIDED else "first_clear"
    return Ruling(
        claim=Text.of("brawl.claim_first", seat=letter(seat), other=letter(other)),
        verdict=margin.verdict,
        reason=Text.of(
            f"brawl.{reason}",
            first=letter(seat if margin.value >= 0 else other),
            ms=round(abs(margin.value)),
            sigma=round(sigma_ms),
        ),
        rule=FIRST_CONTACT,
        margin=margin,
    )


def touch_sigma_ms(options: Options) -> float:
    """Return one standard deviation of the difference of two touches.

    Each touch lies evenly between two frames: the period over the root of 12, twice.
    """
    return options.period_ms / math.sqrt(6)


def contact_ruling(
    options: Options, move: Play | Foul | Contest, rival: Landed
) -> Ruling | None:
    """Return whether `move` was before `rival`; `None` if a time is missing."""
    if move.time_ms is None or rival.time_ms is None:
        return None
    sigma_ms = touch_sigma_ms(options)
    return first_contact(
        move.seat, move.time_ms, rival.seat, rival.time_ms, sigma_ms=sigma_ms
    )


def rival_of(state: State, row: Row, move: Play | Foul | Contest) -> Landed | None:
    """Return the latest card of the row if it alone makes `move` illegal.

    The place of a contest is read as the row was before that card; that of a play must
    be the same Base in both readings.
    """
    last, before = row.last, row.before_last
    if last is None or before is None or state.is_training:
        return None
    if last.seat == move.seat or row.incident is not None or row.forfeit is not None:
        return None
    if not _was_legal(state, before, move):
        return None
    if not isinstance(move, Contest) and not _is_same_base(row, before, move):
        return None
    _, returned = rebuilt(
        row.cards,
        (as_landed(row, before, move),),
        block_on_hit2=state.allows_block_on_hit2,
    )
    return last if returned else None


def as_landed(row: Row, moment: Moment, move: Play | Foul | Contest) -> Landed:
    """Return the record of a card that lands in `moment`, where its place exists."""
    return Landed(
        move.seat,
        move.card,
        move.place,
        move.source,
        base_id(row, moment, move.place),
        move.time_ms,
    )


def _was_legal(state: State, before: Moment, move: Play | Foul | Contest) -> bool:
    return (
        not before.is_frozen
        and fits(before, move.card, move.place) is None
        and placement(
            before,
            move.card,
            move.place,
            block_on_hit2=state.allows_block_on_hit2,
        )
        is None
    )


def _is_same_base(row: Row, before: Moment, move: Play | Foul | Contest) -> bool:
    place = move.place
    if isinstance(place, AtEnd) or place.base >= len(row.cards.bases):
        return True
    return row.cards.bases[place.base].id == before.bases[place.base].id
