"""Tables that the page lets a camera watch: started, told about, stopped, resumed."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.cameras import Shelf
from companion.errors import UsageError
from companion.ledger import Ledger, TableRecord, UnknownTableError, open_ledger
from companion.watching.kept import Watch, kept_watches, shown_source
from companion.watching.plan import TEMPI, Tempo
from companion.watching.service import NotWatchedError, TooManyError, Watches
from tests.companion.tables import FIGHT, Laid, observation, picture
from vision.capture.source import Shot
from vision.errors import CameraError
from vision.images import decode, to_jpeg
from vision.types import Bgr, Frame, Observation
from vision.views import Pace

START = (FIGHT[0], Laid("Jh", 70, 60), FIGHT[2])
NINE = Laid("9d", -40, -110)
UNREAD = Laid(None, -40, -110)
SAID = ("castle ?", "reveal Jh", "tavern ?", "start 0")


class Stage:
    """A camera before which things are laid by the test; it never ends by itself."""

    name, is_live, frozen_after_s = "stage", True, None

    def __init__(self) -> None:
        self.lying: Sequence[Laid] = START
        self.breaks = False
        self.is_dark = False
        self._rng = np.random.default_rng(1)
        self._drawn: dict[int, Bgr] = {}

    def open(self) -> None:
        if self.breaks:
            raise CameraError("it was unplugged")

    def read(self) -> Shot:
        self.open()
        time.sleep(0.02)
        bgr = self._drawn.setdefault(id(self.lying), picture(self.lying))
        if self.is_dark:
            bgr = np.zeros_like(bgr)
        noise = self._rng.normal(0, 1, bgr.shape)
        return Shot((bgr + noise).clip(0, 255).astype(np.uint8), time.monotonic())

    def close(self) -> None:
        """Nothing is held open."""

    def see(self, frame: Frame) -> Observation:
        """Be the eyes as well: what lies there is known."""
        del frame
        return observation(self.lying)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "arbitro.db") as opened:
        yield opened


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be quiet soon, and read pictures whole: the eyes of these tests know no cuts."""
    tempo = Tempo(Pace(settle_s=0.2, crops=False), quiet_s=0.3)
    monkeypatch.setitem(TEMPI, "regicide", tempo)


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def watches(
    ledger: Ledger, stage: Stage, told: list[str], tmp_path: Path
) -> Iterator[Watches]:
    made = watches_for(ledger, stage, tmp_path, on_change=told.append)
    yield made
    made.close()


def watches_for(ledger: Ledger, stage: Stage, folder: Path, **more: Any) -> Watches:
    def reader(game: str, **_: object) -> tuple[Callable[[], Any], tuple[()]]:
        del game
        return lambda: stage.see, ()

    return Watches(
        ledger,
        folder,
        reader=reader,
        opener=lambda source: lambda: stage,
        own_process=False,
        **more,
    )


@pytest.fixture
def table(ledger: Ledger) -> TableRecord:
    return table_of(ledger)


def table_of(ledger: Ledger) -> TableRecord:
    made = ledger.create_table("regicide", {"players": 2})
    for seq, move in enumerate(SAID, 1):
        ledger.append(
            made.id,
            seq,
            move,
            source="page",
            actor="Ada",
            taken_at=datetime.now(UTC),
        )
    return made


