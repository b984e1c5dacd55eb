"""What people said that pieces are, for as long as these lie there.

A piece is known by the id that the eye gave it. Where the table was read anew (a bump,
another process) ids are new: a piece that is read as before at the same place is then
the same piece.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from companion.corrections import AS_SEEN, NO_CARD, state_of
from companion.reader import area_px2, centre_px
from vision.types import Observation, Placement

NEAR, STAYS = 0.25, 0.15
"""At the same place: so far away at most, as a share of the piece's size; and what was
answered of a place holds no farther."""


@dataclass(frozen=True, slots=True)
class Named:
    """What one piece is, and how and where it was seen."""

    value: str
    """A label, or `corrections.FACE_DOWN` or `NO_CARD`."""
    seen: str
    x_px: float
    y_px: float
    size_px: float

    @classmethod
    def of(cls, placement: Placement, value: str) -> Named:
        """Return a placement with what a person said of it."""
        x_px, y_px = centre_px(placement.quad_px)
        size_px = math.sqrt(area_px2(placement.quad_px))
        return cls(value, state_of(placement), x_px, y_px, size_px)

    def is_at(self, placement: Placement) -> bool:
        """Return whether a placement is read as this one was, at the same place."""
        return self.is_near(placement, NEAR) and state_of(placement) == self.seen

    def is_near(self, placement: Placement, share: float) -> bool:
        """Return whether a placement lies nearer than that share of its size."""
        x_px, y_px = centre_px(placement.quad_px)
        return math.dist((x_px, y_px), (self.x_px, self.y_px)) < share * self.size_px


@dataclass(slots=True)
class Names:
    """The pieces of one table of which people said what they are."""

    _named: dict[str, Named] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, str]:
        """Return piece -> what it is."""
        return {piece: named.value for piece, named in self._named.items()}

    def say(self, placement: Placement, value: str) -> None:
        """Take a piece for what a person says; `AS_SEEN` takes that back."""
        if value == AS_SEEN:
            self._named.pop(placement.id, None)
        else:
            self._named[placement.id] = Named.of(placement, value)

    def follow(self, observation: Observation) -> None:
        """Forget the pieces that have gone; know those again that have new ids."""
        lying = {placement.id: placement for placement in observation.placements}
        fresh = [p for p in lying.values() if p.id not in self._named]
        found: dict[str, Named] = {}
        for piece, named in self._named.items():
            now = lying.get(piece) or next((p for p in fresh if named.is_at(p)), None)
            if now is not None:
                found.setdefault(now.id, Named.of(now, named.value))
            elif named.value == NO_CARD:
                found[piece] = named  # what is not there may seem to come again
        self._named = found

    def as_json(self) -> dict[str, Any]:
        """Return plain values that `from_json` reads."""
        return {piece: asdict(named) for piece, named in self._named.items()}

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Self:
        """Return what `as_json` wrote."""
        return cls({piece: Named(**named) for piece, named in written.items()})


class Answers(Names):
    """What people answered of single pieces, for as long as these lie where they lay:
    piece -> ``kind=value`` of the questions ``kind:piece``, one a line."""

    def answer(self, placement: Placement, question: str, value: str) -> None:
        """Keep an answer to a question about one piece; an earlier one to the same
        question is forgotten."""
        kind = question.partition(":")[0]
        before = self.values.get(placement.id, "").splitlines()
        kept = [said for said in before if said.partition("=")[0] != kind]
        self.say(placement, "\n".join((*kept, f"{kind}={value}")))

    def follow(self, observation: Observation) -> None:
        """Forget what was answered of pieces that have gone or moved."""
        lying = {placement.id: placement for placement in observation.placements}
        self._named = {
            piece: named
            for piece, named in self._named.items()
            if piece not in lying or named.is_near(lying[piece], STAYS)
        }
        Names.follow(self, observation)

    @property
    def given(self) -> tuple[tuple[str, str], ...]:
        """Return pairs of a question and its answer."""
        parts = (
            (piece, line.partition("="))
            for piece, said in self.values.items()
            for line in said.splitlines()
        )
        return tuple((f"{kind}:{piece}", value) for piece, (kind, _, value) in parts)
