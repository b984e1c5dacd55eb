"""Where decks are: in the user's folder, in any other folder, or Arbitro's own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from companion.config import default_folder
from companion.decks.errors import DeckError, UnknownDeckError
from companion.decks.roles import COUNTED
from companion.i18n import N_

if TYPE_CHECKING:
    from vision.gallery import Gallery

OWN = "own:"
"""What the names of Arbitro's own decks begin with."""
NAME = re.compile(r"[A-Za-z0-9][\w-]{0,63}")
FILE = "deck.toml"


def decks_folder() -> Path:
    """Return where this user's decks are kept, each a folder of pictures."""
    return default_folder() / "decks"


def deck_folder(name: str) -> Path:
    """Return the folder of a deck of that name; raise `DeckError` for no such name."""
    if not NAME.fullmatch(name):
        raise DeckError(
            N_("%(name)s cannot be the name of a deck: use letters, digits and -."),
            name=name,
        )
    return decks_folder() / name


def deck_names() -> tuple[str, ...]:
    """Return the names of the user's own decks."""
    folder = decks_folder()
    if not folder.is_dir():
        return ()
    return tuple(sorted(path.parent.name for path in folder.glob(f"*/{FILE}")))


def own_names() -> tuple[str, ...]:
    """Return the names of the decks that Arbitro prints, ``own:`` and all."""
    from companion.prints.galleries import own_deck_names  # noqa: PLC0415 - heavy

    return tuple(OWN + name for name in own_deck_names())


def open_deck(text: str) -> Gallery:
    """Return the deck that a person means by a name, a folder or ``own:NAME``.

    Raises `UnknownDeckError` where there is none, `DeckError` where it is not sound.
    """
    if text.startswith(OWN):
        return _own(text)
    folder = Path(text)
    if NAME.fullmatch(text) and (decks_folder() / text / FILE).is_file():
        folder = decks_folder() / text
    elif not (folder / FILE).is_file():
        raise UnknownDeckError(text, (*deck_names(), *own_names()))
    return load(folder)


def load(folder: Path) -> Gallery:
    """Return the deck in a folder; raise `DeckError` with what is wrong there."""
    from vision.gallery import GalleryError, load_gallery  # noqa: PLC0415 - heavy

    try:
        return load_gallery(folder)
    except GalleryError as error:
        raise DeckError("%(reason)s", reason=str(error)) from error


def open_decks(texts: Sequence[str]) -> tuple[Gallery, ...]:
    """Return the decks in the order of their owners."""
    return tuple(open_deck(text) for text in texts)


def rivals_of(gallery: Gallery) -> tuple[Gallery, ...]:
    """Return the user's other decks of the same game that are sound."""
    found = []
    for name in deck_names():
        try:
            other = load(decks_folder() / name)
        except DeckError:
            continue
        if name != gallery.name and other.meta.get("game") == gallery.meta.get("game"):
            found.append(other)
    return tuple(found)


def _own(text: str) -> Gallery:
    from companion.prints.galleries import own_deck  # noqa: PLC0415 - heavy

    if text not in own_names():
        raise UnknownDeckError(text, (*deck_names(), *own_names()))
    gallery = own_deck(text.removeprefix(OWN))
    return replace(gallery, meta={**gallery.meta, "copies": COUNTED})
