"""What the pieces of one table are called, whichever eye looks at it.

An eye numbers what it finds from 1; another one (the server was started again, the eye
died) does so anew. Moves, questions and what people said go by these names, so a piece
that is read as before where it lay keeps the name it had, and all others get new ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from companion.corrections import state_of
from companion.reader import area_px2, centre_px
from companion.watching.messages import Seen
from vision.types import Placement

NEAR = 0.25
"""At the same place: so far away at most, as a share of the piece's size."""


@dataclass(slots=True)
class Called:
    """The names of one table's pieces, eye after eye."""

    eyes: int = 1
    """How many have looked so far; the names of the first one stand as they are."""
    _names: dict[str, str] = field(default_factory=dict)
    """What this eye calls a piece -> what it is called."""
    _has_seen: bool = False
    """This eye has told what lies there."""

    def begin(self) -> None:
        """Another eye looks from now on, if this one has seen anything."""
        if self._has_seen:
            self.eyes, self._has_seen = self.eyes + 1, False
            self._names.clear()

    def known(self, seen: Seen, before: Seen | None) -> Seen:
        """Return what an eye sees under the names that these pieces had `before`."""
        is_first, self._has_seen = not self._has_seen, True
        if self.eyes == 1:
            return seen
        view = seen.view
        lying = view.observation.placements
        if is_first and before is not None:
            self._names |= _known_again(lying, before.view.observation.placements)
        observation = replace(
            view.observation,
            placements=tuple(replace(one, id=self._name(one.id)) for one in lying),
        )
        changes = tuple((self._name(id_), what) for id_, what in view.changes)
        return replace(
            seen, view=replace(view, observation=observation, changes=changes)
        )

    def _name(self, id_: str) -> str:
        return self._names.setdefault(id_, f"{id_}e{self.eyes}")

    def as_json(self) -> dict[str, Any]:
        """Return plain values that `from_json` reads; by then another eye looks."""
        return {"eyes": self.eyes, "has_seen": self._has_seen}

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Self:
        """Return what `as_json` wrote."""
        return cls(int(written["eyes"]), _has_seen=bool(written["has_seen"]))


def _known_again(
    lying: Iterable[Placement], before: Iterable[Placement]
) -> dict[str, str]:
    """Return which of the pieces that lie there now was which: read as before, at the
    same place; where several may be, the nearest."""
    was = [one for one in before if one.visible > 0]
    pairs = sorted(
        (_apart(one, now), one.id, now.id)
        for now in lying
        for one in was
        if state_of(one) == state_of(now) and one.kind is now.kind
    )
    found: dict[str, str] = {}
    for apart, old, new in pairs:
        if apart < NEAR and new not in found and old not in found.values():
            found[new] = old
    return found


def _apart(one: Placement, other: Placement) -> float:
    """Return how far apart two pieces lie, as a share of the first one's size."""
    size_px = math.sqrt(area_px2(one.quad_px))
    return math.dist(centre_px(one.quad_px), centre_px(other.quad_px)) / size_px
