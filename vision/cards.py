"""A physical card as it was seen, and what its looks say together.

A card may be seen whole, by one or two of its corner indices, or both. Each is a
`Reading`. What the whole and its corners say is multiplied; two corners show the same
drawing, and a deck whose B looks like an 8 does so in both, so they are worth their
(geometric) mean and no more, in which the clearer one counts more: what lies over the
other or shines on it is not this card's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from vision.crops import turned
from vision.reading import COURTS, FLOOR, JOKER, LABELS, Reading
from vision.refine import is_well_cut
from vision.types import Array, Detection, Kind

WHOLE_BESIDE_INDICES = 0.7
"""The whole card shows its indices too: beside them it is not an independent look."""
BADLY_CUT = 0.15
"""What is not clear and not well cut says next to nothing, and so does what is not
quite clear where a corner clearly is of another rank: of 376 such corners on 900
rendered tables all were right, and two of the wholes."""
CLEAR_CORNER, CLEAR_WHOLE = 0.8, 0.8
"""What is surer is clear: of a corner the certainty, of a whole its likeliest face."""
UNIFORM = 1 / len(LABELS)
SURELY_FOUND = 0.65
"""Of a crown on a king the detector is half sure that it is an index."""
HALF_SURE, FAINT = 0.5, 0.25
"""A corner that the detector was less sure of was half found, or seen but faintly."""
LEFT_IN_DOUBT = 0.1
"""Where the detector was sure, so much is left of the reader's doubt whether an index
is there: of 30 on 300 rendered tables that it gave .5 to .95 all were some."""


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

    @property
    def face(self) -> float:
        """Return how sure it is that this is the index of a standard card."""
        doubt = 1 - self.reading.face
        return 1 - doubt * (LEFT_IN_DOUBT if self.is_surely_found else 1)

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
        looks = [index.face for index in self.indices]
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
        looks = [_tempered(index.reading, index.face) for index in card.indices]
        weights = [max(index.reading.certainty, FLOOR) for index in card.indices]
        log += np.average(np.log(looks), axis=0, weights=weights)
    if card.whole is not None:
        log += _weight(card) * np.log(_tempered(card.whole, card.whole.face))
    return log


def _weight(card: CardSeen) -> float:
    """Return how much the look at the whole card says."""
    if not card.indices:
        return 1.0
    if card.whole is None or _is_outdone(card.whole, card.indices):
        return BADLY_CUT
    is_clear = float(card.whole.faces.max()) > 0.5
    if is_clear or is_well_cut(card.support):
        return WHOLE_BESIDE_INDICES
    return BADLY_CUT


def _is_outdone(whole: Reading, indices: Sequence[IndexSeen]) -> bool:
    """Return whether a corner is clearly of another rank than the whole seems to be.

    Where a picture shows no number is clear: a B may pass for an 8.
    """
    seems = _rank(whole)
    if not seems or float(whole.faces.max()) > CLEAR_WHOLE:
        return False
    clear = [
        _rank(index.reading)
        for index in indices
        if index.score >= HALF_SURE and index.reading.certainty > CLEAR_CORNER
    ]
    return any(
        rank != seems and (rank in COURTS or seems not in COURTS) for rank in clear
    )


def _rank(reading: Reading) -> str:
    """Return the likeliest rank, "" of a joker."""
    return LABELS[int(reading.faces.argmax())][:-1]


def _tempered(reading: Reading, trust: float) -> Array:
    trust = min(max(trust, 0.0), 0.995)
    return np.asarray(reading.faces * trust + UNIFORM * (1 - trust), float)
