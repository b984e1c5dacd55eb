"""What happened between a state and what is now on the table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from engines.core import Option, Question, RuleRef, Seat
from engines.frenzy.cards import SEATS, ZONES, Card, Region, Zone, other
from engines.frenzy.moves import (
    Lay,
    Lift,
    Move,
    Play,
    Record,
    Release,
    Restore,
    Turn,
    Upset,
)
from engines.frenzy.options import Options
from engines.frenzy.questions import lot_question
from engines.frenzy.sight import face_question, place_question
from engines.frenzy.snapshot import Pile, Seen, Snapshot
from engines.frenzy.state import FoulCode, Laid, Phase, Player, State
from engines.frenzy.texts import name, region, say

Change: TypeAlias = "Move | Question"


def changes_of(state: State, snapshot: Snapshot) -> tuple[Move, ...] | Question:
    """Return the moves that lead from `state` to the table, or what must be asked.

    All that is clear comes first: a doubt about one pile never hides the others, and
    is asked as soon as nothing else has changed. A card that lies where it may not is
    reported as the move that laid it, so that `judge` refuses it with its rule.
    """
    if state.phase is Phase.LOT:
        return lot_question(state.clock_ms)
    if state.phase is Phase.TURN:
        return _turned(state, snapshot)
    if state.phase in (Phase.SPOILS, Phase.OVER) or not snapshot.is_laid_out:
        return ()
    found = list(_found(state, snapshot))
    moves = [each for each in found if not isinstance(each, Question)]
    questions = [each for each in found if isinstance(each, Question)]
    if state.phase is not Phase.BATTLE and any(_is_cleared(q) for q in questions):
        return ()  # the players are already taking their cards
    if moves:
        return tuple(sorted(moves, key=_urgency))
    return questions[0] if questions and state.phase is Phase.BATTLE else ()


def _turned(state: State, snapshot: Snapshot) -> tuple[Move, ...]:
    number = snapshot.round
    if number is None or number <= state.round or state.first is None:
        return ()
    return (Turn(state.first, number, time_of(state, snapshot)),)


def time_of(state: State, snapshot: Snapshot) -> int:
    """Return the time of the frame; without one, the next frame after the last move."""
    if snapshot.at_ms is not None:
        return snapshot.at_ms
    return state.clock_ms + math.ceil(state.options.frame_period_ms)


def _is_cleared(question: Question) -> bool:
    return question.id.startswith("gone.")


def _urgency(move: Move) -> int:
    """Return the order within one frame: a hand leaves its card before it takes the
    next; what may end the round comes last."""
    if isinstance(move, Lift | Release):
        return 0
    is_last = isinstance(move, Play) and move.region.zone is Zone.HQ
    return 2 if is_last else 1


@dataclass(frozen=True, slots=True)
class Spot:
    """One region, in the state and in the snapshot."""

    place: Region
    player: Player
    pile: Pile
    at_ms: int
    options: Options

    @property
    def laid(self) -> tuple[Laid, ...]:
        """Return the pile as the state knows it."""
        return self.player.pile(self.place.zone)

    @property
    def has_hand(self) -> bool:
        """Return whether the state has the player's hand on the top card."""
        return self.player.touching is self.place.zone


def _found(state: State, snapshot: Snapshot) -> Iterator[Change]:
    at_ms = time_of(state, snapshot)
    unsure = {place for doubt in snapshot.doubts for place in doubt.regions}
    for seat in SEATS:
        for zone in ZONES:
            place = Region(seat, zone)
            spot = Spot(
                place, state.players[seat], snapshot.pile(place), at_ms, state.options
            )
            if place not in unsure:
                yield from _at(spot)
    for doubt in snapshot.doubts:
        if _is_known(state, doubt.seen.piece):
            continue
        seen = doubt.seen
        moves = {} if seen.card is None else {
            str(place): str(_laid(seen, seen.card, place, at_ms, state.options))
            for place in doubt.regions
        }
        yield place_question(doubt, moves)


def _is_known(state: State, piece: str) -> bool:
    return any(
        laid.piece == piece
        for player in state.players
        for pile in player.piles
        for laid in pile
    )


def _at(spot: Spot) -> Iterator[Change]:
    """Yield what changed in one region."""
    if spot.pile.unclear and not _is_expected(spot):
        yield _unclear_top(spot)
        return
    new = []
    for seen in spot.pile.cards:
        depth = _depth(spot.laid, seen)
        if depth is None:
            new.append(seen)
            continue
        if depth > 0:
            yield from _taken_off(spot, depth)
        elif spot.has_hand and not seen.touched:
            yield Release(spot.place.seat, spot.at_ms)
        elif not new and _may_be_another(spot.laid[0], seen):
            yield _same_face(spot, seen)
        break
    else:
        if not new:
            yield from _taken_off(spot, len(spot.laid))
        elif spot.has_hand:
            yield Release(spot.place.seat, spot.at_ms)
    for seen in reversed(new):
        yield _new_card(spot, seen)


def _is_expected(spot: Spot) -> bool:
    """Return whether all visible cards of the pile are known, side by side or not."""
    return all(_depth(spot.laid, seen) is not None for seen in spot.pile.cards)


