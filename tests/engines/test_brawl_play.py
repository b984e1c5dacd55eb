"""Brawl: what must hold in every game, whoever plays how."""

import json
import random
import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.brawl import GAME
from engines.brawl.faces import Face
from engines.brawl.moves import (
    Act,
    BlockOnHit2,
    ConfirmPairs,
    Contest,
    Discard,
    First,
    Foul,
    Move,
    Play,
    Remedy,
    Settle,
    Swap,
    Take,
    Verb,
)
from engines.brawl.options import Options
from engines.brawl.place import AtEnd, End, OnBase, OnChain, Pair, Place, Source
from engines.brawl.state import State
from engines.core import (
    Question,
    Ruling,
    Seat,
    Text,
    Verdict,
    canonical,
    message_ids,
    replay,
)
from engines.core.text import LANGUAGES
from tests.support.brawl import A, B, options, random_move, run, two_bases

RULES = (
    options(),
    options(decks=["hale", "neutral"]),
    options(decks=["neutral", "hale"], mode="training"),
    options(players=3, decks=["hale", "neutral", None]),
    options(players=4, mode="training"),
)
# A random game has some 50 moves: over 1,000 steps by default, over 20,000 nightly.
IS_NIGHTLY = settings.get_current_profile_name() == "nightly"
GAMES = 400 if IS_NIGHTLY else 24
STEPS = 80


def played(
    rules: Options, seed: int, steps: int = STEPS
) -> Iterator[tuple[State, Move]]:
    """Yield each state of a random game with the move made in it."""
    rng = random.Random(seed)
    state = GAME.setup(rules)
    for _ in range(steps):
        move = random_move(state, rng)
        if move is None:
            return
        yield state, move
        state = GAME.advance(state, move)


def cards_of(state: State) -> Counter[tuple[Seat, str]]:
    """Return every card that has left a deck and where it is now, by its seat."""
    cards: Counter[tuple[Seat, str]] = Counter()
    for row in state.rows:
        for base in row.cards.bases:
            cards[base.owner, "BASE"] += 1
            for laid in (*base.first, *base.second, *base.freezes):
                cards[laid.by, laid.card.value] += 1
        for laid in row.cards.gone:
            cards[laid.by, laid.card.value] += 1
        if row.incident is not None and row.incident.rival is not None:
            cards[row.incident.card.seat, row.incident.card.card.value] += 1
    for seat, player in zip(state.seats, state.players, strict=True):
        for face in player.pile:
            cards[seat, face.value] += 1
        for held in player.hand:
            if held.card is not None:
                cards[seat, held.card.value] += 1
    return cards


def check(state: State) -> None:
    """Assert what holds in every state."""
    drawn = Counter(
        (seat, face.value)
        for seat, player in zip(state.seats, state.players, strict=True)
        for face in player.drawn
    )
    assert cards_of(state) == drawn
    for player in state.players:
        assert player.deck_left is None or player.deck_left >= 0
        assert all((player.left(face) or 0) >= 0 for face in Face)
    for row in state.rows:
        ids = [base.id for base in row.cards.bases]
        assert len(set(ids)) == len(ids)
        assert all(number < row.next_id for number in ids)


@settings(max_examples=GAMES)
@given(st.sampled_from(RULES), st.integers(0, 2**31))
def test_random_games_conserve_cards_and_replay_to_the_same_bytes(
    rules: Options, seed: int
) -> None:
    notes: list[str] = []
    last = GAME.setup(rules)
    for state, move in played(rules, seed):
        check(state)
        before = canonical(state) if len(notes) % 8 == 0 else b""
        ruling = GAME.judge(state, move)
        assert ruling.verdict is Verdict.UPHELD, f"{move}: {ruling.reason}"
        last = GAME.advance(state, move)
        assert not before or canonical(state) == before
        assert GAME.parse_move(str(move)) == move
        notes.append(str(move))
    check(last)
    again = replay(GAME, GAME.setup(rules), notes)
    assert again.is_complete
    assert canonical(again.state) == canonical(last)


