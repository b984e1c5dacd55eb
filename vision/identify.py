"""Names a card by comparing it with the pictures of a gallery.

A card is looked at both ways up, at two sizes. Small, it is compared with every face at
once: masked correlation in Lab, three matrix products whatever the number of faces.
The best few are laid exactly over it (enhanced correlation, Evangelidis 2008), which
puts the card's corners right as well, and compared again at full size. Only pixels that
can be seen count: not what other cards cover, not glare.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.gallery import Gallery
from vision.types import Array, Bgr, Identity

Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]

SMALL, FULL = (20, 28), (60, 84)
"""Width and height at which faces are compared."""
ROOM = 0.14
"""Room around the card that may turn out to belong to it, in shares of its sides."""
SHORTLIST = 5
STEPS = 25
BURNT, PRINTED = 244, 215
"""Brighter than the first where the print is darker than the second is glare."""
MOST_GLARE = 0.45
CHANNELS = (1.0, 1.4, 1.4)
"""Weights of lightness and the two colours."""
DETAIL_PX = 4.0
KNOWN = 0.74
"""Likeness from which a card is one of the gallery at all, wholly seen. Measured on
faces of one generator: of 60 cards of the deck under hard light 95 % are above 0.71, of
60 cards of another deck 95 % are below 0.74."""
CLEAR = 0.05
"""How much the best must lead the best other face."""
SHARPNESS = 45.0
"""How fast likelihood grows with correlation."""
LEAST_SEEN = 0.12
PARTLY = 0.05
_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """What one card was found to be."""

    deck: int | None
    """Index of the gallery; `None` where it is none, or not sure."""
    identity: Identity
    is_back: bool
    turned: bool
    """The card is the other way up than its quad was given."""
    quad_px: Array
    """(4, 2) from the card's own top left; as given where nothing was recognised."""
    likeness: float
    """Mean correlation with the best face, whole and in detail; at most 1."""
    seen: float
    """Share of the card that was compared."""


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """One picture of a gallery."""

    deck: int
    label: str | None
    """`None` is a back."""
    lab: Floats
    """(84, 60, 3)"""
    detail: Floats
    """The same without what changes slowly over the card."""
    gray: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Identifier:
    """All pictures of some galleries, ready to be compared with."""

    references: tuple[Reference, ...]
    small: Floats
    """(N, 28 * 20, 3)"""

    def identify(
        self, bgr: Bgr, quad_px: Array, visible: Mask | None = None
    ) -> Sighting:
        """Return what the card in the quad is.

        `visible` is a mask of the picture's size: 0 where something covers the card.
        """
        views = [_View(bgr, np.roll(quad_px, -2 * k, 0), visible) for k in (0, 1)]
        seen = float((views[0].mask(FULL) > 0).mean())
        if seen < LEAST_SEEN:
            return _unknown(quad_px, seen)
        tried = [
            _Match(number, turn, *views[turn].compare(self.references[number], seen))
            for number, turn in self._shortlist(views)
        ]
        tried.sort(key=lambda match: -match.likeness)
        return self._decided(tried, quad_px, seen)

    def resemblance(
        self, bgr: Bgr, quad_px: Array, visible: Mask | None = None
    ) -> float:
        """Return the correlation with the best face, small and as the quad lies: a
        first look that costs little."""
        view = _View(bgr, quad_px, visible)
        if float((view.mask(SMALL) > 0).mean()) < LEAST_SEEN:
            return 0.0
        small = np.asarray(_correlations(self.small, view), float)
        turned = _View(bgr, np.roll(quad_px, -2, 0), visible)
        return float(max(small.max(), _correlations(self.small, turned).max()))

    def _shortlist(self, views: Sequence[_View]) -> Iterator[tuple[int, int]]:
        scores = np.stack([_correlations(self.small, view) for view in views])
        best = np.argsort(-scores.max(0))[:SHORTLIST]
        for number in best:
            turn = int(scores[:, number].argmax())
            yield int(number), turn
            if abs(scores[0, number] - scores[1, number]) < 0.1:
                yield int(number), 1 - turn

    def _decided(
        self, tried: Sequence[_Match], quad_px: Array, seen: float
    ) -> Sighting:
        if not tried:
            return _unknown(quad_px, seen)
        first = tried[0]
        best = self.references[first.number]
        rivals: dict[tuple[int, str | None], float] = {}
        for match in tried:
            other = self.references[match.number]
            key = other.deck, other.label
            rivals[key] = max(rivals.get(key, -1.0), match.likeness)
        own = rivals.pop((best.deck, best.label))
        lead = own - max(rivals.values(), default=-1.0)
        # Of a card that shows little, likeness says less.
        needed = KNOWN + PARTLY * (1 - seen)
        is_known = own >= needed and lead >= CLEAR * (1 + (1 - seen))
        return Sighting(
            best.deck if is_known else None,
            _identity(best, own, rivals, is_known=is_known),
            best.label is None,
            bool(first.turn),
            first.quad_px if own >= needed else quad_px,
            own,
            seen,
        )


