"""`arbitro read` and `arbitro score`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from companion.decks.places import open_decks
from companion.decks.roles import deck_options, in_play
from companion.errors import UsageError
from companion.i18n import N_, say
from companion.labels import face
from companion.reader import CardSize, labels
from companion.referee import (
    Reading,
    Terms,
    game_kit,
    game_options,
    read,
    refuse_unused,
    score,
)
from companion.report import Json, image_error_json, read_json, score_json
from companion.sentences import image_sentence
from companion.sight import Sight, open_picture, sight_of
from companion.terminal.show import show_reading, show_scored
from engines import load_game
from engines.core import Kit
from vision.errors import ImageError
from vision.types import Frame


@dataclass(frozen=True, slots=True)
class Job:
    """What the options of `read` and `score` ask for."""

    as_json: bool
    overlay: Path | None
    decks: int
    language: str
    own_decks: tuple[str, ...] = ()
    """Decks with their own cards, in the order of their owners."""


def read_photos(photos: Sequence[Path], job: Job) -> int:
    """Read every photo; return 0, or 1 if one could not be read."""

    def tell(reading: Reading) -> None:
        if job.as_json:
            _echo_json(read_json(reading, job.language))
        else:
            show_reading(reading, job.language)

    return _each(photos, job, tell, sight_of(open_decks(job.own_decks)))


def score_photos(
    photos: Sequence[Path],
    terms: Terms,
    job: Job,
    sight: Sight | None = None,
    also_tell: Callable[[Reading], None] = lambda reading: None,
) -> int:
    """Score every photo; return 0, or 1 if one could not be read.

    Raises `UsageError` for options and answers that do not exist.
    """
    galleries = open_decks(job.own_decks)
    if galleries:
        terms = replace(terms, decks=in_play(terms.game, galleries))
    # Wrong words are told before the first picture is read.
    from_decks = deck_options(terms.game, terms.decks)
    game_options(load_game(terms.game), terms.options, from_decks)

    def tell(reading: Reading) -> None:
        scored = score(reading, terms)
        refuse_unused(scored)
        if job.as_json:
            _echo_json(score_json(scored, job.language))
        else:
            show_scored(scored, job.language)
        also_tell(reading)

    return _each(photos, job, tell, sight or sight_of(galleries), game_kit(terms.game))


def write_overlay(
    frame: Frame, reading: Reading, path: Path, language: str, kit: Kit | None
) -> None:
    """Write the picture with what was seen in it, in the words of the game."""
    from vision.images import to_jpeg, to_png  # noqa: PLC0415 - imports OpenCV
    from vision.overlay import draw  # noqa: PLC0415 - imports OpenCV

    size = CardSize.of(kit)
    bgr = draw(
        frame,
        reading.observation,
        labels=overlay_labels(reading, language, kit),
        size_mm=(size.width_mm, size.height_mm),
    )
    encode = to_png if path.suffix.lower() == ".png" else to_jpeg
    path.write_bytes(encode(bgr))


def overlay_labels(reading: Reading, language: str, kit: Kit | None) -> dict[str, str]:
    """Return how names are written where that is not rank and suit."""
    shown = {label: face(label, language, kit) for label in labels(reading.observation)}
    return {
        label: card.short
        for label, card in shown.items()
        if card.suit in ("joker", "other")
    }


def overlay_path(job: Job, photo: Path, *, several: bool) -> Path | None:
    """Return where the overlay of `photo` goes; raise `UsageError` if unclear."""
    if job.overlay is None:
        return None
    if job.overlay.is_dir():
        return job.overlay / f"{photo.stem}.overlay.jpg"
    if several:
        raise UsageError(N_("For several photos --overlay names a folder that exists."))
    if job.overlay.suffix.lower() not in (".jpg", ".jpeg", ".png"):
        raise UsageError(N_("--overlay needs a name that ends in .jpg or .png."))
    return job.overlay


def _each(
    photos: Sequence[Path],
    job: Job,
    tell: Callable[[Reading], None],
    sight: Sight,
    kit: Kit | None = None,
) -> int:
    several = len(photos) > 1
    targets = [overlay_path(job, photo, several=several) for photo in photos]
    exit_code = 0
    for photo, target in zip(photos, targets, strict=True):
        if several and not job.as_json:
            click.echo(click.style(str(photo), bold=True))
        try:
            frame = open_picture(photo)
        except ImageError as error:
            exit_code = 1
            _tell_failed(error, photo, job)
            continue
        seen = sight.look(frame, decks=job.decks)
        reading = read(seen.observation, decks=job.decks)
        tell(reading)
        if target is not None:
            write_overlay(seen.frame, reading, target, job.language, kit)
            if not job.as_json:
                click.echo(say(job.language, N_("Overlay: %(path)s"), path=str(target)))
    return exit_code


def _echo_json(document: Json) -> None:
    click.echo(json.dumps(document, ensure_ascii=False))


def _tell_failed(error: ImageError, photo: Path, job: Job) -> None:
    if job.as_json:
        _echo_json(image_error_json(error, photo.name, job.language))
    else:
        sentence = image_sentence(error.code, job.language)
        click.echo(f"arbitro: {photo}: {sentence}", err=True)
