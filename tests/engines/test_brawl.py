"""Brawl: every vector of the rules file; its id is the test id."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TypeAlias

import pytest

from engines.brawl import GAME
from engines.brawl.deck import parse_deck
from engines.brawl.faces import FREEZES_PER_DECK, Face
from engines.brawl.listing import legal_moves
from engines.brawl.moves import Foul
from engines.brawl.place import letter
from engines.brawl.scoring import is_over, outcome, result, winner_of
from engines.brawl.state import MAX_BASES
from engines.core import Seat, Sheet
from tests.support.brawl import (
    AB,
    A,
    B,
    Table,
    empty_decks,
    options,
    run,
    two_bases,
    vector_snapshot,
    vector_state,
)

Case: TypeAlias = dict[str, object]
CASES_FILE = Path(__file__).parent.parent / "cases" / "brawl.json"
CASES: list[Case] = json.loads(CASES_FILE.read_text(encoding="utf-8"))


def mapping(value: object) -> Mapping[str, object]:
    assert isinstance(value, dict)
    return value


def bases_of(value: object) -> list[Mapping[str, object]]:
    assert isinstance(value, list)
    return [mapping(base) for base in value]


def snake(reason: str) -> str:
    """Return the message id of a vector's reason: onBlock -> on_block."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: f"_{match[1].lower()}", reason)


def check_count(case: Case) -> None:
    given = mapping(case["input"])
    copies = {"BASE": 1, "FREEZE": 3, str(given["card"]): given["printed"]}
    deck = parse_deck({"name": "some", "copies": copies})
    assert deck.copies(Face(str(given["card"]))) == case["expect"]
    state = GAME.setup(options(decks=[deck, None]))
    assert state.players[A].left(Face(str(given["card"]))) == case["expect"]


def check_legal(case: Case) -> None:
    expect, target = mapping(case["expect"]), mapping(case["target"])
    state = vector_state(bases_of(case["bases"]), **mapping(case.get("options", {})))
    places = {"middle": "gap1"}
    if "end" in target:
        where = places.get(str(target["end"]), str(target["end"]))
    else:
        where = f"{target['base']}{target.get('side', '')}"
    text = f"{target.get('owner', 'A')} play {case['card']} AB:{where}"
    move = GAME.parse_move(text)
    ruling = GAME.judge(state, move)
    assert str(ruling.reason)
    if expect["legal"]:
        assert ruling.verdict == "upheld", str(ruling.reason)
        after = GAME.advance(state, move)
        assert is_over(after) is expect["gameOver"]
        assert (outcome(after) is not None) is expect["gameOver"]
    else:
        assert ruling.verdict == "rejected"
        assert ruling.reason.id == f"brawl.{snake(str(expect['reason']))}"
        foul = GAME.judge(state, GAME.parse_move(text.replace("play", "foul")))
        assert foul.verdict == "upheld"


def winners(sheet: Sheet) -> list[object]:
    return [row.value("winner") for row in sheet.rows]


def check_score(case: Case) -> None:
    expect = mapping(case["expect"])
    if "bases" not in case:
        check_more_hits_win_every_base(expect)
        return
    bases = bases_of(case["bases"])
    agreed = options(blockOnHit2=True)
    sheet = GAME.score_table(vector_snapshot(bases), agreed, {})
    assert winners(sheet) == expect["bases"]
    assert sheet.figures()["total"]["winner"] == expect["winner"]
    assert sheet.questions == ()
    state = vector_state([{**base, "frozen": True} for base in bases])
    row = state.rows[0]
    assert [letter(winner_of(row, b)) for b in row.cards.bases] == expect["bases"]
    end = GAME.outcome(state)
    assert end is not None
    names = [letter(seat) for seat in end.winners]
    assert names == ([] if expect["winner"] == "draw" else [expect["winner"]])


def check_more_hits_win_every_base(expect: Mapping[str, object]) -> None:
    """The figure is not in the text: in every position in which A has more Hits on
    each of three Bases, whoever owns them, A wins all three."""
    ahead = [
        (["Hr"], []),
        (["Hr", "Dr"], ["Hg", "Hg"]),
        (["Hb", "Hb", "Bb"], ["Hr"]),
    ]
    for chosen in product(product(ahead, "AB"), repeat=3):
        bases: list[Mapping[str, object]] = [
            {"owner": owner, "A": first, "B": second, "frozen": True}
            for (first, second), owner in chosen
        ]
        sheet = GAME.score_table(vector_snapshot(bases), options(), {})
        assert winners(sheet) == expect["bases"]
        assert sheet.figures()["total"]["winner"] == expect["winner"]
    table = Table()
    for x, (near, far) in zip((-80.0, 0.0, 80.0), ahead, strict=True):
        table.base(x, " ".join(near), " ".join(far), owner="B", frozen=True)
    seen = GAME.layout(table.pieces, options())
    assert winners(GAME.score_table(seen, options(), {})) == expect["bases"]


