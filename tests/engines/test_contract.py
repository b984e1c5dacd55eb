"""What every game promises, asked of all games that there are.

A new game is a folder in `engines/`; nothing here names one, except that the number of
vectors in the known rules files is written down.
"""

import ast
import json
import random
import re
import string
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import engines
from engines.core import (
    LANGUAGES,
    Game,
    Kind,
    NotationError,
    OptionError,
    Piece,
    PieceId,
    Question,
    Ruling,
    Seat,
    Sheet,
    Text,
    UnknownGameError,
    Verdict,
    canonical,
    load_kit,
    message_ids,
    replay,
)
from tests.support.contract import chance, disguised

NAMES = engines.game_names()
ROOT = Path(__file__).parents[2]
RULES = ROOT.parent / "shared" / "rules"
VECTORS = {"frenzy": 39, "brawl": 49, "warstones": 46, "regicide": 41, "frantic": 71}
WALKS = 4
STEPS = 60

# Shapely, which engines may use, brings numpy along; nobody else may ask for it.
BLOCKER = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        if root in {"cv2", "flask", "scipy", "onnxruntime", "vision", "companion"}:
            raise ImportError(f"{name} must not be needed")
        if root == "numpy":
            frame, asking = sys._getframe(1), set()
            while frame is not None:
                asking.add(str(frame.f_globals.get("__name__")).partition(".")[0])
                frame = frame.f_back
            if not asking & {"shapely", "numpy"}:
                raise ImportError("numpy must not be needed")

