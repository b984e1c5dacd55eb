"""Tables in play, a new one, joining by a code, and signing in."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.errors import CompanionError, UsageError
from companion.i18n import N_
from companion.tables.people import Person, clean_name
from companion.tables.rights import Act, Role
from companion.web.live_guard import arrive, asking, hall, needs
from companion.web.live_setup import names_of, options_of, options_with
from companion.web.live_watch import begin_watch, check_source, offered
from companion.web.looking import gear_of_form
from companion.web.pages import own_path
from companion.web.parts import change_limit, limiter
from companion.web.rulings import decided
from companion.web.terms import chosen_game, game_choices

blueprint = Blueprint("hall", __name__)
LISTED = 60
DELAYS_S = ("0", "60", "300", "900")
SIGN_IN_LIMIT = "10/minute"
JOIN_LIMIT = "20/minute"


@blueprint.get("/tables")
@needs(Act.ENTER)
def index() -> ResponseReturnValue:
    """Show the tables that this visitor may look at."""
    return render_template(
        "tables/index.html",
        tables=_visible(),
        may_open=asking().standing.may(Act.OPEN),
        who=asking().who,
        is_organiser=Role.ORGANISER in asking().standing.roles,
    )


@blueprint.get("/tables/new")
@needs(Act.OPEN)
def new() -> ResponseReturnValue:
    """Ask for the game and the names of a new table."""
    games = game_choices()
    asked = request.args.get("game")
    chosen = next((game for game in games if game.name == asked), games[0])
    return render_template(
        "tables/new.html",
        games=games,
        chosen=chosen,
        seats=range(1, 9),
        cameras=offered(),
    )


@blueprint.post("/tables")
@limiter.limit("30/minute")
@needs(Act.OPEN)
def make() -> ResponseReturnValue:
    """Open a table; whoever does owns it."""
    game = chosen_game()
    names = names_of(request.form.getlist("name"))
    options, seats = options_of(game, names, decided(game))
    gear, source = gear_of_form(game), request.form.get("source", "")
    if source:
        check_source(source)
    owner = arrive()
    table = hall().ledger.create_table(
        game,
        options_with(options, game, gear),
        seats=seats,
        title=clean_name(request.form.get("title", "")),
    )
    listed = request.form.get("listed") == "yes"
    hall().seats.open(
        table.id,
        len(seats),
        is_listed=listed,
        owner=owner.id,
        gear=gear,
        delay_s=_delay_s(),
    )
    if source:
        begin_watch(table.id, source)
    return redirect(url_for("tables.seats", id_=table.id), 303)


@blueprint.get("/join")
@blueprint.get("/join/<code>")
@needs(Act.ENTER)
def join(code: str = "") -> ResponseReturnValue:
    """Ask for the code of a table, and the key of a seat if one was given."""
    return render_template("tables/join.html", code=code[:12], key="")


@blueprint.post("/join")
@limiter.limit(JOIN_LIMIT)
@needs(Act.ENTER)
def enter() -> ResponseReturnValue:
    """Let somebody watch, or sit down with the key of a seat."""
    code = "".join(request.form.get("code", "").split()).upper()
    try:
        table = hall().ledger.table_by_code(code)
    except CompanionError:
        table = None
    if table is None:
        raise UsageError(N_("There is no table with this code."))
    who = arrive()
    hall().seats.take(who.id, table.id, Role.SPECTATOR)
    if key := request.form.get("key", ""):
        hall().seats.sit_down(who.id, table.id, key)
        if asking().token is None:
            asking().token = hall().people.renew(who.id)
    return redirect(url_for("tables.show", id_=table.id), 303)


@blueprint.get("/welcome")
@needs(Act.ENTER)
def welcome() -> ResponseReturnValue:
    """Ask for a key of the house: it stands behind # in the address of its QR code."""
    return render_template("tables/welcome.html")


