"""Random games of Regicide: what must hold in every state, whoever plays how."""

import random
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from engines.core import JOKER, Card, Seat, Verdict, canonical, replay
from engines.regicide import GAME
from engines.regicide.cards import COMMONERS, ROYALS
from engines.regicide.facts import places, whole_deck
from engines.regicide.moves import (
    Castle,
    Cover,
    Discard,
    Draw,
    Flip,
    Heal,
    Lost,
    Misdraw,
    Move,
    Next,
    Play,
    Redress,
    Reveal,
    Say,
    Settle,
    Start,
    Statement,
    Tavern,
    Top,
    Yield,
)
from engines.regicide.options import Options, OverDiscard, RetroSpades
from engines.regicide.state import Phase, State
from tests.support.regicide import (
    Player,
    careful,
    careless,
    chance,
    disguised,
    game_moves,
)

DECK = (*COMMONERS, *ROYALS, JOKER)
NAMES = frozenset(map(str, DECK))
# A game has some 25 to 60 moves: 40 games by default are well over 1,000 steps, and the
# nightly profile, with its 2,000 examples, is far beyond 10,000.
GAMES_PER_PLAYER_COUNT = 10

card_values = st.sampled_from(DECK)
card_lists = st.lists(card_values, max_size=6).map(tuple)
seats = st.integers(0, 5).map(Seat)
small = st.integers(0, 60)
option_values = st.builds(
    Options,
    players=st.integers(1, 4),
    solo_yield=st.booleans(),
    joker_self=st.booleans(),
    retro_spades=st.sampled_from(RetroSpades),
    over_discard=st.sampled_from(OverDiscard),
    discard_browse=st.booleans(),
)
move_values: st.SearchStrategy[Move] = st.one_of(
    st.builds(Castle, st.none() | st.permutations(ROYALS).map(tuple)),
    st.builds(Tavern, st.none() | st.lists(card_values, min_size=1).map(tuple)),
    st.builds(Start, seats),
    st.builds(Reveal, card_values),
    st.builds(Play, seats, card_lists),
    st.builds(Yield, seats),
    st.builds(Flip, seats),
    st.builds(Heal, small),
    st.lists(card_values, min_size=1, max_size=6).map(
        lambda cards: Heal(len(cards), tuple(cards))
    ),
    st.builds(Top, card_values),
    st.builds(Draw, st.lists(small, min_size=1, max_size=5).map(tuple)),
    st.builds(Misdraw, st.lists(small, min_size=1, max_size=5).map(tuple)),
    st.builds(Settle, st.sampled_from(Redress)),
    st.builds(Discard, seats, card_lists),
    st.builds(Cover, seats, small),
    st.builds(Next, seats, seats),
    st.builds(Lost, seats),
    st.builds(Say, seats, st.sampled_from(Statement)),
)


def random_states(
    options: Options, seed: int, *, player: Player = careful
) -> list[tuple[State, Move]]:
    return list(game_moves(options, random.Random(seed), player))


def unknown_states(options: Options, seed: int) -> list[tuple[State, Move]]:
    """A game as a camera follows it: nobody knows hands or piles."""
    rng = random.Random(seed)
    state = GAME.setup(options)
    record: list[tuple[State, Move]] = []
    while state.phase is not Phase.OVER and len(record) < 120:
        moves = [m for m in islice(GAME.legal_moves(state) or (), 300) if goes_on(m)]
        moves += [
            GAME.parse_move(option.move)
            for question in GAME.questions(state)
            for option in question.options
            if option.move is not None and not option.move.endswith("lost")
        ]
        if not moves:
            moves = [GAME.parse_move(f"{state.current}: lost")]
        move = rng.choice(moves)
        record.append((state, move))
        state = GAME.advance(state, move)
    return record


def goes_on(move: Move) -> bool:
    return not isinstance(move, Say | Lost | Top)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("player", [careless, careful])
def test_every_game_is_judged_to_its_end(players: int, player: Player) -> None:
    for seed in range(GAMES_PER_PLAYER_COUNT):
        record = random_states(Options(players=players), seed, player=player)
        for state, move in record:
            ruling = GAME.judge(state, move)
            assert ruling.verdict is Verdict.UPHELD, f"{move}: {ruling.reason}"
            assert GAME.outcome(state) is None
        end = GAME.advance(*record[-1])
        outcome = GAME.outcome(end)
        assert outcome is not None
        assert str(outcome.reason)
        beaten = not end.castle and end.enemy is None
        assert outcome.winners == (tuple(range(players)) if beaten else ())