sys.meta_path.insert(0, Blocker())
import engines
"""

AnyGame = Game[Any, Any, Any, Any]
every_game = pytest.mark.parametrize("name", NAMES)


@dataclass(frozen=True)
class Walk:
    """A game played by answering questions and choosing among the listed moves."""

    options: Any
    states: tuple[Any, ...]
    """One more than moves."""
    moves: tuple[Any, ...]


def folder(name: str) -> Path:
    return ROOT / "engines" / name


def option_sets(game: AnyGame) -> list[Any]:
    """The default options, and other player counts where the game has them."""
    found = [game.options({})]
    for players in (1, 2, 3, 4):
        try:
            found.append(game.options({"players": players}))
        except OptionError:
            continue
    return found


def choices(game: AnyGame, state: Any, rng: random.Random) -> list[Any]:
    """Moves that go on from `state`: shuffles, listed ones, answers to questions."""
    shuffle = chance(game.name, state, rng)
    if shuffle is not None:
        return [shuffle]
    listed = list(islice(game.legal_moves(state) or (), 300))
    moves = rng.sample(listed, min(len(listed), 8))
    for question in game.questions(state):
        texts = [option.move for option in question.options if option.move is not None]
        moves += [game.parse_move(text) for text in texts[:12]]
    return moves


@cache
def walks(name: str) -> tuple[Walk, ...]:
    game = engines.load_game(name)
    found = []
    for seed in range(WALKS):
        for options in option_sets(game):
            rng = random.Random(seed)
            states, moves = [game.setup(options)], list[Any]()
            while len(moves) < STEPS and game.outcome(states[-1]) is None:
                possible = choices(game, states[-1], rng)
                rng.shuffle(possible)
                move = next(
                    (m for m in possible if is_legal(game, states[-1], m)), None
                )
                if move is None:
                    break
                moves.append(move)
                states.append(game.advance(states[-1], move))
            found.append(Walk(options, tuple(states), tuple(moves)))
    return tuple(found)


def is_legal(game: AnyGame, state: Any, move: Any) -> bool:
    return game.judge(state, move).verdict is Verdict.UPHELD


def samples(name: str, count: int = 60) -> Iterator[tuple[AnyGame, Walk, int]]:
    """Places in the walks: game, walk, index of the state."""
    game, rng = engines.load_game(name), random.Random(1)
    places = [(walk, i) for walk in walks(name) for i in range(len(walk.states))]
    for walk, i in rng.sample(places, min(count, len(places))):
        yield game, walk, i


# The folder --------------------------------------------------------------------------


def test_there_are_games() -> None:
    assert set(VECTORS) <= set(NAMES)
    assert "core" not in NAMES


def test_an_unknown_game_is_an_error_that_names_the_games() -> None:
    with pytest.raises(UnknownGameError, match="regicide"):
        engines.load_game("chess")


@every_game
def test_the_folder_has_the_name_of_the_game(name: str) -> None:
    assert engines.load_game(name).name == name


@every_game
def test_a_game_imports_without_the_libraries_of_other_packages(name: str) -> None:
    script = f"{BLOCKER}\ngame = engines.load_game({name!r})\n"
    script += "game.setup(game.options({}))\nprint(game.name)\n"
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == name


@every_game
def test_the_kit_loads_and_names_every_face_in_both_languages(name: str) -> None:
    kit = load_kit(name)
    assert kit.game == name
    for face in kit.faces:
        assert {language for language, _ in face.names} >= set(LANGUAGES), face.label


@every_game
def test_an_unknown_option_is_an_error(name: str) -> None:
    with pytest.raises(OptionError):
        engines.load_game(name).options({"no such option": 1})


@every_game
def test_the_vectors_of_the_rules_file_are_there(name: str) -> None:
    path = ROOT / "tests" / "cases" / f"{name}.json"
    ids = list(vector_ids(json.loads(path.read_text(encoding="utf-8"))))
    assert len(set(ids)) == len(ids)
    assert len(ids) == VECTORS.get(name, len(ids)) > 0
    source = RULES / f"{name}.md"
    if source.is_file():
        text = source.read_text(encoding="utf-8")
        assert set(ids) == set(re.findall(r'\{"id": ?"([^"]+)"', text))


def vector_ids(cases: object) -> Iterator[str]:
    """The ids of all vectors, however the file groups them."""
    if isinstance(cases, list):
        for item in cases:
            yield from vector_ids(item)
    elif isinstance(cases, dict):
        if isinstance(cases.get("id"), str):
            yield cases["id"]
        else:
            for item in cases.values():
                yield from vector_ids(item)


# Rules and sentences -----------------------------------------------------------------


def syntax_trees(name: str) -> Iterator[ast.Module]:
    for file in sorted(folder(name).rglob("*.py")):
        yield ast.parse(file.read_text(encoding="utf-8"))


def calls(name: str, called: str) -> Iterator[ast.Call]:
    """Calls of `RuleRef` or `Text.of`, by their last name."""
    for tree in syntax_trees(name):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args:
                function = ast.unparse(node.func)
                if function == called or function.endswith(f".{called}"):
                    yield node


@cache
def headings(name: str) -> frozenset[str]:
    """The numbers of the headings of RULES.md."""
    text = (folder(name) / "RULES.md").read_text(encoding="utf-8")
    found = re.findall(r"^#+ +(\S+?)[.:)]?(?: |$)", text, re.MULTILINE)
    return frozenset(found)


@every_game
def test_every_cited_rule_is_a_heading(name: str) -> None:
    cited = {
        call.args[0].value
        for call in calls(name, "RuleRef")
        if isinstance(call.args[0], ast.Constant)
    }
    numbered = re.compile(r"[A-Z]{1,2}-R?\d\d")
    for tree in syntax_trees(name):
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                cited |= {node.value} if numbered.fullmatch(node.value) else set()
    assert cited - headings(name) == set()
    assert cited_in_play(name) - headings(name) == set()


def cited_in_play(name: str) -> set[str]:
    """Rules of rulings, questions, outcomes and sheets met on the walks."""
    found: set[str] = set()
    for game, walk, i in samples(name):
        state = walk.states[i]
        for move in others(walk, i):
            found |= set(rules_of(game.judge(state, move)))
        found |= {str(q.rule) for q in game.questions(state) if q.rule is not None}
        outcome = game.outcome(state)
        found |= {str(outcome.rule)} if outcome is not None else set()
    return found


def others(walk: Walk, i: int) -> Sequence[Any]:
    """The move that was made, and some that were made at other times."""
    return [*walk.moves[i : i + 1], *walk.moves[:: max(1, len(walk.moves) // 12)]]


def rules_of(ruling: Ruling) -> Iterator[str]:
    yield str(ruling.rule)
    for ground in ruling.grounds:
        yield from rules_of(ground)


def places(template: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(template) if field}


@pytest.mark.parametrize("room", ["core", *NAMES])
def test_every_message_has_the_same_places_in_every_language(room: str) -> None:
    for message, texts in message_ids(room).items():
        assert set(texts) == set(LANGUAGES), message
        found = {language: places(text) for language, text in texts.items()}
        if all(names == {language} for language, names in found.items()):
            continue  # A name that is given in both languages, such as a unit's.
        assert len({frozenset(names) for names in found.values()}) == 1, message
        assert all(text == text.strip() != "" for text in texts.values()), message


@every_game
def test_every_message_that_the_code_names_exists_with_its_values(name: str) -> None:
    known = {
        f"{room}.{message}": texts["en"]
        for room in ("core", name)
        for message, texts in message_ids(room).items()
    }
    for call in (*calls(name, "Text.of"), *calls(name, "Text")):
        first = call.args[0]
        if isinstance(first, ast.Constant):
            assert first.value in known, first.value
            given = {keyword.arg for keyword in call.keywords}
            if None not in given and ast.unparse(call.func).endswith(".of"):
                assert places(known[first.value]) <= given, first.value
        elif isinstance(first, ast.JoinedStr):
            pattern = "".join(
                re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+"
                for part in first.values
            )
            assert any(re.fullmatch(pattern, known_id) for known_id in known), pattern


def assert_speaks(text: Text) -> None:
    for language in LANGUAGES:
        rendered = text.render(language)
        assert rendered.strip()
        assert not re.search(r"\{\w*\}", rendered), rendered


def assert_ruling_speaks(ruling: Ruling) -> None:
    assert_speaks(ruling.claim)
    assert_speaks(ruling.reason)
    for evidence in ruling.evidence:
        assert_speaks(evidence.fact)
    for ground in ruling.grounds:
        assert_ruling_speaks(ground)


def assert_question_speaks(question: Question) -> None:
    assert_speaks(question.text)
    for option in question.options:
        assert_speaks(option.text)


@every_game
def test_rulings_questions_and_outcomes_speak_both_languages(name: str) -> None:
    for game, walk, i in samples(name):
        state = walk.states[i]
        for move in others(walk, i):
            assert_ruling_speaks(game.judge(state, move))
        for question in game.questions(state):
            assert_question_speaks(question)
        outcome = game.outcome(state)
        if outcome is not None:
            assert_speaks(outcome.reason)


# Playing -----------------------------------------------------------------------------


@every_game
def test_a_game_can_be_walked_through(name: str) -> None:
    assert max(len(walk.moves) for walk in walks(name)) >= 3


@every_game
def test_notation_round_trips(name: str) -> None:
    game = engines.load_game(name)
    for walk in walks(name):
        for move in walk.moves:
            again = game.parse_move(str(move))
            assert again == move
            assert str(again) == str(move)


@every_game
@pytest.mark.parametrize("text", ["", " ", "?", "no such move", "0:", "💥", "1 2 3 4"])
def test_bad_notation_says_where_and_what_was_expected(name: str, text: str) -> None:
    with pytest.raises(NotationError) as caught:
        engines.load_game(name).parse_move(text)
    assert caught.value.column >= 1
    assert caught.value.expected


@every_game
def test_judge_never_raises_on_a_move_of_any_moment(name: str) -> None:
    game, rng = engines.load_game(name), random.Random(2)
    moves = {str(move): move for walk in walks(name) for move in walk.moves}
    for _, walk, i in samples(name):
        for text in rng.sample(sorted(moves), min(len(moves), 25)):
            ruling = game.judge(walk.states[i], moves[text])
            assert ruling.rule.number


@every_game
def test_the_listed_moves_are_upheld(name: str) -> None:
    for game, walk, i in samples(name, 25):
        listed = list(islice(game.legal_moves(walk.states[i]) or (), 200))
        for move in random.Random(i).sample(listed, min(len(listed), 20)):
            ruling = game.judge(walk.states[i], move)
            assert ruling.verdict is Verdict.UPHELD, f"{move}: {ruling.reason}"


@every_game
def test_every_offered_answer_can_be_read(name: str) -> None:
    for game, walk, i in samples(name):
        for question in game.questions(walk.states[i]):
            for option in question.options:
                assert option.move is not None, f"{question.id}: {option.value}"
                game.parse_move(option.move)


@every_game
def test_advance_leaves_its_argument_unchanged(name: str) -> None:
    for game, walk, i in samples(name):
        if i == len(walk.moves):
            continue
        before = canonical(walk.states[i])
        once = game.advance(walk.states[i], walk.moves[i])
        again = game.advance(walk.states[i], walk.moves[i])
        assert canonical(walk.states[i]) == before
        assert canonical(once) == canonical(again)


@every_game
def test_replaying_the_events_gives_the_same_state_byte_for_byte(name: str) -> None:
    game = engines.load_game(name)
    for walk in walks(name):
        played = replay(game, game.setup(walk.options), map(str, walk.moves))
        assert played.is_complete
        assert canonical(played.state) == canonical(walk.states[-1])


# Secrets -----------------------------------------------------------------------------


def strings(value: object) -> Iterator[str]:
    """All texts in plain JSON values, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


