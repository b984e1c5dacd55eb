"""From detections to physical cards: which index belongs to which card, and which
sightings are of one and the same card.

A card may be seen whole, by one or two of its corner indices, or both. Each is a
`Reading`; they are independent looks at one card, so their likelihoods multiply.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from vision.crops import turned
from vision.from_index import DeckSeen, Pair, learn_deck
from vision.quads import on_quad, quad_overlap
from vision.reading import FLOOR, LABELS, Reading
from vision.refine import SURE_SUPPORT, is_well_cut
from vision.types import Array, Detection, Kind

WHOLE_BESIDE_INDICES = 0.7
"""The whole card shows its indices too: beside them it is not an independent look."""
BADLY_CUT = 0.15
"""What is not clear and not well cut says next to nothing."""
UPRIGHT = 0.9
COINCIDING = 0.75
FOUR_CORNERS_APART, SAME_HEIGHT = (0.68, 0.92), 0.06
"""So far apart, in card widths, are the two upper indices of a card that has four, and
they stand this level, in card heights."""
OWN_FIT = 0.3
"""An index that stands this exactly where one's own stands is no neighbour's."""
ALIKE = 0.6
"""Two outlines of one card that overlap less (IoU) contradict each other."""
READ = 0.8
"""An index that reads this likely is one, and of the card that it stands on."""
CLEAR = 0.9
"""A card that reads this likely as a whole is clear without its indices."""
UNIFORM = 1 / len(LABELS)


@dataclass(frozen=True, slots=True, eq=False)
class IndexSeen:
    """A corner index, upright, and what was read in it."""

    quad_px: Array
    """(4, 2) clockwise from the index's own top left."""
    score: float
    reading: Reading
    window_px: Array | None = None
    """(4, 2) where it was read."""

    def read_as(self, reading: Reading) -> IndexSeen:
        """Return the same index with a better reading of it."""
        return replace(self, reading=_without_joker(reading))


@dataclass(frozen=True, slots=True, eq=False)
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

    @property
    def faces(self) -> Array:
        """Return the (53,) probabilities of the faces."""
        powers = np.exp(self.log_faces - self.log_faces.max())
        return np.asarray(powers / powers.sum(), float)

    @property
    def face(self) -> float:
        """Return how sure it is that this is a face of a standard card."""
        looks = [index.reading.face for index in self.indices]
        if self.whole is not None:
            looks.append(self.whole.face)
        return max(looks, default=0.0)


def assemble(
    cards: Sequence[CardSeen],
    indices: Sequence[IndexSeen],
    shape: tuple[int, ...] | None = None,
) -> tuple[CardSeen, ...]:
    """Return the physical cards: indices given to cards, the rest become cards.

    `shape` is the picture's. A card whose outline is not on edges is laid out from its
    index.
    """
    owners = _owners(cards, indices)
    owned = [
        replace(
            card,
            indices=tuple(
                index
                for index, owner in zip(indices, owners, strict=True)
                if owner == number
            ),
        )
        for number, card in enumerate(cards)
    ]
    deck = _learnt(owned, shape)
    joined = [_laid_out(card, deck) for card in owned]
    for index, owner in zip(indices, owners, strict=True):
        if owner < 0:
            quad = deck.card_of(index.quad_px)
            joined.append(CardSeen(quad, index.score, Kind.CARD, None, (index,)))
    weighed = [
        replace(
            card,
            log_faces=_log_faces(card),
            is_cut_off=shape is not None and _is_cut_off(card.quad_px, shape),
        )
        for card in joined
    ]
    return tuple(_once_each(weighed))


def _is_cut_off(quad_px: Array, shape: tuple[int, ...]) -> bool:
    return bool((quad_px < 0).any() or (quad_px > [shape[1], shape[0]]).any())


def _learnt(cards: Sequence[CardSeen], shape: tuple[int, ...] | None) -> DeckSeen:
    """Return what the cards with an index say of all cards of the deck."""
    whole: list[Pair] = []
    partly: list[Pair] = []
    others: list[Pair] = []
    for card in cards:
        is_read = any(index.reading.certainty > READ for index in card.indices)
        if is_read and min(card.support) >= SURE_SUPPORT:
            group = whole
        elif is_read and is_well_cut(card.support):
            group = partly
        else:
            group = others
        group.append((card.quad_px, [index.quad_px for index in card.indices]))
    return learn_deck(whole, partly, others, shape)


