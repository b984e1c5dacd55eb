"""Properties of any match, checked on random walks and on arbitrary moves."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from engines.core import Ruling, Text, Verdict, canonical, replay
from engines.frenzy import GAME, Move, State
from engines.frenzy.cards import SEATS, ZONES, Card, Region
from engines.frenzy.judging import ALLOWED
from engines.frenzy.legal import LegalMoves, present_moves
from engines.frenzy.moves import (
    Agree,
    Aside,
    Blame,
    Claim,
    Copy,
    Count,
    Decide,
    Draw,
    Earlier,
    Finished,
    Go,
    Lay,
    Lift,
    Lot,
    Pick,
    Play,
    Record,
    Release,
    Remedy,
    Resolve,
    Restore,
    RulingKey,
    Turn,
    Upset,
)
from engines.frenzy.notation import VALUES
from engines.frenzy.state import FoulCode, Laid, Phase
from tests.support.frenzy import options

DECK = 39
STEPS = 40
"""Moves per walk: 25 walks in the default profile, 2000 in the nightly one."""

SEATED = st.sampled_from(SEATS)
MAYBE_SEATED = st.sampled_from([*SEATS, None])
CARDS = st.sampled_from(Card)
REGIONS = st.builds(Region, SEATED, st.sampled_from(ZONES))
TIMES = st.integers(0, 20_000)
NUMBERS = st.integers(1, 3)
CODES = st.sampled_from(FoulCode)
PIECES = st.none() | st.from_regex(r"[a-z0-9:._#@-]{1,6}", fullmatch=True)
MOVES: st.SearchStrategy[Move] = st.one_of(
    st.builds(Lot, SEATED, TIMES),
    st.builds(Aside, SEATED, st.integers(0, 50), TIMES),
    st.builds(Turn, SEATED, NUMBERS, TIMES),
    st.builds(Go, SEATED, TIMES),
    st.builds(Draw, SEATED, TIMES),
    st.builds(Lay, SEATED, CARDS, REGIONS, TIMES, PIECES),
    st.builds(Release, SEATED, TIMES),
    st.builds(Lift, SEATED, TIMES),
    st.builds(Play, SEATED, CARDS, REGIONS, TIMES, PIECES),
    st.builds(Finished, SEATED, TIMES),
    st.builds(Count, SEATED, st.integers(0, 60), TIMES),
    st.builds(Restore, REGIONS, st.lists(CARDS, max_size=5).map(tuple), TIMES, PIECES),
    st.builds(Upset, REGIONS, TIMES),
    st.builds(Blame, MAYBE_SEATED, TIMES),
    st.builds(Record, SEATED, CODES, st.none() | CARDS, TIMES),
    st.builds(Claim, SEATED, CODES, TIMES),
    st.builds(Decide, SEATED, st.sampled_from(Remedy), TIMES),
    st.builds(Earlier, MAYBE_SEATED, TIMES),
    st.builds(Resolve, TIMES),
    st.builds(Copy, SEATED, NUMBERS, NUMBERS, TIMES),
    st.sampled_from(
        [Agree(key, value, 5) for key in RulingKey for value in VALUES[key]]
    ),
    st.builds(Pick, SEATED, CARDS, TIMES),
)


def referee_moves(rng: random.Random, state: State) -> Iterator[Move]:
    """Yield what a referee might do now; counting is left out, for it adds cards."""
    region = Region(rng.choice(SEATS), rng.choice(ZONES))
    now = state.clock_ms
    cards = tuple(rng.choices(list(Card), k=rng.randint(0, 3)))
    yield Restore(region, cards, now)
    if rng.random() < 0.1:
        yield Upset(region, now)
    yield Record(region.seat, rng.choice(list(FoulCode)), rng.choice(list(Card)), now)


def likely(rng: random.Random, state: State) -> Move:
    """Return a legal move: mostly play, at times something odd."""
    legal = legal_moves(state)
    if rng.random() < 0.08:
        odd = [move for move in referee_moves(rng, state) if move in legal]
        if odd:
            return rng.choice(odd)
    kinds: dict[type, list[Move]] = {}
    for move in present_moves(state):
        kinds.setdefault(type(move), []).append(move)
    for _ in range(60):  # waiting, drawing and lifting end nothing: seldom
        kind = rng.choice(list(kinds))
        move = rng.choice(kinds[kind])
        time_ms = state.clock_ms + rng.choice((0, 7, 40, 900))
        later: Move = replace(move, time_ms=time_ms)
        if later in legal and (kind not in (Draw, Lift) or rng.random() < 0.2):
            return later
    present: list[Move] = list(legal)
    return rng.choice(present)


def legal_moves(state: State) -> LegalMoves:
    listed = GAME.legal_moves(state)
    assert isinstance(listed, LegalMoves)
    return listed


def walk(seed: int) -> Iterator[tuple[State, Move]]:
    """Yield the states of a random match, and the move made in each."""
    rng = random.Random(seed)
    state = GAME.setup(options(factions={"P1": rng.choice(["humans", "dwarves"])}))
    while state.phase is not Phase.OVER:
        move = likely(rng, state)
        yield state, move
        state = GAME.advance(state, move)


def seen(state: State) -> list[int]:
    """Return the number of cards of either deck, wherever they are."""
    return [
        (state.players[seat].deck or 0)
        + state.players[seat].holds
        + sum(1 for _ in state.cards_of(seat))
        for seat in SEATS
    ]


def disguised(state: State) -> State:
    """Return the state with other cards under the top ones."""

    def other(laid: Laid) -> Laid:
        return replace(laid, card=Card.WIZARD if laid.card.is_hero else Card.W1)

    for seat in SEATS:
        player = state.players[seat]
        for zone in ZONES:
            pile = player.pile(zone)
            player = player.with_pile(zone, pile[:1] + tuple(map(other, pile[1:])))
        state = state.with_player(seat, player)
    return state


def rendered(ruling: Ruling) -> list[str]:
    texts: list[Text] = [ruling.claim, ruling.reason]
    for ground in ruling.grounds:
        texts += [ground.claim, ground.reason]
    return [text.render(language) for text in texts for language in ("en", "it")]


@given(st.integers(0, 10**9))
def test_a_walk_keeps_every_promise(seed: int) -> None:
    rng = random.Random(seed)
    start = rng.choice((0, 30, 120))  # the beginning, and somewhere later
    for state, move in islice(walk(seed), start, start + STEPS):
        before = canonical(state)
        ruling = GAME.judge(state, move)
        assert ruling.verdict is Verdict.UPHELD
        assert all(rendered(ruling))
        after = GAME.advance(state, move)
        assert canonical(state) == before
        assert seen(after) == [DECK, DECK]
        assert all((player.deck or 0) >= 0 for player in after.players)
        assert canonical(GAME.view(after, SEATS[0]))
        assert GAME.view(after, None) == GAME.view(disguised(after), None)
        for question in GAME.questions(after):
            assert question.text.render("it")
            for option in question.options:
                assert option.text.render("it")
                assert option.move is not None
                assert GAME.parse_move(option.move) in legal_moves(after)
        if rng.random() < 0.03:
            listed = set(legal_moves(after))
            for each in present_moves(after):
                upheld = GAME.judge(after, each).verdict is Verdict.UPHELD
                assert upheld is (each in listed)


@given(st.integers(0, 10**9))
def test_the_events_give_the_same_state(seed: int) -> None:
    played = list(islice(walk(seed), 3 * STEPS))
    first, last = played[0][0], GAME.advance(*played[-1])
    replayed = replay(GAME, first, [str(move) for _, move in played])
    assert replayed.is_complete
    assert canonical(replayed.state) == canonical(last)


@given(st.integers(0, 10**9), st.lists(MOVES, min_size=1, max_size=30))
def test_judge_answers_any_move_in_any_state(seed: int, moves: list[Move]) -> None:
    rng = random.Random(seed)
    *_, (state, _) = islice(walk(seed), rng.randint(1, 60))
    for move in moves:
        ruling = GAME.judge(state, move)
        assert ruling.verdict in (Verdict.UPHELD, Verdict.REJECTED)
        assert (ruling.verdict is Verdict.UPHELD) is (move in legal_moves(state))
        assert all(rendered(ruling))
        if ruling.verdict is Verdict.UPHELD:
            state = GAME.advance(state, move)


@given(MOVES)
def test_notation_round_trips(move: Move) -> None:
    assert GAME.parse_move(str(move)) == move


def test_every_kind_of_move_has_a_claim_and_a_rule() -> None:
    assert set(get_args(Move)) == set(ALLOWED)


def test_random_matches_end() -> None:
    for seed in range(10):
        *_, (state, move) = islice(walk(seed), 5000)
        over = GAME.advance(state, move)
        outcome = GAME.outcome(over)
        assert outcome is not None
        assert outcome.reason.render("it")
        assert seen(over) == [DECK, DECK]
