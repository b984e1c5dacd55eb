"""A table in play: its page, its stream, and what people say to it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from flask import (
    Blueprint,
    Response,
    jsonify,
    redirect,
    render_template,
    request,
    send_file,
    url_for,
)
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from companion.ledger import Event
from companion.tables.rights import Act
from companion.tables.story import Listener, is_secret, told
from companion.web.language import language
from companion.web.live_acts import answer_question, enter_move, overrule, undo
from companion.web.live_guard import asking, hall, needs
from companion.web.live_join import join_url, qr_svg
from companion.web.live_picture import choose_view, photograph, put_right, seen_now
from companion.web.live_stream import stream
from companion.web.live_view import (
    Look,
    events_of,
    look_at,
    said,
    stage,
    stage_html,
    state_json,
    suggestions,
)
from companion.web.parts import change_limit, limiter, read_limit

if TYPE_CHECKING:
    from companion.evidence.moment import Moment

blueprint = Blueprint("tables", __name__, url_prefix="/tables/<id_>")


@blueprint.get("")
@needs(Act.LOOK)
def show(id_: str) -> ResponseReturnValue:
    """Show the table."""
    look = _look(id_)
    return render_template(
        "tables/show.html", may_move=look.standing.may(Act.MOVE), **stage(look)
    )


@blueprint.get("/stage")
@needs(Act.LOOK)
def part(id_: str) -> ResponseReturnValue:
    """Show the part of the page that changes: for browsers whose stream is cut."""
    return stage_html(_look(id_))


@blueprint.get("/state.json")
@needs(Act.LOOK)
def document(id_: str) -> ResponseReturnValue:
    """Send what this visitor may know of the table."""
    return jsonify(state_json(_look(id_)))


@blueprint.get("/events")
@needs(Act.LOOK)
def events(id_: str) -> ResponseReturnValue:
    """Send the events after `Last-Event-ID` or `?since=`: streamed, or as JSON."""
    since = _number(request.headers.get("Last-Event-ID", request.args.get("since")))
    if "text/event-stream" in request.headers.get("Accept", ""):
        return stream(id_, asking().standing, language(), since)
    look = _look(id_)
    return jsonify({"seq": look.live.seq, "events": said(look, since)})


@blueprint.get("/moves")
@needs(Act.MOVE)
def moves(id_: str) -> ResponseReturnValue:
    """Offer moves that are legal now and hold what was typed."""
    found = suggestions(_look(id_), request.args.get("move", ""))
    return render_template("tables/suggestions.html", moves=found)


@blueprint.post("/moves")
@limiter.limit(change_limit)
@needs(Act.MOVE)
def enter(id_: str) -> ResponseReturnValue:
    """Add a move that somebody wrote."""
    enter_move(_look(id_), request.form.get("move", ""))
    return _back(id_)


@blueprint.post("/answers")
@limiter.limit(change_limit)
@needs(Act.ANSWER)
def answer(id_: str) -> ResponseReturnValue:
    """Answer a question that this visitor may see."""
    form = request.form
    answer_question(_look(id_), form.get("question", ""), form.get("value", ""))
    return _back(id_)


@blueprint.post("/undo")
@limiter.limit(change_limit)
@needs(Act.CORRECT)
def take_back(id_: str) -> ResponseReturnValue:
    """Take an event back: a new event, nothing is deleted."""
    undo(_look(id_), _number(request.form.get("seq")))
    return _back(id_)


@blueprint.post("/photo")
@limiter.limit(read_limit)
@needs(Act.MOVE)
def photo(id_: str) -> ResponseReturnValue:
    """Play what a photo of the table shows."""
    photograph(_look(id_))
    return redirect(url_for("tables.show", id_=id_), 303)


@blueprint.get("/now.jpg")
@needs(Act.LOOK)
def now(id_: str) -> ResponseReturnValue:
    """Send the last picture of the table."""
    seen = None if _look(id_).delay_s else seen_now(id_)
    if seen is None or not seen.jpeg:
        raise NotFound
    return send_file(io.BytesIO(seen.jpeg), mimetype="image/jpeg", max_age=60)


@blueprint.get("/cards/<placement>")
@needs(Act.CORRECT)
def choose(id_: str, placement: str) -> ResponseReturnValue:
    """Offer what a card of the last picture may be."""
    return render_template("tables/choose.html", **choose_view(_look(id_), placement))


@blueprint.post("/cards/<placement>")
@limiter.limit(change_limit)
@needs(Act.CORRECT)
def correct(id_: str, placement: str) -> ResponseReturnValue:
    """Put a card right: what followed from it is taken back and played anew."""
    put_right(_look(id_), placement, request.form.get("value", ""))
    return redirect(url_for("tables.show", id_=id_), 303)


@blueprint.get("/events/<int:seq>")
@needs(Act.LOOK)
def moment(id_: str, seq: int) -> ResponseReturnValue:
    """Look at one event: what was ruled, and its pictures."""
    look = _look(id_)
    event = _event(look, seq)
    one = told(look.table, event, look.live, Listener(look.standing, look.language))
    return render_template(
        "tables/moment.html", one=one, table=look.table, standing=look.standing, Act=Act
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
    _event(_look(id_), seq)
    hall().ledger.mark_disputed(id_, seq)
    return redirect(url_for("tables.moment", id_=id_, seq=seq), 303)


@blueprint.post("/events/<int:seq>/overrule")
@limiter.limit(change_limit)
@needs(Act.RULE)
def rule(id_: str, seq: int) -> ResponseReturnValue:
    """Overrule an event, with a reason that everybody reads."""
    look = _look(id_)
    overrule(look, _event(look, seq), request.form)
    return _back(id_)


@blueprint.get("/pictures/<sha256>.jpg")
@needs(Act.LOOK)
def picture(id_: str, sha256: str) -> ResponseReturnValue:
    """Send a picture of this table; of no other, whoever knows its name."""
    look = _look(id_)
    if not any(sha256 in event.evidence for event in events_of(look, 0)):
        raise NotFound
    blob = hall().ledger.blob(sha256)
    return send_file(io.BytesIO(blob), mimetype="image/jpeg", max_age=3600)


@blueprint.get("/seats")
@needs(Act.INVITE)
def seats(id_: str) -> ResponseReturnValue:
    """Show how people join: the code to watch, a key for every seat."""
    table = hall().ledger.table(id_)
    keys, taken = hall().seats.keys(id_), hall().seats.taken(id_)
    rows = [
        {
            "seat": seat,
            "name": table.seats[seat] if seat < len(table.seats) else "",
            "key": key,
            "taken": seat in taken,
        }
        for seat, key in keys.items()
    ]
    return render_template(
        "tables/seats.html", table=table, rows=rows, url=join_url(table.code)
    )


@blueprint.get("/seats/<int:seat>.svg")
@needs(Act.INVITE)
def seat_code(id_: str, seat: int) -> ResponseReturnValue:
    """Draw the QR code that lets somebody sit down; the key stays in the phone."""
    table, key = hall().ledger.table(id_), hall().seats.keys(id_).get(seat)
    if key is None:
        raise NotFound
    return _svg(qr_svg(f"{join_url(table.code)}#{key}"))


@blueprint.get("/code.svg")
@needs(Act.LOOK)
def code(id_: str) -> ResponseReturnValue:
    """Draw the QR code that lets somebody watch."""
    return _svg(qr_svg(join_url(hall().ledger.table(id_).code)))


@blueprint.post("/seats/<int:seat>/free")
@limiter.limit(change_limit)
@needs(Act.INVITE)
def free(id_: str, seat: int) -> ResponseReturnValue:
    """Free a seat; its key is replaced."""
    hall().seats.free(id_, seat)
    return redirect(url_for("tables.seats", id_=id_), 303)


@blueprint.post("/close")
@limiter.limit(change_limit)
@needs(Act.INVITE)
def close(id_: str) -> ResponseReturnValue:
    """Put a table among those that are over."""
    hall().ledger.table(id_)
    hall().seats.close(id_)
    return redirect(url_for("hall.index"), 303)


def _look(id_: str) -> Look:
    return look_at(id_, asking().standing, language())


def _event(look: Look, seq: int) -> Event:
    for event in events_of(look, seq - 1):
        if event.seq == seq:
            return event
    raise NotFound


def _evidence(id_: str, seq: int) -> Moment:
    """Return what is taken away of a moment; cut to what the visitor may know."""
    from companion.evidence.moment import WINDOW, Moment  # noqa: PLC0415 - reportlab

    look, ledger = _look(id_), hall().ledger
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
        key=ledger.key,
        language=look.language,
    )


def _file(data: bytes, mimetype: str, name: str) -> ResponseReturnValue:
    return send_file(
        io.BytesIO(data), mimetype=mimetype, as_attachment=True, download_name=name
    )


def _back(id_: str) -> ResponseReturnValue:
    if request.headers.get("HX-Request"):
        return stage_html(_look(id_))
    return redirect(url_for("tables.show", id_=id_), 303)


def _number(text: str | None) -> int:
    """Return a sequence number; 0 for anything that is none."""
    return int(text) if text and text.isascii() and text.isdigit() else 0


def _svg(drawn: str) -> Response:
    return Response(drawn, mimetype="image/svg+xml")
