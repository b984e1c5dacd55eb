"""How a match ends (6.2, F-A)."""

from __future__ import annotations

from engines.core import Outcome, RuleRef
from engines.frenzy.cards import SEATS, other
from engines.frenzy.resolution import Piles
from engines.frenzy.state import Phase, State
from engines.frenzy.texts import player, say


def outcome_of(state: State) -> Outcome | None:
    """Return who won and why, `None` while the match goes on."""
    if state.phase is not Phase.OVER:
        return None
    if state.loser is not None:
        winner = other(state.loser)
        reason = say("lost_by_upset", player=player(state.loser))
        return Outcome((winner,), reason, RuleRef("F-A"))
    return final(state.score_piles)


def final(piles: Piles) -> Outcome:
    """Return the outcome of two score piles: points, then cards, then nobody."""
    points = [sum(owned.card.points for owned in pile) for pile in piles]
    sizes = [len(pile) for pile in piles]
    for message, figures in (("more_points", points), ("more_cards", sizes)):
        if figures[0] != figures[1]:
            seat = SEATS[0] if figures[0] > figures[1] else SEATS[1]
            reason = say(
                message,
                player=player(seat),
                more=max(figures),
                less=min(figures),
                points=max(points),
            )
            return Outcome((seat,), reason, RuleRef("6.2"))
    reason = say("no_winner", points=points[0], cards=sizes[0])
    return Outcome((), reason, RuleRef("6.2"))
