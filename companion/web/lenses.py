"""Lenses on the page: photos of the printed sheet, what they cover, what is missing."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.cameras import NAME
from companion.errors import CompanionError
from companion.i18n import N_, say
from companion.measure.cameras import camera_folder
from companion.tables.gear import camera_names
from companion.tables.rights import Act
from companion.web.camera import newest, shelf
from companion.web.language import language
from companion.web.live_guard import needs
from companion.web.looking import looking
from companion.web.parts import change_limit, limiter, parts, read_limit, uploads
from engines.core import Number

if TYPE_CHECKING:
    from companion.terminal.calibrate import Looked

blueprint = Blueprint("lenses", __name__, url_prefix="/setup/lenses")
MOST_AT_ONCE, MOST_PHOTOS = 8, 60
SQUARES_MM = (5.0, 200.0)


class LensError(CompanionError):
    """A camera that cannot be measured so."""

    code = "lens"


@dataclass(slots=True)
class Work:
    """The photos of one camera that is being measured; kept in memory only."""

    square_mm: float | None = None
    looked: list[Looked] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


@blueprint.get("")
@needs(Act.SETUP)
def index() -> ResponseReturnValue:
    """List the cameras that were measured, and offer to measure one."""
    return render_template(
        "setup/lenses.html",
        names=camera_names(),
        begun=sorted(set(_works()) - set(camera_names())),
    )


@blueprint.post("")
@limiter.limit(change_limit)
@needs(Act.SETUP)
def begin() -> ResponseReturnValue:
    """Begin to measure a camera."""
    name = " ".join(request.form.get("name", "").split())
    if not NAME.fullmatch(name):
        raise LensError(
            N_("A camera's name has up to 40 letters, digits, spaces and dashes.")
        )
    works = _works()
    while len(works) >= MOST_AT_ONCE:
        works.pop(next(iter(works)))
    works[name] = Work(_square())
    return redirect(url_for("lenses.measure", name=name), 303)


@blueprint.get("/<name>")
@needs(Act.SETUP)
def measure(name: str) -> ResponseReturnValue:
    """Show what the photos so far cover, and what to photograph next."""
    return render_template("setup/lens.html", name=name, **_view(_work(name)))


@blueprint.post("/<name>/photos")
@limiter.limit(read_limit)
@needs(Act.SETUP)
def photos(name: str) -> ResponseReturnValue:
    """Look at photos of the sheet, or at what a phone's camera sees now."""
    from companion.terminal.calibrate import look_at, sheet_of  # noqa: PLC0415 - slow

    work = _work(name)
    phone = request.form.get("phone", "")
    sent = [(newest(phone).jpeg, phone)] if phone else uploads()
    with work.lock, parts().sight.turn():
        if len(work.looked) + len(sent) > MOST_PHOTOS:
            raise LensError(N_("These are photos enough. Begin anew if need be."))
        for data, source in sent:
            sheet = sheet_of(work.square_mm)
            work.looked.append(look_at(data, source, sheet, work.looked))
    return redirect(url_for("lenses.measure", name=name), 303)


@blueprint.post("/<name>")
@limiter.limit(change_limit)
@needs(Act.SETUP)
def save(name: str) -> ResponseReturnValue:
    """Measure the camera from the photos and keep it."""
    from companion.terminal.calibrate import NOT_CALIBRATED  # noqa: PLC0415 - slow
    from vision.calibrate import Calibration, calibrate  # noqa: PLC0415 - as above
    from vision.camera_store import save_camera  # noqa: PLC0415 - as above

    work = _work(name)
    found = calibrate(_seen(work))
    if not isinstance(found, Calibration):
        raise LensError(NOT_CALIBRATED[found.reason], value=Number(f"{found.value:g}"))
    save_camera(camera_folder(), name, found, datetime.now(UTC))
    looking().forget()
    _works().pop(name, None)
    return render_template("setup/lens_done.html", name=name, found=found)


def _view(work: Work) -> dict[str, Any]:
    from companion.terminal.calibrate import told, wish_sentence  # noqa: PLC0415 - slow
    from vision.calibrate import progress  # noqa: PLC0415 - as above

    state = progress(_seen(work))
    return {
        "state": state,
        "wish": wish_sentence(state.wish, language()),
        "photos": [
            (one.seen is not None, one.source, told(one, language()))
            for one in reversed(work.looked)
        ],
        "phones": shelf().present(),
        "is_enough": state.wish == "enough",
        "covered": say(
            language(), N_("%(share)s of the picture"), share=f"{state.covered:.0%}"
        ),
    }


def _seen(work: Work) -> list[Any]:
    return [one.seen for one in work.looked if one.seen is not None]


def _square() -> float | None:
    text = request.form.get("square_mm", "").replace(",", ".").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not SQUARES_MM[0] <= value <= SQUARES_MM[1]:
        raise LensError(N_("Give the side of one square in mm, 5 to 200."))
    return value


def _works() -> dict[str, Work]:
    found: dict[str, Work] = current_app.extensions.setdefault("arbitro.lenses", {})
    return found


def _work(name: str) -> Work:
    if not NAME.fullmatch(name):
        raise LensError(N_("There is no such camera."))
    if name not in _works() and name not in camera_names():
        raise LensError(N_("There is no such camera."))
    return _works().setdefault(name, Work())
