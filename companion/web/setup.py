"""Set-up on the page: what to print, and whether all is well."""

from __future__ import annotations

import io
from functools import partial

from flask import Blueprint, render_template, request, send_file
from flask.typing import ResponseReturnValue

from companion.doctor import Check, examine, examine_view
from companion.errors import CompanionError, NotHereError
from companion.i18n import say
from companion.tables.rights import Act, Role
from companion.web.camera import newest, newest_picture, shelf
from companion.web.house import glance_at, house_code
from companion.web.language import language
from companion.web.live_guard import needs
from companion.web.parts import limiter, parts, read_limit

blueprint = Blueprint("setup", __name__, url_prefix="/setup")


@blueprint.get("")
@needs(Act.SETUP)
def index() -> ResponseReturnValue:
    """Show what can be set up."""
    from vision.capture.webcam import list_webcams  # noqa: PLC0415 - imports OpenCV
    from vision.errors import CameraError  # noqa: PLC0415 - as above

    try:
        webcams = [webcam.name for webcam in list_webcams()]
    except CameraError:
        webcams = []
    return render_template(
        "setup/index.html", cameras=shelf().present(), webcams=webcams
    )


@blueprint.get("/print")
@needs(Act.ENTER)
def prints() -> ResponseReturnValue:
    """List everything that Arbitro prints, on the paper that is asked for."""
    from companion.prints.catalogue import (  # noqa: PLC0415 - imports reportlab
        about,
        known_paper,
    )
    from companion.prints.catalogue import prints as all_prints  # noqa: PLC0415
    from companion.prints.paper import PAPERS  # noqa: PLC0415

    paper = request.args.get("paper") or None
    if paper is not None:
        known_paper(paper)
    items = [(item.what, about(item, language())) for item in all_prints()]
    return render_template("setup/print.html", items=items, papers=PAPERS, chosen=paper)


@blueprint.get("/print/<what>.pdf")
@limiter.limit(read_limit)
@needs(Act.ENTER)
def sheet(what: str) -> ResponseReturnValue:
    """Send one of the PDFs."""
    from companion.prints.catalogue import (  # noqa: PLC0415 - imports reportlab
        drawn,
        find_print,
    )

    item = find_print(tuple(what.split()))
    pdf, size = drawn(item, request.args.get("paper") or None, language())
    return send_file(
        io.BytesIO(pdf),
        mimetype="application/pdf",
        as_attachment=True,
        download_name=f"arbitro-{item.what.replace(' ', '-')}-{size}.pdf",
    )


@blueprint.get("/doctor")
@limiter.limit(read_limit)
@needs(Act.SETUP)
def doctor() -> ResponseReturnValue:
    """Show whether all is well, and what each camera sees."""
    try:
        see = parts().sight.pipeline(1)
    except NotHereError:
        see = None
    found = list(examine(parts().config, see))
    views = [(name, _view_of(name)) for name in shelf().present()]
    return render_template(
        "setup/doctor.html",
        checks=found,
        views=views,
        told=lambda check: check.told(partial(say, language())),
    )


@blueprint.get("/cameras/<name>.jpg")
@needs(Act.SETUP)
def thumbnail(name: str) -> ResponseReturnValue:
    """Send the newest picture of a phone."""
    return newest_picture(name)


@blueprint.get("/webcams/<int:number>.jpg")
@limiter.limit(read_limit)
@needs(Act.SETUP)
def webcam(number: int) -> ResponseReturnValue:
    """Send what a webcam of this machine sees now, small."""
    return send_file(io.BytesIO(glance_at(number)), mimetype="image/jpeg", max_age=0)


@blueprint.get("/camera-code.svg")
@needs(Act.SETUP)
def camera_code() -> ResponseReturnValue:
    """Draw the QR code that lets a phone film, over HTTPS where that is served."""
    return house_code(Role.CAMERA)


@blueprint.get("/keeper-code.svg")
@needs(Act.SETUP)
def keeper_code() -> ResponseReturnValue:
    """Draw the QR code that lets another device set things up."""
    return house_code(Role.KEEPER)


def _view_of(name: str) -> list[Check]:
    try:
        found = newest(name)
        observation, _ = parts().sight.upload(
            found.jpeg, name, decks=1, width_px=parts().config.picture_px
        )
    except CompanionError:
        return []
    return examine_view(observation, language())