def _laid_out(card: CardSeen, deck: DeckSeen) -> CardSeen:
    """Return the card where its best index says that it lies, if the deck is known.

    An outline that lies on edges on all sides stays, or on which the index stands where
    it should; one that lies on three edges stays unless the index says something quite
    different.
    """
    if not card.indices or not deck.whole_px or min(card.support) >= SURE_SUPPORT:
        return card
    best = max(card.indices, key=lambda index: index.score)
    if deck.fits(card.quad_px, best.quad_px):
        return card
    right, lower = index_fit(card.quad_px, best.quad_px)[1]
    quad = deck.card_of(best.quad_px, mirrored=right != lower)
    if is_well_cut(card.support) and quad_overlap(quad, card.quad_px) > ALIKE:
        return card
    quad = _turned_to(quad, card.quad_px)
    return replace(card, quad_px=quad, cut_px=card.quad_px)


def _turned_to(quad: Array, other: Array) -> Array:
    """Return a quad, upside down if that puts its corners nearer another's."""
    around = turned(quad)
    return around if np.abs(around - other).sum() < np.abs(quad - other).sum() else quad


Fit = tuple[float, int, int, tuple[bool, bool]]
"""How badly, which index, which card, which corner (right, lower)."""


def _owners(cards: Sequence[CardSeen], indices: Sequence[IndexSeen]) -> tuple[int, ...]:
    """Return for each index the number of its card, or -1.

    The best fits come first. A corner has one index. In a fan the next card's index
    lies nearly where one's own would, so of indices that contradict each other only
    those that stand exactly there are taken; the card is then in doubt.
    """
    fits = []
    for i, index in enumerate(indices):
        for c, card in enumerate(cards):
            fit, corner = index_fit(card.quad_px, index.quad_px)
            if fit < 1 and not _is_of_another(index, card):
                fits.append((fit, i, c, corner))
    fits = _with_own_corners(fits, cards, indices)
    owners = [-1] * len(indices)
    taken: set[tuple[int, tuple[bool, bool]]] = set()
    for fit, i, c, corner in sorted(fits, key=lambda f: f[:3]):
        if owners[i] >= 0 or (c, corner) in taken:
            continue
        rivals = [indices[k] for k, owner in enumerate(owners) if owner == c]
        may_be_own = fit <= OWN_FIT and is_well_cut(cards[c].support)
        if not may_be_own and any(
            contradict(indices[i].reading, rival.reading) for rival in rivals
        ):
            continue
        owners[i] = c
        taken.add((c, corner))
    return tuple(owners)


def _is_of_another(index: IndexSeen, card: CardSeen) -> bool:
    """Return whether an index says something else than the card on which it seems to
    stand, all of whose sides show and which is clear by itself."""
    whole = card.whole
    if whole is None or min(card.support) < SURE_SUPPORT:
        return False
    return whole.certainty > CLEAR and contradict(index.reading, whole)


def _with_own_corners(
    fits: Sequence[Fit], cards: Sequence[CardSeen], indices: Sequence[IndexSeen]
) -> list[Fit]:
    """Return the fits without those that put a neighbour's index on a card.

    Most decks have indices at the upper left and the lower right only; in a fan, what
    stands at the upper right of an outline is then the index of the card above, another
    one. Where it is the same as what else was read on the card, it is the card's own;
    a deck of which most are has an index in all four corners.
    """
    usual: dict[int, set[int]] = {
        c: {_face_of(card.whole)} if card.whole is not None else set()
        for c, card in enumerate(cards)
    }
    for _, i, c, corner in fits:
        if corner[0] == corner[1]:
            usual[c].add(_face_of(indices[i].reading))
    unusual = {
        (i, c): _face_of(indices[i].reading) in usual[c]
        for _, i, c, corner in fits
        if corner[0] != corner[1]
    }
    known = [
        agrees
        for (i, c), agrees in unusual.items()
        if usual[c] and indices[i].reading.face > 0.5
    ]
    if sum(known) * 2 > len(known):
        return list(fits)
    return [fit for fit in fits if unusual.get((fit[1], fit[2]), True)]


def _face_of(reading: Reading) -> int:
    return int(reading.faces.argmax())


def contradict(one: Reading, other: Reading) -> bool:
    """Return whether two readings are each sure of something else."""
    both_sure = min(float(one.faces.max()), float(other.faces.max())) > 0.5
    return both_sure and float(one.faces @ other.faces) < 0.1


def index_fit(
    card_px: Array, index_px: Array, *, upright: float = UPRIGHT
) -> tuple[float, tuple[bool, bool]]:
    """Return how badly an index fits a card, and at which corner (right, lower); below
    1 it may be its own. `upright` is the least cosine between its up and the card's."""
    on_card = on_quad(card_px, index_px)
    x, y = on_card.mean(0)
    up = on_card[0] + on_card[1] - on_card[2] - on_card[3]
    # Fold the four corners onto the top left one.
    corner = (bool(x > 0.5), bool(y > 0.5))
    x, y = (1 - x if corner[0] else x), (1 - y if corner[1] else y)
    tall = float(np.hypot(up[0] / 1.4, up[1])) / 2
    cosine = (up[1] if corner[1] else -up[1]) / max(2 * tall, 1e-6)
    if cosine < upright or not 0.1 < tall < 0.42:
        return math.inf, corner
    return math.hypot((x - 0.11) / 0.16, (y - 0.15) / 0.14), corner


