"""What the pieces of one table are called, whichever eye looks at it.

An eye numbers what it finds from 1; another one (the server was started again, the eye
died) does so anew. Moves, questions and what people said go by these names, so a piece
that is read as before where it lay keeps the name it had, and all others get new ones.
What lay below such a piece lies there still: nobody lays a card under another one. Of
it a strip shows at most, which another eye may overlook, or cannot name. So does what a
hand hides since the eye began: it lies where it lay until its place is seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from companion.corrections import state_of
from companion.reader import area_px2, centre_px
from companion.watching.asked import put_below
from companion.watching.messages import Seen
from vision.quads import common_px2
from vision.types import Placement
from vision.unseen import Unseen

NEAR = 0.25
"""At the same place: so far away at most, as a share of the piece's size."""
HIDDEN = 0.1
"""Of a piece, not seen yet: more, and not to see it says nothing."""
COVERS = 0.05
"""So much of a piece another one lies on, at least, to hold it down."""


@dataclass(slots=True)
class Called:
    """The names of one table's pieces, eye after eye."""

    eyes: int = 1
    """How many have looked so far; the names of the first one stand as they are."""
    _names: dict[str, str] = field(default_factory=dict)
    """What this eye calls a piece -> what it is called."""
    _below: dict[str, tuple[Placement, frozenset[str]]] = field(default_factory=dict)
    """What earlier eyes saw below known pieces, and which these are."""
    _was: tuple[Placement, ...] = ()
    """What the eye before this one saw last."""
    _has_seen: bool = False
    """This eye has told what lies there."""
    _hidden: dict[str, Placement] = field(default_factory=dict)
    """What lay where this eye has not looked yet, or not without a hand."""
    _half_seen: dict[str, Placement] = field(default_factory=dict)
    """What could not be read again yet, for a hand is on it."""

    def begin(self) -> None:
        """Another eye looks from now on, if this one has seen anything."""
        if self._has_seen:
            self.eyes, self._has_seen = self.eyes + 1, False
            self._names.clear()
            self._below.clear()
            self._hidden.clear()
            self._half_seen.clear()

    def known(self, seen: Seen, before: Seen | None) -> tuple[Seen, Seen | None]:
        """Return what an eye sees under the names that these pieces had `before`, and
        that with millimetres as this eye measures them."""
        is_first, self._has_seen = not self._has_seen, True
        if self.eyes == 1:
            return seen, before
        view, lying = seen.view, seen.view.observation.placements
        if is_first and before is not None:
            self._was = before.view.observation.placements
            self._hidden = {one.id: one for one in self._was}
        is_beginning = bool(self._hidden)
        if is_beginning:
            self._recognise(lying, view.unseen)
        known = {self._names.get(one.id, "") for one in lying} | self._hidden.keys()
        if is_beginning:
            self._below = _held_down(self._was, known)
        self._below = {
            id_: (one, over & known)
            for id_, (one, over) in self._below.items()
            if over & known
        }
        named = tuple(self._named(one) for one in lying)
        was = _measured_anew(self._was, {one.id: one for one in named})
        ids = {one.id for one in named}
        lie_still = self._below.keys() | self._hidden.keys()
        unseen = [one for one in was if one.id in lie_still - ids]
        observation = put_below(
            replace(view.observation, placements=named), unseen, was
        )
        changes = tuple((self._name(id_), what) for id_, what in view.changes)
        view = replace(view, observation=observation, changes=changes)
        if is_first and before is not None:
            before = _with(before, was)
        return replace(seen, view=view), before

    def _recognise(self, lying: Sequence[Placement], unseen: Unseen | None) -> None:
        """Know again what this eye has begun to see."""
        new = [one for one in lying if one.id not in self._names]
        self._names |= _known_again(new, self._hidden.values())
        self._half_seen.clear()
        for now in lying:
            if now.identity.label is None and _is_unseen(now, unseen, 0.0):
                self._recognise_half(now)
        found = set(self._names.values())
        self._hidden = {
            id_: one
            for id_, one in self._hidden.items()
            if id_ in self._half_seen
            or (id_ not in found and one.visible > 0 and _is_unseen(one, unseen))
        }

    def _recognise_half(self, now: Placement) -> None:
        """Take what a hand is on for what lay there."""
        for id_, one in self._hidden.items():
            is_it = self._names.get(now.id) == id_
            is_free = now.id not in self._names and id_ not in self._names.values()
            if (is_it or is_free) and _may_be(one, now):
                self._names[now.id], self._half_seen[id_] = id_, one
                return

    def _named(self, placement: Placement) -> Placement:
        """Return a piece under its name; one below others is what it was."""
        if placement.id not in self._names:
            for id_, (one, _) in self._below.items():
                is_taken = id_ in self._names.values()
                if not is_taken and _may_be(one, placement):
                    self._names[placement.id] = id_
                    break
        name = self._name(placement.id)
        was = {id_: one for id_, (one, _) in self._below.items()} | self._half_seen
        if name in was and placement.identity.label is None:
            known = was[name]
            placement = replace(placement, identity=known.identity, deck=known.deck)
        return replace(placement, id=name)

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


