"""The mat editor: areas are drawn over the straightened picture and checked."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from companion.terminal.mats import draft
from tests.browser.conftest import Manner, Opens, Served
from vision.mat_store import MatFacts, save_mat

pytestmark = pytest.mark.browser

KEEPER = Manner(keeper=True)
SIZE_MM = (900.0, 900.0)


@pytest.fixture
def folder(served: Served) -> Path:
    """A mat that was straightened, its lines still the draft."""
    rng = np.random.default_rng(3)
    noise = cv2.resize(rng.integers(40, 210, (60, 60, 3), np.uint8), (900, 900))
    picture = cv2.GaussianBlur(np.asarray(noise, np.uint8), (0, 0), 2)
    folder = served.folder / "home" / "mats" / "kitchen"
    save_mat(folder, np.asarray(picture, np.uint8), MatFacts((0.0, 0.0, *SIZE_MM)))
    (folder / "mat.geojson").write_text(json.dumps(draft(SIZE_MM, "kitchen")))
    return folder


def lines(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "mat.geojson").read_text())
    return found


def tap(page: Page, x_mm: float, y_mm: float) -> None:
    box = page.locator(".drawing svg").bounding_box()
    assert box is not None
    page.mouse.click(
        box["x"] + box["width"] * x_mm / SIZE_MM[0],
        box["y"] + box["height"] * (1 - y_mm / SIZE_MM[1]),
    )


def test_an_area_is_drawn_named_and_saved(phone: Opens, folder: Path) -> None:
    page = phone("/setup/mats/kitchen", KEEPER)
    before = page.locator("path.area").count()
    page.get_by_role("button", name="Add an area").click()
    for x, y in ((380, 400), (470, 400), (470, 470), (380, 400)):
        tap(page, x, y)
    expect(page.locator("path.area")).to_have_count(before + 1)
    page.locator("input[name=id]").fill("wood")
    page.locator("input[name=id]").press("Tab")
    page.locator("select[name=terrain]").select_option("swamp")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".mat-status")).to_have_text("Saved.")
    saved = lines(folder)
    assert "draft" not in saved
    features = saved["features"]
    assert isinstance(features, list)
    assert features[-1]["id"] == "wood"
    assert features[-1]["properties"] == {"kind": "terrain", "terrain": "swamp"}
    (ring,) = features[-1]["geometry"]["coordinates"]
    assert np.allclose(ring[1], [470, 400], atol=4)
    assert ring[0] == ring[-1]


def test_a_corner_snaps_to_its_neighbour_and_can_be_taken_back(
    phone: Opens, folder: Path
) -> None:
    """Within 8 mm a new corner is the old one, so that no gap opens between areas."""
    page = phone("/setup/mats/kitchen", KEEPER)
    features = lines(folder)["features"]
    assert isinstance(features, list)
    x, y = next(
        corner
        for feature in features
        if feature["geometry"]["type"] == "Polygon"
        for corner in feature["geometry"]["coordinates"][0]
        if 50 < corner[0] < 800 and 50 < corner[1] < 800
    )
    before = page.locator("path.area").count()
    page.get_by_role("button", name="Add an area").click()
    for place in ((x + 4, y + 4), (x + 60, y + 10), (x + 40, y + 60), (x + 3, y - 3)):
        tap(page, *place)
    expect(page.locator("path.area")).to_have_count(before + 1)
    drawn = json.loads(page.locator("textarea[name=lines]").input_value())
    corners = drawn["features"][-1]["geometry"]["coordinates"][0]
    assert corners[0] == corners[-1] == [x, y]
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("path.area")).to_have_count(before)


def test_lines_go_out_and_come_in_as_geojson(
    phone: Opens, folder: Path, tmp_path: Path
) -> None:
    page = phone("/setup/mats/kitchen", KEEPER)
    page.locator("summary", has_text="GeoJSON").click()
    with page.expect_download() as taken:
        page.get_by_role("link", name="Download").click()
    data = json.loads(Path(taken.value.path()).read_text())
    assert data["features"] == lines(folder)["features"]
    data["features"][0]["id"] = "renamed"
    file = tmp_path / "mine.geojson"
    file.write_text(json.dumps(data))
    page.locator("[data-file]").set_input_files(file)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".mat-status")).to_have_text("Saved.")
    features = lines(folder)["features"]
    assert isinstance(features, list)
    assert features[0]["id"] == "renamed"


def test_what_the_rules_cannot_use_is_told_and_nothing_is_lost(
    phone: Opens, folder: Path
) -> None:
    page = phone("/setup/mats/kitchen", KEEPER)
    before = lines(folder)
    page.locator("select[name=area]").select_option(index=0)
    page.get_by_role("button", name="Remove it").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".mat-status")).to_contain_text("board")
    assert lines(folder) == before
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".mat-status")).to_have_text("Saved.")


@pytest.mark.parametrize("manner", [KEEPER, Manner("it-IT", dark=True, keeper=True)])
def test_set_up_pages_have_no_barriers(
    phone: Opens, served: Served, folder: Path, manner: Manner
) -> None:
    page = phone("/setup", manner)
    for path in ("/setup", "/setup/print", "/setup/mats", "/setup/mats/kitchen"):
        page.goto(served.url + path)
        found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag22aa"]})
        assert found.violations_count == 0, (path, found.generate_report())
        small = page.evaluate(
            "[...document.querySelectorAll('main a, main button')]"
            ".filter(e => e.offsetHeight && e.offsetHeight < 24).length"
        )
        assert small == 0, path
