"""Galleries: one picture or more of every card of a deck, in a folder of its own.

    deck.toml   version, name, size in mm, a free table of texts, faces and backs
    *.png       the pictures that it names

A gallery knows no game: labels are texts. It can be copied, shared and edited by hand,
so everything that is read from one is checked; a zip is a folder from a stranger.
"""

from __future__ import annotations

import re
import tempfile
import tomllib
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import cv2
import numpy as np

from vision.errors import ImageError, VisionError
from vision.images import decode
from vision.types import Bgr

VERSION = 1
FILE = "deck.toml"
MAX_FACES = 100_000
MAX_FILES = 20_000
MAX_ZIP_BYTES = 400_000_000
"""What a zip may hold when unpacked; 54 pictures of a phone's cards are 30 MB."""
MAX_FILE_BYTES = 40_000_000
SIZE_MM = (20.0, 300.0)
LONG_SIDE_PX = 800
"""Pictures are kept no larger: no photo of a table shows more of a card."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


UNREADABLE_ZIP = (
    *(OSError, zipfile.BadZipFile, zlib.error, EOFError),
    *(RuntimeError, NotImplementedError),
)
"""What zipfile raises for damaged files, passwords and unknown compression."""


class GalleryError(VisionError):
    """A gallery cannot be read or written: names the file and what is wrong there."""


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """One face of the deck."""

    label: str
    pictures: tuple[Bgr, ...]
    """Straightened, upright; the whole picture is the card."""
    copies: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Gallery:
    """What a deck looks like."""

    name: str
    faces: tuple[Face, ...]
    backs: tuple[Bgr, ...] = ()
    width_mm: float = 63.0
    height_mm: float = 88.0
    meta: Mapping[str, str] = field(default_factory=dict)
    """Free texts for whoever made it: the game, the owner."""

    def __post_init__(self) -> None:
        labels = [face.label for face in self.faces]
        if doubled := sorted({k for k in labels if labels.count(k) > 1}):
            raise GalleryError(f"{self.name}: face {doubled[0]!r} is there twice")


def load_gallery(folder: Path) -> Gallery:
    """Return the gallery in a folder.

    Raises `GalleryError` with the file and the fault.
    """
    folder = Path(folder)
    path = folder / FILE
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise GalleryError(f"{path}: cannot be read") from error
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise GalleryError(f"{path}: {error}") from error
    return _parsed(data, folder, path)


def save_gallery(gallery: Gallery, folder: Path) -> None:
    """Write the gallery into a folder, which then holds nothing else of a gallery.

    Other files in the folder stay; pictures that the old `deck.toml` named do not.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    before = _named_pictures(folder)
    names, lines = set[str](), _head(gallery)
    for label, copies, pictures in _parts(gallery):
        files = list(_write_all(folder, label or "back", pictures, names))
        lines.append("\n[[back]]" if label is None else "\n[[face]]")
        if label is not None:
            lines += [f"label = {_text(label)}", f"copies = {copies}"]
        lines.append(f"pictures = [{', '.join(map(_text, files))}]")
    unfinished = folder / f"{FILE}.part"
    unfinished.write_text("\n".join(lines) + "\n", "utf-8")
    unfinished.replace(folder / FILE)
    for name in before - names:
        (folder / name).unlink(missing_ok=True)


def export_zip(gallery: Gallery, path: Path) -> None:
    """Write the gallery into one zip file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_gallery(gallery, folder)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            for file in sorted(folder.iterdir()):
                archive.write(file, file.name)


def unpack_zip(path: Path, folder: Path) -> None:
    """Write the files of a zip into a folder that is there; no picture is opened.

    Raises `GalleryError` for what is no zip, strange names and too much data.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _unpack(archive, Path(folder), Path(path))
    except UNREADABLE_ZIP as error:
        raise GalleryError(f"{path}: no zip that can be read") from error


def _unpack(archive: zipfile.ZipFile, folder: Path, path: Path) -> None:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    total = sum(entry.file_size for entry in entries)
    if len(entries) > MAX_FILES or total > MAX_ZIP_BYTES:
        raise GalleryError(f"{path}: holds more than a deck does")
    for entry in entries:
        parts = PurePosixPath(entry.filename).parts
        name = parts[-1] if parts else ""
        # A folder around the files is common; whatever else leads elsewhere is refused.
        if len(parts) > 2 or not _is_plain(name) or ".." in parts or "\\" in name:
            raise GalleryError(f"{path}: {entry.filename!r} is no file of a deck")
        with archive.open(entry) as source:
            data = source.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise GalleryError(f"{path}: {entry.filename!r} is too large")
        (folder / name).write_bytes(data)


