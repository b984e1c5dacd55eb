"""Keys of the house as QR codes, and a glance through the webcams of this machine."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from flask import Response, current_app, request

from companion.errors import NotHereError
from companion.i18n import N_
from companion.tables.rights import Role
from companion.web.live_guard import hall
from companion.web.live_join import own_url, qr_svg
from companion.web.parts import parts

if TYPE_CHECKING:
    from companion.watching.service import Watches

GLANCE_PX = 480
_looking = threading.Lock()


def house_code(role: Role) -> Response:
    """Return the QR code of the address that gives a role of the house, once."""
    url = own_url("/welcome")
    config = parts().config
    if role is Role.CAMERA and config.https_port and not request.is_secure:
        host = url.partition("://")[2].partition("/")[0]
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        url = f"https://{name}:{config.https_port}/welcome"
    key = hall().seats.house_key(role)
    return Response(qr_svg(f"{url}#{key}"), mimetype="image/svg+xml")


def glance_at(number: int) -> bytes:
    """Return a small JPEG of what a webcam sees; raise `NotHereError`.

    One at a time: two that open one camera disturb each other.
    """
    from vision.capture.webcam import Webcam, list_webcams  # noqa: PLC0415
    from vision.errors import CameraError  # noqa: PLC0415 - imports OpenCV
    from vision.images import to_jpeg  # noqa: PLC0415 - as above

    found = list_webcams()
    if number >= len(found):
        raise NotHereError(N_("There is no such camera."))
    if (seen := _seen_by_a_table(found[number].key)) is not None:
        return seen
    with _looking:
        source = Webcam(found[number].key)
        try:
            source.open()
            shot = source.read()
        except CameraError as error:
            raise NotHereError("%(reason)s", reason=str(error)) from error
        finally:
            source.close()
    step = max(1, shot.bgr.shape[1] // GLANCE_PX)
    return to_jpeg(shot.bgr[::step, ::step].copy(), 80)


def _seen_by_a_table(source: str) -> bytes | None:
    """Return what a table sees that is watched by this webcam, which it holds open."""
    if "arbitro.watches" not in current_app.extensions:
        return None
    watches: Watches = current_app.extensions["arbitro.watches"]
    for table_id, watch in watches.watched().items():
        shown = watches.shown(table_id) if watch.source == source else None
        if shown is not None:
            return shown.jpeg
    return None