@given(option_values, st.integers(0, 10**6), st.booleans())
def test_cards_are_conserved_and_no_count_is_negative(
    options: Options, seed: int, camera: bool
) -> None:
    games = unknown_states if camera else random_states
    deck = whole_deck(options)
    for state, move in games(options, seed):
        after = GAME.advance(state, move)
        numbers = (after.dealt, after.shield, after.suffer, after.to_heal)
        assert min(*numbers, after.to_draw, after.blocked_spades, after.jokers) >= 0
        if not after.hands:
            continue
        slots = [card for place in places(after) for card in place]
        assert len(slots) == deck.total()
        assert Counter(card for card in slots if card is not None) <= deck
        assert all(len(hand) <= options.hand_limit for hand in after.hands)


@given(option_values, st.integers(0, 10**6))
def test_advance_leaves_its_argument_unchanged(options: Options, seed: int) -> None:
    for state, move in random_states(options, seed):
        before = canonical(state)
        first, second = GAME.advance(state, move), GAME.advance(state, move)
        assert canonical(state) == before
        assert canonical(first) == canonical(second)


@given(option_values, st.integers(0, 10**6), st.booleans())
def test_replaying_the_notation_gives_the_same_state_byte_for_byte(
    options: Options, seed: int, camera: bool
) -> None:
    record = (unknown_states if camera else random_states)(options, seed)
    moves = [str(move) for _, move in record]
    played = replay(GAME, GAME.setup(options), moves)
    assert played.is_complete
    assert canonical(played.state) == canonical(GAME.advance(*record[-1]))


@given(option_values, st.integers(0, 10**6), st.booleans())
def test_judge_upholds_exactly_the_listed_moves(
    options: Options, seed: int, camera: bool
) -> None:
    record = (unknown_states if camera else random_states)(options, seed)
    rng = random.Random(seed)
    for state, _ in rng.sample(record, min(len(record), 6)):
        listed = GAME.legal_moves(state)
        if listed is None:
            continue
        legal = set(islice(listed, 20_000))
        for move in rng.sample(sorted(legal, key=str), min(len(legal), 40)):
            assert GAME.judge(state, move).verdict is Verdict.UPHELD, str(move)
        for move in some_moves(state, rng):
            upheld = GAME.judge(state, move).verdict is Verdict.UPHELD
            assert upheld is (move in legal), str(move)


def some_moves(state: State, rng: random.Random) -> list[Move]:
    """Moves of all kinds near what the state may allow."""
    players = state.options.players
    hand = [c for h in state.hands for c in h if c is not None] or list(DECK)
    moves: list[Move] = []
    for seat in map(Seat, range(-1, players + 1)):
        for size in range(5):
            cards = tuple(rng.sample(hand, min(size, len(hand))))
            moves += [Play(seat, cards), Discard(seat, cards)]
        moves += [Yield(seat), Flip(seat), Lost(seat), Start(seat)]
        moves += [Cover(seat, count) for count in range(4)]
        moves += [Next(seat, Seat(other)) for other in range(-1, players + 1)]
        moves += [Say(seat, statement) for statement in Statement]
    counts = tuple(rng.randrange(4) for _ in range(players))
    moves += [Draw(counts), Misdraw(counts), *map(Settle, Redress)]
    moves += [Reveal(card) for card in ROYALS]
    moves += [Top(card) for card in rng.sample(DECK, 5)]
    return moves


@given(option_values, st.integers(0, 10**6), st.lists(move_values, max_size=40))
def test_judge_never_raises_and_names_a_rule(
    options: Options, seed: int, moves: list[Move]
) -> None:
    rng = random.Random(seed)
    record = [*random_states(options, seed), *unknown_states(options, seed)]
    record.append((GAME.advance(*record[-1]), Flip(Seat(0))))
    for move in moves:
        state, _ = rng.choice(record)
        ruling = GAME.judge(state, move)
        assert ruling.rule.number
        for language in ("en", "it"):
            assert ruling.claim.render(language)
            assert ruling.reason.render(language)
        if ruling.verdict is Verdict.UPHELD:
            GAME.advance(state, move)


