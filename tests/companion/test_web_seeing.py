"""The page with its own eyes: rendered tables that ship, and real photos."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from companion import showcase
from companion.cli import main
from companion.config import Config
from companion.web import create_app
from tests.companion.conftest import token
from tests.companion.test_report import schema

pytestmark = pytest.mark.usefixtures("models")


def test_the_api_says_the_same_as_the_command_line(
    seeing: FlaskClient, runner: CliRunner
) -> None:
    """Issue 7, 9: one document, whoever asks; only times differ."""
    table = showcase.tables()[0]
    options = [f"--option={key}={value}" for key, value in table.options.items()]
    told = runner.invoke(
        main, ["score", "--json", "--game", table.game, *options, str(table.path)]
    )
    fields = {f"option.{key}": value for key, value in table.options.items()}
    with table.path.open("rb") as file:
        answer = seeing.post(
            "/api/score",
            data={"photo": (file, table.path.name), "game": table.game, **fields},
        )
    documents = [json.loads(told.stdout), answer.get_json()]
    for document in documents:
        document.pop("timings_ms")
    assert documents[0] == documents[1]


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    """The page as people run it, with the models that ship."""
    return create_app(Config(folder=tmp_path_factory.mktemp("home"))).test_client()


def multipart(photo: Path, **fields: str) -> tuple[bytes, str]:
    """Return a form as a browser sends it, and its content type.

    The test client would put a large one into a temporary file and leave it open.
    """
    line = b"--boundary\r\nContent-Disposition: form-data; name="
    parts = [f'"{k}"\r\n\r\n{v}\r\n'.encode() for k, v in fields.items()]
    named = f'"photo"; filename="{photo.name}"\r\n\r\n'.encode()
    parts.append(named + photo.read_bytes() + b"\r\n")
    body = b"".join(line + part for part in parts) + b"--boundary--\r\n"
    return body, "multipart/form-data; boundary=boundary"


def test_a_demo_table_is_one_tap_away(seeing: FlaskClient) -> None:
    table = showcase.tables()[0]
    form = {"csrf_token": token(seeing.get("/").text), "game": table.game}
    answer = seeing.post(f"/demo/{table.name}", data=form)
    assert answer.status_code == 303
    document = seeing.get(answer.headers["Location"] + "/result.json").get_json()
    schema("score").validate(document)
    assert document["frame"]["source"] == table.path.name
    read = {item["label"] for item in document["placements"]} - {None}
    assert len(read & set(table.cards)) >= len(set(table.cards)) - 1


@pytest.mark.parametrize(
    "folder",
    ["cards-poker-table-epfl", "cards-schnapsen-german", "cards-singles-ee326"],
)
def test_a_real_photo_is_read(
    seeing: FlaskClient, shared_data: Path, folder: str
) -> None:
    with (shared_data / folder / "labels.csv").open(encoding="utf-8-sig") as file:
        image = next(csv.DictReader(file))["image"]
    body, kind = multipart(shared_data / folder / "images" / image, game="regicide")
    answer = seeing.post("/api/score", data=body, content_type=kind)
    assert answer.status_code == 200
    document = answer.get_json()
    schema("score").validate(document)
    assert document["placements"], "no card was found in a photo full of cards"
