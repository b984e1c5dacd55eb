"""What Arbitro prints, ready to be measured on: its mat and its fiches."""

from __future__ import annotations

import json
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from companion.measure.kits import KIT_FILE, OWN, KitFolder
from companion.measure.mats import MatFolder, city_spots
from companion.prints.galleries import own_chips
from companion.prints.galleries import own_mat as printed_mat
from engines.warstones import parse_mat
from vision.board import BoardMat
from vision.locate_mat import register_mat

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


@cache
def own_mat() -> MatFolder:
    """Return our printed mat, found by its markers, or by its picture."""
    printed = printed_mat()
    data: Mapping[str, Any] = json.loads(printed.geojson)
    mat = parse_mat(data)
    spots, reach = city_spots(mat)
    reference = register_mat(printed.bgr, printed.bounds_mm)
    board = BoardMat(printed.bounds_mm, reference, printed.markers, spots, reach)
    return MatFolder(OWN, data, mat, board)


@cache
def own_kit() -> KitFolder:
    """Return the kit that ships, with the faces of our printed fiches and tokens."""
    text = (files("engines.warstones") / KIT_FILE).read_text("utf-8")
    return KitFolder(OWN, tomllib.loads(text), own_chips())
