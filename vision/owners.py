"""Which index belongs to which card: by where it stands on it, and what both show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.cards import CardSeen, IndexSeen
from vision.quads import is_inside, on_quad, quad_overlap
from vision.reading import Reading
from vision.refine import SURE_SUPPORT, is_well_cut
from vision.types import Array

UPRIGHT = 0.9
OWN_FIT = 0.3
"""An index that stands this exactly where one's own stands is no neighbour's."""
BESIDE = 0.3
"""In a close fan, two cards' indices overlap by less (IoU)."""
LIKELIEST, CLEAR = 0.5, 0.9
"""A card that reads this likely as a whole is likelier that one than any other, and
clear without its indices."""

SHORTEST, TALLEST = 0.1, 0.5
"""How tall an index is in card heights; some decks have large ones, and boxes around
them are up to a quarter taller (.43 and .46 where .38 was true)."""

Fit = tuple[float, int, int, tuple[bool, bool]]
"""How badly, which index, which card, which corner (right, lower)."""


def owners_of(
    cards: Sequence[CardSeen], indices: Sequence[IndexSeen]
) -> tuple[int, ...]:
    """Return for each index the number of its card, or -1.

    The best fits come first, those that say what the whole card says before all. A
    corner has one index. In a fan the next card's index lies nearly where one's own
    would, so of indices that contradict each other only those that stand exactly there
    are taken; the card is then in doubt. But where one beside it says what the card
    does, and stands on no other card, the outline is of two, and holds a corner of the
    lower one.
    """
    fits: list[Fit] = []
    quads = np.array([index.quad_px for index in indices]).reshape(-1, 4, 2)
    if cards and indices:
        each, corners = index_fits([card.quad_px for card in cards], quads)
        fits = [
            (float(each[c, i]), i, c, (bool(corners[c, i, 0]), bool(corners[c, i, 1])))
            for c, i in np.argwhere(each < 1).tolist()
            if not _is_of_another(indices[i], cards[c])
        ]
    # In the order of the indices, as ties and corners are settled by it.
    fits.sort(key=lambda fit: (fit[1], fit[2]))
    fits = _with_own_corners(fits, cards, indices)
    owners = [-1] * len(indices)
    taken: set[tuple[int, tuple[bool, bool]]] = set()
    stand = {i for _, i, _, _ in fits}
    says_so = {(i, c): _says_as_whole(indices[i], cards[c]) for _, i, c, _ in fits}
    for fit, i, c, corner in sorted(
        fits, key=lambda f: (not says_so[f[1], f[2]], *f[:3])
    ):
        if owners[i] >= 0 or (c, corner) in taken:
            continue
        rivals = [indices[k] for k, owner in enumerate(owners) if owner == c]
        if any(contradict(indices[i].reading, rival.reading) for rival in rivals):
            beside = _own_beside(i, corner, cards[c], rivals, indices, quads)
            if beside is not None and beside not in stand:
                owners[beside] = c
                taken.add((c, corner))
                continue
            if fit > OWN_FIT or not is_well_cut(cards[c].support):
                continue
        owners[i] = c
        taken.add((c, corner))
    return tuple(owners)


def _own_beside(
    number: int,
    corner: tuple[bool, bool],
    card: CardSeen,
    rivals: Sequence[IndexSeen],
    indices: Sequence[IndexSeen],
    quads: Array,
) -> int | None:
    """Return which index, of (N, 4, 2) quads, stands upright beside one at the same
    corner of a card, and says what all say that are the card's; `None` if none does."""
    said = {_face_of(rival.reading) for rival in rivals}
    (fits,), (corners,) = index_fits([card.quad_px], quads)
    there = np.isfinite(fits) & (corners == corner).all(axis=1)
    for other in np.flatnonzero(there).tolist():
        is_beside = quad_overlap(quads[other], quads[number]) < BESIDE
        is_on_it = is_inside(card.quad_px, quads[other].mean(0))
        if is_beside and is_on_it and {_face_of(indices[other].reading)} == said:
            return other
    return None


def _says_as_whole(index: IndexSeen, card: CardSeen) -> bool:
    """Return whether an index reads as the whole card does, which is likelier one face
    than all others."""
    whole = card.whole
    if whole is None or whole.certainty <= LIKELIEST:
        return False
    return _face_of(index.reading) == _face_of(whole)


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


def index_fit(card_px: Array, index_px: Array) -> tuple[float, tuple[bool, bool]]:
    """Return how badly an index fits a card, and at which corner (right, lower); below
    1 it may be its own."""
    ((fit,),), (((right, lower),),) = index_fits([card_px], index_px[None])
    return float(fit), (bool(right), bool(lower))


def index_fits(
    cards_px: Sequence[Array], indices_px: Array, *, upright: float = UPRIGHT
) -> tuple[Array, NDArray[np.bool_]]:
    """Return (C, N) how badly (N, 4, 2) indices fit C cards, and (C, N, 2) at which
    corners (right, lower). `upright` is the least cosine between their up and the
    card's."""
    points = np.reshape(indices_px, (-1, 2))
    flat = np.array([on_quad(card, points) for card in cards_px], float)
    on_card = flat.reshape(len(cards_px), -1, 4, 2)
    middles = on_card.sum(axis=2) / 4
    up = on_card[:, :, 0] + on_card[:, :, 1] - on_card[:, :, 2] - on_card[:, :, 3]
    # Fold the four corners onto the top left one.
    corners = middles > 0.5
    folded = np.where(corners, 1 - middles, middles)
    tall = np.hypot(up[..., 0] / 1.4, up[..., 1]) / 2
    upwards = np.where(corners[..., 1], up[..., 1], -up[..., 1])
    cosine = upwards / np.maximum(2 * tall, 1e-6)
    fits = np.hypot((folded[..., 0] - 0.11) / 0.16, (folded[..., 1] - 0.15) / 0.14)
    stands = (cosine >= upright) & (tall > SHORTEST) & (tall < TALLEST)
    return np.where(stands, fits, np.inf), corners
