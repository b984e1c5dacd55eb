"""Cards of games with a picture in a frame, title, kind, rules and strength, drawn by
chance: of one deck all have the same frame, in a few colours.

A detector that has not met them takes the picture, or the panel with the rules, for the
card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.scene.art import FACE_HEIGHT_PX, Face, cut_round
from vision.scene.chance import one_of
from vision.scene.ink import letters, stamp
from vision.scene.painting import painting
from vision.types import Array, Bgr, Kind

COLOURS = 4
"""Factions of a deck."""
FULL = 0.15
"""So many of the decks have pictures as large as the card."""


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    """What the cards of a deck have in common; lengths in shares of the height."""

    width_px: int
    border: Array
    margin: float
    fields: Array
    """(N, 3) colours of the factions."""
    is_grained: bool
    panel: Array
    title: tuple[float, float]
    """Top and bottom of the bar with the title."""
    picture: tuple[float, float]
    rules: tuple[float, float]
    inset: float
    font: str
    has_panels: bool
    has_kind: bool
    has_strength: bool
    is_full: bool


def draw_framed_deck(
    rng: np.random.Generator,
    fonts: Sequence[str] = ("sans",),
    pictures: Sequence[Bgr] = (),
    count: int = 6,
) -> tuple[Face, ...]:
    """Return cards of one deck; `pictures` are printed on some, besides drawn ones."""
    frame = _draw_frame(rng, fonts)
    return tuple(_draw_face(rng, frame, pictures) for _ in range(count))


def _draw_frame(rng: np.random.Generator, fonts: Sequence[str]) -> _Frame:
    borders = ((18, 18, 18), (245, 245, 245), (150, 150, 150), rng.uniform(0, 255, 3))
    top = rng.uniform(0.03, 0.06)
    bottom = top + rng.uniform(0.045, 0.085)
    middle = rng.uniform(0.46, 0.68)
    return _Frame(
        width_px=round(FACE_HEIGHT_PX * rng.uniform(0.64, 0.74)),
        border=np.array(borders[rng.choice(4, p=[0.6, 0.15, 0.05, 0.2])], float),
        margin=float(rng.choice([0.0, rng.uniform(0.018, 0.05)], p=[0.15, 0.85])),
        fields=rng.uniform(0, 1, (COLOURS, 3)) ** 0.8 * 235,
        is_grained=rng.random() < 0.7,
        panel=rng.uniform(120, 255) + rng.uniform(-25, 10, 3),
        title=(top, bottom),
        picture=(bottom + rng.uniform(-0.01, 0.03), middle),
        rules=(middle + rng.uniform(0.0, 0.09), rng.uniform(0.88, 0.955)),
        inset=rng.uniform(0.035, 0.085),
        font=str(one_of(rng, fonts)),
        has_panels=rng.random() < 0.75,
        has_kind=rng.random() < 0.7,
        has_strength=rng.random() < 0.5,
        is_full=rng.random() < FULL,
    )


def _draw_face(
    rng: np.random.Generator, frame: _Frame, pictures: Sequence[Bgr]
) -> Face:
    h, w = FACE_HEIGHT_PX, frame.width_px
    bgr = np.empty((h, w, 3), np.uint8)
    bgr[:] = frame.border
    field = frame.fields[rng.integers(COLOURS)]
    edge = round(frame.margin * h)
    inner = bgr[edge : h - edge, edge : w - edge]
    _print_field(rng, inner, field, is_grained=frame.is_grained)
    left, right = round(frame.inset * h), w - round(frame.inset * h)
    top, bottom = (round(share * h) for share in frame.picture)
    if frame.is_full:
        inner[:] = painting(rng, inner.shape[1], inner.shape[0], pictures)
    else:
        bgr[top:bottom, left:right] = painting(
            rng, right - left, bottom - top, pictures
        )
        _outline(rng, bgr, (left, top, right, bottom))
    _print_title(rng, bgr, frame, field)
    _print_rules(rng, bgr, frame, field)
    if frame.has_strength and rng.random() < 0.8:
        strength = f"{rng.integers(0, 10)}/{rng.integers(0, 10)}"
        box = (0.76 * w, 0.885 * h, w - edge - 0.02 * w, 0.935 * h)
        _print_panel(bgr, box, frame.panel)
        _print_words(bgr, frame.font, strength, _shrunk(box), _ink(frame.panel))
    return Face(Kind.CARD, None, cut_round(bgr, rng))


def _print_field(
    rng: np.random.Generator, bgr: Bgr, colour: Array, *, is_grained: bool
) -> None:
    """Print a coloured ground, in place, plain or with a grain."""
    bgr[:] = colour
    if is_grained:
        small = rng.normal(0, rng.uniform(6, 28), (*rng.integers(6, 40, 2), 1))
        grain = cv2.resize(small, bgr.shape[1::-1], interpolation=cv2.INTER_CUBIC)
        bgr[:] = np.clip(bgr + grain[..., None], 0, 255)


def _outline(
    rng: np.random.Generator, bgr: Bgr, box: tuple[int, int, int, int]
) -> None:
    if rng.random() < 0.7:
        colour = (15, 15, 15) if rng.random() < 0.7 else (235, 235, 235)
        thick = int(rng.integers(1, 7))
        cv2.rectangle(bgr, box[:2], box[2:], colour, thick, cv2.LINE_AA)


def _print_title(
    rng: np.random.Generator, bgr: Bgr, frame: _Frame, field: Array
) -> None:
    h, w = bgr.shape[:2]
    top, bottom = (share * h for share in frame.title)
    left, right = frame.inset * h * 0.8, w - frame.inset * h * 0.8
    ground = frame.panel if frame.has_panels else field
    if frame.has_panels:
        _print_panel(bgr, (left, top, right, bottom), frame.panel)
    words = (left + 0.02 * w, top, rng.uniform(0.4, 0.72) * w, bottom)
    _print_words(bgr, frame.font, _words(rng, 2), _shrunk(words), _ink(ground))
    radius = 0.34 * (bottom - top)
    for number in range(int(rng.integers(0, 5))):
        centre = (right - radius * (1.4 + 2.2 * number), (top + bottom) / 2)
        at = (round(centre[0]), round(centre[1]))
        colour = rng.uniform(0, 255, 3).tolist()
        cv2.circle(bgr, at, round(radius), colour, -1, cv2.LINE_AA)


def _print_rules(
    rng: np.random.Generator, bgr: Bgr, frame: _Frame, field: Array
) -> None:
    """Print the bar with the kind, and the panel with the rules, in place."""
    h, w = bgr.shape[:2]
    left, right = frame.inset * h * 0.9, w - frame.inset * h * 0.9
    top, bottom = (share * h for share in frame.rules)
    ground = frame.panel if frame.has_panels else field
    if frame.has_kind and top - frame.picture[1] * h > 0.045 * h:
        bar = (left, frame.picture[1] * h + 4, right, top - 4)
        if frame.has_panels:
            _print_panel(bgr, bar, frame.panel)
        words = (left + 0.02 * w, bar[1], rng.uniform(0.3, 0.6) * w, bar[3])
        _print_words(bgr, frame.font, _words(rng, 2), _shrunk(words), _ink(ground))
    if frame.has_panels or rng.random() < 0.5:
        _print_panel(bgr, (left, top, right, bottom), frame.panel)
        ground = frame.panel
    tall, y = rng.uniform(0.022, 0.034) * h, top + 0.02 * h
    for number in range(int(rng.integers(1, 9))):
        if y + tall > bottom - 0.02 * h:
            break
        is_last = number > 0 and rng.random() < 0.25
        end = left + (right - left) * rng.uniform(0.3 if is_last else 0.85, 0.96)
        line = (left + 0.03 * w, y, end, y + tall)
        _print_words(bgr, frame.font, _words(rng, 5), line, _ink(ground))
        y += tall * (2.1 if is_last else 1.35)


def _print_panel(bgr: Bgr, box: tuple[float, ...], colour: Array) -> None:
    left, top, right, bottom = (round(place) for place in box)
    cv2.rectangle(bgr, (left, top), (right, bottom), colour.tolist(), -1)
    cv2.rectangle(bgr, (left, top), (right, bottom), (40, 40, 40), 2, cv2.LINE_AA)


def _print_words(
    bgr: Bgr,
    font: str,
    words: str,
    box: tuple[float, float, float, float],
    ink: Sequence[float],
) -> None:
    stamp(bgr, letters(words, font), box, ink)


def _shrunk(
    box: tuple[float, float, float, float],
) -> tuple[float, float, float, float]:
    left, top, right, bottom = box
    return left, top + 0.25 * (bottom - top), right, bottom - 0.25 * (bottom - top)


def _ink(ground: Array) -> Sequence[float]:
    return (20.0, 20.0, 20.0) if ground.mean() > 110 else (240.0, 240.0, 240.0)


def _words(rng: np.random.Generator, count: int) -> str:
    """Return words of no language."""
    letters_of = "aeioulnrstcdmpgbfvhk"
    words = [
        "".join(rng.choice(list(letters_of), int(rng.integers(2, 9))))
        for _ in range(count)
    ]
    return " ".join(words).capitalize()
