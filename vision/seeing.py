"""What a tracker must know of the picture that was read, as the gate tells it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from vision.cells import Mask
from vision.gate import Gate
from vision.settle import LARGEST_ARM
from vision.tracks import Sight
from vision.types import Array, Kind, Observation, Placement


def sight_of(
    at_s: float,
    gate: Gate,
    looked: Callable[[Array], bool],
    hidden: Mask,
    resting: Mask,
    laid_px: Sequence[Array] = (),
) -> Sight:
    """Return what is known of a picture taken at `at_s` on the source's clock, of which
    the quads were read that are `looked` at; what changed there has the shape of cards
    in `laid_px`."""
    first_s = at_s - gate.now_s
    return Sight(
        at_s,
        looked,
        lambda quad: gate.share(hidden, quad),
        lambda quad: gate.share(gate.changed, quad),
        lambda quad: first_s + gate.moved_at_s(quad),
        lambda quad: gate.share(resting, quad),
        lambda quad: gate.share(gate.glare, quad),
        gate.patch,
        tuple(laid_px),
    )


def apart_from_hands(
    seen: Sequence[Placement], gate: Gate
) -> tuple[list[Placement], Mask]:
    """Return what was seen without cards that nobody could name where there may be a
    hand that nobody knows yet, and the cells of these: they are looked at again."""
    half_seen = np.zeros(gate.doubtful.shape, bool)
    kept = []
    for placement in seen:
        quad = np.array(placement.quad_px)
        is_vague = placement.kind is Kind.CARD and placement.identity.label is None
        if is_vague and gate.share(gate.doubtful, quad) > 0:
            half_seen |= gate.cells(quad)
        else:
            kept.append(placement)
    return kept, half_seen


def hands_on(observation: Observation, gate: Gate) -> Mask:
    """Return the cells below the hands that were read, but for what is too large."""
    hands = np.zeros(gate.moving.shape, bool)
    for placement in observation.placements:
        if placement.kind is Kind.HAND:
            cells = gate.cells(np.array(placement.quad_px))
            if cells.sum() < LARGEST_ARM * cells.size:
                hands |= cells
    return hands
