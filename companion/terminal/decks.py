"""`arbitro decks`: the decks there are, what they lack, and copies for friends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from companion.decks.checks import Remark, check, check_against
from companion.decks.errors import DeckError
from companion.decks.places import (
    FILE,
    deck_folder,
    deck_names,
    open_deck,
    own_names,
    rivals_of,
)
from companion.errors import UsageError
from companion.i18n import N_, say
from companion.referee import game_kit
from companion.terminal.show import console
from companion.zips import deck_of_zip

if TYPE_CHECKING:
    from vision.gallery import Gallery

PAIRS = "look-alikes.png"
MOST_PAIRS = 12


def list_decks(language: str) -> int:
    """Print the user's decks and Arbitro's own; return 0."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in (N_("Deck"), N_("Game"), N_("Faces"), N_("Whose")):
        table.add_column(say(language, heading))
    for name in deck_names():
        table.add_row(*_line(name))
    for name in own_names():
        table.add_row(name, *_own_line(name))
    console().print(table)
    return 0


def check_deck(name: str, language: str) -> int:
    """Print what is amiss with a deck; return 0, or 1 for a fault."""
    gallery = open_deck(name)
    game = gallery.meta.get("game", "")
    kit = game_kit(game) if game else None
    if kit is None:
        raise DeckError(
            N_("The deck %(name)s does not say its game: [meta] game = ..."),
            name=gallery.name,
        )
    others = rivals_of(gallery)
    remarks = (*check(gallery, kit), *check_against(gallery, others))
    show_remarks(remarks, language)
    where = Path(name) if Path(name).is_dir() else deck_folder(gallery.name)
    show_look_alikes(gallery, where if where.is_dir() else None, language, others)
    if not remarks:
        click.echo(say(language, N_("Nothing is amiss with this deck.")))
    return 1 if any(remark.is_fault for remark in remarks) else 0


def export_deck(name: str, target: Path, language: str) -> int:
    """Write a deck into one zip file; return 0."""
    from vision.gallery import export_zip  # noqa: PLC0415 - imports OpenCV

    export_zip(open_deck(name), target)
    click.echo(say(language, N_("The deck is in %(path)s"), path=str(target)))
    return 0


def import_deck(source: Path, name: str | None, language: str) -> int:
    """Take a deck in from a zip file; return 0. Raises `DeckError` and `UsageError`."""
    from vision.gallery import save_gallery  # noqa: PLC0415 - imports OpenCV

    if not source.is_file():
        raise UsageError(N_("There is no file %(path)s."), path=str(source))
    folder = deck_folder(name or source.stem)
    if (folder / FILE).is_file():
        raise UsageError(
            N_("There is a deck %(name)s already: choose another --name."),
            name=folder.name,
        )
    gallery = replace(deck_of_zip(source), name=folder.name)
    save_gallery(gallery, folder)
    click.echo(
        say(
            language,
            N_("The deck %(name)s holds %(faces)s faces and %(backs)s backs: %(path)s"),
            name=folder.name,
            faces=len(gallery.faces),
            backs=len(gallery.backs),
            path=str(folder),
        )
    )
    return 0


def show_remarks(remarks: Sequence[Remark], language: str) -> None:
    """Print what is amiss with a deck, faults first."""
    for remark in remarks:
        sign, colour = ("✗", "red") if remark.is_fault else ("!", "yellow")
        click.echo(click.style(f"{sign} {remark.sentence(language)}", fg=colour))


def show_look_alikes(
    gallery: Gallery,
    folder: Path | None,
    language: str,
    others: Sequence[Gallery] = (),
) -> None:
    """Print the faces of the deck that could be taken for each other, and show these
    pairs and those with cards of other decks."""
    from vision.alike import alike_across, look_alikes  # noqa: PLC0415 - OpenCV

    pairs = look_alikes(gallery)[:MOST_PAIRS]
    for pair in pairs:
        click.echo(
            click.style(
                say(
                    language,
                    N_("! %(one)s and %(other)s look alike (%(share)s)."),
                    one=pair.one,
                    other=pair.other,
                    share=f"{pair.likeness:.0%}",
                ),
                fg="yellow",
            )
        )
    mine = [(gallery, pair.one, gallery, pair.other) for pair in pairs]
    theirs = [
        (gallery, pair.one, other, pair.other)
        for other in others
        for pair in alike_across(gallery, other)[:MOST_PAIRS]
    ]
    if folder is not None and (mine or theirs):
        path = _write_pairs([*mine, *theirs], folder)
        click.echo(
            say(language, N_("The pairs side by side: %(path)s"), path=str(path))
        )


def _write_pairs(
    pairs: Sequence[tuple[Gallery, str, Gallery, str]], folder: Path
) -> Path:
    import cv2  # noqa: PLC0415 - slow to import

    from companion.decks.contact import contact_sheet  # noqa: PLC0415 - imports OpenCV

    cards = [side for pair in pairs for side in (pair[:2], pair[2:])]
    pictures = [
        next(face.pictures[0] for face in deck.faces if face.label == label)
        for deck, label in cards
    ]
    titles = [
        label if deck is pairs[0][0] else f"{label} ({deck.name})"
        for deck, label in cards
    ]
    sheet = contact_sheet(pictures, titles, columns=4)
    path = folder / PAIRS
    cv2.imwrite(str(path), sheet)
    return path


def _line(name: str) -> tuple[str, ...]:
    try:
        gallery = open_deck(name)
    except DeckError as error:
        return name, "?", "?", str(error)
    return name, *_facts(gallery)


def _own_line(name: str) -> tuple[str, ...]:
    from companion.prints.decks import own_decks  # noqa: PLC0415 - heavy

    deck = own_decks()[name.partition(":")[2]]
    meta = dict(deck.meta)
    return deck.game, str(len(deck.faces)), _whose(meta)


def _facts(gallery: Gallery) -> tuple[str, str, str]:
    return gallery.meta.get("game", "?"), str(len(gallery.faces)), _whose(gallery.meta)


def _whose(meta: dict[str, str] | object) -> str:
    table = dict(meta) if isinstance(meta, dict) else {}
    keys = ("faction", "character", "owner")
    return next((table[key] for key in keys if key in table), "")