def seats_of(walk: Walk) -> list[Seat]:
    players = getattr(walk.options, "players", 2)
    return [Seat(seat) for seat in range(players if isinstance(players, int) else 2)]


@every_game
def test_a_view_is_plain_json(name: str) -> None:
    for game, walk, i in samples(name):
        for seat in (None, *seats_of(walk)):
            view = game.view(walk.states[i], seat)
            assert json.loads(json.dumps(view, allow_nan=False)) == json.loads(
                json.dumps(view)
            )


@every_game
def test_a_spectator_is_told_nothing_that_a_player_is_not(name: str) -> None:
    for game, walk, i in samples(name):
        spectator = set(strings(game.view(walk.states[i], None)))
        for seat in seats_of(walk):
            assert spectator <= set(strings(game.view(walk.states[i], seat)))


@every_game
def test_a_view_does_not_depend_on_another_seats_secrets(name: str) -> None:
    disguises = 0
    for game, walk, i in samples(name):
        state = walk.states[i]
        for seat in (None, *seats_of(walk)):
            other = disguised(name, state, seat)
            disguises += canonical(other) != canonical(state)
            assert game.view(other, seat) == game.view(state, seat)
    assert disguises > 0, "no secret was ever exchanged"


# One look ----------------------------------------------------------------------------


