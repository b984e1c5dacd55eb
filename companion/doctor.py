"""Is everything here that Arbitro needs? One line each, with what to do where not."""

from __future__ import annotations

import platform
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from companion import showcase
from companion.about import our_version
from companion.config import Config
from companion.errors import CompanionError
from companion.i18n import N_
from companion.reader import labels
from companion.referee import See
from companion.sentences import finding_sentence
from engines.core import number
from vision.errors import CameraError, ImageError, ModelError
from vision.types import Finding, Observation, TableFound

LOW_DISK_MB, LEAST_DISK_MB = 1000, 100
SLOW_MS = 1000
BUILT_YEAR = 2026
"""A clock before this year was never set."""
MAX_RESIDUAL_MM = 3.0


class State(StrEnum):
    """How a check came out."""

    GOOD = "good"
    WARNING = "warning"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, and what was found."""

    title: str
    """English, from the catalogue."""
    state: State
    sentence: str
    """English, from the catalogue; `values` fill its places."""
    values: tuple[tuple[str, str | int], ...] = ()
    finding: Finding | None = None
    """For what vision noticed: said instead of `sentence`."""

    def told(self, say: Callable[..., str]) -> str:
        """Return the sentence in the language of `say(message, **values)`."""
        return say(self.sentence, **dict(self.values))


def examine(config: Config, see: See | None) -> Iterator[Check]:
    """Yield one check after the other; the slow ones last.

    `see` is the pipeline to try on a picture that ships with Arbitro, `None` where it
    could not be loaded.
    """
    yield _version()
    yield _clock()
    yield _folder(config.folder)
    yield from _cameras()
    yield from _models()
    if see is not None:
        yield _eyes(see)


def examine_view(observation: Observation, language: str) -> list[Check]:
    """Return what a camera's present view is like: light, sharpness, measure."""
    title = N_("What the camera sees")
    checks = [
        Check(
            title, State.WARNING, finding_sentence(finding, language), finding=finding
        )
        for finding in observation.findings
        if finding.code not in ("unread", "duplicate")
    ]
    if not checks:
        checks.append(
            Check(title, State.GOOD, N_("Bright and sharp enough to read cards."))
        )
    table = observation.table
    measured = N_("Millimetres")
    if isinstance(table, TableFound):
        state = State.GOOD if table.residual_mm < MAX_RESIDUAL_MM else State.WARNING
        text = N_("The table is measured to %(mm)s mm.")
        return [
            *checks,
            Check(measured, state, text, (("mm", number(table.residual_mm, 1)),)),
        ]
    text = N_("Nothing of known size is in view, so distances cannot be told.")
    return [*checks, Check(measured, State.WARNING, text)]


def _version() -> Check:
    values = (("version", our_version()), ("python", platform.python_version()))
    text = N_("Arbitro %(version)s on Python %(python)s.")
    return Check(N_("Version"), State.GOOD, text, values)


def _clock() -> Check:
    now = datetime.now(UTC)
    values = (("now", now.strftime("%Y-%m-%d %H:%M UTC")),)
    if now.year < BUILT_YEAR:
        text = N_("This machine's clock says %(now)s: set it, or evidence is misdated.")
        return Check(N_("Clock"), State.BAD, text, values)
    return Check(N_("Clock"), State.GOOD, N_("This machine says %(now)s."), values)


def _folder(folder: Path) -> Check:
    title = N_("Disk")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = folder / ".doctor"
        probe.write_bytes(b"x")
        probe.unlink()
    except OSError as error:
        reason = error.strerror or str(error)
        text = N_("Nothing can be kept in %(folder)s: %(reason)s.")
        return Check(
            title, State.BAD, text, (("folder", str(folder)), ("reason", reason))
        )
    free_mb = shutil.disk_usage(folder).free // 1_000_000
    values = (("folder", str(folder)), ("free", free_mb))
    if free_mb < LEAST_DISK_MB:
        text = N_("%(folder)s has only %(free)s MB left: pictures cannot be kept.")
        return Check(title, State.BAD, text, values)
    if free_mb < LOW_DISK_MB:
        text = N_("%(folder)s has only %(free)s MB left.")
        return Check(title, State.WARNING, text, values)
    text = N_("%(folder)s can be written and has %(free)s MB left.")
    return Check(title, State.GOOD, text, values)


def _cameras() -> Iterator[Check]:
    title = N_("Webcams")
    try:
        from vision.capture.webcam import list_webcams  # noqa: PLC0415 - by platform

        found = list_webcams()
    except CameraError as error:
        text = N_("The webcams of this machine cannot be listed: %(reason)s")
        yield Check(title, State.WARNING, text, (("reason", str(error)),))
        return
    if not found:
        text = N_("No webcam is plugged in. Phones and IP cameras work without one.")
        yield Check(title, State.WARNING, text)
    for camera in found:
        yield Check(title, State.GOOD, "%(name)s", (("name", camera.name),))


def _models() -> Iterator[Check]:
    from vision.models import load_manifest  # noqa: PLC0415 - only here

    for name in ("detector", "reader"):
        try:
            manifest = load_manifest(name)
            manifest.verified_weights()
        except ModelError as error:
            yield Check(
                N_("Models"), State.BAD, "%(reason)s", (("reason", str(error)),)
            )
        else:
            values = (("name", name), ("hash", manifest.sha256[:12]))
            text = N_("%(name)s, SHA-256 %(hash)s…, is what it should be.")
            yield Check(N_("Models"), State.GOOD, text, values)


def _eyes(see: See) -> Check:
    from vision.images import read_image  # noqa: PLC0415 - imports OpenCV

    title = N_("Eyes")
    table = showcase.tables()[0]
    try:
        frame = read_image(table.path)
        see(frame)  # the first picture is slower
        begun = time.perf_counter()
        observation = see(frame)
        spent_ms = round((time.perf_counter() - begun) * 1000)
    except (ImageError, CompanionError, OSError) as error:
        return Check(title, State.BAD, "%(reason)s", (("reason", str(error)),))
    compared = showcase.compare(table, labels(observation))
    values = (
        ("right", compared.right),
        ("total", compared.total),
        ("ms", spent_ms),
    )
    text = N_("%(right)s of %(total)s cards of a sample table named, in %(ms)s ms.")
    is_right = compared.right == compared.total and not compared.wrong
    state = State.GOOD if is_right else State.BAD
    return Check(
        title,
        State.WARNING if is_right and spent_ms > SLOW_MS else state,
        text,
        values,
    )
