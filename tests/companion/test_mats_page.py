"""Mats on the page: a photo becomes a straightened picture with lines to draw on."""

from __future__ import annotations

import io
import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from companion.config import Config
from tests.companion.conftest import Post


@pytest.fixture
def photo() -> bytes:
    """A textured mat, photographed askew on a dark table."""
    rng = np.random.default_rng(5)
    mat = cv2.resize(rng.integers(30, 230, (70, 70, 3), np.uint8), (1000, 1000))
    corners = np.array([[0, 999], [999, 999], [999, 0], [0, 0]], np.float32)
    seen = np.array([[150, 860], [1090, 880], [990, 90], [220, 70]], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, seen)
    picture = cv2.warpPerspective(mat, matrix, (1200, 960), borderValue=(25, 30, 25))
    done, packed = cv2.imencode(".jpg", picture)
    assert done
    return packed.tobytes()


CORNERS = "150,860,1090,880,990,90,220,70"


def made(post: Post, photo: bytes, **fields: str) -> int:
    given = {
        "name": "kitchen",
        "width_mm": "900",
        "depth_mm": "900",
        "corners": CORNERS,
        **fields,
    }
    sent = post("/setup/mats", photo=(io.BytesIO(photo), "mat.jpg"), **given)
    return sent.status_code


def test_a_photo_with_four_corners_becomes_a_mat(
    client: FlaskClient, post: Post, photo: bytes, config: Config
) -> None:
    assert made(post, photo) == 303
    folder = config.folder / "mats" / "kitchen"
    assert json.loads((folder / "mat.geojson").read_text())["draft"] is True
    page = client.get("/setup/mats/kitchen")
    assert 'data-bounds="0.0,0.0,900.0,900.0"' in page.text
    assert "kitchen" in client.get("/setup/mats").text


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "../kitchen"},
        {"name": ""},
        {"width_mm": "wide"},
        {"depth_mm": "9"},
        {"corners": "1,2,3"},
        {"corners": "1,2,3,4,5,6,7,x"},
        {"corners": "220,70,990,90,1090,880,150,860"},
    ],
)
def test_a_mat_that_cannot_be_made_is_told_and_leaves_nothing(
    post: Post, photo: bytes, config: Config, fields: dict[str, str]
) -> None:
    assert made(post, photo, **fields) == 400
    assert not list((config.folder / "mats").glob("*")) or not list(
        (config.folder / "mats").rglob("mat.geojson")
    )


def test_lines_are_saved_only_if_the_rules_can_use_them(
    client: FlaskClient, post: Post, photo: bytes, config: Config
) -> None:
    made(post, photo)
    path = config.folder / "mats" / "kitchen" / "mat.geojson"
    before = path.read_text()
    for bad in ("", "[]", "{}", '{"type": "FeatureCollection", "features": []}'):
        assert post("/setup/mats/kitchen", lines=bad).status_code == 400
        assert path.read_text() == before
    good = json.loads(before)
    assert post("/setup/mats/kitchen", lines=json.dumps(good)).status_code == 303
    saved = json.loads(path.read_text())
    assert "draft" not in saved
    assert saved["features"] == good["features"]


@pytest.mark.parametrize("name", ["none", "..", "%2e%2e", "a/b", "x" * 60])
def test_other_names_are_not_found(client: FlaskClient, name: str) -> None:
    for ending in ("", "/mat.png", "/mat.geojson"):
        assert client.get(f"/setup/mats/{name}{ending}").status_code == 404
    assert not Path("/setup").exists()
