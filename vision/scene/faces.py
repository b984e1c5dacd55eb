"""Decks that do not exist: index, pips and courts drawn by chance.

The index (letter set, font, size, place) and the pips vary far more than any shop
sells; so what a reader can learn from them is what all decks share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene.art import (
    FACE_HEIGHT_PX,
    Box,
    Deck,
    Face,
    premultiplied,
    rounded_mask,
    turned_boxes,
)
from vision.scene.chance import one_of
from vision.scene.ink import Mask, flat_three, letters, stamp
from vision.scene.suits import SUITS, draw_suits
from vision.types import Bgr, Kind

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
LETTER_SETS: tuple[Mapping[str, str], ...] = (
    {},
    {"J": "V", "Q": "D", "K": "R"},
    {"J": "B", "Q": "D", "K": "K"},
    {"J": "F", "Q": "D", "K": "R"},
    {"J": "V", "Q": "D", "K": "R", "A": "1"},
    {"J": "В", "Q": "Д", "K": "К", "A": "Т"},
)
FLAT_THREE = 0.4
"""So many styles have a 3 with a straight top."""
LETTER_SET_ODDS = (0.56, 0.1, 0.24, 0.03, 0.03, 0.04)

# Columns at x, rows at y of the pips, shares of the inner area.
_PIPS: Mapping[str, Sequence[tuple[float, float]]] = {
    "A": [(0.5, 0.5)],
    "2": [(0.5, 0), (0.5, 1)],
    "3": [(0.5, 0), (0.5, 0.5), (0.5, 1)],
    "4": [(x, y) for x in (0, 1) for y in (0, 1)],
    "5": [(x, y) for x in (0, 1) for y in (0, 1)] + [(0.5, 0.5)],
    "6": [(x, y) for x in (0, 1) for y in (0, 0.5, 1)],
    "7": [(x, y) for x in (0, 1) for y in (0, 0.5, 1)] + [(0.5, 0.25)],
    "8": [(x, y) for x in (0, 1) for y in (0, 0.5, 1)] + [(0.5, 0.25), (0.5, 0.75)],
    "9": [(x, y / 3) for x in (0, 1) for y in range(4)] + [(0.5, 0.5)],
    "10": [(x, y / 3) for x in (0, 1) for y in range(4)] + [(0.5, 1 / 6), (0.5, 5 / 6)],
}


@dataclass(frozen=True, eq=False)
class _Style:
    letters: Mapping[str, str]
    font: str
    weight: int
    paper: NDArray[np.float64]
    inks: Mapping[str, NDArray[np.float64]]
    symbols: Mapping[str, Mask]
    index: tuple[float, float, float, float]
    """x, y of the rank's top left, rank height, suit height; shares of the height."""
    gap: float
    """From the top of the rank to that of the suit, in heights of the rank."""
    suit_aspect: float
    squeeze: float
    beside: bool
    four: bool
    pip: float
    width_px: int
    frame: int
    flat_three: bool


def draw_deck(
    rng: np.random.Generator,
    fonts: Sequence[str] = ("sans",),
    courts: Sequence[Bgr] = (),
    *,
    motley: bool = False,
) -> Deck:
    """Return a random deck of 52 faces, two jokers and a back.

    `courts` are pictures to put on the court cards; without them they are mosaics. In a
    `motley` deck each card is of a style of its own: 52 times as much to learn from.
    """
    style = _draw_style(rng, fonts)
    faces = {
        rank + suit: _draw_face(
            rng, _draw_style(rng, fonts) if motley else style, rank, suit, courts
        )
        for suit in SUITS
        for rank in RANKS
    }
    jokers = tuple(_draw_joker(rng, style, courts) for _ in range(2))
    return Deck("drawn", faces, draw_back(rng), jokers)


