"""What is asked of a card that the rules refuse, while it lies there.

All that comes on it would be read as if it were none, or not at all: a card that was
misread would end what a camera follows.
"""

from __future__ import annotations

from dataclasses import replace

from engines.core import NO_CARD, Option, Question, RuleRef, Text
from engines.frantic.changes import new_cards
from engines.frantic.doubts import which_card
from engines.frantic.moves import Move, Play
from engines.frantic.snapshot import Snapshot
from engines.frantic.state import State
from engines.frantic.words import card_name

TAKEN_UP = "restore"


def astray(state: State, snapshot: Snapshot, move: Move) -> Question | None:
    """Return what to ask of the card of a refused play: it goes back to its hand, was
    read for another one, or is none; `None` if it does not lie there."""
    new = new_cards(state, snapshot.in_a_round())
    if not isinstance(move, Play) or not new or new[0].label != move.card:
        return None
    question = which_card(new[0], starred=state.options.starred)
    others = (option for option in question.options if option.value != move.card)
    return replace(
        question,
        text=Text.of("frantic.ask_refused", card=card_name(move.card)),
        options=(
            Option(TAKEN_UP, Text.of("frantic.back_to_hand")),
            Option(NO_CARD, Text.of("frantic.no_card_of_its_own")),
            *others,
        ),
        rule=RuleRef("4.5"),
    )
