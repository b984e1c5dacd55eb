"""Kits on the page: what is printed on Warstones units and City tokens."""

from __future__ import annotations

import io
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, redirect, render_template, request, send_file, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from companion.config import default_folder
from companion.errors import CompanionError
from companion.i18n import N_, say
from companion.measure.kits import KIT_FILE, begin_kit
from companion.tables.gear import kit_names
from companion.tables.rights import Act
from companion.web.language import language
from companion.web.live_guard import needs
from companion.web.looking import looking
from companion.web.parts import change_limit, limiter
from companion.web.toml import as_toml

blueprint = Blueprint("kits", __name__, url_prefix="/setup/kits")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
MOST_BYTES = 300_000
CLASSES = {"base": N_("base"), "elite": N_("elite"), "commander": N_("commander")}
PLACES = {"lateral": N_("lateral"), "central": N_("central")}
UNIT_NUMBERS = {
    "copies": N_("Copies"),
    "army_points": N_("Army points"),
    "recruit": N_("Recruiting"),
    "strength": N_("Strength"),
    "attack_range": N_("Range"),
    "siege_range": N_("Siege range"),
}
CITY_NUMBERS = {
    "copies": N_("Copies"),
    "defence": N_("Defence"),
    "counterattack": N_("Counterattack"),
    "points": N_("Points"),
}
MUST = frozenset({"copies", "army_points", "recruit", "strength"})
MUST_CITY = frozenset(CITY_NUMBERS)
LENGTHS = (
    ("chip", "diameter_mm", N_("Diameter of a chip in mm")),
    ("chip", "thickness_mm", N_("Thickness of a chip in mm")),
    ("token", "diameter_mm", N_("Diameter of a City token in mm")),
    ("totals", "units", N_("Kinds of unit of a faction")),
    ("totals", "chips", N_("Chips of a faction")),
    ("totals", "central", N_("Central City tokens")),
    ("totals", "lateral", N_("Lateral City tokens")),
)


class KitPageError(CompanionError):
    """A kit that cannot be made or kept, with what is wrong in it."""

    code = "kit"


@blueprint.get("")
@needs(Act.SETUP)
def index() -> ResponseReturnValue:
    """List the kits, and offer to begin one."""
    return render_template("setup/kits.html", names=kit_names())


@blueprint.post("")
@limiter.limit(change_limit)
@needs(Act.SETUP)
def make() -> ResponseReturnValue:
    """Begin a kit as a copy of the sample, or take one in from a file."""
    name = request.form.get("name", "").strip()
    if not NAME.fullmatch(name) or name == "own":
        raise KitPageError(N_("A kit's name has letters, digits, - and _."))
    if name in kit_names():
        raise KitPageError(N_("There is a kit %(name)s already."), name=name)
    file = request.files.get("toml")
    text = file.stream.read(MOST_BYTES + 1) if file and file.filename else b""
    data = _parsed(text.decode("utf-8", "replace")) if text else None
    begin_kit(_folder(name))
    if data is not None:
        _keep(name, data)
    return redirect(url_for("kits.edit", name=name), 303)


@blueprint.get("/<name>")
@needs(Act.SETUP)
def edit(name: str) -> ResponseReturnValue:
    """Show what is printed on each unit and token, to be put right."""
    return _page(name, _read(name))


@blueprint.post("/<name>")
@limiter.limit(change_limit)
@needs(Act.SETUP)
def save(name: str) -> ResponseReturnValue:
    """Keep the kit if the rules engine can use it."""
    before, form = _read(name), request.form
    if "whole" in form:
        data = _parsed(form.get("toml", ""))
    else:
        data = _changed(before, form)
        try:
            _refuse_unusable(as_toml(data))
        except KitPageError as error:
            wrong = say(language(), error.message, **error.values)
            return _page(name, data, wrong), 400
    _keep(name, data)
    looking().forget()
    return redirect(url_for("kits.edit", name=name), 303)


@blueprint.get("/<name>/kit.toml")
@needs(Act.SETUP)
def download(name: str) -> ResponseReturnValue:
    """Send the kit as a file."""
    text = (_folder(_known(name)) / KIT_FILE).read_bytes()
    return send_file(
        io.BytesIO(text),
        mimetype="application/toml",
        as_attachment=True,
        download_name=f"{name}.toml",
    )


