"""A table that is watched: the eye's messages in, events and news out.

Terminal and page use the same `Watcher`: it runs the eye in a process of its own, plays
what the eye sees into the ledger, and tells each piece of news to a callback. Whoever
wants to know how things stand asks `standing`.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from companion.decks.roles import DeckInPlay
from companion.errors import CompanionError
from companion.ledger import Event, Ledger
from companion.watching.eye import run_eye
from companion.watching.messages import (
    Beat,
    CameraTold,
    Ended,
    Failed,
    Glimpse,
    Message,
    Noticed,
    Order,
    Seen,
)
from companion.watching.names import Names
from companion.watching.plan import EyePlan
from companion.watching.playing import Call, Playing
from engines.core import Outcome, Question
from vision.capture.source import CameraStatus, Health
from vision.types import Observation
from vision.views import Waiting

logger = logging.getLogger(__name__)

POLL_S = 0.1
LEDGER_S = 0.25
"""So often it is looked whether somebody else played."""
QUEUE = 400
HOPELESS = frozenset({"usage", "not_here", "scheme", "form", "host", "address"})
MOST_ANSWERS = 20
"""Given in a row; more would be a circle."""
FIRST_RESTART_S, LONGEST_RESTART_S = 1.0, 30.0


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand at a watched table."""

    camera: CameraStatus
    waiting: Waiting
    questions: tuple[Question, ...] = ()
    outcome: Outcome | None = None
    seq: int = 0
    fps: float = 0.0
    lag_s: float = 0.0
    looked: int = 0
    readings: int = 0
    timings_ms: tuple[tuple[str, float], ...] = ()
    notice: str = ""
    """The last one: ``bumped``, ``view_changed``, ``view_found``, ``end_unread``."""
    failure: str = ""
    """What the eye said, in English, when it could not go on."""
    failure_code: str = ""
    is_over: bool = False
    """Nothing is tried again: the recording is over, or there is no such source."""
    has_ended: bool = False

    @property
    def is_aligned(self) -> bool:
        """Return whether the table lies in the picture where it was read."""
        return self.waiting is not Waiting.VIEW


@dataclass(frozen=True, slots=True)
class News:
    """One thing that has just changed, with how it all stands now."""

    kind: str
    """``event``, ``camera``, ``waiting``, ``questions``, ``notice``, ``outcome``,
    ``picture``, ``failed``, ``ended``, ``beat``."""
    standing: Standing
    call: Call | None = None


Tell: TypeAlias = Callable[[News], None]
Keep: TypeAlias = Callable[[Mapping[str, Any]], None]


