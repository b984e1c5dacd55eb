"""Decks on the table: whose each is, and what a game learns from them.

The order in which decks are given is the order of the players: the first deck is that
of player 1 (or A), the second that of player 2 (or B). Frantic is played with one deck
for all, which may be kept in several parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from companion.decks.errors import DeckError
from companion.i18n import N_
from engines import load_game
from engines.core import OptionError

if TYPE_CHECKING:
    from vision.gallery import Gallery

OWNERS: Mapping[str, tuple[str, ...]] = {
    "frenzy": ("P1", "P2"),
    "brawl": tuple("ABCDEFG"),
}
"""How the engines of games with one deck for each player call the players."""
COUNTED = "counted"
"""Value of the entry ``copies`` of a deck's free table where a person has counted."""


@dataclass(frozen=True, slots=True)
class DeckInPlay:
    """One deck on the table, as the reader of games needs it."""

    name: str
    """As placements carry it."""
    owner: str | None
    """The player as the engine calls him; `None` where the deck does not tell."""
    meta: tuple[tuple[str, str], ...]
    copies: tuple[tuple[str, int], ...]
    """How many cards bear each label; the number is sure where `is_counted`."""

    @property
    def is_counted(self) -> bool:
        """Return whether the copies have been counted."""
        return dict(self.meta).get("copies") == COUNTED

    @property
    def labels(self) -> frozenset[str]:
        """Return the labels of its faces."""
        return frozenset(label for label, _ in self.copies)


def in_play(game: str, galleries: Sequence[Gallery]) -> tuple[DeckInPlay, ...]:
    """Return the decks on the table, each once; raise `DeckError` if they do not fit.

    A deck that two players hold is on the table twice, so it does not tell them apart.
    """
    for gallery in galleries:
        made_for = gallery.meta.get("game", game)
        if made_for != game:
            raise DeckError(
                N_("The deck %(name)s is for %(its)s, not for %(game)s."),
                name=gallery.name,
                its=made_for,
                game=game,
            )
    owners = OWNERS.get(game)
    if owners is not None and len(galleries) > len(owners):
        raise DeckError(
            N_("%(game)s is played with at most %(most)s decks."),
            game=game,
            most=len(owners),
        )
    times = Counter(gallery.name for gallery in galleries)
    tells = owners is not None and len(galleries) > 1
    decks: dict[str, DeckInPlay] = {}
    for number, gallery in enumerate(galleries):
        is_shared = times[gallery.name] > 1
        owner = owners[number] if owners and tells and not is_shared else None
        decks.setdefault(gallery.name, _deck(gallery, owner))
    return tuple(decks.values())


def distinct(galleries: Sequence[Gallery]) -> tuple[Gallery, ...]:
    """Return each deck once, with as many copies as all its owners hold together.

    Raises `DeckError` for two different decks of one name.
    """
    found: dict[str, Gallery] = {}
    for gallery in galleries:
        before = found.get(gallery.name)
        if before is None:
            found[gallery.name] = gallery
            continue
        if [face.label for face in before.faces] != [f.label for f in gallery.faces]:
            raise DeckError(
                N_("Two different decks are called %(name)s: rename one."),
                name=gallery.name,
            )
        faces = tuple(
            replace(face, copies=face.copies + again.copies)
            for face, again in zip(before.faces, gallery.faces, strict=True)
        )
        found[gallery.name] = replace(before, faces=faces)
    return tuple(found.values())


def owners_of(decks: Sequence[DeckInPlay]) -> Mapping[str, str]:
    """Return name of the deck -> owner, where the deck tells."""
    return {deck.name: deck.owner for deck in decks if deck.owner is not None}


def deck_options(game: str, decks: Sequence[DeckInPlay]) -> Mapping[str, object]:
    """Return the options that a game takes from the decks on its table.

    What the game refuses (a census that does not add up) is left out: a deck may be
    read without it.
    """
    values: dict[str, object] = {}
    known = load_game(game)
    for key, value in _options(game, decks).items():
        try:
            known.options({**values, key: value})
        except OptionError:
            continue
        values[key] = value
    return values


def _options(game: str, decks: Sequence[DeckInPlay]) -> Mapping[str, object]:
    if game == "frenzy":
        return _frenzy(decks)
    if game == "brawl":
        return _brawl(decks)
    return {}


def _frenzy(decks: Sequence[DeckInPlay]) -> Mapping[str, object]:
    factions, census = {}, {}
    for player in OWNERS["frenzy"]:
        # A deck that does not tell the players apart is that of both.
        deck = next((d for d in decks if d.owner in (player, None)), None)
        if deck is None:
            continue
        meta = dict(deck.meta)
        if faction := meta.get("faction", meta.get("owner")):
            factions[player] = faction.lower()
        if deck.is_counted:
            census[player] = _census(dict(deck.copies))
    return {key: v for key, v in (("factions", factions), ("census", census)) if v}


def _census(copies: Mapping[str, int]) -> dict[str, int]:
    counts = {key: copies.get(key, 0) for key in ("W1", "W2", "W3", "W4", "A", "Z")}
    return {**counts, "adv": sum(copies.get(key, 0) for key in "KOBL")}


def _brawl(decks: Sequence[DeckInPlay]) -> Mapping[str, object]:
    listed = [
        {"name": deck.name, "copies": dict(deck.copies)} if deck.is_counted else None
        for deck in decks
    ]
    if len(listed) == 1 and decks[0].owner is None:
        listed *= 2
    return {"players": max(len(listed), 2), "decks": listed} if listed else {}


def _deck(gallery: Gallery, owner: str | None) -> DeckInPlay:
    return DeckInPlay(
        gallery.name,
        owner,
        tuple(sorted(gallery.meta.items())),
        tuple((face.label, face.copies) for face in gallery.faces),
    )