@settings(max_examples=300)
@given(move_values)
def test_notation_round_trips(move: Move) -> None:
    assert GAME.parse_move(str(move)) == move


@given(option_values, st.integers(0, 10**6))
def test_a_view_holds_no_secret_of_another_seat(options: Options, seed: int) -> None:
    for state, _ in random_states(options, seed):
        for seat in (None, *map(Seat, range(options.players))):
            shown = names_in(GAME.view(state, seat))
            assert shown <= Counter(map(str, public_cards(state, seat)))


def public_cards(state: State, seat: Seat | None) -> list[Card | None]:
    """Enemy, played cards, the open discards and the own hand."""
    cards: list[Card | None] = [c for play in state.plays for c in play.cards]
    cards += [state.enemy] if state.enemy is not None else []
    cards += state.discard if state.options.discard_browse else state.discard[:1]
    if seat is not None and state.hands:
        cards += state.hands[seat]
    return cards


def names_in(value: object) -> Counter[str]:
    """All card names that a view mentions."""
    if isinstance(value, str):
        return Counter([value] if value in NAMES else [])
    found: Counter[str] = Counter()
    if isinstance(value, dict):
        for item in value.values():
            found += names_in(item)
    elif isinstance(value, list):
        for item in value:
            found += names_in(item)
    return found


@given(option_values, st.integers(0, 10**6))
def test_a_view_does_not_change_when_only_secrets_change(
    options: Options, seed: int
) -> None:
    for state, _ in random_states(options, seed):
        for seat in (None, *map(Seat, range(options.players))):
            assert GAME.view(disguised(state, seat), seat) == GAME.view(state, seat)


@given(option_values, st.integers(0, 10**6), st.booleans())
def test_every_answer_to_a_question_is_a_legal_move(
    options: Options, seed: int, camera: bool
) -> None:
    record = (unknown_states if camera else random_states)(options, seed)
    for state, _ in record:
        for question in GAME.questions(state):
            assert question.text.render("it")
            assert question.options
            for option in question.options:
                assert option.move is not None
                move = GAME.parse_move(option.move)
                assert GAME.judge(state, move).verdict is Verdict.UPHELD, option.move


class Table(RuleBasedStateMachine):
    """A live table whose referee answers and moves in any legal way.

    At least 1,000 steps by default (25 runs of 50), far over 10,000 in the nightly
    profile.
    """

    @initialize(options=option_values, seed=st.integers(0, 10**6))
    def begin(self, options: Options, seed: int) -> None:
        self.rng = random.Random(seed)
        self.state = GAME.setup(options)
        self.moves: list[str] = []

    def step(self, move: Move) -> None:
        assert GAME.judge(self.state, move).verdict is Verdict.UPHELD, str(move)
        self.state = GAME.advance(self.state, move)
        self.moves.append(str(move))

    @rule()
    def begin_again(self) -> None:
        if self.state.phase is Phase.OVER:
            self.state = GAME.setup(self.state.options)
            self.moves = []

    @rule()
    def shuffle(self) -> None:
        """Cards decide, in the open or unseen."""
        move = chance(self.state, self.rng)
        if move is not None and None not in self.state.discard:
            self.step(move)

    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        options = [o for q in GAME.questions(self.state) for o in q.options]
        if options:
            option = data.draw(st.sampled_from(options), label="answer")
            self.step(GAME.parse_move(option.move or ""))

    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        legal = list(islice(GAME.legal_moves(self.state) or (), 400))
        if legal:
            self.step(data.draw(st.sampled_from(legal), label="move"))

    @rule(move=move_values)
    def refuse(self, move: Move) -> None:
        """Anything may be claimed; what is refused changes nothing."""
        before = canonical(self.state)
        if GAME.judge(self.state, move).verdict is Verdict.UPHELD:
            self.step(move)
        else:
            assert canonical(self.state) == before

    @invariant()
    def cards_are_all_there(self) -> None:
        if self.state.hands:
            slots = sum(len(place) for place in places(self.state))
            assert slots == whole_deck(self.state.options).total()

    def teardown(self) -> None:
        if hasattr(self, "state"):
            played = replay(GAME, GAME.setup(self.state.options), self.moves)
            assert canonical(played.state) == canonical(self.state)


Table.TestCase.settings = settings(stateful_step_count=50)
TestTable = Table.TestCase
