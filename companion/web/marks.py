"""What is drawn over the picture: one mark for each thing that was seen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from companion.corrections import NO_CARD, Corrections
from companion.i18n import N_, say
from companion.labels import face
from companion.reader import area_px2, centre_px
from engines.core import Kit
from vision.overlay.beside import box_of, place_beside
from vision.overlay.shapes import ellipse_in
from vision.types import Kind, Observation, Placement, Quad

SURE = 0.9
"""From this probability on, a card is shown as certain."""
SMALLEST, LARGEST = 0.026, 0.05
"""Height of the letters, as a share of the picture's width."""
SPOTS = (
    *((0.5, 0.5), (0.5, 0.2), (0.5, 0.8), (0.2, 0.5), (0.8, 0.5)),
    *((0.8, 0.2), (0.2, 0.8), (0.2, 0.2), (0.8, 0.8)),
)
"""Where a mark may stand in its quad (across, down): the first that is not covered. The
corners with an index come last: people compare them with the mark."""

STATES = {
    "sure": N_("read"),
    "unsure": N_("not certain"),
    "unread": N_("not read"),
    "back": N_("face down"),
    "fixed": N_("put right by you"),
    "gone": N_("nothing there, as you said"),
    "thing": N_("no card"),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """One outline with its label."""

    id: str
    label: str
    """What it is taken for; "" where that is not known."""
    points: str
    """The outline, as SVG wants it."""
    text: str
    suit: str
    state: str
    """A key of `STATES`: chooses colour and line."""
    name: str
    """For people who listen: ``seven of hearts, read``."""
    x_px: float
    y_px: float
    """Middle of the plate with the letters."""
    letters_px: float
    is_card: bool

    @property
    def width_px(self) -> float:
        """Return the width of the plate behind the letters."""
        return self.letters_px * (0.7 + 0.62 * len(self.text))

    @property
    def height_px(self) -> float:
        """Return the height of that plate."""
        return self.letters_px * 1.36


def marks_of(
    observation: Observation,
    corrections: Corrections,
    language: str,
    kit: Kit | None,
    chips: Mapping[str, str] = {},
) -> tuple[Mark, ...]:
    """Return the marks, lowest first, so that what lies on top is drawn last.

    `chips` names what discs may be, where the game is played with them.
    """
    rising = sorted(observation.placements, key=lambda placement: placement.order)
    marks = [
        _mark(
            placement,
            [other.quad_px for other in rising[place + 1 :]],
            observation,
            (say_state(placement, corrections, chips), language, kit),
            chips,
        )
        for place, placement in enumerate(rising)
    ]
    return tuple(_beside_chips(marks, rising, observation) if chips else marks)


def _beside_chips(
    marks: Sequence[Mark], rising: Sequence[Placement], observation: Observation
) -> list[Mark]:
    """Return the marks with those of chips beside them: a name is wider than a chip,
    and what lies below it is what people compare it with."""
    size = observation.width_px, observation.height_px
    rims = [box_of(np.array(placement.quad_px)) for placement in rising]
    taken = list(rims)
    placed = []
    for mark, placement, rim in zip(marks, rising, rims, strict=True):
        if placement.kind is Kind.DISC and mark.text:
            extent = mark.width_px, mark.height_px
            box = place_beside(rim, extent, 0.2 * mark.letters_px, taken, size)
            taken.append(box)
            x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
            placed.append(replace(mark, x_px=round(x, 1), y_px=round(y, 1)))
        else:
            placed.append(mark)
    return placed


def svg_points(path: Iterable[tuple[float, float]]) -> str:
    """Return an outline as SVG wants it."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in path)


def _rim(quad: Quad) -> list[tuple[float, float]]:
    """Return the rim of a disc in its box."""
    return [(float(x), float(y)) for x, y in ellipse_in(np.array(quad))[::2]]


def say_state(
    placement: Placement, corrections: Corrections, chips: Mapping[str, str] = {}
) -> str:
    """Return which key of `STATES` fits a placement."""
    if placement.kind is Kind.HAND or (placement.kind is Kind.DISC and not chips):
        return "thing"
    if placement.id in corrections:
        return "gone" if corrections[placement.id] == NO_CARD else "fixed"
    if placement.kind is Kind.BACK:
        return "back"
    identity = placement.identity
    if identity.label is None:
        return "unread"
    share = dict(identity.candidates).get(identity.label, 1.0)
    return "sure" if share >= SURE else "unsure"


def _mark(
    placement: Placement,
    above: Sequence[Quad],
    observation: Observation,
    manner: tuple[str, str, Kit | None],
    chips: Mapping[str, str],
) -> Mark:
    state, language, kit = manner
    quad = placement.quad_px
    label = placement.identity.label
    text, suit, name = "?", "other", say(language, N_("card"))
    is_chip = placement.kind is Kind.DISC and bool(chips)
    if is_chip:
        text, name = (
            (chips.get(label, label),) * 2
            if label
            else ("?", say(language, N_("disc")))
        )
    elif placement.kind in (Kind.DISC, Kind.HAND):
        names = {Kind.DISC: N_("disc"), Kind.HAND: N_("hand")}
        text, name = "", say(language, names[placement.kind])
    elif placement.kind is Kind.BACK or state == "gone":
        text, name = "", say(language, N_("card"))
    elif label is not None:
        shown = face(label, language, kit)
        text, suit, name = shown.short, shown.suit, shown.name
    x, y = _free_spot(quad, above)
    side = math.sqrt(area_px2(quad)) * 0.3
    width = observation.width_px
    return Mark(
        id=placement.id,
        label=label or "",
        points=svg_points(_rim(quad) if placement.kind is Kind.DISC else quad),
        text=text,
        suit=suit,
        state=state,
        name=f"{name}, {say(language, STATES[state])}",
        x_px=round(min(max(x, 0.03 * width), 0.97 * width), 1),
        y_px=round(y, 1),
        letters_px=round(min(max(side, SMALLEST * width), LARGEST * width), 1),
        is_card=is_chip or placement.kind in (Kind.CARD, Kind.BACK),
    )


def _free_spot(quad: Quad, above: Sequence[Quad]) -> tuple[float, float]:
    for across, down in SPOTS:
        spot = _inside(quad, across, down)
        if not any(_holds(other, spot) for other in above):
            return spot
    return centre_px(quad)


def _inside(quad: Quad, across: float, down: float) -> tuple[float, float]:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    top = ax + (bx - ax) * across, ay + (by - ay) * across
    bottom = dx + (cx - dx) * across, dy + (cy - dy) * across
    return (
        top[0] + (bottom[0] - top[0]) * down,
        top[1] + (bottom[1] - top[1]) * down,
    )


def _holds(quad: Quad, point: tuple[float, float]) -> bool:
    x, y = point
    sides = [
        (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        for (ax, ay), (bx, by) in zip(quad, (*quad[1:], quad[0]), strict=True)
    ]
    return all(side >= 0 for side in sides) or all(side <= 0 for side in sides)
