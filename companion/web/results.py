"""One result: the picture with what was seen, the sheet, and what people say to it."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Blueprint, redirect, render_template, request, send_file, url_for
from flask.typing import ResponseReturnValue

from companion.corrections import AS_SEEN, FACE_DOWN, NO_CARD
from companion.errors import UnknownReadingError, UsageError
from companion.i18n import N_
from companion.measure import is_measured
from companion.referee import check_answer, game_options, open_questions
from companion.report import score_json
from companion.store import ANSWER, CARD, OPTION, RULING, Decision, Record
from companion.tables.people import clean_name
from companion.tables.rights import Act
from companion.web.language import language
from companion.web.live_guard import asking, needs
from companion.web.parts import change_limit, limiter, parts
from companion.web.record_view import choose_view, labels_of, result_view, scored_of
from companion.web.rulings import decided, differing
from companion.web.terms import choice_of
from companion.web.thumbs import small_jpeg
from engines import load_game
from engines.core.house import house_rulings
from vision.types import Kind, Placement

if TYPE_CHECKING:
    from companion.ledger.signing import SigningKey

SIGNING_KEY = "arbitro-key.txt"
"""Beside the ledger `arbitro.db`, which signs with it too."""
blueprint = Blueprint("results", __name__, url_prefix="/t/<id_>")


@blueprint.get("")
@needs(Act.KEYED)
def show(id_: str) -> ResponseReturnValue:
    """Show the result."""
    record = parts().store.load(id_)
    view = result_view(record, language(), parts().config.keep_s)
    return render_template("result.html", standing=asking().standing, **view)


@blueprint.get("/picture.jpg")
@needs(Act.KEYED)
def picture(id_: str) -> ResponseReturnValue:
    """Send the picture, or with ``?small`` one for a list."""
    path = parts().store.picture(id_).resolve()
    if "small" in request.args:
        data = io.BytesIO(small_jpeg(path))
        return send_file(data, mimetype="image/jpeg", max_age=3600)
    return send_file(path, mimetype="image/jpeg", max_age=3600)


@blueprint.get("/result.json")
@needs(Act.KEYED)
def document(id_: str) -> ResponseReturnValue:
    """Send the document of `arbitro score`, corrections and answers applied."""
    return score_json(scored_of(parts().store.load(id_)), language())


@blueprint.get("/evidence.pdf")
@limiter.limit(change_limit)
@needs(Act.KEYED)
def evidence_page(id_: str) -> ResponseReturnValue:
    """Send the ruling as a printable page."""
    from companion.evidence.result import (  # noqa: PLC0415 - imports reportlab
        overlay_jpeg,
        result_pdf,
    )

    record = parts().store.load(id_)
    scored = scored_of(record)
    picture = parts().store.picture(id_).read_bytes()
    overlay = overlay_jpeg(record, scored, picture, language())
    pdf = result_pdf(record, scored, overlay, _key(), language())
    return _file(pdf, "application/pdf", f"arbitro-{record.id}.pdf")


@blueprint.get("/evidence.zip")
@limiter.limit(change_limit)
@needs(Act.KEYED)
def evidence_pack(id_: str) -> ResponseReturnValue:
    """Send the signed pack that `arbitro verify` accepts."""
    from companion.evidence.result import (  # noqa: PLC0415 - imports reportlab
        result_pack,
    )

    record = parts().store.load(id_)
    picture = parts().store.picture(id_).read_bytes()
    pack = result_pack(record, scored_of(record), picture, _key(), language())
    return _file(pack, "application/zip", f"arbitro-{record.id}.zip")


@blueprint.get("/card/<placement>")
@needs(Act.KEYED)
def choose(id_: str, placement: str) -> ResponseReturnValue:
    """Offer what a card may be: the likely faces first, then the whole kit."""
    record = parts().store.load(id_)
    view = choose_view(record, _seen(record, placement), language())
    special = {"none": NO_CARD, "seen": AS_SEEN}
    if not view["is_chip"]:
        special["back"] = FACE_DOWN
    return render_template("choose.html", special=special, **view)


@blueprint.post("/card/<placement>")
@limiter.limit(change_limit)
@needs(Act.KEYED)
def correct(id_: str, placement: str) -> ResponseReturnValue:
    """Put a card right."""
    record = parts().store.load(id_)
    _seen(record, placement)
    value = request.form.get("value", "")
    if value not in {*labels_of(record), FACE_DOWN, NO_CARD, AS_SEEN}:
        raise UsageError(N_("There is no such card in this game."))
    parts().store.append(record.id, CARD, placement, value)
    return _back(record)


@blueprint.post("/answer")
@limiter.limit(change_limit)
@needs(Act.KEYED)
def answer(id_: str) -> ResponseReturnValue:
    """Answer a question, or take an answer back with an empty value."""
    record = parts().store.load(id_)
    asked = request.form.get("question", "")
    value = request.form.get("value", "")
    scored = scored_of(record)
    known = {question.id: question for question, _ in scored.answered}
    known |= {question.id: question for question in open_questions(scored)}
    if asked not in known:
        raise UsageError(N_("This question is no longer open."))
    if value:
        check_answer(known[asked], value)
    parts().store.append(record.id, ANSWER, asked, value)
    return _back(record)


@blueprint.post("/options")
@limiter.limit(change_limit)
@needs(Act.KEYED)
def options(id_: str) -> ResponseReturnValue:
    """Change the number of players, or what the table agreed on."""
    record = parts().store.load(id_)
    if (players := request.form.get("players")) is None:
        return _ruled(record)
    if players not in map(str, choice_of(record.game).players):
        raise UsageError(N_("This game is not played by so many."))
    parts().store.append(record.id, OPTION, "players", players)
    return _back(record)


def _ruled(record: Record) -> ResponseReturnValue:
    """Keep what was decided otherwise than before; refuse what does not go together."""
    before = record.chosen_options
    wanted = differing(record.game, decided(record.game))
    rulings = {ruling.key for ruling in house_rulings(record.game)}
    kept = {key: value for key, value in before.items() if key not in rulings}
    game_options(load_game(record.game), {**kept, **wanted})
    for key in sorted(rulings):
        if before.get(key, "") != wanted.get(key, ""):
            parts().store.append(record.id, OPTION, key, wanted.get(key, ""))
    return _back(record)


@blueprint.post("/ruling")
@limiter.limit(change_limit)
@needs(Act.RULE)
def rule(id_: str) -> ResponseReturnValue:
    """Accept a ruling on the picture, or overrule it with a reason."""
    record, form = parts().store.load(id_), request.form
    claims = {str(item.claim) for item in scored_of(record).sheet.rulings}
    about, reason = form.get("about", ""), clean_name(form.get("reason", ""))
    is_accepted = form.get("decision") == "accepted"
    if about and about not in claims:
        raise UsageError(N_("There is no such ruling on this picture."))
    if not is_accepted and not reason:
        raise UsageError(N_("A ruling needs a reason that the players can read."))
    who, now = asking().standing.person, datetime.now(UTC)
    decision = Decision(about, is_accepted, who, reason, now)
    parts().store.append(record.id, RULING, about, decision.written())
    return _back(record)


@blueprint.post("/delete")
@limiter.limit(change_limit)
@needs(Act.KEYED)
def delete(id_: str) -> ResponseReturnValue:
    """Forget the picture and everything said about it."""
    parts().store.delete(id_)
    return redirect(url_for("pages.home"), 303)


def _seen(record: Record, id_: str) -> Placement:
    kinds = {Kind.DISC} if is_measured(record.game) else {Kind.CARD, Kind.BACK}
    for placement in record.observation.placements:
        if placement.id == id_ and placement.kind in kinds:
            return placement
    raise UnknownReadingError


def _key() -> SigningKey:
    from companion.ledger.signing import load_key  # noqa: PLC0415 - cryptography

    return load_key(parts().config.folder / SIGNING_KEY)


def _file(data: bytes, mimetype: str, name: str) -> ResponseReturnValue:
    return send_file(
        io.BytesIO(data), mimetype=mimetype, as_attachment=True, download_name=name
    )


def _back(record: Record) -> ResponseReturnValue:
    return redirect(url_for("results.show", id_=record.id), 303)
