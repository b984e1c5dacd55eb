"""Renders the tables that ship with the product, for the demo and for tests.

    python -m vision.scene.demo OUT --decks DIR

Only art that may be passed on is used: public-domain and CC0 decks from DIR, grounds
drawn here. Each picture has a truth file beside it. Same seeds, same pictures.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from vision.scene.art import Deck, Face, load_deck
from vision.scene.backs import draw_back
from vision.scene.camera import look_at_table
from vision.scene.ground import cloth, wood
from vision.scene.light import Conditions
from vision.scene.render import Scene, render, thing_of
from vision.types import Kind

Spot = tuple[str, float, float, float]
"""Label ("back" for face down), x mm, y mm, angle deg."""


@dataclass(frozen=True, slots=True)
class DemoTable:
    """One table: what lies where, who looks, in which light."""

    name: str
    deck: str
    spots: tuple[Spot, ...]
    size_px: tuple[int, int]
    distance_mm: float
    tilt_deg: float
    yaw_deg: float
    seed: int
    conditions: Conditions
    ground: str
    colour: tuple[float, float, float]
    """BGR of the wood's grain or of the cloth."""
    game: str = "regicide"
    note: str = ""


def _pile(x: float, y: float) -> tuple[Spot, ...]:
    return tuple(("back", x + 0.8 * i, y + 0.5 * i, 90 + 1.5 * i) for i in range(3))


SOFT = Conditions(shading=0.25, cast=(0.93, 1.0, 1.05), blur_px=0.5, noise=2.0)
WARM = Conditions(
    shading=0.45, cast=(0.8, 0.97, 1.12), gain=0.9, blur_px=0.7, noise=4.0, glare=0.35
)
DIM = Conditions(shading=0.5, gain=0.55, gamma=1.1, blur_px=0.8, noise=6.0)

TABLES = (
    DemoTable(
        "regicide-two-players",
        "kennard_english",
        (
            *_pile(-120, 40),
            ("Qs", -40, 42, 91),
            *_pile(95, 40),
            ("4d", 170, 42, 88),
            ("8c", -60, -130, 94),
            ("5h", 30, -135, 87),
            ("Ah", 56, -128, 84),
            ("7d", -10, 215, 268),
        ),
        (1600, 1200),
        560.0,
        18.0,
        4.0,
        11,
        SOFT,
        "wood",
        (38, 70, 112),
        note="Queen of spades; 8c, 5h with Ah near, 7d far",
    ),
    DemoTable(
        "regicide-exact-kill",
        "knoll",
        (
            *_pile(-110, 60),
            ("Jh", -30, 58, 89),
            *_pile(85, 62),
            ("10c", -20, -95, 92),
        ),
        (1280, 960),
        430.0,
        28.0,
        -9.0,
        14,
        WARM,
        "cloth",
        (48, 84, 30),
        note="Jack of hearts; 10 of clubs doubles to exactly 20",
    ),
    DemoTable(
        "regicide-four-players",
        "saulspatz_vertical2",
        (
            *_pile(-115, 30),
            ("Kd", -35, 32, 90),
            *_pile(80, 30),
            ("2c", 150, 28, 93),
            ("9s", -40, -140, 91),
            ("X", -260, 20, 2),
            ("3c", 260, 0, 178),
            ("3h", 262, 24, 176),
            ("3s", 264, 48, 181),
            ("10h", 20, 190, 272),
        ),
        (1600, 1200),
        640.0,
        12.0,
        -3.0,
        13,
        replace(DIM, gain=0.8),
        "wood",
        (70, 98, 128),
        note="King of diamonds, four seats, a Joker was played",
    ),
)


def make(out: Path, decks: Path) -> None:
    """Render all demo tables into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    for table in TABLES:
        bgr, truth = draw(table, load_deck(decks / table.deck))
        cv2.imwrite(str(out / f"{table.name}.jpg"), bgr, [cv2.IMWRITE_JPEG_QUALITY, 88])
        (out / f"{table.name}.json").write_text(json.dumps(truth, indent=1) + "\n")


def draw(table: DemoTable, deck: Deck) -> tuple[np.ndarray, dict[str, object]]:
    """Return the picture of a demo table and its truth as JSON values."""
    rng = np.random.default_rng(table.seed)
    back = deck.back or draw_back(rng)
    things = [
        thing_of(_face(deck, back, label), x, y, angle)
        for label, x, y, angle in table.spots
    ]
    camera = look_at_table(
        focal_px=table.size_px[0] * 0.85,
        distance_mm=table.distance_mm,
        tilt_deg=table.tilt_deg,
        yaw_deg=table.yaw_deg,
        roll_deg=0.0,
        centre_px=(table.size_px[0] / 2, table.size_px[1] / 2),
    )
    ground = {"wood": wood, "cloth": cloth}[table.ground](rng, table.colour)
    scene = Scene(*table.size_px, camera, ground, things, (), table.conditions)
    bgr, truth = render(scene, rng)
    return bgr, {
        "game": table.game,
        "note": table.note,
        "cards": [t.label for t in truth if t.kind is Kind.CARD],
        "placements": [
            {
                "kind": t.kind.value,
                "label": t.label,
                "quad_px": t.quad_px.round(1).tolist(),
                "visible": round(t.visible, 3),
                "x_mm": thing.x_mm,
                "y_mm": thing.y_mm,
                "angle_deg": math.fmod(thing.angle_deg, 360),
            }
            for t, thing in zip(truth, things, strict=True)
        ],
    }


def _face(deck: Deck, back: Face, label: str) -> Face:
    if label == "back":
        return back
    return deck.jokers[0] if label == "X" else deck.faces[label]


def main(arguments: Sequence[str] | None = None) -> None:
    """Render; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--decks", type=Path, required=True)
    options = parser.parse_args(arguments)
    make(options.out, options.decks)


if __name__ == "__main__":
    main()
