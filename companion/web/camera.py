"""The phone as a live camera, and how a phone comes to trust this machine."""

from __future__ import annotations

import io

from flask import (
    Blueprint,
    Response,
    current_app,
    jsonify,
    render_template,
    request,
    send_file,
)
from flask.typing import ResponseReturnValue

from companion.cameras import CameraRefusedError, Shelf, Shelved
from companion.errors import CompanionError, NotHereError
from companion.i18n import N_
from companion.tables.rights import Act
from companion.web.live_guard import asking, needs
from companion.web.parts import limiter, parts

blueprint = Blueprint("camera", __name__)
LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
FRAMES_PER_MINUTE = "1800/minute"


def shelf() -> Shelf:
    """Return the shelf of the present application."""
    key = current_app.config["SECRET_KEY"]
    return Shelf(parts().config.folder / "cameras", key)


def newest(name: str) -> Shelved:
    """Return the newest picture of a phone; raise `NotHereError`."""
    found = shelf().newest(name)
    if found is None:
        raise NotHereError(N_("The camera %(name)s sends no pictures."), name=name)
    return found


def newest_picture(name: str) -> Response:
    """Return the newest picture of a phone as an answer."""
    data = io.BytesIO(newest(name).jpeg)
    return send_file(data, mimetype="image/jpeg", max_age=0)


@blueprint.get("/camera")
@needs(Act.ENTER)
def show() -> ResponseReturnValue:
    """Show the phone's camera and send it, where the browser allows that."""
    host = request.host.rpartition(":")[0] or request.host
    is_secure = request.scheme == "https" or host in LOCAL_HOSTS
    port = parts().config.https_port
    secure_url = f"https://{host}:{port}/camera" if port and not is_secure else ""
    return render_template(
        "camera.html", is_secure=is_secure, secure_url=secure_url, has_https=bool(port)
    )


@blueprint.post("/camera/key")
@needs(Act.FILM)
def admit() -> ResponseReturnValue:
    """Give a camera its key; who was only let film takes nobody's name away."""
    name = " ".join(request.form.get("name", "").split())
    standing = asking().standing
    key = shelf().admit(
        name, str(standing.visitor or ""), replaces=standing.may(Act.SETUP)
    )
    return jsonify({"name": name, "key": key})


@blueprint.post("/camera/frames")
@limiter.limit(FRAMES_PER_MINUTE)
@needs(Act.KEYED)
def take() -> ResponseReturnValue:
    """Take one picture: a JPEG, with key, counter and time in headers."""
    try:
        count = int(request.headers.get("X-Arbitro-Count", ""))
        taken_ms = int(request.headers.get("X-Arbitro-Taken", ""))
    except ValueError as error:
        raise CameraRefusedError(N_("The picture lacks its number or time.")) from error
    key = request.headers.get("X-Arbitro-Camera", "")
    name = shelf().put(key, request.get_data(), count=count, taken_ms=taken_ms)
    return jsonify({"name": name, "count": count})


@blueprint.get("/trust")
@needs(Act.ENTER)
def trust() -> ResponseReturnValue:
    """Explain how a phone comes to trust this machine."""
    from companion.certificates import fingerprint  # noqa: PLC0415 - cryptography

    try:
        print_ = fingerprint(parts().config.certificates)
    except CompanionError:
        print_ = ""
    return render_template("trust.html", fingerprint=print_)


@blueprint.get("/trust/arbitro.crt")
@needs(Act.ENTER)
def certificate() -> ResponseReturnValue:
    """Give the certificate of this machine's authority."""
    from companion.certificates import authority_der  # noqa: PLC0415 - cryptography

    return Response(
        authority_der(parts().config.certificates),
        content_type="application/x-x509-ca-cert",
        headers={"Content-Disposition": "attachment; filename=arbitro.crt"},
    )
