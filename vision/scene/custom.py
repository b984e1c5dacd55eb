"""Cards of no standard deck, drawn by chance."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.scene.art import FACE_HEIGHT_PX, Box, Face, cut_round, turned_boxes
from vision.scene.chance import one_of
from vision.scene.ink import Mask, letters, stamp
from vision.scene.mosaic import mosaic
from vision.scene.suits import SUITS, draw_suits
from vision.types import Array, Bgr, Kind

NO_RANKS = (*"CEGHLMNOPSUWXYZ?!&%+#", "0", *map(str, range(11, 30)), "+2", "+4", "SK")
"""Signs that no common deck prints as a rank."""
RANKS_ELSEWHERE = tuple(map(str, range(1, 11)))
"""Numbers are ranks only beside a suit."""


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


def draw_numbered_card(
    rng: np.random.Generator, fonts: Sequence[str] = ("sans",)
) -> Face:
    """Return a card of no standard deck with signs in its corners.

    Numbers of other games, letters, strokes; alone, with a symbol, or (what is no rank)
    with a suit: what a reader must not take for a card of a standard deck.
    """
    h, w = FACE_HEIGHT_PX, round(FACE_HEIGHT_PX * rng.uniform(0.635, 0.73))
    ground = rng.uniform(0, 255, 3) if rng.random() < 0.5 else rng.uniform(225, 255, 3)
    bgr = np.full((h, w, 3), ground, np.uint8)
    field = _print_field(rng, bgr) if rng.random() < 0.45 else ground
    ink = rng.uniform(0, 90, 3) if field.mean() > 128 else rng.uniform(190, 255, 3)
    sign, symbol = _draw_sign(rng, str(one_of(rng, fonts)))
    if rng.random() < 0.7:
        _print_emblem(rng, bgr)
    if rng.random() < 0.7:
        tall = rng.uniform(0.12, 0.45) * h
        wide = min(tall * sign.shape[1] / sign.shape[0], 0.7 * w)
        x, y = (w - wide) / 2, (h - tall) / 2
        stamp(bgr, sign, (x, y, x + wide, y + tall), rng.uniform(0, 255, 3).tolist())
    box = _print_corners(rng, bgr, (sign, symbol), ink.tolist())
    return Face(Kind.CARD, None, cut_round(bgr, rng), turned_boxes(box))


def _draw_sign(rng: np.random.Generator, font: str) -> tuple[Mask, Mask | None]:
    """Return the mask of a sign and, of some cards, of the symbol below it."""
    kind = rng.choice(3, p=[0.35, 0.4, 0.25])
    if kind == 0:
        sign = letters(str(one_of(rng, RANKS_ELSEWHERE)), font, 700)
    elif kind == 1:
        sign = letters(str(one_of(rng, NO_RANKS)), font, 700)
    else:
        sign = _strokes(rng)
    if sign.size < 400:  # the font has no such letters
        sign = _strokes(rng)
    if rng.random() < 0.45:
        return sign, None
    if kind == 0 or rng.random() < 0.3:
        return sign, _strokes(rng)
    suit = draw_suits(rng)[str(one_of(rng, SUITS))]
    if rng.random() < 0.3:
        return suit, None  # a suit in the corner, and no rank
    return sign, suit


def _strokes(rng: np.random.Generator) -> Mask:
    """Return the mask of a few strokes or a polygon: a sign of no alphabet."""
    canvas = np.zeros((160, 120), np.uint8)
    for _ in range(int(rng.integers(1, 4))):
        points = rng.uniform([12, 12], [108, 148], (int(rng.integers(2, 5)), 2))
        if len(points) > 2 and rng.random() < 0.3:
            cv2.fillPoly(canvas, [points.astype(np.int32)], (255,))
            continue
        thick = int(rng.integers(8, 26))
        line = [points.astype(np.int32)]
        cv2.polylines(canvas, line, isClosed=False, color=(255,), thickness=thick)
    rows, columns = np.flatnonzero(canvas.any(1)), np.flatnonzero(canvas.any(0))
    return canvas[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _print_field(rng: np.random.Generator, bgr: Bgr) -> Array:
    """Print a field within the border, in place; return its colour."""
    h, w = bgr.shape[:2]
    inset = int(rng.uniform(0.03, 0.1) * w)
    colour = rng.uniform(0, 255, 3)
    cv2.rectangle(
        bgr, (inset, inset), (w - 1 - inset, h - 1 - inset), colour.tolist(), -1
    )
    return colour


def _print_emblem(rng: np.random.Generator, bgr: Bgr) -> None:
    """Print a disc, an oval, a lozenge or a picture into the middle, in place."""
    h, w = bgr.shape[:2]
    colour = (
        rng.uniform(215, 255, 3) if rng.random() < 0.5 else rng.uniform(0, 255, 3)
    ).tolist()
    thick = -1 if rng.random() < 0.7 else int(rng.integers(3, 14))
    reach = rng.uniform(0.25, 0.47) * w
    middle = (w // 2, h // 2)
    match rng.integers(4):
        case 0:
            cv2.circle(bgr, middle, int(reach), colour, thick, cv2.LINE_AA)
        case 1:
            axes = (int(reach * 0.8), int(reach * rng.uniform(0.9, 1.5)))
            turn = float(rng.uniform(-40, 40))
            cv2.ellipse(bgr, middle, axes, turn, 0, 360, colour, thick, cv2.LINE_AA)
        case 2:
            points = reach * np.array([[0, -1.4], [1, 0], [0, 1.4], [-1, 0]]) + middle
            cv2.fillPoly(bgr, [points.astype(np.int32)], colour, cv2.LINE_AA)
        case _:
            wide, tall = int(reach * 1.6), int(reach * rng.uniform(1.2, 2.2))
            left, top = (w - wide) // 2, (h - tall) // 2
            art = mosaic(rng, wide, tall, symmetric=False)
            bgr[top : top + tall, left : left + wide] = art


def _print_corners(
    rng: np.random.Generator,
    bgr: Bgr,
    signs: tuple[Mask, Mask | None],
    ink: Sequence[float],
) -> Box:
    """Print the signs into two corners, in place; return the box of the upper ones in
    shares of the card."""
    h, w = bgr.shape[:2]
    x, y = rng.uniform(0.03, 0.12) * w, rng.uniform(0.03, 0.09) * h
    tall, wide = rng.uniform(0.05, 0.12) * h, 0.0
    bottom = y
    for mask in signs:
        if mask is None:
            continue
        width = min(tall * mask.shape[1] / mask.shape[0], 0.25 * w)
        place = (x, bottom, x + width, bottom + tall)
        turned = (w - place[2], h - place[3], w - place[0], h - place[1])
        stamp(bgr, mask, place, ink)
        stamp(bgr, mask, turned, ink, turned=True)
        wide, bottom = max(wide, width), bottom + tall * 1.1
    return x / w, y / h, (x + wide) / w, (bottom - tall * 0.1) / h
