"""One region, as the state knows it and as the table shows it."""

from __future__ import annotations

from dataclasses import dataclass

from engines.core import Seat
from engines.frenzy.cards import Card, Region, other
from engines.frenzy.moves import Lay, Play
from engines.frenzy.options import Options
from engines.frenzy.snapshot import Pile, Seen
from engines.frenzy.state import Laid, Player


@dataclass(frozen=True, slots=True)
class Spot:
    """One region, in the state and in the snapshot."""

    place: Region
    player: Player
    pile: Pile
    time_ms: int
    options: Options

    @property
    def laid(self) -> tuple[Laid, ...]:
        """Return the pile as the state knows it."""
        return self.player.pile(self.place.zone)

    @property
    def known(self) -> tuple[Card, ...]:
        """Return the faces of the pile as the state knows it."""
        return tuple(laid.card for laid in self.laid)

    @property
    def has_hand(self) -> bool:
        """Return whether the state has the player's hand on the top card."""
        return self.player.touching is self.place.zone


def depth_of(
    laid: tuple[Laid, ...], seen: Seen, pile: Pile, least: int | None = None
) -> int | None:
    """Return which card of the pile this may be, 0 the top; `None` for a new one.

    The id of the piece decides. A card that was covered in between may come back with
    another id, so else the face counts; but one that is itself seen in the `pile`, as
    Heroes side by side in the Headquarters are, is no other card; nor is one that lies
    `least` deep or deeper what lies on a card that is there still.
    """
    for depth, card in enumerate(laid):
        if card.piece == seen.piece:
            return depth
    for depth, card in enumerate(laid[:least]):
        if card.card is seen.card and not _is_seen(card, pile):
            return depth
    return None


def _is_seen(laid: Laid, pile: Pile) -> bool:
    return laid.piece is not None and any(s.piece == laid.piece for s in pile.cards)


def laying(
    seen: Seen, card: Card, place: Region, time_ms: int, options: Options
) -> Lay | Play:
    """Return the move that laid a card there; by the other player, if the card is of
    that deck (F-F)."""
    seat = _who(seen, place.seat, options)
    if seen.touched:
        return Lay(seat, card, place, time_ms, seen.piece)
    return Play(seat, card, place, time_ms, seen.piece)


def _who(seen: Seen, seat: Seat, options: Options) -> Seat:
    own, rival = options.factions[seat], options.factions[other(seat)]
    is_rivals = seen.faction is not None and seen.faction is rival is not own
    return other(seat) if is_rivals else seat
