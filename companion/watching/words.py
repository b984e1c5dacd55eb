"""What the camera does and what is waited for, as sentences for people."""

from __future__ import annotations

from collections.abc import Mapping

from companion.i18n import N_, say
from vision.capture.source import Health
from vision.live import Waiting

HEALTH: Mapping[Health, str] = {
    Health.OPENING: N_("The camera is being opened. That may take up to 20 seconds."),
    Health.GOOD: N_("The camera sends pictures."),
    Health.UNPLUGGED: N_(
        "The camera does not answer. Check its cable or its network; it is tried again."
    ),
    Health.FROZEN: N_("The picture is frozen. Unplug the camera and plug it in again."),
    Health.BLACK: N_(
        "The picture is black. Is the lens covered, or the camera not permitted?"
    ),
    Health.REPEATED: N_("The camera shows old pictures again. Nothing is read."),
    Health.RESIZED: N_("The pictures have changed their size."),
    Health.ENDED: N_("The recording is over."),
}

WAITING: Mapping[Waiting, str] = {
    Waiting.NOTHING: N_("The table is read. Play on."),
    Waiting.HANDS: N_("A hand is over the table. What it covers is read afterwards."),
    Waiting.REST: N_("Something moves. It is read when it lies still."),
    Waiting.AGREEMENT: N_("What was seen is looked at once more."),
    Waiting.VIEW: N_(
        "The whole picture has changed. Nothing counts until the table is back, or"
        " until you say that it should be read anew."
    ),
    Waiting.SHARPNESS: N_("The picture is blurred. It is read when it is sharp again."),
}

NOTICES: Mapping[str, str] = {
    "bumped": N_("The camera or the table was moved. The table was found again."),
    "view_changed": N_("The whole picture has changed."),
    "view_found": N_("The table is in view again."),
}


def health_sentence(health: Health, language: str) -> str:
    """Return how the camera does."""
    return say(language, HEALTH[health])


def waiting_sentence(waiting: Waiting, language: str) -> str:
    """Return what is waited for."""
    return say(language, WAITING[waiting])


def notice_sentence(code: str, language: str) -> str:
    """Return what was noticed about the view."""
    return say(language, NOTICES[code]) if code in NOTICES else code
