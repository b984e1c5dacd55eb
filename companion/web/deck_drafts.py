"""Decks being enrolled on the page: cards cut out of photos, waiting for their names.

A draft is a folder of pictures and one JSON file; it becomes a deck when its names are
saved, and stays beside it, so that more cards can be added another day.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from companion.decks.building import build
from companion.decks.naming import BACK, SKIP, Name, read_name
from companion.decks.places import FILE, deck_folder, decks_folder, load
from companion.decoding import decode_apart
from companion.errors import UsageError
from companion.i18n import N_
from companion.referee import game_kit
from engines import load_game

if TYPE_CHECKING:
    from engines.core import Kit
    from vision.gallery import Gallery
    from vision.types import Bgr

DRAFT = "draft.json"
MOST_CARDS = 400
META_KEYS = ("faction", "character", "owner")


@dataclass(frozen=True, slots=True)
class DraftCard:
    """One card that was cut out."""

    file: str
    name: str = ""
    """What a person typed, or what was suggested."""
    note: str = ""
    is_guess: bool = False
    """Suggested by Arbitro and not yet confirmed."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A deck that is being made."""

    name: str
    game: str
    meta: Mapping[str, str] = field(default_factory=dict)
    cards: tuple[DraftCard, ...] = ()

    @property
    def kit(self) -> Kit:
        """Return the kit of its game."""
        kit = game_kit(self.game)
        if kit is None:
            raise UsageError(N_("%(game)s has no cards to enrol."), game=self.game)
        return kit

    @property
    def folder(self) -> Path:
        """Return where its pictures are."""
        return drafts_folder() / self.name


def drafts_folder() -> Path:
    """Return where drafts are kept."""
    return decks_folder().parent / "drafts"


def draft_names() -> tuple[str, ...]:
    """Return the names of all drafts."""
    return tuple(sorted(p.parent.name for p in drafts_folder().glob(f"*/{DRAFT}")))


def begin(name: str, game: str, meta: Mapping[str, str]) -> Draft:
    """Begin a deck; raise `UsageError` or `DeckError` for what cannot be one."""
    load_game(game)
    folder = deck_folder(name)  # refuses names that are none
    draft = Draft(name, game, {k: v for k, v in meta.items() if v})
    if (folder / FILE).is_file() or (draft.folder / DRAFT).is_file():
        raise UsageError(N_("There is a deck %(name)s already."), name=name)
    draft.kit  # noqa: B018 - a game without cards is refused at once
    keep(draft)
    return draft


def open_draft(name: str) -> Draft | None:
    """Return a draft, or one made of the deck of that name; `None`: neither is here."""
    folder = deck_folder(name)
    try:
        data = json.loads((drafts_folder() / name / DRAFT).read_text("utf-8"))
    except FileNotFoundError:
        return _of_deck(load(folder)) if (folder / FILE).is_file() else None
    cards = tuple(DraftCard(**card) for card in data["cards"])
    return Draft(name, data["game"], data["meta"], cards)


def keep(draft: Draft) -> None:
    """Write a draft, whole."""
    draft.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    making = draft.folder / f"{DRAFT}.new"
    making.write_text(json.dumps(asdict(draft), ensure_ascii=False), "utf-8")
    making.replace(draft.folder / DRAFT)


def add_photo(draft: Draft, data: bytes, source: str) -> tuple[Draft, int]:
    """Cut the cards out of a photo and add them; return how many there were.

    Raises `ImageError`.
    """
    from companion.decks.suggest import suggester  # noqa: PLC0415 - loads the reader
    from vision.enrol import cut_cards  # noqa: PLC0415 - loads the detector

    cuts = cut_cards(decode_apart(data, source))
    suggest = suggester(draft.kit)
    if len(draft.cards) + len(cuts) > MOST_CARDS:
        raise UsageError(N_("That is more than a deck holds."))
    for cut in cuts:
        guess = suggest(cut.bgr) or ""
        draft = _with(draft, cut.bgr, guess, ", ".join(cut.notes), is_guess=bool(guess))
    keep(draft)
    return draft, len(cuts)


def named(draft: Draft, written: Mapping[str, str]) -> tuple[Draft, tuple[str, ...]]:
    """Return the draft with the names typed (file -> text), and the files whose name is
    none of the kit's."""
    cards, wrong = [], []
    for card in draft.cards:
        text = written.get(card.file, card.name).strip()[:80]
        cards.append(replace(card, name=text, is_guess=False))
        if text and read_name(text, draft.kit) is None:
            wrong.append(card.file)
    draft = replace(draft, cards=tuple(cards))
    keep(draft)
    return draft, tuple(wrong)


def without(draft: Draft, file: str) -> Draft:
    """Return the draft without one card."""
    kept = tuple(card for card in draft.cards if card.file != file)
    if len(kept) != len(draft.cards):
        (draft.folder / file).unlink(missing_ok=True)
    draft = replace(draft, cards=kept)
    keep(draft)
    return draft


def made(draft: Draft) -> Gallery:
    """Build the deck and keep it; cards without a name are left out.

    Raises `DeckError` where nothing has a name.
    """
    from vision.gallery import save_gallery  # noqa: PLC0415 - imports OpenCV

    pairs: list[tuple[Bgr, Name]] = []
    for card in draft.cards:
        name = read_name(card.name, draft.kit) if card.name else Name(SKIP)
        if name is not None:
            pairs.append((_picture(draft, card), name))
    gallery = build(draft.name, draft.kit, pairs, draft.meta)
    save_gallery(gallery, deck_folder(draft.name))
    return gallery


def forget(name: str) -> None:
    """Delete a deck and its draft."""
    shutil.rmtree(deck_folder(name), ignore_errors=True)
    shutil.rmtree(drafts_folder() / name, ignore_errors=True)


def _of_deck(gallery: Gallery) -> Draft:
    """Return a draft with the pictures of a deck that was enrolled elsewhere."""
    meta = {k: v for k, v in gallery.meta.items() if k in META_KEYS}
    draft = Draft(gallery.name, gallery.meta.get("game", ""), meta)
    draft.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for face in gallery.faces:
        for picture in face.pictures:
            draft = _with(draft, picture, face.label)
    for picture in gallery.backs:
        draft = _with(draft, picture, BACK)
    keep(draft)
    return draft


def _with(
    draft: Draft, bgr: Bgr, name: str, note: str = "", *, is_guess: bool = False
) -> Draft:
    from vision.images import to_png  # noqa: PLC0415 - imports OpenCV

    numbers = [int(card.file.partition(".")[0]) for card in draft.cards]
    file = f"{max(numbers, default=0) + 1}.png"
    (draft.folder / file).write_bytes(to_png(bgr))
    card = DraftCard(file, name, note, is_guess)
    return replace(draft, cards=(*draft.cards, card))


def _picture(draft: Draft, card: DraftCard) -> Bgr:
    from vision.images import read_image  # noqa: PLC0415 - imports OpenCV

    return read_image(draft.folder / card.file).bgr
