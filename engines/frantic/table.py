"""The sheet of one look at the table: what may be played, events, points of hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engines.core import (
    Cell,
    Finding,
    Option,
    Question,
    Row,
    RuleRef,
    Seat,
    Sheet,
    Text,
    surplus,
)
from engines.frantic.cards import UNKNOWN, PlayCard, copies, kit
from engines.frantic.doubts import read_card, read_event, which_card, which_event
from engines.frantic.event import events
from engines.frantic.options import Options
from engines.frantic.reading import Reading, pile_rulings, playable_on
from engines.frantic.round_end import RoundEnd, round_end
from engines.frantic.rules import requirement
from engines.frantic.scoring import hand_points, highest
from engines.frantic.snapshot import LaidHand, Seen, Snapshot
from engines.frantic.words import card_name, event_name, listed, seat_name


def score_table(
    snapshot: Snapshot, options: Options, answers: Mapping[str, str]
) -> Sheet:
    """Return the sheet of one look, without history."""
    hands, questions = _owned(snapshot, options, answers)
    end = round_end(snapshot, options, answers, _points(hands, options))
    discard = _discard_row(snapshot, options, answers)
    shown_events = _events_row(snapshot, options, answers)
    rows = [*discard.rows, *shown_events.rows]
    rows += [_hand_row(hand, options, end) for hand in hands]
    rows += _rows_without_hands(hands, options, end)
    dealer = _dealer(hands, options, end)
    return Sheet(
        game="frantic",
        rows=tuple(rows),
        totals=dealer.cells,
        rulings=pile_rulings(snapshot.discard, options, answers),
        questions=(
            *discard.questions,
            *shown_events.questions,
            *questions,
            *end.questions,
            *dealer.questions,
        ),
        findings=(*snapshot.findings, *_findings(snapshot, options, answers)),
    )


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the sheet and what it has to ask."""

    rows: tuple[Row, ...] = ()
    cells: tuple[Cell, ...] = ()
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class Counted:
    """A laid-out hand with its owner as far as he is known."""

    seat: Seat | None
    cards: tuple[PlayCard, ...]
    is_alone: bool = False
    is_disputed: bool = False
    """Cards that may belong to it lie elsewhere."""

    @property
    def is_certain(self) -> bool:
        """Return whether every card of the hand has been read."""
        return UNKNOWN not in self.cards and not self.is_disputed

    def points(self, options: Options) -> int:
        """Return the points of the cards that have been read."""
        known = (card for card in self.cards if card != UNKNOWN)
        return hand_points(known, options.scoring)


def _owned(
    snapshot: Snapshot, options: Options, answers: Mapping[str, str]
) -> tuple[list[Counted], list[Question]]:
    """Return the hands by their owners, and the questions about cards and owners."""
    questions: list[Question] = []
    by_seat: dict[Seat, list[PlayCard]] = {}
    loose: list[tuple[LaidHand, list[PlayCard]]] = []
    disputed: set[Seat] = set()
    for hand in snapshot.hands:
        cards = [read_card(seen, answers) or UNKNOWN for seen in hand.cards]
        questions += [
            which_card(seen, starred=options.starred)
            for seen, card in zip(hand.cards, cards, strict=True)
            if card == UNKNOWN
        ]
        seat = hand.seat
        if hand.rivals:
            seat = _owner(hand, options, answers)
            if seat is None:
                questions.append(_whose(hand, options))
                disputed.update(hand.rivals)
        if seat is None:
            loose.append((hand, cards))
        else:
            by_seat.setdefault(seat, []).extend(cards)
    counted = [
        Counted(seat, tuple(by_seat[seat]), is_disputed=seat in disputed)
        for seat in sorted(by_seat)
    ]
    for hand, cards in loose:
        counted.append(Counted(None, tuple(cards), is_alone=not hand.rivals))
    return counted, questions


def _owner(hand: LaidHand, options: Options, answers: Mapping[str, str]) -> Seat | None:
    answer = answers.get(_whose_id(hand))
    return next((s for s in options.seats if answer == f"p{s + 1}"), None)


def _whose_id(hand: LaidHand) -> str:
    return f"whose.{hand.cards[0].id}"


def _whose(hand: LaidHand, options: Options) -> Question:
    others = (seat for seat in options.seats if seat not in hand.rivals)
    return Question(
        id=_whose_id(hand),
        to=None,
        text=Text.of("frantic.ask_whose"),
        options=tuple(
            Option(f"p{seat + 1}", seat_name(seat)) for seat in (*hand.rivals, *others)
        ),
        rule=RuleRef("3"),
        pieces=tuple(seen.id for seen in hand.cards),
    )


def _points(hands: Sequence[Counted], options: Options) -> dict[Seat, int | None]:
    return {
        hand.seat: hand.points(options) if hand.is_certain else None
        for hand in hands
        if hand.seat is not None
    }