def fit(galleries: Sequence[Gallery]) -> Identifier:
    """Return the identifier of these galleries."""
    references = tuple(
        _reference(deck, label, picture)
        for deck, gallery in enumerate(galleries)
        for label, pictures in (
            *((face.label, face.pictures) for face in gallery.faces),
            (None, gallery.backs),
        )
        for picture in pictures
    )
    small = np.stack([_small(reference.lab) for reference in references])
    return Identifier(references, small)


@dataclass(frozen=True, slots=True, eq=False)
class _Match:
    number: int
    turn: int
    likeness: float
    quad_px: Array


class _View:
    """The surroundings of a card, straightened, one way up."""

    def __init__(self, bgr: Bgr, quad_px: Array, visible: Mask | None) -> None:
        width, height = FULL
        self.size = (round(width * (1 + 2 * ROOM)), round(height * (1 + 2 * ROOM)))
        self.at = np.array([width * ROOM, height * ROOM])
        target = _UNIT * np.array(FULL, np.float32) + self.at - 0.5
        self.view_from_image = cv2.getPerspectiveTransform(
            quad_px.astype(np.float32), target.astype(np.float32)
        )
        warped = cv2.warpPerspective(
            bgr, self.view_from_image, self.size, flags=cv2.INTER_AREA
        )
        self.bgr: Bgr = np.asarray(warped, np.uint8)
        full = np.full(bgr.shape[:2], 255, np.uint8) if visible is None else visible
        shown = cv2.warpPerspective(
            full, self.view_from_image, self.size, flags=cv2.INTER_NEAREST
        )
        self.shown: Mask = np.asarray(shown, np.uint8)
        self.gray: Floats = _gray(self.bgr)

    def _card(self, size: tuple[int, int], picture: NDArray[np.uint8]) -> Mask:
        x, y = np.round(self.at).astype(int)
        card = picture[y : y + FULL[1], x : x + FULL[0]]
        return np.asarray(cv2.resize(card, size, interpolation=cv2.INTER_AREA))

    def mask(self, size: tuple[int, int]) -> Mask:
        """Return where the card can be seen."""
        return np.asarray((self._card(size, self.shown) > 200) * 255, np.uint8)

    def lab(self, size: tuple[int, int]) -> Floats:
        """Return the card in Lab."""
        return _lab(self._card(size, self.bgr))

    def compare(self, reference: Reference, seen: float) -> tuple[float, Array]:
        """Return the correlation after aligning, and the card's corners (px)."""
        warp = self._aligned(reference, seen)
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        card = np.asarray(
            cv2.warpPerspective(self.bgr, warp, FULL, flags=flags), np.uint8
        )
        shown = cv2.warpPerspective(self.shown, warp, FULL, flags=flags) > 200
        glare = (card.min(axis=2) > BURNT) & (reference.gray < PRINTED)
        if glare.mean() < MOST_GLARE:
            shown &= ~glare
        lab = _lab(card)
        whole = _correlation(lab, reference.lab, shown)
        # Decks of one style share frames and areas of colour; their print differs.
        detail = _correlation(_detail(lab), reference.detail, shown)
        likeness = (whole + detail) / 2
        corners = (_UNIT * np.array(FULL, np.float32) - 0.5)[None]
        in_view = cv2.perspectiveTransform(corners, warp.astype(np.float32))
        image_from_view = np.linalg.inv(self.view_from_image)
        quad = cv2.perspectiveTransform(in_view, image_from_view)[0]
        return likeness, np.asarray(quad, float)

    def _aligned(self, reference: Reference, seen: float) -> Array:
        """Return the (3, 3) map from the reference to this view."""
        start = np.eye(3, dtype=np.float32)
        start[:2, 2] = self.at
        motion = cv2.MOTION_HOMOGRAPHY if seen > 0.7 else cv2.MOTION_AFFINE
        warp = start if motion == cv2.MOTION_HOMOGRAPHY else start[:2]
        criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, STEPS, 1e-4)
        try:
            _, found = cv2.findTransformECC(
                reference.gray, self.gray, warp, motion, criteria, self.shown, 5
            )
        except cv2.error:
            return start.astype(float)
        whole = np.vstack([found, [0, 0, 1]]) if found.shape[0] == 2 else found
        moved, stayed = whole.astype(float), start.astype(float)
        return moved if _is_near(moved, stayed) else stayed


