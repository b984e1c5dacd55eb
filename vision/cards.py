"""A physical card as it was seen, and what its looks say together.

A card may be seen whole, by one or two of its corner indices, or both. Each is a
`Reading`. What the whole and its corners say is multiplied; two corners show the same
drawing, and a deck whose B looks like an 8 does so in both, so they are worth their
(geometric) mean and no more, in which the clearer one counts more: what lies over the
other or shines on it is not this card's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from vision.crops import turned
from vision.reading import FLOOR, JOKER, LABELS, Reading
from vision.refine import is_well_cut
from vision.types import Array, Detection, Kind

WHOLE_BESIDE_INDICES = 0.7
"""The whole card shows its indices too: beside them it is not an independent look."""
BADLY_CUT = 0.15
"""What is not clear and not well cut says next to nothing."""
UNIFORM = 1 / len(LABELS)
SURELY_FOUND = 0.65
"""Of a crown on a king the detector is half sure that it is an index."""


@dataclass(frozen=True, slots=True, eq=False)
class IndexSeen:
    """A corner index, upright, and what was read in it."""

    quad_px: Array
    """(4, 2) clockwise from the index's own top left."""
    score: float
    reading: Reading
    window_px: Array | None = None
    """(4, 2) where it was read."""

    @property
    def is_surely_found(self) -> bool:
        """Return whether the detector was sure that it is an index."""
        return self.score >= SURELY_FOUND

    def read_as(self, reading: Reading) -> IndexSeen:
        """Return the same index with a better reading of it."""
        return replace(self, reading=_without_joker(reading))


@dataclass(frozen=True, eq=False)
class CardSeen:
    """One physical card and all looks at it."""

    quad_px: Array
    score: float
    kind: Kind
    whole: Reading | None = None
    indices: tuple[IndexSeen, ...] = ()
    log_faces: Array = field(default_factory=lambda: np.zeros(len(LABELS)))
    """(53,) log-likelihood of each face, up to a constant."""
    support: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    """How much of each side of the quad lies on an edge of the picture."""
    cut_px: Array | None = None
    """(4, 2) outline in which the whole was read, where that is not the quad."""
    is_cut_off: bool = False
    """Whether a corner of it lies outside the picture."""

    @cached_property
    def faces(self) -> Array:
        """Return the (53,) probabilities of the faces."""
        powers = np.exp(self.log_faces - self.log_faces.max())
        return np.asarray(powers / powers.sum(), float)

    @property
    def suits(self) -> Array:
        """Return the (4,) probabilities of the suits."""
        return np.asarray(self.faces[:-1].reshape(4, JOKER).sum(1), float)

    def likelier(self, logs: Array) -> CardSeen:
        """Return the card with its faces so much likelier (log): (13,) by rank, or
        (4, 1) by suit; a joker stays as likely."""
        more = np.broadcast_to(logs, (4, JOKER)).ravel()
        return replace(self, log_faces=self.log_faces + np.append(more, 0))

    def likelier_suit(self, one: int, other: int, log: float) -> CardSeen:
        """Return the card with one suit so much likelier (log), against another."""
        logs = np.zeros((4, 1))
        logs[one], logs[other] = log / 2, -log / 2
        return self.likelier(logs)

    @property
    def face(self) -> float:
        """Return how sure it is that this is a face of a standard card."""
        looks = [index.reading.face for index in self.indices]
        if self.whole is not None:
            looks.append(self.whole.face)
        return max(looks, default=0.0)


def upright_index(
    detection: Detection,
    window_px: Array,
    as_found: Reading,
    upside_down: Reading | None,
) -> IndexSeen:
    """Return the index the right way round: the one that reads better.

    `upside_down` is what was read so in the window, `None` where there was no need to
    look.
    """
    as_found = _without_joker(as_found)
    quad = detection.quad_px
    if upside_down is not None:
        other = _without_joker(upside_down)
        if other.face > as_found.face:
            around = turned(window_px)
            return IndexSeen(turned(quad), detection.score, other, around)
    return IndexSeen(quad, detection.score, as_found, window_px)


def _without_joker(reading: Reading) -> Reading:
    """Return what an index says: jokers have none, so it is never one."""
    joker = float(reading.faces[-1])
    faces = np.append(reading.faces[:-1], 0.0)
    total = max(float(faces.sum()), 1e-9)
    return replace(
        reading,
        faces=(faces + FLOOR) / (total + FLOOR * len(faces)),
        face=reading.face * (1 - joker),
    )


def log_faces_of(card: CardSeen) -> Array:
    log = np.zeros(len(LABELS))
    if card.indices:
        readings = [index.reading for index in card.indices]
        looks = [_tempered(reading, reading.face) for reading in readings]
        weights = [max(reading.certainty, FLOOR) for reading in readings]
        log += np.average(np.log(looks), axis=0, weights=weights)
    if card.whole is not None:
        log += _weight(card) * np.log(_tempered(card.whole, card.whole.face))
    return log


def _weight(card: CardSeen) -> float:
    """Return how much the look at the whole card says."""
    if not card.indices:
        return 1.0
    is_clear = card.whole is not None and float(card.whole.faces.max()) > 0.5
    if is_clear or is_well_cut(card.support):
        return WHOLE_BESIDE_INDICES
    return BADLY_CUT


def _tempered(reading: Reading, trust: float) -> Array:
    trust = min(max(trust, 0.0), 0.995)
    return np.asarray(reading.faces * trust + UNIFORM * (1 - trust), float)
