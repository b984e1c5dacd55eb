"""Every picture that somebody hands in is opened by the child, in no view itself."""

from __future__ import annotations

import ast
import io
import time
import zipfile
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

import companion
from companion.cameras import Shelf
from companion.config import Config
from companion.decoding import DECODER
from companion.evidence.page import fitted
from companion.phone_source import PhoneSource
from tests.companion.conftest import Post, jpeg, token
from tests.companion.tables import FIGHT
from vision.errors import CameraError, ImageError
from vision.types import Bgr

ROOT = Path(companion.__file__).parent
OPENS = {"imdecode", "imread", "decode", "read_image", "load_gallery"}
"""Functions that unfold a picture in the process that calls them."""
OUR_OWN = {
    "decoding.py": "the child itself",
    "doctor.py": "the sample that ships",
    "evidence/result.py": "the store's JPEG, packed by us from the child's pixels",
    "measure/kits.py": "faces of chips, packed by us from the child's pixels",
    "prints/galleries.py": "our own art, and decks made anew",
    "watching/drawing.py": "the JPEG that the eye packed",
    "web/chips.py": "faces that were cut out here, packed by us",
    "web/deck_drafts.py": "cards that were cut out here, packed by us",
    "web/thumbs.py": "the store's JPEG, and tables that ship",
    "zips.py": "a deck whose pictures were all made anew",
    "decks/places.py": "decks that were made anew when they were taken in",
    "sight.py": "a file that the person at the terminal names",
    "terminal/mats.py": "a file that the person at the terminal names",
}


def unfolds(path: Path) -> bool:
    """Whether a module calls, or takes in, a function that opens pictures."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.ImportFrom(module=str(module)) if module.startswith("vision"):
                if OPENS & {one.name for one in node.names}:
                    return True
            case ast.Attribute(value=ast.Name(id="cv2"), attr=name) if name in OPENS:
                return True
            case ast.Import() | ast.ImportFrom():
                named = [one.name for one in node.names]
                named.append(getattr(node, "module", "") or "")
                if any(one.split(".")[0] == "PIL" for one in named):
                    return True
    return False


def test_only_what_we_packed_ourselves_is_opened_here() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if unfolds(path)
    }
    assert found - set(OUR_OWN) == set()


# What each view does with what was sent -----------------------------------------------


def broken() -> bytes:
    """A picture that is whole by its lengths and sums, and has no pixels."""
    header = (
        (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + bytes((8, 2, 0, 0, 0))
    )
    parts = ((b"IHDR", header), (b"IDAT", bytes(300)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        len(data).to_bytes(4, "big")
        + kind
        + data
        + zlib.crc32(kind + data).to_bytes(4, "big")
        for kind, data in parts
    )


def deck_zip(data: bytes) -> bytes:
    """A deck of one card, whose picture is `data`."""
    text = (
        'version = 1\nname = "x"\nwidth_mm = 63.0\nheight_mm = 88.0\n'
        '[[face]]\nlabel = "R5"\npictures = ["R5.png"]\n'
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("deck.toml", text)
        archive.writestr("R5.png", data)
    return packed.getvalue()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What the child was asked to open; opening it here is a failure."""
    asked: list[bytes] = []
    here = cv2.imdecode
    there = DECODER.pixels

    def pixels(data: bytes) -> Bgr:
        asked.append(data)
        return there(data)

    def spied(data: np.ndarray, flags: int) -> object:
        assert data.tobytes() not in asked, "a stranger's picture was opened here"
        return here(data, flags)

    monkeypatch.setattr(DECODER, "pixels", pixels)
    monkeypatch.setattr(cv2, "imdecode", spied)
    return asked


