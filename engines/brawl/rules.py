"""The rules about who may move, with which card, and how a foul is settled.

One function per rule; each returns an `Objection` or `None`. What may lie on what is in
chain.py.
"""

from __future__ import annotations

from engines.brawl.chain import fits, placement, places
from engines.brawl.faces import FREEZES_PER_DECK, Face
from engines.brawl.landing import held_card, restored
from engines.brawl.moves import (
    Act,
    BlockOnHit2,
    ConfirmPairs,
    Contest,
    Discard,
    First,
    Foul,
    Move,
    Play,
    Remedy,
    Settle,
    Swap,
    Take,
    Verb,
)
from engines.brawl.scoring import is_given_up, is_over, is_score_due
from engines.brawl.state import Landed, Pair, Player, Row, Source, State, letter
from engines.brawl.timing import contact_ruling, rival_of
from engines.brawl.words import place_text
from engines.core import Objection, RuleRef, Seat, Text, Verdict

TURNS = RuleRef("4.1")
FOULS = RuleRef("4.3")
SETUP = RuleRef("2")


def objection(state: State, move: Move) -> Objection | None:
    """Return the first rule that stands against `move`, `None` if it is allowed."""
    match move:
        case Play():
            return may_play(state, move)
        case Foul():
            return is_foul(state, move)
        case Contest():
            return may_contest(state, move)
        case Take():
            return may_take(state, move)
        case Discard():
            return may_discard(state, move)
        case Act():
            return seated(state, move.seat) or _ACTS[move.verb](state, move.seat)
        case Settle():
            return may_settle(state, move)
        case First():
            return may_say_first(state, move)
        case BlockOnHit2() | ConfirmPairs() | Swap():
            return may_agree(state, move)


def may_play(state: State, move: Play) -> Objection | None:
    """A card in the player's reach goes to a legal place in one of his rows."""
    return may_move_card(state, move) or may_lie_there(state, move)


def is_foul(state: State, move: Foul) -> Objection | None:
    """A foul is a card that the player could have played and that may not lie there."""
    if refusal := may_move_card(state, move):
        return refusal
    row = _row(state, move.place.pair)
    if row.incident is not None:
        return Objection(FOULS, Text.of("brawl.settle_first", pair=str(row.pair)))
    if may_lie_there(state, move) is None:
        return Objection(
            FOULS,
            Text.of(
                "brawl.no_foul",
                card=move.card.text,
                place=place_text(state, move.place),
            ),
        )
    rival = rival_of(state, row, move)
    timing = contact_ruling(state.options, move, rival) if rival else None
    if timing is not None and timing.verdict is not Verdict.REJECTED:
        return Objection(timing.rule, timing.reason)
    return None


def may_contest(state: State, move: Contest) -> Objection | None:
    """A card may claim to have been first if the latest card alone is in its way."""
    refusal = (
        seated(state, move.seat)
        or not_given_up(state)
        or neighbour(state, move.seat, move.place.pair)
        or in_reach(state, move.seat, move.card, move.source)
    )
    if refusal:
        return refusal
    rival = rival_of(state, _row(state, move.place.pair), move)
    if rival is None:
        return Objection(RuleRef("B-13"), Text.of("brawl.no_contest"))
    timing = contact_ruling(state.options, move, rival)
    if timing is not None and timing.verdict is Verdict.REJECTED:
        return Objection(timing.rule, timing.reason)
    return None


def may_move_card(state: State, move: Play | Foul) -> Objection | None:
    """All that is asked of a card on its way to the table, but where it may lie."""
    refusal = (
        ready(state, move.seat)
        or neighbour(state, move.seat, move.place.pair)
        or row_open(state, move.place.pair)
        or in_reach(state, move.seat, move.card, move.source)
    )
    return refusal or fits(_row(state, move.place.pair).cards, move.card, move.place)


def may_lie_there(state: State, move: Play | Foul) -> Objection | None:
    """The table of 4.2."""
    return placement(
        _row(state, move.place.pair).cards,
        move.card,
        move.place,
        block_on_hit2=state.allows_block_on_hit2,
    )


def may_take(state: State, move: Take) -> Objection | None:
    """The top card of the deck may be taken into an empty hand."""
    if refusal := ready(state, move.seat) or empty_hand(state, move.seat):
        return refusal
    if move.card is not None:
        return can_come(state.players[move.seat], move.card)
    return deck_not_empty(state.players[move.seat])


def may_discard(state: State, move: Discard) -> Objection | None:
    """A card just taken may be laid on the own discard pile."""
    if refusal := ready(state, move.seat):
        return refusal
    if move.source is Source.DISCARD:
        return Objection(TURNS, Text.of("brawl.already_discarded"))
    return in_reach(state, move.seat, move.card, move.source)


def may_lift(state: State, seat: Seat) -> Objection | None:
    """In Tournament the top discard may be lifted and put back."""
    if refusal := ready(state, seat):
        return refusal
    if state.is_training:
        return Objection(TURNS, Text.of("brawl.no_lift_in_training"))
    return empty_hand(state, seat) or pile_not_empty(state.players[seat])


