"""One file that shows what was ruled and on what, for anyone to check offline.

An evidence pack is a zip: the picture, the picture with what was seen on it, the
numbers (the document of `arbitro score`), what people said and when, by what it was
measured (table map, mat, lens), the same on a printable page, and a manifest that names
every file by its SHA-256, the version of the rules, the models and their hashes. The
manifest is signed with the key of the installation (Ed25519), so that nothing in the
pack can be changed, added or taken away unseen.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import CompanionError
from companion.i18n import N_
from companion.ledger.signing import SigningKey, fingerprint, is_signed

VERSION = 1
MANIFEST, SIGNATURE = "manifest.json", "signature.json"
MAX_FILES = 200
MAX_BYTES = 200_000_000
_BROKEN = (
    *(OSError, zipfile.BadZipFile, zlib.error, EOFError),
    # Asked for a password, or for a compression that there is not.
    *(RuntimeError, NotImplementedError),
    *(ValueError, KeyError, TypeError, AttributeError),
)
"""What zipfile, zlib and json raise for damaged files."""
PURPOSE = b"arbitro evidence 1\n"


class PackError(CompanionError):
    """A file is no evidence pack, or not one that was left as it was."""

    code = "evidence"


@dataclass(frozen=True, slots=True)
class PackReport:
    """What an intact pack says of itself."""

    facts: Mapping[str, Any]
    files: tuple[str, ...]
    key: str
    """Public key of the installation that signed it, in hex."""

    @property
    def fingerprint(self) -> str:
        """Return the short name of the key, for people to compare."""
        return fingerprint(self.key)


def packed(
    files: Mapping[str, bytes], facts: Mapping[str, Any], key: SigningKey
) -> bytes:
    """Return the pack as a zip; the same content gives the same bytes."""
    manifest = _json(
        {
            **facts,
            "kind": "evidence",
            "version": VERSION,
            "files": {name: _sha256(data) for name, data in sorted(files.items())},
        }
    )
    signature = {"key": key.public, "signature": key.sign(PURPOSE + manifest)}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        everything = {
            MANIFEST: manifest,
            SIGNATURE: _json(signature),
            **dict(sorted(files.items())),
        }
        for name, data in everything.items():
            # A fixed date: the time that counts is in the manifest.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
    return out.getvalue()


def is_pack(path: Path) -> bool:
    """Return whether a file looks like an evidence pack at all."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {MANIFEST, SIGNATURE} <= set(archive.namelist()) and (
                json.loads(_read(archive, MANIFEST)).get("kind") == "evidence"
            )
    except (*_BROKEN, PackError):
        return False


def verify_pack(path: Path) -> PackReport:
    """Return what an intact pack says; raise `PackError` with the first fault.

    Intact: signed by the key it names, with just the files that its manifest names,
    each of the hash that it names. Whose key it is, people compare by its fingerprint.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _verified(archive)
    except _BROKEN as error:
        raise PackError(N_("This is not an evidence pack of Arbitro.")) from error


def _verified(archive: zipfile.ZipFile) -> PackReport:
    names = archive.namelist()
    sizes = sum(info.file_size for info in archive.infolist())
    if len(names) > MAX_FILES or sizes > MAX_BYTES:
        raise PackError(N_("The pack is too large to be one of Arbitro's."))
    if len(set(names)) != len(names):
        raise PackError(N_("The pack holds two files of the same name."))
    manifest = _read(archive, MANIFEST)
    told = json.loads(_read(archive, SIGNATURE))
    if not is_signed(PURPOSE + manifest, told["signature"], told["key"]):
        raise PackError(N_("The signature does not fit: the pack has been changed."))
    facts = json.loads(manifest)
    listed: dict[str, str] = facts.pop("files")
    for name in sorted(set(names) - {MANIFEST, SIGNATURE} - set(listed)):
        raise PackError(N_("%(name)s has been added to the pack."), name=name)
    for name, digest in listed.items():
        if name not in names:
            raise PackError(N_("%(name)s is missing in the pack."), name=name)
        if _sha256(_read(archive, name)) != digest:
            raise PackError(N_("%(name)s has been changed."), name=name)
    return PackReport(facts, tuple(listed), told["key"])


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise PackError(N_("The pack is too large to be one of Arbitro's."))
    return data


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).encode()
