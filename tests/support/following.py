"""Follows a rendered round from pictures to events, in one thread: exact and fast."""

from __future__ import annotations

import json
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from companion.decks.roles import OWNERS, DeckInPlay
from companion.ledger import Ledger, open_ledger
from companion.watching.messages import Seen
from companion.watching.patience import Patience
from companion.watching.plan import Tempo, tempo_of
from companion.watching.playing import CAMERA, Call, Playing
from engines import load_game
from engines.core import FACE_DOWN, NO_CARD
from tests.support.eyes import TrueEyes
from tests.support.laying import TIME, Round
from tests.support.people import NOTHING, is_misread, of_a_pile
from vision.capture.grabber import SILENT_S
from vision.capture.source import Health, Shot
from vision.capture.watchdog import Watchdog
from vision.live import LiveEye
from vision.quads import area_px2
from vision.scene.render import Truth
from vision.scene.video import VideoFrame, frames
from vision.types import Bgr, Kind
from vision.views import Look, See, View, Waiting

TIMED = 4
"""Of so many pictures one is timed: to ask for the time costs more than a glance here.
"""
FIRST_S = 0.1
"""What a first look costs where it is said what a reading does: 12 to 101 ms in three
rounds on a machine with little else to do (`first_ms` of the rows is under load)."""
PEOPLE_S = 0.4
"""So long after all is read, and so often, people look whether they are asked."""


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
    first_ms: list[float] = field(default_factory=list)
    """What each first look took, by the clock."""
    asked: int = 0
    notices: list[tuple[float, str]] = field(default_factory=list)
    state: Any = None
    open: tuple[Any, ...] = ()
    """Questions that nobody answered."""
    ended_s: float | None = None
    """When the end of the round or game was called."""
    ends_unread: bool = False
    """When the pictures end not all of the table is known, and this is told."""
    says: list[tuple[float, str]] = field(default_factory=list)
    """From when on people were told what: a state of the camera that is not good, or
    what is waited for."""

    @property
    def moves(self) -> list[str]:
        """Return the moves that stand, without time: seen, or told when asked."""
        return [
            TIME.sub("", call.event.move) for _, call in self.calls if call.is_upheld
        ]

    @property
    def told(self) -> list[str]:
        """Return the moves that stand and were told by people when asked."""
        return [
            TIME.sub("", call.event.move)
            for _, call in self.calls
            if call.is_upheld and call.event.source != CAMERA
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
    answer: Callable[[Any, float, list[str]], str | None]
    frozen_after_s: float | None = None
    reading_s: float | None = 0.0
    """How long a reading keeps the eye busy: pictures that come meanwhile are never
    seen. `None`: as long as it takes here."""
    truth: list[tuple[float, str]] = field(default_factory=list)
    spoken: list[tuple[float, str]] = field(default_factory=list)
    decks: tuple[str, ...] = ()
    restart_s: float = math.inf
    """From then on, once all is read, another process with another eye follows."""
    result: Followed = field(default_factory=Followed)
    _view: View | None = None
    _picture: Picture | None = None
    _asked_s: float = 0.0
    _busy_until_s: float = 0.0
    _clock_s: float = 0.0
    _slow_after_s: float = math.inf
    _last_s: float = 0.0
    """Of people: a camera whose clock jumps does not turn theirs back."""

    def __post_init__(self) -> None:
        game = self.ledger.table(self.table_id).game
        self.playing = Playing(self.ledger, self.table_id, in_play(game, self.decks))
        self.spoken = list(self.spoken)
        self._look_anew()
        self.dog = Watchdog(self.frozen_after_s)

    def _look_anew(self) -> None:
        origin = self.ledger.table(self.table_id).created_at + timedelta(seconds=1)
        self.eye = LiveEye(self.see, self.tempo.pace, "rendered", origin)
        self.patience = Patience(self.tempo.quiet_s)

    def _restart(self) -> None:
        memory = json.loads(json.dumps(self.playing.memory()))
        self.playing = Playing(self.ledger, self.table_id, self.playing.decks)
        self.playing.recall(memory)
        self._look_anew()
        self.restart_s = math.inf

    def is_free(self, at_s: float) -> bool:
        """Return whether the eye is not busy with a reading at that time."""
        return at_s >= self._busy_until_s

    def feed(self, picture: Picture) -> Look | None:
        """Look at the next picture; `None` where it was unusable."""
        if not self.is_free(picture.at_s):
            return None  # the newest wins: this one was replaced before it was taken
        self._picture = picture
        jumped = picture.at_s < self._clock_s - 1.0
        self._clock_s = self._clock_s + 1 / 30 if jumped else picture.at_s
        self._tell_of_silence()
        finding = self.dog.check(Shot(picture.bgr, picture.at_s))
        self._slow_after_s = self.dog.slow_from_s - picture.at_s
        self._last_s = self._clock_s
        if finding.health is not Health.GOOD:
            self._tell(self._clock_s, finding.health.value)
        if not finding.is_usable:
            return None
        if isinstance(self.see, TrueEyes):
            self.see.show(picture.bgr, picture.truth)
        is_timed = self.reading_s is None or self.result.looked % TIMED == 0
        began = time.process_time() if is_timed else 0.0
        look = self.eye.look(Shot(picture.bgr, picture.at_s))
        spent_s = time.process_time() - began if is_timed else 0.0
        self.result.looked += 1
        self.result.readings += look.has_read
        if "first" in look.timings_ms:
            self.result.first_ms.append(look.timings_ms["first"])
        if is_timed:
            kind = self.result.read_ms if look.has_read else self.result.idle_ms
            kind.append(1000 * spent_s)
        self._busy_until_s = look.at_s + self._cost_s(look, spent_s)
        self.result.notices += [(look.at_s, code) for code in look.notices]
        self._take(look)
        if finding.health is Health.GOOD:
            self._tell(look.at_s, look.waiting.value)
        is_read = look.waiting is Waiting.NOTHING and not self.patience.is_holding
        if is_read and look.at_s >= self.restart_s:
            self._restart()
        while self.spoken and self.spoken[0][0] <= picture.at_s:
            self._say(self.spoken.pop(0)[1], picture.at_s)
        return look

    def _cost_s(self, look: Look, spent_s: float) -> float:
        """Return for how long what was read keeps the eye busy."""
        if not look.has_read:
            return 0.0
        if self.reading_s is None:
            return spent_s
        is_first = "first" in look.timings_ms
        return min(FIRST_S, self.reading_s) if is_first else self.reading_s

    def _tell_of_silence(self) -> None:
        """Tell what the grabber says where no picture comes."""
        silent_s = self._clock_s - self._last_s
        if silent_s > self._slow_after_s:
            self._tell(self._last_s + self._slow_after_s, Health.SLOW.value)
        if silent_s > SILENT_S:
            self._tell(self._last_s + SILENT_S, Health.UNPLUGGED.value)

    def _tell(self, at_s: float, what: str) -> None:
        if not self.result.says or self.result.says[-1][1] != what:
            self.result.says.append((at_s, what))

    def _say(self, move: str, at_s: float) -> None:
        """A person tells of a move on the page; it is no answer."""
        seq = self.ledger.head(self.table_id).seq + 1
        now = datetime.now(UTC)
        self.ledger.append(
            self.table_id, seq, move, source="page", actor="human", taken_at=now
        )
        self.result.calls += [(at_s, call) for call in self.playing.again()]

    def _take(self, look: Look) -> None:
        for view in self.patience.take(look):
            self._see(view, look.at_s)
        is_read = look.waiting is Waiting.NOTHING and not self.patience.is_holding
        if not is_read:
            self._asked_s = look.at_s
        elif self.playing.questions and look.at_s - self._asked_s > PEOPLE_S:
            self._answer(look.at_s)

    def _see(self, view: View, at_s: float) -> None:
        self._view = view
        calls = self.playing.see(Seen(view, b"", b""))
        known_s = max(at_s, self._busy_until_s)
        self.result.calls += [(known_s, call) for call in calls]
        self._answer(at_s)
        if calls and self.result.ended_s is None and self._is_over():
            self.result.ended_s = known_s

    def _is_over(self) -> bool:
        game = load_game(self.ledger.table(self.table_id).game)
        view = game.view(self.playing.live.state, None)
        return bool(view.get("over")) or view.get("phase") in ("ended", "over")

    def _answer(self, at_s: float) -> None:
        self._asked_s = at_s
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
        true, known = tokens(happened), tokens(self.result.moves)
        missing = true - known
        if self._is_standing(question):
            question = _unseen(question)
        if question.id.startswith("unit:"):
            return self._name(question)
        if question.id.startswith("left_base:"):
            return self.answer(question, at_s, self._done())
        if _may_be_back(question) and self._name(question) == FACE_DOWN:
            return FACE_DOWN  # who looks there names no card that lies elsewhere
        for option in question.options:
            said = tokens([TIME.sub("", option.move or "")])
            if said and said <= missing:
                if is_misread(question, missing, known - true):
                    return "misread"
                return str(option.value)
        told = self._pile(question, missing) or self._name(question)
        told = told or self._place(question, missing)
        if told is not None:
            return told
        return self.answer(question, at_s, self._done())

    def _done(self) -> list[str]:
        """Return all moves that stand by now, without time."""
        refused = self.playing.live.refused
        return [
            TIME.sub("", event.move)
            for event in self.ledger.events(self.table_id)
            if event.seq not in refused
        ]

    def _is_standing(self, question: Any) -> bool:
        """Return whether the game asks this of its own, not of what lies there."""
        game = load_game(self.ledger.table(self.table_id).game)
        standing = game.questions(self.playing.live.state)
        return question.id in {one.id for one in standing}

    def _name(self, question: Any) -> str | None:
        """Return what a person calls the one card that is asked about; `None` where
        something else is asked."""
        if len(question.pieces) != 1 or self._view is None or self._picture is None:
            return None
        lying = {p.id: p for p in self.playing.lying.shown}
        piece = lying.get(question.pieces[0])
        if piece is None:
            return None
        others = {p.identity.label for p in lying.values() if p is not piece}
        off_px = partial(_apart_px, piece)
        size_px = math.sqrt(area_px2(np.array(piece.quad_px)))
        offered = {option.value for option in question.options}
        truth = self._picture.truth()
        if piece.visible == 0 and question.id.startswith("card:"):
            # Covered since: people know what it is if it can be but one.
            below = {_short(t) for t in truth if off_px(t) < size_px} & offered - others
            return below.pop() if len(below) == 1 else None
        near = min((true for true in truth if true.visible > 0), key=off_px)
        named = _short(near)
        if near.kind is Kind.BACK:
            named = FACE_DOWN
        elif off_px(near) > size_px:
            # Nothing lies there.
            named = NO_CARD if NO_CARD in offered else NOTHING
        elif named in others and (
            named not in offered or _is_known(near, piece, lying.values())
        ):
            named = NO_CARD  # it is seen where it is: this is another outline of it
        return named if named in offered else None

    def _pile(self, question: Any, missing: Iterable[str]) -> str | None:
        """Return what a person says of a pile of Frenzy; `None` where nobody asks."""
        if self._view is None or self.ledger.table(self.table_id).game != "frenzy":
            return None
        shown = {piece.id for piece in self._view.observation.placements}
        is_hidden = not shown.issuperset(question.pieces)
        return of_a_pile(question, missing, is_hidden=is_hidden)

    def _place(self, question: Any, missing: Iterable[str]) -> str | None:
        """Return where a person says that the card belongs which is asked about: where
        it was played; `None` where something else is asked."""
        if self._view is None:
            return None
        offered = {option.value for option in question.options}
        asked = {
            (p.deck, p.identity.label)
            for p in self._view.observation.placements
            if p.id in question.pieces
        }
        for words in (move.split() for move in missing):
            if words[-1] in offered and (words[0], words[-2]) in asked:
                return words[-1]
        return None

    def end(self) -> Followed:
        """Return what came of it."""
        for view in self.patience.release():
            self._see(view, view.at_s)
        self.result.state = self.playing.live.state
        self.result.open = self.playing.questions
        self.result.ends_unread = self.result.looked == 0 or self.eye.has_unread
        return self.result


def _short(true: Truth) -> str:
    """Return what a person calls a card, whosever deck it is of; "" for a back."""
    return (true.label or "").rpartition("/")[2]


def _apart_px(one: Any, other: Any) -> float:
    """Return how far the middles of two things are from each other."""
    middles = (np.array(thing.quad_px).mean(axis=0) for thing in (one, other))
    return float(np.linalg.norm(np.subtract(*middles)))


def _is_known(true: Truth, asked: Any, lying: Iterable[Any]) -> bool:
    """Return whether another piece is called as a true card is, and lies nearer to it
    than the piece that is asked about."""
    return any(
        piece.identity.label == _short(true)
        and _apart_px(piece, true) < _apart_px(asked, true)
        for piece in lying
    )


def _may_be_back(question: Any) -> bool:
    """Return whether a question offers that what lies there lies face down."""
    return any(option.value == FACE_DOWN for option in question.options)


def _unseen(question: Any) -> Any:
    """Return a question without the moves that a camera sees: whose turn it is is open
    all the time, and nobody tells then of what he has just laid."""
    kept = [o for o in question.options if not tokens([TIME.sub("", o.move or "")])]
    return replace(question, options=tuple(kept))


def in_play(game: str, names: Iterable[str]) -> tuple[DeckInPlay, ...]:
    """Return the decks of the players, in seat order, by name."""
    owners = OWNERS.get(game, ())
    return tuple(
        DeckInPlay(name, owner, (), ())
        for name, owner in zip(names, owners, strict=False)
    )


def follow(
    game_round: Round,
    folder: Path,
    *,
    see: See | None = None,
    spoil: Callable[[Iterator[Picture]], Iterator[Picture]] | None = None,
    seed: int = 0,
    frozen_after_s: float | None = None,
    reading_s: float | None = 0.0,
    restart_s: float = math.inf,
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
            see or TrueEyes(to_mm=game_round.to_mm),
            tempo_of(game_round.game),
            game_round.answer,
            frozen_after_s,
            reading_s,
            game_round.moves,
            game_round.spoken,
            game_round.decks,
            restart_s=restart_s,
        )
        if spoil is None:
            video = frames(game_round.script, seed, wanted=follower.is_free)
            shown = pictures(video)
        else:  # a fault may hold pictures back: all are needed
            shown = spoil(pictures(frames(game_round.script, seed)))
        for picture in shown:
            follower.feed(picture)
        return follower.end()


VISIBLE = frozenset(
    {"play", "discard", "reveal", "lay", "release", "lift", "flip"}
    | {"recruit", "deploy", "move", "settle"}
)
CHIPS = frozenset({"recruit", "deploy", "move", "settle"})
CHIP = re.compile(r"-\d+|:-?\d+,-?\d+")
"""Chips of one kind are alike, and millimetres differ."""


def tokens(moves: Iterable[str]) -> Counter[str]:
    """Return what can be seen of moves; discards card by card: they are laid so."""
    found: Counter[str] = Counter()
    for move in moves:
        words = move.split()
        kind = next((word for word in words if word in VISIBLE), None)
        if kind == "discard":
            found.update(f"{words[0]} discard {card}" for card in words[2:])
        elif kind in CHIPS:
            found[CHIP.sub("", move).removesuffix(" unseen")] += 1
        elif kind is not None:
            found[move] += 1
    return found


def compared(truth: list[str], found: list[str]) -> tuple[int, int, int]:
    """Return how many moves were found, missed and invented."""
    a, b = tokens(truth), tokens(found)
    hits = sum((a & b).values())
    return hits, sum(a.values()) - hits, sum(b.values()) - hits


PLACE = re.compile(r":-?\d+,-?\d+$")
TIMES = frozenset({"clock_ms", "time_ms"})


def sheet_of(game: str, state: Any) -> Any:
    """Return the state as everybody may see it, without moments in time."""
    return _without_times(load_game(game).view(state, None))


def _without_times(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _without_times(v) for k, v in value.items() if k not in TIMES}
    if isinstance(value, list | tuple):
        return [_without_times(item) for item in value]
    if isinstance(value, str):
        return PLACE.sub("", value)  # millimetres differ a little in each picture
    return value
