"""The page as an application under test, and pictures to send to it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from companion.config import Config
from companion.errors import NotHereError
from companion.sight import load_pipeline
from companion.web import create_app
from companion.web.parts import limiter
from tests.companion.tables import FIGHT, Laid, observation, picture
from tests.support.quick import be_quick
from vision.types import Frame, Observation

be_quick()


@dataclass
class Eyes:
    """A pipeline that sees the table that the test laid."""

    seen: Observation

    def __call__(self, frame: Frame) -> Observation:
        """Return the table, in the name and size of the picture that came."""
        height_px, width_px = frame.bgr.shape[:2]
        return replace(
            self.seen,
            frame=frame.id,
            source=frame.source,
            width_px=width_px,
            height_px=height_px,
        )


@pytest.fixture
def eyes() -> Eyes:
    return Eyes(observation(FIGHT))


@pytest.fixture
def config(tmp_path: Path, eyes: Eyes) -> Config:
    return Config(
        folder=tmp_path / "home",
        load_pipeline=lambda decks: eyes,
        trusts_loopback=True,
    )


@pytest.fixture
def app(config: Config) -> Iterator[Flask]:
    yield create_app(config)
    limiter.reset()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def runner() -> CliRunner:
    return CliRunner(env={"LANG": "en_GB.UTF-8", "LANGUAGE": "", "LC_ALL": ""})


@pytest.fixture(scope="session")
def models() -> None:
    """The models of vision, without which no picture can be read."""
    try:
        load_pipeline(1)
    except NotHereError as error:
        pytest.skip(str(error))


def jpeg(cards: tuple[Laid, ...] = FIGHT) -> bytes:
    """Return a photo of a table."""
    done, packed = cv2.imencode(".jpg", picture(cards))
    assert done
    return packed.tobytes()


def token(page: str) -> str:
    """Return the token against forged requests that a page carries."""
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found is not None, "the page has no form"
    return found[1]


Post = Callable[..., TestResponse]


@pytest.fixture
def post(client: FlaskClient) -> Post:
    """Sends a form as the page would: with its token."""

    def send(path: str, **fields: object) -> TestResponse:
        fields["csrf_token"] = token(client.get("/").text)
        return client.post(path, data=fields)

    return send


@pytest.fixture
def upload(post: Post) -> Callable[..., str]:
    """Sends a photo and returns the path of its result."""

    def send(data: bytes | None = None, **fields: object) -> str:
        photo = (io.BytesIO(jpeg() if data is None else data), "table.jpg")
        answer = post("/read", game="regicide", photo=photo, **fields)
        assert answer.status_code == 303, answer.text
        return answer.headers["Location"]

    return send
