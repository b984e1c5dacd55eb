"""Names, addresses and texts that people send to harm: none gets through."""

from __future__ import annotations

import html
import io
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.config import Config
from companion.tables.hall import open_hall
from companion.web import create_app
from companion.web.parts import limiter
from tests.bench.bench_uploads import bombs
from tests.companion.conftest import Eyes, jpeg, token
from tests.support.hostile import addresses, paths
from tests.support.payloads import payloads

HOLDERS = (
    "/static/{}",
    "/demo/{}.jpg",
    "/t/{}",
    "/t/{}/picture.jpg",
    "/setup/print/{}.pdf",
    "/setup/cameras/{}.jpg",
    "/setup/mats/{}/mat.geojson",
    "/setup/decks/{}/deck.zip",
    "/setup/kits/{}/kit.toml",
    "/setup/lenses/{}",
    "/rules/{}",
    "/tables/{}/now.jpg",
)
"""Every address in which a name becomes, or might become, one of a file."""
SECRET = b"root:x:0:0"


@pytest.fixture
def at_home(config: Config, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """The page as its keeper sees it, without limits on how often one may ask."""
    monkeypatch.setenv("ARBITRO_HOME", str(config.folder))
    many = replace(config, reads_per_minute=10**6, changes_per_minute=10**6)
    app = create_app(many)
    app.extensions["arbitro.hall"] = open_hall(config.folder)
    limiter.enabled = False
    return app


@pytest.fixture(autouse=True)
def limits_again() -> object:
    yield
    limiter.enabled = True


def test_no_name_of_a_file_leads_out(at_home: Flask, config: Config) -> None:
    """More than 100 names in every address that holds one: none is served."""
    names, client = paths(), at_home.test_client()
    assert len(names) >= 100
    outside = sorted(p.name for p in config.folder.parent.iterdir())
    for number, name in enumerate(names):
        for holder in HOLDERS[number % 3 :: 3]:
            with client.get(holder.format(name)) as answer:
                assert answer.status_code in (301, 308, 400, 403, 404, 503), (
                    holder,
                    name,
                    answer.status_code,
                )
                assert SECRET not in answer.data
                assert b"PRIVATE" not in answer.data
    assert sorted(p.name for p in config.folder.parent.iterdir()) == outside


def test_no_address_of_a_camera_is_asked_that_is_none(
    at_home: Flask, config: Config
) -> None:
    """More than 60: refused before anything is opened, to the keeper as to others."""
    client, urls = at_home.test_client(), addresses()
    assert len(urls) >= 60
    form = {"csrf_token": token(client.get("/").text), "game": "regicide"}
    made = client.post("/tables", data={**form, "name": ["A", "B"]})
    path = made.headers["Location"].replace("/seats", "/camera")
    for url in urls:
        answer = client.post(path, data={**form, "source": url})
        assert answer.status_code == 400, url
    assert at_home.extensions["arbitro.watches"].watched() == {}


FIELDS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("/tables", "name", {"game": "regicide"}),
    ("/tables", "title", {"game": "regicide", "name": "A"}),
    ("/tables", "rule.frantic.limit.number", {"game": "frantic", "name": "A"}),
    ("/tables", "game", {}),
    ("/tables", "mat", {"game": "warstones"}),
    ("/tables", "deck.frenzy", {"game": "frenzy"}),
    ("/join", "code", {}),
    ("/join", "key", {"code": "ABC234"}),
    ("/welcome", "key", {}),
    ("/sign-in", "name", {"secret": "x"}),
    ("/sign-in", "secret", {"name": "Ada"}),
    ("/sign-in", "back", {"name": "Ada"}),
    ("/setup/decks", "name", {"game": "frantic"}),
    ("/setup/decks", "owner", {"game": "frantic", "name": "living"}),
    ("/setup/kits", "name", {}),
    ("/setup/lenses", "name", {}),
    ("/setup/lenses", "square_mm", {"name": "desk"}),
    ("/setup/mats", "name", {}),
    ("/camera/key", "name", {}),
    ("/settings", "back", {}),
    ("/read", "game", {}),
    ("{table}/moves", "move", {}),
    ("{table}/answers", "question", {}),
    ("{table}/camera", "source", {}),
)
"""Every text field, with what its form needs besides."""


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("path", "field", "others"), FIELDS)
def test_no_text_field_gives_its_text_back_as_markup(
    at_home: Flask, path: str, field: str, others: dict[str, str]
) -> None:
    """R9: each field with its share of the payloads; `ARBITRO_FULL=1`: with all."""
    client = at_home.test_client()
    form = {"csrf_token": token(client.get("/").text), "game": "regicide"}
    made = client.post("/tables", data={**form, "name": ["A", "B"]})
    where = path.format(table=made.headers["Location"].removesuffix("/seats"))
    share, slow = FIELDS.index((path, field, others)), path == "/sign-in"
    full = "ARBITRO_FULL" in os.environ
    # Each try of a secret is meant to take long (argon2).
    step = (10 if slow else 1) if full else (80 if slow else len(FIELDS))
    for text in payloads()[share % step :: step]:
        answer = client.post(where, data={**form, **others, field: text})
        assert answer.status_code < 500, (text, answer.text)
        page = answer.text
        if answer.status_code in (302, 303):
            assert answer.headers["Location"].startswith("/"), text
            page = client.get(answer.headers["Location"]).text
        for part in re.findall(r"<[a-z][^>]*hit=1", text):
            assert part not in page, (field, text)
            assert html.escape(part) not in page or part not in page


def test_image_bombs_are_refused_before_they_unfold(client: FlaskClient) -> None:
    """Finding 5: by what the header says, whatever the file would become."""
    for name, data in bombs().items():
        answer = client.post("/api/read", data={"photo": (io.BytesIO(data), name)})
        assert answer.status_code in (413, 415, 422), name


def test_what_is_no_picture_is_refused(client: FlaskClient, tmp_path: Path) -> None:
    for data in (
        b"",
        b"GIF89a",
        b"<svg onload=x>",
        b"%PDF-1.7",
        b"PK\3\4",
        b"\xff\xd8",
    ):
        answer = client.post("/api/read", data={"photo": (io.BytesIO(data), "x.jpg")})
        assert answer.status_code in (400, 415, 422)


def test_a_picture_may_carry_any_name(
    upload: Callable[..., str], client: FlaskClient, eyes: Eyes
) -> None:
    del eyes
    for name in (
        "<img src=x onerror=hit=1>.jpg",
        '"><script>hit=1</script>',
        "a" * 500,
    ):
        path = upload(jpeg())
        page = client.get(path).text
        assert name not in page
