"""The state of a game: rows of Bases, players, and what is still disputed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engines.brawl.deck import Deck
from engines.brawl.faces import FREEZES_PER_DECK, Face
from engines.brawl.options import Mode, Options
from engines.brawl.place import Pair, Place, Source
from engines.core import Seat

MAX_BASES = 3
"""Bases in play at once between two players."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A card in play and the seat whose deck it comes from."""

    card: Face
    by: Seat


@dataclass(frozen=True, slots=True)
class Base:
    """A Base with both its chains, each listed from the Base outwards."""

    id: int
    """Stays the same while the row grows and shrinks around it."""
    owner: Seat
    first: tuple[Laid, ...] = ()
    second: tuple[Laid, ...] = ()
    freezes: tuple[Laid, ...] = ()
    """One at most, unless a foul was let stand."""

    @property
    def is_frozen(self) -> bool:
        """Return whether a Freeze lies on the Base."""
        return bool(self.freezes)


@dataclass(frozen=True, slots=True)
class Moment:
    """The cards of one row at one instant."""

    bases: tuple[Base, ...]
    """From the left to the right of the pair's first player."""
    gone: tuple[Laid, ...] = ()
    """Cards that Clears have taken out of the game, and those Clears."""

    @property
    def is_frozen(self) -> bool:
        """Return whether every Base in play is frozen."""
        return bool(self.bases) and all(base.freezes for base in self.bases)

    def index(self, base: int) -> int | None:
        """Return the position of the Base with that id, `None` if it is not there."""
        for index, held in enumerate(self.bases):
            if held.id == base:
                return index
        return None


@dataclass(frozen=True, slots=True)
class Landed:
    """A card that has touched the table: whose, where from, where to, when."""

    seat: Seat
    card: Face
    place: Place
    """With the position of the Base at that moment."""
    source: Source
    base: int
    """Id of the Base it went to; of the new one, for a Base."""
    time_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Incident:
    """A foul that lies on the table, or a card that claims to have been first."""

    card: Landed
    before: Moment
    """The row as it was before the card, and before the rival's card."""
    rival: Landed | None = None
    """The card that counts as first until it is settled; `None` for a foul."""
    later: tuple[Landed, ...] = ()
    """What has landed in the row since."""
    turn: Seat | None = None
    """Whose turn it was, in Training."""


@dataclass(frozen=True, slots=True)
class Row:
    """The Bases between two neighbours."""

    pair: Pair
    cards: Moment
    next_id: int
    last: Landed | None = None
    """The latest card and, in `before_last`, the row before it: for "who was first"."""
    before_last: Moment | None = None
    incident: Incident | None = None
    forfeit: Seat | None = None
    """Who has won the row because the other one forfeited."""

    @property
    def is_finished(self) -> bool:
        """Return whether nothing more can be played here."""
        return self.forfeit is not None or self.cards.is_frozen


@dataclass(frozen=True, slots=True)
class Held:
    """A card in a hand; `card` is `None` while only its holder has seen it."""

    card: Face | None
    source: Source = Source.DECK


@dataclass(frozen=True, slots=True)
class Player:
    """What belongs to one seat outside the rows."""

    deck: Deck | None
    drawn: tuple[Face, ...]
    """Faces seen of this deck, in order; the starting Bases first."""
    pile: tuple[Face, ...] = ()
    """Discards, the top card last."""
    hand: tuple[Held, ...] = ()
    says_empty: bool = False
    """The player has said that a deck of unknown size is used up."""
    is_confirmed: bool = True
    """The number of cards of a deck that was typed in is agreed (B-01)."""

    @property
    def unseen(self) -> int:
        """Return how many cards in the hand only the player has seen."""
        return sum(held.card is None for held in self.hand)

    @property
    def deck_left(self) -> int | None:
        """Return how many cards are in the deck, `None` if that is not known."""
        if self.deck is not None:
            return self.deck.size - len(self.drawn) - self.unseen
        used_up = self.says_empty or self.left(Face.FREEZE) == 0
        return 0 if used_up else None

    def left(self, face: Face) -> int | None:
        """Return how many copies have not been seen yet, `None` if not known."""
        if self.deck is not None:
            return self.deck.copies(face) - self.drawn.count(face)
        if face is Face.FREEZE:
            return FREEZES_PER_DECK - self.drawn.count(face)
        return None


@dataclass(frozen=True, slots=True)
class State:
    """A game at one instant."""

    options: Options
    rows: tuple[Row, ...]
    players: tuple[Player, ...]
    turn: Seat | None = None
    """Whose turn it is, in Training once somebody has been drawn to start."""
    passes: int = 0
    """Forced passes in a row, in Training (B-12)."""
    stuck: tuple[Seat, ...] = ()
    """Who has confirmed that nobody can move, in Tournament (B-12)."""
    block_on_hit2: bool | None = None
    """B-05: `None` while nobody has answered."""
    are_pairs_confirmed: bool = True
    """The list of pairs of a circle is agreed (B-18)."""

    @property
    def is_training(self) -> bool:
        """Return whether players take turns."""
        return self.options.mode is Mode.TRAINING

    @property
    def allows_block_on_hit2(self) -> bool:
        """Return whether a Block may go on a Hit-2 of its colour."""
        return self.block_on_hit2 is not False

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return all seats, clockwise."""
        return tuple(Seat(number) for number in range(len(self.players)))

    def row(self, pair: Pair) -> Row | None:
        """Return the row of that pair, `None` if these two are no neighbours."""
        for row in self.rows:
            if row.pair == pair:
                return row
        return None

    def with_row(self, row: Row) -> State:
        """Return the state with one row exchanged."""
        rows = tuple(row if old.pair == row.pair else old for old in self.rows)
        return replace(self, rows=rows)

    def with_player(self, seat: Seat, player: Player) -> State:
        """Return the state with one player exchanged."""
        players = (*self.players[:seat], player, *self.players[seat + 1 :])
        return replace(self, players=players)


def pairs(players: int) -> tuple[Pair, ...]:
    """Return the neighbours: one pair for two players, else one per player."""
    if players == 2:
        return (Pair(Seat(0), Seat(1)),)
    return tuple(
        Pair(Seat(seat), Seat((seat + 1) % players)) for seat in range(players)
    )


def start(options: Options) -> State:
    """Return the state before the first card: one Base of each player per row."""
    rows = tuple(
        Row(pair, Moment((Base(0, pair.first), Base(1, pair.second))), next_id=2)
        for pair in pairs(options.players)
    )
    bases = 2 if options.is_circle else 1
    players = tuple(
        Player(
            deck,
            drawn=(Face.BASE,) * bases,
            is_confirmed=deck is None or deck.ships,
        )
        for deck in options.decks
    )
    return State(
        options,
        rows,
        players,
        block_on_hit2=options.block_on_hit2,
        are_pairs_confirmed=not options.is_circle,
    )
