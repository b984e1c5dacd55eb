"""What people are asked about stays in view until somebody answers.

A card may be covered while a question about it is open: what comes on top of it must
not be explained as if it were not there.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import replace

from companion.watching.messages import Seen
from vision.types import Observation, Placement

TAKEN = frozenset({"gone", "uncovered", "moved"})
"""What happens to a piece that is not hidden by another one."""


def with_asked(seen: Seen, before: Seen | None, asked: Container[str]) -> Seen:
    """Return what is seen now with those pieces that are `asked` about, were seen
    before and have been covered since: above what they lay on, below what lay on them
    and what came."""
    if before is None:
        return seen
    view = seen.view
    shown = {placement.id for placement in view.observation.placements}
    taken = {id_ for id_, what in view.changes if what in TAKEN}
    was = before.view.observation.placements
    hidden = [
        replace(one, visible=0.0)
        for one in was
        if one.id in asked and one.id not in shown | taken
    ]
    if not hidden:
        return seen
    observation = put_below(view.observation, hidden, was)
    return replace(seen, view=replace(view, observation=observation))


def put_below(
    observation: Observation, hidden: Sequence[Placement], was: Sequence[Placement]
) -> Observation:
    """Return an observation with some pieces more, each above what it lay on (`was`),
    and below what lay on it and what is new."""
    if not hidden:
        return observation
    height = {one.id: n for n, one in enumerate(sorted(was, key=lambda p: p.order))}
    lying = sorted(observation.placements, key=lambda p: p.order)
    for one in sorted(hidden, key=lambda p: height[p.id]):
        is_below = [height.get(p.id, math.inf) < height[one.id] for p in lying]
        lower = [p for p, is_so in zip(lying, is_below, strict=True) if is_so]
        upper = [p for p, is_so in zip(lying, is_below, strict=True) if not is_so]
        lying = [*lower, one, *upper]
    together = tuple(replace(one, order=n) for n, one in enumerate(lying))
    return replace(observation, placements=together)
