"""The sheet of points from one look at the table, without history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engines.core import (
    Option,
    Question,
    RuleRef,
    Seat,
    Sheet,
)
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
    agreed,
    asks_bodyguard_ruling,
    asks_empty_ruling,
    bodyguards,
    copy_choices,
    fighter,
)
from engines.frenzy.duel import Duel, Fighter, duel
from engines.frenzy.moves import RulingKey
from engines.frenzy.options import House, Options, Order
from engines.frenzy.questions import copy_question, pick_question, ruling_question
from engines.frenzy.resolution import (
    Piles,
    Resolution,
    begin,
    order_matters,
    pick,
    resolution_order,
    spoils,
)
from engines.frenzy.sheets import Field, sheet
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
from engines.frenzy.texts import say


def sheet_of(snapshot: Snapshot, options: Options, answers: Mapping[str, str]) -> Sheet:
    """Return the points as if the round ended with this look."""
    inquiry = Inquiry(answers)
    if not snapshot.is_laid_out:
        fields = [Field(n, (UNKNOWN, UNKNOWN), (UNKNOWN, UNKNOWN)) for n in NUMBERS]
        return sheet(snapshot, fields, None, None, inquiry)
    number = _round(snapshot, inquiry)
    snapshot = settled_piles(snapshot, inquiry)
    fields = _seen_fields(snapshot, options, inquiry)
    fields, house = _fought(fields, options, inquiry)
    fields = [_scored(field, options, inquiry) for field in fields]
    resolution = _resolved(fields, house, _earlier(number, answers), inquiry)
    return sheet(snapshot, fields, resolution, number, inquiry)


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


def _seen_fields(snapshot: Snapshot, options: Options, inquiry: Inquiry) -> list[Field]:
    def tops(zone: Zone) -> tuple[Top, Top]:
        first, second = (
            top_of(snapshot, Region(seat, zone), options, inquiry) for seat in SEATS
        )
        return first, second

    return [
        Field(number, tops(battle), tops(supply))
        for number, battle, supply in zip(
            NUMBERS, BATTLE_LINE, SUPPLY_LINE, strict=True
        )
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
        supply.append(tops)
    if not all(top.is_known for tops in supply for top in tops):
        return field
    first, second = (
        tuple(top.card for top in tops if top.card is not None) for tops in supply
    )
    return replace(
        field, spoils=spoils(field.number, winner, champion, (first, second))
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
