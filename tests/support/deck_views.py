"""Single cards of any deck as a camera sees them: rendered, with exact truth.

For tests and benches of naming (`vision.identify`): every view is one card somewhere in
a picture, the quad that a detector might give for it, and what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.gallery import Face, Gallery
from vision.scene.art import FACE_HEIGHT_PX, Deck, premultiplied, rounded_mask
from vision.scene.art import Face as Art
from vision.scene.camera import look_at_table
from vision.scene.clutter import draw_sheet
from vision.scene.custom import draw_custom_card
from vision.scene.ground import draw_ground
from vision.scene.light import Conditions, draw_conditions
from vision.scene.render import Scene, Thing, render
from vision.types import Array, Bgr, Kind

CARD_HEIGHT_MM, GAP_MM = 88.0, 12.0
COLUMNS, ROWS = 4, 2
FOCAL_PX = 900.0
BACK = "<back>"


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One card in one picture."""

    bgr: Bgr
    quad_px: Array
    """(4, 2) as a detector might give it: not from the card's own top left."""
    true_px: Array
    """(4, 2) from the card's own top left."""
    label: str | None
    """`None`: a foreign thing."""


@dataclass(frozen=True, slots=True)
class Hardness:
    """How a set of views is taken."""

    width_px: tuple[float, float] = (100.0, 160.0)
    tilt_deg: float = 20.0
    jitter: float = 0.01
    """Standard deviation of each corner, in widths of the card."""
    sleeves: float = 0.0
    """How many cards are in sleeves."""
    light: float = 0.0
    """Hardness of `draw_conditions`; 0 is a lamp, a still hand, a good sensor."""
    is_combined: bool = False
    """Glare, blur, low light all at once."""
    is_enrolling: bool = False
    """People look that nothing shines or throws a shadow; Arbitro tells them so."""
    size: str = ""


CLEAN = Hardness()
PHOTO = Hardness(width_px=(100.0, 200.0), tilt_deg=30.0, jitter=0.015, light=0.6)
COMBINED = Hardness(
    width_px=(60.0, 110.0),
    tilt_deg=35.0,
    jitter=0.03,
    sleeves=0.4,
    light=1.0,
    is_combined=True,
)
ENROLLING = Hardness(
    width_px=(170.0, 210.0), tilt_deg=12.0, jitter=0.003, light=0.25, is_enrolling=True
)


def art_of(bgr: Bgr, kind: Kind, label: str | None, aspect: float = 63 / 88) -> Art:
    """Return a picture of a whole card as art to be laid on a table."""
    width = round(aspect * FACE_HEIGHT_PX)
    small = cv2.resize(bgr, (width, FACE_HEIGHT_PX), interpolation=cv2.INTER_AREA)
    mask = rounded_mask(width, FACE_HEIGHT_PX, 0.05)
    return Art(kind, label, premultiplied(np.dstack([small, mask])))


def arts_of_deck(deck: Deck) -> dict[str, Art]:
    """Return label -> art of a deck as `load_deck` gives it; jokers once."""
    arts = dict(deck.faces)
    arts |= {f"X{n}": joker for n, joker in enumerate(deck.jokers, 1)}
    return arts | ({BACK: deck.back} if deck.back else {})


def arts_of_gallery(gallery: Gallery) -> dict[str, Art]:
    """Return label -> art of a gallery's faces, and its back."""
    aspect = gallery.width_mm / gallery.height_mm
    arts = {
        f.label: art_of(f.pictures[0], Kind.CARD, f.label, aspect)
        for f in gallery.faces
    }
    if gallery.backs:
        arts[BACK] = art_of(gallery.backs[0], Kind.BACK, None, aspect)
    return arts


def drawn_arts(rng: np.random.Generator, count: int) -> dict[str, Art]:
    """Return invented cards, each with a picture of its own."""
    return {f"C{n}": draw_custom_card(rng) for n in range(count)}


def foreign_arts(rng: np.random.Generator, count: int) -> list[Art]:
    """Return things that are no cards of any deck: notes, phones, boxes, coasters."""
    arts = []
    for _ in range(count):
        bgr = _sheet(rng) if rng.random() < 0.6 else _coaster(rng)
        if bgr.shape[1] > bgr.shape[0]:
            bgr = np.ascontiguousarray(np.rot90(bgr))
        arts.append(art_of(bgr, Kind.CARD, None))
    return arts


def views(
    arts: Sequence[tuple[str | None, Art]], how: Hardness, rng: np.random.Generator
) -> Iterator[View]:
    """Return one view of each art, in order, eight to a picture."""
    step = COLUMNS * ROWS
    for first in range(0, len(arts), step):
        yield from _picture(arts[first : first + step], how, rng)


def enrolled(
    name: str, arts: Mapping[str, Art], rng: np.random.Generator, how: Hardness
) -> Gallery:
    """Return the gallery of a deck whose cards were photographed once each."""
    pairs = list(arts.items())
    pictures = [straight(v) for v in views(pairs, how, rng)]
    faces = tuple(
        Face(label, (picture,))
        for (label, _), picture in zip(pairs, pictures, strict=True)
        if label != BACK
    )
    backs = tuple(
        picture
        for (label, _), picture in zip(pairs, pictures, strict=True)
        if label == BACK
    )
    aspect = next(iter(arts.values())).width_mm / CARD_HEIGHT_MM
    return Gallery(name, faces, backs, round(88.0 * aspect, 1), 88.0)


