"""Random play: what must hold in every state that moves can reach."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from engines.core import Seat, Verdict, canonical, replay
from engines.frantic import GAME
from engines.frantic.attacks import SwapSpecials
from engines.frantic.cards import FY, UNKNOWN, Hand, PlayCard, deck
from engines.frantic.engine import ends_now, settle
from engines.frantic.event import Event, events
from engines.frantic.events.accounts import TaxHands
from engines.frantic.events.bidding import Bidding
from engines.frantic.events.discarding import Drop
from engines.frantic.events.distributing import DealAnew
from engines.frantic.events.together import Giving, PutDown, ShuffleOnPile
from engines.frantic.hands import is_known, without
from engines.frantic.moves import (
    Deal,
    GiveTo,
    Handle,
    Move,
    Shuffle,
    ShuffleEvents,
    Verb,
)
from engines.frantic.rounds import CountRound
from engines.frantic.scoring import card_points
from engines.frantic.selection import Selection
from engines.frantic.sorting import SortHand, sift
from engines.frantic.state import State
from tests.support.frantic import MOVES, event_now, playing, random_move, table

PROFILE = settings.default.max_examples if settings.default else 25
EXAMPLES = max(40, min(PROFILE, 400))
"""Each with `STEPS` steps, every other one a move: 1,200 moves, nightly 12,000."""
STEPS = 60

OPTIONS = st.fixed_dictionaries(
    {
        "players": st.integers(2, 8),
        "limit": st.sampled_from(["short", "medium", "long", 40]),
        "points": st.booleans(),
        "deck": st.sampled_from(["base", "base + starred", "base + starred"]),
        "startEffects": st.booleans(),
        "wishCompulsory": st.booleans(),
        "afterCounter": st.sampled_from(["nextAfterHim", "himself", "originalOrder"]),
        "counterSplit": st.sampled_from(["share", "all"]),
        "plusOne": st.sampled_from(["perDraw", "perCard"]),
        "distributorDerangement": st.booleans(),
        "repeatPool": st.sampled_from(["executed", "shown"]),
        "scoring": st.sampled_from(["rulebook", "heavy"]),
    }
)


class Play(RuleBasedStateMachine):
    """A game in which everybody does anything that is legal."""

    def __init__(self) -> None:
        super().__init__()
        self.state = GAME.setup(GAME.options({}))
        self.first = self.state
        self.moves: list[str] = []
        self.seen: dict[str, Move] = {}

    @initialize(options=OPTIONS)
    def begin(self, options: dict[str, object]) -> None:
        self.first = self.state = GAME.setup(GAME.options(options))

    @rule(seed=st.integers(0, 2**32))
    def move(self, seed: int) -> None:
        if GAME.outcome(self.state) is not None:
            assert GAME.legal_moves(self.state) == ()
            return
        rng = random.Random(seed)
        move = random_move(self.state, rng, corrections=seed % 4 == 0)
        assert GAME.parse_move(str(move)) == move
        assert GAME.judge(self.state, move).verdict is Verdict.UPHELD
        before = canonical(self.state)
        after = GAME.advance(self.state, move)
        assert canonical(self.state) == before
        self.state = after
        self.moves.append(str(move))

    @rule(seed=st.integers(0, 2**32))
    def judge_upholds_exactly_what_is_listed(self, seed: int) -> None:
        listed = GAME.legal_moves(self.state)
        if listed is None:
            return
        legal = sorted(set(listed), key=str)
        rng = random.Random(seed)
        for move in rng.sample(legal, min(len(legal), 20)):
            assert GAME.judge(self.state, move).verdict is Verdict.UPHELD, str(move)
            self.seen[str(move)] = move
        others = list(self.seen.values())
        for move in rng.sample(others, min(len(others), 40)):
            ruling = GAME.judge(self.state, move)
            assert (ruling.verdict is Verdict.UPHELD) is (move in legal), str(move)
            assert str(ruling.reason)

    @invariant()
    def cards_and_events_are_conserved(self) -> None:
        state = self.state
        assert all(number >= 0 for number in state.counts)
        if not any(state.hands):
            return
        starred = state.options.starred
        assert Counter(state.seen()) == Counter(deck(starred=starred))
        shown = (*state.event_pile, *state.open_events, *state.shown_events)
        assert Counter(shown) == Counter(events(starred=starred))

    @invariant()
    def a_view_depends_on_nothing_hidden(self) -> None:
        seats = self.state.options.seats
        for seat in (None, seats[len(self.moves) % len(seats)]):
            view = GAME.view(self.state, seat)
            assert GAME.view(scrambled(self.state, view["hands"]), seat) == view

    @invariant()
    def questions_have_words(self) -> None:
        for question in GAME.questions(self.state):
            assert question.text.render("it")
            for option in question.options[:12]:
                assert option.text.render("it")
                assert option.move is not None
                answer = GAME.judge(self.state, GAME.parse_move(option.move))
                assert answer.verdict is Verdict.UPHELD

    def teardown(self) -> None:
        again = replay(GAME, self.first, self.moves)
        assert again.is_complete
        assert canonical(again.state) == canonical(self.state)


def scrambled(state: State, open_hands: Any) -> State:
    """The state with all hidden cards and events exchanged among each other."""
    assert isinstance(open_hands, dict)
    hidden = [seat for seat in state.options.seats if str(seat) not in open_hands]
    kept = {seat: pinned(state, seat) for seat in hidden}
    free = {seat: without(state.hands[seat], kept[seat]) for seat in hidden}
    cards = [card for seat in hidden for card in free[seat]] + [*state.pile]
    random.Random(0).shuffle(cards)
    hands: dict[Seat, Hand] = {}
    for seat in hidden:
        size = len(free[seat])
        hands[seat], cards = kept[seat] + tuple(cards[:size]), cards[size:]
    state = state.with_hands(hands)
    return replace(
        state, pile=tuple(cards), event_pile=tuple(reversed(state.event_pile))
    )


def pinned(state: State, seat: Seat) -> Hand:
    """The cards of a hand that a step of the game holds on to."""
    match state.step:
        case Giving(presents=presents):
            return tuple(p.card for p in presents if p.seat == seat)
        case Bidding(bids=laid) | PutDown(put=laid):
            return tuple(c for other, cards in laid if other == seat for c in cards)
        case _:
            return ()


Play.TestCase.settings = settings(
    max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None
)
TestPlay = Play.TestCase


@settings(max_examples=min(EXAMPLES, 25), deadline=None)
@given(seed=st.integers(0, 2**32), options=OPTIONS)
def test_a_camera_that_sees_no_hand_follows_every_game(
    seed: int, options: dict[str, object]
) -> None:
    """The same game twice: once with all cards known, once with what a camera sees."""
    rng = random.Random(seed)
    full = seen = GAME.setup(GAME.options(options))
    for _ in range(120):
        if GAME.outcome(full) is not None:
            break
        move = random_move(full, rng, corrections=False)
        hidden = masked(full, seen, move)
        if hidden is not None:
            seen = upheld(seen, hidden)
        full, seen = in_step(full, seen, move)
        if isinstance(full.step, Drop) and full.step != seen.step:
            continue  # the camera saw all cards of this player go at once
        assert full.counts == seen.counts
        assert (full.top, full.accounts, full.skips) == (
            seen.top,
            seen.accounts,
            seen.skips,
        )
        assert full.open_events == seen.open_events
        assert full.executed == seen.executed
        assert type(full.step) is type(seen.step)
    assert GAME.outcome(full) == GAME.outcome(seen)


def upheld(state: State, move: Move) -> State:
    ruling = GAME.judge(state, move)
    assert ruling.verdict is Verdict.UPHELD, f"{move}: {ruling.reason}"
    return GAME.advance(state, move)


def masked(full: State, seen: State, move: Move) -> Move | None:
    """The move as the camera sees it, `None` where it has seen it already."""
    match move:
        case Deal():
            return Deal()
        case ShuffleEvents():
            return ShuffleEvents()
        case Shuffle():
            return move if all_known(seen) else Shuffle()
        case GiveTo(card=card) if card is not None:
            assert isinstance(seen.step, Giving)
            left = seen.step.left(seen, move.seat)
            return move if is_known(left) else replace(move, card=UNKNOWN)
        case Handle(verb=Verb.BID):
            return move
        case Handle():
            return masked_pick(full, seen, move)
        case _:
            return move


def all_known(state: State) -> bool:
    match state.step:
        case DealAnew(seats=seats):
            return all(is_known(state.hands[seat]) for seat in seats)
        case ShuffleOnPile(put=put):
            return all(is_known(cards) for _, cards in put)
        case _:
            return True


def masked_pick(full: State, seen: State, move: Handle) -> Move | None:
    if isinstance(full.step, Drop):
        if seen.step != full.step:
            return None
        hand = full.hands[move.seat]
        number = min(full.step.most, len(full.step.pickable(full)))
        if not is_known(seen.hands[move.seat]):
            assert number <= len(hand)
            return Handle(move.seat, move.verb, (UNKNOWN,) * number)
        return move
    source = (
        seen.step.source(seen)
        if isinstance(seen.step, Selection)
        else seen.hands[move.seat]
    )
    if is_known(source):
        return move
    return Handle(move.seat, move.verb, (UNKNOWN,) * len(move.cards))


def in_step(full: State, seen: State, move: Move) -> tuple[State, State]:
    """Advance the full game one step at a time, and tell the camera what it sees where
    the full game knows by itself."""
    assert full.step is not None
    ready = settle(full)
    assert ready == full
    state = full.step.take(full.pop(), move)
    while state.steps:
        if ends_now(state):
            state = replace(state, steps=(CountRound(),))
        assert state.step is not None
        after = state.step.run(state.pop())
        if after is None:
            break
        seen = shown(state, seen)
        state = after
    assert state == GAME.advance(full, move)
    return state, seen


def shown(full: State, seen: State) -> State:
    """The camera's state after it has been shown what the step is about."""
    if type(full.step) is not type(seen.step):
        return seen
    match full.step:
        case SortHand(seat=seat, sieve=sieve, to=to) if full.step == seen.step:
            if is_known(seen.hands[seat]):
                return seen
            gone = sift(sieve, full.hands[seat], full.colour)
            verb = Verb.DISCARD if to is None else Verb.GIVE
            return upheld(seen, Handle(seat, verb, gone))
        case SwapSpecials():
            assert isinstance(seen.step, SwapSpecials)
            seat = seen.step.actor
            if seat != full.step.actor:
                return seen
            keeps = FY if seen.step.given is None else None
            cards = (c for c in full.hands[seat] if c.special and c != keeps)
            return upheld(seen, Handle(seat, Verb.GIVE, tuple(cards)))
        case TaxHands(seats=seats, taxes=taxes) if len(taxes) < len(seats):
            assert isinstance(seen.step, TaxHands)
            seat = full.step.actor
            if seat != seen.step.actor or is_known(seen.hands[seat]):
                return seen
            scoring = full.options.scoring
            hand = sorted(full.hands[seat], key=lambda c: -card_points(c, scoring))
            return upheld(seen, Handle(seat, Verb.SHOW, tuple(hand[:3])))
        case CountRound():
            for seat in full.options.seats:
                if isinstance(seen.step, CountRound) and wants(seen, seat):
                    move = Handle(seat, Verb.SHOW, full.hands[seat])
                    seen = upheld(seen, move)
            return seen
        case Selection(seat=seat):
            assert isinstance(seen.step, Selection)
            if seat == seen.step.seat and seen.step.sizes(seen) != {0}:
                return upheld(seen, Handle(seat, full.step.verb, ()))
            return seen
        case _:
            return seen


