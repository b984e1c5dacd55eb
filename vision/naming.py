"""From physical cards to names: what each says alone, what the closed deck settles."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.assign import best_pairs
from vision.cards import FAINT, HALF_SURE, CardSeen
from vision.quads import share_inside
from vision.reading import COURTS, LABELS, Reading
from vision.refine import SURE_SUPPORT, is_well_cut
from vision.types import Finding, Identity, Kind, Placement

JOKER = "X"
SHOWN = 0.5
"""A look at a whole card that shows a face less likely than this shows none."""
CLEAR_LOG = math.log(200)
"""A reading this much likelier than the next is not overruled by the closed deck."""
LEAST_CHOICE = 0.2
"""The closed deck chooses between what a picture leaves open, never against it: what
looks like a second copy is rather a second look at the first than an unlikely card."""
CLEAR_FACE, CLEAR_LOOK, RULED_OUT = 0.9, 0.8, 0.1
LIKELY, LIKELIER, TAKEN = 0.3, 0.6, 0.97
WHOLE_VOTES = 2
"""A look at the whole card counts as two at a corner: a letter that is misread in one
corner may be misread in the next."""
OUTVOTED, OUTVOTED_WHOLE, OUTVOTED_COURT = 3, 6, 2
"""A sure look at a corner, at the whole card, and at that of a court that another court
may be, is outvoted by so many looks. Courts are drawn otherwise in each deck: their
letters are to be trusted (spike.md: the art says a third of the ranks)."""
BLACK = frozenset("cs")
_COURTS = [n for n, label in enumerate(LABELS) if label[:-1] in COURTS]
APART = 0.1
"""A card of which another covers less (its share) shows all that it shows."""


@dataclass(frozen=True, slots=True)
class Sureness:
    """When a card is named: thresholds of the model's manifest."""

    min_probability: float
    """That a face shows, and this one, where two corners say so."""
    min_alone: float
    """Where fewer do."""
    min_faint: float = 0.9
    """Of a card of which only one corner was seen, and that faintly."""
    min_once: float = 0.9
    """Of a card that one corner alone names, of which the detector was half sure. Of 48
    on 900 rendered tables that were read between .92 and .95 four were wrong, and five
    right that a person can read."""
    min_whole: float = 0.9
    """Of a card of which no corner was found."""
    min_suit: float = 0.9
    """That it is of its suit, if it is of a black one at all."""


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
    return _without_pictures(cards, identities)


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
    best = int(order[0])
    sure = face * faces[best] >= _needed(card, sureness)
    if sure and LABELS[best][-1] in BLACK:
        sure = faces[best] / (faces[best] + faces[_twin(best)]) >= sureness.min_suit
    if LABELS[best] == JOKER and not is_well_cut(card.support):
        sure = False  # it has no index to go by, and many a picture looks like one
    if card.is_cut_off and not _is_said_by_a_corner(card, best):
        sure = False  # what is left of an eight may look like a six
    known = card.kind is Kind.CARD and sure and not _is_disputed(card, best)
    return Identity(LABELS[best] if known else None, candidates, margin)


def _needed(card: CardSeen, sureness: Sureness) -> float:
    """Return how likely a name must be for a card that shows itself so."""
    if not card.indices:
        return sureness.min_whole
    if is_faint(card):
        return sureness.min_faint
    if is_said_once(card):
        return sureness.min_once
    is_alone = _corners_saying(card) < 2
    return sureness.min_alone if is_alone else sureness.min_probability


def read_alike(number: int) -> list[int]:
    """Return the numbers of the faces that may be read as one: a black one's twin, too.
    Which of the two it is, outlines tell (`leaves`)."""
    return [number, _twin(number)] if LABELS[number][-1] in BLACK else [number]


def _twin(number: int) -> int:
    """Return the number of the same rank in the other black suit."""
    rank, suit = LABELS[number][:-1], LABELS[number][-1]
    (other,) = BLACK - {suit}
    return LABELS.index(rank + other)


