"""What people are asked about stays in view until somebody answers.

A card may be covered while a question about it is open: what comes on top of it must
not be explained as if it were not there.
"""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import replace

from companion.watching.messages import Seen

TAKEN = frozenset({"gone", "uncovered", "moved"})
"""What happens to a piece that is not hidden by another one."""


def with_asked(seen: Seen, before: Seen | None, asked: Container[str]) -> Seen:
    """Return what is seen now with those pieces that are `asked` about, were seen
    before and have been covered since: above what they lay on, below what lay on them
    and what came."""
    if before is None:
        return seen
    view = seen.view
    lying = sorted(view.observation.placements, key=lambda p: p.order)
    shown = {placement.id for placement in lying}
    taken = {id_ for id_, what in view.changes if what in TAKEN}
    was = sorted(before.view.observation.placements, key=lambda p: p.order)
    height = {one.id: number for number, one in enumerate(was)}
    hidden = [one for one in was if one.id in asked and one.id not in shown | taken]
    if not hidden:
        return seen
    for one in hidden:
        is_below = [height.get(other.id, math.inf) < height[one.id] for other in lying]
        lower = [other for other, is_so in zip(lying, is_below, strict=True) if is_so]
        upper = [o for o, is_so in zip(lying, is_below, strict=True) if not is_so]
        lying = [*lower, replace(one, visible=0.0), *upper]
    together = tuple(replace(one, order=n) for n, one in enumerate(lying))
    observation = replace(view.observation, placements=together)
    return replace(seen, view=replace(view, observation=observation))
