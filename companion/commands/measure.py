"""Commands for games that are measured: cameras, mats, chips, disputes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from companion.commands.options import (
    Numbers,
    Pair,
    Pairs,
    with_board_options,
    with_language,
)


@click.command()
@click.argument("photos", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--camera", required=True, help="Name under which the camera is kept.")
@click.option(
    "--square",
    "square_mm",
    type=click.FloatRange(2, 200),
    help="Side of a printed square in mm, as you measured it.  [default: 24]",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@with_language
def calibrate(
    photos: tuple[Path, ...],
    camera: str,
    square_mm: float | None,
    language: str,
    *,
    as_json: bool,
) -> None:
    """Measure a camera from PHOTOs of the printed sheet (`arbitro print charuco`)."""
    from companion.terminal.calibrate import calibrate_camera  # noqa: PLC0415

    sys.exit(calibrate_camera(photos, camera, square_mm, language, as_json=as_json))


@click.group()
def mat() -> None:
    """Make and check mats to measure on."""


@mat.command("new")
@click.argument("photo", type=click.Path(path_type=Path))
@click.option("--name", required=True, help="Name of the mat, or a folder for it.")
@click.option(
    "--size",
    "size_mm",
    type=Numbers(2, "WIDTH,DEPTH"),
    required=True,
    help="Width and depth of the mat in mm, as you measured them.",
)
@click.option(
    "--corners",
    "corners_px",
    type=Numbers(8, "X,Y,..."),
    help="Its four corners in the photo, px: near left, near right, far right, far"
    " left.  [default: found]",
)
@click.option(
    "--markers",
    type=Numbers(5, "LEFT,LOW,RIGHT,HIGH,SIDE"),
    help="Corner markers on it: the rectangle of their centres and their side, mm.",
)
@click.option("--camera", help="A camera from `arbitro calibrate`.")
@with_language
def mat_new(photo: Path, language: str, **given: Any) -> None:
    """Make a mat from a PHOTO of it, empty and whole."""
    from companion.terminal.mats import NewMat, make_mat  # noqa: PLC0415

    sys.exit(make_mat(photo, NewMat(**given), language))


@mat.command("check")
@click.argument("name")
@click.option(
    "--overlay",
    type=click.Path(path_type=Path),
    help="Write the mat's picture with its lines.",
)
@with_language
def mat_check(name: str, overlay: Path | None, language: str) -> None:
    """Check the lines of the mat NAME, or of that folder."""
    from companion.terminal.mats import check_mat  # noqa: PLC0415

    sys.exit(check_mat(name, overlay, language))


@click.command()
@click.argument("kit")
@click.argument("photos", nargs=-1, type=click.Path(path_type=Path))
@click.option("--mat", default="own", show_default=True, help="The mat they lie on.")
@click.option("--camera", help="A camera from `arbitro calibrate`.")
@click.option(
    "--corners",
    "corners_px",
    type=Numbers(8, "X,Y,..."),
    help="The mat's corners in the photo, px, near left first, counter-clockwise.",
)
@click.option(
    "--label",
    "labels",
    type=Pair(),
    multiple=True,
    help="What a chip is: id=label, such as c3=empire.militia. Repeat for more.",
)
@click.option(
    "--overlay",
    type=click.Path(path_type=Path),
    help="Write the picture with the ids of the chips.",
)
@click.option("--tokens", is_flag=True, help="They are City tokens, lying on the mat.")
@with_language
def chips(kit: str, photos: tuple[Path, ...], language: str, **given: Any) -> None:
    """Enrol chips of KIT from PHOTOs of them on a mat; without any, begin a kit.

    A photo with one chip may be named after it: `empire.militia.jpg`.
    """
    from companion.terminal.chips import Enrolment, enrol  # noqa: PLC0415

    sys.exit(enrol(kit, photos, Enrolment(**given), language))


@click.command()
@click.argument("photo", type=click.Path(path_type=Path))
@click.option("--game", default="warstones", show_default=True, help="Which game.")
@click.option("--chip", required=True, help="Id of the chip, as `score` shows it.")
@click.option(
    "--question",
    required=True,
    help="What it is in: forest, hill, swamp, water, a sector, base, reserve, off.",
)
@click.option("--answer", "answers", type=Pair(), multiple=True, help="As for score.")
@click.option("--option", "options", type=Pair(), multiple=True, help="As for score.")
@with_board_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.option(
    "--overlay",
    type=click.Path(path_type=Path),
    help="Write the picture with the deciding line in close-up.",
)
@with_language
def rule(
    photo: Path,
    game: str,
    chip: str,
    question: str,
    answers: Pairs,
    options: Pairs,
    overlay: Path | None,
    language: str,
    *,
    as_json: bool,
    **board: Any,
) -> None:
    """Rule on one dispute: is that chip in the forest, in that sector, off?"""
    from companion.referee import Terms  # noqa: PLC0415
    from companion.terminal.measure import BoardJob, rule_photo  # noqa: PLC0415

    terms = Terms(game, dict(options), dict(answers))
    job = BoardJob(as_json=as_json, overlay=overlay, language=language, **board)
    sys.exit(rule_photo(photo, terms, job, chip=chip, question=question))
