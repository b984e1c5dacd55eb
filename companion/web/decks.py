"""Decks on the page: photos in, cards cut out, named from the kit, kept."""

from __future__ import annotations

import io
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from flask import Blueprint, redirect, render_template, request, send_file, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from companion.decks.checks import check, check_against
from companion.decks.errors import DeckError
from companion.decks.naming import BACK, SKIP
from companion.decks.places import FILE, deck_folder, deck_names, load, rivals_of
from companion.errors import UsageError
from companion.i18n import N_
from companion.measure import is_measured
from companion.referee import game_kit
from companion.tables.gear import NO_DECKS, deck_fact
from companion.tables.rights import Act
from companion.web import deck_drafts as drafts
from companion.web.language import language
from companion.web.live_guard import needs
from companion.web.looking import looking
from companion.web.parts import change_limit, limiter, parts, read_limit, uploads
from companion.web.terms import game_choices
from companion.zips import deck_of_zip

blueprint = Blueprint("decks", __name__, url_prefix="/setup/decks")
MOST_PAIRS = 12
FACTIONS = {
    "humans": N_("humans"),
    "orcs": N_("orcs"),
    "dwarves": N_("dwarves"),
    "undead": N_("undead"),
}
NOTES = {
    "askew": N_("cut askew"),
    "soft": N_("not sharp"),
    "glare": N_("glare"),
    "small": N_("small"),
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two faces that look alike."""

    one: tuple[str, str]
    """Label, and the number of its picture."""
    other: tuple[str, str]
    percent: int


@blueprint.get("")
@needs(Act.SETUP)
def index() -> ResponseReturnValue:
    """List the decks, and offer to make one."""
    names = sorted({*deck_names(), *drafts.draft_names()})
    rows = [(name, *deck_fact(name), name in deck_names()) for name in names]
    games = [game for game in game_choices() if _has_own_cards(game.name)]
    return render_template(
        "setup/decks.html", rows=rows, games=games, factions=FACTIONS
    )


@blueprint.post("")
@limiter.limit(change_limit)
@needs(Act.SETUP)
def make() -> ResponseReturnValue:
    """Begin a deck, or take one in from a zip file."""
    form = request.form
    name = form.get("name", "").strip()
    if (file := request.files.get("zip")) is not None and file.filename:
        _take_in(name, file.stream.read())
    else:
        meta = {key: form.get(key, "").strip()[:40] for key in drafts.META_KEYS}
        drafts.begin(name, form.get("game", ""), meta)
    return redirect(url_for("decks.edit", name=name), 303)


@blueprint.get("/<name>")
@needs(Act.SETUP)
def edit(name: str) -> ResponseReturnValue:
    """Show the cards of a deck with their names: a contact sheet to write on."""
    return _sheet(_draft(name))


@blueprint.post("/<name>/photos")
@limiter.limit(read_limit)
@needs(Act.SETUP)
def photos(name: str) -> ResponseReturnValue:
    """Cut the cards out of photos."""
    draft, count = _draft(name), 0
    for data, source in uploads():
        with parts().sight.turn():
            draft, found = drafts.add_photo(draft, data, source)
        count += found
    if not count:
        raise DeckError(
            N_(
                "No card was found in these pictures. Lay the cards apart, on a plain"
                " table, and photograph them from above."
            )
        )
    return redirect(url_for("decks.edit", name=name, _anchor="names"), 303)


@blueprint.post("/<name>")
@limiter.limit(change_limit)
@needs(Act.SETUP)
def save(name: str) -> ResponseReturnValue:
    """Keep the names; the deck is made of every card that has one."""
    draft = _draft(name)
    if gone := request.form.get("remove", ""):
        drafts.without(draft, gone)
        return redirect(url_for("decks.edit", name=name, _anchor="names"), 303)
    written = {
        key.removeprefix("card."): value
        for key, value in request.form.items()
        if key.startswith("card.")
    }
    draft, wrong = drafts.named(draft, written)
    if wrong:
        return _sheet(draft, wrong), 400
    drafts.made(draft)
    looking().forget()
    return redirect(url_for("decks.edit", name=name, _anchor="remarks"), 303)


@blueprint.get("/<name>/cards/<int:number>.png")
@needs(Act.SETUP)
def card(name: str, number: int) -> ResponseReturnValue:
    """Send one of the cut-out cards."""
    path = _draft(name).folder / f"{number}.png"
    if not path.is_file():
        raise NotFound
    return send_file(path.resolve(), mimetype="image/png", max_age=0)


@blueprint.get("/<name>/deck.zip")
@needs(Act.SETUP)
def download(name: str) -> ResponseReturnValue:
    """Send the deck as one file."""
    from vision.gallery import export_zip  # noqa: PLC0415 - imports OpenCV

    gallery = load(_known(name))
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "deck.zip"
        export_zip(gallery, path)
        data = io.BytesIO(path.read_bytes())
    return send_file(
        data,
        mimetype="application/zip",
        as_attachment=True,
        download_name=f"{name}.zip",
    )


@blueprint.post("/<name>/delete")
@limiter.limit(change_limit)
@needs(Act.SETUP)
def delete(name: str) -> ResponseReturnValue:
    """Forget a deck."""
    _draft(name)
    drafts.forget(name)
    looking().forget()
    return redirect(url_for("decks.index"), 303)


def _sheet(draft: drafts.Draft, wrong: tuple[str, ...] = ()) -> str:
    kit, deck = draft.kit, deck_folder(draft.name)
    gallery = load(deck) if (deck / FILE).is_file() else None
    remarks = () if gallery is None else check(gallery, kit)
    if gallery is not None:
        remarks = (*remarks, *check_against(gallery, rivals_of(gallery)))
    return render_template(
        "setup/deck.html",
        draft=draft,
        wrong=wrong,
        faces=[(face.label, face.name(language())) for face in kit.faces],
        special=(BACK, SKIP),
        notes=NOTES,
        made=gallery,
        remarks=[(item.is_fault, item.sentence(language())) for item in remarks],
        pairs=_pairs(draft, gallery) if gallery is not None else (),
    )


def _pairs(draft: drafts.Draft, gallery: object) -> list[Pair]:
    """Return the pairs of faces that could be taken for each other."""
    from companion.decks.naming import read_name  # noqa: PLC0415 - only here
    from vision.alike import look_alikes  # noqa: PLC0415 - imports OpenCV
    from vision.gallery import Gallery  # noqa: PLC0415 - as above

    assert isinstance(gallery, Gallery)
    first: dict[str, str] = {}
    for one in draft.cards:
        name = read_name(one.name, draft.kit)
        if name is not None:
            first.setdefault(name.label, one.file.partition(".")[0])
    return [
        Pair(
            (pair.one, first[pair.one]),
            (pair.other, first[pair.other]),
            round(pair.likeness * 100),
        )
        for pair in look_alikes(gallery)[:MOST_PAIRS]
        if pair.one in first and pair.other in first
    ]


def _take_in(name: str, data: bytes) -> None:
    from vision.gallery import save_gallery  # noqa: PLC0415 - imports OpenCV

    folder = deck_folder(name)
    if (folder / FILE).is_file():
        raise UsageError(N_("There is a deck %(name)s already."), name=name)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "deck.zip"
        path.write_bytes(data)
        gallery = replace(deck_of_zip(path), name=folder.name)
    save_gallery(gallery, folder)


def _draft(name: str) -> drafts.Draft:
    try:
        found = drafts.open_draft(name)
    except DeckError:
        found = None
    if found is None:
        raise NotFound
    return found


def _known(name: str) -> Path:
    if name not in deck_names():
        raise NotFound
    return deck_folder(name)


def _has_own_cards(game: str) -> bool:
    kit = game_kit(game)
    return kit is not None and game not in NO_DECKS and not is_measured(game)
