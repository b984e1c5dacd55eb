"""Mats as folders: the picture by which a mat is found, and its lines in mm."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.config import default_folder
from companion.errors import UsageError
from companion.i18n import N_
from companion.measure.errors import BoardDataError
from engines.core import KitError

if TYPE_CHECKING:
    from engines.warstones.mat import Mat
    from vision.board import BoardMat

OWN = "own"
LINES = "mat.geojson"
DRAFT = "draft"
"""Key of a mat whose lines are still those of our own mat, stretched to its size."""


@dataclass(frozen=True, slots=True, eq=False)
class MatFolder:
    """A mat that can be measured on."""

    name: str
    data: Mapping[str, Any]
    """The GeoJSON."""
    mat: Mat
    board: BoardMat


def open_mat(name: str) -> MatFolder:
    """Return the mat of that name or in that folder.

    Raises `BoardDataError` with the faulty feature, `UsageError` if there is no mat.
    """
    if name == OWN:
        from companion.measure.own import own_mat  # noqa: PLC0415 - slow to import

        return own_mat()
    folder = mat_folder(name)
    if not folder.is_dir():
        raise UsageError(
            N_("There is no mat %(name)s. `arbitro mat new PHOTO` makes one."),
            name=name,
        )
    data, mat = read_lines(folder / LINES)
    if data.get(DRAFT):
        raise BoardDataError(
            N_(
                "The lines of mat %(name)s are still the draft. Draw them in %(file)s"
                ' and remove "draft" there.'
            ),
            name=name,
            file=str(folder / LINES),
        )
    return MatFolder(name, data, mat, _board(folder, mat))


def mat_folder(name: str) -> Path:
    """Return the folder of a mat: the one named, or one of that name at home."""
    path = Path(name)
    if path.is_dir() or len(path.parts) > 1:
        return path
    return default_folder() / "mats" / name


def read_lines(path: Path) -> tuple[Mapping[str, Any], Mat]:
    """Return the GeoJSON and the checked mat; raise `BoardDataError`."""
    from engines.warstones import parse_mat  # noqa: PLC0415 - imports shapely

    try:
        data = json.loads(path.read_text("utf-8"))
        if not isinstance(data, dict):
            raise KitError("a mat must be a GeoJSON object")
        return data, parse_mat(data)
    except FileNotFoundError as error:
        raise BoardDataError(
            N_("There is no file %(file)s."), file=str(path)
        ) from error
    except (KitError, ValueError) as error:
        raise BoardDataError(
            N_("%(file)s: %(reason)s"), file=str(path), reason=str(error)
        ) from error


def city_spots(mat: Mat) -> tuple[tuple[tuple[float, float], ...], float]:
    """Return the centres of the City spaces, and how far a token may lie from them."""
    spots = tuple(area.zone.centre_mm for area in mat.cities)
    widths = [a.zone.bounds_mm[2] - a.zone.bounds_mm[0] for a in mat.cities]
    return spots, max(widths, default=60.0) / 2


def _board(folder: Path, mat: Mat) -> BoardMat:
    from vision.board import BoardMat  # noqa: PLC0415 - slow to import
    from vision.errors import MatError  # noqa: PLC0415 - as above
    from vision.mat_store import load_mat  # noqa: PLC0415 - as above

    try:
        reference, facts = load_mat(folder)
    except MatError as error:
        raise BoardDataError("%(reason)s", reason=str(error)) from error
    spots, reach = city_spots(mat)
    return BoardMat(facts.bounds_mm, reference, facts.board, spots, reach)
