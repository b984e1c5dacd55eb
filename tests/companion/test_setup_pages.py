"""Decks, lenses and kits on the page: the same functions as on the command line."""

from __future__ import annotations

import io
import re
import tomllib
import zipfile
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from companion.config import Config
from companion.errors import UsageError
from companion.tables.gear import Gear, chosen_gear, read_gear, shelves
from companion.web.toml import as_toml
from tests.companion.conftest import Post
from tests.support.sheets import VIEWS, sheet_photo
from vision.gallery import load_gallery
from vision.types import Bgr


@pytest.fixture(autouse=True)
def home(config: Config, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARBITRO_HOME", str(config.folder))
    return config.folder


def jpeg_of(bgr: Bgr) -> io.BytesIO:
    done, packed = cv2.imencode(".jpg", bgr)
    assert done
    return io.BytesIO(packed.tobytes())


def cards_photo() -> Bgr:
    """Four cards of two faces, apart on a dark cloth, from above."""
    from companion.prints.galleries import own_deck  # noqa: PLC0415 - heavy

    faces = {face.label: face.pictures[0] for face in own_deck("frantic").faces}
    bgr = np.full((1000, 1400, 3), (52, 66, 44), np.uint8)
    rng = np.random.default_rng(3)
    bgr = np.clip(bgr + rng.normal(0, 4, bgr.shape), 0, 255).astype(np.uint8)
    for number, label in enumerate(("R5", "G7", "B2", "Y9")):
        card = cv2.resize(faces[label], (252, 352), interpolation=cv2.INTER_AREA)
        x, y = 90 + 330 * number, 320
        bgr[y : y + 352, x : x + 252] = card
    return bgr


# Decks --------------------------------------------------------------------------------


def test_a_photo_of_cards_becomes_a_deck(
    client: FlaskClient, post: Post, home: Path, models: None
) -> None:
    made = post("/setup/decks", name="kitchen", game="frantic")
    assert made.headers["Location"].endswith("/setup/decks/kitchen")
    sent = post("/setup/decks/kitchen/photos", photo=(jpeg_of(cards_photo()), "a.jpg"))
    assert sent.status_code == 303, sent.text
    page = client.get("/setup/decks/kitchen").text
    fields = re.findall(r'name="(card\.\d+\.png)"', page)
    assert len(fields) == 4
    with client.get("/setup/decks/kitchen/cards/1.png") as picture:
        assert picture.data.startswith(b"\x89PNG")
    wrong = post("/setup/decks/kitchen", **{fields[0]: "Nonsense"})
    assert wrong.status_code == 400
    assert 'aria-invalid="true"' in wrong.text
    assert 'value="Nonsense"' in wrong.text
    names = dict(zip(fields, ("R5", "G7*2", "B2", "@back"), strict=True))
    assert post("/setup/decks/kitchen", **names).status_code == 303
    gallery = load_gallery(home / "decks" / "kitchen")
    assert {face.label for face in gallery.faces} == {"R5", "G7", "B2"}
    assert len(gallery.backs) == 1
    page = client.get("/setup/decks/kitchen").text
    assert "Cards without a picture" in page
    assert ("kitchen", "") in shelves("frantic").decks
    assert "kitchen" in client.get("/tables/new").text
    for field in fields[1:]:
        removed = post("/setup/decks/kitchen", remove=field.removeprefix("card."))
        assert removed.status_code == 303
    assert post("/setup/decks/kitchen", **{fields[0]: "R5"}).status_code == 303
    with client.get("/setup/decks/kitchen/deck.zip") as answer:
        data = answer.data
    assert "deck.toml" in zipfile.ZipFile(io.BytesIO(data)).namelist()
    taken = post("/setup/decks", name="copy", zip=(io.BytesIO(data), "deck.zip"))
    assert taken.status_code == 303
    assert client.get("/setup/decks/copy").text.count("<img") == 1
    post("/setup/decks/kitchen/delete")
    assert client.get("/setup/decks/kitchen").status_code == 404


@pytest.mark.parametrize("name", ["", "../x", "a b", "own:frantic", "x" * 80])
def test_no_name_of_a_deck_leaves_its_folder(
    client: FlaskClient, post: Post, home: Path, name: str
) -> None:
    assert post("/setup/decks", name=name, game="frantic").status_code in (400, 422)
    assert not list(home.glob("decks/*")) + list(home.glob("drafts/*"))
    assert client.get("/setup/decks/..%2f..%2fx").status_code == 404


def test_a_photo_without_cards_is_told(post: Post, models: None) -> None:
    post("/setup/decks", name="empty", game="frantic")
    plain = np.full((600, 800, 3), 90, np.uint8)
    answer = post("/setup/decks/empty/photos", photo=(jpeg_of(plain), "a.jpg"))
    assert answer.status_code == 422
    assert "No card was found" in answer.text


# Gear ---------------------------------------------------------------------------------


def test_gear_names_only_what_is_kept_here(home: Path) -> None:
    orcs = chosen_gear("frenzy", ["own:frenzy-orcs", ""], {})
    assert orcs == read_gear(orcs.written()) == Gear(decks=("own:frenzy-orcs",))
    for decks, named in (
        (["/etc"], {}),
        (["own:frantic"], {}),
        ([], {"mat": "../x"}),
        ([], {"kit": "nowhere"}),
        ([], {"camera": "none"}),
    ):
        with pytest.raises(UsageError):
            chosen_gear("frenzy", decks, named)


# Lenses -------------------------------------------------------------------------------


def test_a_camera_is_measured_from_photos(
    client: FlaskClient, post: Post, home: Path
) -> None:
    assert post("/setup/lenses", name="desk").status_code == 303
    assert "0%" in client.get("/setup/lenses/desk").text
    assert post("/setup/lenses/desk").status_code == 400  # too few
    for start in range(0, len(VIEWS), 6):
        some = [
            (jpeg_of(sheet_photo(*view)), f"{number}.jpg")
            for number, view in enumerate(VIEWS[start : start + 6])
        ]
        assert post("/setup/lenses/desk/photos", photo=some).status_code == 303
    page = client.get("/setup/lenses/desk").text
    assert "seen-cell" in page
    done = post("/setup/lenses/desk")
    assert done.status_code == 200, done.text
    assert list((home / "cameras").glob("desk-*.json"))
    assert "desk" in shelves("warstones").cameras


def test_what_is_no_sheet_is_told(client: FlaskClient, post: Post) -> None:
    post("/setup/lenses", name="desk", square_mm="20.5")
    plain = np.full((600, 800, 3), 90, np.uint8)
    post("/setup/lenses/desk/photos", photo=(jpeg_of(plain), "plain.jpg"))
    assert "plain.jpg" in client.get("/setup/lenses/desk").text
    for name in ("../x", "", "nobody"):
        assert client.get(f"/setup/lenses/{name or ' '}").status_code >= 400
    assert post("/setup/lenses", name="desk", square_mm="wide").status_code == 400


# Kits ---------------------------------------------------------------------------------


def fields_of(page: str) -> dict[str, str]:
    """Return what the first form of a kit's page would send."""
    form = page[page.index("action=") :]
    found = dict(re.findall(r'<input name="([\w.]+)" value="([^"]*)"', form))
    chosen = r'<select name="([\w.]+)">.*?<option selected>(\w+)</option>'
    return found | dict(re.findall(chosen, form))


def test_a_kit_is_changed_unit_by_unit(
    client: FlaskClient, post: Post, home: Path
) -> None:
    assert post("/setup/kits", name="box").status_code == 303
    page = client.get("/setup/kits/box").text
    fields = fields_of(page)
    assert fields["0.en"] == "Militia"
    path = home / "kits" / "box" / "kit.toml"
    before = path.read_text()
    fields |= {"0.en": "Peasant", "0.strength": "2", "chip.diameter_mm": "31,5"}
    assert post("/setup/kits/box", **fields).status_code == 303
    data = tomllib.loads(path.read_text())
    assert (data["faces"][0]["en"], data["faces"][0]["strength"]) == ("Peasant", 2)
    assert data["chip"]["diameter_mm"] == 31.5
    assert data["sample"] is False
    assert data["faces"][1] == tomllib.loads(before)["faces"][1]
    wrong = post("/setup/kits/box", **(fields | {"0.copies": "9"}))
    assert wrong.status_code == 400
    assert "the box says" in wrong.text
    assert 'name="0.copies" value="9"' in wrong.text
    assert tomllib.loads(path.read_text()) == data
    assert "box" in shelves("warstones").kits


def test_a_kit_is_taken_in_whole_or_refused_with_the_reason(
    client: FlaskClient, post: Post, home: Path
) -> None:
    post("/setup/kits", name="box")
    with client.get("/setup/kits/box/kit.toml") as answer:
        text = answer.data.decode()
    path = home / "kits" / "box" / "kit.toml"
    for bad in ("", "game = 3", "faces = 1", "[[faces]]\nlabel = 'x'", "\0"):
        answer = post("/setup/kits/box", whole="yes", toml=bad)
        assert answer.status_code == 400, bad
    changed = text.replace("Militia", "Peasant")
    assert post("/setup/kits/box", whole="yes", toml=changed).status_code == 303
    assert "Peasant" in path.read_text()
    file = (io.BytesIO(path.read_bytes()), "kit.toml")
    assert post("/setup/kits", name="other", toml=file).status_code == 303
    for name in ("own", "../x", "", "box"):
        assert post("/setup/kits", name=name).status_code == 400


PLAIN = st.one_of(st.booleans(), st.integers(-(2**40), 2**40), st.text(max_size=9))
FIELDS = st.dictionaries(st.text(min_size=1, max_size=5), PLAIN, max_size=3)


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=6),
        st.one_of(
            PLAIN, st.lists(PLAIN, max_size=3), FIELDS, st.lists(FIELDS, max_size=3)
        ),
        max_size=5,
    )
)
def test_what_is_written_as_toml_is_read_back(data: dict[str, object]) -> None:
    assert tomllib.loads(as_toml(data)) == data
