"""The command line: what it prints, and its exit codes 0 read, 1 could not, 2 wrong."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import companion
from companion import showcase
from companion.cli import main
from tests.companion.test_report import schema

FIGHT = """\
# a dispute about the second play
players: 2
castle ?
reveal Jh
tavern ?
start 0
0: play 9d
"""


def run(runner: CliRunner, *arguments: object, stdin: str | None = None) -> Result:
    result = runner.invoke(main, [str(item) for item in arguments], input=stdin)
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


@pytest.fixture
def table() -> showcase.DemoTable:
    """A rendered table that ships with Arbitro."""
    return showcase.tables()[0]


def test_help_names_every_command(runner: CliRunner) -> None:
    output = run(runner, "--help").output
    for command in (
        *("read", "score", "serve", "demo", "evaluate"),
        *("games", "rules", "play", "train"),
    ):
        assert f"  {command} " in output
        assert run(runner, command, "--help").exit_code == 0


def test_the_readme_lists_the_commands_that_exist() -> None:
    readme = (Path(companion.__file__).parent / "README.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `arbitro (\w+)", readme, re.MULTILINE))
    assert listed == set(main.commands)
    for option in set(re.findall(r"`(--[a-z-]+)", readme)) - {"--no-location"}:
        known = {name for command in main.commands.values() for name in names(command)}
        assert option in known, option


def names(command: click.Command) -> set[str]:
    """Return the names of the options of a command."""
    return {
        name
        for parameter in command.params
        for name in (*parameter.opts, *parameter.secondary_opts)
    }


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from companion.cli import main; "
        "heavy = {'cv2', 'numpy', 'flask', 'rich', 'onnxruntime', 'engines.core'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"
    assert time.perf_counter() - started < 2


def test_version_and_games(runner: CliRunner) -> None:
    assert run(runner, "--version").output.startswith("arbitro ")
    assert "regicide" in run(runner, "games").output.split()


@pytest.mark.parametrize(
    ("data", "code", "sentence"),
    [
        (None, "missing", "There is no such file."),
        (b"", "empty", "The file is empty"),
        (b"words, not light", "not_an_image", "This file is not a picture."),
        (b"\xff\xd8\xff\xe0broken", "broken", "The picture is damaged"),
    ],
)
def test_an_unreadable_photo_is_one_line_and_exit_code_1(
    runner: CliRunner, tmp_path: Path, data: bytes | None, code: str, sentence: str
) -> None:
    photo = tmp_path / "photo.jpg"
    if data is not None:
        photo.write_bytes(data)
    result = run(runner, "read", photo)
    assert result.exit_code == 1
    assert sentence in result.output
    assert result.output.count("\n") == 1
    result = run(runner, "read", "--json", photo)
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    schema("error").validate(document)
    assert document["code"] == code
    assert document["frame"]["source"] == "photo.jpg"


def test_several_unreadable_photos_give_one_object_per_line_in_order(
    runner: CliRunner, tmp_path: Path
) -> None:
    names = ["b.jpg", "a.jpg", "c.jpg"]
    result = run(runner, "read", "--json", *(tmp_path / name for name in names))
    assert result.exit_code == 1
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["frame"]["source"] for line in lines] == names


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("read",), "Missing argument"),
        (("score", "x.jpg"), "--game"),
        (("score", "x.jpg", "--game", "chess"), "There is no such game."),
        (("score", "x.jpg", "--game", "regicide", "--option", "size=3"), "size"),
        (("score", "x.jpg", "--game", "regicide", "--option", "size"), "key=value"),
        (("score", "x.jpg", "--game", "regicide", "--answer", "=3"), "key=value"),
        (("read", "x.jpg", "--decks", "9"), "9"),
        (("read", "x.jpg", "--lang", "de"), "de"),
        (("read", "x.jpg", "--overlay", "out.gif"), "--overlay"),
        (("read", "x.jpg", "y.jpg", "--overlay", "out.jpg"), "--overlay"),
        (("rules", "chess"), "There is no such game."),
        (("rules", "regicide", "99.9"), "99.9"),
        (("play", "chess", "x.txt"), "There is no such game."),
        (("evaluate", "no-such-folder"), "no-such-folder"),
        (("train", "dinner"), "dinner"),
    ],
)
def test_wrong_use_is_told_with_exit_code_2(
    runner: CliRunner, arguments: tuple[str, ...], told: str
) -> None:
    result = run(runner, *arguments)
    assert result.exit_code == 2
    assert told in result.output


def test_errors_speak_the_language_that_was_chosen(runner: CliRunner) -> None:
    assert "Questo file non c'è." in run(runner, "read", "x.jpg", "--lang", "it").output
    result = runner.invoke(main, ["read", "x.jpg"], env={"LANG": "it_IT.UTF-8"})
    assert "Questo file non c'è." in result.output


def test_rules_are_shown_whole_or_one_by_one(runner: CliRunner) -> None:
    whole = run(runner, "rules", "regicide")
    assert whole.exit_code == 0
    assert whole.output.startswith("# Regicide")
    one = run(runner, "rules", "regicide", "R-08")
    assert one.output.startswith("### R-08")
    assert one.output.count("###") == 1


def test_play_shows_a_ruling_for_every_move(runner: CliRunner, tmp_path: Path) -> None:
    file = tmp_path / "fight.txt"
    file.write_text(FIGHT)
    result = run(runner, "play", "regicide", file)
    assert result.exit_code == 0
    assert "0: play 9d" in result.output
    assert "5 moves, all allowed." in result.output
    lines = run(runner, "play", "regicide", "--json", file).stdout.splitlines()
    rulings = [json.loads(line) for line in lines]
    assert [item["line"] for item in rulings] == [3, 4, 5, 6, 7]
    assert {item["ruling"]["verdict"] for item in rulings} == {"upheld"}


def test_play_stops_at_the_first_move_that_is_not_allowed(runner: CliRunner) -> None:
    result = run(runner, "play", "regicide", "-", stdin="castle ?\ntavern ?\nstart 0\n")
    assert result.exit_code == 1
    assert "Stopped at line 2" in result.output
    assert "start 0" not in result.output


def test_bad_notation_is_one_line_with_line_column_and_what_was_expected(
    runner: CliRunner,
) -> None:
    result = run(runner, "play", "regicide", "-", stdin="castle ?\n   plaid 3\n")
    assert result.exit_code == 1
    told = result.stderr.splitlines()
    assert len(told) == 1
    assert told[0].startswith("arbitro: line 2, column 4: expected ")
    assert told[0].endswith("not 'plaid'")
    result = run(runner, "play", "regicide", "-", stdin="castle Jh Zz\n")
    assert "line 1, column 11: expected a card" in result.stderr


def test_a_file_of_moves_must_be_text(runner: CliRunner, tmp_path: Path) -> None:
    file = tmp_path / "moves.txt"
    file.write_bytes(b"\xff\xfe\x00")
    assert run(runner, "play", "regicide", file).exit_code == 2
    missing = run(runner, "play", "regicide", tmp_path / "none.txt")
    assert missing.exit_code == 1
    assert missing.output.count("\n") == 1


@pytest.mark.usefixtures("models")
def test_a_rendered_table_is_read_into_json(
    runner: CliRunner, table: showcase.DemoTable
) -> None:
    result = run(runner, "read", "--json", table.path, "nothing.jpg", table.path)
    assert result.exit_code == 1
    first, second, third = map(json.loads, result.stdout.splitlines())
    schema("read").validate(first)
    schema("error").validate(second)
    assert first["placements"] == third["placements"]
    named = {item["label"] for item in first["placements"]}
    assert set(table.cards) <= named


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("table", showcase.tables(), ids=lambda table: table.name)
def test_the_tables_that_ship_are_scored(
    runner: CliRunner, table: showcase.DemoTable
) -> None:
    options = [f"--option={key}={value}" for key, value in table.options.items()]
    result = run(runner, "score", "--json", "--game", table.game, *options, table.path)
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    schema("score").validate(document)
    assert document["sheet"]["enemy"]["card"] in table.cards


@pytest.mark.usefixtures("models")
def test_an_overlay_is_written(
    runner: CliRunner, table: showcase.DemoTable, tmp_path: Path
) -> None:
    for name in ("seen.jpg", "seen.png"):
        target = tmp_path / name
        result = run(runner, "read", table.path, "--overlay", target)
        assert result.exit_code == 0
        assert str(target.name) in result.output.replace("\n", "")
        assert target.stat().st_size > 10_000


@pytest.mark.usefixtures("models")
def test_an_answer_to_a_question_that_is_not_asked_is_wrong_use(
    runner: CliRunner, table: showcase.DemoTable
) -> None:
    result = run(
        runner, "score", "--game", table.game, table.path, "--answer", "who=me"
    )
    assert result.exit_code == 2
    assert "There is no question who here." in result.output


@pytest.mark.usefixtures("models")
def test_the_demo_reads_every_table_and_writes_its_overlays(
    runner: CliRunner, tmp_path: Path
) -> None:
    result = run(runner, "demo", "--no-serve", "--out", tmp_path)
    assert result.exit_code == 0
    for table in showcase.tables():
        assert table.path.name in result.output
        assert (tmp_path / f"{table.name}.overlay.jpg").exists()
    assert "Against the truth" in result.output


@pytest.mark.usefixtures("models")
def test_real_photos_are_evaluated(
    runner: CliRunner, shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "cards-singles-ee326"
    rows = (folder / "labels.csv").read_text().splitlines()[:3]
    (tmp_path / "labels.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "images").symlink_to(folder / "images")
    result = run(runner, "evaluate", tmp_path, "--json", "--csv", tmp_path / "rows.csv")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["photos"] == 2
    assert {"recall", "precision"} <= {m["measure"] for m in document["measures"]}
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 3
    assert "recall" in run(runner, "evaluate", tmp_path).output


def test_train_says_what_is_missing(runner: CliRunner) -> None:
    pytest.importorskip("companion.terminal.train")
    try:
        import ultralytics  # noqa: F401, PLC0415
    except ImportError:
        result = run(runner, "train", "detector", "a.yaml", "out")
        assert result.exit_code == 1
        assert "pip install 'arbitro[train]'" in result.output
