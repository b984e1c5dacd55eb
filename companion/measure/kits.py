"""Kits as folders: what is printed on units and tokens, and pictures of their faces."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.config import default_folder
from companion.errors import UsageError
from companion.i18n import N_
from companion.measure.errors import BoardDataError

if TYPE_CHECKING:
    from vision.board import BoardKit
    from vision.chips import ChipGallery
    from vision.types import Bgr

OWN = "own"
KIT_FILE, FACES = "kit.toml", "faces"
TOKEN = "city."
"""Labels that begin so are tokens, no chips."""
TOKEN_THICK_MM = 2.0
"""Cardboard, unless the kit says otherwise."""
SIGMA_MM = 0.1
"""Of a length that the owner of the box measured, unless the kit says otherwise."""

_FACE_FILE = re.compile(r"(?P<label>[a-z][a-z0-9_]*\.[a-z0-9_-]+?)(\.[0-9]+)?")


@dataclass(frozen=True, slots=True, eq=False)
class KitFolder:
    """A kit with the faces that were enrolled."""

    name: str
    data: Mapping[str, Any]
    """What `kit.toml` holds."""
    faces: Mapping[str, tuple[Bgr, ...]] = field(default_factory=dict)
    """Label -> square pictures of its face."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of all units and tokens."""
        return tuple(
            str(face["label"])
            for face in self.data.get("faces", ())
            if "class" in face or "city" in face
        )

    def of_tokens(self) -> KitFolder:
        """Return a kit whose chips are the tokens, none of them known by sight."""
        token = {"thickness_mm": TOKEN_THICK_MM, **self.data["token"]}
        return KitFolder(self.name, {**self.data, "chip": token})

    def board_kit(self) -> BoardKit:
        """Return what vision needs to know of it; enrolled once, since a followed mat
        is read again and again."""
        return _board_kit(self)


@lru_cache(maxsize=4)
def _board_kit(kit: KitFolder) -> BoardKit:
    from vision.board import BoardKit  # noqa: PLC0415 - slow to import
    from vision.rim import DiscSize  # noqa: PLC0415 - as above

    chip, token = kit.data["chip"], kit.data["token"]
    fortress = kit.data.get("fortress", {})
    return BoardKit(
        DiscSize(
            float(chip["diameter_mm"]), float(chip["thickness_mm"]), *_sigmas(chip)
        ),
        _gallery(kit.faces, tokens=False),
        DiscSize(
            float(token["diameter_mm"]),
            float(token.get("thickness_mm", TOKEN_THICK_MM)),
            *_sigmas(token),
            float(fortress.get("height_mm", 0.0)),
        ),
        _gallery(kit.faces, tokens=True),
    )


def _gallery(faces: Mapping[str, tuple[Bgr, ...]], *, tokens: bool) -> ChipGallery:
    from vision.chips import enrol_chips  # noqa: PLC0415 - slow to import

    chosen = {
        label: pictures
        for label, pictures in faces.items()
        if label.startswith(TOKEN) is tokens
    }
    try:
        return enrol_chips(chosen)
    except ValueError as error:
        raise BoardDataError("%(reason)s", reason=str(error)) from error


def open_kit(name: str) -> KitFolder:
    """Return the kit of that name or in that folder.

    Raises `BoardDataError`, or `UsageError` if there is none.
    """
    if name == OWN:
        from companion.measure.own import own_kit  # noqa: PLC0415 - slow to import

        return own_kit()
    folder = kit_folder(name)
    if not (folder / KIT_FILE).is_file():
        raise UsageError(
            N_("There is no kit %(name)s. `arbitro chips %(name)s` begins one."),
            name=name,
        )
    return KitFolder(name, read_kit(folder / KIT_FILE), _faces(folder / FACES))


def kit_folder(name: str) -> Path:
    """Return the folder of a kit: the one named, or one of that name at home."""
    path = Path(name)
    if path.is_dir() or len(path.parts) > 1:
        return path
    return default_folder() / "kits" / name


def begin_kit(folder: Path) -> Path:
    """Write the sample kit into a new folder, to be filled in; return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    text = (files("engines.warstones") / KIT_FILE).read_text("utf-8")
    (folder / KIT_FILE).write_text(text, "utf-8")
    return folder / KIT_FILE


def read_kit(path: Path) -> Mapping[str, Any]:
    """Return what a kit file holds, checked; raise `BoardDataError`."""
    from engines.core import KitError  # noqa: PLC0415 - only here
    from engines.warstones import parse_warkit  # noqa: PLC0415 - slow to import

    try:
        data = tomllib.loads(path.read_text("utf-8"))
        parse_warkit(data)
    except (KitError, ValueError) as error:
        raise BoardDataError(
            N_("%(file)s: %(reason)s"), file=str(path), reason=str(error)
        ) from error
    return data


def add_face(folder: Path, label: str, picture: Bgr) -> Path:
    """Keep one more picture of a face and return its file."""
    from vision.images import to_png  # noqa: PLC0415 - slow to import

    faces = folder / FACES
    faces.mkdir(parents=True, exist_ok=True)
    number, path = 1, faces / f"{label}.png"
    while path.exists():
        number += 1
        path = faces / f"{label}.{number}.png"
    path.write_bytes(to_png(picture))
    return path


def _faces(folder: Path) -> Mapping[str, tuple[Bgr, ...]]:
    from vision.images import read_image  # noqa: PLC0415 - slow to import

    faces: dict[str, tuple[Bgr, ...]] = {}
    for path in sorted(folder.glob("*.png")):
        found = _FACE_FILE.fullmatch(path.stem)
        if found is not None:
            label = found["label"]
            faces[label] = (*faces.get(label, ()), read_image(path).bgr)
    return faces


def _sigmas(thing: Mapping[str, Any]) -> tuple[float, float]:
    return (
        float(thing.get("diameter_sigma_mm", SIGMA_MM)),
        float(thing.get("thickness_sigma_mm", SIGMA_MM)),
    )