def _hand_row(hand: Counted, options: Options, end: RoundEnd) -> Row:
    if hand.seat is not None:
        key, title = f"hand.{hand.seat + 1}", _hand_of(hand.seat)
    elif hand.is_alone:
        key, title = "hand", Text.of("frantic.the_hand")
    else:
        names = ".".join(hand.cards) or "none"
        key, title = f"hand.unowned.{names}", Text.of("frantic.nobodys_hand")
    known = hand.points(options)
    cells = [
        _cell("cards", tuple(str(card) for card in hand.cards)),
        _cell("count", len(hand.cards)),
        _cell("points", known if hand.is_certain else None),
        _cell("at_least", known),
    ]
    if hand.seat is not None and end.is_counted:
        cells.append(_cell("round", end.points.get(hand.seat)))
    return Row(key, title, tuple(cells))


def _rows_without_hands(
    hands: Sequence[Counted], options: Options, end: RoundEnd
) -> list[Row]:
    """Who has laid out nothing may still get points from the event that ended the
    round."""
    if not end.is_counted:
        return []
    laid = {hand.seat for hand in hands}
    return [
        Row(
            f"hand.{seat + 1}",
            _hand_of(seat),
            (_cell("count", 0), _cell("round", end.points.get(seat))),
        )
        for seat in options.seats
        if seat not in laid
    ]


def _hand_of(seat: Seat) -> Text:
    return Text.of("frantic.hand_of", seat=seat_name(seat))


def _discard_row(
    snapshot: Snapshot, options: Options, answers: Mapping[str, str]
) -> Part:
    if not snapshot.discard:
        return Part()
    reading = Reading(options, answers)
    top = reading.top_of(snapshot.discard)
    card = read_card(snapshot.discard[-1], answers)
    faces = copies(starred=options.starred)
    cells = (
        _cell("top", card_name(card) if card else None),
        _cell("label", str(card) if card else None),
        _cell("requires", requirement(top) if top else None),
        _cell("colour", str(top.colour) if top and top.colour else None),
        _cell("number", top.number if top else None),
        _cell("playable", playable_on(top, faces) if top else None),
    )
    row = Row("discard", Text.of("frantic.discard"), cells)
    return Part((row,), questions=tuple(reading.questions))


def _events_row(
    snapshot: Snapshot, options: Options, answers: Mapping[str, str]
) -> Part:
    if not snapshot.events:
        return Part()
    read = [(seen, read_event(seen, answers)) for seen in snapshot.events]
    labels = tuple(str(event.value) if event else "?" for _, event in read)
    row = Row("events", Text.of("frantic.events"), (_cell("open", labels),))
    questions = tuple(
        which_event(seen, starred=options.starred)
        for seen, event in read
        if event is None
    )
    return Part((row,), questions=questions)


def _dealer(hands: Sequence[Counted], options: Options, end: RoundEnd) -> Part:
    """Who deals next: most points in the round; of several one is named (F-41)."""
    laid = {hand.seat for hand in hands if hand.seat is not None}
    if len(laid) < options.players - 1 or any(h.seat is None for h in hands):
        return Part()
    gains = [end.points.get(seat) for seat in options.seats]
    known = [gain for gain in gains if gain is not None]
    if len(known) < len(gains):
        return Part()
    most = highest(known)
    names = listed(seat_name(seat) for seat in most)
    cells = (_cell("most", names),)
    if len(most) == 1:
        return Part(cells=cells)
    question = Question(
        id="dealer",
        to=None,
        text=Text.of("frantic.who_deals"),
        options=tuple(Option(f"p{seat + 1}", seat_name(seat)) for seat in most),
        rule=RuleRef("F-41"),
    )
    return Part(cells=cells, questions=(question,))


def _findings(
    snapshot: Snapshot, options: Options, answers: Mapping[str, str]
) -> tuple[Finding, ...]:
    faces: list[tuple[Seen, PlayCard]] = []
    for seen in _all_cards(snapshot):
        card = read_card(seen, answers)
        if card is not None:
            faces.append((seen, card))
    foreign = [
        Finding(Text.of("frantic.not_in_box", card=card_name(card)), (seen.id,))
        for seen, card in faces
        if card not in copies(starred=options.starred)
    ]
    box = events(starred=options.starred)
    shown = [(seen, read_event(seen, answers)) for seen in snapshot.events]
    labels = [*(card for _, card in faces), *(e.value for _, e in shown if e)]
    foreign += [
        Finding(
            Text.of("frantic.event_not_in_box", event=event_name(event)), (seen.id,)
        )
        for seen, event in shown
        if event is not None and event not in box
    ]
    return (*surplus(kit(), _doubled(labels)), *foreign)


def _doubled(labels: Sequence[str]) -> list[str]:
    """Return the labels that are seen twice or more; only they can be too many."""
    seen = Counter(labels)
    return [label for label in labels if seen[label] > 1]


def _all_cards(snapshot: Snapshot) -> list[Seen]:
    laid = [seen for hand in snapshot.hands for seen in hand.cards]
    return [*snapshot.discard, *snapshot.market, *laid]


def _cell(key: str, value: str | int | Text | tuple[str, ...] | None) -> Cell:
    return Cell(key, Text.of(f"frantic.cell_{key}"), value)
