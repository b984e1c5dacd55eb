"""What happened at a table, as one who watches may read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from companion.corrections import AS_SEEN, FACE_DOWN, NO_CARD, read_note
from companion.i18n import N_, say
from companion.labels import capital, clock, face
from companion.ledger import Event, Kind, LiveState, TableRecord
from companion.measure import is_measured
from companion.referee import game_kit
from companion.tables import boards
from companion.tables.rights import Act, Standing
from engines import load_game
from engines.core import NotationError, Question, Ruling, Text, Verdict

KINDS = {
    Kind.CORRECTION: N_("put right"),
    Kind.OVERRULE: N_("overruled"),
    Kind.NOTE: N_("note"),
    Kind.ANSWER: N_("answer"),
}
ASKED = "page, asked "
"""Begins the source of an answer; the time of asking follows."""
SOURCES = {
    "page": N_("by hand on the page"),
    "camera": N_("the camera"),
}
ACTORS = {
    "owner": N_("host"),
    "referee": N_("referee"),
    "organiser": N_("organiser"),
    "spectator": N_("spectator"),
}
STATES = {
    "": N_("what was not read"),
    FACE_DOWN: N_("face down"),
    NO_CARD: N_("nothing there"),
    AS_SEEN: N_("as it was read"),
}
"""What a correction may say beside the name of a piece."""
OVERRULED = {
    "upheld": N_("Moment %(seq)s counts:"),
    "rejected": N_("Moment %(seq)s does not count:"),
}


@dataclass(frozen=True, slots=True)
class Told:
    """One event in words."""

    seq: int
    text: str
    kind: str
    """A `companion.ledger.Kind`."""
    kind_words: str
    verdict: str
    """``upheld``, ``rejected``, ``undecided``, or "" where nothing was ruled."""
    reason: str
    rule: str
    source: str
    actor: str
    taken_at: Any
    is_undone: bool
    corrected: str
    """What stands in its place, "" where nothing does."""
    pictures: tuple[str, ...]
    """SHA-256 of the pictures of this moment."""
    may_undo: bool = False
    """Whether the reader may take it back: the own ones, and all who runs the table."""


@dataclass(frozen=True, slots=True)
class Listener:
    """Who reads, and in which language."""

    standing: Standing
    language: str


def told(table: TableRecord, event: Event, live: LiveState, listener: Listener) -> Told:
    """Return an event in words; what the listener may not know is left out."""
    ruling = live.rulings.get(event.seq)
    hides = is_secret(table, event, live, listener.standing)
    language = listener.language
    text = _words(event, ruling, language, table, hides=hides)
    return Told(
        seq=event.seq,
        text=text,
        kind=str(event.kind),
        kind_words=say(language, KINDS[event.kind]) if event.kind in KINDS else "",
        verdict="" if ruling is None else str(ruling.verdict),
        reason=(
            capital(named(ruling.reason, table, language).render(language))
            if ruling is not None and not hides and ruling.verdict is not Verdict.UPHELD
            else ""
        ),
        rule="" if ruling is None else str(ruling.rule),
        source=_source_words(event.source, language),
        actor=_actor_words(event.actor or "", table, language),
        taken_at=event.taken_at,
        is_undone=event.seq in live.undone,
        corrected="" if hides else live.corrected.get(event.seq, ""),
        pictures=tuple(event.evidence),
        may_undo=_may_undo(event, live, listener.standing),
    )


def _may_undo(event: Event, live: LiveState, standing: Standing) -> bool:
    if event.kind is Kind.UNDO or event.seq in live.undone:
        return False
    own = event.actor == standing.actor
    return standing.may(Act.CORRECT) and (own or standing.is_host)


def is_secret(
    table: TableRecord, event: Event, live: LiveState, standing: Standing
) -> bool:
    """Return whether an event names what this listener may not know: its own move, or
    what stands in its place."""
    if event.kind not in (Kind.MOVE, Kind.ANSWER, Kind.CORRECTION):
        return False
    moves = [event.move, live.corrected.get(event.seq, event.move)]
    hidden = [move for move in moves if boards.secret_of(table.game, move)]
    return any(seat_of(table.game, move) not in standing.seats for move in hidden)


def seat_of(game: str, notation: str) -> int | None:
    """Return whose move this is, `None` for the cards', the referee's or nobody's."""
    try:
        seat = getattr(load_game(game).parse_move(notation), "seat", None)
    except NotationError:
        return None
    return seat if isinstance(seat, int) else None


