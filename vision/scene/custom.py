"""Cards of no standard deck, drawn by chance."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.scene.art import FACE_HEIGHT_PX, Face, cut_round
from vision.scene.chance import one_of
from vision.scene.ink import letters, stamp
from vision.scene.mosaic import mosaic
from vision.types import Kind


def draw_custom_card(
    rng: np.random.Generator, fonts: Sequence[str] = ("sans",)
) -> Face:
    """Return a card of no standard deck: frame, picture, title, text, numbers."""
    h, w = FACE_HEIGHT_PX, round(FACE_HEIGHT_PX * rng.uniform(0.64, 0.73))
    frame = rng.integers(0, 255, 3).tolist()
    bgr = np.full((h, w, 3), frame, np.uint8)
    ink = (20, 20, 20) if sum(frame) > 380 else (240, 240, 240)
    margin = int(rng.uniform(0.02, 0.08) * w)
    if rng.random() < 0.5:
        cv2.rectangle(bgr, (0, 0), (w - 1, h - 1), (20, 20, 20), margin * 2)
    font_path = str(one_of(rng, fonts))
    style = rng.integers(3)
    if style == 0:  # picture above, text below
        top, bottom = int(h * 0.12), int(h * rng.uniform(0.5, 0.6))
        art = mosaic(rng, w - 4 * margin, bottom - top, symmetric=False)
        bgr[top:bottom, 2 * margin : w - 2 * margin] = art
        panel = rng.integers(180, 250, 3).tolist()
        cv2.rectangle(
            bgr, (2 * margin, bottom + 8), (w - 2 * margin, int(h * 0.93)), panel, -1
        )
        for y in range(bottom + 20, int(h * 0.88), 13):
            end = int(w * rng.uniform(0.5, 0.88))
            cv2.line(bgr, (3 * margin + 6, y), (end, y), (30, 30, 30), 2)
    elif style == 1:  # one large figure in an oval
        cv2.ellipse(
            bgr,
            (w // 2, h // 2),
            (int(w * 0.3), int(h * 0.42)),
            20,
            0,
            360,
            rng.integers(150, 255, 3).tolist(),
            -1,
        )
        glyph = letters(str(rng.integers(0, 10)), font_path, 700)
        stamp(bgr, glyph, (w * 0.3, h * 0.33, w * 0.7, h * 0.67), ink)
    else:
        bgr[:] = mosaic(rng, w, h, symmetric=False)
    title = letters("".join(rng.choice(list("ABCDEFGHIKLMNORSTU"), 8)), font_path, 500)
    stamp(bgr, title, (w * 0.12, h * 0.04, w * rng.uniform(0.5, 0.8), h * 0.085), ink)
    return Face(Kind.CARD, None, cut_round(bgr, rng))