def strange_tables(name: str) -> list[list[Piece]]:
    """Nothing; every face in a row; the same card twice, unread cards, other things."""
    labels = [face.label for face in load_kit(name).faces]
    row = [
        Piece(PieceId(f"r{i}"), Kind.CARD, label, 70.0 * i, 0.0)
        for i, label in enumerate(labels[:40])
    ]
    heap = [
        Piece(PieceId(f"h{i}"), kind, label, 5.0 * i, 3.0 * i, 17.0 * i, order=i)
        for i, (kind, label) in enumerate(
            (kind, label)
            for kind in Kind
            for label in (labels[0], None, "no such card")
        )
    ]
    lost = [Piece(PieceId("nan"), Kind.CARD, labels[0], float("nan"), float("inf"))]
    again = [replace(piece, id=PieceId(f"{piece.id}again")) for piece in heap]
    return [[], row, heap, [*heap, *again], lost]


def assert_sheet_speaks(sheet: Sheet) -> None:
    for row in sheet.rows:
        assert_speaks(row.title)
        for cell in row.cells:
            assert_speaks(cell.title)
            if isinstance(cell.value, Text):
                assert_speaks(cell.value)
    for ruling in sheet.rulings:
        assert_ruling_speaks(ruling)
    for question in sheet.questions:
        assert_question_speaks(question)
    for finding in sheet.findings:
        assert_speaks(finding.text)


@every_game
def test_no_table_is_too_strange_to_be_scored(name: str) -> None:
    game = engines.load_game(name)
    for options in option_sets(game):
        for pieces in strange_tables(name):
            sheet = game.score_table(game.layout(pieces, options), options, {})
            assert sheet.game == name
            assert_sheet_speaks(sheet)
            json.dumps(sheet.figures(), allow_nan=False)
            rules = {rule for ruling in sheet.rulings for rule in rules_of(ruling)}
            rules |= {str(q.rule) for q in sheet.questions if q.rule is not None}
            assert rules <= headings(name)
            ids = [question.id for question in sheet.questions]
            assert len(set(ids)) == len(ids)


@every_game
def test_answers_to_questions_that_were_not_asked_change_nothing(name: str) -> None:
    game = engines.load_game(name)
    options = game.options({})
    for pieces in strange_tables(name):
        snapshot = game.layout(pieces, options)
        sheet = game.score_table(snapshot, options, {})
        answers = {"no such question": "x"} | {q.id: "no such" for q in sheet.questions}
        assert game.score_table(snapshot, options, answers) == sheet


@every_game
def test_changes_are_moves_or_a_question_on_any_table(name: str) -> None:
    for game, walk, i in samples(name, 20):
        for pieces in strange_tables(name):
            snapshot = game.layout(pieces, walk.options)
            found = game.changes(walk.states[i], snapshot)
            if isinstance(found, Question):
                assert_question_speaks(found)
                continue
            for move in found:
                assert game.parse_move(str(move)) == move
                assert_ruling_speaks(game.judge(walk.states[i], move))