def straight(view: View, height_px: int = 400) -> Bgr:
    """Return the card cut out at its true corners, a little off as people have it."""
    wide = np.linalg.norm(view.true_px[1] - view.true_px[0])
    tall = np.linalg.norm(view.true_px[3] - view.true_px[0])
    size = max(8, round(height_px * float(wide / tall))), height_px
    corners = view.true_px + (_rolled(view) - view.true_px)
    target = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * size - 0.5
    matrix = cv2.getPerspectiveTransform(
        corners.astype(np.float32), target.astype(np.float32)
    )
    cut = cv2.warpPerspective(view.bgr, matrix, size, flags=cv2.INTER_AREA)
    return np.asarray(cut, np.uint8)


def _rolled(view: View) -> Array:
    """Return the detector's quad from the card's own top left."""
    rolls = [np.roll(view.quad_px, -n, axis=0) for n in range(4)]
    return min(rolls, key=lambda q: float(np.abs(q - view.true_px).sum()))


def _sheet(rng: np.random.Generator) -> Bgr:
    face = draw_sheet(rng, ("sans",), (draw_ground(rng),))[0]
    return np.ascontiguousarray(face.bgra[..., :3])


def _coaster(rng: np.random.Generator) -> Bgr:
    bgr = np.full((300, 215, 3), rng.integers(20, 255, 3), np.uint8)
    for _ in range(int(rng.integers(1, 4))):
        centre = (int(rng.integers(40, 175)), int(rng.integers(60, 240)))
        colour = rng.integers(0, 255, 3).tolist()
        thickness = int(rng.choice([-1, 4, 12]))
        cv2.circle(bgr, centre, int(rng.integers(20, 100)), colour, thickness)
    return bgr


def _picture(
    arts: Sequence[tuple[str | None, Art]], how: Hardness, rng: np.random.Generator
) -> Iterator[View]:
    wide_mm = max(art.width_mm for _, art in arts)
    pitch = wide_mm + GAP_MM, CARD_HEIGHT_MM + GAP_MM
    things, spots = [], []
    for number, (_, art) in enumerate(arts):
        column, row = number % COLUMNS, number // COLUMNS
        angle = float(rng.choice([90.0, 270.0]) + rng.normal(0, 4))
        milky = float(rng.uniform(0.04, 0.25)) if rng.random() < how.sleeves else 0.0
        x_mm = (column - (COLUMNS - 1) / 2) * pitch[0] + float(rng.normal(0, 1.5))
        y_mm = ((ROWS - 1) / 2 - row) * pitch[1] + float(rng.normal(0, 1.5))
        thing = Thing(art, x_mm, y_mm, angle, art.width_mm, CARD_HEIGHT_MM)
        things.append(replace(thing, sleeve=milky))
        spots.append(number)
    width_px = float(rng.uniform(*how.width_px))
    scale = width_px / wide_mm
    # Cards nearer to the camera are larger: room for them.
    size = (
        round(scale * pitch[0] * COLUMNS * 1.25),
        round(scale * pitch[1] * ROWS * 1.25),
    )
    focal = FOCAL_PX * max(size) / 800
    camera = look_at_table(
        focal_px=focal,
        distance_mm=focal / scale,
        tilt_deg=float(rng.uniform(0, how.tilt_deg)),
        yaw_deg=float(rng.normal(0, 5)),
        roll_deg=float(rng.normal(0, 3)),
        centre_px=(size[0] / 2, size[1] / 2),
    )
    scene = Scene(*size, camera, draw_ground(rng), things, (), _conditions(how, rng))
    bgr, truth = render(scene, rng)
    quality = int(rng.integers(70, 93))
    packed = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    bgr = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    for (label, _), true in zip(arts, truth, strict=True):
        own = float(np.linalg.norm(true.quad_px[1] - true.quad_px[0]))
        off = rng.normal(0, how.jitter * own, (4, 2))
        start = 2 * int(rng.integers(2))
        yield View(bgr, np.roll(true.quad_px + off, start, 0), true.quad_px, label)


def _conditions(how: Hardness, rng: np.random.Generator) -> Conditions:
    if not how.light:
        return Conditions(shading=0.15, blur_px=0.4, noise=2.0)
    drawn = draw_conditions(rng, how.light)
    if how.is_enrolling:
        gain = min(max(drawn.gain, 0.75), 1.0)
        return replace(drawn, glare=0.0, hard_shadow=0.0, gain=gain)
    if not how.is_combined:
        return drawn
    return replace(
        drawn,
        glare=float(rng.uniform(0.3, 0.9)) if rng.random() < 0.5 else 0.0,
        blur_px=float(rng.uniform(0.4, 1.6)),
        gain=float(rng.uniform(0.3, 0.9)),
        noise=float(rng.uniform(2.0, 9.0)),
    )
