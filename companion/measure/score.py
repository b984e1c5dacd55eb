"""From a photo of a board to its sheet: look, lay out, score, rule."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from companion.errors import UsageError
from companion.i18n import N_
from companion.measure.cameras import camera_of
from companion.measure.errors import CannotMeasureError
from companion.measure.kits import TOKEN, KitFolder
from companion.measure.mats import MatFolder
from companion.referee import Reading, Scored, Terms, score_snapshot, value_of
from engines.core import Kind as PieceKind
from engines.core import OptionError, Piece, PieceId, Ruling
from engines.warstones import GAME, Options, Snapshot, rule_claim
from engines.warstones.resolve import Resolved, resolve
from vision.types import TableNotFound

if TYPE_CHECKING:
    from vision.detect import Detect
    from vision.geometry import TableMap
    from vision.types import Array, Frame, Observation, Placement

GAME_NAME = "warstones"


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What a photo is measured with."""

    mat: MatFolder
    kit: KitFolder
    camera: str | None = None
    """Name of a calibrated camera."""
    taps_px: Array | None = None
    """(4, 2) corners of the mat, from the near left, counter-clockwise."""
    no_chips: Collection[str] = ()
    """Ids of what a person says is no chip."""


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A measured photo."""

    setup: Setup
    frame: Frame
    reading: Reading
    table: TableMap


@dataclass(frozen=True, slots=True, eq=False)
class ScoredBoard:
    """A measured photo with its sheet, chip by chip."""

    board: Board
    scored: Scored
    snapshot: Snapshot
    options: Options
    chips: tuple[Resolved, ...]


def measure(frame: Frame, setup: Setup) -> Board:
    """Return what lies on the mat; raise `CannotMeasureError` with the reason."""
    from vision.board import look  # noqa: PLC0415 - slow to import

    kit = setup.kit.board_kit()
    seen = look(
        frame,
        setup.mat.board,
        kit,
        camera_of(frame, setup.camera),
        taps_px=setup.taps_px,
        # Where faces are known the network finds no chip that edges miss: 357 of 360
        # with and without it on 30 rendered boards (seed 71), at 200 ms a picture.
        detect=None if kit.chips.labels else _detector(),
    )
    if isinstance(seen.table, TableNotFound):
        raise CannotMeasureError(_reason(seen.table, setup))
    observation = _without(seen.observation, setup.no_chips)
    reading = Reading(observation, observation.findings)
    return Board(setup, frame, reading, seen.table)


def _reason(missing: TableNotFound, setup: Setup) -> str:
    is_tapped = setup.taps_px is not None
    wrong = is_tapped and missing.reason in ("mirrored", "inconsistent")
    return "corners" if wrong else missing.reason


def score_board(board: Board, terms: Terms, *, strict: bool = True) -> ScoredBoard:
    """Return the sheet of a board.

    Raises `UsageError` for options and answers that do not exist.
    """
    options = board_options(board.setup, terms.options)
    snapshot = GAME.layout(board_pieces(board.reading.observation), options)
    shown = {"mat": board.setup.mat.name, "kit": board.setup.kit.name}
    terms = replace(terms, options={**terms.options, **shown})
    scored = score_snapshot(board.reading, terms, snapshot, options, strict=strict)
    answers = {question.id: value for question, value in scored.answered}
    chips = resolve(snapshot, options, answers)
    return ScoredBoard(board, scored, snapshot, options, chips)


def rule_on(board: ScoredBoard, chip: str, question: str) -> Ruling:
    """Return the ruling on one dispute: is that chip in the forest, in N-C, off?

    Raises `UsageError` for a chip or a question that does not exist, and for a chip
    that nobody has named: what lies there may be no chip at all.
    """
    answers = {asked.id: value for asked, value in board.scored.answered}
    try:
        ruling = rule_claim(
            board.snapshot,
            board.options,
            piece=chip,
            question=question,
            answers=answers,
        )
    except OptionError as error:
        raise UsageError("%(reason)s", reason=str(error)) from error
    if any(one.seen.piece == chip and one.label is None for one in board.chips):
        raise UsageError(
            N_(
                "It is not known which unit %(chip)s is. Say so first:"
                " --answer unit:%(chip)s=..."
            ),
            chip=chip,
        )
    return ruling


def board_options(setup: Setup, written: Mapping[str, str]) -> Options:
    """Return the game's options on this mat with this kit; raise `UsageError`."""
    values = {key: value_of(text) for key, text in written.items()}
    try:
        return GAME.options({**values, "mat": setup.mat.mat, "kit": setup.kit.data})
    except OptionError as error:
        raise UsageError("%(reason)s", reason=str(error)) from error


def board_pieces(observation: Observation) -> tuple[Piece, ...]:
    """Return chips and tokens as the engine knows them."""
    return tuple(_piece(placement) for placement in observation.placements)


def is_token(placement: Placement) -> bool:
    """Return whether a placement was read as a City token."""
    return (placement.identity.label or "").startswith(TOKEN)


@cache
def _detector() -> Detect | None:
    """Return the detector, `None` without its model: edges find discs as well."""
    from vision.detect import load_detector  # noqa: PLC0415 - slow to import
    from vision.errors import ModelError  # noqa: PLC0415 - as above
    from vision.models import load_manifest  # noqa: PLC0415 - as above

    try:
        return load_detector(load_manifest("detector"))
    except ModelError:
        return None


def _piece(placement: Placement) -> Piece:
    assert placement.position is not None, "only measured discs are placed"
    position, across = placement.position, placement.diameter_mm or 0.0
    return Piece(
        PieceId(placement.id),
        PieceKind.TOKEN if is_token(placement) else PieceKind.DISC,
        placement.identity.label,
        position.x_mm,
        position.y_mm,
        position.angle_deg,
        across,
        across,
        position.covariance_mm2,
        placement.order,
        candidates=placement.identity.candidates,
    )


def _without(observation: Observation, ids: Collection[str]) -> Observation:
    known = {placement.id for placement in observation.placements}
    if unknown := sorted(set(ids) - known):
        raise UsageError(
            N_("There is no chip %(id)s here; there are: %(known)s."),
            id=unknown[0],
            known=", ".join(sorted(known)) or "-",
        )
    kept = tuple(one for one in observation.placements if one.id not in ids)
    return replace(observation, placements=kept)
