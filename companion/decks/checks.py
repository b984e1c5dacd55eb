"""What a deck lacks, or has too much of, against the kit of its game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from companion.decks.building import EXACT_KITS
from companion.i18n import N_, say

if TYPE_CHECKING:
    from engines.core import Kit
    from vision.gallery import Gallery

NAMED_PAIRS = 3
"""So many pairs of cards are named where two decks look alike."""
HEROES = {"humans": "K", "orcs": "O", "dwarves": "B", "undead": "L"}


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing about a deck that its owner should know."""

    code: str
    message: str
    values: tuple[tuple[str, str | int], ...] = ()
    is_fault: bool = True
    """Cards will be misread or not read; else it is only worth knowing."""

    def sentence(self, language: str) -> str:
        """Return the remark in words."""
        return say(language, self.message, **dict(self.values))


def check(gallery: Gallery, kit: Kit) -> tuple[Remark, ...]:
    """Return what is amiss, faults first."""
    remarks = sorted(_remarks(gallery, kit), key=lambda remark: not remark.is_fault)
    return tuple(remarks)


def check_against(gallery: Gallery, others: Iterable[Gallery]) -> tuple[Remark, ...]:
    """Return which of the other decks hold cards that this one's could be taken for: of
    those it could not be told whose they are."""
    from vision.alike import alike_across  # noqa: PLC0415 - imports OpenCV

    remarks = []
    for other in others:
        pairs = alike_across(gallery, other)
        if pairs:
            named = ", ".join(f"{p.one} ~ {p.other}" for p in pairs[:NAMED_PAIRS])
            values = ("count", len(pairs)), ("other", other.name), ("pairs", named)
            remarks.append(Remark("decks_alike", DECKS_ALIKE, values, is_fault=False))
    return tuple(remarks)


DECKS_ALIKE = N_(
    "Cards that look like cards of the deck %(other)s: %(count)s (%(pairs)s). On one"
    " table it could not be told whose they are."
)


def _remarks(gallery: Gallery, kit: Kit) -> Iterator[Remark]:
    held = {face.label for face in gallery.faces}
    known = {face.label for face in kit.faces}
    needed = _needed(gallery, kit)
    if missing := [face.label for face in kit.faces if face.label in needed - held]:
        yield Remark(
            "missing_faces",
            N_("Cards without a picture: %(labels)s. They cannot be read."),
            (("labels", ", ".join(missing)),),
        )
    foreign = set(HEROES.values()) - needed if needed & set(HEROES.values()) else set()
    optional = known - needed - held - (foreign if kit.game == "frenzy" else set())
    others = [face.label for face in kit.faces if face.label in optional]
    if others:
        yield Remark(
            "absent_faces",
            N_("Not in this deck: %(labels)s. Add them if the deck holds them."),
            (("labels", ", ".join(others)),),
            is_fault=False,
        )
    for label in sorted(held - known):
        yield Remark(
            "extra_label",
            N_("%(label)s is no card of %(game)s."),
            (("label", label), ("game", kit.game)),
        )
    if not gallery.backs:
        yield Remark(
            "no_back",
            N_("There is no picture of the back, so a card face down may be missed."),
            is_fault=False,
        )
    yield from _copies(gallery, kit)


def _copies(gallery: Gallery, kit: Kit) -> Iterator[Remark]:
    for face in gallery.faces:
        most = kit.copies(face.label)
        if kit.game in EXACT_KITS and most and face.copies != most:
            yield Remark(
                "copies",
                N_("%(label)s: %(copies)s copies in the deck, %(most)s in the box."),
                (("label", face.label), ("copies", face.copies), ("most", most)),
                is_fault=face.copies > most,
            )
    if gallery.meta.get("copies") == "assumed":
        yield Remark(
            "copies_assumed",
            N_("Nobody has said how many of each card there are: R5*2 says two."),
            is_fault=False,
        )


def _needed(gallery: Gallery, kit: Kit) -> set[str]:
    """Return the labels that every deck of this kind holds."""
    labels = {face.label for face in kit.faces}
    if kit.game == "frenzy":
        faction = gallery.meta.get("faction", gallery.meta.get("owner", ""))
        return labels - set(HEROES.values()) | {HEROES.get(faction.lower(), "A")}
    if kit.game == "brawl":
        return {"BASE", "FREEZE"}
    if kit.game == "frantic":
        from engines.frantic.cards import PlayCard  # noqa: PLC0415 - one game's data

        play = {label for label in labels if not label.startswith("E-")}
        return {label for label in play if not PlayCard(label).is_starred}
    return labels