def _is_near(found: Array, start: Array) -> bool:
    """Return whether no corner has moved by more than the room around the card."""
    corners = (_UNIT * np.array(FULL, np.float32))[None]
    moved = cv2.perspectiveTransform(corners, found.astype(np.float32))
    stayed = cv2.perspectiveTransform(corners, start.astype(np.float32))
    return bool(np.abs(moved - stayed).max() < 1.3 * ROOM * FULL[1])


def _correlations(small: Floats, view: _View) -> Array:
    """Return the masked correlation of the view with all references at once."""
    weight = (view.mask(SMALL).ravel() > 0).astype(np.float32)
    total = max(float(weight.sum()), 1.0)
    card = _small(view.lab(SMALL)).reshape(-1, 3)
    card = (card - (card * weight[:, None]).sum(0) / total) * weight[:, None]
    sums = np.einsum("npc,p->nc", small, weight) / total
    squares = np.einsum("npc,npc,p->n", small, small, weight)
    spread = squares - total * (sums**2).sum(1)
    own = float((card**2).sum())
    common = np.tensordot(small, card, axes=([1, 2], [0, 1]))
    return np.asarray(common / np.sqrt(np.maximum(spread * own, 1e-6)), float)


def _correlation(one: Floats, other: Floats, shown: NDArray[np.bool_]) -> float:
    if shown.sum() < 60:
        return 0.0
    a, b = one[shown].astype(float), other[shown].astype(float)
    a, b = a - a.mean(0), b - b.mean(0)
    return float((a * b).sum() / np.sqrt(max((a * a).sum() * (b * b).sum(), 1e-6)))


def _identity(
    best: Reference,
    own: float,
    rivals: dict[tuple[int, str | None], float],
    *,
    is_known: bool,
) -> Identity:
    likely = {(best.deck, best.label): own, **rivals}
    powers = {key: np.exp(SHARPNESS * (v - own)) for key, v in likely.items()}
    none = np.exp(SHARPNESS * (KNOWN - 0.12 - own))
    total = sum(powers.values()) + none
    shares: dict[str, float] = {}
    for (_, label), power in powers.items():
        if label is not None:
            shares[label] = shares.get(label, 0.0) + float(power / total)
    ranked = sorted(shares.items(), key=lambda item: -item[1])
    candidates = tuple((k, round(v, 4)) for k, v in ranked if v > 1e-3)
    lead = own - max(rivals.values(), default=-1.0)
    return Identity(best.label if is_known else None, candidates, SHARPNESS * lead)


def _unknown(quad_px: Array, seen: float) -> Sighting:
    return Sighting(None, Identity(None), False, False, quad_px, 0.0, seen)


def _reference(deck: int, label: str | None, picture: Bgr) -> Reference:
    card = np.asarray(cv2.resize(picture, FULL, interpolation=cv2.INTER_AREA), np.uint8)
    lab = _lab(card)
    return Reference(deck, label, lab, _detail(lab), _gray(card))


def _small(lab: Floats) -> Floats:
    small = cv2.resize(lab, SMALL, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (3, 3), 0).reshape(-1, 3), np.float32)


def _lab(bgr: Bgr) -> Floats:
    lab = cv2.cvtColor(bgr, cv2.COLOR_BGR2LAB).astype(np.float32)
    return np.asarray(lab * np.array(CHANNELS, np.float32), np.float32)


def _detail(lab: Floats) -> Floats:
    return np.asarray(lab - cv2.GaussianBlur(lab, (0, 0), DETAIL_PX), np.float32)


def _gray(bgr: Bgr) -> Floats:
    return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), np.float32)