@blueprint.post("/welcome")
@limiter.limit(JOIN_LIMIT)
@needs(Act.ENTER)
def welcomed() -> ResponseReturnValue:
    """Give the role of a key of the house; the cookie changes with it."""
    who = arrive()
    role = hall().seats.enter_house(who.id, request.form.get("key", ""))
    if asking().token is None:
        asking().token = hall().people.renew(who.id)
    place = "camera.show" if role is Role.CAMERA else "setup.index"
    return redirect(url_for(place), 303)


@blueprint.get("/sign-in")
@needs(Act.ENTER)
def sign_in() -> ResponseReturnValue:
    """Ask a referee or organiser for name and secret."""
    return render_template("tables/sign_in.html", who=asking().who, back=_back())


@blueprint.post("/sign-in")
@limiter.limit(SIGN_IN_LIMIT)
@needs(Act.ENTER)
def signed_in() -> ResponseReturnValue:
    """Check name and secret; the cookie changes with the role."""
    who = arrive()
    name, secret = request.form.get("name", ""), request.form.get("secret", "")
    asking().token = hall().people.sign_in(who.id, name, secret)
    return redirect(_back(), 303)


@blueprint.post("/sign-out")
@needs(Act.ENTER)
def sign_out() -> ResponseReturnValue:
    """Forget this visitor, with all that they might do."""
    who = asking().who
    if who is not None:
        hall().people.sign_out(who.id)
    asking().token = ""
    return redirect(url_for("hall.index"), 303)


@blueprint.get("/confirm")
@needs(Act.ENTER)
def confirm() -> ResponseReturnValue:
    """Ask for the secret again."""
    return render_template("tables/confirm.html", who=asking().who, back=_back())


@blueprint.post("/confirm")
@limiter.limit(SIGN_IN_LIMIT)
@needs(Act.ENTER)
def confirmed() -> ResponseReturnValue:
    """Check the secret again, and go on."""
    who = asking().who
    if who is None or not who.person:
        return redirect(url_for("hall.sign_in", back=_back()), 303)
    hall().people.confirm(who, request.form.get("secret", ""))
    return redirect(_back(), 303)


@blueprint.get("/staff")
@needs(Act.STAFF)
def staff() -> ResponseReturnValue:
    """Show referees and organisers."""
    return _staff_page()


@blueprint.post("/staff")
@limiter.limit(change_limit)
@needs(Act.STAFF)
def add_staff() -> ResponseReturnValue:
    """Add somebody; the secret is shown once."""
    asked = request.form.get("role", "")
    role = Role.ORGANISER if asked == Role.ORGANISER else Role.REFEREE
    name = clean_name(request.form.get("name", ""))
    secret = hall().people.add(name, role)
    return _staff_page(name, secret)


@blueprint.post("/staff/<int:person>/remove")
@limiter.limit(change_limit)
@needs(Act.STAFF)
def remove_staff(person: int) -> ResponseReturnValue:
    """Remove somebody; the last organiser stays."""
    people = hall().people.staff()
    organisers = [one.id for one in people if one.role is Role.ORGANISER]
    if organisers == [person]:
        raise UsageError(N_("The last organiser cannot be removed here."))
    hall().people.remove(person)
    return redirect(url_for("hall.staff"), 303)


def _staff_page(name: str = "", secret: str = "") -> ResponseReturnValue:
    people: tuple[Person, ...] = hall().people.staff()
    return render_template("tables/staff.html", people=people, name=name, secret=secret)


def _delay_s() -> int:
    asked = request.form.get("delay", "0")
    return int(asked) if asked in DELAYS_S else 0


def _visible() -> list[dict[str, object]]:
    standing, who = asking().standing, asking().who
    mine: dict[str, list[str]] = {}
    for held in hall().seats.places(who.id) if who is not None else ():
        mine.setdefault(held.table_id, []).append(str(held.role))
    listed, closed = hall().seats.listed(), hall().seats.closed()
    shown = [
        {"table": table, "roles": mine.get(table.id, []), "over": table.id in closed}
        for table in hall().ledger.tables()
        if standing.is_staff or table.id in mine or table.id in listed
    ]
    shown.sort(key=lambda row: bool(row["over"]))
    return shown[:LISTED]


def _back() -> str:
    return own_path(request.values.get("back") or url_for("hall.index"))
