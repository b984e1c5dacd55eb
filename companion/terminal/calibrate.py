"""`arbitro calibrate`: what each photo adds, what is missing, and the camera kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text as Line

from companion.decoding import decode_apart
from companion.i18n import N_, say
from companion.measure.cameras import camera_folder
from companion.sentences import image_sentence
from companion.sight import open_picture
from companion.terminal.show import console
from engines.core import Number, number
from vision.errors import ImageError

if TYPE_CHECKING:
    from vision.calibrate import Calibration, NotCalibrated, Progress
    from vision.sheet import Sheet, SheetSeen
    from vision.types import Bgr

UNSEEN = {
    "no_sheet": N_("the sheet is not in the picture"),
    "few_corners": N_("too little of the sheet is in the picture"),
    "too_far": N_("the sheet is too far away"),
    "blurred": N_("out of focus"),
    "moving": N_("smeared: hold still"),
    "alike": N_("like one before: it adds nothing"),
}
WISHES = {
    "enough": N_("Enough pictures of every kind."),
    "more_views": N_("A few more pictures, each a little different."),
    "lean": N_("Tilt the sheet to another side, by 20 degrees or more."),
}
PARTS = {
    "top_left": N_("top left"),
    "top_centre": N_("top middle"),
    "top_right": N_("top right"),
    "middle_left": N_("middle left"),
    "middle_centre": N_("middle"),
    "middle_right": N_("middle right"),
    "bottom_left": N_("bottom left"),
    "bottom_centre": N_("bottom middle"),
    "bottom_right": N_("bottom right"),
}
NOT_CALIBRATED = {
    "few_views": N_("%(value)s usable pictures are too few; at least 8 are needed."),
    "sizes_differ": N_("The pictures have several sizes; use one camera and setting."),
    "too_alike": N_(
        "The pictures are too alike to measure the lens: tilt the sheet more, and go"
        " nearer and farther."
    ),
    "poor_fit": N_(
        "The pictures do not fit together (%(value)s px): is the sheet flat, is"
        " --square right, and did the zoom stay the same?"
    ),
}


@dataclass(frozen=True, slots=True)
class Looked:
    """What one photo gave."""

    source: str
    seen: SheetSeen | None
    reason: str = ""


def calibrate_camera(
    photos: Sequence[Path],
    name: str,
    square_mm: float | None,
    language: str,
    *,
    as_json: bool,
) -> int:
    """Measure a camera and keep it; return 0, or 1 if the photos do not say enough."""
    from vision.calibrate import (  # noqa: PLC0415 - slow to import
        Calibration,
        calibrate,
        progress,
    )
    from vision.camera_store import save_camera  # noqa: PLC0415 - as above

    looked: list[Looked] = []
    for photo in photos:
        looked.append(_look(photo, sheet_of(square_mm), looked))
        if not as_json:
            console().print(_photo_line(looked[-1], language))
    views = [one.seen for one in looked if one.seen is not None]
    state, found = progress(views), calibrate(views)
    path = None
    if isinstance(found, Calibration):
        path = save_camera(camera_folder(), name, found, datetime.now(UTC))
    if as_json:
        document = _json(name, looked, state, found, path)
        click.echo(json.dumps(document, ensure_ascii=False))
    else:
        _show(console(), state, found, path, language)
    return 0 if path else 1


def sheet_of(square_mm: float | None) -> Sheet:
    """Return the printed sheet, or one whose squares were measured to differ."""
    from vision.sheet import Sheet  # noqa: PLC0415 - slow to import

    if square_mm is None:
        return Sheet()
    return Sheet(square_mm=square_mm, marker_mm=0.75 * square_mm)


def _look(photo: Path, sheet: Sheet, before: Sequence[Looked]) -> Looked:
    try:
        return _seen_in(open_picture(photo).bgr, photo.name, sheet, before)
    except ImageError as error:
        return Looked(photo.name, None, error.code)


def look_at(data: bytes, source: str, sheet: Sheet, before: Sequence[Looked]) -> Looked:
    """Return what an uploaded photo gives after those before it."""
    try:
        frame = decode_apart(data, source)
        return _seen_in(frame.bgr, source, sheet, before)
    except ImageError as error:
        return Looked(source, None, error.code)


def _seen_in(bgr: Bgr, source: str, sheet: Sheet, before: Sequence[Looked]) -> Looked:
    from vision.calibrate import is_news  # noqa: PLC0415 - slow to import
    from vision.sheet import SheetUnseen, see_sheet  # noqa: PLC0415 - as above

    seen = see_sheet(bgr, sheet)
    if isinstance(seen, SheetUnseen):
        return Looked(source, None, seen.reason)
    kept = [one.seen for one in before if one.seen is not None]
    if not is_news(kept, seen):
        return Looked(source, None, "alike")
    return Looked(source, seen)


def _photo_line(looked: Looked, language: str) -> Line:
    sign = ("✗ ", "red") if looked.seen is None else ("✓ ", "green")
    return Line.assemble(sign, f"{looked.source}: {told(looked, language)}")


def told(looked: Looked, language: str) -> str:
    """Return what one photo gave, in words."""
    if (seen := looked.seen) is None:
        message = UNSEEN.get(looked.reason)
        if message is None:
            return image_sentence(looked.reason, language)
        return say(language, message)
    return say(
        language,
        N_("%(corners)s corners, leaning %(tilt)s degrees, blur %(blur)s px"),
        corners=len(seen.ids),
        tilt=f"{seen.tilt_deg:.0f}",
        blur=number(seen.blur.own_px, 1),
    )


def _show(
    out: Console,
    state: Progress,
    found: Calibration | NotCalibrated,
    path: Path | None,
    language: str,
) -> None:
    from vision.calibrate import Calibration  # noqa: PLC0415 - slow to import

    for row in state.cells:
        cells = ("■ " if cell else "· " for cell in row)
        out.print(Line("  " + "".join(cells), "cyan"))
    covered = say(
        language,
        N_("%(share)s of the picture covered, %(leaning)s leaning views of %(views)s."),
        share=f"{state.covered:.0%}",
        leaning=state.leaning,
        views=state.views,
    )
    out.print(f"{covered} {wish_sentence(state.wish, language)}")
    if not isinstance(found, Calibration):
        message = NOT_CALIBRATED[found.reason]
        sentence = say(language, message, value=Number(f"{found.value:g}"))
        click.echo(f"arbitro: {sentence}", err=True)
        return
    out.print(
        say(
            language,
            N_(
                "Reprojection error %(rms)s px (RMS) over %(views)s pictures,"
                " %(dropped)s left out; focal length %(focal)s px ± %(sigma)s %%."
            ),
            rms=number(found.rms_px, 2),
            views=found.views,
            dropped=found.dropped,
            focal=f"{sum(found.camera.focal_px) / 2:.0f}",
            sigma=number(100 * found.camera.focal_sigma, 2),
        )
    )
    out.print(
        say(language, N_("Camera kept: %(path)s"), path=str(path)), soft_wrap=True
    )


def wish_sentence(wish: str, language: str) -> str:
    """Return what picture to take next."""
    if wish in WISHES:
        return say(language, WISHES[wish])
    part = PARTS.get(wish.removeprefix("show_"), wish)
    return say(
        language,
        N_("Hold the sheet where it is still missing: %(part)s of the picture."),
        part=say(language, part),
    )


def _json(
    name: str,
    looked: Sequence[Looked],
    state: Progress,
    found: Calibration | NotCalibrated,
    path: Path | None,
) -> dict[str, object]:
    from vision.calibrate import Calibration  # noqa: PLC0415 - slow to import

    document: dict[str, object] = {
        "camera": name,
        "photos": [
            {"source": one.source, "used": one.seen is not None, "reason": one.reason}
            for one in looked
        ],
        "covered": round(state.covered, 3),
        "leaning": state.leaning,
        "wish": state.wish,
        "path": None if path is None else str(path),
    }
    if isinstance(found, Calibration):
        return document | {
            "rms_px": round(found.rms_px, 4),
            "views": found.views,
            "dropped": found.dropped,
            "focal_px": [round(value, 2) for value in found.camera.focal_px],
            "focal_sigma": round(found.camera.focal_sigma, 6),
        }
    return document | {"reason": found.reason, "value": found.value}
