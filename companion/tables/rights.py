"""Who may do what at a table: everything that is not granted here is refused.

The roles are those of issue 7: a spectator reads, a player answers what is asked of
their own seat, the owner runs the table, a referee rules, an organiser runs the hall.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What somebody is at one table."""

    NOBODY = "nobody"
    SPECTATOR = "spectator"
    PLAYER = "player"
    OWNER = "owner"
    REFEREE = "referee"
    ORGANISER = "organiser"


class Act(StrEnum):
    """What can be asked of the server."""

    ENTER = "enter"
    """See the list, sign in, join by a code."""
    LOOK = "look"
    """See a table: state, events, pictures."""
    ANSWER = "answer"
    """Answer a question that one may see."""
    MOVE = "move"
    """Enter a move by hand, or send a picture of the table."""
    CORRECT = "correct"
    """Put right what was misread; take a move back."""
    DISPUTE = "dispute"
    """Ask for the pictures of a moment to be kept."""
    INVITE = "invite"
    """Show the keys of the seats, free a seat, close the table."""
    RULE = "rule"
    """Overrule what Arbitro decided."""
    OPEN = "open"
    """Start a new table."""
    STAFF = "staff"
    """Name referees and organisers."""


_STAFF = frozenset({Role.REFEREE, Role.ORGANISER})
_HOSTS = _STAFF | {Role.OWNER}
_SEATED = _HOSTS | {Role.PLAYER}
GRANTED: Mapping[Act, frozenset[Role]] = {
    Act.ENTER: frozenset(Role),
    Act.LOOK: _SEATED | {Role.SPECTATOR},
    Act.ANSWER: _SEATED,
    Act.MOVE: _SEATED,
    Act.CORRECT: _SEATED,
    Act.DISPUTE: _SEATED,
    Act.INVITE: _HOSTS,
    Act.RULE: frozenset({Role.REFEREE}),
    Act.OPEN: _STAFF,
    Act.STAFF: frozenset({Role.ORGANISER}),
}
CONFIRMED = frozenset({Act.RULE, Act.STAFF})
"""Acts that need the secret again, at most `CONFIRM_S` ago."""
CONFIRM_S = 300.0


@dataclass(frozen=True, slots=True)
class Standing:
    """What one visitor is, at one table or at none."""

    visitor: int | None = None
    roles: frozenset[Role] = frozenset({Role.NOBODY})
    seats: frozenset[int] = frozenset()
    person: str = ""
    """The name of a referee or organiser who signed in."""
    confirmed_s: float | None = None
    """Seconds since the secret was last given; `None`: never."""
    is_open_house: bool = False
    """Nobody runs this hall: as at home, whoever is on the page may open a table."""

    @property
    def is_confirmed(self) -> bool:
        """Return whether the secret was given a short time ago."""
        return self.confirmed_s is not None and 0 <= self.confirmed_s <= CONFIRM_S

    @property
    def is_staff(self) -> bool:
        """Return whether a referee or organiser asks."""
        return bool(self.roles & _STAFF)

    def may(self, act: Act) -> bool:
        """Return whether an act is granted to one of the roles; see `is_confirmed`."""
        if act is Act.OPEN and self.is_open_house:
            return True
        return bool(self.roles & GRANTED[act])

    @property
    def actor(self) -> str:
        """Return who this is in the records of a table: ``referee Ada``, ``seat 2``."""
        if self.person:
            role = Role.REFEREE if Role.REFEREE in self.roles else Role.ORGANISER
            return f"{role} {self.person}"
        if self.seats:
            return f"seat {min(self.seats) + 1}"
        return str(Role.OWNER) if Role.OWNER in self.roles else str(Role.SPECTATOR)
