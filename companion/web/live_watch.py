"""A camera over the table: chosen, started and stopped on the table's page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.errors import UsageError
from companion.i18n import N_
from companion.tables.rights import Act
from companion.web.camera import newest_picture
from companion.web.live_guard import asking, hall, needs
from companion.web.looking import reader
from companion.web.parts import change_limit, limiter, parts

if TYPE_CHECKING:
    from companion.watching.service import Choice, Watches
    from engines.core import Question

blueprint = Blueprint("watching", __name__, url_prefix="/tables/<id_>/camera")


def watches() -> Watches:
    """Return the tables that cameras of this application watch."""
    extensions = current_app.extensions
    if "arbitro.watches" not in extensions:
        from companion.watching.service import Watches  # noqa: PLC0415 - heavy

        at, config = hall(), parts().config
        extensions["arbitro.watches"] = Watches(
            at.ledger,
            config.folder,
            allowed_hosts=config.camera_hosts,
            on_change=at.feeds.shake,
            reader=reader(),
        )
    found: Watches = extensions["arbitro.watches"]
    return found


def standing_of(table_id: str, language: str) -> dict[str, Any] | None:
    """Return how the camera of a table stands; `None` where none watches."""
    if "arbitro.watches" not in current_app.extensions:
        return None  # nothing was started here yet
    document = watches().document(table_id, language)
    return document if document["watched"] else None


def watched_questions(table_id: str) -> tuple[Question, ...] | None:
    """Return what is asked at a watched table; `None` where no camera watches."""
    if "arbitro.watches" not in current_app.extensions:
        return None
    return watches().questions(table_id)


def watch_version(table_id: str) -> int:
    """Return a number that grows with what the camera of a table shows."""
    if "arbitro.watches" not in current_app.extensions:
        return 0
    return watches().version(table_id)


@blueprint.get("")
@needs(Act.WATCH)
def choose(id_: str) -> ResponseReturnValue:
    """Offer the cameras there are: phones that send, and webcams to who may see them.

    A webcam shows the room where the machine stands; it is the keeper's to give.
    """
    table = hall().ledger.table(id_)
    watched, choices = watches().watched().get(id_), offered()
    return render_template(
        "tables/camera.html",
        table=table,
        choices=choices,
        phones=sum(choice.kind == "phone" for choice in choices),
        source=watched.source if watched else "",
        gear=hall().seats.gear(id_),
    )


@blueprint.post("")
@limiter.limit(change_limit)
@needs(Act.WATCH)
def start(id_: str) -> ResponseReturnValue:
    """Let a camera watch this table."""
    source = request.form.get("source", "").strip()
    if not source:
        raise UsageError(N_("Choose a camera first."))
    begin_watch(id_, source)
    return redirect(url_for("tables.show", id_=id_), 303)


def check_source(source: str) -> None:
    """Raise `UsageError` for a camera that this visitor is not offered."""
    is_address = "://" in source and asking().standing.may(Act.SETUP)
    if not is_address and source not in {choice.source for choice in offered()}:
        raise UsageError(N_("There is no such camera."))


def begin_watch(table_id: str, source: str) -> None:
    """Let a camera watch a table with its gear; raise `CompanionError`."""
    from companion.watching.kept import Watch  # noqa: PLC0415 - heavy

    check_source(source)
    gear = hall().seats.gear(table_id)
    watches().start(table_id, Watch(source, gear.decks, gear.board, gear.copies))


@blueprint.get("/<name>.jpg")
@needs(Act.WATCH)
def glance(id_: str, name: str) -> ResponseReturnValue:
    """Send the newest picture of a phone that may be chosen."""
    del id_
    return newest_picture(name)


@blueprint.post("/stop")
@limiter.limit(change_limit)
@needs(Act.WATCH)
def stop(id_: str) -> ResponseReturnValue:
    """Let the camera look away."""
    watches().stop(id_)
    return redirect(url_for("tables.show", id_=id_), 303)


@blueprint.post("/again")
@limiter.limit(change_limit)
@needs(Act.CORRECT)
def again(id_: str) -> ResponseReturnValue:
    """Have the whole table read anew."""
    watches().resync(id_)
    return redirect(url_for("tables.show", id_=id_), 303)


def offered() -> list[Choice]:
    """Return the cameras that this visitor may choose."""
    sees_webcams = asking().standing.may(Act.SETUP)
    return [
        choice
        for choice in watches().choices()
        if sees_webcams or choice.kind == "phone"
    ]
