"""The sheet of points from one look at the table, without history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engines.core import Cell, Finding, Option, Question, Row, RuleRef, Ruling, Seat, Sheet
from engines.frenzy.cards import (
    BATTLE_LINE,
    NUMBERS,
    SEATS,
    SUPPLY_LINE,
    Card,
    Owned,
    Region,
    Zone,
    seat_name,
)
from engines.frenzy.choices import (
    Line,
    asks_bodyguard_ruling,
    asks_empty_ruling,
    agreed,
    bodyguards,
    copy_choices,
    fighter,
)
from engines.frenzy.duel import Duel, Fighter, duel
from engines.frenzy.moves import RulingKey
from engines.frenzy.options import House, Options, Order
from engines.frenzy.outcome import final
from engines.frenzy.questions import copy_question, pick_question, ruling_question
from engines.frenzy.resolution import (
    Piles,
    Resolution,
    Spoils,
    begin,
    order_matters,
    pick,
    resolution_order,
    spoils,
)
from engines.frenzy.rounds import ROUNDS
from engines.frenzy.sight import (
    NOTHING,
    UNKNOWN,
    Inquiry,
    Top,
    second_of,
    settled_piles,
    top_of,
)
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


def sheet_of(
    snapshot: Snapshot, options: Options, answers: Mapping[str, str]
) -> Sheet:
    """Return the points as if the round ended with this look."""
    inquiry = Inquiry(answers)
    if not snapshot.is_laid_out:
        fields = [Field(n, (UNKNOWN, UNKNOWN), (UNKNOWN, UNKNOWN)) for n in NUMBERS]
        return _sheet(snapshot, fields, None, None, inquiry)
    number = _round(snapshot, inquiry)
    snapshot = settled_piles(snapshot, inquiry)
    fields = _seen_fields(snapshot, options, inquiry)
    fields, house = _fought(fields, options, inquiry)
    fields = [_scored(field, options, inquiry) for field in fields]
    resolution = _resolved(fields, house, _earlier(number, answers), inquiry)
    return _sheet(snapshot, fields, resolution, number, inquiry)


def _round(snapshot: Snapshot, inquiry: Inquiry) -> int | None:
    if snapshot.round is not None:
        return snapshot.round
    choices = tuple(
        Option(str(number), say("number", number=number)) for number in snapshot.rounds
    )
    answer = inquiry.ask(
        Question("round", None, say("ask_round"), choices, rule=RuleRef("2"))
    )
    return None if answer is None else int(answer)


def _seen_fields(
    snapshot: Snapshot, options: Options, inquiry: Inquiry
) -> list[Field]:
    def tops(zone: Zone) -> tuple[Top, Top]:
        first, second = (
            top_of(snapshot, Region(seat, zone), options, inquiry) for seat in SEATS
        )
        return first, second

    return [
        Field(number, tops(battle), tops(supply))
        for number, battle, supply in zip(NUMBERS, BATTLE_LINE, SUPPLY_LINE, strict=True)
    ]


# Who wins


def _fought(
    fields: list[Field], options: Options, inquiry: Inquiry
) -> tuple[list[Field], House]:
    """Return the fields with their duels, and the rulings that were agreed."""
    pairs = [_pairs(fields, field, options, inquiry) for field in fields]
    house = options.house
    for key, is_asked, is_open in (
        (
            RulingKey.BODYGUARD_IS_WARRIOR,
            asks_bodyguard_ruling,
            house.bodyguard_is_warrior is None,
        ),
        (RulingKey.EMPTY_PILE, asks_empty_ruling, house.empty_pile is None),
    ):
        if is_open and any(is_asked(pair) for each in pairs for pair in each):
            answer = inquiry.ask(ruling_question(key, {}))
            house = house if answer is None else agreed(house, key, answer)
    return [
        replace(field, duel=_certain(each, house))
        for field, each in zip(fields, pairs, strict=True)
    ], house


def _certain(pairs: list[tuple[Fighter, Fighter]], house: House) -> Duel | None:
    """Return the result if all that may meet give the same."""
    results = [duel(first, second, house) for first, second in pairs]
    if len({result.winner for result in results}) == 1:
        return results[0]
    return None


def _pairs(
    fields: list[Field], field: Field, options: Options, inquiry: Inquiry
) -> list[tuple[Fighter, Fighter]]:
    """Return who may meet whom: more than one pair while a choice is open."""
    if not all(top.is_known for top in field.battle):
        return []
    first, second = (
        _fighters(seat, fields, field.number, options, inquiry) for seat in SEATS
    )
    return [(one, two) for one in first for two in second]


def _fighters(
    seat: Seat, fields: list[Field], number: int, options: Options, inquiry: Inquiry
) -> list[Fighter]:
    line: Line = [field.battle[seat].card for field in fields]
    if line[number - 1] is not Card.BODYGUARD:
        return [Fighter(line[number - 1])]
    if not all(field.battle[seat].is_known for field in fields):
        return []  # what it may duplicate is not known yet
    for choice in copy_choices(seat, line):
        if choice.number == number:
            sources = dict.fromkeys(choice.sources)
            answer = inquiry.ask(copy_question(seat, number, line, sources))
            chosen = choice.sources if answer is None else (int(answer),)
            return [fighter(line, number, source) for source in chosen]
    return [fighter(line, number, None)]


# What is scored


def _scored(field: Field, options: Options, inquiry: Inquiry) -> Field:
    if field.duel is None:
        return field
    if field.duel.winner is None:
        return replace(field, spoils=spoils(field.number, None, None, ((), ())))
    winner = SEATS[field.duel.winner]
    champion = field.battle[winner].card
    supply = []
    for seat, top in zip(SEATS, field.supply, strict=True):
        place = Region(seat, SUPPLY_LINE[field.number - 1])
        tops = [top]
        if champion is Card.KNIGHT and top.card is not None:
            tops.append(second_of(top, place, options, inquiry))
        if not all(each.is_known for each in tops):
            return field
        supply.append(tuple(each.card for each in tops if each.card is not None))
    return replace(
        field, spoils=spoils(field.number, winner, champion, (supply[0], supply[1]))
    )


def _earlier(number: int | None, answers: Mapping[str, str]) -> Piles | None:
    """Return the score piles before this round, `None` where nobody has told them."""
    piles = []
    for seat in SEATS:
        told = answers.get(f"pile.{seat_name(seat)}")
        labels = "" if told is None or told == NOTHING else told
        try:
            cards = [Card(label) for label in labels.split()]
        except ValueError:
            return None
        if told is None and number not in (0, 1):
            return None
        piles.append(tuple(Owned(card, seat) for card in cards))
    return piles[0], piles[1]


def _resolved(
    fields: list[Field], house: House, piles: Piles | None, inquiry: Inquiry
) -> Resolution | None:
    """Return the score piles after all picks that were answered.

    `None` while a Battlefield is open or the piles before the round are not known.
    """
    known = tuple(field.spoils for field in fields if field.spoils is not None)
    if len(known) < len(fields) or piles is None:
        return None
    first, second = ([field.battle[seat].card for field in fields] for seat in SEATS)
    numbers = bodyguards((first, second))
    order = house.order
    if order is None and order_matters(known, numbers):
        answer = inquiry.ask(ruling_question(RulingKey.ORDER, {}))
        order = None if answer is None else Order(answer)
    resolution = begin(known, resolution_order(numbers, order), piles)
    picks = 0
    while (picker := resolution.picker) is not None:
        picks += 1
        id = f"pick.{picks}"
        answer = inquiry.ask(pick_question(id, picker, resolution.choices, {}))
        if answer is None:
            break
        resolution = pick(resolution, Card(answer))
    return resolution


# The sheet


def _sheet(
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
        Cell(f"{seat_name(seat)}.{key}", say(f"cell_{key}", player=player(seat)), labels[seat])
        for key, labels in (("battle", battle), ("supply", supply))
        for seat in SEATS
    ]
    cells.append(Cell("winner", say("cell_winner"), _winner(field.duel)))
    cells.append(
        Cell("taken", say("cell_taken"), None if taken is None else _labels(taken.taken))
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
    order = None if resolution is None else tuple(
        f"F{each.number}" for each in resolution.spoils
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