class Watcher:
    """Watches one table; a context manager."""

    def __init__(
        self,
        ledger: Ledger,
        table_id: str,
        plan: EyePlan,
        *,
        decks: tuple[DeckInPlay, ...] = (),
        tell: Tell = lambda news: None,
        answers: Mapping[str, str] | None = None,
        own_process: bool = True,
        memory: Mapping[str, Any] | None = None,
        keep: Keep = lambda memory: None,
    ) -> None:
        """`answers` (question -> value) are given as soon as they are asked for.

        `keep` is given what only this process knows, when that has changed; a later one
        that is told it as its `memory` goes on with the same pieces and questions.
        """
        self._playing = Playing(ledger, table_id, decks)
        self._playing.recall(memory or {})
        self._keep = keep
        self._kept: Mapping[str, Any] = {}
        self._ledger, self._table_id, self._plan = ledger, table_id, plan
        self._tell, self._own_process = tell, own_process
        self._answers = dict(answers or {})
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(
            target=self._run, name=f"watch {table_id}", daemon=True
        )
        self._out: Any = None
        self._orders: Any = None
        self._seen: Seen | None = None
        self._glimpse: bytes = b""
        self._standing = Standing(
            CameraStatus(Health.OPENING, time.monotonic()),
            Waiting.REST,
            self._playing.questions,
            self._playing.outcome,
            ledger.head(table_id).seq,
        )

    def __enter__(self) -> Watcher:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin to watch; returns at once."""
        self._thread.start()

    def tell_to(self, tell: Tell) -> None:
        """Tell news to somebody else from now on."""
        self._tell = tell

    @property
    def standing(self) -> Standing:
        """Return how things stand."""
        return self._standing

    @property
    def observation(self) -> Observation | None:
        """Return what lay on the table when it was last read."""
        return None if self._seen is None else self._seen.view.observation

    @property
    def picture(self) -> bytes:
        """Return the last picture that was read, as JPEG; empty before the first."""
        return b"" if self._seen is None else self._seen.after

    @property
    def glimpse(self) -> bytes:
        """Return what the camera showed last, as a smaller JPEG (`EyePlan.glimpse_s`);
        empty before the first."""
        return self._glimpse

    @property
    def names(self) -> Names:
        """Return what people said that pieces are."""
        return self._playing.names

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the recording is over, or hopeless; return whether it is."""
        return self._over.wait(timeout_s)

    def stop(self) -> None:
        """End the eye and the thread."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10.0)

    # What people do ------------------------------------------------------------------

    def answer(
        self,
        question_id: str,
        value: str,
        actor: str | None = None,
        source: str = "page",
    ) -> None:
        """Answer an open question; raise `UsageError`."""
        with self._lock:
            self._told(self._playing.answer(question_id, value, actor, source))

    def undo(self, actor: str | None = None) -> Event | None:
        """Take the last move back."""
        with self._lock:
            event = self._playing.undo(actor)
            self._told(())
            return event

    def put_right(self, piece: str, label: str, actor: str | None = None) -> None:
        """Take a card or chip for another one than was read."""
        with self._lock:
            self._told(self._playing.put_right(piece, label, actor))

    def resync(self) -> None:
        """Have the whole table read anew."""
        if self._orders is not None:
            self._orders.put(Order.RESYNC)

    # The thread ----------------------------------------------------------------------

    def _run(self) -> None:
        wait_s = FIRST_RESTART_S
        try:
            while not self._stop.is_set():
                began_s = time.monotonic()
                if self._one_eye():
                    return
                # An eye that died (memory, a driver) is opened again, ever later.
                if time.monotonic() - began_s > LONGEST_RESTART_S:
                    wait_s = FIRST_RESTART_S
                self._stop.wait(wait_s)
                wait_s = min(2 * wait_s, LONGEST_RESTART_S)
        finally:
            self._over.set()

    def _one_eye(self) -> bool:
        """Run one eye to its end; return whether that is the end of watching."""
        worker = self._started()
        try:
            return self._listen(worker)
        finally:
            with contextlib.suppress(Exception):
                self._orders.put(Order.STOP)
            self._drain(worker)
            if isinstance(worker, threading.Thread):
                worker.join(timeout=5.0)
            else:
                worker.join(timeout=5.0)
                if worker.is_alive():
                    worker.terminate()
                    worker.join(timeout=2.0)
                self._out.close()
                self._orders.close()

    def _started(self) -> Any:
        self._playing.another_eye()
        if not self._own_process:
            self._out, self._orders = queue.Queue(QUEUE), queue.Queue()
            worker: Any = threading.Thread(
                target=run_eye, args=(self._plan, self._out, self._orders), daemon=True
            )
        else:
            context = multiprocessing.get_context("spawn")
            self._out, self._orders = context.Queue(QUEUE), context.Queue()
            worker = context.Process(
                target=run_eye, args=(self._plan, self._out, self._orders), daemon=True
            )
        worker.start()
        return worker

    def _listen(self, worker: Any) -> bool:
        looked_s = 0.0
        while not self._stop.is_set():
            try:
                message = self._out.get(timeout=POLL_S)
            except queue.Empty:
                if not worker.is_alive():
                    self._set("failed", failure="the eye has died", failure_code="died")
                    return False
            else:
                end = self._take(message)
                if end is not None:
                    return end
            if time.monotonic() - looked_s > LEDGER_S:
                looked_s = time.monotonic()
                self._look_at_ledger()
        return True

    def _drain(self, worker: Any) -> None:
        """Empty the queue, or a process could not end: it waits to be rid of it."""
        until_s = time.monotonic() + 5.0
        while worker.is_alive() and time.monotonic() < until_s:
            with contextlib.suppress(queue.Empty):
                self._out.get(timeout=POLL_S)

    def _take(self, message: Message) -> bool | None:
        """Take a message in; return whether to end for good, `None`: go on."""
        match message:
            case Seen():
                self._see(message)
            case CameraTold(status):
                self._set("camera", camera=status)
            case Noticed(code):
                self._set("notice", notice=code)
            case Beat():
                self._beat(message)
            case Glimpse(jpeg, waiting):
                self._glimpse = jpeg
                self._set("picture", waiting=waiting)
            case Failed(code, sentence):
                is_hopeless = code in HOPELESS
                self._set(
                    "failed",
                    failure=sentence,
                    failure_code=code,
                    is_over=is_hopeless,
                )
                return is_hopeless
            case Ended():
                self._set("ended", has_ended=True, is_over=True)
                return True
        return None

    def _see(self, seen: Seen) -> None:
        with self._lock:
            self._seen = seen
            try:
                self._told((*self._playing.see(seen), *self._answered()))
                self._mend("ledger")
            except CompanionError as error:
                logger.warning("table %s: %s", self._table_id, error)
                self._set("failed", failure=str(error), failure_code="ledger")

    def _look_at_ledger(self) -> None:
        with self._lock:
            seq = self._ledger.head(self._table_id).seq
            if seq != self._standing.seq:
                self._told((*self._playing.again(), *self._answered()))

    def _answered(self) -> Iterator[Call]:
        """Give the answers that were given beforehand; yield what they brought."""
        for _ in range(MOST_ANSWERS):
            question = next(
                (q for q in self._playing.questions if q.id in self._answers), None
            )
            if question is None:
                return
            value = self._answers[question.id]
            if value not in [option.value for option in question.options]:
                return
            yield from self._playing.answer(question.id, value, "beforehand")

    def _told(self, calls: tuple[Call, ...]) -> None:
        before = self._standing
        self._standing = replace(
            before,
            questions=self._playing.questions,
            outcome=self._playing.outcome,
            seq=self._ledger.head(self._table_id).seq,
        )
        self._keep_memory()
        for call in calls:
            self._tell(News("event", self._standing, call))
        if self._standing.questions != before.questions:
            self._tell(News("questions", self._standing))
        if self._standing.outcome != before.outcome:
            self._tell(News("outcome", self._standing))

    def _keep_memory(self) -> None:
        """Have kept what this process knows, unless only a hand or noise moved."""
        memory = self._playing.memory()
        gist = {**memory, "seen": self._playing.lying.places}
        if gist != self._kept:
            self._kept = gist
            self._keep(memory)

    def _beat(self, beat: Beat) -> None:
        self._mend("eye", "died", "camera")
        is_new = beat.waiting is not self._standing.waiting
        self._set(
            "waiting" if is_new else "beat",
            waiting=beat.waiting,
            fps=beat.fps,
            lag_s=beat.lag_s,
            looked=beat.looked,
            readings=beat.readings,
            timings_ms=beat.timings_ms,
        )

    def _mend(self, *codes: str) -> None:
        """Forget a failure that is over: what it was about works again."""
        if self._standing.failure_code in codes:
            self._standing = replace(self._standing, failure="", failure_code="")

    def _set(self, kind: str, **values: Any) -> None:
        self._standing = replace(self._standing, **values)
        self._tell(News(kind, self._standing))
