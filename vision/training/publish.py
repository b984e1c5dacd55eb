"""Puts a trained network into `models/`, with a manifest that describes it.

    python -m vision.training.publish detector RUN/detector.onnx models/detector

Thresholds of an existing manifest are kept; those of a new one are the usual ones.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from vision.crops import CROP_HEIGHT, CROP_WIDTH
from vision.reading import RANKS, SUITS
from vision.training.dataset import CLASSES, SIZE_PX

LICENCE = "AGPL-3.0-or-later"
USUAL: Mapping[str, Mapping[str, float]] = {
    "detector": {
        "min_score": 0.25,
        "min_index_score": 0.08,
        "min_card_score": 0.35,
        "min_unread_score": 0.7,
        "min_hand_score": 0.75,
    },
    "reader": {
        "min_probability": 0.85,
        "min_alone": 0.88,
        "min_faint": 0.95,
        "min_once": 0.95,
        "min_whole": 0.97,
        "min_suit": 0.9,
        "temperature": 1.0,
    },
}
DESCRIPTION: Mapping[str, Mapping[str, object]] = {
    "detector": {
        "task": "oriented boxes",
        "input": "RGB in [0, 1], (1, 3, H, W), H and W multiples of 32",
        "trained_at_px": SIZE_PX,
        "classes": [str(kind) for kind in CLASSES],
    },
    "reader": {
        "task": "rank and suit of a crop",
        "input": f"BGR in [0, 1], (N, 3, {CROP_HEIGHT}, {CROP_WIDTH})",
        "ranks": list(RANKS),
        "suits": list(SUITS),
    },
}


def publish(name: str, onnx: Path, folder: Path) -> Path:
    """Copy `onnx` into `folder` and write its manifest; return the manifest's path."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.onnx"
    if onnx.resolve() != target.resolve():
        shutil.copy(onnx, target)
    manifest = folder / "manifest.toml"
    thresholds = dict(USUAL[name])
    if manifest.exists():
        known = tomllib.loads(manifest.read_text("utf-8")).get("thresholds", {})
        thresholds |= known
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    lines = [
        f'weights = "{target.name}"',
        f'sha256 = "{digest}"',
        f'licence = "{LICENCE}"',
        *(f"{key} = {_toml(value)}" for key, value in DESCRIPTION[name].items()),
        "",
        "[thresholds]",
        *(f"{key} = {value}" for key, value in sorted(thresholds.items())),
    ]
    manifest.write_text("\n".join(lines) + "\n", "utf-8")
    return manifest


def _toml(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def main(arguments: Sequence[str] | None = None) -> None:
    """Publish; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(USUAL))
    parser.add_argument("onnx", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    print(publish(options.name, options.onnx, options.folder))


if __name__ == "__main__":
    main()
