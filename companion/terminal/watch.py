"""`arbitro watch`: a table in play, on a terminal or as lines of JSON."""

from __future__ import annotations

import json
import signal
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import click
from rich.console import Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text as Line

from companion.config import default_folder
from companion.errors import UsageError
from companion.i18n import N_, say
from companion.ledger import Ledger, TableRecord, open_ledger
from companion.measure import is_measured, refuse_board_options
from companion.referee import game_options
from companion.report import Json, question_json, ruling_json
from companion.terminal.show import (
    console,
    more_questions,
    options_line,
    ruling_line,
)
from companion.watch import News, Standing, Watcher
from companion.watching.plan import EyePlan, source_opener, tempo_of
from companion.watching.readers import reader_of
from companion.watching.words import (
    health_sentence,
    notice_sentence,
    waited_for,
    waiting_sentence,
)
from engines import load_game
from vision.capture.source import Health

FILE_NAME = "arbitro.db"
LAST_EVENTS = 8
MOST_ROWS, MOST_QUESTIONS = 24, 3
LONGEST = 70


@dataclass(frozen=True, slots=True)
class WatchJob:
    """What the options of `watch` ask for."""

    source: str
    game: str | None
    table: str | None
    options: Mapping[str, str]
    answers: Mapping[str, str]
    seats: tuple[str, ...]
    decks: tuple[str, ...]
    board: Mapping[str, str | None]
    copies: int
    hosts: tuple[str, ...]
    fps: float
    language: str
    full_speed: bool
    as_json: bool


def list_cameras(language: str, *, as_json: bool) -> int:
    """Print the webcams of this machine; return 1 if there is none."""
    from vision.capture.webcam import list_webcams  # noqa: PLC0415 - imports OpenCV

    found = list_webcams()
    if as_json:
        names = [
            {"number": i, "name": c.name, "key": c.key} for i, c in enumerate(found)
        ]
        click.echo(json.dumps(names, ensure_ascii=False))
        return 0 if found else 1
    for number, camera in enumerate(found):
        click.echo(f"{number}  {camera.name}  {camera.path}")
    if not found:
        click.echo(say(language, N_("No camera is plugged in.")))
    return 0 if found else 1


def watch_table(job: WatchJob, folder: Path | None = None) -> int:
    """Follow a table until its recording ends or Ctrl-C; return 1 if the eye failed.

    Raises `UsageError` for what does not exist.
    """
    folder = folder or default_folder()
    with open_ledger(folder / FILE_NAME) as ledger:
        table = _table(ledger, job)
        load, decks = reader_of(
            table.game, decks=job.decks, board=job.board, copies=job.copies
        )
        plan = EyePlan(
            source_opener(
                job.source,
                allowed_hosts=job.hosts,
                real_time=not job.full_speed,
                fps=job.fps,
                folder=folder,
            ),
            load,
            tempo_of(table.game),
            keep_all=job.full_speed,
        )
        plan.open_source()  # a wrong address or name is told at once
        watcher = Watcher(ledger, table.id, plan, decks=decks, answers=job.answers)
        follow = _lines if job.as_json else _screen
        return follow(watcher, ledger, table, job.language)


def _table(ledger: Ledger, job: WatchJob) -> TableRecord:
    """Return the table to go on with, or a new one."""
    if job.table is not None:
        known = {table.id: table for table in ledger.tables()}
        table = known.get(job.table) or ledger.table_by_code(job.table)
        if job.game not in (None, table.game):
            raise UsageError(
                N_("Table %(table)s plays %(game)s."), table=job.table, game=table.game
            )
        return table
    if job.game is None:
        raise UsageError(N_("Say which game (--game) or which table (--table)."))
    game = load_game(job.game)
    options: dict[str, Any] = dict(job.options)
    if is_measured(job.game):
        from companion.watching.boards import board_options  # noqa: PLC0415 - slow

        options |= board_options(job.board)
    else:
        refuse_board_options(job.game, job.board)
        game_options(game, job.options)
    return ledger.create_table(job.game, options, seats=job.seats, title=job.source)


# Lines of JSON -----------------------------------------------------------------------


def _lines(watcher: Watcher, _: Ledger, table: TableRecord, language: str) -> int:
    lock = threading.Lock()

    def tell(news: News) -> None:
        if news.kind != "beat":
            with lock:
                line = json.dumps(news_json(news, language), ensure_ascii=False)
                click.echo(line)

    opening = {"kind": "table", "id": table.id, "code": table.code, "game": table.game}
    click.echo(json.dumps(opening))
    watcher.tell_to(tell)
    with _interrupted() as stop, watcher:
        _until_over(watcher, stop)
    return _exit_code(watcher.standing)


