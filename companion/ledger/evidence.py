"""Pictures by their SHA-256, in a folder; the oldest make room, their hashes stay.

What is disputed stays for good. A picture is written and on the disk before an event
can name it.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, func, insert, select, update

from companion.ledger.errors import RefusedEventError, UnknownBlobError
from companion.ledger.schema import blob
from companion.ledger.signing import sync_folder

SHA256 = re.compile(r"[0-9a-f]{64}")
MEDIA_TYPE = re.compile(r"[a-z]{1,20}/[a-z0-9.+-]{1,30}")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A picture on the disk under a passing name."""

    path: Path
    sha256: str
    size_bytes: int


class Blobs:
    """The folder of pictures; which are there is known to the database."""

    def __init__(self, folder: Path, *, keep_bytes: int) -> None:
        self._folder = folder
        self._keep_bytes = keep_bytes

    @contextmanager
    def prepared(self, content: bytes) -> Iterator[Prepared]:
        """Give the content as a file; it is gone afterwards unless `keep` took it."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        making = self._folder / f"new-{secrets.token_hex(8)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        try:
            with os.fdopen(os.open(making, flags, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            yield Prepared(making, hashlib.sha256(content).hexdigest(), len(content))
        finally:
            making.unlink(missing_ok=True)

    def keep(self, db: Connection, file: Prepared, media_type: str) -> str:
        """Return the hash under which a prepared picture is kept from now on.

        Call it in a writing transaction: no other process then makes room meanwhile.
        """
        if not MEDIA_TYPE.fullmatch(media_type):
            raise ValueError(f"no media type: {media_type!r}")
        path = self.path(file.sha256)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        file.path.replace(path)
        sync_folder(path.parent)
        last = db.execute(select(func.max(blob.c.place))).scalar() or 0
        fresh = {"is_kept": True, "place": last + 1}
        known = blob.c.sha256 == file.sha256
        if db.execute(update(blob).where(known).values(fresh)).rowcount == 0:
            row = {"sha256": file.sha256, "media_type": media_type}
            new = insert(blob).values(row | fresh)
            db.execute(new.values(size_bytes=file.size_bytes, is_disputed=False))
        return file.sha256

    def read(self, sha256: str) -> bytes:
        """Return a picture; raise `UnknownBlobError` if it is not kept."""
        try:
            return self.path(sha256).read_bytes()
        except FileNotFoundError as error:
            raise UnknownBlobError from error

    def media_type(self, db: Connection, sha256: str) -> str:
        """Return what kind of picture it is, or was; raise `UnknownBlobError`."""
        query = select(blob.c.media_type).where(blob.c.sha256 == sha256)
        found: str | None = db.execute(query).scalar()
        if found is None:
            raise UnknownBlobError
        return found

    def path(self, sha256: str) -> Path:
        """Return where a picture is, or would be; refuses what is no hash."""
        if not SHA256.fullmatch(sha256):
            raise UnknownBlobError
        return self._folder / sha256[:2] / sha256

    def make_room(self, db: Connection) -> None:
        """Delete the oldest undisputed pictures beyond the bound.

        Before the commit, so that nobody can keep one anew in between: a crash here
        leaves rows that say "kept" of pictures that were about to go.
        """
        ring = blob.c.is_kept & ~blob.c.is_disputed
        query = select(func.sum(blob.c.size_bytes)).where(ring)
        excess_bytes = (db.execute(query).scalar() or 0) - self._keep_bytes
        leaving: list[str] = []
        if excess_bytes > 0:
            for row in db.execute(select(blob).where(ring).order_by(blob.c.place)):
                if excess_bytes <= 0:
                    break
                leaving.append(row.sha256)
                excess_bytes -= row.size_bytes
        gone = blob.c.sha256.in_(leaving)
        db.execute(update(blob).where(gone).values(is_kept=False))
        for sha256 in leaving:
            self.path(sha256).unlink(missing_ok=True)


def check_known(db: Connection, evidence: Iterable[str]) -> None:
    """Raise `RefusedEventError` unless every picture was kept once."""
    wanted = set(evidence)
    query = select(blob.c.sha256).where(blob.c.sha256.in_(wanted))
    if wanted and wanted - set(db.execute(query).scalars()):
        raise RefusedEventError(
            # Said to the program that forgot to call `keep`; no person can cause it.
            "an event names a picture that was not kept before"
        )
