"""A zip whose last bytes sign all bytes before them: any change anywhere is found.

Any unzip opens it. The archive's comment, which a zip has at its very end, holds the
public key and the signature; entries are stored as they are, so that a changed one can
be read and named instead of only failing a checksum.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import struct
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from companion.ledger.signing import (
    KEY_BYTES,
    SIGNATURE_BYTES,
    SigningKey,
    is_signed,
    sync_folder,
)

PREFIX = b"arbitro 1 "
SEAL = re.compile(rb"arbitro 1 ([0-9a-f]{64}) ([0-9a-f]{128})")
SEAL_BYTES = len(PREFIX) + 2 * KEY_BYTES + 1 + 2 * SIGNATURE_BYTES
PURPOSE = b"arbitro export 1"
LOCAL_HEADER = struct.Struct("<4s5H3I2H")
CHUNK_BYTES = 1 << 20


class ArchiveError(Exception):
    """The bytes are not a sealed archive that can be taken apart."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A sealed archive, opened; whether its seal holds is asked apart."""

    path: Path
    key: str
    """The public key that its seal names."""
    signature: str
    entries: dict[str, zipfile.ZipInfo]

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of an entry as they lie there; raises `ArchiveError`."""
        entry = self.entries.get(name)
        if entry is None or entry.compress_type != zipfile.ZIP_STORED:
            raise ArchiveError(f"no entry {name}")
        if not 0 <= entry.header_offset < self.path.stat().st_size:
            raise ArchiveError(f"{name} lies outside the file")
        with self.path.open("rb") as file:
            file.seek(entry.header_offset)
            header = file.read(LOCAL_HEADER.size)
            if len(header) != LOCAL_HEADER.size:
                raise ArchiveError(f"no header of {name}")
            *_, name_bytes, extra_bytes = LOCAL_HEADER.unpack(header)
            file.seek(name_bytes + extra_bytes, os.SEEK_CUR)
            left = entry.file_size
            while left and (chunk := file.read(min(left, CHUNK_BYTES))):
                left -= len(chunk)
                yield chunk
            if left:
                raise ArchiveError(f"{name} is cut off")

    def read(self, name: str, *, most_bytes: int) -> bytes:
        """Return an entry whole; raises `ArchiveError`, also if it is too large."""
        entry = self.entries.get(name)
        if entry is None or entry.file_size > most_bytes:
            raise ArchiveError(f"no entry {name} of a size to read")
        return b"".join(self.chunks(name))

    def is_sealed(self) -> bool:
        """Return whether the owner of `key` signed every byte of this file."""
        digest = _digest_before_signature(self.path)
        return is_signed(PURPOSE + digest, self.signature, self.key)


def open_archive(path: Path) -> Archive:
    """Return the archive in a file; raises `ArchiveError` for anything else."""
    size_bytes = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size_bytes - SEAL_BYTES))
        seal = SEAL.fullmatch(file.read())
    if seal is None:
        raise ArchiveError("no seal at the end")
    try:
        with zipfile.ZipFile(path) as opened:
            found = opened.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise ArchiveError(str(error)) from error
    entries = {entry.filename: entry for entry in found}
    if len(entries) != len(found):
        raise ArchiveError("two entries of one name")
    return Archive(path, seal[1].decode(), seal[2].decode(), entries)


def write_archive(
    path: Path, entries: Iterable[tuple[str, bytes]], key: SigningKey
) -> None:
    """Write a sealed archive: it is there whole, or the file stays as it was."""
    making = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with zipfile.ZipFile(making, "x", zipfile.ZIP_STORED) as packed:
            for name, content in entries:
                packed.writestr(zipfile.ZipInfo(name), content)
            unsigned = PREFIX + key.public.encode() + b" " + b"0" * 2 * SIGNATURE_BYTES
            packed.comment = unsigned
        signature = key.sign(PURPOSE + _digest_before_signature(making))
        with making.open("r+b") as file:
            file.seek(-2 * SIGNATURE_BYTES, os.SEEK_END)
            file.write(signature.encode())
            file.flush()
            os.fsync(file.fileno())
        making.replace(path)
        sync_folder(path.parent)
    finally:
        making.unlink(missing_ok=True)


def _digest_before_signature(path: Path) -> bytes:
    left = max(0, path.stat().st_size - 2 * SIGNATURE_BYTES)
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while left and (chunk := file.read(min(left, CHUNK_BYTES))):
            digest.update(chunk)
            left -= len(chunk)
    return digest.digest()
