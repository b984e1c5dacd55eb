"""The state of a Frenzy match: what is known of every card, and who must act."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from engines.core import Seat
from engines.frenzy.cards import SEATS, ZONES, Card, Owned, Region, Zone, other
from engines.frenzy.options import House, Options
from engines.frenzy.resolution import Piles, Resolution, Spoils


class Phase(StrEnum):
    """Where a match stands."""

    LOT = "lot"
    """Nobody has drawn lots for the First Player yet."""
    TURN = "turn"
    """The next Battlefield card must be turned."""
    READY = "ready"
    """The card is turned, the countdown is awaited."""
    BATTLE = "battle"
    ENDED = "ended"
    """A round has ended; the table lies as it is, doubts are settled."""
    SPOILS = "spoils"
    """The round is being resolved: choices and picks are due."""
    OVER = "over"


class Cause(StrEnum):
    """What ended a round (4.2)."""

    LAST_CARD = "last_card"
    THIRD_HERO = "third_hero"
    EMPTY_DECK = "empty_deck"
    """FZ-R23: there was no card to begin with."""
    FOUL = "foul"
    """A claim was answered with "the round is lost"."""


class FoulCode(StrEnum):
    """The fouls of section 4.4; F-A, a disturbed pile, is a claim of its own."""

    EARLY = "F-B"
    SECOND_DRAW = "F-C"
    TAKEN_BACK = "F-D"
    WARRIOR_IN_HQ = "F-E"
    FOREIGN_REGION = "F-F"
    NOT_COVERED = "F-G"
    MISCOUNT = "F-H"
    LATE = "F-I"


@dataclass(frozen=True, slots=True)
class Laid:
    """A card in a region; `time_ms` is its release (while touched: its laying)."""

    card: Card
    time_ms: int
    piece: str | None = None
    """Id of the piece that the camera follows, to tell two cards of one face apart."""


LaidPile: TypeAlias = tuple[Laid, ...]
"""From the top."""
EMPTY: tuple[LaidPile, ...] = ((),) * len(ZONES)


@dataclass(frozen=True, slots=True)
class Player:
    """One player's cards."""

    deck: int | None
    """Cards face down; `None` where nobody has counted (base game, 1)."""
    holds: bool = False
    """A card is drawn and not laid yet; nobody but the player knows its face."""
    touching: Zone | None = None
    """The region whose top card still has the player's hand on it."""
    piles: tuple[LaidPile, ...] = EMPTY
    score: tuple[Owned, ...] = ()
    removed: tuple[Owned, ...] = ()
    moved_ms: int = 0
    """Time of the player's last act in this round."""

    def pile(self, zone: Zone) -> LaidPile:
        """Return the pile of `zone` from the top."""
        return self.piles[zone.slot]

    def top(self, zone: Zone) -> Card | None:
        """Return the top card, `None` for an empty pile."""
        pile = self.pile(zone)
        return pile[0].card if pile else None

    @property
    def heroes(self) -> int:
        """Return how many released Heroes lie in the HQ."""
        pile = self.pile(Zone.HQ)
        released = pile[1:] if self.touching is Zone.HQ else pile
        return sum(laid.card.is_hero for laid in released)

    @property
    def points(self) -> int:
        """Return the value of the score pile (5.4)."""
        return sum(owned.card.points for owned in self.score)

    def with_pile(self, zone: Zone, pile: LaidPile) -> Player:
        """Return the player with another pile in `zone`."""
        i = zone.slot
        return replace(self, piles=(*self.piles[:i], pile, *self.piles[i + 1 :]))

    def with_deck(self, change: int) -> Player:
        """Return the player with so many cards more in the deck, if it is counted."""
        if self.deck is None:
            return self
        assert self.deck + change >= 0
        return replace(self, deck=self.deck + change)

    def last_release(self) -> Zone | None:
        """Return the region that the player let a card go on last, in this round."""
        tops = [
            (pile[0].time_ms, -zone.slot, zone)
            for zone, pile in zip(ZONES, self.piles, strict=True)
            if pile and zone is not self.touching
        ]
        return max(tops)[2] if tops else None


