"""Brawl: what has changed on the table becomes moves, or a question."""

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engines.brawl import GAME
from engines.brawl.faces import Face
from engines.brawl.moves import Discard, Move, Play
from engines.brawl.snapshot import SeenBase, SeenCard, Snapshot
from engines.brawl.state import State
from engines.core import Question, Seat, Verdict, canonical
from tests.support.brawl import (
    A,
    B,
    Table,
    empty_decks,
    options,
    run,
    seen_of,
    two_bases,
    with_bases,
    with_card,
)


def moves_of(state: State, snapshot: Snapshot) -> list[str]:
    found = GAME.changes(state, snapshot)
    assert isinstance(found, tuple), str(found.text)
    return [str(move) for move in found]


def question_of(state: State, snapshot: Snapshot) -> Question:
    found = GAME.changes(state, snapshot)
    assert isinstance(found, Question), [str(move) for move in found]
    return found


def card(label: str, owner: Seat | None = A) -> SeenCard:
    return SeenCard(Face(label), f"new-{label}", owner)


def pile(snapshot: Snapshot, seat: Seat, *labels: str) -> Snapshot:
    piles = list(snapshot.piles)
    piles[seat] = tuple(SeenCard(Face(label), f"pile-{label}") for label in labels)
    return replace(snapshot, piles=tuple(piles))


def test_nothing_new_is_no_move() -> None:
    state = run(GAME.setup(options()), "A play Hr AB:0A", "B discard Hg")
    assert moves_of(state, seen_of(state)) == []


def test_several_changes_become_moves_in_a_legal_order() -> None:
    state = two_bases("Hr")
    seen = with_card(seen_of(state), "A", card("Dr"), card("Br", B))
    seen = with_card(seen, "on", card("FREEZE", B))
    seen = pile(seen, A, "Hb")
    moves = moves_of(state, seen)
    assert sorted(moves) == [
        "A discard Hb",
        "A play Dr AB:0A",
        "B play Br AB:0A",
        "B play FREEZE AB:0",
    ]
    assert canonical(GAME.view(run(state, *moves), None))


def test_a_clear_makes_room_for_a_base() -> None:
    state = run(GAME.setup(options()), "A play BASE AB:right")
    seen = seen_of(state)
    old = seen.rows[0].bases
    seen = with_bases(seen, (SeenBase(B, piece="new"), *old[:2]))
    question = question_of(state, seen)
    assert question.id == "who:AB:2"
    assert [option.move for option in question.options] == [
        "A play CLEAR AB:2",
        "B play CLEAR AB:2",
    ]
    cleared = run(state, "B play CLEAR AB:2")
    assert moves_of(cleared, seen) == ["B play BASE AB:left"]
    laid = with_card(seen_of(state), "on", card("CLEAR", B), base=2)
    assert moves_of(state, laid) == ["B play CLEAR AB:2"]


def test_a_base_laid_between_two_others_is_reported_as_illegal() -> None:
    state = run(GAME.setup(options()), "A play Hr AB:0A", "A play Hg AB:1A")
    old = seen_of(state).rows[0].bases
    seen = with_bases(seen_of(state), (old[0], SeenBase(B, piece="new"), old[1]))
    assert moves_of(state, seen) == ["B play BASE AB:gap1"]
    ruling = GAME.judge(state, GAME.parse_move("B play BASE AB:gap1"))
    assert ruling.reason.id == "brawl.end"


def test_an_illegal_card_comes_last_as_a_play_that_is_rejected() -> None:
    state = two_bases("Hr Br")
    seen = with_card(seen_of(state), "A", card("Hr", B), card("Hr"))
    seen = with_card(seen, "A", card("Hg"), base=1)
    moves = moves_of(state, seen)
    assert moves == ["A play Hg AB:1A", "B play Hr AB:0A"]
    after = run(state, moves[0])
    assert GAME.judge(after, GAME.parse_move(moves[1])).verdict == "rejected"
    # Recorded as a foul, it explains what lies there; then the card on it is a play.
    fouled = run(after, moves[1].replace("play", "foul"))
    assert moves_of(fouled, seen) == ["A play Hr AB:0A"]


