"""Rendered boards with all that the product knows of them beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from tests.support.boards import seed_px
from vision.board import BoardKit, BoardLook, BoardMat, look
from vision.chips import enrol_chips
from vision.geometry import Camera, TableMap
from vision.locate_mat import register_mat
from vision.rim import DiscSize
from vision.scene.boards import Board, DiscTruth, render_board
from vision.scene.mats import ChipSizes, MatPicture
from vision.types import Array, Bgr, Frame, FrameId

FOCAL_SIGMA, CENTRE_SIGMA = 0.001, 0.0004
"""What a calibration leaves: of the focal length, and of the width."""
FINE_WIDTH_PX = 3840
"""The lens blurs light as fine as that, whatever the sensor."""
SEED_ERROR = 0.06
"""Of a chip's width, each way: how far off a detector's box may be."""


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A picture, and all that was said of it beforehand."""

    bgr: Bgr
    mat: BoardMat
    kit: BoardKit
    camera: Camera
    real: TableMap
    truths: Sequence[DiscTruth]

    def seen(self) -> BoardLook:
        """Return what the product sees in it."""
        frame = Frame(FrameId("bench"), self.bgr, datetime(2026, 11, 28, tzinfo=UTC))
        return look(frame, self.mat, self.kit, self.camera)


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """A rendered picture, before mat and faces were enrolled."""

    bgr: Bgr
    mat: MatPicture
    sizes: ChipSizes
    faces: dict[str, list[Bgr]]
    camera: Camera
    real: TableMap
    truths: Sequence[DiscTruth]

    def enrolled(self) -> Shot:
        """Return it with all that the product knows beforehand."""
        mat = self.mat
        reference = register_mat(mat.bgr, mat.bounds_mm)
        on = BoardMat(mat.bounds_mm, reference, mat.markers)
        kit = BoardKit(size_of(self.sizes), enrol_chips(self.faces))
        return Shot(self.bgr, on, kit, self.camera, self.real, self.truths)


def size_of(sizes: ChipSizes) -> DiscSize:
    """Return what a kit says of the size of its chips."""
    return DiscSize(
        sizes.diameter_mm,
        sizes.thickness_mm,
        sizes.diameter_sigma_mm,
        sizes.thickness_sigma_mm,
    )


def rendered(
    board: Board,
    mat: MatPicture,
    sizes: ChipSizes,
    real: TableMap,
    rng: np.random.Generator,
) -> Rendered:
    width = real.camera.width_px
    picture, truths = render_board(board, rng, finer=FINE_WIDTH_PX // width)
    cx, cy = np.array(real.camera.centre_px) + rng.normal(0, CENTRE_SIGMA * width, 2)
    known = replace(
        real.camera.scaled_focal(1 + rng.normal(0, FOCAL_SIGMA)),
        centre_px=(float(cx), float(cy)),
        focal_sigma=FOCAL_SIGMA,
        centre_sigma=CENTRE_SIGMA,
    )
    faces = {disc.label or "": [disc.face] for disc in board.discs}
    return Rendered(picture, mat, sizes, faces, known, real, truths)


def noisy_seed(truth: DiscTruth, rng: np.random.Generator) -> Array:
    wide = float(np.ptp(truth.outline_px, axis=0).mean())
    x, y = rng.uniform(-SEED_ERROR, SEED_ERROR, 2) * wide
    return seed_px(truth, (float(x), float(y)))