@settings(max_examples=GAMES // 6)
@given(st.sampled_from(RULES), st.integers(0, 2**31), st.integers(0, STEPS))
def test_judge_upholds_exactly_what_legal_moves_lists(
    rules: Options, seed: int, steps: int
) -> None:
    state = GAME.setup(rules)
    for before, move in played(rules, seed, steps):
        state = GAME.advance(before, move)
    listed = {str(move) for move in GAME.legal_moves(state) or ()}
    assert len(listed) == len(list(GAME.legal_moves(state) or ()))
    rng = random.Random(seed)
    share = 1.0 if IS_NIGHTLY else 0.1
    found = 0
    for move in every_move(state):
        if str(move) in listed or rng.random() < share:
            upheld = GAME.judge(state, move).verdict is Verdict.UPHELD
            assert upheld is (str(move) in listed), move
            found += upheld
    assert found == len(listed)


def every_move(state: State) -> Iterator[Move]:
    """Yield all moves of the notation that name this table's seats, and some others."""
    seats = [*state.seats, Seat(6)]
    pairs = [*(row.pair for row in state.rows), Pair(A, Seat(6)), Pair(B, A)]
    for seat in seats:
        yield from (Act(seat, verb) for verb in Verb)
        for card in (None, *Face):
            yield Take(seat, card)
        for card in Face:
            for source in Source:
                yield Discard(seat, card, source)
                for place in every_place(state, pairs):
                    yield Play(seat, card, place, source)
                    yield Foul(seat, card, place, source)
                    yield Contest(seat, card, place, source)
        for pair in pairs:
            yield from (Settle(seat, pair, remedy) for remedy in Remedy)
    for pair in pairs:
        yield Swap(pair)
        yield from (First(pair, seat) for seat in (None, *seats))
    yield BlockOnHit2(allowed=True)
    yield BlockOnHit2(allowed=False)
    yield ConfirmPairs()


def every_place(state: State, pairs: Iterable[Pair]) -> list[Place]:
    places: list[Place] = []
    for pair in pairs:
        row = state.row(pair)
        numbers = range(len(row.cards.bases) + 2) if row else range(1)
        places += [AtEnd(pair, end) for end in End]
        places += [OnBase(pair, number) for number in numbers]
        places += [
            OnChain(pair, number, side)
            for number in numbers
            for side in (pair.first, pair.second)
        ]
    return places


SOME_WORDS = """
play foul contest take discard from hand deck first both AB BC CA referee pairs swap
AB:0A AB:1B AB:0 AB:2 AB:left AB:gap1 CA:0C AB:9A blockOnHit2 yes no @0 @1500 @-1
@12345678901234567890
"""
words = st.lists(
    st.sampled_from(
        [
            *"ABCG",
            *(face.value for face in Face),
            *(verb.value for verb in Verb),
            *(remedy.value for remedy in Remedy),
            *SOME_WORDS.split(),
        ]
    ),
    max_size=8,
).map(" ".join)


@given(words | st.text(string.printable, max_size=30))
def test_notation_is_read_or_refused_and_round_trips(text: str) -> None:
    found = replay(GAME, GAME.setup(options()), [text])
    if found.error is not None:
        assert 1 <= found.error.column <= len(text) + 1
        assert found.error.expected
        return
    move = GAME.parse_move(text)
    assert GAME.parse_move(str(move)) == move
    assert str(GAME.parse_move(str(move))) == str(move)


@settings(max_examples=GAMES)
@given(st.sampled_from(RULES), st.integers(0, 2**31), st.lists(words, max_size=20))
def test_judge_never_raises_whatever_is_said_when(
    rules: Options, seed: int, texts: list[str]
) -> None:
    state = GAME.setup(rules)
    for before, move in played(rules, seed, 30):
        state = GAME.advance(before, move)
    for text in texts:
        for ruling in replay(GAME, state, [text]).rulings:
            speak(ruling)


@settings(max_examples=GAMES // 5)
@given(st.sampled_from(RULES), st.integers(0, 2**31))
def test_every_answer_to_an_open_question_is_a_legal_move(
    rules: Options, seed: int
) -> None:
    for state, _ in played(rules, seed):
        asked = GAME.questions(state)
        assert len({question.id for question in asked}) == len(asked)
        for question in asked:
            for option in question.options:
                assert option.move is not None
                answer = GAME.parse_move(option.move)
                assert GAME.judge(state, answer).verdict is Verdict.UPHELD
            speak(question)


@settings(max_examples=GAMES // 5)
@given(st.sampled_from(RULES), st.integers(0, 2**31))
def test_a_view_holds_nothing_of_another_seats_hand(rules: Options, seed: int) -> None:
    """Exchange what somebody else holds or has in the deck: the view stays the same."""
    for state, _ in played(rules, seed, 40):
        for seat in state.seats:
            other = state.players[seat]
            if not other.hand:
                continue
            changed = with_other_hand(state, seat)
            for viewer in (None, *state.seats):
                if viewer != seat:
                    seen = GAME.view(state, viewer)
                    assert seen == GAME.view(changed, viewer)
                    assert json.loads(json.dumps(seen)) == seen
            own = GAME.view(state, seat)["players"]
            assert isinstance(own, dict)
            assert len(own["ABCDEFG"[seat]]["held"]) == len(other.hand)


def with_other_hand(state: State, seat: Seat) -> State:
    player = state.players[seat]
    drawn = list(player.drawn)
    hand = []
    for held in player.hand:
        if held.card is not None and held.card is not Face.FREEZE:
            other = Face.HIT_RED if held.card is not Face.HIT_RED else Face.HIT_BLUE
            drawn[drawn.index(held.card)] = other
            hand.append(replace(held, card=other))
        else:
            hand.append(held)
    return state.with_player(
        seat, replace(player, hand=tuple(hand), drawn=tuple(drawn))
    )


def test_a_taken_card_is_named_neither_to_others_nor_in_the_claim() -> None:
    state = run(two_bases(), "A take Hg")
    assert "Hg" not in json.dumps(GAME.view(state, B))
    assert "Hg" not in json.dumps(GAME.view(state, None))
    players = GAME.view(state, A)["players"]
    assert isinstance(players, dict)
    assert players["A"]["held"] == ["Hg"]
    claim = GAME.judge(two_bases(), GAME.parse_move("A take Hg")).claim
    assert claim.render("en") == "A takes the next card of the deck"


# Sentences


def texts_of(value: object) -> Iterator[Text]:
    if isinstance(value, Text):
        yield value
    elif is_dataclass(value):
        for part in fields(value):
            yield from texts_of(getattr(value, part.name))
    elif isinstance(value, tuple):
        for part in value:
            yield from texts_of(part)


def speak(value: Ruling | Question) -> None:
    """Render every sentence of a value in every language."""
    for text in texts_of(value):
        for language in LANGUAGES:
            assert text.render(language)


@pytest.mark.parametrize("message", sorted(message_ids("brawl")))
def test_every_message_is_there_in_both_languages_with_the_same_places(
    message: str,
) -> None:
    texts = message_ids("brawl")[message]
    assert set(texts) == set(LANGUAGES)
    english, italian = (
        sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)
        for text in (texts["en"], texts["it"])
    )
    assert set(english) == set(italian)


def test_every_message_that_the_code_names_exists_and_none_is_spare() -> None:
    ids = set(message_ids("brawl"))
    named: set[str] = set()
    patterns: set[str] = set()
    for file in files("engines.brawl").iterdir():
        if file.name.endswith(".py"):
            code = file.read_text("utf-8")
            found = re.findall(r'"brawl\.([a-z_0-9]*(?:\{[^"]*)?)"', code)
            named |= {name for name in found if "{" not in name}
            patterns |= {name.partition("{")[0] for name in found if "{" in name}
    assert named <= ids
    spare = ids - named
    assert all(any(name.startswith(start) for start in patterns) for name in spare)
