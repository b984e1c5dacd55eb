"""Results of the page: one folder each, under an id that nobody can guess.

A folder holds the picture (re-encoded, so without the place and phone that the file
told), what vision saw, and the events: answers and corrections in the order in which
they were given, appended, never changed. Folders disappear after their time.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NewType

from companion.codec import from_json, to_json
from companion.corrections import AS_SEEN
from companion.errors import UnknownReadingError
from vision.types import Observation

ReadingId = NewType("ReadingId", str)
ID_PATTERN = re.compile(r"[A-Za-z0-9_-]{22}")
ANSWER = "answer"
CARD = "card"
OPTION = "option"
RULING = "ruling"
MAX_EVENTS = 2000
VERSION = 1


@dataclass(frozen=True, slots=True)
class Event:
    """An answer to a question, a card put right, or an option of the game."""

    seq: int
    taken_at: datetime
    kind: str
    """`ANSWER`, `CARD`, `OPTION` or `RULING`."""
    subject: str
    """Id of the question or of the placement, or key of the option."""
    value: str
    """The chosen option, or what the card is (see `corrections`); "" takes back."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a referee decided about a ruling, or about all of them."""

    about: str
    """The claim in English, "" for the whole picture."""
    is_accepted: bool
    who: str
    reason: str
    taken_at: datetime

    def written(self) -> str:
        """Return it as the value of an event."""
        return json.dumps([self.is_accepted, self.who, self.reason])

    @classmethod
    def of(cls, event: Event) -> Decision:
        """Return the decision that an event holds."""
        is_accepted, who, reason = json.loads(event.value)
        return cls(event.subject, is_accepted, who, reason, event.taken_at)


@dataclass(frozen=True, slots=True)
class Record:
    """One picture with all that was seen in it and said about it."""

    id: ReadingId
    created_at: datetime
    game: str
    decks: int
    options: Mapping[str, str]
    observation: Observation
    events: tuple[Event, ...] = ()
    gear: str = ""
    """Own decks, mat, kit, camera: as `tables.gear` writes them."""

    @property
    def answers(self) -> dict[str, str]:
        """Return question id -> the last answer that was not taken back."""
        last = {e.subject: e.value for e in self.events if e.kind == ANSWER}
        return {subject: value for subject, value in last.items() if value}

    @property
    def corrections(self) -> dict[str, str]:
        """Return placement id -> the last correction that was not taken back."""
        last: dict[str, str] = {}
        for event in self.events:
            if event.kind == CARD:
                last.pop(event.subject, None)  # the latest correction comes last
                last[event.subject] = event.value
        return {subject: value for subject, value in last.items() if value != AS_SEEN}

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Return what referees decided; of one claim the last decision holds."""
        found = (Decision.of(e) for e in self.events if e.kind == RULING)
        return tuple({decision.about: decision for decision in found}.values())

    @property
    def chosen_options(self) -> dict[str, str]:
        """Return option key -> the last value that was not taken back."""
        later = {e.subject: e.value for e in self.events if e.kind == OPTION}
        chosen = {**self.options, **later}
        return {key: value for key, value in chosen.items() if value}


class Store:
    """The folder of results; safe to use from several threads."""

    def __init__(self, folder: Path, *, keep_s: float, keep_count: int) -> None:
        self._folder = folder
        self._keep_s = keep_s
        self._keep_count = keep_count
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def add(
        self,
        observation: Observation,
        picture: bytes,
        *,
        game: str,
        decks: int = 1,
        options: Mapping[str, str] | None = None,
        gear: str = "",
    ) -> Record:
        """Keep a new result and return it; the oldest ones make room."""
        record = Record(
            id=ReadingId(secrets.token_urlsafe(16)),
            created_at=datetime.now(UTC),
            game=game,
            decks=decks,
            options=dict(options or {}),
            observation=observation,
            gear=gear,
        )
        document = {
            "version": VERSION,
            "created_at": record.created_at.isoformat(),
            "game": game,
            "decks": decks,
            "options": record.options,
            "gear": gear,
            "observation": to_json(observation),
        }
        # Written beside and renamed: a result is there whole, or not at all.
        making = self._folder / f"new-{record.id}"
        making.mkdir(mode=0o700)
        (making / "picture.jpg").write_bytes(picture)
        (making / "reading.json").write_text(json.dumps(document), encoding="utf-8")
        (making / "events.jsonl").touch()
        making.rename(self._folder / record.id)
        self.sweep()
        return record

    def load(self, id_: str) -> Record:
        """Return a result; raise `UnknownReadingError` if there is none."""
        folder = self._path(id_)
        try:
            document = json.loads((folder / "reading.json").read_text("utf-8"))
            lines = (folder / "events.jsonl").read_text("utf-8").splitlines()
        except FileNotFoundError as error:
            raise UnknownReadingError from error
        return Record(
            id=ReadingId(id_),
            created_at=datetime.fromisoformat(document["created_at"]),
            game=document["game"],
            decks=document["decks"],
            options=document["options"],
            observation=from_json(document["observation"]),
            events=tuple(_event(seq, line) for seq, line in enumerate(lines)),
            gear=document.get("gear", ""),
        )

    def picture(self, id_: str) -> Path:
        """Return the file of the picture; raise `UnknownReadingError`."""
        path = self._path(id_) / "picture.jpg"
        if not path.is_file():
            raise UnknownReadingError
        return path

    def append(self, id_: str, kind: str, subject: str, value: str) -> None:
        """Add an event to a result; raise `UnknownReadingError` if there is none.

        Too many events are refused with the same error: nobody answers so often.
        """
        path = self._path(id_) / "events.jsonl"
        now = datetime.now(UTC).isoformat()
        line = json.dumps([now, kind, subject, value]) + "\n"
        with self._lock:
            if not path.is_file() or path.stat().st_size > MAX_EVENTS * 200:
                raise UnknownReadingError
            with path.open("a", encoding="utf-8") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())

    def delete(self, id_: str) -> None:
        """Forget a result and its picture; raise `UnknownReadingError`."""
        folder = self._path(id_)
        if not folder.is_dir():
            raise UnknownReadingError
        shutil.rmtree(folder, ignore_errors=True)

    def sweep(self) -> None:
        """Delete what is older than its time, and the oldest beyond the count."""
        with self._lock:
            folders = sorted(
                (folder for folder in self._folder.iterdir() if folder.is_dir()),
                key=_age_s,
            )
            for place, folder in enumerate(folders):
                if place >= self._keep_count or _age_s(folder) > self._keep_s:
                    shutil.rmtree(folder, ignore_errors=True)

    def _path(self, id_: str) -> Path:
        # The pattern has no dot and no slash: a path cannot leave the folder.
        if not ID_PATTERN.fullmatch(id_):
            raise UnknownReadingError
        return self._folder / id_


def _event(seq: int, line: str) -> Event:
    taken_at, kind, subject, value = json.loads(line)
    return Event(seq, datetime.fromisoformat(taken_at), kind, subject, value)


def _age_s(folder: Path) -> float:
    with contextlib.suppress(FileNotFoundError):
        return time.time() - folder.stat().st_mtime
    return float("inf")