def test_a_card_taken_back_settles_the_foul() -> None:
    state = two_bases("Hr Br")
    fouled = run(state, "B foul Hr AB:0A")
    assert moves_of(fouled, seen_of(fouled)) == []
    assert moves_of(fouled, seen_of(state)) == ["B takeback AB"]
    built = run(fouled, "A play Hr AB:0A")
    assert moves_of(built, seen_of(state)) == ["A restore AB"]
    elsewhere = with_card(seen_of(state), "B", card("Hr", B))
    assert moves_of(fouled, elsewhere) == [
        "B takeback AB",
        "B play Hr AB:0B from hand",
    ]


def test_a_disputed_card_is_not_reported_again() -> None:
    state = run(two_bases("Hr"), "A play Br AB:0A", "B contest Hr AB:0A")
    seen = with_card(seen_of(state), "A", card("Hr", B))
    assert moves_of(state, seen) == []


def test_the_deck_tells_who_played_and_else_it_is_asked() -> None:
    state = two_bases()
    seen = with_card(seen_of(state), "A", card("Hr", None))
    question = question_of(state, seen)
    assert question.id == "who:new-Hr"
    assert [option.move for option in question.options] == [
        "A play Hr AB:0A",
        "B play Hr AB:0A",
    ]
    decks = GAME.setup(options(decks=["hale", "neutral"]))
    press = run(decks, "A play Hb AB:0A", "B play Bb AB:0A")
    only_b = with_card(seen_of(press), "A", card("P", None))
    assert moves_of(press, only_b) == ["B play P AB:0A"]
    training = run(two_bases(mode="training"), "B start")
    assert moves_of(training, seen) == ["B play Hr AB:0A"]


def test_b_15_whose_base_it_is_is_asked_when_it_is_laid() -> None:
    state = GAME.setup(options())
    bases = seen_of(state).rows[0].bases
    seen = with_bases(seen_of(state), (*bases, SeenBase(None, piece="new")))
    question = question_of(state, seen)
    assert (question.id, str(question.rule)) == ("owner:new", "B-15")
    assert question.options[1].move == "B play BASE AB:right"


def test_a_card_that_cannot_be_read_is_asked_and_holds_nothing_up() -> None:
    state = two_bases("Hr", mode="training")
    state = run(state, "A start")
    unknown = SeenCard(None, "dark", A)
    seen = with_card(seen_of(state), "A", unknown)
    question = question_of(state, seen)
    assert question.id == "label:dark"
    moves = {option.value: option.move for option in question.options}
    assert moves["Br"] == "A play Br AB:0A"
    both = with_card(seen, "A", card("Hg"), base=1)
    assert moves_of(state, both) == ["A play Hg AB:1A"]


def test_a_known_card_that_cannot_be_read_now_stays_what_it_was() -> None:
    state = two_bases("Hr Br")
    seen = seen_of(state)
    base = seen.rows[0].bases[0]
    dark = replace(base, first=(SeenCard(None), SeenCard(Face.BLOCK_RED)))
    seen = with_bases(seen, (dark, seen.rows[0].bases[1]))
    assert moves_of(state, seen) == []
    assert moves_of(state, with_card(seen, "A", card("P"))) == ["A play P AB:0A"]


def test_a_card_overlooked_in_a_chain_makes_no_second_one_of_its_end() -> None:
    """Told late, below the next: that one was played again, unasked (5210)."""
    state = run(two_bases("Hr"), "B play Br AB:0A")
    chain = seen_of(state).rows[0].bases[0]
    unread = SeenCard(None, "unread", A)
    between = (chain.first[0], unread, *chain.first[1:])
    base = replace(chain, first=between)
    seen = with_bases(seen_of(state), [base, *seen_of(state).rows[0].bases[1:]])
    question = question_of(state, seen)
    assert question.pieces == ("unread",)
    on_top = replace(chain, first=(*chain.first, unread))
    seen = with_bases(seen_of(state), [on_top, *seen_of(state).rows[0].bases[1:]])
    assert question_of(state, seen).id == "label:unread"


