"""A table in play: its page, its stream, and what people say to it."""

from __future__ import annotations

import io

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

from companion.tables.rights import Act
from companion.web.language import language
from companion.web.live_acts import answer_question, enter_move, undo
from companion.web.live_guard import asking, hall, needs
from companion.web.live_join import join_url, qr_svg
from companion.web.live_picture import choose_view, photograph, put_right, seen_now
from companion.web.live_stream import stream
from companion.web.live_view import (
    Look,
    look_at,
    said,
    stage,
    stage_html,
    state_json,
    suggestions,
)
from companion.web.parts import change_limit, limiter, read_limit
from companion.web.rulings import agreed

blueprint = Blueprint("tables", __name__, url_prefix="/tables/<id_>")


@blueprint.get("")
@needs(Act.LOOK)
def show(id_: str) -> ResponseReturnValue:
    """Show the table."""
    look = look_of(id_)
    return render_template(
        "tables/show.html",
        may_move=look.standing.may(Act.MOVE),
        agreed=agreed(look.table.game, look.table.options),
        **stage(look),
    )


@blueprint.get("/stage")
@needs(Act.LOOK)
def part(id_: str) -> ResponseReturnValue:
    """Show the part of the page that changes: for browsers whose stream is cut."""
    return stage_html(look_of(id_))


@blueprint.get("/state.json")
@needs(Act.LOOK)
def document(id_: str) -> ResponseReturnValue:
    """Send what this visitor may know of the table."""
    return jsonify(state_json(look_of(id_)))


@blueprint.get("/events")
@needs(Act.LOOK)
def events(id_: str) -> ResponseReturnValue:
    """Send the events after `Last-Event-ID` or `?since=`: streamed, or as JSON."""
    since = _number(request.headers.get("Last-Event-ID", request.args.get("since")))
    if "text/event-stream" in request.headers.get("Accept", ""):
        return stream(id_, asking().standing, language(), since)
    look = look_of(id_)
    return jsonify({"seq": look.live.seq, "events": said(look, since)})


@blueprint.get("/moves")
@needs(Act.MOVE)
def moves(id_: str) -> ResponseReturnValue:
    """Offer moves that are legal now and hold what was typed."""
    found = suggestions(look_of(id_), request.args.get("move", ""))
    return render_template("tables/suggestions.html", moves=found)


@blueprint.post("/moves")
@limiter.limit(change_limit)
@needs(Act.MOVE)
def enter(id_: str) -> ResponseReturnValue:
    """Add a move that somebody wrote."""
    enter_move(look_of(id_), request.form.get("move", ""))
    return back_to(id_)


@blueprint.post("/answers")
@limiter.limit(change_limit)
@needs(Act.ANSWER)
def answer(id_: str) -> ResponseReturnValue:
    """Answer a question that this visitor may see."""
    form = request.form
    answer_question(look_of(id_), form.get("question", ""), form.get("value", ""))
    return back_to(id_)


@blueprint.post("/undo")
@limiter.limit(change_limit)
@needs(Act.CORRECT)
def take_back(id_: str) -> ResponseReturnValue:
    """Take an event back: a new event, nothing is deleted."""
    undo(look_of(id_), _number(request.form.get("seq")))
    return back_to(id_)


@blueprint.post("/photo")
@limiter.limit(read_limit)
@needs(Act.MOVE)
def photo(id_: str) -> ResponseReturnValue:
    """Play what a photo of the table shows."""
    photograph(look_of(id_))
    return redirect(url_for("tables.show", id_=id_), 303)


@blueprint.get("/now.jpg")
@needs(Act.LOOK)
def now(id_: str) -> ResponseReturnValue:
    """Send the last picture of the table."""
    seen = None if look_of(id_).delay_s else seen_now(id_)
    if seen is None or not seen.jpeg:
        raise NotFound
    return send_file(io.BytesIO(seen.jpeg), mimetype="image/jpeg", max_age=60)


@blueprint.get("/cards/<placement>")
@needs(Act.CORRECT)
def choose(id_: str, placement: str) -> ResponseReturnValue:
    """Offer what a card of the last picture may be."""
    return render_template("tables/choose.html", **choose_view(look_of(id_), placement))


@blueprint.post("/cards/<placement>")
@limiter.limit(change_limit)
@needs(Act.CORRECT)
def correct(id_: str, placement: str) -> ResponseReturnValue:
    """Put a card right: what followed from it is taken back and played anew."""
    put_right(look_of(id_), placement, request.form.get("value", ""))
    return redirect(url_for("tables.show", id_=id_), 303)


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


def look_of(id_: str) -> Look:
    """Return a table as the present visitor sees it."""
    return look_at(id_, asking().standing, language())


def back_to(id_: str) -> ResponseReturnValue:
    """Return the table's page again, or the part of it that changes."""
    if request.headers.get("HX-Request"):
        return stage_html(look_of(id_))
    return redirect(url_for("tables.show", id_=id_), 303)


def _number(text: str | None) -> int:
    """Return a sequence number; 0 for anything that is none."""
    return int(text) if text and text.isascii() and text.isdigit() else 0


def _svg(drawn: str) -> Response:
    return Response(drawn, mimetype="image/svg+xml")
