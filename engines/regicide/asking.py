"""The choices and doubts of a live game that belong to a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from engines.core import Option, Question, RuleRef, Seat, Text
from engines.regicide.cards import seat_name, spoken, total
from engines.regicide.facts import (
    can_yield,
    draw_counts,
    may_give_up,
    next_rank,
    unseen,
)
from engines.regicide.moves import (
    Castle,
    Cover,
    Draw,
    Flip,
    Heal,
    Lost,
    Move,
    Next,
    Redress,
    Reveal,
    Settle,
    Start,
    Tavern,
    Yield,
)
from engines.regicide.rules import cover_unseen, rank_name
from engines.regicide.state import Phase, State


def questions(state: State) -> tuple[Question, ...]:
    """Return what somebody must say now; each option carries its move."""
    ask = _ASK.get(state.phase)
    return () if ask is None else tuple(ask(state))


def move_option(move: Move, text: Text) -> Option:
    """Return the option to make a move."""
    return Option(str(move), text, str(move))


def _option(move: Move, message: str, **values: int | Text) -> Option:
    return move_option(move, Text.of(f"regicide.{message}", **values))


def _castle(_: State) -> Iterable[Question]:
    move = Castle(None)
    yield Question(
        id="castle",
        to=None,
        text=Text.of("regicide.ask_castle"),
        options=(_option(move, "castle_ready"),),
        default=str(move),
        rule=RuleRef("2"),
    )


def _tavern(state: State) -> Iterable[Question]:
    move = Tavern(None)
    yield Question(
        id="tavern",
        to=None,
        text=Text.of(
            "regicide.ask_tavern",
            jokers=state.options.tavern_jokers,
            limit=state.options.hand_limit,
        ),
        options=(_option(move, "tavern_ready"),),
        default=str(move),
        rule=RuleRef("2"),
    )


def _start(state: State) -> Iterable[Question]:
    yield Question(
        id="start",
        to=None,
        text=Text.of("regicide.ask_start"),
        options=tuple(
            Option(str(seat), seat_name(seat), str(Start(Seat(seat))))
            for seat in range(state.options.players)
        ),
        default="0" if state.options.players == 1 else None,
        rule=RuleRef("R-14"),
    )


def _reveal(state: State) -> Iterable[Question]:
    rank = next_rank(state)
    assert rank is not None
    yield Question(
        id="reveal",
        to=None,
        text=Text.of("regicide.ask_reveal", rank=rank_name(rank)),
        options=tuple(
            Option(str(card), spoken(card), str(Reveal(card)))
            for card in unseen(state)
            if card.rank is rank
        ),
        rule=RuleRef("2"),
    )


def _heal(state: State) -> Iterable[Question]:
    move = Heal(state.to_heal)
    yield Question(
        id="heal",
        to=state.current,
        text=Text.of("regicide.ask_heal", count=state.to_heal),
        options=(_option(move, "done"),),
        default=str(move),
        rule=RuleRef("5.1"),
    )


def _draw(state: State) -> Iterable[Question]:
    counts = draw_counts(state)
    move = Draw(counts)
    yield Question(
        id="draw",
        to=None,
        text=Text.of("regicide.ask_draw", draws=_draws(counts)),
        options=(_option(move, "done"),),
        default=str(move),
        rule=RuleRef("5.2"),
    )


def _draws(counts: tuple[int, ...]) -> Text:
    """Return who draws how many, in one list."""
    parts = [
        Text.of("regicide.draws", seat=seat_name(seat), count=count)
        for seat, count in enumerate(counts)
        if count
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = Text.of("regicide.listed", first=whole, rest=part)
    return whole


def _settle(state: State) -> Iterable[Question]:
    yield Question(
        id="settle",
        to=None,
        text=Text.of(
            "regicide.ask_settle",
            drawn=sum(state.misdrawn),
            due=sum(draw_counts(state)),
        ),
        options=(
            _option(Settle(Redress.RETURN), "settle_return"),
            _option(Settle(Redress.KEEP), "settle_keep"),
        ),
        default=str(Settle(Redress.RETURN)),
        rule=RuleRef("4.6"),
    )


def _choose(state: State) -> Iterable[Question]:
    yield Question(
        id="next",
        to=state.current,
        text=Text.of("regicide.ask_next"),
        options=tuple(
            _choice(state, Seat(seat))
            for seat in range(state.options.players)
            if seat != state.current or state.options.joker_self
        ),
        rule=RuleRef("4.4"),
    )


def _choice(state: State, seat: Seat) -> Option:
    """Return a player to choose, with a warning if he holds no card (R-23)."""
    move = str(Next(state.current, seat))
    if state.hands[seat]:
        return Option(str(seat), seat_name(seat), move)
    message = "must_yield" if can_yield(state, seat) else "would_lose"
    text = Text.of(f"regicide.{message}", seat=seat_name(seat))
    return Option(str(seat), text, move)


def _play(state: State) -> Iterable[Question]:
    """Ask only a player whose hand is empty: his choice needs no card."""
    seat = state.current
    if state.hands[seat]:
        return
    options = []
    if can_yield(state, seat):
        options.append(_option(Yield(seat), "option_yield"))
    if state.jokers:
        options.append(_option(Flip(seat), "option_flip", left=state.jokers))
    if may_give_up(state, seat):
        options.append(_option(Lost(seat), "option_lost"))
    yield Question(
        id="empty_hand",
        to=seat,
        text=Text.of("regicide.ask_empty_hand"),
        options=tuple(options),
        rule=RuleRef("6"),
    )


def _suffer(state: State) -> Iterable[Question]:
    """Ask whoever cannot cover, or whose hand nobody knows (R-17)."""
    seat = state.current
    known = sum(slot is not None for slot in state.hands[seat])
    unknown = len(state.hands[seat]) - known
    can_flip = state.jokers > 0 and state.suffer == state.attack
    is_covered = _known_worth(state) >= state.suffer
    if is_covered and not can_flip and not unknown:
        return
    options = [
        _option(move, "option_cover", count=count)
        for count in range(1, unknown + 1)
        if cover_unseen(state, move := Cover(seat, count)) is None
    ]
    if can_flip:
        options.append(_option(Flip(seat), "option_flip", left=state.jokers))
    if not is_covered:
        options.append(_option(Lost(seat), "option_lost"))
    if not options:
        return
    stuck = not unknown and not is_covered
    message = "ask_flip" if stuck and can_flip else "ask_suffer"
    yield Question(
        id="suffer",
        to=seat,
        text=Text.of(f"regicide.{message}", damage=state.suffer),
        options=tuple(options),
        rule=RuleRef("R-17" if can_flip else "4.3"),
    )


def _known_worth(state: State) -> int:
    return total(card for card in state.hands[state.current] if card is not None)


_ASK: Mapping[Phase, Callable[[State], Iterable[Question]]] = {
    Phase.CASTLE: _castle,
    Phase.TAVERN: _tavern,
    Phase.REVEAL: _reveal,
    Phase.START: _start,
    Phase.PLAY: _play,
    Phase.HEAL: _heal,
    Phase.DRAW: _draw,
    Phase.SETTLE: _settle,
    Phase.SUFFER: _suffer,
    Phase.CHOOSE: _choose,
}
