"""`arbitro mat new` and `arbitro mat check`."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.errors import CompanionError
from companion.i18n import N_, say
from companion.measure.cameras import camera_of
from companion.measure.errors import BoardDataError
from companion.measure.mats import DRAFT, LINES, mat_folder, read_lines
from companion.sight import open_picture

if TYPE_CHECKING:
    from engines.warstones.mat import Mat
    from vision.geometry import Camera
    from vision.types import Array, Bgr, Frame


class NoMatError(CompanionError):
    """The photo gives no mat."""

    code = "no_mat"


@dataclass(frozen=True, slots=True)
class NewMat:
    """What a person says of a mat."""

    name: str
    size_mm: tuple[float, float]
    corners_px: tuple[float, ...] | None = None
    markers: tuple[float, ...] | None = None
    camera: str | None = None


def make_mat(photo: Path, wanted: NewMat, language: str) -> int:
    """Make the folder of a mat from a photo; return 0."""
    return make_mat_of(open_picture(photo), wanted, language)


def make_mat_of(frame: Frame, wanted: NewMat, language: str) -> int:
    """Make the folder of a mat from a picture that is open; return 0."""
    from vision.errors import GeometryError, MatError  # noqa: PLC0415 - slow to import
    from vision.mat_store import MatFacts, save_mat, straightened  # noqa: PLC0415

    folder = mat_folder(wanted.name)
    if (folder / LINES).exists():
        raise NoMatError(
            N_("%(folder)s holds a mat already. Choose another --name."),
            folder=str(folder),
        )
    camera = camera_of(frame, wanted.camera)
    corners = _corners(frame, wanted, camera)
    width, height = wanted.size_mm
    markers = None
    if wanted.markers is not None:
        left, low, right, high, side = wanted.markers
        markers = ((left, low, right, high), side)
    try:
        picture = straightened(frame.bgr, corners, wanted.size_mm, camera)
        save_mat(folder, picture, MatFacts((0.0, 0.0, width, height), markers))
    except GeometryError as error:
        raise NoMatError(_WRONG_CORNERS) from error
    except MatError as error:
        raise NoMatError(
            N_("The mat shows too little to be found by. Put corner markers on it.")
        ) from error
    data = draft(wanted.size_mm, Path(wanted.name).name)
    text = json.dumps(data, ensure_ascii=False, indent=1)
    (folder / LINES).write_text(text + "\n", "utf-8")
    click.echo(
        say(
            language,
            N_(
                'Mat kept: %(folder)s. Now draw its lines in %(file)s, remove "draft"'
                " there, and check with `arbitro mat check %(name)s`."
            ),
            folder=str(folder),
            file=LINES,
            name=wanted.name,
        )
    )
    return 0


_WRONG_CORNERS = N_(
    "The corners must go round the mat: near left, near right, far right, far left, as"
    " seen in the photo; the photo must not be mirrored."
)


def check_mat(name: str, overlay: Path | None, language: str) -> int:
    """Check a mat's folder and say what it holds; return 0."""
    folder = mat_folder(name)
    data, mat = read_lines(folder / LINES)
    counted = Counter(
        area.kind.value
        for area in (
            *mat.sectors,
            *mat.terrains,
            *mat.cities,
            *mat.bases,
            *mat.reserves,
            *mat.tracks,
        )
    )
    told = ", ".join(f"{kind} {count}" for kind, count in sorted(counted.items()))
    click.echo(say(language, N_("%(name)s is sound: %(what)s."), name=name, what=told))
    _check_picture(folder, mat)
    if overlay is not None:
        _write_lines(folder, mat, overlay)
        click.echo(say(language, N_("Overlay: %(path)s"), path=str(overlay)))
    if data.get(DRAFT):
        raise BoardDataError(
            N_('Its lines are still the draft: draw them and remove "draft".')
        )
    return 0


def draft(size_mm: tuple[float, float], name: str) -> dict[str, Any]:
    """Return our own mat's lines stretched to another size, to draw on; no terrain."""
    from importlib.resources import files  # noqa: PLC0415 - only here

    data: dict[str, Any] = json.loads(
        (files("engines.warstones") / LINES).read_text("utf-8")
    )
    features = [f for f in data["features"] if f["properties"]["kind"] != "terrain"]
    board = features[0]["geometry"]["coordinates"][0]
    wide = max(x for x, _ in board)
    deep = max(y for _, y in board)
    across, up = size_mm[0] / wide, size_mm[1] / deep
    for feature in features:
        feature["geometry"]["coordinates"] = [
            [[round(x * across, 1), round(y * up, 1)] for x, y in ring]
            for ring in feature["geometry"]["coordinates"]
        ]
    return data | {"name": name, DRAFT: True, "features": features}


def _corners(frame: Frame, wanted: NewMat, camera: Camera) -> Array:
    import numpy as np  # noqa: PLC0415 - slow to import

    from vision.find_mat import corners_by_markers, find_corners  # noqa: PLC0415

    if wanted.corners_px is not None:
        return np.array(wanted.corners_px).reshape(4, 2)
    found = None
    if wanted.markers is not None:
        found = corners_by_markers(frame.bgr, wanted.markers, wanted.size_mm, camera)
    if found is None:
        found = find_corners(frame.bgr)
    if found is None:
        raise NoMatError(
            N_(
                "The edges of the mat do not stand out in this photo. Give its corners"
                " with --corners: near left, near right, far right, far left."
            )
        )
    return found


def _check_picture(folder: Path, mat: Mat) -> None:
    """Raise `BoardDataError` if the picture and the lines are not of one size."""
    from vision.errors import MatError  # noqa: PLC0415 - slow to import
    from vision.mat_store import load_mat  # noqa: PLC0415 - as above

    try:
        _, facts = load_mat(folder)
    except MatError as error:
        raise BoardDataError("%(reason)s", reason=str(error)) from error
    board = mat.board.zone.bounds_mm
    worst = max(abs(a - b) for a, b in zip(board, facts.bounds_mm, strict=True))
    if worst > 0.1 * (board[2] - board[0]):
        raise BoardDataError(
            N_(
                "Feature %(id)s (the board) and the mat's picture differ by %(mm)s mm:"
                " both must be in the same millimetres."
            ),
            id=mat.board.id,
            mm=f"{worst:.0f}",
        )


def _write_lines(folder: Path, mat: Mat, target: Path) -> None:
    from vision.images import read_image, to_jpeg, to_png  # noqa: PLC0415 - slow
    from vision.mat_store import PICTURE, load_mat  # noqa: PLC0415 - as above

    picture = read_image(folder / PICTURE).bgr
    _, facts = load_mat(folder)
    drawn = _with_lines(picture, mat, facts.bounds_mm)
    encode = to_png if target.suffix.lower() == ".png" else to_jpeg
    target.write_bytes(encode(drawn))


def _with_lines(
    picture: Bgr, mat: Mat, bounds_mm: tuple[float, float, float, float]
) -> Bgr:
    from companion.measure.picture import rings  # noqa: PLC0415 - slow to import
    from vision.overlay.flat import Outline, draw_flat  # noqa: PLC0415 - as above

    areas = (
        mat.board,
        *mat.sectors,
        *mat.bases,
        *mat.reserves,
        *mat.tracks,
        *mat.cities,
        *mat.terrains,
    )
    outlines = [
        Outline(ring, area.id, is_terrain=area in mat.terrains)
        for area in areas
        for ring in rings(area)
    ]
    return draw_flat(picture, bounds_mm, outlines)
