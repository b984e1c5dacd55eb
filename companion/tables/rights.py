"""Who may do what on the page: everything that is not granted here is refused.

The roles are those of issue 7: a spectator reads, a player answers what is asked of
their own seat, the owner runs the table, a referee rules, an organiser runs the hall.
Two more belong to the house: its keeper, who sits at the machine that serves the page
(or used the key that `arbitro serve` printed), and the phone that somebody let film.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What somebody is at one table, or in the whole house."""

    NOBODY = "nobody"
    SPECTATOR = "spectator"
    PLAYER = "player"
    OWNER = "owner"
    REFEREE = "referee"
    ORGANISER = "organiser"
    KEEPER = "keeper"
    """Runs this installation: cameras, mats, decks, kits."""
    CAMERA = "camera"
    """A phone that may send the pictures of its camera."""


class Act(StrEnum):
    """What can be asked of the server."""

    ENTER = "enter"
    """See what is no secret: home, rules, prints; sign in, join by a code."""
    PHOTO = "photo"
    """Have a picture of one's own read; nothing of anybody else is shown."""
    KEYED = "keyed"
    """What a secret of its own opens: the address of a result, a camera's key."""
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
    EVIDENCE = "evidence"
    """Take the pictures and rulings of a moment away, signed."""
    WATCH = "watch"
    """Let a camera follow the table, and stop it."""
    RULE = "rule"
    """Overrule what Arbitro decided."""
    OPEN = "open"
    """Start a new table."""
    STAFF = "staff"
    """Name referees and organisers."""
    FILM = "film"
    """Send the pictures of one's camera."""
    SETUP = "setup"
    """See and change what this installation is made of: cameras, mats, decks, kits."""


_STAFF = frozenset({Role.REFEREE, Role.ORGANISER})
_HOSTS = _STAFF | {Role.OWNER, Role.KEEPER}
_SEATED = _HOSTS | {Role.PLAYER}
GRANTED: Mapping[Act, frozenset[Role]] = {
    Act.ENTER: frozenset(Role),
    Act.PHOTO: frozenset(Role),
    Act.KEYED: frozenset(Role),
    Act.LOOK: _SEATED | {Role.SPECTATOR},
    Act.ANSWER: _SEATED,
    Act.MOVE: _SEATED,
    Act.CORRECT: _SEATED,
    Act.DISPUTE: _SEATED,
    Act.INVITE: _HOSTS,
    Act.EVIDENCE: _HOSTS,
    Act.WATCH: _HOSTS,
    Act.RULE: frozenset({Role.REFEREE}),
    Act.OPEN: _STAFF | {Role.KEEPER},
    Act.STAFF: frozenset({Role.ORGANISER}),
    Act.FILM: _STAFF | {Role.KEEPER, Role.CAMERA},
    Act.SETUP: frozenset({Role.KEEPER, Role.ORGANISER}),
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
        if self.roles & {Role.OWNER, Role.KEEPER}:
            return str(Role.OWNER)
        return str(Role.SPECTATOR)

    @property
    def only_watches(self) -> bool:
        """Return whether somebody asks who neither plays nor runs the table."""
        return not self.seats and not self.is_host

    @property
    def is_host(self) -> bool:
        """Return whether somebody asks who runs the table."""
        return bool(self.roles & _HOSTS)