@dataclass(frozen=True, slots=True)
class Returned:
    """A touched card that went back to its deck (4.3); no zone: it was in the hand."""

    seat: Seat
    zone: Zone | None = None
    laid: Laid | None = None


@dataclass(frozen=True, slots=True)
class End:
    """Who ended the round, when, and by which card (`zone`)."""

    seat: Seat
    time_ms: int
    cause: Cause
    zone: Zone | None = None
    returned: tuple[Returned, ...] = ()
    is_settled: bool = False
    """No late report is taken any more."""


@dataclass(frozen=True, slots=True)
class Race:
    """A release too close to the end of the round: its card lies in no pile."""

    seat: Seat
    zone: Zone
    laid: Laid


@dataclass(frozen=True, slots=True)
class Foul:
    """A foul on record in this round."""

    seat: Seat
    code: FoulCode
    time_ms: int
    card: Card | None = None
    is_claimed: bool = False


@dataclass(frozen=True, slots=True)
class Copied:
    """The Bodyguard on Battlefield `number` duplicates the top card of `source`."""

    seat: Seat
    number: int
    source: int


@dataclass(frozen=True, slots=True)
class Report:
    """How a finished round was resolved, in that order."""

    round: int
    spoils: tuple[Spoils, ...]


@dataclass(frozen=True, slots=True)
class State:
    """A whole match; `piles` and hands of both players, doubts and open claims."""

    options: Options
    players: tuple[Player, Player]
    house: House
    phase: Phase = Phase.LOT
    first: Seat | None = None
    round: int = 0
    """Number of Battlefield cards that show orange."""
    clock_ms: int = 0
    """The latest time of any move."""
    end: End | None = None
    race: Race | None = None
    upset: Region | None = None
    """The pile that was disturbed, while nobody has said by whom: time stands still."""
    fouls: tuple[Foul, ...] = ()
    claim: Foul | None = None
    lost_by: Seat | None = None
    """Who lost this round by a claim."""
    copies: tuple[Copied, ...] = ()
    resolution: Resolution | None = None
    reports: tuple[Report, ...] = ()
    loser: Seat | None = None
    """Who lost the match by foul F-A."""

    def with_player(self, seat: Seat, player: Player) -> State:
        """Return the state with another `player` at `seat`."""
        players = (
            (player, self.players[1]) if seat == SEATS[0] else (self.players[0], player)
        )
        return replace(self, players=players)

    @property
    def second(self) -> Seat | None:
        """Return the Second Player, who counts down."""
        return None if self.first is None else other(self.first)

    @property
    def stated_first(self) -> tuple[Seat, Seat]:
        """Return the seats in the order in which they state their choices (FZ-R11)."""
        first = SEATS[0] if self.first is None else self.first
        return first, other(first)

    @property
    def score_piles(self) -> Piles:
        """Return both score piles, also in the middle of a resolution."""
        if self.resolution is not None:
            return self.resolution.piles
        return self.players[0].score, self.players[1].score

    def cards_of(self, owner: Seat) -> Iterator[Card]:
        """Yield all cards of `owner`'s deck that have been seen."""
        for pile in self.players[owner].piles:
            yield from (laid.card for laid in pile)
        if self.race is not None and self.race.seat == owner:
            yield self.race.laid.card
        for player in self.players:
            for owned in player.score + player.removed:
                if owned.owner == owner:
                    yield owned.card


def initial(options: Options) -> State:
    """Return the state before the first move."""
    first, second = (Player(options.deck_size(seat)) for seat in SEATS)
    phase = Phase.LOT if options.first is None else Phase.TURN
    return State(options, (first, second), options.house, phase, options.first)
