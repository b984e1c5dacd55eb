"""What the camera does and what is waited for, as sentences for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from companion.i18n import N_, say
from companion.watching.messages import END_UNREAD
from vision.capture.source import Health
from vision.views import Waiting

if TYPE_CHECKING:
    from companion.watch import Standing

WELL = frozenset(Waiting) - {Waiting.VIEW, Waiting.SHARPNESS, Waiting.GLARE}
"""Waits that belong to play; of the others people should do something."""

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
    Health.SLOW: N_("The camera sends few pictures. Play is seen late."),
    Health.RESIZED: N_("The pictures have changed their size."),
    Health.ENDED: N_("The recording is over."),
}

WAITING: Mapping[Waiting, str] = {
    Waiting.NOTHING: N_("The table is read. Play on."),
    Waiting.HANDS: N_("A hand is over the table. What it covers is read afterwards."),
    Waiting.REST: N_("Something moves. It is read when it lies still."),
    Waiting.AGREEMENT: N_("What was seen is looked at once more."),
    Waiting.QUIET: N_("Cards were read. They count when the table has been quiet."),
    Waiting.VIEW: N_(
        "The whole picture has changed. Nothing counts until the table is back, or"
        " until you say that it should be read anew."
    ),
    Waiting.GLARE: N_("Something shines. What lies under it is read afterwards."),
    Waiting.SHARPNESS: N_("The picture is blurred. It is read when it is sharp again."),
}

NOTICES: Mapping[str, str] = {
    "bumped": N_("The camera or the table was moved. The table was found again."),
    "view_changed": N_("The whole picture has changed."),
    "view_found": N_("The table is in view again."),
    END_UNREAD: N_(
        "The recording ends before all of the table was read. What was laid last may be"
        " missing: add it by hand."
    ),
}

FAILURES: Mapping[str, str] = {
    "died": N_("The part that looks has stopped. It is started again."),
    "eye": N_("The part that looks has failed. It is started again."),
    "camera": N_("The camera cannot be used: %(reason)s"),
    "ledger": N_("What was seen could not be written down: %(reason)s"),
}
"""By code; any other failure is said in its own words."""


def failure_sentence(code: str, reason: str, language: str) -> str:
    """Return what failed; "" if nothing did."""
    sentence = FAILURES.get(code)
    return reason if sentence is None else say(language, sentence, reason=reason)


def health_sentence(health: Health, language: str) -> str:
    """Return how the camera does."""
    return say(language, HEALTH[health])


def waiting_sentence(waiting: Waiting, language: str) -> str:
    """Return what is waited for."""
    return say(language, WAITING[waiting])


def notice_sentence(code: str, language: str) -> str:
    """Return what was noticed about the view."""
    return say(language, NOTICES[code]) if code in NOTICES else code


def waited_for(standing: Standing, language: str) -> str:
    """Return what is waited for; when a recording is over, what of it was not read, ""
    if all was."""
    if not standing.has_ended:
        return waiting_sentence(standing.waiting, language)
    is_left = standing.notice == END_UNREAD
    return notice_sentence(standing.notice, language) if is_left else ""


def standing_json(standing: Standing, language: str) -> dict[str, Any]:
    """Return how a watched table stands, as plain values with sentences.

    ``text`` is the sentence that matters most: what failed, then what the camera lacks,
    then what is waited for, or was not read before a recording ended.
    """
    health, waiting = standing.camera.health, standing.waiting
    failure = failure_sentence(standing.failure_code, standing.failure, language)
    is_seen = health is Health.GOOD
    wait = waited_for(standing, language)
    is_told = is_seen or (standing.has_ended and wait)
    said = failure or (wait if is_told else health_sentence(health, language))
    return {
        "text": said,
        "is_well": not failure and is_seen and waiting in WELL,
        "health": health.value,
        "health_text": health_sentence(health, language),
        "waiting": waiting.value,
        "waiting_text": wait,
        "notice": standing.notice,
        "notice_text": notice_sentence(standing.notice, language),
        "failure": standing.failure_code,
        "is_aligned": standing.is_aligned,
        "is_over": standing.is_over,
        "seq": standing.seq,
        "fps": standing.fps,
        "lag_s": standing.lag_s,
        "looked": standing.looked,
        "readings": standing.readings,
        "timings_ms": dict(standing.timings_ms),
    }