def wants(state: State, seat: Seat) -> bool:
    return any(question.to == seat for question in GAME.questions(state))


def test_every_kind_of_move_is_ruled_on_in_every_kind_of_state() -> None:
    """Also where the camera sees no hand: a ruling, never an error."""
    moves = [
        GAME.parse_move(text.replace("p1 ", f"p{seat} ", 1))
        for text in MOVES
        for seat in (1, 2, 3)
        if seat == 1 or text.startswith("p1 ")
    ]
    met: Counter[str] = Counter()
    for state in (*walked(), *in_events()):
        kind = "over" if state.step is None else state.step.step
        met[kind] += 1
        if met[kind] <= 5:
            assert all_are_ruled_on(state, moves)
    assert len(met) >= 40, sorted(met)


def walked() -> Iterator[State]:
    """States of random games, as they are and as a camera sees them."""
    for seed in range(40):
        rng = random.Random(seed)
        full = seen = GAME.setup(GAME.options({"players": 2 + seed % 3}))
        for _ in range(100):
            if GAME.outcome(full) is not None:
                break
            yield from (full, seen)
            move = random_move(full, rng, corrections=False)
            hidden = masked(full, seen, move)
            seen = seen if hidden is None else upheld(seen, hidden)
            full, seen = in_step(full, seen, move)


