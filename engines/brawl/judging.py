"""The ruling on a move: what is claimed, whether it is allowed, by which rule."""

from __future__ import annotations

from engines.brawl.conditions import SETUP, TURNS
from engines.brawl.faces import Face
from engines.brawl.fouls import FOULS
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
    Settle,
    Swap,
    Take,
    Verb,
)
from engines.brawl.place import OnChain, letter
from engines.brawl.rules import objection
from engines.brawl.state import State
from engines.brawl.timing import FIRST_CONTACT, contact_ruling, rival_of
from engines.brawl.words import place_text
from engines.core import Objection, RuleRef, Ruling, Text, Verdict

_ACT_RULES = {
    Verb.LIFT: TURNS,
    Verb.PASS: RuleRef("B-12"),
    Verb.STUCK: RuleRef("B-12"),
    Verb.START: SETUP,
    Verb.EMPTY: RuleRef("B-17"),
    Verb.CONFIRM: RuleRef("B-01"),
    Verb.RECOUNT: RuleRef("B-01"),
}


def judge(state: State, move: Move) -> Ruling:
    """Rule on the claim that `move` is allowed now.

    A play that only the latest card makes illegal stays undecided when the two were
    touched too close together to tell, or when the play was in fact first: it is then
    entered as a contest.
    """
    claim = claim_text(state, move)
    refusal = objection(state, move)
    if refusal is None:
        return Ruling.upheld(claim, _reason(state, move), _rule(move))
    timing = _timing(state, move) if isinstance(move, Play) else None
    if timing is None:
        return Ruling.refused(claim, refusal)
    if timing.verdict is Verdict.REJECTED:
        return Ruling(
            claim, Verdict.REJECTED, refusal.reason, refusal.rule, grounds=(timing,)
        )
    return _contestable(claim, refusal, timing)


def claim_text(state: State, move: Move) -> Text:
    """Return what a move claims, in one sentence."""
    match move:
        case Play() | Foul() | Contest():
            return Text.of(
                f"brawl.claim_{move.verb}",
                seat=letter(move.seat),
                card=move.card.text,
                place=place_text(state, move.place),
            )
        case Take():
            # The face is the player's secret; a claim is read by everybody.
            return Text.of("brawl.claim_take", seat=letter(move.seat))
        case Discard():
            return Text.of(
                "brawl.claim_discard", seat=letter(move.seat), card=move.card.text
            )
        case Act():
            return Text.of(f"brawl.claim_{move.verb}", seat=letter(move.seat))
        case Settle():
            return Text.of(f"brawl.claim_{move.remedy}", seat=letter(move.seat))
        case First(seat=None):
            return Text.of("brawl.claim_both_back")
        case First():
            assert move.seat is not None
            return Text.of("brawl.claim_was_first", seat=letter(move.seat))
        case BlockOnHit2():
            answer = "yes" if move.allowed else "no"
            return Text.of(f"brawl.claim_block_on_hit2_{answer}")
        case ConfirmPairs():
            return Text.of("brawl.claim_pairs")
        case Swap():
            return Text.of("brawl.claim_swap", pair=str(move.pair))


def _timing(state: State, move: Play) -> Ruling | None:
    row = state.row(move.place.pair)
    if row is None or move.seat not in row.pair:
        return None
    rival = rival_of(state, row, move)
    return contact_ruling(state.options, move, rival) if rival else None


def _contestable(claim: Text, refusal: Objection, timing: Ruling) -> Ruling:
    """A ruling whose verdict would hang on a time that is not clear enough."""
    against = Ruling.refused(claim, refusal)
    if timing.verdict is Verdict.UNDECIDED:
        return Ruling(
            claim,
            Verdict.UNDECIDED,
            timing.reason,
            timing.rule,
            margin=timing.margin,
            grounds=(against,),
        )
    reason = Text.of("brawl.was_first")
    return Ruling(
        claim, Verdict.UNDECIDED, reason, FIRST_CONTACT, grounds=(timing, against)
    )


def _reason(state: State, move: Move) -> Text:
    match move:
        case Play():
            return _play_reason(state, move)
        case Foul():
            return Text.of("brawl.ok_foul")
        case Contest():
            row = state.row(move.place.pair)
            rival = rival_of(state, row, move) if row else None
            timing = contact_ruling(state.options, move, rival) if rival else None
            return timing.reason if timing else Text.of("brawl.ok_contest")
        case _:
            return Text.of("brawl.allowed")


def _play_reason(state: State, move: Play) -> Text:
    if isinstance(move.place, OnChain):
        row = state.row(move.place.pair)
        assert row is not None
        base = row.cards.bases[move.place.base]
        chain = base.first if move.place.side == row.pair.first else base.second
        if chain:
            return Text.of("brawl.ok_on_card", top=chain[-1].card.text)
        return Text.of("brawl.ok_opens")
    reasons = {
        Face.BASE: "brawl.ok_base",
        Face.CLEAR: "brawl.ok_clear",
        Face.FREEZE: "brawl.ok_freeze",
    }
    return Text.of(reasons[move.card])


def _rule(move: Move) -> RuleRef:
    match move:
        case Play():
            return RuleRef("4.2")
        case Foul() | Settle():
            return FOULS
        case Contest() | First():
            return FIRST_CONTACT
        case Take() | Discard():
            return TURNS
        case Act():
            return _ACT_RULES[move.verb]
        case BlockOnHit2():
            return RuleRef("B-05")
        case ConfirmPairs():
            return RuleRef("B-18")
        case Swap():
            return SETUP