def _draw_style(rng: np.random.Generator, fonts: Sequence[str]) -> _Style:
    letter_set = LETTER_SETS[rng.choice(len(LETTER_SETS), p=LETTER_SET_ODDS)]
    usable = [
        f for f in rng.permutation(list(fonts))[:8] if _has_letters(f, letter_set)
    ]
    font_path = usable[0] if usable else "sans"
    jumbo = rng.random() < 0.25
    rank_height = rng.uniform(0.13, 0.22) if jumbo else rng.uniform(0.075, 0.125)
    paper = np.clip(rng.normal([248, 250, 250], [8, 5, 4]), 200, 255)
    if rng.random() < 0.1:
        paper = rng.uniform([150, 170, 180], [235, 245, 250])
    return _Style(
        letters=letter_set,
        font=str(font_path),
        weight=int(rng.choice([400, 500, 700, 800])),
        paper=paper,
        inks=_draw_inks(rng),
        symbols=draw_suits(rng, fonts),
        index=(
            rng.uniform(0.018, 0.05),
            rng.uniform(0.018, 0.05),
            rank_height,
            rank_height * rng.uniform(0.45, 1.1),
        ),
        gap=rng.uniform(1.03, 1.22),
        suit_aspect=rng.uniform(0.8, 1.15),
        squeeze=rng.uniform(0.6, 1.05),
        beside=rng.random() < 0.05,
        four=rng.random() < 0.15,
        pip=rng.uniform(0.11, 0.19),
        width_px=round(FACE_HEIGHT_PX * rng.uniform(0.635, 0.73)),
        frame=int(rng.integers(0, 4)),
        flat_three=rng.random() < FLAT_THREE,
    )


def _has_letters(font_path: str, letter_set: Mapping[str, str]) -> bool:
    return all(_has_letter(font_path, letter_set.get(r, r)) for r in ("J", "Q"))


@cache
def _has_letter(font_path: str, letter: str) -> bool:
    return letters(letter, font_path).size > 400


def _draw_inks(rng: np.random.Generator) -> Mapping[str, NDArray[np.float64]]:
    black = rng.uniform(0, 45) + rng.uniform(0, 12, 3)
    red = np.array([rng.uniform(10, 75), rng.uniform(10, 60), rng.uniform(165, 235)])
    inks = {"c": black, "s": black, "h": red, "d": red}
    if rng.random() < 0.15:
        green = np.array(
            [rng.uniform(20, 80), rng.uniform(100, 150), rng.uniform(0, 60)]
        )
        blue = np.array(
            [rng.uniform(150, 230), rng.uniform(40, 110), rng.uniform(0, 50)]
        )
        yellow = np.array(
            [rng.uniform(0, 70), rng.uniform(140, 190), rng.uniform(190, 235)]
        )
        schemes = (
            {"c": green, "d": blue},
            {"c": blue, "d": yellow},
            {"s": green, "d": yellow},
            {"s": blue, "c": green, "d": yellow},
        )
        inks.update(one_of(rng, schemes))
    return inks


def _draw_face(
    rng: np.random.Generator,
    style: _Style,
    rank: str,
    suit: str,
    courts: Sequence[Bgr],
) -> Face:
    bgr = _paper(style)
    ink = style.inks[suit]
    if rank in _PIPS:
        _print_pips(rng, bgr, style, rank, suit)
    else:
        _print_court(rng, bgr, style, suit, courts)
    box = _print_index(bgr, style, rank, suit, ink)
    _print_frame(bgr, style, rng)
    return Face(
        Kind.CARD, rank + suit, _cut(bgr, rng), turned_boxes(box, four=style.four)
    )


def _paper(style: _Style) -> Bgr:
    return np.full((FACE_HEIGHT_PX, style.width_px, 3), style.paper, np.uint8)


