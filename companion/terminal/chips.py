"""`arbitro chips`: the faces of a kit's chips, cut out of photos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.errors import UsageError
from companion.i18n import N_, say
from companion.measure.errors import BoardDataError
from companion.measure.kits import (
    KIT_FILE,
    OWN,
    KitFolder,
    add_face,
    begin_kit,
    kit_folder,
    open_kit,
)
from companion.measure.mats import open_mat
from companion.measure.picture import write_board
from companion.measure.score import Board, Setup, measure
from companion.sight import open_picture

if TYPE_CHECKING:
    from vision.types import Bgr, Placement


@dataclass(frozen=True, slots=True)
class Enrolment:
    """What the options of `chips` say."""

    mat: str
    camera: str | None = None
    corners_px: tuple[float, ...] | None = None
    labels: tuple[tuple[str, str], ...] = ()
    overlay: Path | None = None
    tokens: bool = False
    """The photos show City tokens, which have another size."""


def enrol(name: str, photos: Sequence[Path], how: Enrolment, language: str) -> int:
    """Keep the faces of the chips in the photos, or begin a kit; return 0."""
    folder = kit_folder(name)
    if name == OWN:
        raise UsageError(N_("The faces of our own kit are known already."))
    if not (folder / KIT_FILE).is_file():
        if photos:
            raise UsageError(
                N_("There is no kit %(name)s. `arbitro chips %(name)s` begins one."),
                name=name,
            )
        file = begin_kit(folder)
        message = N_("Kit begun: enter what is printed on your chips in %(file)s.")
        click.echo(say(language, message, file=str(file)))
        return 0
    kit = open_kit(str(folder))
    if not photos:
        _tell_missing(kit, language)
    for photo in photos:
        _enrol_photo(photo, kit, folder, how, language)
    return 0


def _enrol_photo(
    photo: Path, kit: KitFolder, folder: Path, how: Enrolment, language: str
) -> None:
    # What is enrolled already must not decide what is a chip: all are looked at.
    plain = kit.of_tokens() if how.tokens else replace(kit, faces={})
    board = measure(open_picture(photo), _setup(plain, how))
    placements = board.reading.observation.placements
    if how.overlay is not None:
        write_board(board, how.overlay, language)
        click.echo(say(language, N_("Overlay: %(path)s"), path=str(how.overlay)))
    for id, label in _chosen(photo, placements, kit, how).items():
        placement = next(one for one in placements if one.id == id)
        path = add_face(folder, label, cut_chip(board, placement))
        message = N_("%(id)s is now known as %(label)s: %(file)s")
        click.echo(say(language, message, id=id, label=label, file=str(path)))


def _setup(kit: KitFolder, how: Enrolment) -> Setup:
    import numpy as np  # noqa: PLC0415 - slow to import

    corners = how.corners_px
    taps = None if corners is None else np.array(corners).reshape(4, 2)
    return Setup(open_mat(how.mat), kit, how.camera, taps)


def _chosen(
    photo: Path, placements: Sequence[Placement], kit: KitFolder, how: Enrolment
) -> Mapping[str, str]:
    """Return chip id -> label: what was said, or the name of the photo for its one
    chip. Raises `UsageError` for ids and labels that do not exist."""
    known = [placement.id for placement in placements]
    chosen = dict(how.labels)
    if not chosen and photo.stem in kit.labels and len(known) == 1:
        chosen = {known[0]: photo.stem}
    if not chosen:
        raise UsageError(
            N_(
                "%(photo)s shows %(known)s. Say what they are: --label ID=LABEL; the"
                " labels are %(labels)s."
            ),
            photo=photo.name,
            known=", ".join(known) or "-",
            labels=", ".join(kit.labels),
        )
    for id, label in chosen.items():
        if id not in known:
            raise UsageError(
                N_("There is no chip %(id)s here; there are: %(known)s."),
                id=id,
                known=", ".join(known) or "-",
            )
        if label not in kit.labels:
            raise UsageError(
                N_("The kit has no %(label)s; it has: %(labels)s."),
                label=label,
                labels=", ".join(kit.labels),
            )
    return chosen


def cut_chip(board: Board, placement: Placement) -> Bgr:
    """Return the face of a measured chip, straightened."""
    from vision.chips import cut_face  # noqa: PLC0415 - slow to import
    from vision.discs import DiscFound  # noqa: PLC0415 - as above

    assert placement.position is not None, "only measured discs are placed"
    size = board.setup.kit.board_kit().chip
    size = replace(size, base_mm=placement.order * size.thickness_mm)
    disc = DiscFound(placement.position, size, 1.0, 1.0, 0.0, 0.0, 0.0)
    return cut_face(board.frame.bgr, board.table, disc)


def _tell_missing(kit: KitFolder, language: str) -> None:
    missing = [label for label in kit.labels if label not in kit.faces]
    if not missing:
        click.echo(say(language, N_("Every chip and token of the kit is enrolled.")))
        return
    raise BoardDataError(N_("Not enrolled yet: %(labels)s."), labels=", ".join(missing))
