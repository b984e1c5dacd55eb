"""From physical cards to names: what each says alone, what the closed deck settles, and
which of the cards are believed to be there at all."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from vision.assign import best_pairs
from vision.cards import CardSeen
from vision.quads import area_px2, is_inside, quad_overlap, share_inside
from vision.reading import LABELS
from vision.refine import SURE_SIDE, SURE_SUPPORT, is_well_cut
from vision.types import Array, Finding, Identity, Kind, Placement

JOKER = "X"
FAINT = 0.25
"""A corner that the detector was less sure of than this was seen faintly."""
CLEAR_LOG = math.log(200)
"""A reading this much likelier than the next is not overruled by the closed deck."""
LEAST_CHOICE = 0.2
"""The closed deck chooses between what a picture leaves open, never against it: what
looks like a second copy is rather a second look at the first than an unlikely card."""
CLEAR_FACE, CLEAR_LOOK, RULED_OUT = 0.9, 0.8, 0.1
LIKELY, LIKELIER, TAKEN = 0.3, 0.6, 0.97
OUTVOTED, WHOLE_VOTES = 3, 2
"""A sure look that says something else is outvoted by so many. The whole card counts as
two: a letter that is misread in one corner may be misread in the next."""
MOSTLY = 0.6
PART = 0.75
"""Cards are of one size; outlines of two that lie on each other are, within this."""
ODD_SIZE = 2.0
HALF_READ_SCORE = 0.5


@dataclass(frozen=True, slots=True)
class Sureness:
    """When a card is named: thresholds of the model's manifest."""

    min_face: float
    min_probability: float
    min_faint: float = 0.9
    """Of a card of which only one corner was seen, and that faintly."""


def name_all(
    cards: Sequence[CardSeen], *, sureness: Sureness, decks: int = 1
) -> tuple[Identity, ...]:
    """Return one identity per card.

    A deck holds each card once: where two cards look alike, the assignment of labels
    that is most likely over the whole table decides between candidates. It never
    overrules a clear reading: two cards that are each clearly the same one are both
    named so (`duplicates` reports them). And what surely lies elsewhere is not the
    other thing that a card may be.
    """
    identities = [identity_of(card, sureness) for card in cards]
    taken = _taken(cards, identities, decks)
    for number, card in enumerate(cards):
        if identities[number].label is None and _is_left_open(card, taken):
            identities[number] = identity_of(card, sureness, without=taken)
    doubled = _over_used(identities, decks)
    if doubled:
        decided = _assigned(cards, decks)
        for number, (card, label) in enumerate(zip(cards, decided, strict=True)):
            if identities[number].label in doubled and label is not None:
                identities[number] = _decided(identities[number], card, label)
    return tuple(identities)


def duplicates(
    placements: Sequence[Placement], *, decks: int = 1
) -> tuple[Finding, ...]:
    """Return a finding for each card that lies there more often than decks hold it."""
    return tuple(
        Finding(
            "duplicate",
            (("label", label),),
            tuple(p.id for p in placements if p.identity.label == label),
        )
        for label in _over_used([p.identity for p in placements], decks)
    )


def _taken(
    cards: Sequence[CardSeen], identities: Sequence[Identity], decks: int
) -> frozenset[int]:
    """Return the numbers of the faces all copies of which surely lie there."""
    sure = [
        identity.label
        for card, identity in zip(cards, identities, strict=True)
        if identity.label is not None and float(card.faces.max()) > TAKEN
    ]
    return frozenset(
        LABELS.index(label)
        for label in set(sure)
        if sure.count(label) >= _copies(label, decks)
    )


def _is_left_open(card: CardSeen, taken: frozenset[int]) -> bool:
    """Return whether one face is likely that does not lie elsewhere: else this may be
    another look at the card that does."""
    best = int(card.faces.argmax())
    return best not in taken and float(card.faces[best]) > LIKELIER