def in_events() -> Iterator[State]:
    """The first moments of every event, with and without points and seen hands."""
    for event in Event:
        for hands in (("R5 B3 K5", "R3 G3", "N-fantastic"), ("? ? ?", "? ?", "?")):
            for points in (True, False):
                state = table(*hands, colour="R", options={"points": points})
                if event is Event.REPEAT:
                    state = replace(state, executed=(Event.MARKET,))
                yield event_now(state, event, 0)
    favours = table("N-special-favours ? ?", "? ?")
    yield playing(favours, "p1 play N-special-favours", "p1 target p2", "p2 accept")


def all_are_ruled_on(state: State, moves: list[Move]) -> bool:
    listed = GAME.legal_moves(state)
    legal = None if listed is None else set(listed)
    for move in moves:
        ruling = GAME.judge(state, move)
        assert ruling.reason.render("it")
        is_upheld = ruling.verdict is Verdict.UPHELD
        assert legal is None or is_upheld is (move in legal), str(move)
        if is_upheld:
            GAME.advance(state, move)
    return True


def test_a_hundred_games_end() -> None:
    for seed in range(100 if EXAMPLES > 100 else 10):
        rng = random.Random(seed)
        state = GAME.setup(GAME.options({"players": rng.randint(2, 8), "limit": 100}))
        moves = 0
        while GAME.outcome(state) is None:
            state = GAME.advance(state, random_move(state, rng, corrections=False))
            moves += 1
            assert moves < 20_000, "this game does not end"
        outcome = GAME.outcome(state)
        assert outcome is not None
        assert outcome.winners
        assert max(state.accounts) >= 100
        assert {state.accounts[s] for s in outcome.winners} == {min(state.accounts)}


def test_a_cards_label_is_its_name_in_moves_and_files() -> None:
    for label in {*deck(starred=True), *(event.value for event in Event)}:
        assert str(label).isascii()
        assert not set(str(label)) & set('*:?/\\"<>| ')
    assert PlayCard("*:fantastic") == PlayCard("N-fantastic")
