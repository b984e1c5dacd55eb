"""`arbitro enrol`: from photos or scans of cards to a deck that Arbitro can read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.decks.building import build, merged
from companion.decks.checks import check, check_against
from companion.decks.errors import DeckError
from companion.decks.naming import (
    BACK,
    SKIP,
    Name,
    close_to,
    named_by_file,
    read_name,
    read_names,
)
from companion.decks.places import FILE, deck_folder, load, rivals_of
from companion.errors import UsageError
from companion.i18n import N_, say
from companion.referee import game_kit
from companion.sight import open_picture
from companion.terminal.decks import show_look_alikes, show_remarks
from engines import load_game

if TYPE_CHECKING:
    from engines.core import Kit
    from vision.types import Bgr

PICTURES = frozenset({".jpg", ".jpeg", ".png", ".webp"})
SHEET = "contact.png"
NO_CARD = N_("There is no such card. Close to it: %(close)s")


@dataclass(frozen=True, slots=True)
class Enrolment:
    """What `enrol` is asked to do."""

    name: str
    game: str
    paths: tuple[Path, ...]
    names: str | None = None
    """A list of names, or the file that holds one; `None`: by file name or prompt."""
    meta: Mapping[str, str] = field(default_factory=dict)
    sheet: Path | None = None
    """Where the contact sheet goes, if not into the deck's folder."""
    adds: bool = False
    replaces: bool = False
    language: str = "en"


@dataclass(frozen=True, slots=True, eq=False)
class CutOut:
    """One card cut out of a picture, and what is known of it beforehand."""

    picture: Bgr
    source: Path
    note: str = ""
    guess: Name | None = None


def enrol(job: Enrolment) -> int:
    """Make or extend a deck; return 0, or 1 where cards of it will not be read.

    Raises `UsageError`, `DeckError` and `ImageError` with what cannot be done.
    """
    load_game(job.game)
    kit = game_kit(job.game)
    if kit is None:
        raise UsageError(N_("%(game)s has no cards to enrol."), game=job.game)
    folder = deck_folder(job.name)
    exists = (folder / FILE).is_file()
    if exists and not (job.adds or job.replaces):
        raise UsageError(
            N_("There is a deck %(name)s already: --add to it, or --replace it."),
            name=job.name,
        )
    cuts = tuple(cut_outs(job.paths, kit))
    if not cuts:
        raise DeckError(N_("No card was found in these pictures."))
    sheet = write_sheet(cuts, job.sheet or folder / SHEET)
    click.echo(
        say(
            job.language,
            N_("%(count)s cards are cut out. Their numbers: %(path)s"),
            count=len(cuts),
            path=str(sheet),
        )
    )
    named = list(zip((c.picture for c in cuts), names_of(cuts, job, kit), strict=True))
    gallery = build(job.name, kit, named, job.meta)
    if exists and job.adds:
        gallery = merged(load(folder), gallery)
    save(gallery, folder)
    click.echo(
        say(
            job.language,
            N_("The deck %(name)s holds %(faces)s faces and %(backs)s backs: %(path)s"),
            name=job.name,
            faces=len(gallery.faces),
            backs=len(gallery.backs),
            path=str(folder),
        )
    )
    others = rivals_of(gallery)
    remarks = (*check(gallery, kit), *check_against(gallery, others))
    show_remarks(remarks, job.language)
    show_look_alikes(gallery, folder, job.language, others)
    return 1 if any(remark.is_fault for remark in remarks) else 0


def cut_outs(paths: Sequence[Path], kit: Kit) -> Iterator[CutOut]:
    """Yield the cards in photos, and the scans of a folder, in the order given."""
    for path in paths:
        if path.is_dir():
            scans = sorted(p for p in path.iterdir() if p.suffix.lower() in PICTURES)
            for scan in scans:
                yield from _of_scan(scan, kit)
        else:
            yield from _of_photo(path, kit)


def names_of(cuts: Sequence[CutOut], job: Enrolment, kit: Kit) -> Sequence[Name]:
    """Return one name for each card: from the list, the file names, or a person."""
    if job.names is not None:
        names = read_names(_text_of(job.names), kit)
        if len(names) != len(cuts):
            raise UsageError(
                N_("%(cards)s cards were cut out, but %(names)s names are given."),
                cards=len(cuts),
                names=len(names),
            )
        return names
    guesses = [cut.guess for cut in cuts]
    told = [guess for guess in guesses if guess is not None]
    if len(told) == len(cuts):
        return told
    from companion.decks.suggest import suggester  # noqa: PLC0415 - loads the reader

    suggest = suggester(kit)
    asked = []
    for number, cut in enumerate(cuts, start=1):
        guess = cut.guess.label if cut.guess else suggest(cut.picture)
        asked.append(_asked(number, cut, guess, kit, job.language))
    return asked


def write_sheet(cuts: Sequence[CutOut], path: Path) -> Path:
    """Write all cards with their numbers on one picture; return where it is."""
    import cv2  # noqa: PLC0415 - slow to import

    from companion.decks.contact import contact_sheet  # noqa: PLC0415 - imports OpenCV

    captions = [_caption(number, cut) for number, cut in enumerate(cuts, start=1)]
    sheet = contact_sheet(
        [cut.picture for cut in cuts], captions, notes=[cut.note for cut in cuts]
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    if not cv2.imwrite(str(path), sheet):
        raise DeckError(N_("%(path)s cannot be written."), path=str(path))
    return path


def save(gallery: object, folder: Path) -> None:
    """Write the deck into its folder; pictures that it no longer has are removed."""
    from vision.gallery import Gallery, save_gallery  # noqa: PLC0415 - imports OpenCV

    assert isinstance(gallery, Gallery)
    save_gallery(gallery, folder)


def _of_photo(path: Path, kit: Kit) -> Iterator[CutOut]:
    from vision.enrol import cut_cards  # noqa: PLC0415 - loads the detector

    cuts = cut_cards(open_picture(path))
    guess = named_by_file(path, kit) if len(cuts) == 1 else None
    for cut in cuts:
        yield CutOut(cut.bgr, path, ", ".join(cut.notes), guess)


def _of_scan(path: Path, kit: Kit) -> Iterator[CutOut]:
    """Yield the card of a scan: the whole picture if it has the shape of a card."""
    bgr = open_picture(path).bgr
    guess = named_by_file(path, kit)
    height, width = bgr.shape[:2]
    if abs(width / height * kit.height_mm / kit.width_mm - 1) < 0.12:
        yield CutOut(bgr, path, guess=guess)
        return
    for cut in _of_photo(path, kit):
        yield CutOut(cut.picture, path, cut.note, guess)


def _caption(number: int, cut: CutOut) -> str:
    return f"{number}: {cut.guess.label}" if cut.guess else str(number)


def _asked(
    number: int, cut: CutOut, guess: str | None, kit: Kit, language: str
) -> Name:
    """Return the name that a person gives to one card; asks until it is one."""
    question = say(
        language,
        N_("Card %(number)s of %(photo)s"),
        number=number,
        photo=cut.source.name,
    )
    while True:
        answer = click.prompt(question, default=guess)
        if (name := read_name(answer, kit)) is not None:
            return name
        close = ", ".join((*close_to(answer, kit), BACK, SKIP))
        click.echo(
            say(
                language,
                N_("There is no such card. Close to it: %(close)s"),
                close=close,
            )
        )


def _text_of(names: str) -> str:
    """Return the names, from a file where they name one."""
    path = Path(names)
    try:
        return path.read_text("utf-8") if path.is_file() else names
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(N_("%(path)s is not a list of names."), path=names) from error
