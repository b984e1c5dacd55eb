"""Own decks and mats on the page: chosen, read with, scored, put right."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import pytest
from flask.testing import FlaskClient

from companion.config import Config
from companion.decks.places import open_decks
from companion.decks.roles import in_play
from companion.tables.gear import Gear, deck_name, shelves
from companion.web import create_app
from companion.web.parts import limiter
from tests.companion.conftest import Eyes, Post, jpeg
from tests.companion.tables import Laid, observation
from tests.support.warboard import ARMY, chip, keep_board, shot
from vision.types import Bgr


@pytest.fixture(autouse=True)
def home(config: Config, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARBITRO_HOME", str(config.folder))
    return config.folder


def test_the_decks_that_arbitro_prints_can_be_chosen(client: FlaskClient) -> None:
    names = [name for name, _ in shelves("frenzy").decks]
    assert "own:frenzy-orcs" in names
    assert shelves("frenzy").places == 2
    assert shelves("regicide").places == 0
    page = client.get("/").text
    assert page.count('name="deck.frenzy"') == 2
    assert page.count('name="deck.frantic"') == 1
    assert deck_name("own:frenzy-orcs") in page


@pytest.fixture
def seeing(config: Config, eyes: Eyes) -> Iterator[FlaskClient]:
    """A page whose eyes know the cards of own decks too, and what decks were asked."""

    def reader(game: str, **gear: Any) -> tuple[Callable[[], Eyes], tuple[Any, ...]]:
        galleries = open_decks(gear["decks"])
        return lambda: eyes, in_play(game, galleries)

    app = create_app(replace(config, reader=reader))
    yield app.test_client()
    limiter.reset()


def test_a_photo_is_scored_with_the_deck_that_was_chosen(
    seeing: FlaskClient, eyes: Eyes
) -> None:
    """Frantic: what the hand holds counts only where its cards are known by sight."""
    eyes.seen = observation(
        [Laid(label, 70.0 * n - 140, -90) for n, label in enumerate(("R5", "G7", "B2"))]
    )
    token = re.search(r'csrf_token" value="([^"]+)', seeing.get("/").text)
    assert token is not None
    fields: dict[str, Any] = {
        "csrf_token": token[1],
        "game": "frantic",
        "deck.frantic": "own:frantic",
    }
    fields |= {"photo": (io.BytesIO(jpeg()), "hand.jpg")}
    sent = seeing.post("/read", data=fields)
    assert sent.status_code == 303, sent.text
    page = seeing.get(sent.headers["Location"]).text
    assert page.count('class="mark sure"') == 3


def test_a_deck_that_is_not_here_is_told(seeing: FlaskClient) -> None:
    token = re.search(r'csrf_token" value="([^"]+)', seeing.get("/").text)
    assert token is not None
    for deck in ("/etc", "own:frenzy-orcs", "kitchen"):
        fields: dict[str, Any] = {
            "csrf_token": token[1],
            "game": "frantic",
            "deck.frantic": deck,
        }
        fields |= {"photo": (io.BytesIO(jpeg()), "hand.jpg")}
        assert seeing.post("/read", data=fields).status_code == 400


# Warstones ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def board_photo() -> Bgr:
    return shot([*ARMY, chip("stranger", 640.0, 180.0)]).bgr


@pytest.fixture
def kept_board(home: Path) -> None:
    """The mat and the kit of the rendered table, kept as a user's own."""
    keep_board(home)


def test_a_photo_of_a_mat_is_measured_and_disputed_chips_are_drawn(
    client: FlaskClient, post: Post, kept_board: None, board_photo: Bgr
) -> None:
    done, packed = cv2.imencode(".jpg", board_photo, [cv2.IMWRITE_JPEG_QUALITY, 95])
    assert done
    assert shelves("warstones").mats == ("cloth",)
    photo = (io.BytesIO(packed.tobytes()[:]), "mat.jpg")
    sent = post("/read", game="warstones", mat="cloth", kit="box", photo=photo)
    assert sent.status_code == 303, sent.text
    path = sent.headers["Location"]
    page = client.get(path).text
    assert page.count('class="band"') >= 1
    assert "mm inside the line" in page
    # A chip is put right like a card: two taps, and the sheet is anew.
    link = re.search(r'href="(/t/\S+/card/\S+?)" data-panel', page)
    assert link is not None
    assert "Militia" in client.get(link[1]).text
    assert post(link[1], value="empire.hero").status_code == 303
    assert "Hero" in client.get(path).text
    assert "put right by you" in client.get(path).text
    with client.get(f"{path}/evidence.pdf") as pdf:
        assert pdf.data.startswith(b"%PDF")


