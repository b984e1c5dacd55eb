"""One function per rule: an `Objection`, or `None` where the rule has none."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from engines.core import Objection, RuleRef, Seat, Text
from engines.frantic.cards import (
    CURSE,
    FACES,
    FY,
    MIMICRY,
    UNKNOWN,
    Hand,
    PlayCard,
    Special,
)
from engines.frantic.hands import can_hold, uncovered
from engines.frantic.moves import Reaction
from engines.frantic.piles import unseen_copies
from engines.frantic.state import State, Top
from engines.frantic.words import card_name, cards_named, seat_name, special_name

FY_HAND = 10


class Fit(StrEnum):
    """Why a card may go on the active one."""

    ANY = "any"
    NEUTRAL = "neutral"
    COLOUR = "colour"
    NUMBER = "number"
    SYMBOL = "symbol"

    @property
    def reason(self) -> Text:
        """Return the reason as a sentence."""
        return Text.of(f"frantic.fits_{self}")


def fit(card: PlayCard, top: Top) -> Fit | None:
    """Return why a card goes on the active one (4.2), `None` if it does not.

    The Curse and the hand that Fuck You needs are other rules.
    """
    if top.any:
        return Fit.ANY
    if card.is_neutral:
        return Fit.NEUTRAL
    if top.colour is not None and top.colour in card.colours:
        return Fit.COLOUR
    if card.special is not None:
        return Fit.SYMBOL if card.special is top.symbol else None
    if card.number != top.number:
        return None
    return None if card.is_black and top.black else Fit.NUMBER


def on_black(card: PlayCard, top: Top) -> Objection | None:
    """Black cards never lie on black ones (4.2)."""
    if card.is_black and top.black:
        return Objection(RuleRef("4.2"), Text.of("frantic.black_on_black"))
    return None


def fits_top(card: PlayCard, top: Top) -> Objection | None:
    """A card must match what the active card asks for (4.2)."""
    if fit(card, top) is not None:
        return None
    if objection := on_black(card, top):
        return objection
    reason = Text.of("frantic.no_fit", card=card_name(card), top=requirement(top))
    return Objection(RuleRef("4.2"), reason)


def requirement(top: Top) -> Text:
    """Return what the active card asks for, as a sentence."""
    if top.any:
        return Text.of("frantic.top_any")
    parts = {
        "colour": top.colour and Text.of(f"frantic.{top.colour.name.lower()}"),
        "number": top.number and Text.of("frantic.number", number=top.number),
        "symbol": top.symbol and special_name(top.symbol),
    }
    known = {name: part for name, part in parts.items() if part}
    return Text.of("frantic.top_" + "_".join(known), **known)


def not_curse(card: PlayCard) -> Objection | None:
    """The Curse can be neither played nor discarded (5.1)."""
    if card == CURSE:
        return Objection(RuleRef("5.1"), Text.of("frantic.curse_stays"))
    return None


def fy_with_ten(card: PlayCard, hand: Hand) -> Objection | None:
    """Fuck You needs exactly ten cards in hand, itself included (4.2)."""
    if card == FY and len(hand) != FY_HAND:
        reason = Text.of("frantic.fy_ten", number=len(hand))
        return Objection(RuleRef("4.2"), reason)
    return None


def holds(state: State, seat: Seat, cards: Sequence[PlayCard]) -> Objection | None:
    """Nobody plays, gives or shows a card that he does not hold (4.1)."""
    hand = state.hands[seat]
    if can_hold(hand, cards):
        return None
    if UNKNOWN in cards and UNKNOWN not in hand:
        return Objection(RuleRef("4.1"), Text.of("frantic.name_the_cards"))
    missing = tuple(uncovered(hand, cards).elements())
    reason = Text.of(
        "frantic.not_held", seat=seat_name(seat), cards=cards_named(missing or cards)
    )
    return Objection(RuleRef("4.1"), reason)


def copies_left(
    state: State, hand: Hand, cards: Sequence[PlayCard]
) -> Objection | None:
    """A card that turns up cannot lie elsewhere in all its copies (1.1)."""
    for card, number in uncovered(hand, cards).items():
        if unseen_copies(state, card) < number:
            reason = Text.of("frantic.no_copy_left", card=card_name(card))
            return Objection(RuleRef("1.1"), reason)
    return None


def in_hand(state: State, seat: Seat, cards: Sequence[PlayCard]) -> Objection | None:
    """The cards are, or may be, in that hand (4.1, 1.1)."""
    return holds(state, seat, cards) or copies_left(state, state.hands[seat], cards)


def playable(state: State, seat: Seat, card: PlayCard) -> Objection | None:
    """All rules of playing a card in one's turn, in order (4.2)."""
    return (
        in_hand(state, seat, (card,))
        or not_curse(card)
        or fy_with_ten(card, state.hands[seat])
        or fits_top(card, state.top)
    )


def may_imitate(state: State, card: PlayCard) -> Objection | None:
    """Mimicry acts as any special card that exists, a coloured one only on its colour
    (4.2, F-22)."""
    if card.special is None or card in {CURSE, FY, MIMICRY}:
        reason = Text.of("frantic.no_model", card=card_name(card))
        return Objection(RuleRef("F-22"), reason)
    if card.is_starred and not state.options.starred:
        reason = Text.of("frantic.not_in_box", card=card_name(card))
        return Objection(RuleRef("F-01"), reason)
    if card.is_neutral or state.top.any or state.top.colour in card.colours:
        return None
    reason = Text.of("frantic.model_needs_colour", card=card_name(card))
    return Objection(RuleRef("4.2"), reason)


def models(state: State) -> Hand:
    """Return what Mimicry may act as now."""
    return tuple(card for card in FACES if may_imitate(state, card) is None)


def reacts(
    state: State, seat: Seat, reaction: Reaction, card: PlayCard
) -> Objection | None:
    """Only the card made for it, or Mimicry, is played out of turn (4.3, F-22)."""
    if card.special not in {reaction.special, Special.MIMICRY}:
        reason = Text.of(
            "frantic.no_reaction",
            card=card_name(card),
            name=special_name(reaction.special),
        )
        return Objection(RuleRef("4.3"), reason)
    return in_hand(state, seat, (card,))


def not_oneself(seat: Seat, victim: Seat) -> Objection | None:
    """Nobody makes himself the victim (4.4)."""
    if seat == victim:
        return Objection(RuleRef("4.4"), Text.of("frantic.not_oneself"))
    return None


def not_waiting_already(state: State, victim: Seat) -> Objection | None:
    """Nobody is skipped again before he has sat out a turn (F-11)."""
    if victim in state.skips:
        reason = Text.of("frantic.skip_pending", victim=seat_name(victim))
        return Objection(RuleRef("F-11"), reason)
    return None


def holds_fewer(state: State, seat: Seat, victim: Seat) -> Objection | None:
    """Equality hits only players with fewer cards (5.1)."""
    if len(state.hands[victim]) >= len(state.hands[seat]):
        reason = Text.of("frantic.not_fewer", victim=seat_name(victim))
        return Objection(RuleRef("5.1"), reason)
    return None


def player_exists(state: State, seats: Sequence[Seat]) -> Objection | None:
    """A move names only players who sit at the table (2)."""
    for seat in seats:
        if seat >= state.options.players:
            reason = Text.of("frantic.no_such_player", seat=seat_name(seat))
            return Objection(RuleRef("2"), reason)
    return None
