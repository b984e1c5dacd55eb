"""Decks from strangers: the files are unpacked here, their pictures by the child."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from companion.decks.errors import DeckError
from companion.decks.places import FILE
from companion.decoding import decode_apart

if TYPE_CHECKING:
    from vision.gallery import Gallery

PICTURES = {".png", ".jpg", ".jpeg", ".webp"}


def deck_of_zip(path: Path) -> Gallery:
    """Return the deck in a zip; raise `DeckError`, and `NotHereError` without a child.

    Nothing is kept: `save_gallery` writes the pixels anew, never the stranger's files.
    """
    from vision.gallery import (  # noqa: PLC0415 - imports OpenCV
        GalleryError,
        load_gallery,
        unpack_zip,
    )

    with tempfile.TemporaryDirectory() as place:
        inside = Path(place)
        try:
            unpack_zip(path, inside)
            for file in sorted(inside.iterdir()):
                if file.name != FILE:
                    _write_anew(file)
            return load_gallery(inside)
        except GalleryError as error:
            reason = str(error).replace(f"{inside}/", "")
            raise DeckError("%(reason)s", reason=reason) from error


def _write_anew(file: Path) -> None:
    """Replace a picture by one that we packed; a file that is none goes."""
    from vision.errors import ImageError  # noqa: PLC0415 - imports OpenCV
    from vision.gallery import GalleryError  # noqa: PLC0415 - as above
    from vision.images import to_png  # noqa: PLC0415 - as above

    try:
        frame = decode_apart(file.read_bytes(), file.name)
    except ImageError as error:
        file.unlink()
        if file.suffix.lower() in PICTURES:
            raise GalleryError(f"{file.name}: {error}") from error
        return
    file.write_bytes(to_png(frame.bgr))
