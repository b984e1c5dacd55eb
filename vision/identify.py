"""Names a card by comparing it with the pictures of galleries: any deck, one picture of
each card, no training.

A card is looked at both ways up. Small, it is compared with every face at once
(`matching.shortlist`). The best few are laid exactly over it, which puts the card's
corners right as well (`matching.align`), and compared (`matching.compare`): on print
freed of light, on colours freed of tint, and two by two on what tells one from the
other. Only pixels that can be seen count: not what covers the card, not glare.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.gallery import Gallery
from vision.matching.align import ANYHOW, rigid
from vision.matching.glaring import glaring, is_hazy, lit_trials
from vision.matching.ink import Leans, Near
from vision.matching.pale import PaleThumbs, pale_details, pale_faces
from vision.matching.patches import Mask, Patch, Plane, cut_patch
from vision.matching.propose import Proposer
from vision.matching.references import References, references_of
from vision.matching.trial import FINEST, Trial, closer, leads, trials
from vision.matching.votes import Voter
from vision.quads import quad_overlap
from vision.types import Array, Bgr, Identity

__all__ = [
    "Choice",
    "Identifier",
    "Mask",
    "Sighting",
    "fit",
    "identity_of",
    "nothing",
]

LEAST_SEEN = 0.1
# Logistic regressions on rendered cards of four decks, two of standard cards and two of
# invented ones, against notes, phones, boxes, coasters and each other's cards
# (tests/bench/bench_identify.py --calibrate; other decks than those it tests).
LEAD, PRINT, COLOUR = 8.0, 41.3, 17.7
"""Log-odds of one picture against another: for the lead where they differ, for more
likeness in print, for less misfit in colour; all times the root of what is seen."""
SETTLED = 16.0
"""Log-odds from which no lead turns the scales."""
INK = 15.0
"""Log-odds of one face against another that differs in little, for its lean in ink
(`matching.ink`): from a lean of 0.2 on a card is named."""
KNOWN_AT, KNOWN_PRINT, KNOWN_COLOUR, KNOWN_SEEN = -7.2, 14.6, -7.1, 0.9
"""Log-odds of being any card of the galleries."""
KNOWN_VOTE, MOST_VOTES = 0.15, 10
"""Log-odds for each detail that voted for a card, and so many of them count: no card
that 585 false votes spoke for came nearer than -5.6, but glare costs a true one 3."""
MIN_KNOWN, MIN_KNOWN_FREE = 0.5, 1.5
"""Log-odds below which it is none of them, where the table has a card lie just so, and
where it may lie anyhow: the likest of 1,680 foreign things then reached 1.28."""
MIN_KNOWN_LIT = -1.0
"""The same in glare, of a card that was compared with every picture in its own light:
foreign things then reached -3.8, and wrong faces -3.5 (`matching.glaring`); or for
which details have voted."""
MIN_LEAD, MIN_LEAD_PARTLY = 3.0, 4.0
"""Log-odds against the next face below which nothing is said, also of a card of which
less than `MOSTLY` can be seen: of 975 cards this names one wrongly."""
MOSTLY = 0.85
WORTH_A_LOOK, CLOSE_PX = 0.6, 90.0
"""A card that is one of the galleries' but which one is not clear is looked at closer,
if it is so wide in the picture that there is more to see."""
JUST_THERE = 0.8
"""Overlap (IoU) from which on a card lies where it was looked for: a tenth larger or
smaller is .81, and so far corners may be off where faces are chosen (`shortlist`)."""
MIN_ALIGNED = -0.5
"""Log-odds of being known from which the corners are taken from the picture."""
LEAST_SHOWN, MOST_LEAD = 1e-3, 99.0


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
    """Probability that it is a card of the galleries, whichever."""
    seen: float
    """Share of the card that was compared."""
    choices: tuple[Choice, ...] = ()
    """What it may be, most likely first; what is left to 1 is "none of these"."""
    picture: int | None = None
    """Which picture of the galleries it looks like."""
    in_glare: bool = False
    """Much of its print is burnt out."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One card that it may be."""

    deck: int
    label: str | None
    """`None` is a back."""
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class Identifier:
    """All pictures of some galleries, ready to be compared with."""

    references: References
    proposed: Proposer
    """Where cards may lie by their print alone, for those whose outline is not found.
    """
    voter: Voter
    """Where on a known table cards may lie by what shows of their print."""
    pale: Voter
    """The same of print that glare has left pale."""
    pale_thumbs: PaleThumbs
    """How pictures look, small, where glare has left them pale."""
    near: Near
    """Which faces differ in little."""

    def identify(
        self,
        bgr: Bgr,
        quad_px: Array,
        visible: Mask | None = None,
        *,
        size_mm: tuple[float, float] | None = None,
        expected: int | None = None,
        details: int = 0,
    ) -> Sighting:
        """Return what the card in the quad is.

        `visible` is a mask of the picture's size: 0 where something covers the card.
        With `size_mm` the quad is where the table has a card of that size, and the card
        may be moved along the table only. `expected` is the picture that details of
        the print have voted for (`matching.votes`), and `details` how many of them are
        to be believed.
        """
        patch = cut_patch(bgr, quad_px, visible)
        seen = _shown(patch)
        if seen < LEAST_SEEN:
            return nothing(quad_px, seen)
        freedom = ANYHOW if size_mm is None else rigid(size_mm)
        found = trials(patch, self.references, freedom, expected)
        found = self.near.trials(patch, found, freedom)
        more = KNOWN_VOTE * min(details, MOST_VOTES)
        least = MIN_KNOWN_FREE if size_mm is None else MIN_KNOWN
        first = self._decided(patch, found, quad_px, (seen, least), (expected, more))
        if first.deck is None:
            ways = patch, freedom, quad_px, (seen, least), (expected, more)
            lit = self._lit(*ways, is_unlike=first.likeness < WORTH_A_LOOK)
            if lit is not None and lit.likeness > first.likeness:
                return lit
        if first.deck is not None or first.likeness < WORTH_A_LOOK:
            return first
        if float(np.linalg.norm(quad_px[1] - quad_px[0])) < CLOSE_PX:
            return first
        patch = cut_patch(bgr, quad_px, visible, top=FINEST)
        found = closer(patch, found, self.references)
        return self._decided(patch, found, quad_px, (seen, least), (expected, more))

    def where_it_lies(
        self, bgr: Bgr, quad_px: Array, *, size_mm: tuple[float, float] | None = None
    ) -> Sighting:
        """Return what the card in the quad is, as it is read where it lies.

        The quad may be the outline of a picture on the card: the faces that are
        compared are those that look like what is in it, and the right one may not be
        among them. One of them, laid over the card, tells where that lies.
        """
        seen = self.identify(bgr, quad_px, size_mm=size_mm)
        is_there = quad_overlap(seen.quad_px, quad_px) >= JUST_THERE
        if seen.deck is None or is_there:
            return seen
        return self.identify(bgr, seen.quad_px, size_mm=size_mm)

    def _lit(
        self,
        patch: Patch,
        freedom: Plane,
        quad_px: Array,
        seen_of: tuple[float, float],
        expected: tuple[int | None, float],
        *,
        is_unlike: bool,
    ) -> Sighting | None:
        """Return what a card in glare is, by pictures in its own light; `None` where
        none is seen. What shows whole and `is_unlike` all pictures may lie in glare
        that burns nothing out: no less must be known of it than of any other."""
        seen, least = seen_of
        is_burnt = glaring(patch)
        if not is_burnt and not (is_unlike and seen > MOSTLY and is_hazy(patch)):
            return None
        found = lit_trials(patch, self.references, freedom, expected[0])
        seen_of = seen, MIN_KNOWN_LIT if is_burnt else least
        look = self._decided(patch, found, quad_px, seen_of, expected)
        return look if look.in_glare or not is_burnt else None

    def _decided(
        self,
        patch: Patch,
        found: Sequence[Trial],
        quad_px: Array,
        seen_of: tuple[float, float],
        expected: tuple[int | None, float],
    ) -> Sighting:
        """Return what the likest picture says, of a card of which so much is seen and
        that must be known with such log-odds."""
        seen, least_known = seen_of
        if not found:
            return nothing(quad_px, seen)
        odds = self._odds(patch, found, seen)
        best = int(odds.min(1).argmax())
        first, key = found[best], self._key(found[best])
        rivals: dict[tuple[int, str | None], float] = {}
        for trial, behind in zip(found, odds[best], strict=True):
            other = self._key(trial)
            if other != key:
                rivals[other] = min(rivals.get(other, math.inf), float(behind))
        lead = min(rivals.values(), default=math.inf)
        told = expected[1] if expected[0] == first.picture else 0.0
        known = _known(first) + told
        if told and first.in_glare:
            least_known = min(least_known, MIN_KNOWN_LIT)
        least = MIN_LEAD if seen > MOSTLY else MIN_LEAD_PARTLY
        is_sure = known >= least_known and lead >= least
        choices = _choices(key, rivals, known)
        return Sighting(
            key[0] if is_sure else None,
            identity_of(choices, lead, key[1] if is_sure else None),
            key[1] is None,
            first.turned,
            first.quad_px(patch) if is_sure or known >= MIN_ALIGNED else quad_px,
            1 / (1 + math.exp(-known)),
            seen,
            choices,
            first.picture,
            first.in_glare,
        )

    def _odds(self, patch: Patch, found: Sequence[Trial], seen: float) -> Array:
        """Return (N, N) log-odds of each picture against each other one; those of one
        face are no rivals."""
        likeness = np.array([trial.misfit.likeness for trial in found])
        colour = np.array([trial.misfit.colour for trial in found])
        odds = PRINT * (likeness[:, None] - likeness[None])
        odds -= COLOUR * (colour[:, None] - colour[None])
        is_open = np.abs(odds) < SETTLED
        odds += LEAD * leads(found, self.references, is_open)
        keys = [self._key(trial) for trial in found]
        same = np.array([[one == other for other in keys] for one in keys])
        leans = Leans(patch, self.references, found)
        for i, j in zip(*np.nonzero(np.triu(is_open & ~same)), strict=True):
            if found[i].in_glare or found[j].in_glare:
                continue
            lean = leans.between(i, j)
            if lean.is_near:
                odds[i, j], odds[j, i] = INK * lean.share, -INK * lean.share
        odds = np.where(same, math.inf, odds * math.sqrt(seen))
        # With one face only there is no rival: the likest of its pictures is best.
        odds[np.diag_indices(len(keys))] = 1e3 + likeness
        return np.asarray(odds, float)

    def _key(self, trial: Trial) -> tuple[int, str | None]:
        return self.references.all[trial.picture].key


