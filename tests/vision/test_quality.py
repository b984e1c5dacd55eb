"""Findings about a picture, on rendered tables made worse by a known amount."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.support.tables import camera_above, lay, photograph
from vision.quality import assess, edge_blur_px
from vision.scene.render import Truth
from vision.types import UNKNOWN, Bgr, Kind, Placement

CARDS = [
    ("10h", -90.0, 20.0, 12.0),
    ("Ks", -5.0, 10.0, -20.0),
    ("2c", 85.0, -10.0, 75.0),
    ("7d", 60.0, 40.0, 30.0),
]


def table(distance_mm: float = 420.0) -> tuple[Bgr, list[Placement]]:
    bgr, truths = photograph(lay(CARDS), camera_above(distance_mm=distance_mm))
    return bgr, [placement(truth) for truth in truths]


def placement(truth: Truth) -> Placement:
    corners = tuple((float(x), float(y)) for x, y in truth.quad_px)
    return Placement("c", Kind.CARD, UNKNOWN, 0.9, corners)


def codes(bgr: Bgr, placements: list[Placement]) -> set[str]:
    return {finding.code for finding in assess(bgr, placements)}


def exposed(bgr: Bgr, stops: float, noise: float = 0.0) -> Bgr:
    """Return the picture as if the shutter had been open `stops` longer."""
    light = (bgr.astype(float) / 255) ** 2.2 * 2.0**stops
    level = np.clip(light, 0, 1) ** (1 / 2.2) * 255
    level += np.random.default_rng(1).normal(0, noise, level.shape)
    return np.asarray(np.clip(np.round(level), 0, 255), np.uint8)


def edges(sigma_px: float, noise: float = 0.0) -> Bgr:
    """Return a picture of rectangles at all angles, blurred."""
    rng = np.random.default_rng(2)
    gray = np.full((480, 640), 40, np.uint8)
    for _ in range(40):
        middle, size = rng.uniform((40, 40), (600, 440)), rng.uniform(30, 90, 2)
        corners = cv2.boxPoints((tuple(middle), tuple(size), rng.uniform(0, 90)))
        fixed = np.round(corners * 16).astype(np.int32)
        cv2.fillPoly(gray, [fixed], int(rng.integers(256)), cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(gray.astype(np.float32), (0, 0), sigma_px)
    soft = soft + rng.normal(0, noise, soft.shape)
    return np.asarray(np.clip(np.round(soft), 0, 255), np.uint8)


@pytest.mark.parametrize("sigma_px", [1.0, 1.5, 2.0, 3.0, 4.0])
def test_the_blur_of_edges_is_measured(sigma_px: float) -> None:
    # The rectangles have edges of half a pixel by themselves.
    assert edge_blur_px(edges(sigma_px)) == pytest.approx(
        np.hypot(sigma_px, 0.6), rel=0.1
    )


@pytest.mark.parametrize("contrast", [0.15, 0.5, 1.0])
def test_blur_does_not_depend_on_contrast_and_little_on_noise(contrast: float) -> None:
    soft = edges(1.5)
    weak = (soft * contrast).astype(np.uint8)
    assert edge_blur_px(weak) == pytest.approx(edge_blur_px(soft), rel=0.1)
    assert edge_blur_px(edges(1.5, noise=6)) == pytest.approx(1.6, rel=0.15)


def test_a_picture_without_edges_has_no_blur() -> None:
    flat = np.full((200, 300), 90, np.uint8)
    noise = np.random.default_rng(1).normal(90, 8, flat.shape).astype(np.uint8)
    assert np.isnan(edge_blur_px(flat))
    assert np.isnan(edge_blur_px(noise))
    assert "blurred" not in codes(np.dstack([noise] * 3), [])


@pytest.mark.parametrize("distance_mm", [300.0, 420.0, 560.0])
def test_a_good_picture_has_no_findings(distance_mm: float) -> None:
    bgr, placements = table(distance_mm)
    assert codes(bgr, placements) == set()
    assert codes(bgr, []) == set()
    four_times = cv2.resize(bgr, None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC)
    large = np.asarray(four_times, np.uint8)
    scaled = [
        Placement(
            "c", Kind.CARD, UNKNOWN, 0.9, tuple((4 * x, 4 * y) for x, y in one.quad_px)
        )
        for one in placements
    ]
    assert codes(large, scaled) == set()


@pytest.mark.parametrize("distance_mm", [300.0, 420.0])
def test_blur_is_judged_by_the_size_of_the_cards(distance_mm: float) -> None:
    bgr, placements = table(distance_mm)
    card_px = 88 * 620 / distance_mm
    soft, hard = (
        np.asarray(cv2.GaussianBlur(bgr, (0, 0), share * card_px), np.uint8)
        for share in (0.006, 0.025)
    )
    assert "blurred" not in codes(soft, placements)
    assert "blurred" in codes(hard, placements)
    assert "blurred" in codes(hard, [])


@pytest.mark.parametrize("angle_deg", [0, 35, 90])
def test_a_shaken_picture_is_blurred_although_edges_along_the_way_are_sharp(
    angle_deg: float,
) -> None:
    bgr, placements = table()
    size = 15  # 12 % of a card
    line = np.zeros((size, size), np.float32)
    line[size // 2] = 1
    turn = cv2.getRotationMatrix2D((size // 2, size // 2), angle_deg, 1)
    kernel = cv2.warpAffine(line, turn, (size, size))
    shaken = np.asarray(cv2.filter2D(bgr, -1, kernel / kernel.sum()), np.uint8)
    assert "blurred" in codes(shaken, placements)


def test_dark_is_what_leaves_no_white() -> None:
    bgr, placements = table()
    assert "dark" not in codes(exposed(bgr, -2), placements)
    assert "dark" in codes(exposed(bgr, -5, noise=3), placements)
    assert "dark" in codes(exposed(bgr, -5, noise=3), [])
    assert "dark" in codes(np.zeros_like(bgr), [])


def test_overexposed_is_what_leaves_no_ink() -> None:
    bgr, placements = table()
    assert "overexposed" not in codes(exposed(bgr, 1), placements)
    assert "overexposed" in codes(exposed(bgr, 7), placements)
    assert "overexposed" in codes(np.full_like(bgr, 255), [])


def test_small_cards_and_small_pictures_are_of_low_resolution() -> None:
    bgr, placements = table(distance_mm=900.0)
    assert "low_resolution" in codes(bgr, placements)
    assert "low_resolution" not in codes(bgr, [])
    assert "low_resolution" in codes(bgr[:200, :300], [])


def test_odd_pictures_and_placements_are_judged_without_ado() -> None:
    spot = Placement("c", Kind.CARD, UNKNOWN, 0.9, ((5.0, 5.0),) * 4)
    away = Placement(
        "c", Kind.CARD, UNKNOWN, 0.9, ((9e6, 9e6), (9e7, 9e6), (9e7, 9e7), (9e6, 9e7))
    )
    for shape in ((64, 64, 3), (64, 4000, 3), (1000, 64, 3)):
        bgr = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
        for placements in ([], [spot], [away], [spot, away]):
            assess(bgr, placements)


@pytest.mark.parametrize("quality", [40, 95])
def test_a_picture_without_colour_is_told_whatever_jpeg_adds(quality: int) -> None:
    """A camera that sees by infrared shows hearts as black as spades."""
    bgr, placements = table()
    grey = np.repeat(bgr.mean(2, keepdims=True), 3, axis=2).astype(np.uint8)
    packed = cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    seen = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    assert "colourless" in codes(seen, placements)
    assert "colourless" not in codes(seen, [])
    faint = np.clip(grey + (bgr.astype(int) - grey) * 0.15, 0, 255).astype(np.uint8)
    assert "colourless" not in codes(faint, placements), "a little colour is colour"