def news_json(news: News, language: str) -> Json:
    """Return one piece of news as an object."""
    standing = news.standing
    document: dict[str, Any] = {"kind": news.kind, "seq": standing.seq}
    match news.kind:
        case "event" if news.call is not None:
            event = news.call.event
            document |= {
                "seq": event.seq,
                "move": event.move,
                "event": event.kind.value,
                "taken_at": event.taken_at.isoformat(),
                "ruling": ruling_json(news.call.ruling, language),
                "evidence": list(event.evidence),
            }
        case "camera":
            document |= {
                "health": standing.camera.health.value,
                "text": health_sentence(standing.camera.health, language),
            }
        case "waiting":
            document |= {
                "waiting": standing.waiting.value,
                "text": waiting_sentence(standing.waiting, language),
            }
        case "questions":
            document["questions"] = [
                question_json(item, language) for item in standing.questions
            ]
        case "notice":
            document["notice"] = standing.notice
            document["text"] = notice_sentence(standing.notice, language)
        case "outcome" if standing.outcome is not None:
            document["winners"] = list(standing.outcome.winners)
            document["text"] = standing.outcome.reason.render(language)
        case "failed":
            document["text"] = standing.failure
        case "ended":
            document |= {
                "looked": standing.looked,
                "readings": standing.readings,
                "timings_ms": dict(standing.timings_ms),
            }
    return document


# The screen --------------------------------------------------------------------------


@dataclass(slots=True)
class WatchScreen:
    """What the terminal shows; drawn anew with each piece of news."""

    ledger: Ledger
    table: TableRecord
    language: str
    standing: Standing
    events: deque[RenderableType] = field(
        default_factory=lambda: deque(maxlen=LAST_EVENTS)
    )

    def take(self, news: News) -> None:
        self.standing = news.standing
        if news.kind == "event" and news.call is not None:
            event = news.call.event
            head = Line.assemble(
                (f"{event.seq:>4}  ", "dim"),
                (f"{event.taken_at.astimezone():%H:%M:%S}  ", "dim"),
                (event.move, "bold cyan"),
            )
            self.events.append(
                Group(head, ruling_line(news.call.ruling, self.language, indent=6))
            )

    def __rich__(self) -> RenderableType:
        standing = self.standing
        good = standing.camera.health is Health.GOOD
        camera = Line(
            health_sentence(standing.camera.health, self.language),
            "green" if good else "bold red",
        )
        waiting = waited_for(standing, self.language)
        parts: list[RenderableType] = [camera]
        if waiting:
            parts.append(Line(waiting, "bold red" if standing.has_ended else "bold"))
        if standing.failure:
            parts.append(Line(standing.failure, "red"))
        parts.append(Panel(self._state(), title=self._title(), title_align="left"))
        if self.events:
            parts.append(Group(*self.events))
        parts += self._questions()
        parts.append(self._footer())
        return Group(*parts)

    def _title(self) -> str:
        return f"{self.table.game}  {self.table.code}"

    def _state(self) -> RenderableType:
        game = load_game(self.table.game)
        live = self.ledger.state(self.table.id)
        grid = Table.grid(padding=(0, 2))
        for row, (key, value) in enumerate(rows_of(game.view(live.state, None))):
            if row >= MOST_ROWS:
                break
            grid.add_row(Line(key, "dim"), Line(value))
        return grid

    def _questions(self) -> list[RenderableType]:
        lines: list[RenderableType] = []
        questions = self.standing.questions
        for question in questions[:MOST_QUESTIONS]:
            lines.append(Line(f"? {question.text.render(self.language)}", "cyan"))
            if options := options_line(question, self.language):
                lines.append(Padding(Line(options, "dim"), (0, 0, 0, 4)))
        left = len(questions) - MOST_QUESTIONS
        if more := more_questions(left, self.language):
            lines.append(Line(more, "cyan"))
        return lines

    def _footer(self) -> RenderableType:
        standing = self.standing
        spent = "  ".join(f"{stage} {ms:.0f} ms" for stage, ms in standing.timings_ms)
        counted = say(
            self.language,
            N_("%(fps)s pictures a second, %(readings)s of %(looked)s read"),
            fps=standing.fps,
            readings=standing.readings,
            looked=standing.looked,
        )
        return Line(f"{counted}  {spent}", "dim")


def rows_of(view: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the fields of a view that say something, each as one short line."""
    for key, value in view.items():
        if value in (None, "", [], {}, ()):
            continue
        text = (
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        )
        text = text.replace('"', "")
        yield key, text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _screen(watcher: Watcher, ledger: Ledger, table: TableRecord, language: str) -> int:
    screen = WatchScreen(ledger, table, language, watcher.standing)
    watcher.tell_to(screen.take)
    with (
        _interrupted() as stop,
        Live(screen, console=console(), refresh_per_second=4),
        watcher,
    ):
        _until_over(watcher, stop)
    return _exit_code(watcher.standing)


def _until_over(watcher: Watcher, stop: threading.Event) -> None:
    while not stop.is_set() and not watcher.wait(0.2):
        pass


def _exit_code(standing: Standing) -> int:
    return 1 if standing.failure and not standing.has_ended else 0


@contextmanager
def _interrupted() -> Iterator[threading.Event]:
    """Give an event that Ctrl-C sets: what is on the way is finished properly."""
    stop = threading.Event()

    def note(_: int, __: FrameType | None) -> None:
        stop.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
