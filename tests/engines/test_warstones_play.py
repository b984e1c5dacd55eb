"""Random play: what must hold after every move of every game."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from engines.core import Seat, Verdict, canonical, play, replay
from engines.warstones import GAME, State
from engines.warstones.moves import Move
from engines.warstones.state import PendingFlick
from engines.warstones.terms import BASE_LIMIT, ROUND_POINTS, Place, Spot
from tests.support.warstones import (
    game,
    legal,
    moves,
    put,
    random_correction,
    random_move,
    random_setup,
)

AGREEMENTS = st.sampled_from(
    [
        {},
        {"terrain": False, "token_stacks": "two", "margin": "stay"},
        {"army_points": 300, "failedSiegeReturn": True},
        {"players": 3, "army_points": 250},
        {"players": 4, "token_stacks": "two"},
        {"players": 4, "teams": "AB/CD", "allyPresence": False},
        {"players": 4, "teams": "AC/BD", "margin": "stay", "army_points": 150},
    ]
)
SEEDS = st.integers(0, 2**32)


SEAT_LETTERS = st.sampled_from("ABCD")
CHIPS = st.builds(
    "{}:{}-{}".format,
    SEAT_LETTERS,
    st.sampled_from(["militia", "hero", "skeleton", "vampire", "wraith", "dragon"]),
    st.integers(1, 5),
)
SECTORS = st.sampled_from(["N-W", "N-C", "M-W", "M-C", "F-E", "Q"])
PLACES = SECTORS | st.sampled_from(
    ["base", "reserve", "margin", "off", "lost", "N-C/forest:450,200", "M-C/water"]
)
ENDS = st.lists(st.builds("{}@{}".format, CHIPS, PLACES), max_size=3).map(" ".join)
MANY = st.lists(CHIPS, min_size=1, max_size=3).map(" ".join) | st.just("none")
WITH = st.just("") | MANY.filter(lambda text: text != "none").map(" with {}".format)
CITY = st.sampled_from("WCEQ")
TOKENS = st.sampled_from(["lateral-1", "lateral-2", "central-1", "nonsense"])
NOTATIONS = st.one_of(
    st.builds("{} army {}".format, SEAT_LETTERS, st.just("hero militia*4 archer")),
    st.builds("first {}".format, SEAT_LETTERS),
    st.builds("draw {} {}".format, CITY, TOKENS),
    st.builds(
        "{} {} {}".format,
        SEAT_LETTERS,
        st.sampled_from(["recruit", "deploy", "move", "excess"]),
        CHIPS,
    ),
    st.builds("{} deploy {} unseen".format, SEAT_LETTERS, CHIPS),
    st.builds("lies {}@{}".format, CHIPS, PLACES),
    st.builds("settle {}".format, ENDS),
    st.builds("{} attack {} {}{}".format, SEAT_LETTERS, SECTORS, SEAT_LETTERS, WITH),
    st.builds("{} besiege {}{}".format, SEAT_LETTERS, SECTORS, WITH),
    st.builds(
        "{} {} {}".format, SEAT_LETTERS, st.sampled_from(["destroys", "returns"]), MANY
    ),
    st.builds("assigner {}".format, SEAT_LETTERS),
    st.builds("{} ability {} rally".format, SEAT_LETTERS, CHIPS),
    st.builds("{} {}".format, SEAT_LETTERS, st.sampled_from(["pass", "foul push"])),
    st.builds("referee flick {}".format, st.sampled_from(["repeat", "void", "accept"])),
    st.builds("referee place {}@{}".format, CHIPS, PLACES),
    st.builds("referee points {}={}".format, SEAT_LETTERS, st.integers(0, 7)),
    st.builds("referee city {}={}".format, CITY, TOKENS),
    st.builds("referee goal {}".format, st.integers(0, 9)),
)
"""Moves in notation, sensible or not."""


class Match(RuleBasedStateMachine):
    """A game of random players with a referee who corrects at random."""

    state: State
    start: State

    @initialize(values=AGREEMENTS, seed=SEEDS)
    def begin(self, values: dict[str, object], seed: int) -> None:
        self.start = self.state = GAME.setup(GAME.options(values))
        self.log: list[str] = []
        for move in random_setup(self.state, Random(seed)):
            self.make(move)
        assert not self.state.is_setup

    def make(self, move: Move) -> None:
        before = _changing(self.state)
        after = play(GAME, self.state, move)
        assert _changing(self.state) == before, "advance leaves its argument alone"
        assert GAME.parse_move(str(move)) == move
        self.state = after
        self.log.append(str(move))

    @precondition(lambda self: self.state.outcome is None)
    @rule(seed=SEEDS)
    def somebody_plays(self, seed: int) -> None:
        self.make(random_move(self.state, Random(seed)))

    @precondition(lambda self: self.state.outcome is None)
    @rule(seed=SEEDS)
    def a_flick_is_made_at_once(self, seed: int) -> None:
        rng = Random(seed)
        self.make(random_move(self.state, rng))
        if isinstance(self.state.next_pending, PendingFlick):
            self.make(random_move(self.state, rng))

    @precondition(lambda self: self.state.outcome is None)
    @rule(seed=SEEDS)
    def the_referee_may_put_something_right(self, seed: int) -> None:
        move = random_correction(self.state, Random(seed))
        if GAME.judge(self.state, move).verdict is Verdict.UPHELD:
            self.make(move)

    @rule(seed=SEEDS)
    def an_old_move_is_judged_without_an_exception(self, seed: int) -> None:
        text = Random(seed).choice(self.log)
        ruling = GAME.judge(self.state, GAME.parse_move(text))
        assert str(ruling.reason)
        assert ruling.claim.render("it")

    @rule(move=NOTATIONS)
    def any_notation_is_judged_without_an_exception(self, move: str) -> None:
        ruling = GAME.judge(self.state, GAME.parse_move(move))
        for language in ("en", "it"):
            assert ruling.claim.render(language)
            assert ruling.reason.render(language)

    @invariant()
    def chips_and_tokens_are_conserved(self) -> None:
        state = self.state
        armies = [m for m in self.log if " army " in m]
        count = sum(
            int(word.partition("*")[2] or 1) for m in armies for word in m.split()[2:]
        )
        assert len({chip.id for chip in state.chips}) == len(state.chips) == count
        assert all(chip.place.spot is not Spot.OFF for chip in state.chips)
        on_board = [token for _, token in state.cities if token is not None]
        held = [token for tokens in state.taken for token in tokens]
        tokens = Counter((*on_board, *held, *state.stack))
        assert tokens == Counter(city.key for city in state.options.kit.cities)

    @invariant()
    def nothing_is_negative_or_too_much(self) -> None:
        state = self.state
        assert all(0 <= points <= ROUND_POINTS for points in state.points)
        assert all(state.strength(chip) >= 0 for chip in state.chips)
        full = [s for s in state.options.seats if _base(state, s) > BASE_LIMIT]
        assert bool(full) is (state.overfull is not None)

    @invariant()
    def somebody_can_always_go_on(self) -> None:
        state = self.state
        if state.outcome is not None:
            assert legal(state) == []
            assert GAME.questions(state) == ()
            assert not state.pending
            return
        assert state.turn is not None
        if not state.pending and state.overfull is None:
            assert state.points[state.turn] > 0
        if isinstance(state.next_pending, PendingFlick) and state.overfull is None:
            assert GAME.legal_moves(state) is None
            return
        listed = legal(state)
        assert listed
        assert len(set(listed)) == len(listed)

    @invariant()
    def every_answer_of_a_question_is_a_legal_move(self) -> None:
        for question in GAME.questions(self.state):
            assert str(question.text)
            assert question.options
            for option in question.options:
                assert option.move is not None
                move = GAME.parse_move(option.move)
                assert GAME.judge(self.state, move).verdict is Verdict.UPHELD

    @invariant()
    def all_seats_see_the_same_open_table(self) -> None:
        last = self.state.options.seats[-1]
        views = [GAME.view(self.state, seat) for seat in (Seat(0), last, None)]
        texts = {json.dumps({**view, "seat": None}, sort_keys=True) for view in views}
        assert len(texts) == 1
        # The tokens of the stack are face down.
        [text] = texts
        assert not any(f'"{token}"' in text for token in self.state.stack)

    def teardown(self) -> None:
        if hasattr(self, "log"):
            again = replay(GAME, self.start, self.log)
            assert again.is_complete
            assert canonical(again.state) == canonical(self.state)


def _changing(state: State) -> bytes:
    """Return all of a state but the mat and the kit, which no move could change."""
    parts = (state.chips, state.points, state.cities, state.stack, state.taken)
    rest = (state.goal, state.first, state.turn, state.round, state.pending)
    return canonical((*parts, *rest))


def _base(state: State, seat: Seat) -> int:
    return len(state.at(Spot.BASE, seat))


# 25 games of 40 steps make the 1,000 of the dev profile, 300 the 12,000 of the nightly
# one.
Match.TestCase.settings = settings(
    max_examples=min(settings().max_examples, 300), stateful_step_count=40
)
TestMatch = pytest.mark.timeout(1800)(Match.TestCase)


def test_judge_upholds_exactly_what_legal_moves_lists() -> None:
    """Every notation that the listing could contain is judged in random positions."""
    rng = Random(7)
    state = GAME.setup(GAME.options({"players": 3}))
    pool: dict[str, Move] = {}
    for move in random_setup(state, rng):
        state = play(GAME, state, move)
    for _ in range(400):
        if state.outcome is not None:
            break
        if not isinstance(state.next_pending, PendingFlick) or state.overfull:
            listed = legal(state)
            pool.update((str(move), move) for move in listed)
            others = rng.sample(list(pool.values()), min(len(pool), 60))
            for move in others:
                upheld = GAME.judge(state, move).verdict is Verdict.UPHELD
                assert upheld is (move in listed), str(move)
        state = play(GAME, state, random_move(state, rng))


def test_random_games_end() -> None:
    for seed in range(4):
        rng = Random(seed)
        state = GAME.setup(GAME.options({"army_points": 150}))
        for move in random_setup(state, rng):
            state = play(GAME, state, move)
        for _ in range(3000):
            if state.outcome is not None:
                break
            state = play(GAME, state, random_move(state, rng))
        assert state.outcome is not None
        assert str(state.outcome.reason)


@given(NOTATIONS)
def test_the_notation_of_a_move_is_read_back_as_the_same_move(text: str) -> None:
    move = GAME.parse_move(text)
    assert GAME.parse_move(str(move)) == move
    assert str(GAME.parse_move(str(move))) == str(move)


@given(NOTATIONS)
def test_a_game_in_set_up_or_finished_judges_anything(text: str) -> None:
    for state in (GAME.setup(GAME.options({})), finished()):
        assert str(GAME.judge(state, GAME.parse_move(text)).reason)


@cache
def finished() -> State:
    """Return a game that A has won."""
    return moves(put(game(points_to_win=1), A_hero_1="M-W"), "A besiege M-W")


def test_places_are_read_back_as_written() -> None:
    for text in ("base", "reserve:10,-5", "N-C/forest:450,230", "off", "lost", "N-C"):
        assert str(Place.parse(text)) == text
