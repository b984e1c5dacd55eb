"""What may lie on what: one rule per card type (RULES.md, 4.2).

These rules know chains and Bases only; whose card it is and whose turn is in rules.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.brawl.faces import HITS, CardType, Colour, Face
from engines.brawl.place import AtEnd, End, OnBase, OnChain, Pair, Place
from engines.brawl.state import MAX_BASES, Base, Laid, Moment
from engines.core import Objection, RuleRef, Text

LEGALITY = RuleRef("4.2")


def placement(
    moment: Moment, card: Face, place: Place, *, block_on_hit2: bool
) -> Objection | None:
    """Return why the card may not lie there, `None` if it may.

    The place must exist and suit the card (`fits`).
    """
    match place:
        case AtEnd():
            return room_for_base(moment, place.end)
        case OnBase():
            base = moment.bases[place.base]
            if base.is_frozen:
                return frozen(card)
            return may_clear(moment, place.base) if card is Face.CLEAR else None
        case OnChain():
            base = moment.bases[place.base]
            if base.is_frozen:
                return frozen(card)
            chain = [laid.card for laid in side_of(base, place.pair, place)]
            return may_follow(chain, card, block_on_hit2=block_on_hit2)


def fits(moment: Moment, card: Face, place: Place) -> Objection | None:
    """Return why there is no such place, or none that this card can be laid on."""
    suits = {CardType.BASE: AtEnd, CardType.CLEAR: OnBase, CardType.FREEZE: OnBase}
    if not isinstance(place, suits.get(card.type, OnChain)):
        where = {CardType.BASE: "wrong_place_base"}.get(
            card.type, "wrong_place_on_base" if card.type in suits else "wrong_place"
        )
        return Objection(LEGALITY, Text.of(f"brawl.{where}", card=card.text))
    if isinstance(place, AtEnd):
        exists = place.end in ends(moment)
    else:
        exists = place.base < len(moment.bases)
    if exists:
        return None
    return Objection(
        RuleRef("3"), Text.of("brawl.no_such_place", bases=len(moment.bases))
    )


def ends(moment: Moment) -> tuple[End, ...]:
    """Return where a Base could be laid, the illegal gaps included."""
    gaps = (End.GAP1, End.GAP2, End.GAP3)[: max(len(moment.bases) - 1, 0)]
    return (End.LEFT, End.RIGHT, *gaps)


def places(pair: Pair, moment: Moment, card: Face) -> tuple[Place, ...]:
    """Return every place where such a card can be laid, legal or not."""
    if card is Face.BASE:
        return tuple(AtEnd(pair, end) for end in ends(moment))
    numbers = range(len(moment.bases))
    if card in (Face.CLEAR, Face.FREEZE):
        return tuple(OnBase(pair, number) for number in numbers)
    sides = (pair.first, pair.second)
    return tuple(OnChain(pair, number, side) for number in numbers for side in sides)


def side_of(base: Base, pair: Pair, place: OnChain) -> tuple[Laid, ...]:
    """Return the chain on one side of a Base."""
    return base.first if place.side == pair.first else base.second


def frozen(card: Face) -> Objection:
    """Nothing can be played on a frozen Base or on its chains."""
    rule = RuleRef("B-11") if card is Face.FREEZE else LEGALITY
    return Objection(rule, Text.of("brawl.frozen"))


def room_for_base(moment: Moment, end: End) -> Objection | None:
    """A new Base goes to the left or right end, up to three."""
    if len(moment.bases) >= MAX_BASES:
        return Objection(LEGALITY, Text.of("brawl.max3"))
    if end not in (End.LEFT, End.RIGHT):
        return Objection(RuleRef("B-02"), Text.of("brawl.end"))
    return None


def may_clear(moment: Moment, base: int) -> Objection | None:
    """Clear takes neither the only Base nor one in the middle."""
    if len(moment.bases) == 1:
        return Objection(LEGALITY, Text.of("brawl.only_base"))
    if 0 < base < len(moment.bases) - 1:
        return Objection(RuleRef("B-07"), Text.of("brawl.middle"))
    return None


def may_follow(
    chain: Sequence[Face], card: Face, *, block_on_hit2: bool
) -> Objection | None:
    """Return why the card may not go on the end of the chain."""
    if card.type is CardType.BLOCK:
        return block_on_chain(chain, card, block_on_hit2=block_on_hit2)
    return _ON_CHAIN[card.type](chain, card)


def hit_on_chain(chain: Sequence[Face], card: Face) -> Objection | None:
    """A Hit opens an empty side, or goes on its own colour or on a Press."""
    if not chain:
        return None
    top = chain[-1]
    if top.type is CardType.BLOCK:
        return Objection(LEGALITY, Text.of("brawl.on_block"))
    if top.type is CardType.PRESS:
        colour = chain_colour(chain)
        if colour is None or colour is card.colour:
            return None
        return Objection(
            RuleRef("B-04"), Text.of("brawl.chain_colour", colour=_name(colour))
        )
    return same_colour(top, card)


def hit2_on_chain(chain: Sequence[Face], card: Face) -> Objection | None:
    """A Hit-2 goes on a Hit or Hit-2 of its colour and on nothing else."""
    if not chain:
        return Objection(LEGALITY, Text.of("brawl.hit2_on_base"))
    if chain[-1].type not in HITS:
        return Objection(LEGALITY, Text.of("brawl.hit2_on_press_or_block"))
    return same_colour(chain[-1], card)


def block_on_chain(
    chain: Sequence[Face], card: Face, *, block_on_hit2: bool
) -> Objection | None:
    """A Block goes on a Hit of its colour, and on a Hit-2 if B-05 says so."""
    if not chain:
        return Objection(LEGALITY, Text.of("brawl.block_on_base"))
    top = chain[-1]
    if top.type not in HITS:
        return Objection(LEGALITY, Text.of("brawl.block_needs_hit", top=top.text))
    if top.type is CardType.HIT2 and not block_on_hit2:
        return Objection(
            RuleRef("B-05"), Text.of("brawl.block_needs_hit", top=top.text)
        )
    return same_colour(top, card)


def press_on_chain(chain: Sequence[Face], card: Face) -> Objection | None:
    """A Press goes on a Block of any colour."""
    if chain and chain[-1].type is CardType.BLOCK:
        return None
    rule = LEGALITY
    if chain and chain[-1].type is card.type:
        rule = RuleRef("B-06")
    return Objection(rule, Text.of("brawl.press_needs_block"))


def same_colour(top: Face, card: Face) -> Objection | None:
    """Hits and Blocks keep the colour of the card they go on."""
    if top.colour is card.colour or top.colour is None or card.colour is None:
        return None
    return Objection(
        LEGALITY,
        Text.of("brawl.colour", colour=_name(top.colour), card=_name(card.colour)),
    )


def chain_colour(chain: Sequence[Face]) -> Colour | None:
    """Return the colour of the chain's last Hit, `None` if it has none."""
    for card in reversed(chain):
        if card.type in HITS:
            return card.colour
    return None


def _name(colour: Colour) -> Text:
    return Text.of(f"brawl.colour_{colour.name.lower()}")


_ON_CHAIN: dict[CardType, Callable[[Sequence[Face], Face], Objection | None]] = {
    CardType.HIT: hit_on_chain,
    CardType.HIT2: hit2_on_chain,
    CardType.PRESS: press_on_chain,
}