def _page(name: str, data: Mapping[str, Any], wrong: str = "") -> str:
    faces = list(enumerate(data.get("faces", ())))
    factions = data.get("factions", {})
    tongue = language()
    groups = [
        (
            key,
            words.get(tongue, words.get("en", key)),
            [(i, f) for i, f in faces if f["label"].startswith(f"{key}.")],
        )
        for key, words in factions.items()
    ]
    return render_template(
        "setup/kit.html",
        name=name,
        wrong=wrong,
        groups=groups,
        cities=[(i, f) for i, f in faces if "city" in f],
        unit_numbers=UNIT_NUMBERS,
        city_numbers=CITY_NUMBERS,
        must=MUST | MUST_CITY,
        classes=CLASSES,
        places=PLACES,
        lengths=[(a, b, words, data.get(a, {}).get(b, "")) for a, b, words in LENGTHS],
        is_sample=bool(data.get("sample")),
        toml=as_toml(data),
    )


def _changed(data: Mapping[str, Any], form: Mapping[str, str]) -> dict[str, Any]:
    """Return the kit with what the form says; what it does not name stays."""
    faces = []
    for number, face in enumerate(data.get("faces", ())):
        if form.get(f"{number}.gone"):
            continue
        faces.append(_face(face, f"{number}.", form))
    if label := form.get("new.label", "").strip():
        faction = form.get("new.faction", "")
        start = {"copies": 1, "en": label.capitalize(), "it": label.capitalize()}
        kind = (
            {"city": "lateral", "defence": 4, "counterattack": 2, "points": 1}
            if faction == "city"
            else {"class": "base", "army_points": 20, "recruit": 1, "strength": 1}
        )
        plain = re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")
        faces.append({"label": f"{faction}.{plain}", **start, **kind})
    changed = {**data, "faces": faces, "sample": form.get("sample") == "yes"}
    for part, key, words in LENGTHS:
        text = form.get(f"{part}.{key}", "").replace(",", ".").strip()
        if text:
            length = _number(text, words)
            exact = int(length) if length.is_integer() else length
            changed[part] = {**changed.get(part, {}), key: exact}
    return changed


def _face(
    face: Mapping[str, Any], prefix: str, form: Mapping[str, str]
) -> dict[str, Any]:
    changed = dict(face)
    for key in ("en", "it", "class", "city"):
        if text := form.get(prefix + key, "").strip()[:60]:
            changed[key] = text
    numbers = CITY_NUMBERS if "city" in face else UNIT_NUMBERS
    for key, words in numbers.items():
        if prefix + key not in form:
            continue
        text = form[prefix + key].strip()
        if text:
            changed[key] = int(_number(text, words))
        elif key not in MUST | MUST_CITY:
            changed.pop(key, None)
    return changed


def _number(text: str, words: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise KitPageError(
            N_("%(text)s is no number."), text=f"{text[:20]} ({words})"
        ) from error
    return value


def _parsed(text: str) -> dict[str, Any]:
    if len(text) > MOST_BYTES:
        raise KitPageError(N_("This is too long to be a kit."))
    _refuse_unusable(text)
    return tomllib.loads(text)


def _refuse_unusable(text: str) -> None:
    """Raise `KitPageError` with the words of the rules engine."""
    from engines.core import KitError  # noqa: PLC0415 - only here
    from engines.warstones import parse_warkit  # noqa: PLC0415 - slow to import

    try:
        parse_warkit(tomllib.loads(text))
    except (KitError, ValueError, TypeError, AttributeError) as error:
        raise KitPageError("%(reason)s", reason=str(error)) from error


def _keep(name: str, data: Mapping[str, Any]) -> None:
    path = _folder(name) / KIT_FILE
    making = path.with_name(f"{KIT_FILE}.new")
    making.write_text(as_toml(data), "utf-8")
    making.replace(path)


def _read(name: str) -> dict[str, Any]:
    try:
        return tomllib.loads((_folder(_known(name)) / KIT_FILE).read_text("utf-8"))
    except ValueError as error:
        raise KitPageError("%(reason)s", reason=str(error)) from error


def _known(name: str) -> str:
    if name not in kit_names():
        raise NotFound
    return name


def _folder(name: str) -> Any:
    return default_folder() / "kits" / name