def fit(galleries: Sequence[Gallery]) -> Identifier:
    """Return the identifier of these galleries: a tenth of a second for 54 faces."""
    references = references_of(galleries)
    pale = Voter(references, pale_faces, pale_details)
    proposer, near = Proposer(references), Near(references)
    voter, thumbs = Voter(references), PaleThumbs(references)
    return Identifier(references, proposer, voter, pale, thumbs, near)


def identity_of(choices: Sequence[Choice], lead: float, label: str | None) -> Identity:
    """Return the identity with these choices, named `label`."""
    labels: dict[str, float] = {}
    for choice in choices:
        if choice.label is not None:
            before = labels.get(choice.label, 0.0)
            labels[choice.label] = before + choice.probability
    ranked = sorted(labels.items(), key=lambda item: -item[1])
    candidates = tuple((k, round(v, 4)) for k, v in ranked if v > LEAST_SHOWN)
    return Identity(label, candidates, round(min(lead, MOST_LEAD), 3))


def _shown(patch: Patch) -> float:
    """Return the share of the card, as its quad has it, that is in the picture and not
    covered."""
    height, width = patch.levels[0].shape[:2]
    card = patch.levels[0][7 : height - 7, 5 : width - 5, 3]
    return float((card > 0).mean())


def _known(trial: Trial) -> float:
    misfit = trial.misfit
    return (
        KNOWN_AT
        + KNOWN_PRINT * misfit.likeness
        + KNOWN_COLOUR * misfit.colour
        + KNOWN_SEEN * misfit.seen
    )


def _choices(
    best: tuple[int, str | None],
    rivals: dict[tuple[int, str | None], float],
    known: float,
) -> tuple[Choice, ...]:
    powers = {best: 1.0} | {key: math.exp(-lead) for key, lead in rivals.items()}
    share = 1 / (1 + math.exp(-known)) / sum(powers.values())
    ranked = sorted(powers.items(), key=lambda item: -item[1])
    return tuple(Choice(*key, power * share) for key, power in ranked)


def nothing(quad_px: Array, seen: float = 1.0) -> Sighting:
    """Return the sighting of what is like no card at all."""
    return Sighting(None, Identity(None), False, False, quad_px, 0.0, seen)
