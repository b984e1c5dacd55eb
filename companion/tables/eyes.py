"""A table followed by photos: what the last one showed, and what people put right.

A photo is played into the ledger as the live camera's views are (`watching.Playing`).
What a correction changes is taken back and played again from the corrected picture;
nothing is deleted, and the picture itself stays as it was.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from companion.codec import from_json, to_json
from companion.corrections import AS_SEEN, Change, correct, note_of, state_of
from companion.errors import UsageError
from companion.i18n import N_
from companion.ledger import Kind, Ledger, UnknownBlobError
from companion.tables.looks import Looks
from companion.watching.messages import Seen
from companion.watching.playing import Playing
from vision.views import View

if TYPE_CHECKING:
    from companion.decks.roles import DeckInPlay
    from engines.core import Question
    from vision.types import Observation, Placement


@dataclass(slots=True)
class Eye:
    """What was last seen of one table; used under its lock."""

    ledger: Ledger
    table_id: str
    playing: Playing
    decks: tuple[DeckInPlay, ...] = ()
    lock: threading.RLock = field(default_factory=threading.RLock)
    observation: Observation | None = None
    jpeg: bytes = b""
    before: bytes = b""
    corrections: dict[str, str] = field(default_factory=dict)
    seq: int = 0
    """Where the table stood when it was last looked at."""
    began: int = 0
    """The last event before this picture."""
    looks: Looks | None = None
    """Where it is kept, so that it outlives this process."""
    version: int = 0
    """Grows with everything that people should see."""

    def see(self, observation: Observation, jpeg: bytes) -> int:
        """Play what a photo shows; return how many events that made."""
        with self.lock:
            self.before, self.jpeg = self.jpeg, jpeg
            self.observation = observation
            self.corrections.clear()
            self.began = self.ledger.head(self.table_id).seq
            made = self._play()
            self._keep()
            return made

    def correct(self, placement: str, value: str, actor: str) -> None:
        """Put a card right: log it, take back what followed, play it anew."""
        with self.lock:
            seen = self._placement(placement)
            was = self.corrections.get(placement, state_of(seen))
            if value == AS_SEEN:
                self.corrections.pop(placement, None)
            else:
                self.corrections[placement] = value
            note = note_of(Change(placement, was, value))
            self._append(Kind.NOTE, note, actor)
            self._take_back(actor)
            self._play()
            self._keep()

    def questions(self) -> tuple[Question, ...] | None:
        """Return what is open after the last look, `None` once others have played."""
        with self.lock:
            if self.observation is None:
                return None
            if self.ledger.head(self.table_id).seq != self.seq:
                return None
            return self.playing.questions

    def answer(
        self, question: str, value: str, actor: str, source: str = "page"
    ) -> None:
        """Answer a question about the picture, and go on."""
        with self.lock:
            self.playing.answer(question, value, actor, source)
            self.seq = self.ledger.head(self.table_id).seq
            self._keep()

    def resume(self, kept: Mapping[str, Any]) -> None:
        """Go on with a photo that an earlier process saw.

        Raises `UnknownBlobError` if its picture has made room for others.
        """
        before, after = kept["pictures"]
        self.jpeg = self.ledger.blob(after)
        with suppress(UnknownBlobError):
            self.before = self.ledger.blob(before)
        self.observation = from_json(kept["observation"])
        self.corrections = dict(kept["corrections"])
        self.began, self.seq = kept["began"], kept["seq"]
        self.decks = tuple(_deck(written) for written in kept["decks"])
        self.playing = Playing(self.ledger, self.table_id, self.decks)
        if self.ledger.head(self.table_id).seq == self.seq:
            seen = Seen(View(self._corrected(), 0.0), self.before, self.jpeg)
            self.playing.resume(seen, kept["playing"])
            self.seq = self.ledger.head(self.table_id).seq

    def _keep(self) -> None:
        self.version += 1
        if self.looks is None or self.observation is None:
            return
        shown = (self.before, self.jpeg)
        pictures = [self.ledger.keep(one, "image/jpeg") if one else "" for one in shown]
        self.looks.keep_photo(
            self.table_id,
            {
                "pictures": pictures,
                "observation": to_json(self.observation),
                "corrections": self.corrections,
                "began": self.began,
                "seq": self.seq,
                "decks": [asdict(deck) for deck in self.decks],
                "playing": self.playing.memory(),
            },
        )

    def _corrected(self) -> Observation:
        assert self.observation is not None
        corrected = correct(self.observation, self.corrections)
        return replace(corrected, taken_at=datetime.now(UTC))

    def _play(self) -> int:
        if self.observation is None:
            return 0
        moment = self._corrected()
        # Anew, so that nothing which was taken back is held against this picture.
        self.playing = Playing(self.ledger, self.table_id, self.decks)
        calls = self.playing.see(Seen(View(moment, 0.0), self.before, self.jpeg))
        self.seq = self.ledger.head(self.table_id).seq
        return len(calls)

    def _take_back(self, actor: str) -> None:
        live = self.ledger.state(self.table_id)
        followed = [
            event
            for event in self.ledger.events(self.table_id, since=self.began)
            if event.kind in (Kind.MOVE, Kind.ANSWER) and event.seq not in live.undone
        ]
        for event in reversed(followed):
            self._append(Kind.UNDO, "", actor, event.seq)

    def _append(
        self, kind: Kind, words: str, actor: str, target: int | None = None
    ) -> None:
        self.ledger.append(
            self.table_id,
            self.ledger.head(self.table_id).seq + 1,
            words,
            kind=kind,
            target=target,
            source="page",
            actor=actor,
            taken_at=datetime.now(UTC),
        )

    def _placement(self, id_: str) -> Placement:
        for placement in self.observation.placements if self.observation else ():
            if placement.id == id_:
                return placement
        raise UsageError(N_("There is no such card in the picture."))


class Eyes:
    """The tables of which a photo was seen, by this process or an earlier one."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._looks = Looks(ledger)
        self._lock = threading.RLock()
        self._eyes: dict[str, Eye | None] = {}

    def find(self, table_id: str) -> Eye | None:
        """Return the eye of a table, `None` before its first photo."""
        if table_id in self._eyes:
            return self._eyes[table_id]
        with self._lock:
            if table_id not in self._eyes:
                self._eyes[table_id] = self._kept(table_id)
            return self._eyes[table_id]

    def of(self, table_id: str, decks: tuple[DeckInPlay, ...] = ()) -> Eye:
        """Return the eye of a table; raises `UnknownTableError`."""
        with self._lock:
            found = self.find(table_id) or self._made(table_id, decks)
            found.decks = decks or found.decks
            self._eyes[table_id] = found
            return found

    def _made(self, table_id: str, decks: tuple[DeckInPlay, ...] = ()) -> Eye:
        playing = Playing(self._ledger, table_id, decks)
        return Eye(self._ledger, table_id, playing, decks, looks=self._looks)

    def _kept(self, table_id: str) -> Eye | None:
        kept = self._looks.photo(table_id)
        if kept is None:
            return None
        eye = self._made(table_id)
        try:
            eye.resume(kept)
        except UnknownBlobError:
            return None
        return eye


def _deck(written: Mapping[str, Any]) -> DeckInPlay:
    from companion.decks.roles import DeckInPlay  # noqa: PLC0415 - only with decks

    pairs = {key: tuple(map(tuple, written[key])) for key in ("meta", "copies")}
    return DeckInPlay(written["name"], written["owner"], **pairs)