def _print_index(
    bgr: Bgr, style: _Style, rank: str, suit: str, ink: NDArray[np.float64]
) -> Box:
    h, w = bgr.shape[:2]
    x, y, rank_height, suit_height = (v * h for v in style.index)
    glyph = _rank(style, rank)
    wide = rank_height * glyph.shape[1] / glyph.shape[0] * style.squeeze
    wide = min(wide, rank_height * (1.25 if rank == "10" else 1.0))
    symbol = style.symbols[suit]
    suit_width = suit_height * style.suit_aspect * _aspect(symbol)
    column = max(wide, suit_width)
    if style.beside:
        places = [
            (glyph, (x, y, x + wide, y + rank_height)),
            (symbol, (x + wide + 3, y, x + wide + 3 + suit_width, y + suit_height)),
        ]
        low = y + max(rank_height, suit_height)
        box = (x, y, x + wide + 3 + suit_width, low)
    else:
        middle, below = x + column / 2, y + rank_height * style.gap
        places = [
            (glyph, (middle - wide / 2, y, middle + wide / 2, y + rank_height)),
            (
                symbol,
                (
                    middle - suit_width / 2,
                    below,
                    middle + suit_width / 2,
                    below + suit_height,
                ),
            ),
        ]
        box = (x, y, x + column, below + suit_height)
    for mask, (x0, y0, x1, y1) in places:
        stamp(bgr, mask, (x0, y0, x1, y1), ink.tolist())
        stamp(bgr, mask, (w - x1, h - y1, w - x0, h - y0), ink.tolist(), turned=True)
        if style.four:
            shift = w - box[0] - box[2]
            stamp(bgr, mask, (x0 + shift, y0, x1 + shift, y1), ink.tolist())
            stamp(
                bgr,
                mask,
                (w - x1 - shift, h - y1, w - x0 - shift, h - y0),
                ink.tolist(),
                turned=True,
            )
    pad = 0.006
    return (box[0] / w - pad, box[1] / h - pad, box[2] / w + pad, box[3] / h + pad)


def _rank(style: _Style, rank: str) -> Mask:
    if rank == "3" and style.flat_three:
        return flat_three(style.weight)
    return letters(style.letters.get(rank, rank), style.font, style.weight)


def _aspect(mask: Mask) -> float:
    return float(min(1.25, mask.shape[1] / mask.shape[0]))


def _print_pips(
    rng: np.random.Generator, bgr: Bgr, style: _Style, rank: str, suit: str
) -> None:
    h, w = bgr.shape[:2]
    size = style.pip * h
    inset_x = max(0.24, (style.index[0] + style.index[2]) * h / w + 0.1)
    ink, symbol = style.inks[suit].tolist(), style.symbols[suit]
    if rank == "A":
        size *= rng.uniform(1.0, 3.0)
    wide = size * style.suit_aspect * _aspect(symbol)
    for px, py in _PIPS[rank]:
        x = w * (inset_x + px * (1 - 2 * inset_x))
        y = h * (0.16 + py * 0.68)
        turned = py > 0.5
        box = (x - wide / 2, y - size / 2, x + wide / 2, y + size / 2)
        stamp(bgr, symbol, box, ink, turned=turned)


def _print_court(
    rng: np.random.Generator, bgr: Bgr, style: _Style, suit: str, courts: Sequence[Bgr]
) -> None:
    h, w = bgr.shape[:2]
    x0 = int(w * max(0.15, min(0.26, style.index[0] + style.index[2] * 0.9)))
    y0 = int(h * rng.uniform(0.05, 0.1))
    width, height = w - 2 * x0, h - 2 * y0
    if courts and rng.random() < 0.75:
        art = one_of(rng, courts)
        art = np.asarray(cv2.resize(art, (width, height)), np.uint8)
    else:
        art = mosaic(rng, width, height, symmetric=True)
    bgr[y0 : y0 + height, x0 : x0 + width] = art
    if rng.random() < 0.7:
        cv2.rectangle(bgr, (x0, y0), (x0 + width, y0 + height), (60, 30, 30), 1)
    size = h * rng.uniform(0.1, 0.16)
    symbol, ink = style.symbols[suit], style.inks[suit].tolist()
    wide = size * style.suit_aspect * _aspect(symbol)
    box = (x0 + 3.0, y0 + 3.0, x0 + 3 + wide, y0 + 3 + size)
    stamp(bgr, symbol, box, ink)
    turned_box = (w - box[2], h - box[3], w - box[0], h - box[1])
    stamp(bgr, symbol, turned_box, ink, turned=True)


