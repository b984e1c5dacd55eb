"""By what a picture was measured: table map, mat, kit and lens, as numbers."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from companion.config import default_folder
from companion.tables.gear import Gear
from vision.types import Observation, TableFound

MAT_FILES = ("mat.geojson", "mat.toml", "mat.png")


def calibration_of(gear: Gear, observation: Observation | None) -> dict[str, Any]:
    """Return what measured the pictures of a pack: what was chosen, and its numbers.

    Where no lens was measured the lens was estimated from each picture, and is `None`.
    Of the mat there are the hashes of its files.
    """
    return {
        "gear": asdict(gear),
        "lens": _lens(gear.camera),
        "mat": _mat(gear.mat),
        "table": None if observation is None else _table(observation),
    }


def _lens(name: str) -> dict[str, Any] | None:
    from companion.measure.cameras import camera_folder  # noqa: PLC0415 - only here
    from vision.camera_store import camera_path  # noqa: PLC0415 - imports OpenCV

    if not name:
        return None
    try:
        text = camera_path(camera_folder(), name).read_text("utf-8")
    except OSError:
        return None  # forgotten since
    found: dict[str, Any] = json.loads(text)
    return found


def _mat(name: str) -> dict[str, str]:
    folder = default_folder() / "mats" / Path(name).name
    paths = [folder / file for file in MAT_FILES] if name else []
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in paths
        if path.is_file()
    }


def _table(observation: Observation) -> dict[str, Any]:
    table = observation.table
    if not isinstance(table, TableFound):
        return {"found": False, "reason": str(table.reason)}
    return {
        "found": True,
        **asdict(table),
        "width_px": observation.width_px,
        "height_px": observation.height_px,
    }
