"""What a seat, or a spectator, may know of a game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engines.brawl.faces import Face
from engines.brawl.place import letter
from engines.brawl.scoring import hits, is_over, outcome, winner_of
from engines.brawl.state import Base, Laid, Player, Row, State
from engines.core import Seat


def view(state: State, seat: Seat | None) -> Mapping[str, object]:
    """Return the view of `seat`, of a spectator for `None`.

    Hidden from the others: what a player holds, and which faces his deck still has.
    Of a discard pile only the top card can be seen.
    """
    end = outcome(state)
    return {
        "mode": state.options.mode.value,
        "turn": letter(state.turn) if state.turn is not None else None,
        "over": is_over(state),
        "winners": [letter(winner) for winner in end.winners] if end else None,
        "rows": [_row(row) for row in state.rows],
        "players": {
            letter(own): _player(state.players[own], is_own=own == seat)
            for own in state.seats
        },
    }


def _row(row: Row) -> dict[str, object]:
    return {
        "pair": str(row.pair),
        "bases": [_base(row, base) for base in row.cards.bases],
        "finished": row.is_finished,
        "disputed": row.incident is not None,
        "forfeit": letter(row.forfeit) if row.forfeit is not None else None,
    }


def _base(row: Row, base: Base) -> dict[str, object]:
    first, second = letter(row.pair.first), letter(row.pair.second)
    return {
        "owner": letter(base.owner),
        "frozen": base.is_frozen,
        "chains": {first: _labels(base.first), second: _labels(base.second)},
        "hits": {first: hits(base.first), second: hits(base.second)},
        "winner": letter(winner_of(row, base)),
    }


def _player(player: Player, *, is_own: bool) -> dict[str, object]:
    public: dict[str, object] = {
        "deck": player.deck.name if player.deck is not None else None,
        "deck_left": player.deck_left,
        "discard": player.pile[-1].value if player.pile else None,
        "discards": len(player.pile),
        "hand": len(player.hand),
    }
    if not is_own:
        return public
    held = [card.card.value if card.card is not None else None for card in player.hand]
    left = (
        {face.value: player.left(face) for face in Face}
        if player.deck is not None
        else None
    )
    return {**public, "held": held, "left": left}


def _labels(chain: Iterable[Laid]) -> list[str]:
    return [laid.card.value for laid in chain]