def _draw_joker(rng: np.random.Generator, style: _Style, courts: Sequence[Bgr]) -> Face:
    bgr = _paper(style)
    h, w = bgr.shape[:2]
    ink = (style.inks["h"] if rng.random() < 0.5 else style.inks["s"]).tolist()
    x0, y0 = int(w * 0.2), int(h * 0.15)
    if courts and rng.random() < 0.4:
        art = np.asarray(
            cv2.resize(one_of(rng, courts), (w - 2 * x0, h - 2 * y0)),
            np.uint8,
        )
    else:
        art = mosaic(rng, w - 2 * x0, h - 2 * y0, symmetric=False)
    bgr[y0 : h - y0, x0 : w - x0] = art
    x, y, size = style.index[0] * h, style.index[1] * h, style.index[2] * h * 0.5
    word = [letters(c, style.font, style.weight) for c in "JOKER"]
    across = rng.random() < 0.4
    for i, glyph in enumerate(word):
        if across:
            box = (x + i * size, y, x + (i + 0.85) * size, y + size)
        else:
            box = (x, y + i * size * 1.1, x + size * 0.8, y + (i * 1.1 + 1) * size)
        stamp(bgr, glyph, box, ink)
        back = (w - box[2], h - box[3], w - box[0], h - box[1])
        stamp(bgr, glyph, back, ink, turned=True)
    return Face(Kind.CARD, "X", _cut(bgr, rng))


def _print_frame(bgr: Bgr, style: _Style, rng: np.random.Generator) -> None:
    h, w = bgr.shape[:2]
    if style.frame == 1:
        thick = int(rng.choice([3, 5, 16], p=[0.5, 0.3, 0.2]))
        cv2.rectangle(bgr, (0, 0), (w - 1, h - 1), (40, 40, 40), thick)
    elif style.frame == 2 and rng.random() < 0.5:
        cv2.rectangle(bgr, (4, 4), (w - 5, h - 5), (120, 120, 120), 1)


def _cut(bgr: Bgr, rng: np.random.Generator) -> Bgr:
    h, w = bgr.shape[:2]
    mask = rounded_mask(w, h, float(rng.uniform(0.03, 0.08)))
    return premultiplied(np.dstack([bgr, mask]))


def mosaic(
    rng: np.random.Generator, width: int, height: int, *, symmetric: bool
) -> Bgr:
    """Return random flat art: patches, arcs and lines in a small palette."""
    palette = rng.integers(0, 255, (int(rng.integers(3, 7)), 3))
    art = np.full((height, width, 3), palette[0], np.uint8)
    for _ in range(int(rng.integers(12, 45))):
        colour = palette[rng.integers(len(palette))].tolist()
        centre = rng.uniform(0, [width, height])
        reach = rng.uniform(0.04, 0.3) * width
        match rng.integers(4):
            case 0:
                points = centre + rng.normal(0, reach, (int(rng.integers(3, 7)), 2))
                cv2.fillPoly(art, [points.astype(np.int32)], colour, cv2.LINE_AA)
            case 1:
                cv2.circle(art, centre.astype(int).tolist(), int(reach), colour, -1)
            case 2:
                end = centre + rng.normal(0, reach * 3, 2)
                thick = int(rng.integers(1, 6))
                cv2.line(
                    art,
                    centre.astype(int).tolist(),
                    end.astype(int).tolist(),
                    colour,
                    thick,
                    cv2.LINE_AA,
                )
            case _:
                axes = (rng.uniform(0.3, 1, 2) * reach).astype(int).tolist()
                cv2.ellipse(
                    art,
                    centre.astype(int).tolist(),
                    axes,
                    float(rng.uniform(0, 180)),
                    0,
                    float(rng.uniform(90, 360)),
                    colour,
                    int(rng.integers(1, 4)),
                )
    if symmetric:
        half = height // 2
        art[height - half :] = art[:half][::-1, ::-1]
    return art


