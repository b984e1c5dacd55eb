"""Chips on a mat before a camera: the measuring eye, and what it measures with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from companion.measure.errors import CannotMeasureError
from companion.measure.kits import open_kit
from companion.measure.mats import open_mat
from companion.measure.score import Setup, board_pieces, measure
from vision.types import Finding, Observation, TableNotFound
from vision.views import UNUSABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from companion.watching.plan import LoadEye
    from engines.core import Piece
    from vision.types import Frame
    from vision.views import See

OWN = "own"


def board_options(board: Mapping[str, str | None]) -> dict[str, Any]:
    """Return mat and kit as options that are stored with the table; it then needs no
    folder any more."""
    mat, kit = open_mat(board.get("mat") or OWN), open_kit(board.get("kit") or OWN)
    return {"mat": dict(mat.data), "kit": dict(kit.data)}


def board_eye(board: Mapping[str, str | None]) -> LoadEye:
    """Return what loads an eye that measures chips; can be sent to another process."""
    return partial(
        load_board_eye,
        board.get("mat") or OWN,
        board.get("kit") or OWN,
        board.get("camera"),
    )


def load_board_eye(mat: str, kit: str, camera: str | None) -> See:
    """Return an eye that measures the chips of a kit on a mat."""
    return partial(see_board, Setup(open_mat(mat), open_kit(kit), camera))


def see_board(setup: Setup, frame: Frame) -> Observation:
    """Return what lies on the mat; where nothing can be measured, that alone."""
    try:
        return measure(frame, setup).reading.observation
    except CannotMeasureError as error:
        height_px, width_px = frame.bgr.shape[:2]
        return Observation(
            frame.id,
            frame.source,
            width_px,
            height_px,
            frame.taken_at,
            TableNotFound(error.code),
            (),
            (Finding(UNUSABLE),),
        )


def lying_chips(observation: Observation) -> Sequence[Piece]:
    """Return the measured chips; one without a place is not ruled on."""
    measured = tuple(p for p in observation.placements if p.position is not None)
    kept = Observation(
        observation.frame,
        observation.source,
        observation.width_px,
        observation.height_px,
        observation.taken_at,
        observation.table,
        measured,
    )
    return board_pieces(kept)
