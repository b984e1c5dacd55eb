"""Questions that one look at the table leaves to a person.

Ids: ``enemy``, ``card:<piece>``, ``twice:<label>``, ``discard:<piece>``,
``seat:<piece>``, ``plays:<piece>``, ``joker:<card>``, ``next``; `<piece>` is the id of
the first piece that the question is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engines.core import (
    FACE_DOWN,
    JOKER,
    NO_CARD,
    Card,
    Option,
    Piece,
    Question,
    RuleRef,
    Text,
)
from engines.regicide.cards import (
    COMMONERS,
    ROYALS,
    in_order,
    seat_name,
    spoken,
    spoken_all,
)
from engines.regicide.effects import AFTER, BEFORE, Judging
from engines.regicide.fight import (
    BOTH,
    DISCARD,
    ONCE,
    PLAYED,
    Fight,
    Strike,
    notation,
)
from engines.regicide.grouping import Group, Reading
from engines.regicide.options import Options
from engines.regicide.snapshot import Heap, Snapshot, card_of

MOST_OPTIONS = 12
PLAYED_ON = "played_on"


def ask(
    fight: Fight,
    judging: Judging | None,
    options: Options,
    answers: Mapping[str, str],
) -> Iterator[Question]:
    """Yield the open questions, those that change most first."""
    if fight.enemy is None:
        yield _which_enemy(fight)
    for piece in fight.unread:
        yield which_card(fight.snapshot, piece, options)
    for copies in fight.twice:
        yield _how_often(copies)
    for heap in fight.heaps:
        if heap.is_doubtful:
            yield _which_zone(heap)
    for strike in fight.strikes:
        if (question := _which_plays(strike, judging)) is not None:
            yield question
    if judging is not None:
        yield from _which_order(fight, judging)
    for heap in fight.heaps:
        if len(heap.seats) > 1:
            yield _whose(heap)
    if fight.jokers and options.tavern_jokers and "next" not in answers:
        yield _who_is_next(options)


def _labels(pieces: Sequence[Piece]) -> Text:
    cards = [card for piece in pieces if (card := card_of(piece)) is not None]
    if len(cards) < len(pieces):
        unknown = Text.of("core.unknown_card")
        if not cards:
            return unknown
        return Text.of("regicide.row", first=spoken_all(cards), rest=unknown)
    return spoken_all(cards)


def _card_option(card: Card) -> Option:
    return Option(str(card), spoken(card))


def _which_enemy(fight: Fight) -> Question:
    snapshot = fight.snapshot
    if snapshot.enemy is not None and snapshot.rivals:
        pieces = (snapshot.enemy, *snapshot.rivals)
        cards = tuple(card for p in pieces if (card := card_of(p)) is not None)
        return Question(
            id="enemy",
            to=None,
            text=Text.of("regicide.ask_which_enemy", cards=spoken_all(cards)),
            options=tuple(_card_option(card) for card in dict.fromkeys(cards)),
            default=str(cards[0]),
            rule=RuleRef("2"),
            pieces=tuple(p.id for p in pieces),
        )
    lying = {p.label for p in snapshot.pieces}
    return Question(
        id="enemy",
        to=None,
        text=Text.of("regicide.ask_enemy"),
        options=tuple(_card_option(card) for card in ROYALS if str(card) not in lying),
        rule=RuleRef("2"),
    )


def which_card(
    snapshot: Snapshot, piece: Piece, options: Options, *, is_followed: bool = False
) -> Question:
    """Ask for a card: its likely faces, or every face that does not lie open. Where a
    table is followed those come after the likely ones: one look may have misread it."""
    lying = {p.label for p in snapshot.pieces}
    deck = {str(card): card for card in (*COMMONERS, *ROYALS)}
    if options.tavern_jokers:
        deck["X"] = JOKER
    likely = [
        deck[label]
        for label, _ in sorted(piece.candidates, key=lambda item: -item[1])
        if label in deck and (label not in lying or label == "X")
    ]
    free = [card for label, card in deck.items() if label not in lying]
    others = in_order(free) if is_followed or not likely else ()
    cards = tuple(dict.fromkeys((*likely, *others)))
    return Question(
        id=f"card:{piece.id}",
        to=None,
        text=Text.of("regicide.ask_card"),
        options=(
            *map(_card_option, cards),
            Option(FACE_DOWN, Text.of("regicide.face_down")),
            Option(NO_CARD, Text.of("regicide.not_a_card")),
        ),
        rule=RuleRef("3"),
        pieces=(piece.id,),
    )


def _how_often(copies: Sequence[Piece]) -> Question:
    return Question(
        id=f"twice:{copies[0].label}",
        to=None,
        text=Text.of("regicide.ask_twice", card=_labels(copies[:1])),
        options=(
            Option(ONCE, Text.of("regicide.seen_twice")),
            Option(BOTH, Text.of("regicide.lies_twice")),
        ),
        default=ONCE,
        rule=RuleRef("1"),
        pieces=tuple(p.id for p in copies),
    )


def _which_zone(heap: Heap) -> Question:
    return Question(
        id=f"discard:{heap.pieces[0].id}",
        to=None,
        text=Text.of("regicide.ask_zone", cards=_labels(heap.pieces)),
        options=(
            Option(PLAYED, Text.of("regicide.zone_played")),
            Option(DISCARD, Text.of("regicide.zone_discard")),
        ),
        rule=RuleRef("3"),
        pieces=tuple(p.id for p in heap.pieces),
    )


def open_readings(strike: Strike, judging: Judging | None) -> tuple[Reading, ...]:
    """Return the readings that differ in what they do, one of each kind."""
    readings = strike.clump.readings
    if judging is None or len(readings) == 1:
        return readings
    kinds = {(r.is_legal, judging.reading(r)): r for r in reversed(readings)}
    return tuple(reversed(kinds.values()))


def _which_plays(strike: Strike, judging: Judging | None) -> Question | None:
    """Ask how cards were played where that makes a difference."""
    readings = open_readings(strike, judging)
    if len(readings) == 1 and not strike.clump.is_cut_short:
        return None
    pieces = strike.clump.pieces
    return Question(
        id=f"plays:{strike.id}",
        to=strike.seat,
        text=Text.of("regicide.ask_plays", cards=_labels(pieces)),
        options=tuple(
            Option(notation(reading), _reading_text(reading))
            for reading in readings[:MOST_OPTIONS]
        ),
        default=notation(readings[0]),
        rule=RuleRef("4.1"),
        pieces=tuple(p.id for p in pieces),
    )


def _reading_text(reading: Reading) -> Text:
    first, *rest = (spoken_all(play) for play in reading.plays)
    text = first
    for play in rest:
        text = Text.of("regicide.then", first=text, rest=play)
    return text


def _which_order(fight: Fight, judging: Judging) -> Iterator[Question]:
    """Ask for each play whose worth hangs on whether the Joker came first."""
    if not fight.jokers:
        return
    for strike in fight.strikes:
        readings = open_readings(strike, judging)
        if len(readings) > 1 or strike.is_doubtful:
            continue
        for play in readings[0].plays:
            if judging.order(play) is None and judging.depends_on_order(play):
                yield _before_or_after(strike, play)


def _before_or_after(strike: Strike, play: Group) -> Question:
    return Question(
        id=f"joker:{play[0]}",
        to=strike.seat,
        text=Text.of("regicide.ask_joker_order", cards=spoken_all(play)),
        options=(
            Option(BEFORE, Text.of("regicide.before_joker")),
            Option(AFTER, Text.of("regicide.after_joker")),
        ),
        rule=RuleRef("5.5"),
        pieces=tuple(p.id for p in strike.clump.pieces),
    )


def _whose(heap: Heap) -> Question:
    return Question(
        id=f"seat:{heap.pieces[0].id}",
        to=None,
        text=Text.of("regicide.ask_whose", cards=_labels(heap.pieces)),
        options=tuple(Option(str(seat), seat_name(seat)) for seat in heap.seats),
        default=str(heap.seat),
        rule=RuleRef("3"),
        pieces=tuple(p.id for p in heap.pieces),
    )


def _who_is_next(options: Options) -> Question:
    return Question(
        id="next",
        to=None,
        text=Text.of("regicide.ask_next_on_table"),
        options=(
            *(Option(str(s), seat_name(s)) for s in range(options.players)),
            Option(PLAYED_ON, Text.of("regicide.played_on")),
        ),
        rule=RuleRef("4.4"),
    )