def draw_back(rng: np.random.Generator) -> Face:
    """Return a random card back: lattice, dots, checks, waves or a picture."""
    h, w = FACE_HEIGHT_PX, round(FACE_HEIGHT_PX * rng.uniform(0.635, 0.73))
    first, second = rng.integers(0, 255, (2, 3)).astype(float)
    if rng.random() < 0.6:
        second = np.array([245.0, 248, 250])
    y, x = np.mgrid[0:h, 0:w]
    step = rng.uniform(6, 40)
    match rng.integers(6):
        case 0:
            pattern = ((x + y) % step < step * 0.3) | ((x - y) % step < step * 0.3)
        case 1:
            pattern = np.hypot(x % step - step / 2, y % step - step / 2) < step * 0.35
        case 2:
            pattern = ((x // step) + (y // step)) % 2 == 0
        case 3:
            pattern = np.sin(x / step) + np.sin(y / step * rng.uniform(0.5, 2)) > 0
        case 4:
            pattern = np.hypot(x - w / 2, y - h / 2) % step < step * 0.4
        case _:
            pattern = np.zeros((h, w), bool)
    bgr = np.where(pattern[..., None], first, second).astype(np.uint8)
    if rng.random() < 0.3:
        width, height = int(w * 0.7), int(h * 0.7)
        art = mosaic(rng, width, height, symmetric=True)
        bgr[(h - height) // 2 :, (w - width) // 2 :][:height, :width] = art
    margin = int(rng.choice([0, 8, 14, 20]))
    if margin:
        border = (245, 248, 250) if rng.random() < 0.8 else tuple(first.tolist())
        cv2.rectangle(bgr, (0, 0), (w - 1, h - 1), border, margin * 2)
    return Face(Kind.BACK, None, _cut(bgr, rng))


def draw_medallion_back(rng: np.random.Generator) -> Face:
    """Return a random card back with lozenges, rings or stars on a ground of one ink,
    the same from both ends, within a border: what printed decks mostly have."""
    h, w = FACE_HEIGHT_PX, round(FACE_HEIGHT_PX * rng.uniform(0.635, 0.73))
    ink = rng.uniform(0, 170, 3).tolist()
    light = (np.full(3, 240.0) + rng.normal(0, 8, 3)).tolist()
    bgr = np.full((h, w, 3), ink, np.uint8)
    columns = int(rng.integers(1, 5))
    rows = max(1, round(columns * rng.uniform(1.0, 1.8)))
    size = np.array([w / columns, h / rows]) * rng.uniform(0.25, 0.5)
    kind, thick = rng.integers(3), -1 if rng.random() < 0.6 else int(rng.integers(2, 9))
    for row, column in np.ndindex(rows, columns):
        middle = np.array([(column + 0.5) * w / columns, (row + 0.5) * h / rows])
        if kind == 0:
            points = middle + size * np.array([[0, -1], [1, 0], [0, 1], [-1, 0]])
            bgr = _filled(bgr, points, light, thick)
        elif kind == 1:
            cv2.circle(bgr, middle.astype(int).tolist(), int(size.min()), light, thick)
        else:
            turns = np.linspace(0, 2 * np.pi, 16, endpoint=False)
            reach = np.where(np.arange(16) % 2, 0.5, 1.0) * size.min()
            star = np.column_stack([np.sin(turns), np.cos(turns)]) * reach[:, None]
            bgr = _filled(bgr, middle + star, light, thick)
    half = h // 2
    bgr[h - half :] = bgr[:half][::-1, ::-1]
    for inset in np.cumsum(rng.integers(6, 22, int(rng.integers(1, 4)))).tolist():
        line = light if rng.random() < 0.7 else ink
        cv2.rectangle(bgr, (inset, inset), (w - 1 - inset, h - 1 - inset), line, 3)
    margin = int(rng.choice([4, 10, 16, 24]))
    cv2.rectangle(bgr, (0, 0), (w - 1, h - 1), light, margin * 2)
    return Face(Kind.BACK, None, _cut(bgr, rng))


def _filled(bgr: Bgr, points: NDArray[np.float64], ink: list[float], thick: int) -> Bgr:
    """Return the art with a polygon: filled, or only its line, `thick` px."""
    corners = points.round().astype(np.int32)
    if thick < 0:
        cv2.fillPoly(bgr, [corners], ink, cv2.LINE_AA)
    else:
        cv2.polylines(bgr, [corners], isClosed=True, color=ink, thickness=thick)
    return bgr


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
    return Face(Kind.CARD, None, _cut(bgr, rng))
