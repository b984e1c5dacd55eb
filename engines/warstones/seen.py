"""What one look shows, in the words of the state."""

from __future__ import annotations

from dataclasses import dataclass

from engines.core import Seat
from engines.warstones.resolve import Resolved


@dataclass(frozen=True, slots=True)
class Seen:
    """What one look shows, in the words of the state."""

    chips: tuple[Resolved, ...]
    tokens: tuple[tuple[str, str], ...]
    """City space -> the token that was read on it."""
    counters: tuple[tuple[Seat, int], ...]
    """Seat -> the number that its action counter shows."""

    def token(self, city: str) -> str | None:
        """Return the token that was read on a Fortress."""
        return dict(self.tokens).get(city)