def _log_faces(card: CardSeen) -> Array:
    log = np.zeros(len(LABELS))
    for index in card.indices:
        log += np.log(_tempered(index.reading, index.reading.face))
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


def _once_each(cards: Sequence[CardSeen]) -> list[CardSeen]:
    """Return the cards with those that were seen twice joined into one."""
    ranked = sorted(cards, key=lambda card: (-len(card.indices), -card.score))
    kept: list[CardSeen] = []
    for card in ranked:
        for number, other in enumerate(kept):
            if _is_same(other, card):
                kept[number] = _joined(other, card)
                break
        else:
            kept.append(card)
    return kept


def _is_same(one: CardSeen, other: CardSeen) -> bool:
    if _left_of_two_corners(one, other) is not None:
        return True
    overlap = quad_overlap(one.quad_px, other.quad_px)
    if overlap < 0.12:
        return False
    if one.kind is not other.kind and not (one.indices and other.indices):
        return overlap > 0.6  # what the detector took for a back may show a corner
    alike = int(one.log_faces.argmax()) == int(other.log_faces.argmax())
    if alike and overlap > 0.3:
        # Two copies of a card lie as far apart as their corners do.
        return overlap > COINCIDING or not _have_corners_apart(one, other)
    if alike and not (one.whole and other.whole):
        return _opposite(one, other)
    if one.indices and other.indices:
        return overlap > COINCIDING and _is_missing_corner(one, other)
    weak = not other.indices and (other.whole is None or other.whole.face < 0.6)
    return (overlap > 0.5 and weak) or overlap > 0.8


def _is_missing_corner(one: CardSeen, other: CardSeen) -> bool:
    """Return whether what was taken for another card's corner stands where one of this
    card, which was cut out well, was not seen: of two cards that coincide, one hides
    the other, so it is its own, whatever was read there."""
    if other.whole is not None or len(other.indices) != 1:
        return False
    if one.whole is None or not is_well_cut(one.support):
        return False
    fit, corner = index_fit(one.quad_px, other.indices[0].quad_px)
    seen = {index_fit(one.quad_px, index.quad_px)[1] for index in one.indices}
    return fit < 1 and corner not in seen


def _have_corners_apart(one: CardSeen, other: CardSeen) -> bool:
    """Return whether both show the same corner, in different places: two copies of one
    card that lie on each other."""
    return any(
        float((a[0] - a[3]) @ (b[0] - b[3])) > 0 and quad_overlap(a, b) < 0.1
        for a in (index.quad_px for index in one.indices)
        for b in (index.quad_px for index in other.indices)
    )


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


def _opposite(one: CardSeen, other: CardSeen) -> bool:
    """Return whether two index-only cards are the two corners of one card."""
    if not one.indices or not other.indices:
        return False
    a, b = one.indices[0].quad_px, other.indices[0].quad_px
    up_a, up_b = a[0] - a[3], b[0] - b[3]
    cosine = float(up_a @ up_b) / max(float(np.hypot(*up_a) * np.hypot(*up_b)), 1e-6)
    return cosine < -0.85


def _left_of_two_corners(one: CardSeen, other: CardSeen) -> CardSeen | None:
    """Return which of two index-only cards shows the upper left corner, where both are
    the upper corners of one card: some decks have an index in all four."""
    if one.whole or other.whole or len(one.indices) != 1 or len(other.indices) != 1:
        return None
    if int(one.log_faces.argmax()) != int(other.log_faces.argmax()):
        return None
    away = on_quad(one.quad_px, other.indices[0].quad_px)
    here = on_quad(one.quad_px, one.indices[0].quad_px)
    x, y = away.mean(0) - here.mean(0)
    up, own_up = away[0] - away[3], here[0] - here[3]
    upright = UPRIGHT * np.hypot(*up) * np.hypot(*own_up)
    if abs(y) > SAME_HEIGHT or up @ own_up < upright:
        return None
    nearest, farthest = FOUR_CORNERS_APART
    if not nearest < abs(x) < farthest:
        return None
    return one if x > 0 else other


def _joined(one: CardSeen, other: CardSeen) -> CardSeen:
    """Return one card from two sightings; the better placed one gives the quad."""
    better, worse = (one, other)
    if _left_of_two_corners(one, other) is other:
        better, worse = worse, better
    if better.whole is None and worse.whole is not None:
        better, worse = worse, better
    indices = one.indices + tuple(
        index
        for index in other.indices
        if all(quad_overlap(index.quad_px, i.quad_px) < 0.3 for i in one.indices)
    )
    merged = replace(better, indices=indices, score=max(one.score, other.score))
    return replace(merged, log_faces=_log_faces(merged))


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
