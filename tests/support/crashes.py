"""Writers of the ledger that die in the middle, and what must be there afterwards.

A writer is a forked process. It says what was acknowledged through a pipe, so that the
test knows it even if the writer is killed in the same moment.
"""

from __future__ import annotations

import os
import random
import select
import shutil
import signal
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from companion.ledger import Kind, Ledger, open_ledger, verify_table
from tests.support.power import Power, disk_module

NAME = "arbitro.db"
NOW = datetime(2026, 11, 28, tzinfo=UTC)
Say = Callable[[str], None]


@dataclass
class Survey:
    """What many crashes came to."""

    crashes: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    broken: int = 0

    @property
    def is_clean(self) -> bool:
        return not (self.lost or self.doubled or self.broken)


def kill_writers(folder: Path, count: int, *, seed: int) -> Survey:
    """Kill `count` writers of one file, one after the other, at random moments."""
    rng, survey = random.Random(seed), Survey()
    with open_ledger(folder / NAME) as ledger:
        table = ledger.create_table("frenzy", {}).id
    for number in range(count):
        pid, reader = forked(partial(write_on, folder, table, number))
        if number % 2:  # the others are mostly hit while they open the file
            select.select([reader], [], [], 10)
        time.sleep(rng.uniform(0, 0.12))
        os.kill(pid, signal.SIGKILL)
        take_stock(folder, table, number, said_by(pid, reader), survey)
    return survey


def cut_power(folder: Path, count: int, *, seed: int, most_steps: int = 260) -> Survey:
    """Let the power fail under `count` writers, each on a file of its own.

    Every fourth one has to make the file first; the others find one with a table.
    """
    survey, ready = Survey(), folder / "ready"
    with open_ledger(ready / NAME) as ledger:
        ledger.create_table("frenzy", {})
    for number in range(count):
        own = folder / str(number)
        if number % 4:
            shutil.copytree(ready, own)
        else:
            own.mkdir()
        fails_at = random.Random(seed * 1_000_003 + number).randint(1, most_steps)
        power = (fails_at, seed * 7919 + number)
        pid, reader = forked(partial(write_until_cut, own, power))
        said = said_by(pid, reader)
        table, acknowledged = (said[0], said[1:]) if said else ("", [])
        take_stock(own, table, number, acknowledged, survey)
    return survey


def forked(work: Callable[[Say], None]) -> tuple[int, int]:
    """Return the process that does `work`, and where to read what it says."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 warns if there are threads; the child uses none of theirs.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    try:
        work(partial(say_into, writer))
    finally:
        os._exit(1)


def say_into(pipe: int, line: str) -> None:
    os.write(pipe, line.encode() + b"\n")


def said_by(pid: int, reader: int) -> list[str]:
    """Return the whole lines that a writer said until it died."""
    with os.fdopen(reader, "rb") as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return [line.decode() for line in text.split(b"\n")[:-1]]


def write_on(folder: Path, table: str, number: int, say: Say) -> None:
    """Add events until killed; every third with a picture."""
    ledger = open_ledger(folder / NAME)
    add_forever(ledger, table, number, say, with_pictures=True)


def write_until_cut(folder: Path, power: tuple[int, int], say: Say) -> None:
    fails_at, seed = power
    module, disk = disk_module(Power(fails_at=fails_at, seed=seed))
    ledger = open_ledger(folder / NAME, module=module)
    known = ledger.tables()
    table = (known[0] if known else ledger.create_table("frenzy", {})).id
    say(table)
    add_forever(ledger, table, 0, say, with_pictures=False)
    del disk  # it must live until here


def add_forever(
    ledger: Ledger, table: str, number: int, say: Say, *, with_pictures: bool
) -> None:
    seq = ledger.head(table).seq
    while True:
        seq += 1
        evidence: tuple[str, ...] = ()
        if with_pictures and seq % 3 == 0:
            evidence = (ledger.keep(f"{number} {seq}".encode() * 500, "image/jpeg"),)
        event = ledger.append(
            table,
            seq,
            f"writer {number} event {seq}",
            kind=Kind.NOTE,
            source="test",
            actor=None,
            taken_at=NOW,
            evidence=evidence,
        )
        say(f"{event.seq} {event.digest}")


def take_stock(
    folder: Path, table: str, number: int, acknowledged: list[str], survey: Survey
) -> None:
    """Count what was lost or doubled, and finish what the writer had begun.

    A client that got no answer looks whether the event is there before it tries again.
    """
    survey.crashes += 1
    survey.acknowledged += len(acknowledged)
    with open_ledger(folder / NAME) as ledger:
        if not table:
            # It failed before the table was acknowledged: what is there must be usable.
            table = ledger.create_table("frenzy", {}).id
        if table not in {one.id for one in ledger.tables()}:
            survey.lost += 1 + len(acknowledged)
            return
        there = {f"{event.seq} {event.digest}" for event in ledger.events(table)}
        survey.lost += len(set(acknowledged) - there)
        last = int(acknowledged[-1].split()[0]) if acknowledged else 0
        seq, words = last + 1, f"writer {number} event {last + 1}"
        if acknowledged and ledger.head(table).seq == last:
            ledger.append(
                table,
                seq,
                words,
                kind="note",
                source="test",
                actor=None,
                taken_at=NOW,
            )
        texts = [event.move for event in ledger.events(table)]
        survey.doubled += len(texts) - len(set(texts))
        survey.broken += not verify_table(ledger, table).is_intact