def identity_of(
    card: CardSeen, sureness: Sureness, *, without: Collection[int] = ()
) -> Identity:
    """Return what one card says by itself, `without` faces that it cannot be."""
    faces, face = card.faces, card.face
    if without:
        faces = faces.copy()
        faces[list(without)] = 0
        faces /= faces.sum()
    order = np.argsort(-faces)[:5]
    candidates = tuple(
        (LABELS[i], round(float(faces[i] * face), 4))
        for i in order
        if faces[i] * face > 1e-3
    )
    margin = float(card.log_faces[order[0]] - card.log_faces[order[1]])
    sure = face >= sureness.min_face and faces[order[0]] >= sureness.min_probability
    if sure and (_is_faint(card) or _is_badly_cut(card)):
        sure = face * faces[order[0]] >= sureness.min_faint
    if LABELS[order[0]] == JOKER and not is_well_cut(card.support):
        sure = False  # it has no index to go by, and many a picture looks like one
    if card.is_cut_off and not _is_said_by_a_corner(card, int(order[0])):
        sure = False  # what is left of an eight may look like a six
    known = card.kind is Kind.CARD and sure and not _is_disputed(card, int(order[0]))
    return Identity(LABELS[order[0]] if known else None, candidates, margin)


def plausible(
    cards: Sequence[CardSeen],
    identities: Sequence[Identity],
    *,
    min_score: float,
    discs_px: Sequence[Array] = (),
) -> tuple[bool, ...]:
    """Return which of the cards are believed to be there.

    A named card is, unless it is but a part of another one (cards are of one size), or
    was taken for a card without any index where a disc was seen, or was seen only as a
    faint corner that asks for a card of quite another size, or only as a corner in the
    midst of a card that lies open (print). One without a name is, if the
    detector is sure of it or something was half read, and if it is not just a second
    look at cards that were named (a corner that is no other card's says that it is not:
    in a fan, cards lie under others), nor of quite another size than they are.
    `discs_px` are the quads around discs that were seen.
    """
    named = [
        card
        for card, identity in zip(cards, identities, strict=True)
        if identity.label is not None
    ]
    quads = [card.quad_px for card in named]
    usual = float(np.median([area_px2(q) for q in quads])) if len(quads) > 2 else None
    return tuple(
        not any(_is_part(card, other) or _is_print(card, other) for other in named)
        and not _is_disc(card, discs_px)
        and not (_is_faint(card) and _is_odd(card, usual))
        if identity.label is not None
        else (card.score >= min_score or _half_read(card))
        and not any(_is_print(card, other) for other in named)
        and (_has_own_corner(card) or share_inside(card.quad_px, quads) < MOSTLY)
        and not _is_disc(card, discs_px)
        and not _is_odd(card, usual)
        for card, identity in zip(cards, identities, strict=True)
    )


def _is_odd(card: CardSeen, usual_px2: float | None) -> bool:
    """Return whether a card is of quite another size than cards here usually are."""
    if usual_px2 is None:
        return False
    return not 1 / ODD_SIZE < area_px2(card.quad_px) / usual_px2 < ODD_SIZE


def _is_disc(card: CardSeen, discs_px: Sequence[Array]) -> bool:
    """Return whether what was taken for a card, without an index, is a disc."""
    return not card.indices and any(
        quad_overlap(card.quad_px, disc) > MOSTLY for disc in discs_px
    )


def _is_part(card: CardSeen, other: CardSeen) -> bool:
    """Return whether what was taken for a card is a piece of another one, or that one
    and its surroundings: it shows no corner index, one lies mostly inside the other,
    and they are clearly not of one size."""
    if card is other or card.indices:
        return False
    ratio = area_px2(card.quad_px) / max(area_px2(other.quad_px), 1e-6)
    if ratio < PART:
        return share_inside(card.quad_px, [other.quad_px]) > MOSTLY
    around = ratio > 1 / PART and bool(other.indices)
    return around and share_inside(other.quad_px, [card.quad_px]) > MOSTLY


