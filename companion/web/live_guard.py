"""Who asks, and whether it is granted: refused is what no line of `rights` allows.

Every view of the tables says with `@needs` which act it is. One without is refused to
everybody, so that a forgotten line closes a door instead of opening it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from flask import Blueprint, current_app, g, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask.wrappers import Response

from companion.errors import CompanionError
from companion.i18n import N_
from companion.tables.hall import Hall, open_hall
from companion.tables.people import KEEP_S, Visitor
from companion.tables.rights import CONFIRMED, Act, Standing
from companion.web.parts import parts

View = TypeVar("View", bound=Callable[..., ResponseReturnValue])
PLAIN_COOKIE, HOST_COOKIE = "arbitro_id", "__Host-arbitro_id"
MARK = "arbitro_act"


class NotAllowedError(CompanionError):
    """This visitor may not do that at this table."""

    http_status = 403
    code = "not_allowed"

    def __init__(self) -> None:
        super().__init__(
            N_("This is not open to you. Join the table with its code first.")
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


def guard(blueprint: Blueprint) -> Blueprint:
    """Return a blueprint whose views are open to those only who may do their act."""

    @blueprint.before_request
    def check() -> ResponseReturnValue | None:
        view_args = request.view_args or {}
        who = hall().people.visitor(request.cookies.get(_cookie()))
        standing = hall().seats.standing(who, view_args.get("id_"))
        g.asking = Asking(who, standing)
        act = act_of(current_app.view_functions.get(request.endpoint or ""))
        if act is None or not standing.may(act):
            raise NotAllowedError
        if act in CONFIRMED and not standing.is_confirmed:
            if request.method == "GET":
                return redirect(url_for("hall.confirm", back=request.path))
            raise ConfirmError
        return None

    @blueprint.after_request
    def remember(response: Response) -> Response:
        found: Asking | None = g.get("asking")
        if found is not None and found.token is not None:
            _set_cookie(response, found.token)
        return response

    return blueprint


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
