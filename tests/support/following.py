"""Follows a rendered round from pictures to events, in one thread: exact and fast."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from companion.ledger import Ledger, open_ledger
from companion.watching.messages import Seen
from companion.watching.patience import Patience
from companion.watching.plan import Tempo, tempo_of
from companion.watching.playing import Call, Playing
from tests.support.eyes import TrueEyes
from tests.support.rounds import Round
from vision.capture.source import Shot
from vision.capture.watchdog import Watchdog
from vision.live import LiveEye, Look, See, View
from vision.scene.render import Truth
from vision.scene.video import VideoFrame, frames
from vision.types import Bgr

TIME = re.compile(r"( #\S+)? @-?\d+")
TOLD = re.compile(r"( #\S+)")


@dataclass(frozen=True)
class Picture:
    """One picture of a recording, with what is true in it."""

    at_s: float
    bgr: Bgr
    truth: Callable[[], tuple[Truth, ...]]


def pictures(video: Iterable[VideoFrame]) -> Iterator[Picture]:
    """Yield the pictures of a rendered video."""
    for frame in video:
        yield Picture(frame.at_s, frame.bgr, frame.truth)


@dataclass
class Followed:
    """What came of it."""

    calls: list[tuple[float, Call]] = field(default_factory=list)
    """When it was called, on the recording's clock."""
    looked: int = 0
    readings: int = 0
    idle_ms: list[float] = field(default_factory=list)
    read_ms: list[float] = field(default_factory=list)
    asked: int = 0
    notices: list[tuple[float, str]] = field(default_factory=list)
    state: Any = None

    @property
    def moves(self) -> list[str]:
        """Return the moves that stand, without time: seen, or told when asked."""
        return [
            TIME.sub("", call.event.move) for _, call in self.calls if call.is_upheld
        ]

    @property
    def refused(self) -> list[str]:
        """Return what was called as illegal."""
        return [call.event.move for _, call in self.calls if not call.is_upheld]


@dataclass
class Follower:
    """Eye, watchdog and game of one table, driven picture by picture."""

    ledger: Ledger
    table_id: str
    see: See
    tempo: Tempo
    answer: Callable[[Any, float], str | None]
    frozen_after_s: float | None = None
    truth: list[tuple[float, str]] = field(default_factory=list)
    result: Followed = field(default_factory=Followed)

    def __post_init__(self) -> None:
        self.playing = Playing(self.ledger, self.table_id)
        origin = self.ledger.table(self.table_id).created_at + timedelta(seconds=1)
        self.eye = LiveEye(self.see, self.tempo.pace, "rendered", origin)
        self.dog = Watchdog(self.frozen_after_s)
        self.patience = Patience(self.tempo.quiet_s)

    def feed(self, picture: Picture) -> Look | None:
        """Look at the next picture; `None` where it was unusable."""
        if not self.dog.check(Shot(picture.bgr, picture.at_s)).is_usable:
            return None
        if isinstance(self.see, TrueEyes):
            self.see.show(picture.bgr, picture.truth)
        began = time.process_time()
        look = self.eye.look(Shot(picture.bgr, picture.at_s))
        spent_ms = (time.process_time() - began) * 1000
        self.result.looked += 1
        self.result.readings += look.has_read
        (self.result.read_ms if look.has_read else self.result.idle_ms).append(spent_ms)
        self.result.notices += [(look.at_s, code) for code in look.notices]
        self._take(look)
        return look

    def _take(self, look: Look) -> None:
        for view in self.patience.take(look):
            self._see(view, look.at_s)

    def _see(self, view: View, at_s: float) -> None:
        calls = self.playing.see(Seen(view, b"", b""))
        self.result.calls += [(at_s, call) for call in calls]
        last = None
        for _ in range(12):
            question = next(iter(self.playing.questions), None)
            said = None if question is None else self._said(question, at_s)
            if question is None or said is None:
                break
            if (question.id, said) == last:
                break  # it did not help
            last = question.id, said
            self.result.asked += 1
            answered = self.playing.answer(question.id, said, "human")
            self.result.calls += [(at_s, call) for call in answered]

    def _said(self, question: Any, at_s: float) -> str | None:
        """Return a person's answer: what has happened and was not seen yet, if that is
        an option; else what people tell of what no camera sees."""
        happened = [move for from_s, move in self.truth if from_s <= at_s]
        missing = tokens(happened) - tokens(self.result.moves)
        for option in question.options:
            if option.move is not None and TIME.sub("", option.move) in missing:
                return str(option.value)
        return self.answer(question, at_s)

    def end(self) -> Followed:
        """Return what came of it."""
        for view in self.patience.release():
            self._see(view, view.at_s)
        self.result.state = self.playing.live.state
        return self.result


def follow(
    game_round: Round,
    folder: Path,
    *,
    see: See | None = None,
    spoil: Callable[[Iterator[Picture]], Iterator[Picture]] = lambda frames: frames,
    seed: int = 0,
    frozen_after_s: float | None = None,
) -> Followed:
    """Return what came of following a round with a ledger in `folder`."""
    with open_ledger(folder / f"{game_round.game}-{seed}.db") as ledger:
        table = ledger.create_table(game_round.game, game_round.options)
        for number, move in enumerate(game_round.said, 1):
            ledger.append(
                table.id,
                number,
                move,
                source="page",
                actor="human",
                taken_at=datetime.now(UTC),
            )
        follower = Follower(
            ledger,
            table.id,
            see or TrueEyes(),
            tempo_of(game_round.game),
            game_round.answer,
            frozen_after_s,
            game_round.moves,
        )
        for picture in spoil(pictures(frames(game_round.script, seed))):
            follower.feed(picture)
        return follower.end()


VISIBLE = ("play", "discard", "reveal", "lay", "release", "lift")


def tokens(moves: Iterable[str]) -> Counter[str]:
    """Return what can be seen of moves; discards card by card: they are laid so."""
    found: Counter[str] = Counter()
    for move in moves:
        words = move.split()
        kind = next((word for word in words if word in VISIBLE), None)
        if kind == "discard":
            found.update(f"{words[0]} discard {card}" for card in words[2:])
        elif kind is not None:
            found[move] += 1
    return found


def compared(truth: list[str], found: list[str]) -> tuple[int, int, int]:
    """Return how many moves were found, missed and invented."""
    a, b = tokens(truth), tokens(found)
    hits = sum((a & b).values())
    return hits, sum(a.values()) - hits, sum(b.values()) - hits