def _is_print(card: CardSeen, other: CardSeen) -> bool:
    """Return whether what was taken for the corner of a card is print on another one:
    all sides and two corners of that one show, so nothing lies over them, and a corner
    is all there is of the first."""
    if card is other or card.whole is not None or min(other.support) < SURE_SIDE:
        return False
    if other.whole is None or len(other.indices) < 2:
        return False
    return all(
        is_inside(other.quad_px, index.quad_px.mean(0)) for index in card.indices
    )


def _half_read(card: CardSeen) -> bool:
    """Return whether something was seen on the card, if not enough to name it."""
    if card.score < HALF_READ_SCORE:
        return False
    whole = card.whole
    if whole is not None and whole.face + whole.back > 0.6:
        return True
    return any(index.reading.face > 0.8 for index in card.indices)


def _has_own_corner(card: CardSeen) -> bool:
    """Return whether an index was seen that is surely one, whichever."""
    return any(
        index.score >= HALF_READ_SCORE
        and index.reading.face > CLEAR_FACE
        and float(index.reading.faces.max()) > LIKELY
        for index in card.indices
    )


def _is_said_by_a_corner(card: CardSeen, number: int) -> bool:
    looks = [index.reading for index in card.indices]
    return any(
        look.certainty > LIKELIER and look.faces.argmax() == number for look in looks
    )


def _is_badly_cut(card: CardSeen) -> bool:
    """Return whether all that was read is a crop whose sides are not on edges."""
    return not card.indices and not is_well_cut(card.support)


def _is_disputed(card: CardSeen, number: int) -> bool:
    """Return whether a look that is sure of itself rules out what all say together.

    The whole card counts as such a look only where it was cut out exactly: otherwise
    other cards' parts are in the crop.
    """
    looks = [(index.reading, 1) for index in card.indices]
    if card.whole is not None and min(card.support) >= SURE_SUPPORT:
        looks.append((card.whole, WHOLE_VOTES))
    sure = [
        (look.faces, votes)
        for look, votes in looks
        if look.face > CLEAR_FACE and float(look.faces.max()) > CLEAR_LOOK
    ]
    against = sum(votes for faces, votes in sure if faces[number] < RULED_OUT)
    agreeing = sum(votes for faces, votes in sure if faces.argmax() == number)
    return against > 0 and agreeing < OUTVOTED * against


def _is_faint(card: CardSeen) -> bool:
    return card.whole is None and all(i.score < FAINT for i in card.indices)


def _over_used(identities: Sequence[Identity], decks: int) -> list[str]:
    labels = [i.label for i in identities if i.label is not None]
    return sorted(
        label for label in set(labels) if labels.count(label) > _copies(label, decks)
    )


def _copies(label: str, decks: int) -> int:
    """Return how many cards of a label there are: a deck has two jokers."""
    return decks * (2 if label == JOKER else 1)


def _decided(alone: Identity, card: CardSeen, label: str) -> Identity:
    if label == alone.label or alone.margin >= CLEAR_LOG:
        return alone
    probability = float(card.faces[LABELS.index(label)])
    if probability < LEAST_CHOICE:
        return Identity(None, alone.candidates, alone.margin)
    return Identity(label, alone.candidates, alone.margin)


def _assigned(cards: Sequence[CardSeen], decks: int) -> list[str | None]:
    """Return the most likely labels with no more copies than the decks hold."""
    columns = [
        i for i, label in enumerate(LABELS) for _ in range(_copies(label, decks))
    ]
    costs = np.array([-np.log(card.faces + 1e-6)[columns] for card in cards])
    spare = np.full((len(cards), len(cards)), 12.0)
    labels: list[str | None] = [None] * len(cards)
    for row, column in best_pairs(np.hstack([costs, spare])):
        if column < len(columns):
            labels[row] = LABELS[columns[column]]
    return labels
