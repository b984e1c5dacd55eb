"""Decks that do not exist: index, pips and courts drawn by chance.

The index (letter set, font, size, place) and the pips vary far more than any shop
sells; so what a reader can learn from them is what all decks share.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene.art import (
    FACE_HEIGHT_PX,
    Box,
    Deck,
    Face,
    cut_round,
    turned_boxes,
)
from vision.scene.backs import draw_back
from vision.scene.chance import one_of
from vision.scene.ink import Mask, flat_three, letters, stamp
from vision.scene.mosaic import mosaic
from vision.scene.suits import SUITS, draw_suits, thickened
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
MOTLEY_GAP = (0.96, 1.35)
"""From the top of a rank to that of the suit below it in a motley deck, in heights of
the rank: some decks print them touching, others far apart."""
BENT, LEANT, THICKENED_PX = 0.35, 0.22, 6
"""So many letters of motley decks are bent; as the tangent they lean by at most that,
and grow bolder or finer by so much, of 160 px of height."""
ON_PANEL, BIG_SUIT = 0.3, 0.2
"""So many courts of motley decks stand on a tinted panel whose edge runs behind the
index, or have a big symbol close beside it."""
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
    lean: float = 0.0
    """The tangent by which letters lean, on top of what the font does."""
    bolder_px: int = 0
    """By how much the font's letters are thickened, px of 160; below 0 thinned."""


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
            rng,
            _other_style(rng, fonts) if motley else style,
            (rank, suit),
            courts,
            near=motley and rank not in _PIPS,
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


def _other_style(rng: np.random.Generator, fonts: Sequence[str]) -> _Style:
    """Return a style whose letters are bent as well, and stand nearer or farther."""
    style = _draw_style(rng, fonts)
    (aside,) = rng.spawn(1)  # or all that is drawn after it would change
    style = replace(style, gap=aside.uniform(*MOTLEY_GAP))
    if aside.random() >= BENT:
        return style
    bolder = int(aside.integers(-THICKENED_PX, THICKENED_PX + 1))
    return replace(style, lean=aside.uniform(-LEANT, LEANT), bolder_px=bolder)


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
    name: tuple[str, str],
    courts: Sequence[Bgr],
    *,
    near: bool,
) -> Face:
    """Return a face; `near`: parts of its picture may stand close to its index."""
    rank, suit = name
    bgr = _paper(style)
    ink = style.inks[suit]
    (aside,) = rng.spawn(1)  # or all that is drawn after it would change
    if near and aside.random() < ON_PANEL:
        _print_panel(aside, bgr, style)
    if rank in _PIPS:
        _print_pips(rng, bgr, style, rank, suit)
    else:
        _print_court(rng, bgr, style, suit, courts)
    box = _print_index(bgr, style, rank, suit, ink)
    boxes = turned_boxes(box, four=style.four)
    if near:
        _print_beside(aside, bgr, boxes)
        if not style.four and aside.random() < BIG_SUIT:
            _print_big_suit(aside, bgr, style, suit, box)
    _print_frame(bgr, style, rng)
    return Face(Kind.CARD, rank + suit, cut_round(bgr, rng), boxes)


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
    glyph = letters(style.letters.get(rank, rank), style.font, style.weight)
    if not style.lean and not style.bolder_px:
        return glyph
    return thickened(_leant(glyph, style.lean), style.bolder_px)


def _leant(mask: Mask, lean: float) -> Mask:
    """Return the mask with its top moved right by `lean` heights."""
    h, w = mask.shape
    aside = abs(lean) * h
    shear = np.array([[1, -lean, max(lean, 0) * h], [0, 1, 0]])
    size = (w + math.ceil(aside), h)
    return np.asarray(cv2.warpAffine(mask, shear, size), np.uint8)


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


def _print_beside(rng: np.random.Generator, bgr: Bgr, indices: Sequence[Box]) -> None:
    """Print blades, feathers and sleeves beside the indices, in place: figures without
    a frame reach that far."""
    if rng.random() < 0.5:
        return
    size = np.array([bgr.shape[1], bgr.shape[0]])
    for _ in range(int(rng.integers(1, 4))):
        colour = rng.uniform(0, 255, 3).tolist()
        line = (rng.uniform(0, 90, 3)).tolist()
        reach = rng.uniform(0.02, 0.14)
        points = rng.uniform([0, -0.1], [1, 1.2], (int(rng.integers(3, 6)), 2))
        thick = int(rng.integers(1, 4))
        for x0, y0, x1, y1 in indices:
            inwards = 1 if x0 < 0.5 else -1
            edge = x1 + 0.015 if x0 < 0.5 else x0 - 0.015
            down = points[:, 1] if y0 < 0.5 else 1 - points[:, 1]
            x, y = edge + inwards * reach * points[:, 0], y0 + (y1 - y0) * down
            corners = [(np.column_stack([x, y]) * size).round().astype(np.int32)]
            cv2.fillPoly(bgr, corners, colour, cv2.LINE_AA)
            cv2.polylines(bgr, corners, isClosed=True, color=line, thickness=thick)


def _print_panel(rng: np.random.Generator, bgr: Bgr, style: _Style) -> None:
    """Tint the middle of the face, from an edge that runs through the index on."""
    h, w = bgr.shape[:2]
    x = round(w * rng.uniform(0.02, 0.2))
    y = round(h * (style.index[1] + style.index[2] * rng.uniform(-0.3, 1.5)))
    tint = np.clip(style.paper - rng.uniform(0, 60, 3), 120, 255)
    bgr[y : h - y, x : w - x] = tint
    if rng.random() < 0.5:
        line = (tint * rng.uniform(0.3, 0.9)).tolist()
        cv2.rectangle(bgr, (x, y), (w - x, h - y), line, int(rng.integers(1, 4)))


def _print_big_suit(
    rng: np.random.Generator, bgr: Bgr, style: _Style, suit: str, index: Box
) -> None:
    """Print a big symbol close beside an index and its like turned, in place."""
    h, w = bgr.shape[:2]
    high = h * rng.uniform(0.1, 0.2)
    wide = high * style.suit_aspect * _aspect(style.symbols[suit])
    x = w * index[2] + h * rng.uniform(0.0, 0.025)
    y = h * index[1] + high * rng.uniform(0.0, 0.5)
    ink, symbol = style.inks[suit].tolist(), style.symbols[suit]
    stamp(bgr, symbol, (x, y, x + wide, y + high), ink)
    turned_box = (w - x - wide, h - y - high, w - x, h - y)
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
    return Face(Kind.CARD, "X", cut_round(bgr, rng))


def _print_frame(bgr: Bgr, style: _Style, rng: np.random.Generator) -> None:
    h, w = bgr.shape[:2]
    if style.frame == 1:
        thick = int(rng.choice([3, 5, 16], p=[0.5, 0.3, 0.2]))
        cv2.rectangle(bgr, (0, 0), (w - 1, h - 1), (40, 40, 40), thick)
    elif style.frame == 2 and rng.random() < 0.5:
        cv2.rectangle(bgr, (4, 4), (w - 5, h - 5), (120, 120, 120), 1)
