"""Contact sheets: many small pictures with a caption each, on one picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from vision.types import Bgr

TILE_PX = (180, 252)
CAPTION_PX = 34
GAP_PX = 12
PAPER, INK, SOFT = 245, (40, 30, 20), (120, 110, 100)
MOST_COLUMNS = 9


def contact_sheet(
    pictures: Sequence[Bgr],
    captions: Sequence[str],
    *,
    columns: int | None = None,
    notes: Sequence[str] = (),
) -> Bgr:
    """Return one picture of all, in reading order, each with its caption below.

    `notes` are second captions in grey: what is doubtful about a picture.
    """
    columns = columns or min(MOST_COLUMNS, max(1, math.ceil(math.sqrt(len(pictures)))))
    rows = max(1, math.ceil(len(pictures) / columns))
    width, height = TILE_PX[0] + GAP_PX, TILE_PX[1] + CAPTION_PX + GAP_PX
    sheet = np.full((rows * height + GAP_PX, columns * width + GAP_PX, 3), PAPER)
    sheet = sheet.astype(np.uint8)
    for number, (picture, caption) in enumerate(zip(pictures, captions, strict=True)):
        row, column = divmod(number, columns)
        x, y = GAP_PX + column * width, GAP_PX + row * height
        tile = _fitted(picture)
        left = x + (TILE_PX[0] - tile.shape[1]) // 2
        top = y + TILE_PX[1] - tile.shape[0]
        sheet[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
        _write(sheet, caption, (x, y + TILE_PX[1] + 18), 0.55, INK)
        if number < len(notes) and notes[number]:
            _write(sheet, notes[number], (x, y + TILE_PX[1] + 33), 0.38, SOFT)
    return sheet


def _fitted(picture: Bgr) -> Bgr:
    height, width = picture.shape[:2]
    scale = min(TILE_PX[0] / width, TILE_PX[1] / height)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    shape = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, size, interpolation=shape), np.uint8)


def _write(
    sheet: Bgr,
    text: str,
    at: tuple[int, int],
    scale: float,
    ink: tuple[int, int, int],
) -> None:
    plain = text.encode("ascii", "replace").decode()
    font = cv2.FONT_HERSHEY_SIMPLEX
    while plain and cv2.getTextSize(plain, font, scale, 1)[0][0] > TILE_PX[0]:
        plain = plain[:-1]
    cv2.putText(sheet, plain, at, font, scale, ink, 1, cv2.LINE_AA)