def _without_pictures(
    cards: Sequence[CardSeen], identities: Sequence[Identity]
) -> tuple[Identity, ...]:
    """Return the identities without those of cards with pips of which one corner at
    most says so where a court shows, and no card that was named lies over it: its art
    does not tell which court it is, but none has a number. Aces are drawn richly,
    too."""
    named = [number for number, i in enumerate(identities) if i.label is not None]
    kept = list(identities)
    for number in named:
        card, identity = cards[number], identities[number]
        has_pips = str(identity.label)[:-1].isdigit()
        if has_pips and _corners_saying(card) < 2 and _shows_court(card.whole):
            others = [cards[other].quad_px for other in named if other != number]
            if share_inside(card.quad_px, others) < APART:
                kept[number] = replace(identity, label=None)
    return tuple(kept)


def _corners_saying(card: CardSeen) -> int:
    """Return how many corners say what all looks at a card say together."""
    best = int(card.log_faces.argmax())
    return sum(int(i.reading.faces.argmax()) == best for i in card.indices)


def _shows_court(whole: Reading | None) -> bool:
    if whole is None or whole.face < CLEAR_FACE:
        return False
    return float(whole.faces[_COURTS].sum()) > CLEAR_LOOK


def _is_said_by_a_corner(card: CardSeen, number: int) -> bool:
    """Return whether a corner clearly has the rank; which suit, all say together."""
    rank = LABELS[number][:-1]
    alike = [n for n, label in enumerate(LABELS) if label[:-1] == rank]
    return any(
        look.face * float(look.faces[alike].sum()) > LIKELIER
        and int(look.faces.argmax()) in read_alike(number)
        for look in (index.reading for index in card.indices)
    )


def _is_disputed(card: CardSeen, number: int) -> bool:
    """Return whether a look that is sure of itself rules out what all say together.

    The whole card counts as such a look only where it was cut out exactly: otherwise
    other cards' parts are in the crop. Where one side alone is hidden it may bear out
    what others say, and so it may where it is clear and corners differ in their rank.
    What was found but faintly may be no corner at all.
    """
    found = [i.reading for i in card.indices if i.score >= FAINT]
    sure = [look for look in found if _is_sure_look(look)]
    agreeing = sum(int(look.faces.argmax()) == number for look in sure)
    against = [look for look in sure if _rules_out(look, number)]
    needed = OUTVOTED * len(against)
    whole = card.whole
    if whole is not None and _is_sure_look(whole):
        best = int(whole.faces.argmax())
        if is_well_cut(card.support) or _is_misread_rank(whole, against):
            agreeing += WHOLE_VOTES * (best == number)
        is_exact = min(card.support) >= SURE_SUPPORT
        if is_exact and whole.faces[number] < RULED_OUT:
            needed += OUTVOTED_COURT if _are_courts(best, number) else OUTVOTED_WHOLE
    return agreeing < needed


def _is_misread_rank(whole: Reading, corners: Sequence[Reading]) -> bool:
    """Return whether a clear card has corners of its suit that say another rank. In all
    eight cards on 900 rendered tables where a corner and the whole said one rank, and
    another corner another, the two were right; of three of them no side was clear."""
    suits = {LABELS[int(look.faces.argmax())][-1] for look in (whole, *corners)}
    return len(suits) == 1 and whole.certainty > CLEAR_FACE


def _rules_out(look: Reading, number: int) -> bool:
    is_unlikely = float(look.faces[number]) < RULED_OUT
    return is_unlikely and int(look.faces.argmax()) not in read_alike(number)


def _is_sure_look(look: Reading) -> bool:
    return look.face > CLEAR_FACE and float(look.faces.max()) > CLEAR_LOOK


def _are_courts(one: int, other: int) -> bool:
    """Return whether two faces are courts of one suit."""
    (rank, suit), (other_rank, other_suit) = (
        (LABELS[n][:-1], LABELS[n][-1]) for n in (one, other)
    )
    return suit == other_suit and {rank, other_rank} <= COURTS


def is_said_once(card: CardSeen) -> bool:
    """Return whether one corner alone says which card it is, of which the detector was
    not sure: the whole, if it shows at all, does not bear it out."""
    if len(card.indices) != 1 or card.indices[0].score >= HALF_SURE:
        return False
    whole = card.whole
    if whole is None or whole.certainty < LIKELY:
        return True
    return int(whole.faces.argmax()) != int(card.log_faces.argmax())


def is_faint(card: CardSeen, below: float = FAINT) -> bool:
    """Return whether all that was seen of a card are corners, and of those the detector
    was less sure: an outline in which no face shows adds nothing."""
    shows_face = card.whole is not None and card.whole.face > SHOWN
    return not shows_face and all(i.score < below for i in card.indices)


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