def _parsed(data: Mapping[str, object], folder: Path, path: Path) -> Gallery:
    if data.get("version") != VERSION:
        raise GalleryError(f"{path}: version must be {VERSION}")
    name = data.get("name")
    if not isinstance(name, str) or not name.strip():
        raise GalleryError(f'{path}: a deck must say its name: name = "..."')
    faces = tuple(_face(item, folder, path) for item in _tables(data, "face", path))
    if not faces:
        raise GalleryError(f"{path}: a deck needs at least one [[face]]")
    backs = tuple(
        picture
        for item in _tables(data, "back", path)
        for picture in _pictures(item, folder, path, "the back")
    )
    width_mm, height_mm = (
        _length(data, key, path) for key in ("width_mm", "height_mm")
    )
    meta = data.get("meta", {})
    if not isinstance(meta, dict) or not all(isinstance(v, str) for v in meta.values()):
        raise GalleryError(f'{path}: [meta] holds texts only: key = "..."')
    return Gallery(name, faces, backs, width_mm, height_mm, meta)


def _tables(
    data: Mapping[str, object], key: str, path: Path
) -> Sequence[Mapping[str, object]]:
    found = data.get(key, [])
    if not isinstance(found, list) or not all(isinstance(i, dict) for i in found):
        raise GalleryError(f"{path}: {key} must be written as [[{key}]]")
    if len(found) > MAX_FACES:
        raise GalleryError(f"{path}: at most {MAX_FACES} of [[{key}]]")
    return found


def _face(item: Mapping[str, object], folder: Path, path: Path) -> Face:
    label, copies = item.get("label"), item.get("copies", 1)
    if not isinstance(label, str) or not label.strip():
        raise GalleryError(f'{path}: each [[face]] needs a label = "..."')
    if not isinstance(copies, int) or isinstance(copies, bool) or copies < 1:
        raise GalleryError(f"{path}: copies of {label!r} must be a number from 1 on")
    return Face(label, tuple(_pictures(item, folder, path, repr(label))), copies)


def _pictures(
    item: Mapping[str, object], folder: Path, path: Path, what: str
) -> Iterator[Bgr]:
    names = item.get("pictures")
    if not isinstance(names, list) or not names:
        raise GalleryError(f'{path}: {what} needs pictures = ["..."]')
    for name in names:
        if not isinstance(name, str) or not _is_plain(name):
            raise GalleryError(f"{path}: {name!r} is no file of this folder")
        yield _read(folder / name)


def _read(path: Path) -> Bgr:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise GalleryError(f"{path}: is too large for a card")
        return decode(path.read_bytes(), source=path.name).bgr
    except OSError as error:
        raise GalleryError(f"{path}: cannot be read") from error
    except ImageError as error:
        raise GalleryError(f"{path}: {error}") from error


def _length(data: Mapping[str, object], key: str, path: Path) -> float:
    value = data.get(key)
    low, high = SIZE_MM
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and low <= float(str(value)) <= high:
        return float(str(value))
    raise GalleryError(f"{path}: {key} must be a length from {low:g} to {high:g} mm")


def _is_plain(name: str) -> bool:
    """Return whether a name is that of a file right in the folder."""
    return bool(name) and name == Path(name).name and not name.startswith(".")


def _head(gallery: Gallery) -> list[str]:
    lines = [
        f"version = {VERSION}",
        f"name = {_text(gallery.name)}",
        f"width_mm = {gallery.width_mm:g}",
        f"height_mm = {gallery.height_mm:g}",
    ]
    if gallery.meta:
        lines.append("\n[meta]")
        lines += [f"{_key(k)} = {_text(v)}" for k, v in sorted(gallery.meta.items())]
    return lines


def _parts(
    gallery: Gallery,
) -> Iterator[tuple[str | None, int, tuple[Bgr, ...]]]:
    for face in gallery.faces:
        yield face.label, face.copies, face.pictures
    if gallery.backs:
        yield None, 1, gallery.backs


def _write_all(
    folder: Path, label: str, pictures: Sequence[Bgr], names: set[str]
) -> Iterator[str]:
    """Write pictures under names of their label that nothing else has."""
    stem = _UNSAFE.sub("_", label).strip("._") or "card"
    for picture in pictures:
        number, name = 1, f"{stem}.png"
        while name.casefold() in {taken.casefold() for taken in names}:
            number += 1
            name = f"{stem}-{number}.png"
        names.add(name)
        done, packed = cv2.imencode(".png", _at_most(picture))
        if not done:
            raise GalleryError(f"{folder / name}: cannot be written")
        (folder / name).write_bytes(packed.tobytes())
        yield name


def _at_most(bgr: Bgr) -> Bgr:
    share = LONG_SIDE_PX / max(bgr.shape[:2])
    if share >= 1:
        return bgr
    size = (max(1, round(bgr.shape[1] * share)), max(1, round(bgr.shape[0] * share)))
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)


def _named_pictures(folder: Path) -> set[str]:
    """Return the pictures that an older deck in this folder names."""
    try:
        data = tomllib.loads((folder / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return set()
    tables = [*data.get("face", []), *data.get("back", [])]
    return {
        name
        for table in tables
        if isinstance(table, dict)
        for name in table.get("pictures", [])
        if isinstance(name, str) and _is_plain(name)
    }


def _key(value: str) -> str:
    return value if re.fullmatch(r"[A-Za-z0-9_-]+", value) else _text(value)


def _text(value: str) -> str:
    """Return a TOML basic string."""
    escaped = "".join(
        f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c
        for c in value.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{escaped}"'
