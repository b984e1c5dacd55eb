"""Tables that the page lets a camera watch: an eye each, in a process of its own.

`Watches` starts and stops them and says how each stands. Nothing here waits for vision:
what is asked for is what was told last. `version` grows with everything that people
should see at once (not with counters), and `on_change` is called then.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from companion.cameras import SCHEME, Shelf
from companion.corrections import correct
from companion.errors import CompanionError, UsageError
from companion.i18n import N_
from companion.tables.looks import Looks
from companion.watch import News, Standing, Watcher
from companion.watching.kept import (
    Watch,
    keep_watches,
    kept_watches,
    shown_source,
)
from companion.watching.plan import (
    EyePlan,
    LoadEye,
    OpenSource,
    source_opener,
    tempo_of,
)
from companion.watching.readers import reader_of
from companion.watching.words import standing_json

if TYPE_CHECKING:
    from companion.ledger import Event, Ledger
    from engines.core import Question
    from vision.types import Observation

logger = logging.getLogger(__name__)

GLIMPSE_S = 1.0
"""So often the picture on the page follows what the camera sees."""
MOST = 3
"""Tables watched at once: each eye needs a core and 400 MB."""
KEPT = "watches.json"
QUIET_NEWS = frozenset({"beat"})

ReaderOf: TypeAlias = Callable[..., tuple[LoadEye, tuple[Any, ...]]]


class TooManyError(CompanionError):
    """More tables should be watched than this machine can look at."""

    http_status = 503
    code = "too_many"

    def __init__(self, most: int) -> None:
        super().__init__(
            N_("%(most)s tables are watched already. Stop one of them first."),
            most=most,
        )


class NotWatchedError(CompanionError):
    """No camera watches this table."""

    http_status = 404
    code = "not_watched"

    def __init__(self) -> None:
        super().__init__(N_("No camera watches this table."))


@dataclass(frozen=True, slots=True)
class Choice:
    """A camera that can be chosen."""

    source: str
    name: str
    kind: str
    """``phone`` or ``webcam``."""


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What people are shown: the picture, and what lay on the table when last read."""

    jpeg: bytes
    observation: Observation | None
    """Its places are px of `width_px` x `height_px`, whatever the picture's size."""
    width_px: int
    height_px: int
    corrections: Mapping[str, str]
    """Piece -> what a person said it is."""
    is_aligned: bool
    """The marks fit the picture; while the view is lost they show where the table was:
    put the camera back until they fit."""
    version: int


@dataclass(slots=True)
class _One:
    watch: Watch
    watcher: Watcher
    version: int = 1


