"""Cards and their corners as a picture shows them, made up."""

from __future__ import annotations

import numpy as np

from vision.cards import IndexSeen
from vision.from_index import IndexPlace
from vision.naming import Sureness
from vision.reading import LABELS, Reading
from vision.types import Array

SURE = Sureness(min_probability=0.7, min_alone=0.7)
PLACE = IndexPlace()
LOOSE = (0.0, 0.0, 0.5, 0.5)
"""How much of the sides of an outline lies on edges where cards hide the rest."""


def reading(*candidates: tuple[str, float], face: float = 0.98) -> Reading:
    """Return a reading with these probabilities, the rest spread over all faces."""
    rest = 1 - sum(p for _, p in candidates)
    faces = np.full(len(LABELS), max(rest, 1e-4) / len(LABELS))
    for label, probability in candidates:
        faces[LABELS.index(label)] += probability
    return Reading(faces / faces.sum(), face, 0.0, 1 - face)


def card_quad(x: float, y: float, angle_deg: float = 0.0) -> Array:
    """Return a card 100 px wide and 140 px high around (x, y)."""
    turn = np.radians(angle_deg)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    corners = np.array([[-50.0, -70], [50, -70], [50, 70], [-50, 70]])
    return np.asarray(corners @ rotation.T + [x, y], float)


def index_of(
    card: Array, *, lower: bool = False, right: bool = False, place: IndexPlace = PLACE
) -> Array:
    """Return where an index of a card stands, upright for its own corner: the upper
    left one, or the lower one, or that at the upper right of a card with four."""
    if lower:
        card = card[[2, 3, 0, 1]]
    across, down = card[1] - card[0], card[3] - card[0]
    x = 1 - place.x if right else place.x
    centre = card[0] + x * across + place.y * down
    tall, wide = place.height * down / 2, 0.06 * across
    return np.array(
        [
            centre - wide - tall,
            centre + wide - tall,
            centre + wide + tall,
            centre - wide + tall,
        ]
    )


def seen(
    card: Array, label: str, *, lower: bool = False, right: bool = False
) -> IndexSeen:
    """Return an index of a card that surely reads so."""
    quad = index_of(card, lower=lower, right=right)
    return IndexSeen(quad, 0.9, reading((label, 0.97)))
