"""Points of a round read from one look: events that end it or change its points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engines.core import Option, Question, RuleRef, Seat, Text
from engines.frantic.doubts import read_event
from engines.frantic.event import Event
from engines.frantic.options import Options
from engines.frantic.scoring import round_points
from engines.frantic.snapshot import Snapshot
from engines.frantic.state import Bomb, End, Ending
from engines.frantic.words import seat_name

NOBODY = "nobody"
ENDING_EVENTS = {
    Event.DOOMSDAY: End.DOOMSDAY,
    Event.FINISH_LINE: End.FINISH_LINE,
}


@dataclass(frozen=True, slots=True)
class RoundEnd:
    """What each seat gets for the round, as far as that is known."""

    points: Mapping[Seat, int | None]
    questions: tuple[Question, ...] = ()
    is_counted: bool = False
    """An event in the open makes these differ from the points of the hands."""


def round_end(
    snapshot: Snapshot,
    options: Options,
    answers: Mapping[str, str],
    hands: Mapping[Seat, int | None],
) -> RoundEnd:
    """Return the points of the round from the points of the laid-out hands."""
    shown = [read_event(seen, answers) for seen in snapshot.events]
    is_bomb = Event.TIME_BOMB in shown
    last = shown[-1] if shown else None
    end = ENDING_EVENTS.get(last, End.OUT) if last else End.OUT
    if not options.points or (end is End.OUT and not is_bomb):
        return RoundEnd({s: hands.get(s, 0) for s in options.seats})
    if end is End.OUT and not hands:
        return RoundEnd({})
    questions: list[Question] = []
    immune = _immune(options, answers, questions)
    out = _out(options, answers, hands, questions) if is_bomb else ()
    ending = Ending(end, immune)
    bomb = Bomb((), immune) if is_bomb else None
    points: dict[Seat, int | None] = dict.fromkeys(options.seats)
    if out is not None:
        known = [hands.get(seat, 0) for seat in options.seats]
        gains = round_points(ending, bomb, [n or 0 for n in known], out=out)
        free = end is End.DOOMSDAY
        points = {
            seat: gains[seat] if free or known[seat] is not None else None
            for seat in options.seats
        }
    return RoundEnd(points, tuple(questions), is_counted=True)


def _immune(
    options: Options, answers: Mapping[str, str], questions: list[Question]
) -> tuple[Seat, ...]:
    """Whom Lucky Bastard protects (F-17); nobody, unless somebody is named."""
    question = Question(
        id="immune",
        to=None,
        text=Text.of("frantic.ask_immune"),
        options=_nobody_or(options.seats),
        default=NOBODY,
        rule=RuleRef("F-17"),
    )
    answer = answers.get(question.id)
    if answer not in {option.value for option in question.options}:
        questions.append(question)
    return tuple(seat for seat in options.seats if answer == f"p{seat + 1}")


def _out(
    options: Options,
    answers: Mapping[str, str],
    hands: Mapping[Seat, int | None],
    questions: list[Question],
) -> tuple[Seat, ...] | None:
    """Who defused the Time Bomb; asked where somebody has laid out no cards."""
    without = tuple(seat for seat in options.seats if seat not in hands)
    if not without:
        return ()
    question = Question(
        id="out",
        to=None,
        text=Text.of("frantic.ask_out"),
        options=_nobody_or(without),
        rule=RuleRef("5.2"),
    )
    answer = answers.get(question.id)
    if answer not in {option.value for option in question.options}:
        questions.append(question)
        return None
    return tuple(seat for seat in without if answer == f"p{seat + 1}")


def _nobody_or(seats: tuple[Seat, ...]) -> tuple[Option, ...]:
    return (
        Option(NOBODY, Text.of("frantic.nobody")),
        *(Option(f"p{seat + 1}", seat_name(seat)) for seat in seats),
    )
