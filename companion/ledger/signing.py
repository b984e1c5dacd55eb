"""The key of this installation, and what it signs: heads and exports (Ed25519)."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)

from companion.errors import ConfigError
from companion.i18n import N_
from companion.ledger.chain import time_text
from companion.ledger.records import Head, SignedHead
from engines.core import canonical

KEY_BYTES, SIGNATURE_BYTES = 32, 64
PURPOSE = "arbitro head 1"


class SigningKey:
    """The secret half stays in its file."""

    def __init__(self, secret: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(secret)
        self.public = self._key.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> str:
        """Return the signature in hex."""
        return self._key.sign(message).hex()

    def sign_head(self, table: str, head: Head) -> SignedHead:
        """Return `head` signed now."""
        now = datetime.now(UTC)
        unsigned = SignedHead(table, head.seq, head.digest, now, self.public, "")
        return replace(unsigned, signature=self.sign(_head_message(unsigned)))


def load_key(path: Path) -> SigningKey:
    """Return the key in the file; it is made, once, where there is none.

    Of two processes that make it at the same time one wins, and both use that one.
    """
    if not path.exists():
        _make_key(path)
    try:
        secret = bytes.fromhex(path.read_text("ascii").strip())
        return SigningKey(secret)
    except ValueError as error:
        raise ConfigError(
            N_("%(file)s does not hold a key. Move it away to get a new one."),
            file=str(path),
        ) from error


def is_signed(message: bytes, signature: str, public: str) -> bool:
    """Return whether the owner of the key signed just this."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def is_head_signed(head: SignedHead) -> bool:
    """Return whether the head bears the signature of its own key."""
    return is_signed(_head_message(head), head.signature, head.key)


def fingerprint(public: str) -> str:
    """Return a short name of a key, for people to compare.

    >>> fingerprint("00" * 32)
    '6668-7aad-f862-bd77'
    """
    digest = hashlib.sha256(bytes.fromhex(public)).hexdigest()
    return "-".join(digest[place : place + 4] for place in range(0, 16, 4))


def head_document(head: SignedHead) -> dict[str, Any]:
    """Return a signed head as JSON values."""
    return {
        "table": head.table,
        "seq": head.seq,
        "digest": head.digest,
        "signed_at": time_text(head.signed_at),
        "key": head.key,
        "signature": head.signature,
    }


def head_of(document: dict[str, Any]) -> SignedHead:
    """Return the head that `head_document` wrote."""
    moment = datetime.fromisoformat(document["signed_at"])
    return SignedHead(**document | {"signed_at": moment})


def _head_message(head: SignedHead) -> bytes:
    document = head_document(head) | {"purpose": PURPOSE}
    del document["signature"]
    return canonical(document)


def _make_key(path: Path) -> None:
    making = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(making, flags, 0o600), "w", encoding="ascii") as file:
        file.write(secrets.token_bytes(KEY_BYTES).hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        # A link is made whole or not at all, and never over an existing file.
        with contextlib.suppress(FileExistsError):
            os.link(making, path)
    finally:
        making.unlink()
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can say so."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