def test_a_card_that_is_gone_or_has_changed_is_asked() -> None:
    state = two_bases("Hr Br")
    gone = seen_of(two_bases("Hr"))
    assert "missing" in str(question_of(state, gone).text)
    changed = seen_of(two_bases("Hr Bg"))
    assert "green Block" in str(question_of(state, changed).text)
    frozen = run(state, "A play FREEZE AB:0")
    assert "Freeze is missing" in str(question_of(frozen, seen_of(state)).text)
    hidden = with_bases(seen_of(state), ())
    assert question_of(state, hidden).id == "hidden:AB"


def test_a_base_whose_cards_are_gone_was_not_cleared_and_laid_anew() -> None:
    """The first card of a chain was overlooked and the other one hung on no chain: a
    Clear was called, which ended the game (5240)."""
    state = run(two_bases(), "B play Hg AB:1B", "B play Bg AB:1B")
    first, second = seen_of(state).rows[0].bases
    frozen = (SeenCard(Face.FREEZE, "freeze", B),)
    bare = replace(second, second=(), freezes=frozen)
    seen = with_bases(seen_of(state), (first, bare))
    assert moves_of(state, seen) == ["B play FREEZE AB:1"]
    question = question_of(run(state, "B play FREEZE AB:1"), seen)
    assert "missing" in str(question.text)


def test_a_like_card_of_the_other_deck_is_no_card_of_the_chain() -> None:
    """B's third card seemed A's second one, which was overlooked: its play was lost in
    silence (5224)."""
    state = run(two_bases("Hr"), "B play Hr AB:0A", "A play Hr AB:0A")
    base, other = seen_of(state).rows[0].bases
    third = SeenCard(Face.HIT_RED, "third", B)
    shown = replace(base, first=(*base.first[:2], third))
    question = question_of(state, with_bases(seen_of(state), (shown, other)))
    assert question.pieces == ("third",)
    assert "A card of A lay here" in str(question.text)


def test_a_play_of_the_top_discard_is_told_by_the_pile() -> None:
    state = run(two_bases(), "A discard Hb", "A discard Hr")
    seen = pile(with_card(seen_of(state), "A", card("Hr", None)), A, "Hb")
    assert moves_of(state, seen) == ["A play Hr AB:0A from discard"]
    kept = with_card(seen_of(state), "A", card("Hr"))
    assert moves_of(state, kept) == ["A play Hr AB:0A"]


def test_a_lifted_discard_and_its_return() -> None:
    state = run(two_bases(), "A discard Hr")
    assert moves_of(state, pile(seen_of(state), A)) == ["A lift"]
    lifted = run(state, "A lift")
    assert moves_of(lifted, pile(seen_of(lifted), A, "Hr")) == [
        "A discard Hr from hand"
    ]
    played = with_card(seen_of(lifted), "A", card("Hr"))
    assert moves_of(lifted, played) == ["A play Hr AB:0A from hand"]
    two = run(state, "A discard Hb")
    question = question_of(two, pile(seen_of(two), A, "Hr"))
    assert [option.move for option in question.options] == ["A lift", "A discard Hr"]
    training = run(
        two_bases(mode="training"), "A start", "A discard Hr", "B discard Hg"
    )
    assert moves_of(training, pile(seen_of(training), A)) == []


def test_the_starting_bases_may_have_been_laid_the_other_way_round() -> None:
    state = GAME.setup(options())
    seen = seen_of(state)
    turned = with_bases(seen, tuple(reversed(seen.rows[0].bases)))
    turned = with_card(turned, "A", card("Hr"))
    assert moves_of(state, turned) == ["referee swap AB", "A play Hr AB:0A"]


