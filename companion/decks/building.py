"""From named pictures to a deck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from companion.decks.errors import DeckError
from companion.decks.naming import BACK, SKIP, Name
from companion.decks.roles import COUNTED
from companion.i18n import N_

if TYPE_CHECKING:
    from engines.core import Kit
    from vision.gallery import Face, Gallery
    from vision.types import Bgr

ASSUMED = "assumed"
"""Value of ``copies`` in a deck's free table where nobody has counted."""
MANY = 20
"""Copies that are assumed of a face where the kit does not tell: no limit to speak
of."""
EXACT_KITS = frozenset({"frantic"})
"""Games of which every box holds the copies that the kit says."""


def build(
    name: str,
    kit: Kit,
    named: Sequence[tuple[Bgr, Name]],
    meta: Mapping[str, str],
) -> Gallery:
    """Return the deck of pictures and their names; raise `DeckError` if it is empty.

    Several pictures of one name are several views of one face.
    """
    from vision.gallery import Face, Gallery  # noqa: PLC0415 - imports OpenCV

    pictures: dict[str, list[Bgr]] = {}
    told: dict[str, int] = {}
    for picture, each in named:
        if each.label != SKIP:
            pictures.setdefault(each.label, []).append(picture)
            if each.copies is not None:
                told[each.label] = each.copies
    backs = tuple(pictures.pop(BACK, ()))
    if not pictures:
        raise DeckError(N_("No card was given a name, so there is no deck to keep."))
    counted = _counted(kit, told, pictures, meta)
    faces = tuple(
        Face(label, tuple(pictures[label]), counted.get(label, _assumed(kit, label)))
        for label in _in_kit_order(kit, pictures)
    )
    kind = COUNTED if counted.keys() >= pictures.keys() else ASSUMED
    table = {"game": kit.game, "copies": kind, **meta}
    return Gallery(name, faces, backs, kit.width_mm, kit.height_mm, table)


def merged(old: Gallery, new: Gallery) -> Gallery:
    """Return the deck with the new pictures added; what is new of a face counts."""
    faces: dict[str, Face] = {face.label: face for face in old.faces}
    for face in new.faces:
        before = faces.get(face.label)
        pictures = (*before.pictures, *face.pictures) if before else face.pictures
        faces[face.label] = replace(face, pictures=pictures)
    both = {old.meta.get("copies"), new.meta.get("copies")}
    kind = COUNTED if both == {COUNTED} else ASSUMED
    return replace(
        old,
        faces=tuple(faces.values()),
        backs=(*old.backs, *new.backs),
        meta={**old.meta, **new.meta, "copies": kind},
    )


def _counted(
    kit: Kit,
    told: Mapping[str, int],
    pictures: Mapping[str, object],
    meta: Mapping[str, str],
) -> Mapping[str, int]:
    if kit.game in EXACT_KITS:
        return {**{face.label: face.copies for face in kit.faces}, **told}
    if kit.game == "brawl":
        from engines.brawl.deck import known_decks  # noqa: PLC0415 - one game's data

        known = known_decks().get(meta.get("character", "").lower())
        if known is not None:
            return {**{str(face): n for face, n in known.counts}, **told}
    once = {face.label: 1 for face in kit.faces if face.copies == 1}
    return {**once, **told} if kit.game != "brawl" else told


def _assumed(kit: Kit, label: str) -> int:
    return kit.copies(label) if kit.game != "brawl" and kit.copies(label) else MANY


def _in_kit_order(kit: Kit, labels: Mapping[str, object]) -> list[str]:
    order = {face.label: number for number, face in enumerate(kit.faces)}
    return sorted(labels, key=lambda label: (order.get(label, len(order)), label))
