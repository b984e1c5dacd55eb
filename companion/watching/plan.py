"""What an eye needs to know, in a form that another process can be given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeAlias

from companion.errors import UsageError
from companion.i18n import N_
from companion.sight import load_pipeline
from vision.capture.source import Source
from vision.views import Pace, See

OpenSource: TypeAlias = Callable[[], Source]
LoadEye: TypeAlias = Callable[[], See]


@dataclass(frozen=True, slots=True)
class Tempo:
    """How a game is played in front of a camera."""

    pace: Pace
    quiet_s: float | None = None
    """Turns: moves are read when the whole table has been quiet for so long, since one
    play may be several cards laid one by one. `None`: real time, each change counts."""


TEMPI: Mapping[str, Tempo] = {
    # What one look does not tell surely two readings must agree on; longer waiting made
    # the end of a round late (570 ms instead of 400).
    "brawl": Tempo(Pace(settle_s=0.08, at_once=True)),
    "frenzy": Tempo(Pace(settle_s=0.08, at_once=True, hairs=True)),
    "regicide": Tempo(Pace(settle_s=0.15, recheck_s=0.8), quiet_s=1.5),
    "frantic": Tempo(Pace(settle_s=0.2, recheck_s=0.7, hairs=True), quiet_s=1.0),
    "warstones": Tempo(Pace(settle_s=0.6, crops=False, fewest_cells=9), quiet_s=1.2),
}
CALM = Tempo(Pace(settle_s=0.4, recheck_s=0.7), quiet_s=1.0)
"""For a game that says nothing of its tempo."""


def tempo_of(game: str) -> Tempo:
    """Return the tempo of a game."""
    return TEMPI.get(game, CALM)


@dataclass(frozen=True, slots=True)
class EyePlan:
    """Source, reader and tempo; both callables can be pickled."""

    open_source: OpenSource
    load: LoadEye = field(default_factory=lambda: partial(load_pipeline, 1))
    tempo: Tempo = CALM
    keep_all: bool = False
    """Of a recording every picture is looked at, however long it takes."""
    glimpse_s: float | None = None
    """So often people are shown what the camera sees, while it changes."""


def source_opener(
    text: str,
    *,
    allowed_hosts: tuple[str, ...] = (),
    real_time: bool = True,
    fps: float = 2.0,
    folder: Path | None = None,
) -> OpenSource:
    """Return what opens the source that a person named; see `open_any`."""
    return partial(
        open_any,
        text,
        allowed_hosts=allowed_hosts,
        real_time=real_time,
        fps=fps,
        folder=folder,
    )


def open_any(
    text: str,
    *,
    allowed_hosts: tuple[str, ...],
    real_time: bool,
    fps: float,
    folder: Path | None,
) -> Source:
    """Return the source: a phone of the page (``phone:NAME``), or one of vision's."""
    from companion.cameras import SCHEME, Shelf  # noqa: PLC0415 - only where needed
    from companion.phone_source import PhoneSource  # noqa: PLC0415 - imports OpenCV
    from vision.capture.opening import open_source  # noqa: PLC0415 - as above

    if text.startswith(SCHEME):
        name = text.removeprefix(SCHEME)
        if folder is None or not name:
            raise UsageError(
                N_("A phone is named as it was admitted on the page: phone:NAME.")
            )
        # Reading needs no key: only the page admits phones and takes their pictures.
        return PhoneSource(Shelf(folder / "cameras", b"reading"), name)
    return open_source(text, allowed_hosts=allowed_hosts, real_time=real_time, fps=fps)