VIEWS: dict[str, dict[str, str]] = {
    "/read": {"game": "regicide"},
    "/api/read": {},
    "/api/score": {"game": "regicide"},
    "/api/score?measured": {"game": "warstones"},
    "/tables/{table}/photo": {},
    "/setup/decks/kitchen/photos": {},
    "/setup/mats": {"name": "cloth", "width_mm": "300", "depth_mm": "300"},
    "/setup/kits/box/chips": {},
    "/setup/lenses/desk/photos": {},
}
TAKERS = {
    *("pages._read", "api._reading", "api._board", "live_picture.photograph"),
    *("decks.make", "decks.photos", "mats.make", "chips.photograph", "lenses.photos"),
    *("camera.take", "setup._view_of", "camera.newest", "camera.newest_picture"),
    *("pages.read",),
}
"""Functions of the page that take bytes in; a new one needs a line in `VIEWS`."""


@pytest.fixture(autouse=True)
def home(config: Config, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARBITRO_HOME", str(config.folder))
    return config.folder


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_lets_the_child_open_what_was_sent(
    post: Post, client: FlaskClient, opened: list[bytes], view: str
) -> None:
    post("/setup/decks", name="kitchen", game="frantic")
    post("/setup/kits", name="box")
    post("/setup/lenses", name="desk")
    table = post("/tables", game="regicide", name=["Ada", "Bob"]).headers["Location"]
    path = view.partition("?")[0].format(table=table.split("/")[2])
    data = broken()
    answer = post(path, photo=(io.BytesIO(data), "a.png"), **VIEWS[view])
    assert opened == [data], answer.text
    assert answer.status_code in (303, 422), answer.text


def test_the_pictures_of_a_deck_in_a_zip_are_made_anew(
    post: Post, opened: list[bytes], home: Path
) -> None:
    """Also those that are sound: no file of a stranger is kept."""
    bad = broken()
    answer = post("/setup/decks", name="x", zip=(io.BytesIO(deck_zip(bad)), "x.zip"))
    assert (answer.status_code, opened) == (422, [bad])
    assert "R5.png" in answer.text
    assert not (home / "decks" / "x").exists()
    sound = jpeg(FIGHT)
    answer = post("/setup/decks", name="x", zip=(io.BytesIO(deck_zip(sound)), "x.zip"))
    assert (answer.status_code, opened) == (303, [bad, sound])
    kept = [path.read_bytes() for path in (home / "decks" / "x").iterdir()]
    assert sound not in kept
    assert len(kept) == 2


def test_a_phone_that_films_is_a_stranger_too(
    app: Flask, post: Post, client: FlaskClient, opened: list[bytes]
) -> None:
    key = post("/camera/key", name="phone").get_json()["key"]
    headers = {
        "X-Arbitro-Camera": key,
        "X-Arbitro-Count": "1",
        "X-Arbitro-Taken": str(int(time.time() * 1000)),
        "X-CSRFToken": token(client.get("/").text),
    }
    data = b"\xff\xd8\xff" + bytes(4000)
    assert client.post("/camera/frames", data=data, headers=headers).status_code == 200
    assert opened == []
    folder = app.extensions["arbitro"].config.folder / "cameras"
    with pytest.raises(CameraError):
        PhoneSource(Shelf(folder, b""), "phone", patience_s=0.1).read()
    client.get("/setup/doctor?camera=phone")
    assert set(opened) <= {data}


def test_a_page_of_evidence_opens_no_picture_here(opened: list[bytes]) -> None:
    assert fitted(jpeg(FIGHT)).drawWidth > 100
    assert opened == []
    with pytest.raises(ImageError):
        fitted(broken())
    assert len(opened) == 1
    small = cv2.imencode(".png", np.zeros((80, 120, 3), np.uint8))[1].tobytes()
    assert fitted(small).drawWidth > 100


def test_no_view_that_takes_pictures_is_missing_here() -> None:
    found = set()
    for path in sorted((ROOT / "web").glob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and takes(node):
                found.add(f"{path.stem}.{node.name}")
    found -= {"parts.uploaded", "parts.uploads", "errors._names_of_files"}
    assert found - TAKERS == set()


def takes(function: ast.FunctionDef) -> bool:
    """Whether a function asks for bytes that were sent, except texts."""
    text = ast.unparse(function)
    calls = ("uploaded()", "uploads()", "newest(", "request.get_data()", "get('zip')")
    return any(call in text for call in calls)
