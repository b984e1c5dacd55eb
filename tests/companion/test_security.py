"""What strangers on the network may and may not do (shared/ecosystem.md, C2)."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.about import source_archive
from companion.config import Config
from companion.errors import ConfigError
from companion.web import create_app
from companion.web.pages import own_path
from companion.web.parts import limiter
from companion.web.security import HEADERS, session_key
from tests.companion.conftest import Eyes, jpeg
from vision.types import Frame, Observation

PAGES = ("/", "/rules/regicide", "/nowhere", "/static/page.css", "/t/" + "a" * 22)


@pytest.mark.parametrize("path", PAGES)
def test_every_answer_carries_the_headers(client: FlaskClient, path: str) -> None:
    with client.get(path) as answer:
        headers = answer.headers
    for name, value in HEADERS.items():
        assert headers[name] == value
    policy = headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "http" not in policy


@pytest.mark.parametrize("path", ["/", "/rules/regicide", "/nowhere"])
def test_no_page_has_inline_code_or_foreign_addresses(
    client: FlaskClient, path: str, upload: Callable[..., str]
) -> None:
    for page in (client.get(path).text, client.get(upload()).text):
        assert not re.search(r"<script(?![^>]*\bsrc=\"/static/)", page)
        assert not re.search(r"\s(?:style|on\w+)=", page)
        assert "<style" not in page
        assert not re.search(r"(?:src|href|action)=\"(?:https?:)?//", page)


def test_a_form_without_its_token_is_refused(client: FlaskClient) -> None:
    photo = (io.BytesIO(jpeg()), "x.jpg")
    answer = client.post("/read", data={"game": "regicide", "photo": photo})
    assert answer.status_code == 400
    assert "Open the page again" in answer.text


@pytest.mark.parametrize("path", ["/read", "/settings", "/api/read"])
def test_other_sites_may_not_post(client: FlaskClient, path: str) -> None:
    for site in ("cross-site", "same-site"):
        answer = client.post(path, headers={"Sec-Fetch-Site": site})
        assert answer.status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.9"])
def test_a_foreign_name_gets_no_answer(client: FlaskClient, host: str) -> None:
    answer = client.get("/", headers={"Host": host})
    assert answer.status_code == 400
    assert "Take a photo" not in answer.text


def test_names_that_were_allowed_get_one(tmp_path: Path, eyes: Eyes) -> None:
    config = Config(
        folder=tmp_path,
        load_pipeline=lambda decks: eyes,
        trusted_hosts=("192.168.1.7", "table.local"),
    )
    client = create_app(config).test_client()
    for host in ("192.168.1.7:8000", "table.local"):
        assert client.get("/", headers={"Host": host}).status_code == 200


def test_too_large_an_upload_is_refused(tmp_path: Path, eyes: Eyes) -> None:
    config = Config(
        folder=tmp_path, load_pipeline=lambda decks: eyes, max_upload_bytes=50_000
    )
    client = create_app(config).test_client()
    photo = (io.BytesIO(bytes(60_000)), "x.jpg")
    answer = client.post("/api/read", data={"photo": photo})
    assert answer.status_code == 413
    assert answer.get_json()["code"] == "request_entity_too_large"


def test_too_many_parts_are_refused(client: FlaskClient) -> None:
    fields = {f"field{number}": "x" for number in range(60)}
    photo = (io.BytesIO(jpeg()), "x.jpg")
    answer = client.post("/api/read", data={**fields, "photo": photo})
    assert answer.status_code == 413


def test_a_flood_is_slowed_down(tmp_path: Path, eyes: Eyes) -> None:
    config = Config(
        folder=tmp_path, load_pipeline=lambda decks: eyes, reads_per_minute=2
    )
    client = create_app(config).test_client()
    limiter.reset()
    codes = []
    for _ in range(3):
        photo = (io.BytesIO(jpeg()), "x.jpg")
        codes.append(client.post("/api/read", data={"photo": photo}).status_code)
    limiter.reset()
    assert codes == [200, 200, 429]


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "evil",
        "",
        "/\n/evil.example",
        "/\t/evil.example",
    ],
)
def test_the_way_back_stays_on_this_page(target: str) -> None:
    assert own_path(target) == "/"


def test_the_way_back_may_be_any_path_of_ours() -> None:
    assert own_path("/t/abc?x=1") == "/t/abc?x=1"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2f..%2fpyproject.toml",
        "/static/%2e%2e/config.py",
        "/demo/..%2f..%2fconfig.jpg",
        "/t/..%2f..%2fetc%2fpasswd",
        "/t/%2e%2e/picture.jpg",
    ],
)
def test_no_path_leads_out(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_the_cookie_is_for_the_server_only(
    client: FlaskClient, upload: Callable[..., str]
) -> None:
    upload()
    cookie = client.get_cookie("arbitro")
    assert cookie is not None
    assert cookie.http_only
    assert cookie.same_site == "Lax"


def test_the_key_of_the_sessions_is_secret_and_stays(tmp_path: Path) -> None:
    key = session_key(tmp_path)
    assert len(key) == 32
    assert session_key(tmp_path) == key
    assert (tmp_path / "session.key").stat().st_mode & 0o077 == 0
    (tmp_path / "session.key").write_bytes(b"short")
    assert len(session_key(tmp_path)) == 32


def test_an_unforeseen_error_tells_nothing_about_itself(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def see(_: Frame) -> Observation:
        raise RuntimeError("the secret path /home/someone")

    app: Flask = create_app(Config(folder=tmp_path, load_pipeline=lambda decks: see))
    photo = (io.BytesIO(jpeg()), "x.jpg")
    answer = app.test_client().post("/api/read", data={"photo": photo})
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "unforeseen error" in caplog.text


def test_the_source_is_all_there_and_nothing_else() -> None:
    with tarfile.open(fileobj=io.BytesIO(source_archive())) as archive:
        names = archive.getnames()
    bare = {name.partition("/")[2] for name in names}
    assert {"companion/web/app.py", "engines/core/game.py", "vision/types.py"} <= bare
    assert "LICENSE" in bare
    assert not any("session.key" in name or "__pycache__" in name for name in names)


def test_the_source_is_sent(client: FlaskClient) -> None:
    answer = client.get("/source")
    assert answer.status_code == 200
    assert answer.mimetype == "application/gzip"


@pytest.mark.parametrize(
    "wrong", [{"keep_s": 0.0}, {"at_once": 0}, {"trusted_hosts": ()}]
)
def test_impossible_settings_are_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        Config(folder=tmp_path, **wrong)
