"""Which tables are watched by what: written down, so that a new process can go on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Watch:
    """Which camera watches a table, and what it reads there."""

    source: str
    """``phone:NAME``, name or number of a webcam, or a stream's address."""
    decks: tuple[str, ...] = ()
    board: Mapping[str, str | None] = field(default_factory=dict)
    copies: int = 1


def shown_source(source: str) -> str:
    """Return a source as people may see it: of an address the host, no password.

    >>> shown_source("rtsp://admin:secret@cam.local:554/ch1")
    'cam.local'
    """
    if "://" not in source:
        return source.partition("@/")[0]
    return urlsplit(source).hostname or "?"


def keep_watches(path: Path, watches: Mapping[str, Watch]) -> None:
    """Write down what is watched, whole: a reader never sees half of it.

    Only this user may read it: a stream's address may hold a password.
    """
    written = {table_id: asdict(watch) for table_id, watch in watches.items()}
    making = path.with_name(f"{path.name}.new")
    handle = os.open(making, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(written, file)
    making.replace(path)


def kept_watches(path: Path) -> dict[str, Watch]:
    """Return what was written down; nothing where that is lost or damaged."""
    try:
        found = json.loads(path.read_text("utf-8"))
        return {str(table_id): _watch_in(one) for table_id, one in found.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _watch_in(written: Mapping[str, Any]) -> Watch:
    return Watch(
        str(written["source"]),
        tuple(map(str, written["decks"])),
        dict(written["board"]),
        int(written["copies"]),
    )