def test_training_asks_who_starts_first() -> None:
    state = GAME.setup(options(mode="training"))
    assert question_of(state, seen_of(state)).id == "start"


def test_training_moves_come_in_turn() -> None:
    state = run(two_bases("Hr", mode="training"), "A start")
    seen = with_card(seen_of(state), "A", card("Dr", None), card("Br", None))
    seen = pile(seen, A, "Hb")
    moves = moves_of(state, seen)
    assert [move[0] for move in moves] == ["A", "B", "A"]
    assert run(state, *moves).turn == B


def test_a_taken_card_comes_from_the_hand() -> None:
    state = run(two_bases(), "A take")
    seen = with_card(seen_of(state), "A", card("Hr"))
    assert moves_of(state, seen) == ["A play Hr AB:0A from hand"]
    assert moves_of(state, pile(seen_of(state), A, "Hb")) == ["A discard Hb from hand"]


def test_what_the_layout_doubts_is_asked() -> None:
    state = GAME.setup(options())
    table = Table()
    table.base(-40.0, owner="A")
    table.base(40.0, owner="B")
    between = table.put("Hr", 0.0, -65.0, owner="A")
    seen = GAME.layout(table.pieces, options())
    assert question_of(state, seen).id == f"place:{between.id}"
    strange = table.put(None, 120.0, 0.0)
    seen = GAME.layout([*table.pieces[:2], strange], options())
    assert question_of(state, seen).id == f"label:{strange.id}"


def test_a_layout_of_pieces_becomes_moves() -> None:
    state = GAME.setup(options())
    table = Table()
    table.base(-60.0, "Hr", "", owner="A")
    table.base(60.0, "", "Hg", owner="B")
    table.pieces = [
        replace(p, owner="A") if p.label == "Hr" else replace(p, owner=p.owner or "B")
        for p in table.pieces
    ]
    seen = GAME.layout(table.pieces, options())
    assert sorted(moves_of(state, seen)) == ["A play Hr AB:0A", "B play Hg AB:1B"]


def table_of(state: State) -> bytes:
    """Return what can be seen of a state, without ids."""
    return canonical([seen_of(state).rows, [p.pile[-1:] for p in state.players]])


@given(st.integers(0, 2**31), st.integers(1, 3), st.booleans())
def test_random_changes_are_explained_by_legal_moves(
    seed: int, looks: int, training: bool
) -> None:
    rng = random.Random(seed)
    state = GAME.setup(options(mode="training" if training else "tournament"))
    if training:
        state = run(state, "A start")
    for _ in range(rng.randint(0, 25)):
        state = _step(state, rng)
    now = state
    for _ in range(1 if training else looks):
        now = _step(now, rng)
    replayed = state
    for _ in range(4):  # what has to be asked comes when the rest has been played
        found = GAME.changes(replayed, seen_of(now))
        if isinstance(found, Question):
            assert found.id.split(":")[0] in {"who", "pile"}
            return
        for move in found:
            ruling = GAME.judge(replayed, move)
            assert ruling.verdict is Verdict.UPHELD, f"{move}: {ruling.reason}"
            replayed = GAME.advance(replayed, move)
    assert table_of(replayed) == table_of(now)


def _step(state: State, rng: random.Random) -> State:
    """Play one random card or discard, as the camera may see it."""
    moves: list[Move] = [
        move
        for move in GAME.legal_moves(state) or ()
        if isinstance(move, Play | Discard) and move.card is not Face.FREEZE
    ]
    return GAME.advance(state, rng.choice(moves)) if moves else state


def test_an_empty_deck_narrows_who_may_have_played() -> None:
    state = empty_decks(two_bases())
    state = state.with_player(B, replace(state.players[B], pile=(Face.HIT_RED,)))
    seen = pile(with_card(seen_of(state), "A", card("Hr", None)), B)
    assert moves_of(state, seen) == ["B play Hr AB:0A from discard"]
