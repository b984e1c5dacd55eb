"""Faces of a kit's chips on the page: photographed on a mat, named, kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from flask import Blueprint, redirect, render_template, request, send_file, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from companion.config import default_folder
from companion.decoding import decode_apart
from companion.errors import UsageError
from companion.i18n import N_
from companion.measure.kits import FACES, OWN, KitFolder, add_face, open_kit
from companion.tables.gear import camera_names, kit_names, mat_names
from companion.tables.rights import Act
from companion.web.language import language
from companion.web.live_guard import needs
from companion.web.looking import looking
from companion.web.parts import change_limit, limiter, parts, read_limit, uploaded

blueprint = Blueprint("chips", __name__, url_prefix="/setup/kits/<name>/chips")
DRAFTS = "cut-out"
MOST = 80


@blueprint.get("")
@needs(Act.SETUP)
def show(name: str) -> ResponseReturnValue:
    """Show which faces are known, and those that wait for a name."""
    kit = open_kit(_known(name))
    tongue = language()
    names = {
        face["label"]: face.get(tongue, face.get("en", face["label"]))
        for face in kit.data["faces"]
    }
    counts = Counter({label: len(pictures) for label, pictures in kit.faces.items()})
    return render_template(
        "setup/chips.html",
        name=name,
        names=names,
        counts=counts,
        missing=[label for label in kit.labels if not counts[label]],
        drafts=[path.stem for path in _drafts(name)],
        mats=mat_names(),
        lenses=camera_names(),
    )


@blueprint.post("")
@limiter.limit(read_limit)
@needs(Act.SETUP)
def photograph(name: str) -> ResponseReturnValue:
    """Cut the chips out of a photo of a mat."""
    kit, form = open_kit(_known(name)), request.form
    mat, lens = form.get("mat", "") or OWN, form.get("camera", "") or None
    if mat not in (OWN, *mat_names()) or lens not in (None, *camera_names()):
        raise UsageError(N_("There is nothing called %(name)s here."), name=mat)
    data, source = uploaded()
    with parts().sight.turn():
        faces = _faces_in(data, source, kit, (mat, lens, form.get("tokens") == "yes"))
    if not faces:
        raise UsageError(N_("No chip was found on the mat."))
    folder = _folder(name) / DRAFTS
    folder.mkdir(exist_ok=True)
    number = max((int(path.stem) for path in _drafts(name)), default=0)
    for number, png in enumerate(faces[:MOST], start=number + 1):  # noqa: B020
        (folder / f"{number}.png").write_bytes(png)
    return redirect(url_for("chips.show", name=name, _anchor="names"), 303)


@blueprint.post("/names")
@limiter.limit(change_limit)
@needs(Act.SETUP)
def save(name: str) -> ResponseReturnValue:
    """Keep the faces that were named; the others are forgotten."""
    from vision.images import read_image  # noqa: PLC0415 - imports OpenCV

    labels = open_kit(_known(name)).labels
    for path in _drafts(name):
        label = request.form.get(f"chip.{path.stem}", "")
        if label in labels:
            add_face(_folder(name), label, read_image(path).bgr)
        path.unlink()
    looking().forget()
    return redirect(url_for("chips.show", name=name), 303)


@blueprint.get("/<int:number>.png")
@needs(Act.SETUP)
def picture(name: str, number: int) -> ResponseReturnValue:
    """Send a face that waits for its name."""
    path = _folder(_known(name)) / DRAFTS / f"{number}.png"
    if not path.is_file():
        raise NotFound
    return send_file(path.resolve(), mimetype="image/png", max_age=0)


@blueprint.post("/<label>/forget")
@limiter.limit(change_limit)
@needs(Act.SETUP)
def forget(name: str, label: str) -> ResponseReturnValue:
    """Forget the pictures of one face."""
    if label not in open_kit(_known(name)).labels:
        raise NotFound
    for path in (_folder(name) / FACES).glob("*.png"):
        if path.stem == label or path.stem.startswith(f"{label}."):
            path.unlink()
    looking().forget()
    return redirect(url_for("chips.show", name=name), 303)


def _faces_in(
    data: bytes, source: str, kit: KitFolder, how: tuple[str, str | None, bool]
) -> list[bytes]:
    """Return the straightened faces of all chips, or tokens, in a photo of a mat."""
    from companion.measure.mats import open_mat  # noqa: PLC0415 - slow to import
    from companion.measure.score import Setup, measure  # noqa: PLC0415 - as above
    from companion.terminal.chips import cut_chip  # noqa: PLC0415 - as above
    from vision.images import to_png  # noqa: PLC0415 - as above

    mat, lens, tokens = how
    # What is enrolled already must not decide what is a chip: all are looked at.
    plain = kit.of_tokens() if tokens else replace(kit, faces={})
    board = measure(decode_apart(data, source), Setup(open_mat(mat), plain, lens))
    placements = board.reading.observation.placements
    return [to_png(cut_chip(board, one)) for one in placements if one.position]


def _drafts(name: str) -> list[Path]:
    found = (_folder(name) / DRAFTS).glob("*.png")
    return sorted((p for p in found if p.stem.isdigit()), key=lambda p: int(p.stem))


def _known(name: str) -> str:
    if name not in kit_names():
        raise NotFound
    return name


def _folder(name: str) -> Any:
    return default_folder() / "kits" / name
