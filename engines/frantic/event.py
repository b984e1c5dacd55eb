"""The 34 event cards."""

from __future__ import annotations

from enum import StrEnum

from engines.core import NotationError


class Event(StrEnum):
    """An event; its value is the label of the card."""

    BLACK_HOLE = "E-black-hole"
    CAPITALISM = "E-capitalism"
    CHARITY = "E-charity"
    COMMUNISM = "E-communism"
    CROWDFUNDING = "E-crowdfunding"
    DISTRIBUTOR = "E-distributor"
    DOOMSDAY = "E-doomsday"
    DOUBLE_TAXATION = "E-double-taxation"
    EARTHQUAKE = "E-earthquake"
    EVENT_MANAGER = "E-event-manager"
    EXPANSION = "E-expansion"
    FINISH_LINE = "E-finish-line"
    FRIDAY = "E-friday-the-13th"
    GAMBLING_MAN = "E-gambling-man"
    IDENTITY_THEFT = "E-identity-theft"
    LAST_CHANCE = "E-last-chance"
    MARKET = "E-market"
    MATING_SEASON = "E-mating-season"
    MERRY_CHRISTMAS = "E-merry-christmas"
    MEXICAN_STANDOFF = "E-mexican-standoff"
    PLAGUE = "E-plague"
    PLUS_ONE = "E-plus-one"
    RECESSION = "E-recession"
    REPEAT = "E-repeat"
    ROBIN_HOOD = "E-robin-hood"
    RUSSIAN_ROULETTE = "E-russian-roulette"
    SEPPUKU = "E-seppuku"
    SURPRISE_PARTY = "E-surprise-party"
    ALL_SEEING_EYE = "E-all-seeing-eye"
    THIRD_TIME_LUCKY = "E-third-time-lucky"
    TIME_BOMB = "E-time-bomb"
    TORNADO = "E-tornado"
    TRUST_FALL = "E-trust-fall"
    VANDALISM = "E-vandalism"

    @classmethod
    def parse(cls, text: str) -> Event:
        """Read a label; raise `NotationError` for what is no event."""
        try:
            return cls(text)
        except ValueError as error:
            raise NotationError(
                f"not an event: {text!r}", expected="an event such as E-market"
            ) from error

    @property
    def is_starred(self) -> bool:
        """Return whether the event belongs to the starred ones."""
        return self in STARRED_EVENTS


STARRED_EVENTS = frozenset(
    {
        Event.BLACK_HOLE,
        Event.CAPITALISM,
        Event.CROWDFUNDING,
        Event.DISTRIBUTOR,
        Event.EVENT_MANAGER,
        Event.IDENTITY_THEFT,
        Event.LAST_CHANCE,
        Event.PLAGUE,
        Event.PLUS_ONE,
        Event.REPEAT,
        Event.RUSSIAN_ROULETTE,
        Event.SEPPUKU,
        Event.TRUST_FALL,
    }
)


def events(*, starred: bool) -> tuple[Event, ...]:
    """Return the event cards of the box."""
    return tuple(event for event in Event if starred or not event.is_starred)
