"""Names for cut-out cards: what a person types, and which label of the kit it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from companion.decks.errors import DeckError
from companion.i18n import N_

if TYPE_CHECKING:
    from engines.core import Kit

BACK = "@back"
SKIP = "@skip"
BACK_WORDS = frozenset({BACK, "back", "backs", "dorso", "retro"})
SKIP_WORDS = frozenset({SKIP, "-", "skip", "salta", ""})
COPIES = re.compile(r"(.*?)\s*[*x×]\s*(\d{1,3})", re.IGNORECASE)
NUMBERED = re.compile(r"[ _.-]?\d{1,3}$")
"""What file names of further pictures of one card end in: ``R5-2``, ``back 3``."""


@dataclass(frozen=True, slots=True)
class Name:
    """What one cut-out card is: a label of the kit, `BACK` or `SKIP`."""

    label: str
    copies: int | None = None
    """How many cards of the deck bear the face, if that was said."""


def read_name(text: str, kit: Kit) -> Name | None:
    """Return what a person means, `None` for no card of the kit.

    Labels and names in either language count, in large or small letters; ``R5*2`` says
    how many there are.
    """
    word, copies = text.strip(), None
    label = _label(word, kit)
    if label is None and (found := COPIES.fullmatch(word)):
        label, copies = _label(found[1], kit), int(found[2])
    return None if label is None or copies == 0 else Name(label, copies)


def named_by_file(path: Path, kit: Kit) -> Name | None:
    """Return the card that the name of a file tells: ``R5.png``, ``R5-2.jpg``."""
    stem = path.stem
    return read_name(stem, kit) or read_name(NUMBERED.sub("", stem), kit)


def read_names(text: str, kit: Kit) -> tuple[Name, ...]:
    """Return the names of a list or of a file: one a line, or with commas between.

    ``#`` starts a comment. Raises `DeckError` for the first that is no card.
    """
    lines = (line.partition("#")[0] for line in text.splitlines())
    words = [word.strip() for line in lines for word in line.split(",")]
    names = []
    for word in filter(None, words):
        name = read_name(word, kit)
        if name is None:
            raise DeckError(
                N_("%(word)s is no card of %(game)s. Close to it: %(close)s."),
                word=word,
                game=kit.game,
                close=", ".join(close_to(word, kit)) or "-",
            )
        names.append(name)
    return tuple(names)


def close_to(word: str, kit: Kit, most: int = 5) -> Sequence[str]:
    """Return the labels that look or begin like a word, the likeliest first."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for mistakes

    labels = [face.label for face in kit.faces]
    folded = {label.casefold(): label for label in labels}
    found = [label for key, label in folded.items() if key.startswith(word.casefold())]
    close = get_close_matches(word.casefold(), folded, n=most, cutoff=0.5)
    return [*dict.fromkeys([*found, *(folded[key] for key in close)])][:most]


def _label(word: str, kit: Kit) -> str | None:
    key = word.casefold()
    if key in BACK_WORDS:
        return BACK
    if key in SKIP_WORDS:
        return SKIP
    return _first(
        face.label
        for face in kit.faces
        if key in {face.label.casefold(), *(n.casefold() for _, n in face.names)}
    )


def _first(labels: Iterable[str]) -> str | None:
    return next(iter(labels), None)
