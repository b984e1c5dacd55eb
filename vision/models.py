"""Trained networks: where they lie and whether they are what they claim to be."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vision.errors import ModelError

_PACKAGE = Path(__file__).parent
_FOLDERS = (_PACKAGE / "_models", _PACKAGE.parent / "models")
"""In an installed wheel the models lie inside the package, in a checkout beside it."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `manifest.toml` says of a model."""

    name: str
    weights: Path
    sha256: str
    thresholds: Mapping[str, float]

    def threshold(self, name: str) -> float:
        """Return a threshold; raise `ModelError` where the manifest lacks it."""
        try:
            return self.thresholds[name]
        except KeyError as error:
            raise ModelError(f"model {self.name!r} lacks threshold {name!r}") from error

    def verified_weights(self) -> Path:
        """Return the weights file; raise `ModelError` if it is missing or another."""
        if not self.weights.is_file():
            raise ModelError(f"model {self.name!r}: {self.weights} is missing")
        found = hashlib.sha256(self.weights.read_bytes()).hexdigest()
        if found != self.sha256:
            raise ModelError(
                f"model {self.name!r}: {self.weights.name} is not the file that its "
                f"manifest describes (sha256 {found[:12]}, not {self.sha256[:12]})"
            )
        return self.weights


def models_folder() -> Path:
    """Return the folder that holds one folder per model."""
    for folder in _FOLDERS:
        if folder.is_dir():
            return folder
    raise ModelError(f"there are no models in {' or '.join(map(str, _FOLDERS))}")


@cache
def load_manifest(name: str) -> Manifest:
    """Return the manifest of a model; raise `ModelError` if it is not sound."""
    folder = models_folder() / name
    return read_manifest(folder)


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a model's folder; raise `ModelError`."""
    try:
        data = tomllib.loads((folder / "manifest.toml").read_text("utf-8"))
        return Manifest(
            name=folder.name,
            weights=folder / str(data["weights"]),
            sha256=str(data["sha256"]),
            thresholds={k: float(v) for k, v in data.get("thresholds", {}).items()},
        )
    except OSError as error:
        raise ModelError(f"there is no model {folder.name!r} in {folder}") from error
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{folder}/manifest.toml is not sound: {error!r}") from error
