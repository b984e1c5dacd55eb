"""The page: a photo goes in, a result comes out, and people may talk back."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from tests.companion.conftest import Eyes, Post, jpeg
from tests.companion.tables import UNREAD, Laid, observation
from vision.types import Finding

Upload = Callable[..., str]


def png_header(width_px: int, height_px: int) -> bytes:
    """Return a small PNG file that claims to be of this size."""

    def chunk(name: bytes, data: bytes) -> bytes:
        check = zlib.crc32(name + data)
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)

    size = struct.pack(">IIBBBBB", width_px, height_px, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes(1 + 3 * min(width_px, 2000)))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", size)
        + chunk(b"IDAT", pixels)
        + chunk(b"IEND", b"")
    )


def test_home_offers_games_camera_and_gallery(client: FlaskClient) -> None:
    page = client.get("/").text
    assert 'value="regicide"' in page
    assert 'accept="image/*" capture="environment"' in page
    assert page.count('type="file"') == 2
    assert "Take a photo" in page


def test_a_photo_is_read_scored_and_shown(client: FlaskClient, upload: Upload) -> None:
    page = client.get(upload()).text
    assert "4♣\ufe0e 4♠\ufe0e is a legal play" in page
    assert "25 damage is more than its 20 hit points" in page
    assert page.count("data-panel") == 12, "six cards, in the picture and in the list"
    assert 'aria-label="jack of hearts, read. Put right"' in page
    assert 'aria-label="nine of diamonds, not certain. Put right"' in page


def test_the_picture_is_sent_without_what_the_file_told(
    client: FlaskClient, upload: Upload
) -> None:
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0secret place"
    segment = b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif
    plain = jpeg()
    path = upload(plain[:2] + segment + plain[2:])
    with client.get(path + "/picture.jpg") as sent:
        assert sent.mimetype == "image/jpeg"
        assert b"secret" not in sent.data
        assert b"Exif" not in sent.data


def test_two_taps_put_a_card_right_and_the_score_follows(
    client: FlaskClient, post: Post, upload: Upload
) -> None:
    path = upload()
    choose = client.get(f"{path}/card/p3").text
    assert choose.index('value="9d"') < choose.index('value="6d"')
    assert choose.count('class="pick') > 53, "the whole kit is offered"
    answer = post(f"{path}/card/p3", value="3d")
    assert answer.status_code == 303
    page = client.get(path).text
    assert "9♦\ufe0e" in page
    assert "What you said" in page
    assert "19" in page
    assert "is defeated" not in page
    document = client.get(path + "/result.json").get_json()
    assert document["sheet"]["enemy"]["damage"] == 19
    assert document["placements"][3]["label"] == "3d"


def test_a_correction_is_undone(
    client: FlaskClient, post: Post, upload: Upload
) -> None:
    path = upload()
    post(f"{path}/card/p3", value="3d")
    post(f"{path}/card/p3", value="@seen")
    document = client.get(path + "/result.json").get_json()
    assert document["placements"][3]["label"] == "9d"
    assert "What you said" not in client.get(path).text


def test_a_card_may_be_no_card_or_face_down(
    client: FlaskClient, post: Post, upload: Upload
) -> None:
    path = upload()
    post(f"{path}/card/p3", value="@none")
    post(f"{path}/card/p4", value="@back")
    kinds = [
        (item["id"], item["kind"])
        for item in client.get(path + "/result.json").get_json()["placements"]
    ]
    assert ("p4", "back") in kinds
    assert "p3" not in dict(kinds)


@pytest.mark.parametrize("value", ["", "11h", "As ", "@gone", "<b>"])
def test_a_card_that_does_not_exist_is_refused(
    post: Post, upload: Upload, value: str
) -> None:
    answer = post(f"{upload()}/card/p3", value=value)
    assert answer.status_code == 400
    assert "There is no such card in this game." in answer.text


def test_a_question_is_asked_answered_and_taken_back(
    client: FlaskClient, post: Post, upload: Upload, eyes: Eyes
) -> None:
    eyes.seen = observation(
        UNREAD, findings=(Finding("unread", (("count", 1),), ("p3",)),)
    )
    path = upload(jpeg(UNREAD))
    page = client.get(path).text
    assert "Question to the referee" in page
    assert "Which card is this?" in page
    assert "could not be read" not in page, "it is asked, so it is not reported too"
    post(f"{path}/answer", question="card:p3", value="8c")
    page = client.get(path).text
    assert "Question to the referee" not in page
    assert "What you said" in page
    document = client.get(path + "/result.json").get_json()
    assert document["answers"] == {"card:p3": "8c"}
    assert document["sheet"]["enemy"]["damage"] == 16
    post(f"{path}/answer", question="card:p3", value="")
    assert "Question to the referee" in client.get(path).text


def test_wrong_answers_are_refused(post: Post, upload: Upload, eyes: Eyes) -> None:
    eyes.seen = observation(UNREAD)
    path = upload()
    assert post(f"{path}/answer", question="nobody", value="8c").status_code == 400
    assert post(f"{path}/answer", question="card:p3", value="99").status_code == 400


def test_an_answer_that_no_longer_fits_is_left_out(
    client: FlaskClient, post: Post, upload: Upload, eyes: Eyes
) -> None:
    eyes.seen = observation(UNREAD)
    path = upload()
    post(f"{path}/answer", question="card:p3", value="8c")
    post(f"{path}/card/p3", value="5c")
    document = client.get(path + "/result.json").get_json()
    assert document["answers"] == {}
    assert document["sheet"]["enemy"]["damage"] == 10


def test_the_number_of_players_can_be_changed(
    client: FlaskClient, post: Post, upload: Upload
) -> None:
    path = upload(players="3")
    assert client.get(path + "/result.json").get_json()["options"] == {"players": "3"}
    post(f"{path}/options", players="4")
    assert client.get(path + "/result.json").get_json()["options"] == {"players": "4"}
    assert post(f"{path}/options", players="9").status_code == 400


def test_a_result_can_be_deleted(
    client: FlaskClient, post: Post, upload: Upload
) -> None:
    path = upload()
    assert post(f"{path}/delete").status_code == 303
    assert client.get(path).status_code == 404
    assert client.get(path + "/picture.jpg").status_code == 404


def test_only_the_own_results_are_listed(client: FlaskClient, upload: Upload) -> None:
    path = upload()
    assert path in client.get("/").text
    stranger = client.application.test_client()
    assert path not in stranger.get("/").text


def test_findings_are_sentences(
    client: FlaskClient, upload: Upload, eyes: Eyes
) -> None:
    eyes.seen = observation(
        UNREAD, findings=(Finding("dark"), Finding("unread", (("count", 2),)))
    )
    page = client.get(upload()).text
    assert "More light makes the reading surer." in page
    assert "2 cards could not be read." in page


def test_an_empty_table_is_a_result_too(
    client: FlaskClient, upload: Upload, eyes: Eyes
) -> None:
    eyes.seen = observation((), findings=(Finding("nothing_found"),))
    page = client.get(upload()).text
    assert "No cards were found." in page


def test_a_hostile_name_of_a_file_stays_text(client: FlaskClient, post: Post) -> None:
    name = "<script>alert(1)</script>\u202e.jpg"
    answer = post("/read", game="regicide", photo=(io.BytesIO(jpeg()), name))
    page = client.get(answer.headers["Location"]).text
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    ("data", "status", "sentence"),
    [
        (b"", 400, "The file is empty"),
        (b"hello, this is no picture", 415, "This file is not a picture."),
        (b"GIF89a" + bytes(60), 415, "This kind of picture cannot be read here."),
        (jpeg()[:2000], 422, "The picture is damaged"),
        (png_header(30_000, 30_000), 413, "The picture is too large."),
        (png_header(1, 1), 422, "The picture is too small"),
    ],
)
def test_a_bad_picture_gets_one_clear_sentence(
    post: Post, data: bytes, status: int, sentence: str
) -> None:
    answer = post("/read", game="regicide", photo=(io.BytesIO(data), "x.jpg"))
    assert answer.status_code == status
    assert sentence in answer.text
    assert "Traceback" not in answer.text


def test_no_picture_and_no_game_are_told(post: Post) -> None:
    assert "Take or choose a picture first." in post("/read", game="regicide").text
    photo = (io.BytesIO(jpeg()), "x.jpg")
    assert "Choose a game first." in post("/read", game="chess", photo=photo).text


def test_language_and_colours_are_remembered(client: FlaskClient, post: Post) -> None:
    assert 'lang="en" data-theme="auto"' in client.get("/").text
    assert post("/settings", language="it", back="/").headers["Location"] == "/"
    post("/settings", theme="dark", back="/")
    page = client.get("/").text
    assert 'lang="it" data-theme="dark"' in page
    assert "Scatta una foto" in page


def test_the_browser_chooses_the_language_first(client: FlaskClient) -> None:
    page = client.get("/", headers={"Accept-Language": "it-CH, de;q=0.5"}).text
    assert '<html lang="it"' in page
    page = client.get("/", headers={"Accept-Language": "ja"}).text
    assert '<html lang="en"' in page


def test_an_italian_result_is_italian(client: FlaskClient, upload: Upload) -> None:
    page = client.get(upload(), headers={"Accept-Language": "it"}).text
    assert "fante di cuori, letta" in page
    assert "Decisioni" in page
    assert "è sconfitto" in page


def test_every_ruling_leads_to_its_rule(client: FlaskClient, upload: Upload) -> None:
    page = client.get(upload()).text
    assert "/rules/regicide#rule-4-1" in page
    rules = client.get("/rules/regicide").text
    assert 'id="rule-4-1"' in rules
    assert client.get("/rules/chess").status_code == 404


@pytest.mark.parametrize(
    ("language", "said"), [("en", "what may be played"), ("it", "che cosa si può")]
)
def test_a_result_says_the_rules_that_it_cites(
    client: FlaskClient, upload: Upload, language: str, said: str
) -> None:
    """In our own words, on the page itself, in the language of whoever reads."""
    path = upload()
    page = client.get(path, headers={"Accept-Language": language}).text
    assert "<summary>R" in page[page.index('id="says"') :]
    assert said in page[page.index('id="says"') :]


def test_source_and_version_are_on_every_page(client: FlaskClient) -> None:
    for path in ("/", "/rules/regicide", "/nowhere"):
        page = client.get(path).text
        assert 'href="/source"' in page
        assert "AGPL-3.0-or-later" in page


def test_overlapping_cards_are_drawn_from_below(
    client: FlaskClient, upload: Upload, eyes: Eyes
) -> None:
    below, above = Laid("2c", 0, 0), Laid("3c", 5, 5)
    eyes.seen = observation((below, above))
    page = client.get(upload()).text
    assert page.index("/card/p0") < page.index("/card/p1")
