"""Names cards jointly: a deck holds so many copies of each face and no more.

Where the copies of a face are all in sight for certain, another card that looks like it
a little is something else; and of two faces that a picture cannot tell apart the one
that is left is meant. A clear reading is never overruled: what cannot be stays as it
was read, for people to be told (`too_many_copies`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from vision.assign import best_pairs
from vision.identify import Choice, Sighting, identity_of
from vision.types import Array

Copies = Mapping[tuple[int, str], int]
"""Deck and label -> how many of them there are."""

CLEAR_LEAD = math.log(200)
"""A reading with such a lead keeps its copy whatever the others look like."""
LEAST_CHOICE = 0.2
"""What is chosen for a card must be this likely by its own looks."""
MIN_LEAD = 3.0
"""Lead over all else that is still to be had from which a card is named."""
LEAST_LIKENESS = 0.6
"""What may be no card of the decks at all takes no copy."""
STAYS = -math.log(1e-3)
IMPOSSIBLE = 1e3


def decode(sightings: Sequence[Sighting], copies: Copies) -> tuple[Sighting, ...]:
    """Return the sightings, with what the copies of the decks settle settled."""
    taken = Counter(_key(one) for one in sightings if _is_clear(one))
    open_ones = [i for i, one in enumerate(sightings) if _is_open(one)]
    decided = list(sightings)
    for number, choice in _assigned([sightings[i] for i in open_ones], copies, taken):
        index = open_ones[number]
        others = Counter(
            _key(one)
            for i, one in enumerate(decided)
            if i != index and one.deck is not None
        )
        decided[index] = _settled(decided[index], choice, copies, taken | others)
    return tuple(decided)


def copies_left(copies: Copies, taken: Counter[tuple[int, str]]) -> Copies:
    """Return how many of each card are still to be had."""
    return {key: max(count - taken[key], 0) for key, count in copies.items()}


def _key(sighting: Sighting) -> tuple[int, str]:
    """Return deck and label; those of a back or an unnamed card are of no face."""
    label = sighting.identity.label
    if sighting.deck is None or label is None:
        return -1, ""
    return sighting.deck, label


def _is_clear(sighting: Sighting) -> bool:
    return _key(sighting)[0] >= 0 and sighting.identity.margin >= CLEAR_LEAD


def _is_open(sighting: Sighting) -> bool:
    """Return whether the others may have a say in what a card is."""
    if sighting.is_back or _is_clear(sighting):
        return False
    return bool(sighting.choices) and sighting.likeness >= LEAST_LIKENESS


def _assigned(
    sightings: Sequence[Sighting], copies: Copies, taken: Counter[tuple[int, str]]
) -> list[tuple[int, Choice]]:
    """Return (number, choice) of the likeliest way to give each card a copy."""
    left = copies_left(copies, taken)
    wanted = {
        (choice.deck, choice.label)
        for one in sightings
        for choice in one.choices
        if choice.label is not None
    }
    slots = [key for key in sorted(wanted) for _ in range(left.get(key, 0))]
    if not sightings or not slots:
        return []
    costs = np.full((len(sightings), len(slots) + len(sightings)), IMPOSSIBLE)
    for row, one in enumerate(sightings):
        _fill(costs[row], one, slots)
        costs[row, len(slots) + row] = STAYS
    found = []
    for row, column in best_pairs(costs):
        if column < len(slots) and costs[row, column] < STAYS:
            found.append((row, _choice(sightings[row], slots[column])))
    return found


def _fill(costs: Array, sighting: Sighting, slots: Sequence[tuple[int, str]]) -> None:
    likely = {(c.deck, c.label): c.probability for c in sighting.choices}
    for column, key in enumerate(slots):
        if key in likely:
            costs[column] = -math.log(max(likely[key], 1e-9))


def _choice(sighting: Sighting, key: tuple[int, str]) -> Choice:
    return next(c for c in sighting.choices if (c.deck, c.label) == key)


def _settled(
    sighting: Sighting, choice: Choice, copies: Copies, taken: Counter[tuple[int, str]]
) -> Sighting:
    """Return the sighting named as its choice, if nothing else that is still to be had
    is nearly as likely; as it was otherwise."""
    if choice.probability < LEAST_CHOICE or _key(sighting) == (
        choice.deck,
        choice.label,
    ):
        return sighting
    left = copies_left(copies, taken)
    rivals = [
        other.probability
        for other in sighting.choices
        if other is not choice
        and (other.label is None or left.get((other.deck, other.label), 0) > 0)
    ]
    lead = math.log(choice.probability / max([*rivals, 1e-9]))
    if lead < MIN_LEAD:
        return sighting
    identity = identity_of(sighting.choices, lead, choice.label)
    return replace(sighting, deck=choice.deck, identity=identity)
