"""Cards that are turned face up from the draw pile."""

from __future__ import annotations

from collections.abc import Iterable

from engines.core import Objection, RuleRef, Text
from engines.frantic.cards import UNKNOWN
from engines.frantic.hands import is_known
from engines.frantic.moves import Flip, Move
from engines.frantic.piles import possible_cards
from engines.frantic.rules import copies_left
from engines.frantic.state import State, Step
from engines.frantic.words import card_name


def flips(step: Step, state: State, move: Move, number: int) -> Objection | None:
    """Return why `move` does not turn the top cards of the pile."""
    if not isinstance(move, Flip):
        return step.not_now(state)
    if len(move.cards) != number:
        reason = Text.of("frantic.wrong_number", number=len(move.cards), right=number)
        return Objection(step.rule, reason)
    top = state.pile[:number]
    for card, lying in zip(move.cards, top, strict=True):
        if lying not in {card, UNKNOWN}:
            reason = Text.of("frantic.not_top_card", card=card_name(card))
            return Objection(RuleRef("3"), reason)
    return copies_left(state, top, move.cards)


def flippable(state: State, number: int) -> Iterable[Move] | None:
    """Return the cards that may be turned, `None` where they cannot be listed."""
    top = state.pile[:number]
    if is_known(top):
        return (Flip(top),)
    if number > 1:
        return None
    return (Flip((card,)) for card in possible_cards(state, top))
