"""`arbitro play`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.text import Text as Line

from companion.errors import UsageError
from companion.i18n import N_, say, say_many
from companion.report import question_json, ruling_json
from companion.script import Step, run_script
from companion.terminal.show import console, ruling_line
from engines import load_game


def play_file(name: str, file: Path, language: str, *, as_json: bool) -> int:
    """Print every ruling; return 0 if all moves were upheld, else 1.

    Raises `ScriptError` for bad notation.
    """
    game = load_game(name)
    last: Step | None = None
    moves = 0
    for step in run_script(game, _text_of(file)):
        last = step
        moves += step.is_upheld
        if as_json:
            click.echo(json.dumps(_step_json(step, language), ensure_ascii=False))
        else:
            _show(step, language)
    if not as_json:
        _show_end(last, moves, language)
    return 0 if last is None or last.is_upheld else 1


def _text_of(file: Path) -> str:
    try:
        if str(file) == "-":
            return sys.stdin.read()
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            N_("%(file)s is not a text file in UTF-8."), file=str(file)
        ) from error


def _show(step: Step, language: str) -> None:
    out = console()
    out.print(
        Line.assemble((f"{step.line.number:>4}  ", "dim"), (step.move, "bold cyan"))
    )
    out.print(ruling_line(step.ruling, language, indent=6))


def _show_end(last: Step | None, moves: int, language: str) -> None:
    out = console()
    if last is None:
        out.print(say(language, N_("The file holds no moves.")))
        return
    if not last.is_upheld:
        refused = say(
            language,
            N_("Stopped at line %(line)s: the move is not allowed."),
            line=last.line.number,
        )
        out.print(Line(refused, "red"))
        return
    if last.outcome is not None:
        winners = ", ".join(str(seat + 1) for seat in last.outcome.winners) or "-"
        out.print(
            Line(
                say(
                    language,
                    N_("The game is over: %(reason)s (winners: %(winners)s)"),
                    reason=last.outcome.reason.render(language),
                    winners=winners,
                ),
                "bold",
            )
        )
        return
    out.print(
        Line(
            say_many(
                language,
                "One move, allowed.",
                "%(count)s moves, all allowed.",
                moves,
            ),
            "green",
        )
    )
    for question in last.questions:
        out.print(Line(f"? {question.text.render(language)}", "cyan"))
        for option in question.options:
            move = f"  {option.move}" if option.move else ""
            out.print(Line(f"    {option.text.render(language)}{move}", "dim"))


def _step_json(step: Step, language: str) -> dict[str, object]:
    outcome = step.outcome
    return {
        "line": step.line.number,
        "move": step.move,
        "ruling": ruling_json(step.ruling, language),
        "questions": [question_json(item, language) for item in step.questions],
        "outcome": None
        if outcome is None
        else {
            "winners": list(outcome.winners),
            "reason": outcome.reason.render(language),
            "rule": str(outcome.rule),
        },
    }
