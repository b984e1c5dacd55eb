"""What the ledger gives back: tables, events, heads, the state that they lead to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from engines.core import Ruling, Verdict


class Kind(StrEnum):
    """What an event is. A move and an answer are played; the others say something
    about an earlier event (`Event.target`), or only to the reader."""

    MOVE = "move"
    """A move, in the notation of the game."""
    ANSWER = "answer"
    """The move that answers a question."""
    UNDO = "undo"
    """The target counts as if it had not happened. An undone undo is a redo."""
    CORRECTION = "correction"
    """At the place of the target, a move or answer, stands this move instead."""
    OVERRULE = "overrule"
    """A person rules on the target: ``upheld`` or ``rejected``, then the reason."""
    NOTE = "note"
    """Words, without effect."""


PLAYED = frozenset({Kind.MOVE, Kind.ANSWER})
IN_NOTATION = PLAYED | {Kind.CORRECTION}
AIMED = frozenset({Kind.UNDO, Kind.CORRECTION, Kind.OVERRULE})


@dataclass(frozen=True, slots=True)
class TableRecord:
    """One game at one table, from its opening on; nothing here ever changes."""

    id: str
    code: str
    """What people type to join: short, without letters that look alike."""
    game: str
    options: Mapping[str, Any]
    """As they were given to the game; see `companion.referee.game_options`."""
    seats: tuple[str, ...]
    """The name at each seat, "" where nobody gave one."""
    title: str
    seed: int | None
    created_at: datetime
    origin: str = ""
    """Fingerprint of the key of the installation where it was imported from."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at a table, or was said about it; never changed."""

    seq: int
    """Counted from 1, without gaps."""
    kind: Kind
    move: str
    target: int | None
    """The event that an undo, a correction or an overrule is about."""
    source: str
    """Where it comes from: ``camera``, ``page``, ``frame:142``."""
    actor: str | None
    """Who did it, if a person did."""
    taken_at: datetime
    recorded_at: datetime
    evidence: tuple[str, ...]
    """SHA-256 of pictures that show it."""
    engine: str
    """The version of Arbitro that recorded it."""
    digest: str
    """SHA-256 over the digest before and all of the above, in hex."""


@dataclass(frozen=True, slots=True)
class Head:
    """How far a table has come: the number and the digest of its last event."""

    seq: int
    digest: str


@dataclass(frozen=True, slots=True)
class SignedHead:
    """A head with the signature of the installation; small enough for a QR code.

    Whoever keeps one can show later that nothing up to `seq` was changed or cut off.
    """

    table: str
    seq: int
    digest: str
    signed_at: datetime
    key: str
    """The public Ed25519 key, 32 bytes in hex."""
    signature: str
    """64 bytes in hex."""


@dataclass(frozen=True, slots=True, eq=False)
class LiveState:
    """Where a table stands: a replay of its events, and nothing else."""

    seq: int
    """Of the last event that is in it."""
    state: Any
    """The game's own state."""
    rulings: Mapping[int, Ruling] = field(default_factory=dict)
    """What the rules say about each event that was played, by its number."""
    undone: frozenset[int] = frozenset()
    corrected: Mapping[int, str] = field(default_factory=dict)
    """Event -> the move that stands there instead."""
    overruled: Mapping[int, Verdict] = field(default_factory=dict)
    """Event -> the verdict of a person, which goes before that of the rules."""
    refused: frozenset[int] = frozenset()
    """Played events without effect: rejected, undecided, or unreadable to the game."""
