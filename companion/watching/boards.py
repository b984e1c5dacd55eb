"""Chips on a mat before a camera: the measuring eye, and what it measures with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from companion.measure.errors import CannotMeasureError
from companion.measure.kits import open_kit
from companion.measure.mats import open_mat
from companion.measure.score import Board, Setup, board_pieces, measure
from vision.board_discs import rough_place
from vision.errors import GeometryError
from vision.observing import Stopwatch, observed, plain_quad
from vision.types import (
    UNKNOWN,
    Finding,
    Kind,
    Observation,
    Placement,
    TableNotFound,
)
from vision.views import UNUSABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from companion.watching.plan import LoadEye
    from engines.core import Piece
    from vision.types import Array, Frame

OWN = "own"
LEAST_WIDE, MOST_WIDE = 0.6, 1.5
"""Of a chip's width, what changed and may be one: cells are coarse, shadows add to it.
"""
SQUARE = np.array([[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]])
"""Of the diameter: corners around a chip."""


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


def load_board_eye(mat: str, kit: str, camera: str | None) -> BoardEye:
    """Return an eye that measures the chips of a kit on a mat."""
    return BoardEye(Setup(open_mat(mat), open_kit(kit), camera))


@dataclass(slots=True)
class BoardEye:
    """Measures the chips of a kit on a mat; used by one thread."""

    setup: Setup
    _last: Board | None = None

    def __call__(self, frame: Frame) -> Observation:
        """Return what lies on the mat; where nothing can be measured, that alone."""
        try:
            self._last = measure(frame, self.setup)
        except CannotMeasureError as error:
            self._last = None
            return _unusable(frame, error)
        return self._last.reading.observation

    def unread(self, boxes_px: Sequence[Array]) -> list[Placement]:
        """Return the nameless chips, at rough places, that (4, 2) boxes in the last
        picture may be, as wide as they are."""
        if self._last is None:
            return []
        chip, table = self.setup.kit.board_kit().chip, self._last.table
        found = []
        for box in boxes_px:
            try:
                (at,) = table.to_table(box.mean(axis=0)[None], chip.top_mm)
                square_px = table.to_image(at + SQUARE * chip.diameter_mm, chip.top_mm)
            except GeometryError:
                continue
            wide = np.ptp(box, axis=0) / np.ptp(square_px, axis=0)
            if wide.min() > LEAST_WIDE and wide.max() < MOST_WIDE:
                found.append(
                    Placement(
                        "",
                        Kind.DISC,
                        UNKNOWN,
                        0.0,
                        plain_quad(square_px),
                        position=rough_place(at.round(1), chip),
                        diameter_mm=chip.diameter_mm,
                    )
                )
        return found


def _unusable(frame: Frame, error: CannotMeasureError) -> Observation:
    missing = TableNotFound(error.code)
    return observed(frame, missing, (), (Finding(UNUSABLE),), Stopwatch())


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
