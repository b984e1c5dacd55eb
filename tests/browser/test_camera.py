"""The phone as a live camera, with Chromium's own fake video device.

The device plays a Motion-JPEG file of a rendered table (ecosystem.md, finding 7).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Literal

import cv2
import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, expect

from companion.cameras import Shelf
from companion.phone_source import PhoneSource
from companion.web.security import session_key
from tests.browser.conftest import Launch, Served, close, keeper_cookie
from tests.companion.tables import FIGHT, picture

pytestmark = pytest.mark.browser
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture(scope="module")
def filming(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Browser:
    """A browser whose camera looks at a table of ours."""
    done, frame = cv2.imencode(".jpg", picture(FIGHT))
    assert done
    film = tmp_path_factory.mktemp("film") / "table.mjpeg"
    film.write_bytes(frame.tobytes() * 3)
    return launch(
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    )


@pytest.fixture
def page(filming: Browser, served: Served) -> Iterator[Page]:
    context = filming.new_context(
        viewport={"width": 390, "height": 844}, permissions=["camera"]
    )
    context.add_cookies([keeper_cookie(served)])
    page = context.new_page()
    page.goto(f"{served.url}/camera")
    yield page
    close(context)


def test_what_the_phone_sees_arrives_at_the_table(page: Page, served: Served) -> None:
    page.get_by_label("Name of this camera").fill("phone 7")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".camera-status")).to_contain_text("Sending: picture 3")
    home = served.folder / "home"
    shelf = Shelf(home / "cameras", session_key(home))
    assert shelf.present() == ("phone 7",)
    bgr = PhoneSource(shelf, "phone 7").read().bgr
    truth = cv2.resize(picture(FIGHT), bgr.shape[1::-1])
    difference = np.abs(bgr.astype(int) - truth.astype(int)).mean()
    assert difference < 12  # two rounds of JPEG and the colours of video
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".camera-status")).to_have_text("Stopped.")


SLOW = """
window.most = 0; window.sent = 0; let flying = 0; const real = window.fetch;
window.fetch = async (url, options) => {
  if (!String(url).includes("/camera/frames")) return real(url, options);
  flying += 1; window.sent += 1; window.most = Math.max(window.most, flying);
  await new Promise((done) => setTimeout(done, 400));
  try { return await real(url, options); } finally { flying -= 1; }
};
"""


def test_a_slow_network_is_sent_one_picture_at_a_time(page: Page) -> None:
    """Back-pressure: the next picture is taken when the one before has arrived."""
    page.add_init_script(SLOW)
    page.reload()
    page.get_by_label("Name of this camera").fill("phone 8")
    page.get_by_role("button", name="Start").click()
    # Each is shown for 400 ms; `expect` may look but once a second, and see the 31st.
    page.wait_for_function(
        """() => document.querySelector(".camera-status")
        .textContent.includes("Sending: picture 3")"""
    )
    assert page.evaluate("window.most") == 1
    assert page.evaluate("window.sent") <= 4
    page.get_by_role("button", name="Stop").click()


def test_a_bad_name_is_told_before_anything_is_sent(page: Page, served: Served) -> None:
    page.get_by_label("Name of this camera").fill("../../etc")
    page.get_by_role("button", name="Start").click()
    assert not page.evaluate("document.querySelector('[data-camera]').checkValidity()")
    assert not (served.folder / "home" / "cameras").exists() or not list(
        (served.folder / "home" / "cameras").iterdir()
    )


def test_its_pages_have_no_barriers(page: Page, served: Served) -> None:
    for path, scheme in product(("/camera", "/trust"), SCHEMES):
        page.emulate_media(color_scheme=scheme)
        page.goto(served.url + path)
        found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag22aa"]})
        assert found.violations_count == 0, (path, scheme, found.generate_report())
