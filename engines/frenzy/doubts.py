"""Questions about what the table shows against what the match knows."""

from __future__ import annotations

from collections.abc import Iterable

from engines.core import Option, Question, RuleRef
from engines.frenzy.cards import Card
from engines.frenzy.moves import Lift, Record, Release, Restore, Upset
from engines.frenzy.sight import NOTHING, face_question, place_question
from engines.frenzy.snapshot import Doubt, Pile, Seen
from engines.frenzy.spots import Spot, depth_of, laying
from engines.frenzy.state import FoulCode, Laid, State
from engines.frenzy.texts import name, region, say


def gone(spot: Spot) -> Question:
    """Return the question why a released card is not on top any more (F-D, F-A).

    What shows may be a card of a covered one's face that was laid just where that lies.
    """
    place, time_ms = spot.place, spot.time_ms
    top = spot.pile.top
    taken = Record(place.seat, FoulCode.TAKEN_BACK, spot.known[0], time_ms)
    never = Restore(place, _left(spot), time_ms, top.piece if top else None)
    there = Restore(place, spot.known, time_ms, spot.laid[0].piece)
    options = [
        Option("taken", say("gone_taken"), str(taken)),
        Option("upset", say("gone_upset"), str(Upset(place, time_ms))),
        Option("there", say("gone_there"), str(there)),
        Option("never", say("gone_never"), str(never)),
    ]
    if top is not None and top.card is not None:
        another = laying(top, top.card, place, time_ms, spot.options)
        options.append(Option("another", say("another_card"), str(another)))
    text = say("ask_gone", card=name(spot.known[0]), region=region(place))
    return Question(f"gone.{place}", None, text, tuple(options), rule=RuleRef("F-D"))


def lifted(spot: Spot) -> Question:
    """Return the question whether a touched card was lifted again, or let go and
    covered by another."""
    seat, time_ms = spot.place.seat, spot.time_ms
    options = (
        Option("lifted", say("was_lifted"), str(Lift(seat, time_ms))),
        Option("covered", say("was_covered"), str(Release(seat, time_ms))),
    )
    text = say("ask_lifted", card=name(spot.known[0]), region=region(spot.place))
    return Question(f"lifted.{spot.place}", seat, text, options, rule=RuleRef("4.1"))


def same_face(spot: Spot, seen: Seen) -> Question:
    """Return the question whether a card of the same face was laid on the last one."""
    place, time_ms = spot.place, spot.time_ms
    same = Restore(place, spot.known, time_ms, seen.piece)
    another = laying(seen, spot.known[0], place, time_ms, spot.options)
    options = (
        Option("same", say("same_card"), str(same)),
        Option("another", say("another_card"), str(another)),
    )
    text = say("ask_same", card=name(spot.known[0]), region=region(place))
    return Question(
        f"same.{place}", None, text, options, rule=RuleRef("3"), pieces=(seen.piece,)
    )


def other_face(spot: Spot, seen: Seen, noted: Laid) -> Question:
    """Return the question what a card is that is read otherwise than it was noted."""
    assert seen.card is not None
    number = spot.laid.index(noted)
    cards = (*spot.known[:number], seen.card, *spot.known[number + 1 :])
    options = (
        Option(
            "misread",
            say("was_misread", card=name(seen.card)),
            str(Restore(spot.place, cards, spot.time_ms, spot.laid[0].piece)),
        ),
        Option(
            "another",
            say("another_card"),
            str(laying(seen, seen.card, spot.place, spot.time_ms, spot.options)),
        ),
    )
    text = say(
        "ask_other_face",
        card=name(seen.card),
        noted=name(noted.card),
        region=region(spot.place),
    )
    return Question(
        f"other.{spot.place}",
        None,
        text,
        options,
        rule=RuleRef("3"),
        pieces=(seen.piece,),
    )


def unread(spot: Spot, seen: Seen) -> Question:
    """Return the question which card was laid; "nothing" keeps the pile as it was."""
    moves = {
        card.value: str(laying(seen, card, spot.place, spot.time_ms, spot.options))
        for card in Card
    }
    kept = Restore(spot.place, spot.known, spot.time_ms, seen.piece)
    return face_question(
        f"card.{spot.place}",
        say("ask_card", region=region(spot.place)),
        spot.place,
        spot.options,
        rule="3",
        seen=seen,
        is_optional=True,
        moves={**moves, NOTHING: str(kept)},
    )


def unclear_top(spot: Spot, new: Iterable[Seen]) -> Question:
    """Return the question which of several new cards side by side was laid last."""
    cards = list(new)
    for seen in cards:
        if seen.card is None:
            return unread(spot, seen)
    options = []
    for seen in cards:
        ordered = [seen, *(each for each in cards if each is not seen)]
        faces = tuple(each.card for each in ordered if each.card is not None)
        move = Restore(spot.place, (*faces, *spot.known), spot.time_ms, seen.piece)
        options.append(Option(seen.piece, name(seen.card), str(move)))
    return Question(
        f"top.{spot.place}",
        None,
        say("ask_top", region=region(spot.place)),
        tuple(options),
        rule=RuleRef("F-G"),
        pieces=tuple(seen.piece for seen in cards),
    )


def misplaced(state: State, doubt: Doubt, time_ms: int) -> Question:
    """Return the question to which region a new card between regions belongs."""
    seen, first = doubt.seen, doubt.regions[0]
    options = state.options
    player = state.players[first.seat]
    known = tuple(laid.card for laid in player.pile(first.zone))
    if seen.card is None:
        spot = Spot(first, player, Pile(), time_ms, options)
        return unread(spot, seen)
    moves = {
        str(place): str(laying(seen, seen.card, place, time_ms, options))
        for place in doubt.regions
    }
    top = player.pile(first.zone)[0].piece if known else None
    moves["off"] = str(Restore(first, known, time_ms, top))
    return place_question(doubt, moves)


def _left(spot: Spot) -> tuple[Card, ...]:
    """Return the cards of the known pile that are still there."""
    for seen in spot.pile.cards:
        depth = depth_of(spot.laid, seen, spot.pile)
        if depth is not None:
            return spot.known[depth:]
    return ()
