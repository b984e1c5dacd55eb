"""Cards land in a row, and a row is put together again without one of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engines.brawl.chain import fits, placement
from engines.brawl.faces import CardType, Face
from engines.brawl.place import AtEnd, End, OnBase, OnChain, Place, Source
from engines.brawl.state import (
    Base,
    Held,
    Incident,
    Laid,
    Landed,
    Moment,
    Player,
    Row,
    State,
)


def land(moment: Moment, landed: Landed) -> Moment:
    """Return the row with the card in it, legal or not."""
    laid = Laid(landed.card, landed.seat)
    place = landed.place
    match place:
        case AtEnd():
            at = _gap(moment, place.end)
            new = Base(landed.base, landed.seat)
            bases = (*moment.bases[:at], new, *moment.bases[at:])
            return replace(moment, bases=bases)
        case OnBase() if landed.card is Face.CLEAR:
            return _swept(moment, place.base, laid)
        case OnBase():
            base = moment.bases[place.base]
            return _with_base(moment, replace(base, freezes=(*base.freezes, laid)))
        case OnChain():
            base = moment.bases[place.base]
            if place.side == place.pair.first:
                base = replace(base, first=(*base.first, laid))
            else:
                base = replace(base, second=(*base.second, laid))
            return _with_base(moment, base)


def base_id(row: Row, moment: Moment, place: Place) -> int:
    """Return the id of the Base that a card at `place` goes to."""
    return row.next_id if isinstance(place, AtEnd) else moment.bases[place.base].id


def rebuilt(
    moment: Moment, landings: Iterable[Landed], *, block_on_hit2: bool
) -> tuple[Moment, tuple[Landed, ...]]:
    """Return the row after those of `landings` that are legal, and the others.

    Each card goes to the Base and side where it lay, wherever that Base is now.
    """
    returned: list[Landed] = []
    for landed in landings:
        place = relocated(moment, landed)
        if (
            place is None
            or moment.is_frozen
            or fits(moment, landed.card, place)
            or placement(moment, landed.card, place, block_on_hit2=block_on_hit2)
        ):
            returned.append(landed)
        else:
            moment = land(moment, replace(landed, place=place))
    return moment, tuple(returned)


def restored(
    incident: Incident, *, block_on_hit2: bool
) -> tuple[Moment, tuple[Landed, ...]]:
    """Return the row without the foul, and the later cards that cannot stay.

    Those are the cards that lie on the illegal one in its chain, and every other card
    that is legal only because of it.
    """
    foul = incident.card
    on_it = tuple(later for later in incident.later if _same_chain(foul, later))
    others = tuple(later for later in incident.later if later not in on_it)
    moment, returned = rebuilt(incident.before, others, block_on_hit2=block_on_hit2)
    taken = {*on_it, *returned}
    return moment, tuple(later for later in incident.later if later in taken)


def relocated(moment: Moment, landed: Landed) -> Place | None:
    """Return where the card's place is in `moment`; `None` if its Base is not there."""
    if isinstance(landed.place, AtEnd):
        return landed.place
    index = moment.index(landed.base)
    return None if index is None else replace(landed.place, base=index)


def given_back(state: State, cards: Iterable[Landed]) -> State:
    """Return the state with cards back where they came from (B-14), last one first."""
    for landed in reversed(tuple(cards)):
        player = state.players[landed.seat]
        if landed.source is Source.DISCARD:
            player = replace(player, pile=(*player.pile, landed.card))
        else:
            player = replace(player, hand=(*player.hand, Held(landed.card)))
        state = state.with_player(landed.seat, player)
    return state


def spent(player: Player, card: Face, source: Source) -> Player:
    """Return the player without a card that comes from `source`."""
    if source is Source.DECK:
        return replace(player, drawn=(*player.drawn, card))
    if source is Source.DISCARD:
        return replace(player, pile=player.pile[:-1])
    held = held_card(player, card)
    assert held is not None
    hand = list(player.hand)
    hand.remove(held)
    drawn = player.drawn if held.card is not None else (*player.drawn, card)
    return replace(player, hand=tuple(hand), drawn=drawn)


def held_card(player: Player, card: Face) -> Held | None:
    """Return the held card that is, or may turn out to be, `card`."""
    unseen = None
    for held in player.hand:
        if held.card is card:
            return held
        if held.card is None:
            unseen = held
    return unseen


def _gap(moment: Moment, end: End) -> int:
    gaps = {End.LEFT: 0, End.GAP1: 1, End.GAP2: 2, End.GAP3: 3}
    return gaps.get(end, len(moment.bases))


def _with_base(moment: Moment, base: Base) -> Moment:
    bases = tuple(base if old.id == base.id else old for old in moment.bases)
    return replace(moment, bases=bases)


def _swept(moment: Moment, index: int, clear: Laid) -> Moment:
    base = moment.bases[index]
    cards = (Laid(Face.BASE, base.owner), *base.first, *base.second, *base.freezes)
    bases = (*moment.bases[:index], *moment.bases[index + 1 :])
    return Moment(bases, (*moment.gone, *cards, clear))


def _same_chain(foul: Landed, later: Landed) -> bool:
    if foul.card.type is CardType.BASE:
        return later.base == foul.base
    return (
        isinstance(foul.place, OnChain)
        and isinstance(later.place, OnChain)
        and foul.base == later.base
        and foul.place.side == later.place.side
    )
