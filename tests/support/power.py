"""A disk that forgets what was not synced when the power fails, under SQLite.

`disk_module(cut)` is a DB-API module on apsw for SQLAlchemy. Its files live in memory
until `xSync`; at the operation that `cut` names the power fails: of what was written
since the last sync each piece is kept, lost or torn, by chance, and the process is
gone (ecosystem.md, figure R2).
"""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import apsw

CHECKPOINT_PAGES = 40
"""So seldom that the log is long, so often that a cut also meets a checkpoint."""


@dataclass
class Image:
    """What a file holds for those who read it now, and what is not yet on the disk."""

    now: bytearray
    unsynced: list[tuple[int, bytes | None]] = field(default_factory=list)
    """Offset and bytes of each write; `None` instead: cut to that length."""


class Power:
    """Counts what is asked of the disk, and fails at one of them."""

    def __init__(self, *, fails_at: int, seed: int) -> None:
        self.left = fails_at
        self.rng = random.Random(seed)
        self.images: dict[str, Image] = {}

    def spend(self) -> None:
        self.left -= 1
        if self.left <= 0:
            self.fail()

    def fail(self) -> None:
        """Write a random part of what was not synced, and be gone."""
        for name, image in self.images.items():
            share = self.rng.choice((0.0, 0.0, 0.5, 0.9))
            for offset, data in image.unsynced:
                if self.rng.random() < share:
                    torn = self.rng.random() < 0.3
                    put(name, offset, torn_off(data, self.rng) if torn else data)
        os._exit(1)


def torn_off(data: bytes | None, rng: random.Random) -> bytes | None:
    return None if data is None else data[: rng.randrange(len(data) + 1)]


def put(name: str, offset: int, data: bytes | None) -> None:
    """Change the file itself."""
    if not os.path.exists(name):  # noqa: PTH110 - SQLite speaks in texts
        return
    if data is None:
        os.truncate(name, offset)
        return
    handle = os.open(name, os.O_WRONLY)
    os.pwrite(handle, data, offset)
    os.close(handle)


class File(apsw.VFSFile):
    """A file whose writes wait for the next sync; locks and shared memory are real."""

    def __init__(self, power: Power, name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self.power = power
        self.name = name.filename() if isinstance(name, apsw.URIFilename) else name
        if self.name not in power.images:
            size = super().xFileSize()
            found = super().xRead(size, 0) if size else b""
            power.images[self.name] = Image(bytearray(found))

    @property
    def image(self) -> Image:
        return self.power.images[self.name]

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        return bytes(self.image.now[offset : offset + amount])

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        data, now = bytes(data), self.image.now
        if len(now) < offset:
            now.extend(bytes(offset - len(now)))
        now[offset : offset + len(data)] = data
        self.image.unsynced.append((offset, data))
        self.power.spend()

    def xTruncate(self, size: int) -> None:  # noqa: N802
        del self.image.now[size:]
        self.image.unsynced.append((size, None))
        self.power.spend()

    def xFileSize(self) -> int:  # noqa: N802
        return len(self.image.now)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self.power.spend()
        for offset, data in self.image.unsynced:
            put(self.name, offset, data)
        self.image.unsynced.clear()


class Disk(apsw.VFS):
    """The system's files through `File`."""

    def __init__(self, power: Power) -> None:
        super().__init__("forgetful", "", maxpathname=1024)
        self.power = power

    def xOpen(self, name: Any, flags: list[int]) -> File:  # noqa: N802
        return File(self.power, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self.power.images.pop(filename, None)
        super().xDelete(filename, syncdir)


class Cursor:
    """As much of a DB-API cursor as SQLAlchemy asks for."""

    arraysize = 1
    lastrowid = 0

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.cursor = connection.cursor()
        self.description: Sequence[Any] | None = None
        self.rowcount = -1

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        self.cursor.execute(sql, tuple(parameters))
        try:
            self.description = [(c[0], *(None,) * 6) for c in self.cursor.description]
        except apsw.ExecutionCompleteError:
            self.description = None
            self.rowcount = self.connection.changes()

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        for row in rows:
            self.execute(sql, row)

    def fetchone(self) -> Any:
        return self.cursor.fetchone()

    def fetchall(self) -> list[Any]:
        return list(self.cursor.fetchall())

    def fetchmany(self, size: int = 1) -> list[Any]:
        found = (self.fetchone() for _ in range(size))
        return [row for row in found if row is not None]

    def close(self) -> None:
        self.cursor.close()


class Connection:
    """As much of a DB-API connection."""

    isolation_level: str | None = None

    def __init__(self, path: str) -> None:
        self.connection = apsw.Connection(path, vfs="forgetful")
        self.connection.wal_autocheckpoint(CHECKPOINT_PAGES)

    def cursor(self) -> Cursor:
        return Cursor(self.connection)

    def commit(self) -> None:
        if self.connection.in_transaction:
            self.cursor().execute("COMMIT")

    def rollback(self) -> None:
        if self.connection.in_transaction:
            self.cursor().execute("ROLLBACK")

    def create_function(self, name: str, count: int, function: Any, **_: Any) -> None:
        self.connection.create_scalar_function(name, function, count)

    def close(self) -> None:
        self.connection.close()


def disk_module(power: Power) -> tuple[ModuleType, Disk]:
    """Return a DB-API module on the forgetful disk, and the disk, to be kept alive."""
    module = ModuleType("forgetful")
    for name in ("Error", "DatabaseError", "OperationalError", "IntegrityError"):
        setattr(module, name, getattr(sqlite3, name))
    for name in ("ProgrammingError", "InterfaceError", "NotSupportedError"):
        setattr(module, name, getattr(sqlite3, name))
    for name in ("InternalError", "DataError", "Warning"):
        setattr(module, name, getattr(sqlite3, name))
    version = apsw.sqlite_lib_version()
    module.paramstyle = "qmark"  # type: ignore[attr-defined]
    module.sqlite_version = version  # type: ignore[attr-defined]
    numbers = tuple(map(int, version.split(".")))
    module.sqlite_version_info = numbers  # type: ignore[attr-defined]
    module.connect = lambda path, **_: Connection(path)  # type: ignore[attr-defined]
    return module, Disk(power)
