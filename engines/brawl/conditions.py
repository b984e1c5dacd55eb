"""Conditions that several moves share: who, when, with which card."""

from __future__ import annotations

from engines.brawl.chain import fits, placement, places
from engines.brawl.faces import FREEZES_PER_DECK, Face
from engines.brawl.landing import held_card
from engines.brawl.moves import Foul, Play
from engines.brawl.place import Pair, Source, letter
from engines.brawl.scoring import is_given_up, is_over
from engines.brawl.state import Player, Row, State
from engines.core import Objection, RuleRef, Seat, Text

TURNS = RuleRef("4.1")
SETUP = RuleRef("2")


def may_move_card(state: State, move: Play | Foul) -> Objection | None:
    """All that is asked of a card on its way to the table, but where it may lie."""
    refusal = (
        ready(state, move.seat)
        or neighbour(state, move.seat, move.place.pair)
        or row_open(state, move.place.pair)
        or in_reach(state, move.seat, move.card, move.source)
    )
    return refusal or fits(row_of(state, move.place.pair).cards, move.card, move.place)


def may_lie_there(state: State, move: Play | Foul) -> Objection | None:
    """The table of 4.2."""
    return placement(
        row_of(state, move.place.pair).cards,
        move.card,
        move.place,
        block_on_hit2=state.allows_block_on_hit2,
    )


# Conditions shared by several moves.


def ready(state: State, seat: Seat) -> Objection | None:
    """The game is on and, in Training, it is this player's turn."""
    return (
        seated(state, seat) or started(state) or game_on(state) or own_turn(state, seat)
    )


def seated(state: State, seat: Seat) -> Objection | None:
    """Only who sits at the table can move."""
    if seat < len(state.players):
        return None
    players = len(state.players)
    return Objection(
        SETUP, Text.of("brawl.no_seat", seat=letter(seat), players=players)
    )


def started(state: State) -> Objection | None:
    """In Training somebody must have been drawn to start."""
    if state.is_training and state.turn is None:
        return Objection(SETUP, Text.of("brawl.not_started"))
    return None


def game_on(state: State) -> Objection | None:
    """Nothing is played once the game is over."""
    if is_over(state):
        return Objection(RuleRef("6"), Text.of("brawl.game_over"))
    return None


def not_given_up(state: State) -> Objection | None:
    """A last Freeze can be contested, a game that all have given up cannot."""
    return game_on(state) if is_given_up(state) else None


def own_turn(state: State, seat: Seat) -> Objection | None:
    """In Training players alternate."""
    if state.is_training and state.turn is not None and state.turn != seat:
        return Objection(TURNS, Text.of("brawl.not_your_turn", seat=letter(state.turn)))
    return None


def neighbour(state: State, seat: Seat, pair: Pair) -> Objection | None:
    """Everybody plays only with the left and the right neighbour."""
    if state.row(pair) is None:
        return no_such_row(pair)
    if seat in pair:
        return None
    return Objection(
        RuleRef("7"), Text.of("brawl.not_in_pair", seat=letter(seat), pair=str(pair))
    )


def no_such_row(pair: Pair) -> Objection:
    """Rows lie between neighbours, named clockwise."""
    return Objection(RuleRef("7"), Text.of("brawl.no_such_row", pair=str(pair)))


def row_open(state: State, pair: Pair) -> Objection | None:
    """A pair whose Bases are all frozen is finished."""
    if row_of(state, pair).is_finished:
        return Objection(RuleRef("B-18"), Text.of("brawl.row_finished", pair=str(pair)))
    return None


def in_reach(state: State, seat: Seat, card: Face, source: Source) -> Objection | None:
    """The card is on top of the deck or of the discard pile, or in the hand."""
    player = state.players[seat]
    if source is Source.HAND:
        held = held_card(player, card)
        if held is None:
            return Objection(TURNS, Text.of("brawl.not_in_hand", card=card.text))
        return can_be(player, card) if held.card is None else None
    if refusal := empty_hand(state, seat):
        return refusal
    if source is Source.DECK:
        return can_come(player, card)
    if refusal := pile_not_empty(player):
        return refusal
    if player.pile[-1] is not card:
        top = player.pile[-1].text
        return Objection(
            TURNS, Text.of("brawl.not_top_discard", card=card.text, top=top)
        )
    return None


def empty_hand(state: State, seat: Seat) -> Objection | None:
    """One card at a time."""
    if state.players[seat].hand:
        return Objection(TURNS, Text.of("brawl.one_card"))
    return None


def pile_not_empty(player: Player) -> Objection | None:
    """There must be a discard to play or lift."""
    return None if player.pile else Objection(TURNS, Text.of("brawl.no_discard"))


def deck_not_empty(player: Player) -> Objection | None:
    """With an empty deck only the top discard remains."""
    left = player.deck_left
    if left is None or left > 0:
        return None
    return Objection(RuleRef("B-17"), Text.of("brawl.deck_empty"))


def can_come(player: Player, card: Face) -> Objection | None:
    """The card can be the top one of the deck."""
    return deck_not_empty(player) or can_be(player, card)


def can_be(player: Player, card: Face) -> Objection | None:
    """The deck still holds the card; its Freezes come last."""
    left = player.left(card)
    if left is not None and left <= 0:
        copies = FREEZES_PER_DECK if player.deck is None else player.deck.copies(card)
        return Objection(
            RuleRef("1"), Text.of("brawl.all_out", card=card.text, copies=copies)
        )
    if card is not Face.FREEZE:
        if Face.FREEZE in player.drawn:
            return Objection(SETUP, Text.of("brawl.after_freeze", card=card.text))
        return None
    if player.deck is None:
        return None
    others = (
        player.deck.size
        - player.deck.copies(Face.FREEZE)
        - sum(face is not Face.FREEZE for face in player.drawn)
    )
    if others > 0:
        return Objection(SETUP, Text.of("brawl.freeze_last", others=others))
    return None


def can_move(state: State, seat: Seat) -> bool:
    """Return whether the player has anything to do."""
    player = state.players[seat]
    rows = [row for row in state.rows if seat in row.pair and not row.is_finished]
    if not rows:
        return False
    if player.hand or deck_not_empty(player) is None:
        return True
    return bool(player.pile) and any(
        is_playable(state, row, player.pile[-1]) for row in rows
    )


def is_playable(state: State, row: Row, card: Face) -> bool:
    """Return whether the card may be laid anywhere in the row."""
    return any(
        placement(row.cards, card, place, block_on_hit2=state.allows_block_on_hit2)
        is None
        for place in places(row.pair, row.cards, card)
    )


def row_of(state: State, pair: Pair) -> Row:
    """Return the row of two players who are known to be neighbours."""
    row = state.row(pair)
    assert row is not None
    return row