class Watches:
    """The watched tables of one process; safe between threads."""

    def __init__(
        self,
        ledger: Ledger,
        folder: Path,
        *,
        allowed_hosts: tuple[str, ...] = (),
        on_change: Callable[[str], None] = lambda table_id: None,
        most: int = MOST,
        reader: ReaderOf = reader_of,
        opener: Callable[[str], OpenSource] | None = None,
        own_process: bool = True,
    ) -> None:
        """`folder` is the user's: phones lie on its shelf. With `opener` other sources
        than cameras may be watched: recordings, in tests and demonstrations."""
        self._ledger, self._folder, self._most = ledger, folder, most
        self._hosts, self._reader = allowed_hosts, reader
        self._opener = opener or self._camera
        self._on_change, self._own_process = on_change, own_process
        self._looks = Looks(ledger)
        self._changed = threading.Condition()
        self._ones: dict[str, _One] = {}
        self._ending: list[threading.Thread] = []

    # Starting and stopping -----------------------------------------------------------

    def start(self, table_id: str, watch: Watch) -> None:
        """Let a camera watch a table, instead of the one that watched it before.

        Returns at once. Raises `CompanionError`: no such table, deck or mat, a source
        that is none, or too many tables.
        """
        table = self._ledger.table(table_id)
        open_source = self._opener(watch.source)
        load, decks = self._reader(
            table.game, decks=watch.decks, board=watch.board, copies=watch.copies
        )
        plan = EyePlan(open_source, load, tempo_of(table.game), glimpse_s=GLIMPSE_S)
        watcher = Watcher(
            self._ledger,
            table_id,
            plan,
            decks=decks,
            own_process=self._own_process,
            memory=self._looks.watched(table_id),
            keep=partial(self._looks.keep_watched, table_id),
        )
        watcher.tell_to(lambda news: self._hear(table_id, watcher, news))
        with self._changed:
            if table_id not in self._ones and len(self._ones) >= self._most:
                raise TooManyError(self._most)
            before = self._ones.get(table_id)
            version = 1 if before is None else before.version + 1
            self._ones[table_id] = _One(watch, watcher, version)
            self._end(before)
            watcher.start()
            self._keep()
        self._tell(table_id)

    def stop(self, table_id: str) -> None:
        """Let the camera look away; returns at once, and is harmless where none looked.

        Nothing is played any more, though the eye may need seconds to end.
        """
        with self._changed:
            one = self._ones.pop(table_id, None)
            self._end(one)
            self._keep()
        self._tell(table_id)

    def close(self) -> None:
        """End all eyes; `resume` in a later process goes on with them."""
        with self._changed:
            ones, self._ones = dict(self._ones), {}
            for one in ones.values():
                self._end(one)
        for thread in self._ending:
            thread.join()

    def resume(self) -> None:
        """Go on watching what was watched when the process before ended or died."""
        for table_id, watch in kept_watches(self._folder / KEPT).items():
            try:
                self.start(table_id, watch)
            except CompanionError as error:
                logger.warning("table %s is not watched again: %s", table_id, error)

    # How it stands -------------------------------------------------------------------

    def watched(self) -> Mapping[str, Watch]:
        """Return which tables are watched, and by what."""
        with self._changed:
            return {table_id: one.watch for table_id, one in self._ones.items()}

    def standing(self, table_id: str) -> Standing | None:
        """Return how a table stands; `None`: nobody watches it."""
        one = self._ones.get(table_id)
        return None if one is None else one.watcher.standing

    def version(self, table_id: str) -> int:
        """Return a number that grows with what people should see; 0: not watched."""
        one = self._ones.get(table_id)
        return 0 if one is None else one.version

    def document(self, table_id: str, language: str) -> dict[str, Any]:
        """Return all that can be said of a watched table, as plain values.

        ``text`` is the one sentence that matters most now, ``is_well`` whether play
        can simply go on. Of a table that nobody watches: ``{"watched": false}``.
        """
        one = self._ones.get(table_id)
        if one is None:
            return {"watched": False, "version": 0}
        document = standing_json(one.watcher.standing, language)
        return {
            "watched": True,
            "version": one.version,
            "source": shown_source(one.watch.source),
            **document,
        }

    def shown(self, table_id: str) -> Shown | None:
        """Return what people are shown; `None` before the first picture."""
        one = self._ones.get(table_id)
        if one is None:
            return None
        watcher = one.watcher
        observation, jpeg = watcher.observation, watcher.glimpse or watcher.picture
        if not jpeg:
            return None
        camera = watcher.standing.camera
        width_px = observation.width_px if observation else camera.width_px
        height_px = observation.height_px if observation else camera.height_px
        return Shown(
            jpeg,
            observation,
            width_px,
            height_px,
            watcher.names.values,
            watcher.standing.is_aligned,
            one.version,
        )

    def overlay(self, table_id: str) -> bytes:
        """Return the picture with what was read drawn on it, as JPEG.

        Raises `NotWatchedError` while there is none. Takes some 20 ms.
        """
        from companion.watching.drawing import overlay_jpeg  # noqa: PLC0415 - OpenCV

        shown = self.shown(table_id)
        if shown is None:
            raise NotWatchedError
        seen = shown.observation
        known = None if seen is None else correct(seen, shown.corrections)
        return overlay_jpeg(shown.jpeg, known)

    def wait(self, table_id: str, version: int, timeout_s: float) -> int:
        """Return the version as soon as it is another than `version`, or in time."""
        with self._changed:
            self._changed.wait_for(lambda: self.version(table_id) != version, timeout_s)
        return self.version(table_id)

    def choices(self) -> tuple[Choice, ...]:
        """Return the cameras that can be chosen now: phones that send, webcams."""
        from vision.capture.webcam import list_webcams  # noqa: PLC0415 - OpenCV
        from vision.errors import CameraError  # noqa: PLC0415 - as above

        phones = Shelf(self._folder / "cameras", b"reading").present()
        found = [Choice(f"{SCHEME}{name}", name, "phone") for name in phones]
        try:
            webcams = list_webcams()
        except CameraError as error:
            logger.warning("no webcams: %s", error)
            webcams = ()
        return (*found, *(Choice(w.key, w.name, "webcam") for w in webcams))

    # What people do ------------------------------------------------------------------

    def questions(self, table_id: str) -> tuple[Question, ...] | None:
        """Return what is open at a watched table; `None`: nobody watches it."""
        standing = self.standing(table_id)
        return None if standing is None else standing.questions

    def answer(
        self,
        table_id: str,
        question: str,
        value: str,
        actor: str,
        source: str = "page",
    ) -> None:
        """Answer a question of a watched table; raise `CompanionError`."""
        self._watcher(table_id).answer(question, value, actor, source)
        self._named(table_id)

    def undo(self, table_id: str, actor: str) -> Event | None:
        """Take the last move back; it is not played again while it lies there."""
        return self._watcher(table_id).undo(actor)

    def put_right(self, table_id: str, piece: str, label: str, actor: str) -> None:
        """Take a card or chip of a watched table for another one than was read, for one
        that lies face down, or for none (`corrections`)."""
        self._watcher(table_id).put_right(piece, label, actor)
        self._named(table_id)

    def resync(self, table_id: str) -> None:
        """Have the whole table read anew: what lies there now is how it is."""
        self._watcher(table_id).resync()

    def _named(self, table_id: str) -> None:
        """Show what people said though the camera saw nothing new."""
        with self._changed:
            if table_id in self._ones:
                self._ones[table_id].version += 1
        self._tell(table_id)

    def _watcher(self, table_id: str) -> Watcher:
        one = self._ones.get(table_id)
        if one is None:
            raise NotWatchedError
        return one.watcher

    # Inside --------------------------------------------------------------------------

    def _camera(self, source: str) -> OpenSource:
        """Return what opens a camera; anything else is refused: a page opens no files.

        Raises `UsageError`, also for addresses where none are allowed.
        """
        is_listed = source.startswith(SCHEME) or source in {
            choice.source for choice in self.choices()
        }
        if "://" not in source and not is_listed:
            raise UsageError(N_("There is no such camera: %(name)s"), name=source)
        if "://" in source and not self._hosts:
            raise UsageError(
                N_("Cameras in the network are allowed where Arbitro is started.")
            )
        opener = source_opener(source, allowed_hosts=self._hosts, folder=self._folder)
        _try_source(opener)
        return opener

    def _hear(self, table_id: str, watcher: Watcher, news: News) -> None:
        if news.kind in QUIET_NEWS:
            return
        with self._changed:
            one = self._ones.get(table_id)
            if one is None or one.watcher is not watcher:
                return
            one.version += 1
            self._changed.notify_all()
        self._on_change(table_id)

    def _end(self, one: _One | None) -> None:
        """End an eye in a thread of its own: it may be in the middle of a picture."""
        if one is None:
            return
        self._ending = [thread for thread in self._ending if thread.is_alive()]
        thread = threading.Thread(target=one.watcher.stop, name="end of a watch")
        thread.start()
        self._ending.append(thread)

    def _tell(self, table_id: str) -> None:
        with self._changed:
            self._changed.notify_all()
        self._on_change(table_id)

    def _keep(self) -> None:
        keep_watches(self._folder / KEPT, self.watched())


def _try_source(open_source: OpenSource) -> None:
    """Make the source, not open it: a wrong address or name is told at once."""
    from vision.errors import CameraError  # noqa: PLC0415 - imports OpenCV

    try:
        open_source()
    except CameraError as error:
        raise UsageError(
            N_("The camera cannot be used: %(reason)s"), reason=str(error)
        ) from error