def until(what: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Return whether something comes true; how fast is for `bench_live.py faults`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if what():
            return True
        time.sleep(0.02)
    return False


def is_read(watches: Watches, table: TableRecord) -> bool:
    return watches.document(table.id, "en").get("waiting") == "nothing"


def moves(ledger: Ledger, table: TableRecord) -> list[str]:
    return [event.move for event in ledger.events(table.id, since=len(SAID))]


def test_a_table_that_nobody_watches_says_so(
    watches: Watches, table: TableRecord
) -> None:
    assert watches.document(table.id, "en") == {"watched": False, "version": 0}
    assert watches.shown(table.id) is None
    assert watches.questions(table.id) is None
    with pytest.raises(NotWatchedError):
        watches.overlay(table.id)
    with pytest.raises(NotWatchedError):
        watches.resync(table.id)


def test_what_the_camera_sees_becomes_the_table(
    watches: Watches,
    table: TableRecord,
    stage: Stage,
    ledger: Ledger,
    told: list[str],
) -> None:
    watches.start(table.id, Watch("stage"))
    assert until(lambda: is_read(watches, table))
    stage.lying = (*START, NINE)
    assert until(lambda: moves(ledger, table) == ["0: play 9d"])
    document = watches.document(table.id, "it")
    assert document["watched"]
    assert document["is_well"]
    assert document["text"]
    assert table.id in told


def test_the_picture_follows_and_carries_what_was_read(
    watches: Watches, table: TableRecord, stage: Stage
) -> None:
    watches.start(table.id, Watch("stage"))
    assert until(lambda: is_read(watches, table))
    shown = watches.shown(table.id)
    assert shown is not None
    assert shown.observation is not None
    assert len(shown.observation.placements) == len(START)
    assert shown.is_aligned
    plain = decode(shown.jpeg, source="").bgr
    marked = decode(watches.overlay(table.id), source="").bgr
    assert plain.shape == marked.shape
    assert np.abs(plain.astype(int) - marked).max() > 60, "something is drawn on it"
    stage.lying = (*START, NINE)
    assert until(lambda: _count(watches, table) == len(START) + 1)


def _count(watches: Watches, table: TableRecord) -> int:
    shown = watches.shown(table.id)
    assert shown is not None
    assert shown.observation is not None
    return len(shown.observation.placements)


@pytest.mark.parametrize("fault", ["breaks", "is_dark"])
def test_what_is_wrong_is_said_and_when_it_is_well_again(
    watches: Watches, table: TableRecord, stage: Stage, fault: str
) -> None:
    watches.start(table.id, Watch("stage"))
    assert until(lambda: is_read(watches, table))
    setattr(stage, fault, True)
    assert until(lambda: not watches.document(table.id, "en")["is_well"])
    setattr(stage, fault, False)
    assert until(lambda: watches.document(table.id, "en")["is_well"])


def test_versions_wait_for_something_new(
    watches: Watches, table: TableRecord, stage: Stage
) -> None:
    watches.start(table.id, Watch("stage"))
    assert until(lambda: is_read(watches, table))
    time.sleep(1.2)  # the last picture of the still table is shown
    version = watches.version(table.id)
    assert watches.wait(table.id, version, 0.4) == version, "a still table is silent"
    waiting: list[int] = []
    thread = threading.Thread(
        target=lambda: waiting.append(watches.wait(table.id, version, 10.0))
    )
    thread.start()
    stage.lying = (*START, NINE)
    thread.join(15.0)
    assert waiting
    assert waiting[0] > version


def test_questions_are_answered_through_it(
    watches: Watches, table: TableRecord, stage: Stage, ledger: Ledger
) -> None:
    stage.lying = (*START, UNREAD)
    watches.start(table.id, Watch("stage"))
    assert until(lambda: bool(watches.questions(table.id)))
    (question, *_) = watches.questions(table.id) or ()
    watches.answer(table.id, question.id, "9d", "Ada")
    assert moves(ledger, table)[-1] == "0: play 9d"
    with pytest.raises(UsageError):
        watches.answer(table.id, "none", "9d", "Ada")


def test_what_was_undone_is_not_played_again(
    watches: Watches, table: TableRecord, stage: Stage, ledger: Ledger
) -> None:
    stage.lying = (*START, NINE)
    watches.start(table.id, Watch("stage"))
    assert until(lambda: bool(moves(ledger, table)))
    undone = watches.undo(table.id, "Ada")
    assert undone is not None
    watches.resync(table.id)
    time.sleep(1.0)
    assert ledger.head(table.id).seq == undone.seq


def test_stopped_it_is_silent(
    watches: Watches, table: TableRecord, stage: Stage, ledger: Ledger
) -> None:
    watches.start(table.id, Watch("stage"))
    assert until(lambda: is_read(watches, table))
    watches.stop(table.id)
    watches.stop(table.id)
    assert watches.document(table.id, "en") == {"watched": False, "version": 0}
    stage.lying = (*START, NINE)
    time.sleep(0.8)
    assert moves(ledger, table) == []


def test_another_camera_takes_the_place(watches: Watches, table: TableRecord) -> None:
    watches.start(table.id, Watch("stage"))
    version = watches.version(table.id)
    watches.start(table.id, Watch("another"))
    assert watches.watched()[table.id].source == "another"
    assert watches.version(table.id) > version


def test_no_more_than_the_machine_can_look_at(
    ledger: Ledger, stage: Stage, tmp_path: Path
) -> None:
    watches = watches_for(ledger, stage, tmp_path, most=1)
    first, second = table_of(ledger), table_of(ledger)
    watches.start(first.id, Watch("stage"))
    with pytest.raises(TooManyError):
        watches.start(second.id, Watch("stage"))
    watches.stop(first.id)
    watches.start(second.id, Watch("stage"))
    watches.close()


def test_a_new_process_goes_on_watching(
    ledger: Ledger, stage: Stage, tmp_path: Path, table: TableRecord
) -> None:
    watches = watches_for(ledger, stage, tmp_path)
    watches.start(table.id, Watch("stage", ("own:a",), {"mat": None}, 2))
    watches.close()
    later = watches_for(ledger, stage, tmp_path)
    later.resume()
    assert later.watched() == {table.id: Watch("stage", ("own:a",), {"mat": None}, 2)}
    later.stop(table.id)
    later.close()
    assert kept_watches(tmp_path / "watches.json") == {}


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": {"source": "x"}}'])
def test_a_damaged_list_is_no_list(text: str, tmp_path: Path) -> None:
    (tmp_path / "watches.json").write_text(text)
    assert kept_watches(tmp_path / "watches.json") == {}


@pytest.mark.parametrize(
    "source", ["/etc/passwd", "video.mp4", "..", "http://192.168.1.7/", "7", ""]
)
def test_a_page_opens_cameras_and_no_files(
    source: str,
    ledger: Ledger,
    table: TableRecord,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "video.mp4").write_bytes(b"none")
    watches = Watches(ledger, tmp_path, own_process=False)
    with pytest.raises(UsageError):
        watches.start(table.id, Watch(source))
    assert watches.watched() == {}


def test_phones_that_send_can_be_chosen(ledger: Ledger, tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "cameras", b"key")
    key = shelf.admit("Ada")
    now_ms = round(time.time() * 1000)
    shelf.put(key, to_jpeg(picture(START)), count=1, taken_ms=now_ms)
    choices = Watches(ledger, tmp_path).choices()
    assert ("phone:Ada", "phone") in [(c.source, c.kind) for c in choices]


def test_an_unknown_table_is_refused(watches: Watches) -> None:
    with pytest.raises(UnknownTableError):
        watches.start("none", Watch("stage"))


def test_no_password_is_shown() -> None:
    assert shown_source("rtsp://a:secret@cam.local/1") == "cam.local"
    assert shown_source("Logi@/dev/v4l/by-id/usb-1") == "Logi"
    assert shown_source("phone:Ada") == "phone:Ada"


def test_the_document_is_plain_json(watches: Watches, table: TableRecord) -> None:
    watches.start(table.id, Watch("stage"))
    assert until(lambda: is_read(watches, table))
    document: Mapping[str, Any] = json.loads(
        json.dumps(watches.document(table.id, "en"))
    )
    assert document["version"] >= 1
    assert set(document) >= {"text", "is_well", "waiting", "health", "is_aligned"}