def may_pass(state: State, seat: Seat) -> Objection | None:
    """In Training a turn is given up only when nothing is possible."""
    if refusal := ready(state, seat):
        return refusal
    if not state.is_training:
        return Objection(TURNS, Text.of("brawl.no_turns"))
    if can_move(state, seat):
        return Objection(RuleRef("B-12"), Text.of("brawl.can_move"))
    return None


def may_be_stuck(state: State, seat: Seat) -> Objection | None:
    """In Tournament all confirm that nobody can move, each once."""
    if refusal := ready(state, seat):
        return refusal
    if state.is_training:
        return Objection(RuleRef("B-12"), Text.of("brawl.pass_in_training"))
    if seat in state.stuck:
        return Objection(RuleRef("B-12"), Text.of("brawl.said_before"))
    for other in state.seats:
        if can_move(state, other):
            return Objection(
                RuleRef("B-12"), Text.of("brawl.seat_can_move", seat=letter(other))
            )
    return None


def may_start(state: State, seat: Seat) -> Objection | None:
    """In Training one player is drawn to start, once."""
    if not state.is_training:
        return Objection(SETUP, Text.of("brawl.no_turns"))
    if state.turn is not None:
        return Objection(SETUP, Text.of("brawl.has_started", seat=letter(state.turn)))
    return None


def may_be_empty(state: State, seat: Seat) -> Objection | None:
    """A player may say so of a deck whose size is not known."""
    left = state.players[seat].deck_left
    if left is None:
        return game_on(state)
    return Objection(RuleRef("B-17"), Text.of("brawl.deck_count_known", left=left))


def may_confirm(state: State, seat: Seat) -> Objection | None:
    """The number of cards of a deck that was typed in is agreed once."""
    if state.players[seat].is_confirmed:
        return Objection(RuleRef("B-01"), Text.of("brawl.said_before"))
    return None


def may_settle(state: State, move: Settle) -> Objection | None:
    """The offender takes an illegal card back; what was built on is the opponent's."""
    if refusal := seated(state, move.seat) or neighbour(state, move.seat, move.pair):
        return refusal
    row = _row(state, move.pair)
    incident = row.incident
    if incident is None or incident.rival is not None:
        return Objection(FOULS, Text.of("brawl.nothing_to_settle", pair=str(row.pair)))
    offender = incident.card.seat
    owed = offender if move.remedy is Remedy.TAKE_BACK else row.pair.other(offender)
    if move.seat != owed:
        return Objection(FOULS, Text.of("brawl.not_yours_to_settle", seat=letter(owed)))
    if move.remedy in remedies(state, row):
        return None
    reason = "too_late_to_restore" if is_score_due(state, row) else "other_remedy"
    return Objection(FOULS, Text.of(f"brawl.{reason}"))


def remedies(state: State, row: Row) -> tuple[Remedy, ...]:
    """Return what can be done about the open foul of a row."""
    if is_score_due(state, row):
        return (Remedy.STAND, Remedy.CLAIM)
    if dependents(state, row):
        return (Remedy.RESTORE, Remedy.STAND, Remedy.CLAIM)
    return (Remedy.TAKE_BACK,)


def dependents(state: State, row: Row) -> tuple[Landed, ...]:
    """Return the cards that have to go too if the row's open foul goes."""
    assert row.incident is not None
    _, returned = restored(row.incident, block_on_hit2=state.allows_block_on_hit2)
    return returned


def may_say_first(state: State, move: First) -> Objection | None:
    """The referee answers for the two whose cards met."""
    row = state.row(move.pair)
    if row is None or row.incident is None or row.incident.rival is None:
        return Objection(
            RuleRef("B-13"), Text.of("brawl.nothing_to_settle", pair=str(move.pair))
        )
    if move.seat is not None and move.seat not in move.pair:
        return Objection(
            RuleRef("B-13"),
            Text.of("brawl.not_in_pair", seat=letter(move.seat), pair=str(move.pair)),
        )
    return None


def may_agree(
    state: State, move: BlockOnHit2 | ConfirmPairs | Swap
) -> Objection | None:
    """What is asked once is answered once."""
    match move:
        case BlockOnHit2():
            answered = state.block_on_hit2 is not None
            rule = RuleRef("B-05")
        case ConfirmPairs():
            answered = state.are_pairs_confirmed
            rule = RuleRef("B-18")
        case Swap():
            row = state.row(move.pair)
            if row is None:
                return no_such_row(move.pair)
            answered = row.last is not None or row.next_id != 2
            rule = SETUP
            if answered:
                return Objection(rule, Text.of("brawl.too_late_to_swap"))
    return Objection(rule, Text.of("brawl.said_before")) if answered else None


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
    if _row(state, pair).is_finished:
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


_ACTS = {
    Verb.LIFT: may_lift,
    Verb.PASS: may_pass,
    Verb.STUCK: may_be_stuck,
    Verb.START: may_start,
    Verb.EMPTY: may_be_empty,
    Verb.CONFIRM: may_confirm,
    Verb.RECOUNT: may_confirm,
}


def _row(state: State, pair: Pair) -> Row:
    row = state.row(pair)
    assert row is not None
    return row
