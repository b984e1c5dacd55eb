"""What somebody without the key may do to an exported session."""

from __future__ import annotations

import json
import random
import struct
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.ledger import chain
from companion.ledger.archive import write_archive
from companion.ledger.export import EVENTS, MANIFEST
from companion.ledger.records import Event, Head
from companion.ledger.signing import SigningKey, head_document
from engines.core import canonical

KINDS = ("byte", "edit", "delete", "swap", "truncate", "cut", "rechain", "rebuild")


def tampered(kind: str, source: Path, path: Path, rng: random.Random) -> None:
    """Write a changed copy of a session; it always differs from the source.

    byte: one byte of the file; truncate: the file ends earlier; edit, delete, swap and
    cut: events, with the chain left as it was; rechain: an edit with all digests
    computed anew; rebuild: that, and signed and sealed with another key.
    """
    content = source.read_bytes()
    if kind == "byte":
        place = rng.randrange(len(content))
        changed = bytearray(content)
        changed[place] ^= rng.randrange(1, 256)
        path.write_bytes(changed)
        return
    if kind == "truncate":
        path.write_bytes(content[: rng.randrange(len(content))])
        return
    with zipfile.ZipFile(source) as packed:
        entries = {name: packed.read(name) for name in packed.namelist()}
        comment = packed.comment
    manifest = json.loads(entries[MANIFEST])
    table = chain.table_of(manifest["table"], code="", origin="")
    lines = entries[EVENTS].splitlines()
    events = [chain.event_of(json.loads(line)) for line in lines]
    changed_events = _changed(kind, events, rng)
    if kind in ("rechain", "rebuild"):
        changed_events = _rechained(table, changed_events)
    entries[EVENTS] = b"".join(
        canonical(chain.event_document(event)) + b"\n" for event in changed_events
    )
    if kind == "rebuild":
        _sign(entries, manifest, table.id, changed_events[-1], rng, path)
        return
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as packed:
        for name, data in entries.items():
            packed.writestr(zipfile.ZipInfo(name), data)
        packed.comment = comment


def _changed(kind: str, events: list[Event], rng: random.Random) -> list[Event]:
    place = rng.randrange(len(events))
    if kind == "delete":
        return events[:place] + events[place + 1 :]
    if kind == "cut":
        return events[: rng.randrange(1, len(events))]
    if kind == "swap":
        first, second = rng.sample(range(len(events)), 2)
        events[first], events[second] = events[second], events[first]
        return events
    changes: dict[str, Any] = rng.choice(
        [
            {"source": f"changed {rng.random()}"},
            {"actor": f"somebody {rng.random()}"},
            {"evidence": ("0" * 64,)},
            {"engine": f"{rng.random()}"},
            {"move": f"{events[place].move} {rng.random()}"},
        ]
    )
    events[place] = replace(events[place], **changes)
    return events


def _rechained(table: Any, events: list[Event]) -> list[Event]:
    head, made = Head(0, chain.first_digest(table)), []
    for event in events:
        event = chain.chained(head, event)  # noqa: PLW2901
        head = Head(event.seq, event.digest)
        made.append(event)
    return made


def _sign(
    entries: dict[str, bytes],
    manifest: dict[str, Any],
    table: str,
    last: Event,
    rng: random.Random,
    path: Path,
) -> None:
    key = SigningKey(struct.pack("<4Q", *(rng.getrandbits(64) for _ in range(4))))
    head = key.sign_head(table, Head(last.seq, last.digest))
    manifest["head"] = head_document(head)
    entries[MANIFEST] = json.dumps(manifest).encode()
    write_archive(path, entries.items(), key)
