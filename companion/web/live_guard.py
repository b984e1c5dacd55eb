"""Who asks, and whether it is granted: refused is what no line of `rights` allows.

Every view of the page says with `@needs` which act it is. One without is refused to
everybody, so that a forgotten line closes a door instead of opening it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from flask import Flask, current_app, g, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask.wrappers import Response

from companion.config import LOOPBACK_HOSTS
from companion.errors import CompanionError
from companion.i18n import N_
from companion.tables.hall import Hall, has_hall, open_hall
from companion.tables.people import KEEP_S, Visitor
from companion.tables.rights import CONFIRMED, Act, Role, Standing
from companion.web.parts import parts

View = TypeVar("View", bound=Callable[..., ResponseReturnValue])
PLAIN_COOKIE, HOST_COOKIE = "arbitro_id", "__Host-arbitro_id"
MARK = "arbitro_act"
PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")


class NotAllowedError(CompanionError):
    """This visitor may not do that at this table."""

    http_status = 403
    code = "not_allowed"

    def __init__(self, act: Act | None = None) -> None:
        super().__init__(
            N_(
                "This is not open to you. It is for the person at the machine that"
                " runs Arbitro, and for organisers."
            )
            if act in (Act.SETUP, Act.FILM)
            else N_("This is not open to you. Join the table with its code first.")
        )


class ConfirmError(CompanionError):
    """The secret must be given again before this."""

    http_status = 403
    code = "confirm"

    def __init__(self) -> None:
        super().__init__(N_("Give your secret again to do this."))


@dataclass(slots=True)
class Asking:
    """Who makes the present request."""

    who: Visitor | None
    standing: Standing
    token: str | None = None
    """A new token for the cookie; "" takes the cookie away."""


def needs(act: Act) -> Callable[[View], View]:
    """Return the mark of a view: it is this act."""

    def mark(view: View) -> View:
        setattr(view, MARK, act)
        return view

    return mark


def act_of(view: Callable[..., object] | None) -> Act | None:
    """Return which act a view is, `None` if it does not say."""
    found = getattr(view, MARK, None)
    return found if isinstance(found, Act) else None


def hall() -> Hall:
    """Return the tables of this installation; opened when first asked for."""
    extensions = current_app.extensions
    if "arbitro.hall" not in extensions:
        extensions["arbitro.hall"] = open_hall(parts().config.folder)
    found: Hall = extensions["arbitro.hall"]
    return found


def asking() -> Asking:
    """Return who makes the present request."""
    found: Asking = g.asking
    return found


def arrive() -> Visitor:
    """Return the visitor of this request; a new one gets a cookie."""
    if asking().who is None:
        asking().who, asking().token = hall().people.arrive()
    who = asking().who
    assert who is not None
    return who


def may(act: Act) -> bool:
    """Return whether the present visitor may do something; for templates."""
    found: Asking | None = g.get("asking")
    return found is not None and found.standing.may(act)


def register_guard(app: Flask) -> None:
    """Open every view to those only who may do its act; refuse views without one."""

    @app.before_request
    def check() -> ResponseReturnValue | None:
        endpoint = request.endpoint
        if endpoint in (None, "static"):
            return None  # there is no such page, or it is a file of the style
        g.asking = _who_asks((request.view_args or {}).get("id_"))
        standing = g.asking.standing
        act = act_of(current_app.view_functions.get(endpoint))
        if act is None or not standing.may(act):
            raise NotAllowedError(act)
        if act in CONFIRMED and not standing.is_confirmed:
            if request.method == "GET":
                return redirect(url_for("hall.confirm", back=request.path))
            raise ConfirmError
        return None

    @app.after_request
    def remember(response: Response) -> Response:
        found: Asking | None = g.get("asking")
        if found is not None and found.token is not None:
            _set_cookie(response, found.token)
        return response

    app.jinja_env.globals.update(may=may, Act=Act)


def _who_asks(table_id: str | None) -> Asking:
    token = request.cookies.get(_cookie())
    if token is None and not _has_hall():
        # Nobody was ever here: no need to make a database for a look at the page.
        return Asking(None, _at_home(Standing(is_open_house=table_id is None)))
    who = hall().people.visitor(token)
    return Asking(who, _at_home(hall().seats.standing(who, table_id)))


def _has_hall() -> bool:
    return "arbitro.hall" in current_app.extensions or has_hall(parts().config.folder)


def _at_home(standing: Standing) -> Standing:
    """Return the standing with the keeper's role for who sits at this machine."""
    if not is_at_the_machine() or (_has_hall() and hall().people.has_organiser()):
        return standing
    return replace(standing, roles=standing.roles | {Role.KEEPER})


def is_at_the_machine() -> bool:
    """Return whether the request comes from a browser on the very machine.

    Where a proxy stands in front everybody seems to: `Config.trusts_loopback` is off
    there, and a header that only proxies send is enough to doubt.
    """
    address = request.remote_addr or ""
    host = request.host.rpartition(":")[0] or request.host
    return (
        parts().config.trusts_loopback
        and (address == "::1" or address.startswith("127."))
        and (host in LOOPBACK_HOSTS or request.host in LOOPBACK_HOSTS)
        and not any(name in request.headers for name in PROXY_HEADERS)
    )


def _cookie() -> str:
    return HOST_COOKIE if request.is_secure else PLAIN_COOKIE


def _set_cookie(response: Response, token: str) -> None:
    if not token:
        response.delete_cookie(_cookie(), secure=request.is_secure)
        return
    response.set_cookie(
        _cookie(),
        token,
        max_age=int(KEEP_S),
        secure=request.is_secure,
        httponly=True,
        samesite="Lax",
    )
