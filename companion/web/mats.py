"""Mats on the page: a photo is straightened, and its lines are drawn over it.

The lines are GeoJSON in millimetres, as the rules engine reads them; what is saved has
been checked by it, and what it refuses is told with the feature that is at fault.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from flask import (
    Blueprint,
    jsonify,
    redirect,
    render_template,
    request,
    send_file,
    url_for,
)
from flask.typing import ResponseReturnValue

from companion.decoding import decode_apart
from companion.errors import CompanionError
from companion.i18n import N_
from companion.tables.rights import Act
from companion.web.errors import wants_json
from companion.web.kits import PLACES
from companion.web.language import language
from companion.web.live_guard import needs
from companion.web.parts import change_limit, limiter, parts, read_limit, uploaded
from engines.core import KitError

blueprint = Blueprint("mats", __name__, url_prefix="/setup/mats")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
LINES, PICTURE, DRAFT = "mat.geojson", "mat.png", "draft"
MOST_BYTES = 2_000_000
SIZES_MM = (100.0, 3000.0)
KINDS = {
    "board": N_("board"),
    "sector": N_("sector"),
    "terrain": N_("terrain"),
    "base": N_("base"),
    "reserve": N_("reserve"),
    "city": N_("city space"),
    "track": N_("track"),
}
TERRAINS = {
    "forest": N_("forest"),
    "hill": N_("hill"),
    "swamp": N_("swamp"),
    "lake": N_("lake"),
    "river": N_("river"),
}


class MatPageError(CompanionError):
    """A mat that cannot be made, drawn or found."""

    code = "mat"


class NoSuchMatError(MatPageError):
    """There is no mat of that name."""

    http_status = 404

    def __init__(self) -> None:
        super().__init__(N_("There is no such mat here."))


@blueprint.get("")
@needs(Act.SETUP)
def index() -> ResponseReturnValue:
    """List the mats, and offer to make one."""
    folders = sorted(path.parent for path in _home().glob(f"*/{LINES}"))
    mats = [(folder.name, bool(_lines(folder).get(DRAFT))) for folder in folders]
    return render_template("setup/mats.html", mats=mats)


@blueprint.post("")
@limiter.limit(read_limit)
@needs(Act.SETUP)
def make() -> ResponseReturnValue:
    """Straighten a photo of a mat and begin its lines."""
    from companion.terminal.mats import NewMat, make_mat_of  # noqa: PLC0415 - OpenCV

    name = request.form.get("name", "").strip()
    if not NAME.fullmatch(name):
        raise MatPageError(N_("A mat's name has letters, digits, - and _."))
    size_mm = _size("width_mm"), _size("depth_mm")
    frame = decode_apart(*uploaded())
    wanted = NewMat(str(_home() / name), size_mm, _corners())
    make_mat_of(frame, wanted, language())
    return redirect(url_for("mats.edit", name=name), 303)


@blueprint.get("/<name>")
@needs(Act.SETUP)
def edit(name: str) -> ResponseReturnValue:
    """Draw the lines of a mat."""
    folder = _folder(name)
    lines = _lines(folder)
    return render_template(
        "setup/mat.html",
        name=name,
        lines=json.dumps(lines, ensure_ascii=False),
        bounds=_bounds(folder),
        is_draft=bool(lines.get(DRAFT)),
        kinds=KINDS,
        terrains=TERRAINS,
        places=PLACES,
    )


@blueprint.get("/<name>/mat.png")
@needs(Act.SETUP)
def picture(name: str) -> ResponseReturnValue:
    """Send the straightened picture."""
    return send_file(
        (_folder(name) / PICTURE).resolve(), mimetype="image/png", max_age=60
    )


@blueprint.get("/<name>/mat.geojson")
@needs(Act.SETUP)
def download(name: str) -> ResponseReturnValue:
    """Send the lines."""
    return send_file(
        (_folder(name) / LINES).resolve(),
        mimetype="application/geo+json",
        as_attachment=True,
        download_name=f"{name}.geojson",
        max_age=0,
    )


@blueprint.post("/<name>")
@limiter.limit(change_limit)
@needs(Act.SETUP)
def save(name: str) -> ResponseReturnValue:
    """Keep the lines if the rules engine can use them."""
    from engines.warstones import parse_mat  # noqa: PLC0415 - imports shapely

    folder = _folder(name)
    text = request.form.get("lines", "")
    if len(text) > MOST_BYTES:
        raise MatPageError(N_("These lines are too long to be those of a mat."))
    try:
        data = json.loads(text)
        if not isinstance(data, dict):
            raise KitError("a mat must be a GeoJSON object")
        parse_mat(data)
    except (KitError, ValueError) as error:
        raise MatPageError("%(reason)s", reason=str(error)) from error
    data.pop(DRAFT, None)
    making = folder / f"{LINES}.new"
    making.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", "utf-8")
    making.replace(folder / LINES)
    if wants_json():
        return jsonify({"saved": name})
    return redirect(url_for("mats.edit", name=name), 303)


def _home() -> Path:
    return parts().config.folder / "mats"


def _folder(name: str) -> Path:
    # The pattern has no dot and no slash: a path cannot leave the folder.
    folder = _home() / name
    if not NAME.fullmatch(name) or not (folder / LINES).is_file():
        raise NoSuchMatError
    return folder


def _lines(folder: Path) -> dict[str, Any]:
    try:
        data = json.loads((folder / LINES).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def _bounds(folder: Path) -> tuple[float, float, float, float]:
    from vision.errors import MatError  # noqa: PLC0415 - imports OpenCV
    from vision.mat_store import load_mat  # noqa: PLC0415 - imports OpenCV

    try:
        return load_mat(folder)[1].bounds_mm
    except MatError as error:
        raise MatPageError("%(reason)s", reason=str(error)) from error


def _size(field: str) -> float:
    try:
        value = float(request.form.get(field, ""))
    except ValueError:
        value = 0.0
    if not SIZES_MM[0] <= value <= SIZES_MM[1]:
        raise MatPageError(N_("Give width and depth of the mat in mm, 100 to 3000."))
    return value


def _corners() -> tuple[float, ...] | None:
    """Return the eight numbers of four tapped corners, `None` where none were."""
    text = request.form.get("corners", "").strip()
    if not text:
        return None
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = ()
    if len(values) != 8:
        raise MatPageError(N_("Tap the four corners of the mat, near left first."))
    return values
