"""`arbitro score` on a mat, and `arbitro rule`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text as Line

from companion.errors import CompanionError, UsageError
from companion.failure import failure_of
from companion.figures import blocks_of
from companion.i18n import N_, say
from companion.labels import capital, zone_word
from companion.measure import is_measured
from companion.measure.errors import CannotMeasureError
from companion.measure.kits import OWN, open_kit
from companion.measure.lines import NearLine, near_lines, nearest_line
from companion.measure.mats import open_mat
from companion.measure.picture import VERDICTS, distance, write_board
from companion.measure.report import board_json, rule_json
from companion.measure.score import (
    Board,
    ScoredBoard,
    Setup,
    board_options,
    measure,
    rule_on,
    score_board,
)
from companion.referee import Terms, open_questions, refuse_unused
from companion.report import Json, error_json
from companion.sight import open_picture
from companion.terminal.photos import Job, overlay_path
from companion.terminal.show import (
    VERDICTS as SIGNS,
)
from companion.terminal.show import (
    block_columns,
    console,
    print_findings,
    print_footer,
    question_panels,
)
from engines.core import CLEAR_SIGMAS, Cell, Number, Ruling, Text, as_measured, number
from engines.core.kit import parse_kit
from vision.errors import ImageError


@dataclass(frozen=True, slots=True)
class BoardJob:
    """What the options of `score` and `rule` ask for."""

    as_json: bool = False
    overlay: Path | None = None
    language: str = "en"
    mat: str | None = None
    kit: str | None = None
    camera: str | None = None
    corners_px: tuple[float, ...] | None = None
    no_chips: tuple[str, ...] = ()

    def setup(self) -> Setup:
        """Return mat, kit and camera; raise `CompanionError` where one is missing."""
        import numpy as np  # noqa: PLC0415 - slow to import

        corners = self.corners_px
        return Setup(
            open_mat(self.mat or OWN),
            open_kit(self.kit or OWN),
            self.camera,
            None if corners is None else np.array(corners).reshape(4, 2),
            self.no_chips,
        )


def score_boards(photos: Sequence[Path], terms: Terms, job: BoardJob) -> int:
    """Score every photo; return 0, or 1 if one allowed no ruling.

    Raises `UsageError` for options and answers that do not exist.
    """
    setup = job.setup()
    board_options(setup, terms.options)
    several, exit_code = len(photos) > 1, 0
    plain = Job(job.as_json, job.overlay, 1, job.language)
    targets = [overlay_path(plain, photo, several=several) for photo in photos]
    for photo, target in zip(photos, targets, strict=True):
        if several and not job.as_json:
            click.echo(click.style(str(photo), bold=True))
        try:
            scored = score_board(measure(open_picture(photo), setup), terms)
        except (ImageError, CannotMeasureError) as error:
            exit_code = _tell_failed(error, photo, job)
            continue
        refuse_unused(scored.scored)
        if job.as_json:
            _echo_json(board_json(scored, job.language))
        else:
            show_board(scored, job.language)
        if target is not None:
            write_board(scored.board, target, job.language, scored)
            _tell_overlay(target, job)
    return exit_code


def rule_photo(
    photo: Path, terms: Terms, job: BoardJob, *, chip: str, question: str
) -> int:
    """Rule on one dispute; return 0, or 1 if the photo allows no ruling."""
    if not is_measured(terms.game):
        raise UsageError(
            N_("%(game)s has no chips to rule on."),
            game=terms.game,
        )
    setup = job.setup()
    plain = Job(job.as_json, job.overlay, 1, job.language)
    target = overlay_path(plain, photo, several=False)
    try:
        scored = score_board(measure(open_picture(photo), setup), terms)
    except (ImageError, CannotMeasureError) as error:
        return _tell_failed(error, photo, job)
    ruling = rule_on(scored, chip, question)
    subject = next(one for one in scored.chips if one.seen.piece == chip)
    near = nearest_line(setup.mat.mat, subject, question)
    if job.as_json:
        _echo_json(rule_json(scored, near, ruling, job.language))
    else:
        out = console()
        if near is not None:
            out.print(near_line(near, job.language))
        print_ruling(out, ruling, job.language)
        print_footer(out, scored.board.reading.observation, job.language)
    if target is not None:
        write_board(scored.board, target, job.language, scored, (near, ruling))
        _tell_overlay(target, job)
    return 0


def show_board(scored: ScoredBoard, language: str) -> None:
    """Print the sheet of a board: chips, sectors, rulings, questions."""
    out = console()
    out.print(_chips(scored, language))
    kit = parse_kit(scored.board.setup.kit.data)
    blocks = blocks_of(scored.scored.sheet, language, kit)
    out.print(block_columns([b for b in blocks if not b.key.startswith("chip:")]))
    for near in near_lines(scored.board.setup.mat.mat, scored.chips):
        out.print(near_line(near, language))
        for ruling in near.rulings:
            print_ruling(out, ruling, language, indent=2)
    print_findings(out, scored.scored.reading.findings, language)
    for finding in scored.scored.sheet.findings:
        out.print(Line("! " + capital(finding.text.render(language)), "yellow"))
    for panel in question_panels(open_questions(scored.scored), language):
        out.print(panel)
    out.print(Line(_setup_line(scored.board, language), "dim"))
    print_footer(out, scored.board.reading.observation, language)


def near_line(near: NearLine, language: str) -> Line:
    """Return which chip lies how near to which line."""
    name = capital(near.chip.name.render(language))
    return Line.assemble(
        (f"{near.chip.seen.piece} ", "bold cyan"),
        (f"{name}. ", "bold"),
        distance(near, language),
        (f"  ({Number(f'{near.share:.1%}').render(language)})", "dim"),
    )


def print_ruling(
    out: Console, ruling: Ruling, language: str, *, indent: int = 0
) -> None:
    """Print a ruling, and below it those it rests on."""
    sign, style = SIGNS[ruling.verdict]
    line = Line.assemble(
        " " * indent,
        (f"{sign} ", style),
        (capital(ruling.claim.render(language)), "bold"),
        f": {say(language, VERDICTS[ruling.verdict])}. ",
        capital(ruling.reason.render(language)),
        f" {margin_text(ruling, language)}",
        (f" [{ruling.rule}]", "dim"),
    )
    out.print(line)
    for ground in ruling.grounds:
        print_ruling(out, ground, language, indent=indent + 2)


def margin_text(ruling: Ruling, language: str) -> str:
    """Return how far a measurement lies from its limit, in sigmas."""
    margin = ruling.margin
    if margin is None or margin.sigma == 0:
        return ""
    return say(
        language,
        N_("(%(sigmas)s sigma from the limit; clear from %(clear)s on)"),
        sigmas=number(min(abs(margin.value) / margin.sigma, 99), 1),
        clear=Number(f"{CLEAR_SIGMAS:g}"),
    )


def _chips(scored: ScoredBoard, language: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in (N_("Chip"), N_("What"), N_("Zone"), N_("Terrain")):
        table.add_column(say(language, title))
    for title in (
        N_("Share"),
        N_("To the line (mm)"),
        N_("Strength"),
        N_("Where (mm)"),
    ):
        table.add_column(say(language, title), justify="right")
    rows = {row.key: row for row in scored.scored.sheet.rows}
    for chip in scored.chips:
        row = rows[f"chip:{chip.seen.piece}"]
        cells = {cell.key: cell for cell in row.cells}
        at = chip.seen.footing.disc
        table.add_row(
            chip.seen.piece,
            capital(row.title.render(language)),
            _word(cells["zone"], language),
            _word(cells["terrain"], language),
            _share(cells, language),
            _to_the_line(cells, language),
            _word(cells["strength"], language),
            "; ".join(number(mm, 1).render(language) for mm in (at.x_mm, at.y_mm)),
        )
    return table


def _share(cells: Mapping[str, Cell], language: str) -> str:
    share = cells["share"].value
    if not isinstance(share, int | float):
        return ""
    return Number(f"{share:.1%}").render(language)


def _to_the_line(cells: Mapping[str, Cell], language: str) -> str:
    line, sigma = cells["line_mm"].value, cells["sigma_mm"].value
    if not isinstance(line, int | float) or not isinstance(sigma, int | float):
        return ""
    # The cell is rounded; nothing that was measured is known to 0.
    shown = as_measured(line, max(sigma, 0.01))
    return " ± ".join(part.render(language) for part in shown)


def _word(cell: Cell, language: str) -> str:
    value = cell.value
    if value is None:
        return "?"
    if isinstance(value, Text):
        return value.render(language)
    return zone_word(str(value), language)


def _setup_line(board: Board, language: str) -> str:
    camera = board.setup.camera
    return say(
        language,
        N_("Mat %(mat)s, kit %(kit)s, camera %(camera)s."),
        mat=board.setup.mat.name,
        kit=board.setup.kit.name,
        camera=camera or say(language, N_("not calibrated")),
    )


def _tell_failed(error: ImageError | CompanionError, photo: Path, job: BoardJob) -> int:
    failure = failure_of(error, job.language)
    if job.as_json:
        _echo_json(error_json(photo.name, failure.code, failure.sentence))
    else:
        click.echo(f"arbitro: {photo}: {failure.sentence}", err=True)
    return 1


def _tell_overlay(target: Path, job: BoardJob) -> None:
    if not job.as_json:
        click.echo(say(job.language, N_("Overlay: %(path)s"), path=str(target)))


def _echo_json(document: Json) -> None:
    click.echo(json.dumps(document, ensure_ascii=False))
