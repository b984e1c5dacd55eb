"""The sheet of points, written out."""

from __future__ import annotations

from dataclasses import dataclass

from engines.core import Cell, Finding, Row, Ruling, Seat, Sheet
from engines.frenzy.cards import SEATS, Owned, Zone, seat_name
from engines.frenzy.duel import Duel
from engines.frenzy.outcome import final
from engines.frenzy.resolution import Resolution, Spoils
from engines.frenzy.rounds import ROUNDS
from engines.frenzy.sight import NOTHING, Inquiry, Top
from engines.frenzy.snapshot import Snapshot
from engines.frenzy.texts import player, say

NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Field:
    """One Battlefield as far as it is known; `duel` and `spoils` are `None` if not."""

    number: int
    battle: tuple[Top, Top]
    supply: tuple[Top, Top]
    duel: Duel | None = None
    spoils: Spoils | None = None


def sheet(
    snapshot: Snapshot,
    fields: list[Field],
    resolution: Resolution | None,
    number: int | None,
    inquiry: Inquiry,
) -> Sheet:
    rows = [_field_row(field) for field in fields]
    rows += [_player_row(seat, snapshot, fields, resolution) for seat in SEATS]
    findings = list(snapshot.findings)
    if number is not None and number > 1 and resolution is None:
        findings.append(Finding(say("found_no_piles")))
    return Sheet(
        "frenzy",
        tuple(rows),
        _totals(resolution, number),
        (*inquiry.rulings, *(_ruling(field) for field in fields if field.duel)),
        tuple(inquiry.questions),
        tuple(findings),
    )


def _field_row(field: Field) -> Row:
    battle = [_label(top) for top in field.battle]
    supply = [_label(top) for top in field.supply]
    taken = field.spoils
    cells = [
        Cell(
            f"{seat_name(seat)}.{key}",
            say(f"cell_{key}", player=player(seat)),
            labels[seat],
        )
        for key, labels in (("battle", battle), ("supply", supply))
        for seat in SEATS
    ]
    cells.append(Cell("winner", say("cell_winner"), _winner(field.duel)))
    cells.append(
        Cell(
            "taken", say("cell_taken"), None if taken is None else _labels(taken.taken)
        )
    )
    cells.append(
        Cell("points", say("cell_points"), None if taken is None else taken.points)
    )
    return Row(f"F{field.number}", say("row_field", number=field.number), tuple(cells))


def _player_row(
    seat: Seat,
    snapshot: Snapshot,
    fields: list[Field],
    resolution: Resolution | None,
) -> Row:
    hq = [seen.card for seen in snapshot.zone(seat, Zone.HQ).cards if not seen.touched]
    heroes = tuple(card.value for card in hq if card is not None and card.is_hero)
    pile = _pile(resolution, seat)
    removed = None if resolution is None else _labels(resolution.removed[seat])
    gained = [field.spoils for field in fields if field.spoils is not None]
    points = sum(each.points for each in gained if each.winner == seat)
    is_known = len(gained) == len(fields)
    cells = (
        Cell("hq", say("cell_hq"), heroes if snapshot.is_laid_out else None),
        Cell("round", say("cell_round"), points if is_known else None),
        Cell("pile", say("cell_pile"), None if pile is None else _labels(pile)),
        Cell("removed", say("cell_removed"), removed),
        Cell("points", say("cell_total"), _points(pile)),
    )
    return Row(seat_name(seat), player(seat), cells)


def _pile(resolution: Resolution | None, seat: Seat) -> tuple[Owned, ...] | None:
    """Return the score pile; `None` while the opponent must still pick from it."""
    if resolution is None or resolution.owing == seat:
        return None
    if not resolution.is_over and _may_still_change(resolution, seat):
        return None
    return resolution.piles[seat]


def _may_still_change(resolution: Resolution, seat: Seat) -> bool:
    return any(each.winner == seat for each in resolution.spoils[resolution.done :])


def _points(pile: tuple[Owned, ...] | None) -> int | None:
    return None if pile is None else sum(owned.card.points for owned in pile)


def _totals(resolution: Resolution | None, number: int | None) -> tuple[Cell, ...]:
    cells = [Cell("round", say("cell_round_number"), number)]
    order = (
        None
        if resolution is None
        else tuple(f"F{each.number}" for each in resolution.spoils)
    )
    cells.append(Cell("order", say("cell_order"), order))
    for seat in SEATS:
        pile = _pile(resolution, seat)
        cells.append(Cell(seat_name(seat), player(seat), _points(pile)))
    if number == ROUNDS:
        is_over = resolution is not None and resolution.is_over
        winner, reason = None, None
        if resolution is not None and is_over:
            outcome = final(resolution.piles)
            winner = seat_name(outcome.winners[0]) if outcome.winners else NOBODY
            reason = outcome.reason
        cells.append(Cell("winner", say("cell_match_winner"), winner))
        cells.append(Cell("reason", say("cell_reason"), reason))
    return tuple(cells)


def _ruling(field: Field) -> Ruling:
    assert field.duel is not None
    if field.duel.winner is None:
        claim = say("claim_nobody_wins", number=field.number)
    else:
        who = player(SEATS[field.duel.winner])
        claim = say("claim_wins", player=who, number=field.number)
    return Ruling.upheld(claim, field.duel.reason, field.duel.rule)


def _winner(result: Duel | None) -> str | None:
    if result is None:
        return None
    return NOBODY if result.winner is None else seat_name(SEATS[result.winner])


def _label(top: Top) -> str | None:
    if not top.is_known:
        return None
    return NOTHING if top.card is None else top.card.value


def _labels(cards: tuple[Owned, ...]) -> tuple[str, ...]:
    return tuple(sorted(owned.card.value for owned in cards))
