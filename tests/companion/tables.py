"""Tables laid by hand: cards at known millimetres, as an observation and a picture.

The camera looks straight down at 4 px a millimetre, so the truth is exact. Cards are
drawn plainly; the pictures serve uploads and the page, not the reading of cards.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

import cv2
import numpy as np

from companion.showcase import DemoTable
from vision.images import read_image
from vision.types import (
    UNKNOWN,
    Bgr,
    Finding,
    FrameId,
    Identity,
    Kind,
    Observation,
    Placement,
    Position,
    TableFound,
    TableNotFound,
)

PX_PER_MM = 2.0
WIDTH_PX, HEIGHT_PX = 1280, 960
CARD_MM = (63.0, 88.0)


@dataclass(frozen=True)
class Laid:
    """One card: what it is, and where its middle lies from the middle of the table."""

    label: str | None
    x_mm: float
    y_mm: float
    angle_deg: float = 90.0
    back: bool = False
    candidates: tuple[tuple[str, float], ...] = ()


def corners_px(card: Laid) -> tuple[tuple[float, float], ...]:
    """Return the corners clockwise in the image, from the card's own top left."""
    up = math.radians(card.angle_deg)
    ux, uy = math.cos(up), math.sin(up)
    rx, ry = uy, -ux
    half_width, half_height = CARD_MM[0] / 2, CARD_MM[1] / 2
    corners = []
    for a, b in ((-1, 1), (1, 1), (1, -1), (-1, -1)):
        x_mm = card.x_mm + a * half_width * rx + b * half_height * ux
        y_mm = card.y_mm + a * half_width * ry + b * half_height * uy
        corners.append(
            (WIDTH_PX / 2 + x_mm * PX_PER_MM, HEIGHT_PX / 2 - y_mm * PX_PER_MM)
        )
    return tuple(corners)


def placement(number: int, card: Laid, *, located: bool = True) -> Placement:
    """Return what vision would say of a card."""
    candidates = card.candidates or (((card.label, 0.99),) if card.label else ())
    return Placement(
        id=f"p{number}",
        kind=Kind.BACK if card.back else Kind.CARD,
        identity=UNKNOWN if card.back else Identity(card.label, candidates, 5.0),
        score=0.97,
        quad_px=corners_px(card),
        order=number,
        position=Position(card.x_mm, card.y_mm, card.angle_deg, (0.25, 0.0, 0.25))
        if located
        else None,
    )


def observation(
    cards: Iterable[Laid],
    *,
    located: bool = True,
    findings: tuple[Finding, ...] = (),
) -> Observation:
    """Return the observation of a table."""
    return Observation(
        frame=FrameId("f0"),
        source="table.jpg",
        width_px=WIDTH_PX,
        height_px=HEIGHT_PX,
        taken_at=datetime(2026, 11, 28, 12, 0, tzinfo=UTC),
        table=TableFound(0.4, 6) if located else TableNotFound("no_reference"),
        placements=tuple(
            placement(number, card, located=located)
            for number, card in enumerate(cards)
        ),
        findings=findings,
        timings_ms=(("detect", 61.5), ("read", 20.25)),
    )


def picture(cards: Iterable[Laid]) -> Bgr:
    """Return the table as it looks from above."""
    bgr: Bgr = np.full((HEIGHT_PX, WIDTH_PX, 3), (74, 96, 58), np.uint8)
    for card in cards:
        quad = np.array(corners_px(card), np.int32)
        colour = (140, 70, 40) if card.back else (245, 247, 248)
        cv2.fillConvexPoly(bgr, quad, colour, cv2.LINE_AA)
        cv2.polylines(bgr, [quad], True, (90, 90, 90), 1, cv2.LINE_AA)
        if not card.back:
            x, y = quad.mean(axis=0)
            red = (card.label or "").endswith(("h", "d"))
            cv2.putText(
                bgr,
                card.label or "",
                (int(x) - 30, int(y) + 60),
                cv2.FONT_HERSHEY_DUPLEX,
                1.4,
                (40, 30, 190) if red else (20, 20, 20),
                2,
                cv2.LINE_AA,
            )
    return bgr


FIGHT = (
    Laid(None, 0, 60, back=True),
    Laid("Jh", 70, 60),
    Laid(None, -150, 60, back=True),
    Laid("9d", -40, -110, candidates=(("9d", 0.71), ("6d", 0.24))),
    Laid("4c", 75, -100),
    Laid("4s", 95, -108, 80),
)
"""Two players; the Jack of hearts is attacked by the near one: 9, then a pair of 4."""

UNREAD = (*FIGHT[:3], Laid(None, 20, -110, candidates=(("8c", 0.45), ("8s", 0.41))))
"""The same enemy, and one card that could not be read."""


def rendered(table: DemoTable) -> Observation:
    """Return what perfect eyes see in a table that ships: the truth of its picture."""
    truth = json.loads(table.path.with_suffix(".json").read_text("utf-8"))
    height_px, width_px = read_image(table.path).bgr.shape[:2]
    placements = tuple(
        Placement(
            id=f"p{number}",
            kind=Kind(thing["kind"]),
            identity=Identity(
                thing["label"],
                ((thing["label"], 0.99),) if thing["label"] else (),
                5.0,
            ),
            score=0.95,
            quad_px=tuple((x, y) for x, y in thing["quad_px"]),
            visible=thing["visible"],
            order=number,
            position=Position(
                thing["x_mm"], thing["y_mm"], thing["angle_deg"], (1.0, 0.0, 1.0)
            ),
        )
        for number, thing in enumerate(truth["placements"])
        if thing["visible"] >= 0.2
    )
    return Observation(
        frame=FrameId(table.name),
        source=table.path.name,
        width_px=width_px,
        height_px=height_px,
        taken_at=datetime(2026, 11, 28, 12, 0, tzinfo=UTC),
        table=TableFound(0.6, len(placements)),
        placements=placements,
        timings_ms=(("detect", 61.5), ("read", 20.25)),
    )