def _depth(laid: tuple[Laid, ...], seen: Seen) -> int | None:
    """Return which card of the pile this is: 0 the top; `None` a new one.

    The id of the piece decides; a card laid without one is known by its face.
    """
    for depth, card in enumerate(laid):
        if card.piece == seen.piece:
            return depth
    for depth, card in enumerate(laid):
        if card.card is seen.card and (card.piece is None or depth == 0):
            return depth
    return None


def _may_be_another(top: Laid, seen: Seen) -> bool:
    return top.piece is not None and top.piece != seen.piece


def _taken_off(spot: Spot, depth: int) -> Iterator[Change]:
    """Yield why the upper cards of a pile are gone."""
    if depth == 0:
        return
    if spot.has_hand:
        yield Lift(spot.place.seat, spot.at_ms)
        if depth == 1:
            return
    yield _gone(spot)


def _new_card(spot: Spot, seen: Seen) -> Change:
    if seen.card is not None:
        return _laid(seen, seen.card, spot.place, spot.at_ms, spot.options)
    moves = {
        card.value: str(_laid(seen, card, spot.place, spot.at_ms, spot.options))
        for card in Card
    }
    return face_question(
        f"card.{spot.place}",
        say("ask_card", region=region(spot.place)),
        spot.place,
        spot.options,
        seen=seen,
        rule="3",
        moves={**moves, **_unchanged(spot, seen)},
        is_optional=True,
    )


def _unchanged(spot: Spot, seen: Seen) -> Mapping[str, str]:
    """Return the move for "nothing new lies there"."""
    cards = tuple(laid.card for laid in spot.laid)
    return {"-": str(Restore(spot.place, cards, spot.at_ms, seen.piece))}


def _laid(seen: Seen, card: Card, place: Region, at_ms: int, options: Options) -> Move:
    """Return the move that laid a card there; by the other player, if the card is of
    that deck (F-F)."""
    seat = _who(seen, place.seat, options)
    if seen.touched:
        return Lay(seat, card, place, at_ms, seen.piece)
    return Play(seat, card, place, at_ms, seen.piece)


def _who(seen: Seen, seat: Seat, options: Options) -> Seat:
    own, rival = options.factions[seat], options.factions[other(seat)]
    is_rivals = seen.faction is not None and seen.faction is rival is not own
    return other(seat) if is_rivals else seat


# Questions


def _gone(spot: Spot) -> Question:
    place, at_ms = spot.place, spot.at_ms
    cards = tuple(laid.card for laid in spot.laid)
    top = spot.pile.top
    piece = spot.laid[0].piece
    options = (
        Option(
            "taken",
            say("gone_taken"),
            str(Record(place.seat, FoulCode.TAKEN_BACK, cards[0], at_ms)),
        ),
        Option("upset", say("gone_upset"), str(Upset(place, at_ms))),
        Option(
            "there", say("gone_there"), str(Restore(place, cards, at_ms, piece))
        ),
        Option(
            "never",
            say("gone_never"),
            str(Restore(place, _visible(spot), at_ms, top.piece if top else None)),
        ),
    )
    text = say("ask_gone", card=name(cards[0]), region=region(place))
    return Question(f"gone.{place}", None, text, options, rule=RuleRef("F-D"))


def _visible(spot: Spot) -> tuple[Card, ...]:
    """Return the cards of the known pile that are still there."""
    for seen in spot.pile.cards:
        depth = _depth(spot.laid, seen)
        if depth is not None:
            return tuple(laid.card for laid in spot.laid[depth:])
    return ()


def _same_face(spot: Spot, seen: Seen) -> Question:
    place, at_ms = spot.place, spot.at_ms
    cards = tuple(laid.card for laid in spot.laid)
    another = _laid(seen, cards[0], place, at_ms, spot.options)
    options = (
        Option("same", say("same_card"), str(Restore(place, cards, at_ms, seen.piece))),
        Option("another", say("another_card"), str(another)),
    )
    text = say("ask_same", card=name(cards[0]), region=region(place))
    return Question(
        f"same.{place}", None, text, options, rule=RuleRef("3"), pieces=(seen.piece,)
    )


def _unclear_top(spot: Spot) -> Question:
    """Return the question which of the cards side by side was laid last."""
    place = spot.place
    known = tuple(laid.card for laid in spot.laid)
    options = []
    for seen in _unclear(spot.pile):
        rest = [each for each in _unclear(spot.pile) if each is not seen]
        if seen.card is None:
            continue
        below = tuple(
            each.card
            for each in rest
            if each.card is not None and _depth(spot.laid, each) is None
        )
        cards = (seen.card, *below, *known)
        if _depth(spot.laid, seen) is not None:
            cards = (*below, *known)
        move = Restore(place, cards, spot.at_ms, seen.piece)
        options.append(Option(seen.piece, name(seen.card), str(move)))
    text = say("ask_top", region=region(place))
    return Question(
        f"top.{place}",
        None,
        text,
        tuple(options),
        rule=RuleRef("F-G"),
        pieces=spot.pile.unclear,
    )


def _unclear(pile: Pile) -> Iterable[Seen]:
    return [seen for seen in pile.cards if seen.piece in pile.unclear]
