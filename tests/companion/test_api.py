"""The API gives the documents of the command line."""

from __future__ import annotations

import io

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.companion.conftest import Eyes, jpeg
from tests.companion.tables import UNREAD, observation
from tests.companion.test_report import schema


def send(client: FlaskClient, path: str, **fields: str) -> TestResponse:
    photo = (io.BytesIO(jpeg()), "table.jpg")
    return client.post(path, data={"photo": photo, **fields})


def test_read_gives_the_document_of_read(client: FlaskClient) -> None:
    document = send(client, "/api/read").get_json()
    schema("read").validate(document)
    assert list(document)[:3] == ["frame", "language", "table"]
    assert document["frame"]["source"] == "table.jpg"
    assert [item["label"] for item in document["placements"]][3:] == ["9d", "4c", "4s"]


def test_score_gives_the_document_of_score(client: FlaskClient, eyes: Eyes) -> None:
    eyes.seen = observation(UNREAD)
    answer = send(
        client,
        "/api/score",
        game="regicide",
        language="it",
        **{"option.players": "3", "answer.card:p3": "8c"},
    )
    document = answer.get_json()
    schema("score").validate(document)
    assert document["language"] == "it"
    assert document["options"] == {"players": "3"}
    assert document["sheet"]["enemy"]["damage"] == 16


def test_nothing_is_kept(client: FlaskClient) -> None:
    send(client, "/api/score", game="regicide")
    assert client.get_cookie("arbitro") is None


def test_wrong_use_is_told_in_one_shape(client: FlaskClient) -> None:
    wrong = (
        (send(client, "/api/score", game="chess"), 404, "unknown_game"),
        (send(client, "/api/score"), 404, "unknown_game"),
        (
            send(client, "/api/score", game="regicide", **{"option.size": "3"}),
            400,
            "usage",
        ),
        (
            send(client, "/api/score", game="regicide", **{"answer.who": "3"}),
            400,
            "usage",
        ),
        (client.post("/api/read"), 400, "error"),
        (client.get("/api/read"), 405, "method_not_allowed"),
        (client.get("/api/nothing"), 404, "not_found"),
    )
    for answer, status, code in wrong:
        assert answer.status_code == status
        document = answer.get_json()
        schema("error").validate(document)
        assert document["code"] == code


def test_an_unreadable_picture_is_told_like_on_the_command_line(
    client: FlaskClient,
) -> None:
    photo = (io.BytesIO(b"no picture"), "notes.txt")
    answer = client.post("/api/read", data={"photo": photo})
    assert answer.status_code == 415
    document = answer.get_json()
    schema("error").validate(document)
    assert document["frame"]["source"] == "notes.txt"
    assert document["code"] == "not_an_image"
