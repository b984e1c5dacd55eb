"""Our own prints as pictures to compare with: decks, fiches, the mat.

The pictures are the PDF's own drawing, rasterised, and kept in the user's cache: a
folder for each version of the art, so that they are drawn once.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from companion.errors import UsageError
from companion.i18n import N_

if TYPE_CHECKING:
    from companion.prints.decks import Deck
    from companion.prints.faces import Back, Face
    from vision.gallery import Gallery
    from vision.markers import MarkerBoard
    from vision.types import Bgr

CHIP_PX_PER_MM, MAT_PX_PER_MM = 8.0, 2.0
PX_PER_MM = 6.0
"""A card becomes 378 x 528 px: more than a photo of a table shows of it."""


def own_deck_names() -> tuple[str, ...]:
    """Return the names of the decks that Arbitro prints."""
    from companion.prints.decks import own_decks  # noqa: PLC0415

    return tuple(own_decks())


@cache
def own_deck(name: str, language: str = "en") -> Gallery:
    """Return one of our decks as a gallery; raise `UsageError` for another name."""
    from companion.prints.decks import own_decks  # noqa: PLC0415
    from companion.prints.faces import HEIGHT_MM, WIDTH_MM  # noqa: PLC0415
    from vision.gallery import Face as GalleryFace  # noqa: PLC0415
    from vision.gallery import Gallery  # noqa: PLC0415

    deck = own_decks().get(name)
    if deck is None:
        names = ", ".join(own_deck_names())
        message = N_("Arbitro prints no deck %(name)s; there are %(names)s.")
        raise UsageError(message, name=name, names=names)
    sides = [face for face, _ in deck.faces] + list(deck.backs)
    pictures = dict(zip(sides, _pictures(deck, sides, language), strict=True))
    faces = tuple(
        GalleryFace(face.label, (pictures[face],), copies)
        for face, copies in deck.faces
    )
    backs = tuple(pictures[back] for back in deck.backs)
    meta = {"game": deck.game, **dict(deck.meta)}
    return Gallery(name, faces, backs, WIDTH_MM, HEIGHT_MM, meta)


def _pictures(deck: Deck, sides: list[Face | Back], language: str) -> list[Bgr]:
    def draw() -> bytes:
        return sides_pdf(sides, language)

    names = [f"{number:03d}-{side.label}" for number, side in enumerate(sides)]
    return _kept(f"{deck.name}-{language}", names, draw, PX_PER_MM)


@cache
def own_chips() -> Mapping[str, tuple[Bgr, ...]]:
    """Return label -> pictures of our fiches and tokens, of the kit that ships.

    Squares whose edges the circle touches, as `vision.chips.enrol_chips` takes them; of
    City tokens the front alone, for all of a stack share their back.
    """
    from companion.prints.fiche_sheets import discs_pdf  # noqa: PLC0415
    from companion.prints.fiches import fiches, tokens  # noqa: PLC0415
    from engines.warstones import sample_kit  # noqa: PLC0415

    kit = sample_kit()
    discs = (*fiches(kit), *tokens(kit))
    labels = [disc.label for disc in discs]
    pictures = _kept(
        "warstones-chips", labels, lambda: discs_pdf(discs), CHIP_PX_PER_MM
    )
    return {label: (bgr,) for label, bgr in zip(labels, pictures, strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class OwnMat:
    """Our printed mat as the camera may look for it."""

    bgr: Bgr
    """Seen from straight above, first row farthest from the near edge."""
    bounds_mm: tuple[float, float, float, float]
    """Left, low, right, high, as `vision.locate_mat.register_mat` takes them."""
    markers: MarkerBoard
    """Those printed in its corners."""
    geojson: str
    """What is where on it."""


@cache
def own_mat(language: str = "en") -> OwnMat:
    """Return our Warstones mat."""
    from companion.prints.mat import mat_markers  # noqa: PLC0415
    from companion.prints.mat_features import SIZE_MM, mat_geojson  # noqa: PLC0415
    from companion.prints.tiles import bare_mat_pdf  # noqa: PLC0415

    (bgr,) = _kept(
        f"warstones-mat-{language}",
        ["mat"],
        lambda: bare_mat_pdf(language),
        MAT_PX_PER_MM,
    )
    return OwnMat(bgr, (0.0, 0.0, SIZE_MM, SIZE_MM), mat_markers(), mat_geojson())


def sides_pdf(sides: list[Face | Back], language: str) -> bytes:
    """Return a PDF with one side of a card on each page, the page as large as it."""
    from companion.prints.faces import (  # noqa: PLC0415
        HEIGHT_MM,
        WIDTH_MM,
        draw_side,
    )
    from companion.prints.paper import Document, Paper  # noqa: PLC0415

    document = Document("Arbitro", language)
    page = Paper("card", WIDTH_MM, HEIGHT_MM)
    for side in sides:
        with document.page(page, checks=False) as pen:
            draw_side(pen, side, language)
    return document.pdf()


def _kept(
    name: str, names: list[str], draw: Callable[[], bytes], px_per_mm: float
) -> list[Bgr]:
    """Return the pages of a drawing as pictures, from the cache where it has them.

    The key is the drawing itself: other art is another folder.
    """
    pdf = draw()
    key = hashlib.sha256(pdf + f"{px_per_mm}".encode()).hexdigest()[:16]
    folder = cache_folder() / f"{name}-{key}"
    kept = list(_read(folder, names))
    if len(kept) == len(names):
        return kept
    from companion.prints.raster import render_all  # noqa: PLC0415 - slow

    pictures: list[Bgr] = render_all(pdf, px_per_mm=px_per_mm)
    _write(folder, names, pictures)
    return pictures


def cache_folder() -> Path:
    """Return where rasterised prints are kept; ARBITRO_HOME moves it."""
    if home := os.environ.get("ARBITRO_HOME"):
        return Path(home) / "prints"
    from platformdirs import user_cache_path  # noqa: PLC0415

    return user_cache_path("arbitro", appauthor=False) / "prints"


def _read(folder: Path, names: list[str]) -> Iterator[Bgr]:
    import cv2  # noqa: PLC0415 - slow
    import numpy as np  # noqa: PLC0415

    for name in names:
        try:
            packed = np.frombuffer((folder / f"{name}.png").read_bytes(), np.uint8)
            picture = cv2.imdecode(packed, cv2.IMREAD_COLOR)
        except (OSError, cv2.error):
            return
        if picture is None:
            return
        yield np.asarray(picture, np.uint8)


def _write(folder: Path, names: list[str], pictures: list[Bgr]) -> None:
    """Write the pictures; a cache that cannot be written is none, and no error."""
    import cv2  # noqa: PLC0415

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, picture in zip(names, pictures, strict=True):
            _, packed = cv2.imencode(".png", picture)
            unfinished = folder / f"{name}.{os.getpid()}.part"
            unfinished.write_bytes(packed.tobytes())
            unfinished.replace(folder / f"{name}.png")
    except OSError:
        return
