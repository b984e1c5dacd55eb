"""One moment of a table: its pictures, its ruling, its evidence, and overruling it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, send_file, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from companion.ledger import Event
from companion.tables.rights import Act
from companion.tables.story import Listener, is_secret, told
from companion.web.keeping import Wanted, keep_result
from companion.web.live import back_to, blueprint, look_of
from companion.web.live_acts import overrule
from companion.web.live_guard import hall, needs
from companion.web.live_picture import seen_now
from companion.web.live_view import Look, events_of
from companion.web.markdown import section_html
from companion.web.parts import change_limit, limiter, read_limit
from companion.web.rulings import agreed, written

if TYPE_CHECKING:
    from companion.evidence.moment import Moment

__all__ = ["blueprint"]


@blueprint.get("/events/<int:seq>")
@needs(Act.LOOK)
def moment(id_: str, seq: int) -> ResponseReturnValue:
    """Look at one event: what was ruled, and its pictures."""
    look = look_of(id_)
    event = _event(look, seq)
    one = told(look.table, event, look.live, Listener(look.standing, look.language))
    return render_template(
        "tables/moment.html",
        one=one,
        table=look.table,
        standing=look.standing,
        Act=Act,
        rule_text=section_html(look.table.game, str(one.rule), look.language)
        if one.rule
        else "",
    )


@blueprint.get("/events/<int:seq>/evidence.pdf")
@limiter.limit(change_limit)
@needs(Act.EVIDENCE)
def evidence_page(id_: str, seq: int) -> ResponseReturnValue:
    """Send this moment as a printable page."""
    from companion.evidence.moment import moment_pdf  # noqa: PLC0415 - reportlab

    moment = _evidence(id_, seq)
    return _file(moment_pdf(moment), "application/pdf", moment.file_name("pdf"))


@blueprint.get("/events/<int:seq>/evidence.zip")
@limiter.limit(change_limit)
@needs(Act.EVIDENCE)
def evidence_pack(id_: str, seq: int) -> ResponseReturnValue:
    """Send the signed pack of this moment, which `arbitro verify` accepts."""
    from companion.evidence.moment import moment_pack  # noqa: PLC0415 - reportlab

    moment = _evidence(id_, seq)
    return _file(moment_pack(moment), "application/zip", moment.file_name("zip"))


@blueprint.post("/events/<int:seq>/dispute")
@limiter.limit(change_limit)
@needs(Act.DISPUTE)
def dispute(id_: str, seq: int) -> ResponseReturnValue:
    """Keep the pictures of this moment until somebody has ruled."""
    _event(look_of(id_), seq)
    hall().ledger.mark_disputed(id_, seq)
    return redirect(url_for("tables.moment", id_=id_, seq=seq), 303)


@blueprint.post("/judge")
@limiter.limit(read_limit)
@needs(Act.DISPUTE)
def judge(id_: str) -> ResponseReturnValue:
    """Rule on one picture of the table by itself: on what is seen now, or was then."""
    look = look_of(id_)
    sha256 = request.form.get("picture", "")
    if sha256:
        data = _picture(look, sha256)
    elif (now := seen_now(id_)) is not None and not look.delay_s:
        data = now.jpeg
    else:
        raise NotFound
    table, gear = look.table, hall().seats.gear(id_)
    kept = {one.ruling.key: one.value for one in agreed(table.game, table.options)}
    if "players" in table.options:
        kept["players"] = written(table.options["players"])
    name = f"{table.title or table.code}.jpg"
    return keep_result(data, name, Wanted(table.game, gear, gear.copies, kept))


@blueprint.post("/events/<int:seq>/overrule")
@limiter.limit(change_limit)
@needs(Act.RULE)
def rule(id_: str, seq: int) -> ResponseReturnValue:
    """Overrule an event, with a reason that everybody reads."""
    look = look_of(id_)
    overrule(look, _event(look, seq), request.form)
    return back_to(id_)


@blueprint.get("/pictures/<sha256>.jpg")
@needs(Act.LOOK)
def picture(id_: str, sha256: str) -> ResponseReturnValue:
    """Send a picture of this table; of no other, whoever knows its name."""
    blob = _picture(look_of(id_), sha256)
    return send_file(io.BytesIO(blob), mimetype="image/jpeg", max_age=3600)


def _picture(look: Look, sha256: str) -> bytes:
    if not any(sha256 in event.evidence for event in events_of(look, 0)):
        raise NotFound
    return hall().ledger.blob(sha256)


def _event(look: Look, seq: int) -> Event:
    for event in events_of(look, seq - 1):
        if event.seq == seq:
            return event
    raise NotFound


def _evidence(id_: str, seq: int) -> Moment:
    """Return what is taken away of a moment; cut to what the visitor may know."""
    from companion.evidence.moment import WINDOW, Moment  # noqa: PLC0415 - reportlab

    look, ledger = look_of(id_), hall().ledger
    event = _event(look, seq)
    listener = Listener(look.standing, look.language)
    around = [
        told(look.table, one, look.live, listener)
        for one in events_of(look, max(0, seq - 1 - WINDOW))
        if one.seq <= seq + WINDOW
    ]
    return Moment(
        table=look.table,
        event=event,
        told=next(one for one in around if one.seq == seq),
        around=tuple(around),
        ruling=None
        if is_secret(look.table, event, look.live, look.standing)
        else look.live.rulings.get(seq),
        pictures=tuple(ledger.blob(sha256) for sha256 in event.evidence),
        gear=hall().seats.gear(id_),
        seen=now.observation if (now := seen_now(id_)) else None,
        key=ledger.key,
        language=look.language,
    )


def _file(data: bytes, mimetype: str, name: str) -> ResponseReturnValue:
    return send_file(
        io.BytesIO(data), mimetype=mimetype, as_attachment=True, download_name=name
    )
