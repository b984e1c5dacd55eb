"""Phones as live cameras: the newest picture of each lies on a shelf, as a file.

The page puts pictures there, a watching process (`arbitro watch phone:NAME`) takes
them; neither waits for the other. A camera is a name with a signed key; its pictures
carry a counter that only grows and the time on the phone's clock, so that an old or
foreign picture cannot pass for the present one (threat model: shared/ecosystem.md C2).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from itsdangerous import BadSignature, URLSafeSerializer

from companion.errors import CompanionError
from companion.i18n import N_

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,39}")
SCHEME = "phone:"
MAX_FRAME_BYTES = 3_000_000
FRESH_S = 10.0
"""A camera that sent nothing for so long is away."""
CLOCK_LEAP_MS = 60_000
"""A phone's clock may be wrong, but it runs: two pictures lie so far apart at most of
what passed here."""


class CameraRefusedError(CompanionError):
    """A picture that is not taken: from no camera of ours, or older than the last."""

    http_status = 409
    code = "camera_refused"


class UnknownCameraError(CompanionError):
    """The key of a camera is not one that this installation gave."""

    http_status = 403
    code = "unknown_camera"

    def __init__(self) -> None:
        super().__init__(N_("This camera is not known here. Open the page again."))


@dataclass(frozen=True, slots=True)
class Shelved:
    """The newest picture of a camera."""

    camera: str
    count: int
    taken_ms: int
    """On the phone's clock, since 1970."""
    arrived_s: float
    """On this machine's clock, since 1970."""
    jpeg: bytes


class Shelf:
    """The newest picture of every phone; safe to use from several processes."""

    def __init__(self, folder: Path, key: bytes) -> None:
        self._folder = folder
        self._signer = URLSafeSerializer(key, salt="camera")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def admit(self, name: str, by: str = "", *, replaces: bool = True) -> str:
        """Return the key with which the camera `name` sends.

        The last one admitted under a name replaces those before it; unless it
        `replaces` others, only those that were admitted by the same person. Raises
        `CameraRefusedError` for a name that is none, or is somebody else's.
        """
        if not NAME.fullmatch(name):
            raise CameraRefusedError(
                N_("A camera's name has up to 40 letters, digits, spaces and dashes.")
            )
        nonce = secrets.token_hex(8)
        if not replaces and self._admitted(name).get("by", by) != by:
            raise CameraRefusedError(
                N_("Another phone is the camera %(name)s. Choose another name."),
                name=name,
            )
        self._write(name, "nonce", json.dumps({"nonce": nonce, "by": by}).encode())
        self._path(name, "meta").unlink(missing_ok=True)
        return str(self._signer.dumps([name, nonce]))

    def put(self, key: str, jpeg: bytes, *, count: int, taken_ms: int) -> str:
        """Shelve a picture and return the camera's name.

        Raises `UnknownCameraError`, or `CameraRefusedError` for what is too large, no
        JPEG, or not newer than the last one.
        """
        try:
            name, nonce = self._signer.loads(key)
            admitted = self._admitted(str(name)).get("nonce")
        except (BadSignature, ValueError, TypeError, OSError) as error:
            raise UnknownCameraError from error
        if nonce != admitted:
            raise UnknownCameraError
        if len(jpeg) > MAX_FRAME_BYTES or not jpeg.startswith(b"\xff\xd8\xff"):
            raise CameraRefusedError(
                N_("A camera sends JPEG pictures of at most 3 MB.")
            )
        now = time.time()
        last = self._meta(name)
        if last is not None:
            leap = (taken_ms - last["taken_ms"]) - (now - last["arrived_s"]) * 1000
            if count <= last["count"] or abs(leap) > CLOCK_LEAP_MS:
                raise CameraRefusedError(N_("This picture is older than the last one."))
        self._write(name, "jpg", jpeg)
        meta = {"count": count, "taken_ms": taken_ms, "arrived_s": now}
        self._write(name, "meta", json.dumps(meta).encode())
        return str(name)

    def newest(self, name: str) -> Shelved | None:
        """Return the newest picture of a camera, `None` where there is none."""
        meta = self._meta(name)
        if meta is None:
            return None
        with contextlib.suppress(OSError):
            jpeg = self._path(name, "jpg").read_bytes()
            count, taken_ms = int(meta["count"]), int(meta["taken_ms"])
            return Shelved(name, count, taken_ms, float(meta["arrived_s"]), jpeg)
        return None

    def present(self) -> tuple[str, ...]:
        """Return the names of the cameras that are sending now, sorted."""
        names = []
        for path in self._folder.glob("*.meta"):
            name = path.stem
            meta = self._meta(name)
            if meta is not None and time.time() - meta["arrived_s"] < FRESH_S:
                names.append(name)
        return tuple(sorted(names))

    def _admitted(self, name: str) -> dict[str, str]:
        try:
            found = json.loads(self._path(name, "nonce").read_text())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _meta(self, name: str) -> dict[str, float] | None:
        try:
            meta: dict[str, float] = json.loads(self._path(name, "meta").read_text())
        except (OSError, ValueError):
            return None
        return meta

    def _path(self, name: str, kind: str) -> Path:
        # The pattern has no dot and no slash: a path cannot leave the folder.
        if not NAME.fullmatch(name):
            raise UnknownCameraError
        return self._folder / f"{name}.{kind}"

    def _write(self, name: str, kind: str, data: bytes) -> None:
        """Replace a file whole, so that no reader ever sees half of one."""
        making = self._folder / f"{name}.{kind}.{secrets.token_hex(4)}.new"
        handle = os.open(making, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        making.replace(self._path(name, kind))
