"""The pages without a result: home, rules, source, and the choice of language."""

from __future__ import annotations

import io
from urllib.parse import urlsplit

from flask import (
    Blueprint,
    current_app,
    redirect,
    render_template,
    request,
    send_file,
    session,
)
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from companion import showcase
from companion.about import our_version, source_archive
from companion.errors import UnknownReadingError
from companion.store import Record
from companion.tables.rights import Act
from companion.web.keeping import Wanted, keep_result
from companion.web.language import THEMES, language
from companion.web.live_guard import needs
from companion.web.looking import gear_of_form
from companion.web.markdown import rules_html
from companion.web.parts import (
    decks_asked,
    limiter,
    parts,
    read_limit,
    uploaded,
)
from companion.web.terms import chosen_game, chosen_options, game_choices
from companion.web.thumbs import small_jpeg
from engines.core.text import LANGUAGES

blueprint = Blueprint("pages", __name__)


@blueprint.get("/")
@needs(Act.ENTER)
def home() -> ResponseReturnValue:
    """Choose a game and a picture."""
    games = game_choices()
    names = [game.name for game in games]
    last = next((n for n in (session.get("game"), showcase.GAME) if n in names), "")
    return render_template(
        "home.html",
        games=games,
        chosen=next((game for game in games if game.name == last), games[0]),
        counts=sorted({count for game in games for count in game.players}),
        demos=showcase.tables(),
        recent=_recent(),
    )


@blueprint.post("/read")
@limiter.limit(read_limit)
@needs(Act.PHOTO)
def read() -> ResponseReturnValue:
    """Read the picture that was sent, and show the result."""
    data, name = uploaded()
    return _keep(data, name)


@blueprint.post("/demo/<name>")
@limiter.limit(read_limit)
@needs(Act.PHOTO)
def demo(name: str) -> ResponseReturnValue:
    """Read one of the pictures that ship with Arbitro."""
    table = _demo(name)
    return _keep(table.path.read_bytes(), table.path.name)


@blueprint.get("/demo/<name>.jpg")
@needs(Act.ENTER)
def demo_picture(name: str) -> ResponseReturnValue:
    """Show one of the pictures that ship with Arbitro, small."""
    data = io.BytesIO(small_jpeg(_demo(name).path))
    return send_file(data, mimetype="image/jpeg", max_age=3600)


@blueprint.get("/rules/<game>")
@needs(Act.ENTER)
def rules(game: str) -> ResponseReturnValue:
    """Show the rules of a game; every heading with a number is an anchor."""
    return render_template("rules.html", game=game, body=rules_html(game, language()))


@blueprint.get("/source")
@limiter.limit("6/minute")
@needs(Act.ENTER)
def source() -> ResponseReturnValue:
    """Give the source of what runs here, as the licence asks."""
    if url := parts().config.source_url:
        return redirect(url)
    return send_file(
        io.BytesIO(source_archive()),
        mimetype="application/gzip",
        as_attachment=True,
        download_name=f"arbitro-{our_version()}.tar.gz",
    )


@blueprint.get("/worker.js")
@needs(Act.ENTER)
def worker() -> ResponseReturnValue:
    """Send the script that keeps files of the style on phones; it serves all paths."""
    answer = current_app.send_static_file("worker.js")
    answer.headers["Cache-Control"] = "no-cache"
    return answer


@blueprint.get("/offline")
@needs(Act.ENTER)
def offline() -> ResponseReturnValue:
    """Show what phones say while the server is not reached."""
    return render_template("offline.html")


@blueprint.post("/settings")
@needs(Act.ENTER)
def settings() -> ResponseReturnValue:
    """Choose language or colours, and go back."""
    if (wanted := request.form.get("language")) in LANGUAGES:
        session["language"] = wanted
    if (theme := request.form.get("theme")) in THEMES:
        session["theme"] = theme
    session.permanent = True
    return redirect(own_path(request.form.get("back", "/")), 303)


def own_path(target: str) -> str:
    """Return `target` if it is a path of this page, else the home page."""
    parsed = urlsplit(target.replace("\\", "/"))
    is_ours = not parsed.scheme and not parsed.netloc and target.startswith("/")
    clean = is_ours and not any(ord(letter) < 33 for letter in target)
    return target if clean and not target.startswith("//") else "/"


def _keep(data: bytes, name: str) -> ResponseReturnValue:
    game = chosen_game()
    options, gear = chosen_options(game), gear_of_form(game)
    return keep_result(data, name, Wanted(game, gear, decks_asked(), options))


def _recent() -> list[Record]:
    found = []
    for id_ in session.get("recent", []):
        try:
            found.append(parts().store.load(str(id_)))
        except UnknownReadingError:
            continue
    return found


def _demo(name: str) -> showcase.DemoTable:
    for table in showcase.tables():
        if table.name == name:
            return table
    raise NotFound
