"""What people do at a table: moves, answers, taking back, overruling."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from companion.errors import CompanionError, UsageError
from companion.i18n import N_, say
from companion.labels import capital
from companion.ledger import Event, Kind
from companion.tables.people import clean_name
from companion.tables.story import ASKED, questions_for
from companion.web.live_guard import NotAllowedError, hall
from companion.web.live_view import Look, asked_since, may_enter, open_questions
from companion.web.live_watch import watched_questions, watches
from engines.core import NotationError, Verdict

LONGEST_MOVE = 3000
TIMED = re.compile(r"@\d+\s*$")


class RefusedError(CompanionError):
    """A move that the rules do not allow; the sentence is the ruling's."""

    http_status = 422
    code = "refused"


def enter_move(look: Look, text: str) -> None:
    """Add a move to a table; raise what speaks against it."""
    move = read_move(look, text)
    if not may_enter(look, str(move)):
        raise NotAllowedError
    _judge(look, move)
    _add(look, str(move), kind=Kind.MOVE)


def read_move(look: Look, text: str) -> Any:
    """Return a move that somebody wrote; games with a clock get the time added."""
    written = " ".join(text.split())[:LONGEST_MOVE]
    try:
        return look.game.parse_move(written)
    except NotationError as error:
        if not TIMED.search(written):
            try:
                return look.game.parse_move(f"{written} @{clock_ms(look)}")
            except NotationError:
                pass
        expected = error.expected or str(error)
        message = N_("This cannot be read as a move. Expected: %(expected)s.")
        raise UsageError(message, expected=expected) from error


def clock_ms(look: Look) -> int:
    """Return the time since the table was opened, in milliseconds."""
    return max(0, round((time.time() - look.table.created_at.timestamp()) * 1000))


def answer_question(look: Look, id_: str, value: str) -> None:
    """Answer an open question with one of its options."""
    asked = open_questions(look)
    since = asked_since(look, asked)
    eye = hall().eyes.find(look.table.id)
    taken = hall().seats.taken(look.table.id)
    for question in questions_for(asked, look.standing, taken):
        if question.id != id_:
            continue
        source = f"{ASKED}{since[id_].isoformat(timespec='seconds')}"
        if watched_questions(look.table.id) is not None:
            watches().answer(look.table.id, id_, value, look.standing.actor, source)
            hall().feeds.ring(look.table.id)
            return
        if eye is not None and eye.questions() is not None:
            eye.answer(id_, value, look.standing.actor, source)
            hall().feeds.ring(look.table.id)
            return
        for option in question.options:
            if option.value == value and option.move is not None:
                move = look.game.parse_move(option.move)
                _judge(look, move)
                _add(look, str(move), kind=Kind.ANSWER, source=source)
                return
    raise UsageError(N_("This question is no longer open."))


def undo(look: Look, seq: int) -> None:
    """Take an event back; a player only what was entered by that player."""
    for event in hall().ledger.events(look.table.id, since=max(0, seq - 1)):
        if event.seq != seq:
            continue
        own = event.actor == look.standing.actor
        if not own and not look.standing.is_host:
            raise NotAllowedError
        _add(look, "", kind=Kind.UNDO, target=seq)
        return
    raise UsageError(N_("There is no such moment at this table."))


def overrule(look: Look, event: Event, form: Mapping[str, str]) -> None:
    """Put a referee's ruling in the place of an event, with the reason beside it."""
    reason = clean_name(form.get("reason", ""))
    if not reason:
        raise UsageError(N_("A ruling needs a reason that the players can read."))
    hall().ledger.mark_disputed(look.table.id, event.seq)
    if form.get("ruling") == "instead":
        move = str(read_move(look, form.get("move", "")))
        source = f"page: {reason}"
        _add(look, move, kind=Kind.CORRECTION, target=event.seq, source=source)
        return
    verdict = Verdict.UPHELD if form.get("ruling") == "upheld" else Verdict.REJECTED
    _add(look, f"{verdict} {reason}", kind=Kind.OVERRULE, target=event.seq)


def _judge(look: Look, move: Any) -> None:
    ruling = look.game.judge(look.live.state, move)
    if ruling.verdict is Verdict.UPHELD:
        return
    reason = capital(ruling.reason.render(look.language))
    rule = say(look.language, N_("Rule %(number)s"), number=str(ruling.rule))
    raise RefusedError("%(reason)s (%(rule)s)", reason=reason, rule=rule)


def _add(
    look: Look,
    move: str,
    *,
    kind: Kind,
    target: int | None = None,
    source: str = "page",
) -> None:
    hall().ledger.append(
        look.table.id,
        look.live.seq + 1,
        move,
        source=source,
        actor=look.standing.actor,
        taken_at=datetime.now(UTC),
        kind=kind,
        target=target,
    )
    hall().feeds.ring(look.table.id)
