"""Photos of a board that allow no ruling, and odd ones that do, on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.measure.kits import add_face, begin_kit
from tests.support.phone_photo import phone_jpeg
from tests.support.warboard import (
    ARMY,
    BOUNDS_MM,
    camera_over,
    face,
    geojson,
    mat_picture,
    shot,
    write_png,
)
from vision.mat_store import MatFacts, save_mat
from vision.scene.boards import Board, render_board
from vision.scene.sensor import Sensor
from vision.types import Bgr

SCREEN_35MM = 23
"""Focal length of the phone with which the screen is photographed."""


@cache
def photo() -> Bgr:
    return shot(ARMY[:4], table=camera_over(25, size_px=(1120, 840))).bgr


@cache
def of_a_screen() -> Bgr:
    """A screen 90 cm wide that shows the photo, photographed a little aslant."""
    table = camera_over(12, size_px=(1280, 960), distance_mm=900.0)
    shown = (0.0, 112.0, 900.0, 787.0)
    sensor = Sensor(defocus_px=0.5, full_well=6000, read_noise=0.003)
    board = Board(table, photo(), shown, (), sensor=sensor, beyond=(15.0, 15.0, 15.0))
    return render_board(board, np.random.default_rng(1))[0]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    for name, seed in (("cloth", 3), ("other", 9)):
        mat = folder / "mats" / name
        save_mat(mat, mat_picture(seed=seed), MatFacts(BOUNDS_MM))
        (mat / "mat.geojson").write_text(json.dumps(geojson()))
    box = folder / "kits" / "box"
    begin_kit(box)
    for disc in ARMY:
        add_face(box, disc.label or "", face(disc.label or ""))
    return folder


def run(home: Path, picture: Path, *words: str) -> Result:
    told = ["score", str(picture), "--game", "warstones", "--kit", "box", *words]
    env = {"ARBITRO_HOME": str(home), "COLUMNS": "160"}
    return CliRunner().invoke(main, told, env=env)


def mirrored(bgr: Bgr) -> Bgr:
    return np.ascontiguousarray(bgr[:, ::-1])


def half(bgr: Bgr) -> Bgr:
    return np.ascontiguousarray(bgr[:, : bgr.shape[1] // 2])


def corner(bgr: Bgr) -> Bgr:
    """From near: small pictures are refused for their size."""
    return np.asarray(cv2.resize(bgr[:300, :300], (900, 900)), np.uint8)


def bare(bgr: Bgr) -> Bgr:
    noise = np.random.default_rng(4).integers(-6, 7, bgr.shape)
    return np.asarray(np.clip(110 + noise, 0, 255), np.uint8)


def small(bgr: Bgr) -> Bgr:
    return np.asarray(cv2.resize(bgr, (320, 240), interpolation=cv2.INTER_AREA))


def soft(bgr: Bgr) -> Bgr:
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), 7.0), np.uint8)


def smeared(bgr: Bgr) -> Bgr:
    return np.asarray(cv2.filter2D(bgr, -1, np.full((1, 25), 1 / 25)), np.uint8)


BAD: Mapping[str, tuple[Callable[[Bgr], Bgr], str]] = {
    "no mat": (bare, "not in the picture"),
    "half a mat": (half, "outside the picture"),
    "a corner of the mat": (corner, "not in the picture"),
    "mirrored": (mirrored, "mirrored"),
    "blurred": (soft, "blurred"),
    "smeared": (smeared, "smeared"),
    "320 x 240": (small, "too small"),
    "320 x 240 of a part": (lambda bgr: small(half(bgr)), "too small"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_photo_gets_one_sentence_and_no_ruling(
    home: Path, tmp_path: Path, kind: str
) -> None:
    spoil, words = BAD[kind]
    bad = write_png(tmp_path / "bad.png", spoil(photo()))
    refused(run(home, bad, "--mat", "cloth", "--lang", "en"), words)


def refused(told: Result, words: str) -> None:
    assert told.exit_code == 1, told.output
    assert words in told.output
    assert told.output.count("\n") == 1


def test_another_mat_is_not_taken_for_this_one(home: Path, tmp_path: Path) -> None:
    good = write_png(tmp_path / "good.png", photo())
    told = run(home, good, "--mat", "other", "--lang", "en")
    refused(told, "not in the picture: it is another one")


@pytest.mark.parametrize("order", [(1, 0, 3, 2), (0, 1, 3, 2)])
def test_corners_in_a_wrong_order_are_told(
    home: Path, tmp_path: Path, order: tuple[int, ...]
) -> None:
    good = write_png(tmp_path / "good.png", photo())
    lens = camera_over(25, size_px=(1120, 840))
    corners = lens.to_image([[0, 0], [900, 0], [900, 900], [0, 900]])[list(order)]
    given = ",".join(f"{value:.0f}" for value in corners.ravel())
    told = run(home, good, "--mat", "cloth", "--corners", given, "--lang", "en")
    refused(told, "must go round it: near left, near right")


def test_a_photo_of_a_screen_contradicts_the_lens(home: Path, tmp_path: Path) -> None:
    """Where the focal length is known; without it a screen cannot be told."""
    path = tmp_path / "screen.jpg"
    path.write_bytes(phone_jpeg(of_a_screen(), focal_35mm=SCREEN_35MM))
    refused(run(home, path, "--mat", "cloth", "--lang", "en"), "of a screen")
    assert run(home, path, "--mat", "cloth", "--lang", "it").exit_code == 1


def places(told: Result) -> dict[str, tuple[float, float]]:
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)["placements"]
    return {one["label"]: (one["x_mm"], one["y_mm"]) for one in found}


def test_phone_photos_that_are_turned_or_large_are_read(
    home: Path, tmp_path: Path
) -> None:
    """EXIF turns the picture; 12 megapixels are measured as they are."""
    lens = camera_over(25, size_px=(1120, 840)).camera
    focal = round(lens.focal_px[0] / np.hypot(1120, 840) * 43.27)
    turned, large = tmp_path / "turned.jpg", tmp_path / "large.jpg"
    turned.write_bytes(phone_jpeg(photo(), focal_35mm=focal, turned=True))
    size = (4000, 3000)
    large_bgr = cv2.resize(photo(), size, interpolation=cv2.INTER_LANCZOS4)
    wide = np.asarray(large_bgr, np.uint8)
    large.write_bytes(phone_jpeg(wide, focal_35mm=focal))
    for path in (turned, large):
        found = places(run(home, path, "--mat", "cloth", "--json"))
        for disc in ARMY[:4]:
            place = found[disc.label or ""]
            assert place == pytest.approx((disc.x_mm, disc.y_mm), abs=1.5)