def _is_unseen(
    placement: Placement, unseen: Unseen | None, share: float = HIDDEN
) -> bool:
    """Return whether more than a share of a piece's place has not been seen yet."""
    return unseen is not None and unseen.share(np.array(placement.quad_px)) > share


def _with(seen: Seen, placements: tuple[Placement, ...]) -> Seen:
    observation = replace(seen.view.observation, placements=placements)
    return replace(seen, view=replace(seen.view, observation=observation))


def _measured_anew(
    before: Sequence[Placement], known: Mapping[str, Placement]
) -> tuple[Placement, ...]:
    """Return earlier pieces with positions in this eye's millimetres, whose origin may
    be another: as the `known` ones have moved, by name; none where it has none."""
    pairs = []
    for one in before:
        was, now = one.position, known[one.id].position if one.id in known else None
        if was is not None and now is not None:
            pairs.append((was, now))
    if not pairs:
        return tuple(replace(one, position=None) for one in before)
    old = np.array([complex(was.x_mm, was.y_mm) for was, _ in pairs])
    new = np.array([complex(now.x_mm, now.y_mm) for _, now in pairs])
    turn = complex(np.vdot(old - old.mean(), new - new.mean()))
    turn = turn / abs(turn) if len(pairs) > 1 and abs(turn) else 1 + 0j
    moved = []
    for one in before:
        at = one.position
        if at is not None:
            there = (complex(at.x_mm, at.y_mm) - old.mean()) * turn + new.mean()
            turned_deg = at.angle_deg + math.degrees(math.atan2(turn.imag, turn.real))
            at = replace(at, x_mm=there.real, y_mm=there.imag, angle_deg=turned_deg)
        moved.append(replace(one, position=at))
    return tuple(moved)


def _held_down(
    before: Sequence[Placement], known: set[str]
) -> dict[str, tuple[Placement, frozenset[str]]]:
    """Return what could be seen of pieces below known ones, and which these are."""
    found = {}
    for one in before:
        over = frozenset(
            other.id
            for other in before
            if other.id in known and other.order > one.order and _covers(other, one)
        )
        if over and one.visible > 0:
            found[one.id] = one, over
    return found


def _covers(upper: Placement, lower: Placement) -> bool:
    common = common_px2(np.array(upper.quad_px), np.array(lower.quad_px))
    return common > COVERS * area_px2(lower.quad_px)


def _may_be(one: Placement, now: Placement) -> bool:
    """Return whether what is seen may be a piece of which a strip shows."""
    is_read = state_of(now) in ("", state_of(one)) and one.kind is now.kind
    return is_read and _apart(one, now) < NEAR


def _apart(one: Placement, other: Placement) -> float:
    """Return how far apart two pieces lie, as a share of the first one's size."""
    size_px = math.sqrt(area_px2(one.quad_px))
    return math.dist(centre_px(one.quad_px), centre_px(other.quad_px)) / size_px