def check_foul(case: Case) -> None:
    expect, given = mapping(case["expect"]), mapping(case["input"])
    state = two_bases("Hr Br")
    fouled = run(state, "A foul Hr AB:0A")
    if given["repairable"]:
        assert expect["action"] == "restore"
        restored = run(fouled, "A takeback AB")
        assert restored.rows[0].cards == state.rows[0].cards
        run(restored, "B play Hg AB:1A", "A play Hr AB:0B from hand")
        return
    frozen = run(fouled, "B play FREEZE AB:0", "B play FREEZE AB:1")
    assert GAME.outcome(frozen) is None
    (question,) = [q for q in GAME.questions(frozen) if q.id == "foul:AB"]
    assert expect["prompt"] == "opponent"
    assert question.to == B
    assert [str(option.text) for option in question.options] == expect["options"]
    for option in question.options:
        assert option.move is not None
        assert GAME.outcome(run(frozen, option.move)) is not None


def check_end(case: Case) -> None:
    expect = mapping(case["expect"])
    bases = bases_of(case["input"])
    assert is_over(vector_state(bases)) is expect["gameOver"]
    sheet = GAME.score_table(vector_snapshot(bases), options(), {})
    assert sheet.figures()["total"]["over"] is expect["gameOver"]


def check_multi(case: Case) -> None:
    given = case["input"]
    if isinstance(given, list):
        check_ties(given, case["expect"])
        return
    players = mapping(given)["players"]
    state = GAME.setup(options(players=players, decks=["neutral"] * 4))
    bases = [base for row in state.rows for base in row.cards.bases]
    assert [str(row.pair) for row in state.rows] == ["AB", "BC", "CD", "DA"]
    owned = {seat: sum(b.owner == seat for b in bases) for seat in state.seats}
    assert len(set(owned.values())) == 1
    assert mapping(case["expect"]) == {
        "pairs": len(state.rows),
        "startBases": len(bases),
        "startBasesPerPlayer": owned[A],
        "maxBases": MAX_BASES * len(state.rows),
        "freezes": FREEZES_PER_DECK * len(state.players),
    }


def check_ties(given: list[list[int]], expect: object) -> None:
    results = []
    for numbers in given:
        won = {Seat(seat): number for seat, number in enumerate(numbers)}
        end = result(won, options(players=3))
        names = [letter(seat) for seat in end.winners]
        results.append(["replay", *names] if end.rule.number == "B-19" else names)
    assert results == expect


def check_training(case: Case) -> None:
    expect, given = mapping(case["expect"]), mapping(case["input"])
    assert given == {"deck": 0, "playable": False}
    state = empty_decks(two_bases("Hr", mode="training"))
    for seat in state.seats:
        blocked = replace(state.players[seat], pile=(Face.BLOCK_BLUE,))
        state = state.with_player(seat, blocked)
    state = run(state, "A start")
    own = [
        str(move)
        for move in legal_moves(state)
        if str(move).startswith("A") and not isinstance(move, Foul)
    ]
    assert own == [f"A {expect['action']}"]
    once = run(state, "A pass")
    assert GAME.outcome(once) is None
    end = GAME.outcome(run(once, "B pass"))
    assert end is not None
    assert end.winners == ()


CHECKS: dict[str, Callable[[Case], None]] = {
    "count": check_count,
    "legal": check_legal,
    "score": check_score,
    "foul": check_foul,
    "end": check_end,
    "multi": check_multi,
    "training": check_training,
}


def test_all_49_vectors_are_here() -> None:
    assert [case["id"] for case in CASES] == [f"BR-{n:02}" for n in range(1, 50)]
    assert AB in [row.pair for row in GAME.setup(options()).rows]


@pytest.mark.parametrize("case", CASES, ids=[str(case["id"]) for case in CASES])
def test_vector(case: Case) -> None:
    CHECKS[str(case["kind"])](case)
