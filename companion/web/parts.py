"""What the views work with: settings, storage, eyes."""

from __future__ import annotations

from dataclasses import dataclass

from flask import current_app, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

from companion.config import Config
from companion.errors import CompanionError
from companion.i18n import N_
from companion.sight import Sight
from companion.store import Store

limiter = Limiter(get_remote_address, strategy="moving-window")


@dataclass(frozen=True, slots=True)
class Parts:
    """Made once by `create_app`."""

    config: Config
    store: Store
    sight: Sight


def parts() -> Parts:
    """Return the parts of the present application."""
    found: Parts = current_app.extensions["arbitro"]
    return found


def read_limit() -> str:
    """Return how often one address may send a picture."""
    return f"{parts().config.reads_per_minute}/minute"


def change_limit() -> str:
    """Return how often one address may answer and correct."""
    return f"{parts().config.changes_per_minute}/minute"


def uploaded() -> tuple[bytes, str]:
    """Return the bytes and the name of the picture that was sent.

    The form has two places for it, one that opens the camera and one that does not.
    """
    for file in request.files.getlist("photo"):
        if file.filename:
            return file.stream.read(), file.filename[-120:]
    raise CompanionError(N_("Take or choose a picture first."))


def uploads() -> list[tuple[bytes, str]]:
    """Return bytes and name of every picture that was sent, at least one."""
    sent = [file for file in request.files.getlist("photo") if file.filename]
    if not sent:
        raise CompanionError(N_("Take or choose a picture first."))
    return [(file.stream.read(), (file.filename or "")[-120:]) for file in sent[:12]]


def decks_asked() -> int:
    """Return how many decks the request names, from 1 to 4."""
    text = request.form.get("copies") or request.form.get("decks", "1")
    return int(text) if text in ("1", "2", "3", "4") else 1