def test_a_photo_without_the_mat_is_told_why(post: Post, kept_board: None) -> None:
    photo = (io.BytesIO(jpeg()), "table.jpg")
    answer = post("/read", game="warstones", mat="cloth", kit="box", photo=photo)
    assert answer.status_code == 422
    assert "mat" in answer.text


def test_gear_is_kept_with_a_table(client: FlaskClient, post: Post) -> None:
    fields = {"deck.frenzy": ["own:frenzy-orcs", "own:frenzy-humans"]}
    sent = post("/tables", game="frenzy", name=["Anna", "Bruno"], **fields)
    assert sent.status_code == 303
    id_ = sent.headers["Location"].split("/")[2]
    hall = client.application.extensions["arbitro.hall"]
    wanted = ("own:frenzy-orcs", "own:frenzy-humans")
    assert hall.seats.gear(id_) == Gear(decks=wanted)
    assert "Frenzy orcs, Frenzy humans" in client.get(f"/tables/{id_}/camera").text
    assert client.get(f"/tables/{id_}").status_code == 200


def test_the_api_measures_a_mat_and_reads_with_a_deck(
    client: FlaskClient, kept_board: None, board_photo: Bgr, seeing: FlaskClient
) -> None:
    done, packed = cv2.imencode(".jpg", board_photo, [cv2.IMWRITE_JPEG_QUALITY, 90])
    assert done
    form = {"game": "warstones", "mat": "cloth", "kit": "box"}
    photo = (io.BytesIO(packed.tobytes()), "mat.jpg")
    answer = client.post("/api/score", data={**form, "photo": photo})
    assert answer.status_code == 200, answer.text
    board = answer.get_json()["board"]
    assert board["mat"] == "cloth"
    assert board["lines"][0]["sigma_mm"] > 0
    photo = (io.BytesIO(jpeg()), "hand.jpg")
    hand = {"game": "frantic", "deck": "own:frantic", "photo": photo}
    assert seeing.post("/api/score", data=hand).status_code == 200
    photo = (io.BytesIO(jpeg()), "hand.jpg")
    hand = {"game": "frantic", "deck": "/etc", "photo": photo}
    refused = seeing.post("/api/score", data=hand)
    assert (refused.status_code, refused.get_json()["code"]) == (400, "usage")


def test_faces_of_chips_are_cut_out_named_and_kept(
    client: FlaskClient, post: Post, kept_board: None, board_photo: Bgr, home: Path
) -> None:
    from companion.measure.kits import begin_kit, open_kit  # noqa: PLC0415 - heavy

    begin_kit(home / "kits" / "new-box")
    path = "/setup/kits/new-box/chips"
    assert "faces are missing" in client.get(path).text
    done, packed = cv2.imencode(".jpg", board_photo, [cv2.IMWRITE_JPEG_QUALITY, 95])
    assert done
    photo = (io.BytesIO(packed.tobytes()), "mat.jpg")
    assert post(path, mat="cloth", photo=photo).status_code == 303
    fields = re.findall(r'name="(chip\.\d+)"', client.get(path).text)
    assert len(fields) >= len(ARMY)
    with client.get(f"{path}/1.png") as picture:
        assert picture.data.startswith(b"\x89PNG")
    named = {fields[0]: "empire.militia", fields[1]: "nonsense"}
    assert post(f"{path}/names", **named).status_code == 303
    faces = open_kit("new-box").faces
    assert {label: len(pictures) for label, pictures in faces.items()} == {
        "empire.militia": 1
    }
    assert client.get(f"{path}/1.png").status_code == 404
    post(f"{path}/empire.militia/forget")
    assert open_kit("new-box").faces == {}
    refused = post(path, mat="../x", photo=(io.BytesIO(jpeg()), "x.jpg"))
    assert refused.status_code == 400