def questions_for(
    questions: Sequence[Question], standing: Standing, taken: frozenset[int]
) -> tuple[Question, ...]:
    """Return the questions that a visitor may see: those of the own seat, and for who
    runs the table those of the table and of seats where nobody sits with a phone."""
    return tuple(
        question
        for question in questions
        if (question.to is not None and question.to in standing.seats)
        or (standing.is_host and (question.to is None or question.to not in taken))
    )


def named(text: Text, table: TableRecord, language: str) -> Text:
    """Return a sentence in which players are called by their names.

    Games say ``core.seat`` or ``<game>.player`` with a number, counted from 1. Where
    their sentences put an article before it, no name fits and the number stays.
    """
    if boards.has_articles(table.game, language):
        return text
    return _with_names(text, table.seats)


def _with_names(text: Text, names: Sequence[str]) -> Text:
    values: list[tuple[str, str | int | float | Text]] = []
    for key, value in text.values:
        if not isinstance(value, Text):
            values.append((key, value))
            continue
        number = dict(value.values).get("number")
        is_player = value.id.partition(".")[2] in ("seat", "player")
        if is_player and isinstance(number, int) and 0 < number <= len(names):
            values.append((key, names[number - 1] or value))
        else:
            values.append((key, _with_names(value, names)))
    return Text(text.id, tuple(values))


def _source_words(source: str, language: str) -> str:
    """Return how an event came: ``page: reason`` brings the referee's reason."""
    if source.startswith(ASKED):
        asked_at = clock(datetime.fromisoformat(source.removeprefix(ASKED)))
        return say(language, N_("on the page; asked at %(time)s"), time=asked_at)
    kind, colon, reason = source.partition(": ")
    words = say(language, SOURCES[kind]) if kind in SOURCES else kind
    return f"{words}: {reason}" if colon else words


def _actor_words(actor: str, table: TableRecord, language: str) -> str:
    """Return who did it: a player by name, others by what they are."""
    kind, _, name = actor.partition(" ")
    if kind == "seat" and name.isdigit() and 0 < int(name) <= len(table.seats):
        number = int(name)
        called = say(language, N_("Player %(number)s"), number=number)
        return table.seats[number - 1] or called
    if kind in ACTORS:
        return f"{say(language, ACTORS[kind])} {name}".strip()
    return actor


def _words(
    event: Event,
    ruling: Ruling | None,
    language: str,
    table: TableRecord,
    *,
    hides: bool,
) -> str:
    match event.kind:
        case Kind.NOTE:
            return _note_words(event.move, table, language)
        case Kind.UNDO:
            text = say(
                language, N_("Moment %(seq)s is taken back."), seq=event.target or 0
            )
            return f"{text} {event.move}".strip()
        case Kind.OVERRULE:
            verdict, _, reason = event.move.partition(" ")
            known = OVERRULED.get(verdict, OVERRULED["rejected"])
            text = say(language, known, seq=event.target or 0)
            return f"{text} {reason}".strip()
        case Kind.CORRECTION if not hides:
            message = N_("Instead of moment %(seq)s stands: %(move)s")
            return say(language, message, seq=event.target or 0, move=event.move)
    if hides:
        what = boards.secret_of(table.game, event.move) or N_("a move")
        return say(language, N_("Not shown: %(what)s"), what=say(language, what))
    if ruling is None:
        return event.move
    return capital(named(ruling.claim, table, language).render(language))


def _note_words(note: str, table: TableRecord, language: str) -> str:
    """Return a note; of a correction what was read and what it is, as people say it."""
    change = read_note(note)
    if change is None:
        return note
    kit = None if is_measured(table.game) else game_kit(table.game)

    def called(state: str) -> str:
        if state in STATES:
            return say(language, STATES[state])
        return face(state, language, kit).short

    was, now = called(change.was), called(change.now)
    return say(language, N_("%(was)s is put right: %(now)s"), was=was, now=now)


def scene_of(
    table: TableRecord, options: Any, language: str, outcome: Any
) -> boards.Scene:
    """Return the names and words that a drawing needs."""
    return boards.Scene(
        game=table.game,
        language=language,
        names=tuple(table.seats),
        options=options,
        winners=None if outcome is None else tuple(int(x) for x in outcome.winners),
    )
