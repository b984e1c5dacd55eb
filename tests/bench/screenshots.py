"""Pictures of every page on a phone of 390 x 844, for `companion/README.md`.

    python -m tests.bench.screenshots [--full] [--out FOLDER] [NAME...]
    python -m tests.bench.screenshots --axe [--csv FILE]

The real server with real pages; what lies on the tables is known, so that no picture
depends on the reading of cards. Italian and English, light and dark take turns;
`--full` takes the whole page in all four. `--axe` takes none: it looks for barriers (A,
AA) on every page in all four manners, and for requests to any other origin (U4).
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from flask import Flask
from playwright.sync_api import Browser, Page, sync_playwright
from waitress.server import create_server

from companion import showcase
from companion.config import Config
from companion.tables.gear import Gear
from companion.tables.hall import Hall, open_hall
from companion.tables.rights import Role
from companion.tables.seats import HOUSE
from companion.watching.readers import reader_of
from companion.web import create_app
from companion.web.server import bind, settings
from tests.companion.tables import rendered
from tests.support.live_games import OPTIONS, moves_of
from vision.types import Frame, Observation
from vision.views import Pace

OUT = Path("companion/screenshots")
SIZE = {"width": 390, "height": 844}
ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
QUALITY = 72
NAMES = {
    "frenzy": ("Anna", "Bruno"),
    "brawl": ("Chiara", "Davide"),
    "warstones": ("Elena", "Federico"),
    "regicide": ("Giulia", "Hanno"),
    "frantic": ("Ida", "Jacopo", "Maximiliana von Hohenstein"),
}
MORE_RULES = ("frenzy", "brawl", "warstones", "frantic")
"""Rules without a picture in the README; looked at for barriers all the same."""
MOVES = {"frenzy": 13, "brawl": 30, "warstones": 60, "regicide": 22, "frantic": 34}
ENDED = 400
"""So many moves of Regicide: until it is over."""


@dataclass(frozen=True)
class Shot:
    """One page to take a picture of."""

    name: str
    path: str
    who: str = "keeper"
    act: Callable[[Page], object] | None = None
    """What to do first."""


@dataclass
class Stage:
    """A running page with tables in every game."""

    url: str
    app: Flask
    hall: Hall
    folder: Path
    tokens: dict[str, str]
    tables: dict[str, str]
    film: Film | None = None


class Film:
    """A phone that sends its camera's pictures, as often as it is told."""

    def __init__(self, app: Flask, name: str, bgr: Any) -> None:
        from companion.cameras import Shelf  # noqa: PLC0415 - only here

        folder = app.extensions["arbitro"].config.folder
        self._shelf = Shelf(folder / "cameras", app.config["SECRET_KEY"])
        self._key, self._bgr, self._count = self._shelf.admit(name), bgr, 0
        self._rng = np.random.default_rng(1)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Send no more."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._count += 1
            now_ms = int(datetime.now(UTC).timestamp() * 1000)
            # As a camera gives it: never twice the same.
            small = self._rng.normal(0, 3, (*self._bgr.shape[:2], 1))
            noisy = np.clip(self._bgr + small, 0, 255).astype(np.uint8)
            jpeg = cv2.imencode(".jpg", noisy)[1].tobytes()
            self._shelf.put(self._key, jpeg, count=self._count, taken_ms=now_ms)
            self._stop.wait(0.15)


@contextmanager
def staged(folder: Path) -> Iterator[Stage]:
    """Serve the page with a table of every game."""
    table = showcase.tables()[0]
    seen = rendered(table)

    def see(frame: Frame) -> Observation:
        height_px, width_px = frame.bgr.shape[:2]
        scale = width_px / seen.width_px
        placements = tuple(
            replace(one, quad_px=tuple((x * scale, y * scale) for x, y in one.quad_px))
            for one in seen.placements
        )
        return replace(
            seen, width_px=width_px, height_px=height_px, placements=placements
        )

    def reader(game: str, **gear: Any) -> tuple[Any, tuple[Any, ...]]:
        if game == "warstones":
            return reader_of(game, **gear)
        return lambda: see, ()

    config = Config(
        folder=folder,
        load_pipeline=lambda decks: see,
        reader=reader,
        most_streams=60,
        changes_per_minute=9999,
        reads_per_minute=9999,
    )
    app = create_app(config)
    hall = app.extensions["arbitro.hall"] = open_hall(folder)
    sock = bind("127.0.0.1", 0)
    server = create_server(app, sockets=[sock], **settings(config))
    threading.Thread(target=server.run, daemon=True).start()
    stage = Stage(
        f"http://127.0.0.1:{sock.getsockname()[1]}", app, hall, folder, {}, {}
    )
    _people(stage)
    for game in NAMES:
        stage.tables[game] = _table(stage, game, MOVES[game])
    stage.tables["ended"] = _table(stage, "regicide", ENDED, seed=5)
    stage.tables["watched"] = _watched(stage, table.path.read_bytes())
    _set_up(stage)
    yield stage
    if stage.film:
        stage.film.stop()
    app.extensions["arbitro.watches"].close()
    server.close()


def _people(stage: Stage) -> None:
    for who in ("keeper", "nobody", "referee", "organiser"):
        visitor, token = stage.hall.people.arrive()
        if who == "keeper":
            stage.hall.seats.take(visitor.id, HOUSE, Role.KEEPER)
        elif who != "nobody":
            name = {"referee": "Ada Lovelace", "organiser": "Olga Rossi"}[who]
            secret = stage.hall.people.add(name, Role(who))
            token = stage.hall.people.sign_in(visitor.id, name, secret)
        stage.tokens[who] = token


def _table(stage: Stage, game: str, most: int, *, seed: int = 1) -> str:
    hall, owner = stage.hall, stage.hall.people.visitor(stage.tokens["keeper"])
    assert owner is not None
    names = NAMES[game]
    made = hall.ledger.create_table(game, OPTIONS.get(game, {}), seats=names)
    hall.seats.open(made.id, len(names), is_listed=True, owner=owner.id, gear=Gear())
    for number, move in enumerate(moves_of(game, most=most, seed=seed), start=1):
        hall.ledger.append(
            made.id,
            number,
            move,
            source="page",
            actor="owner",
            taken_at=datetime.now(UTC),
        )
    return made.id


def _watched(stage: Stage, jpeg: bytes) -> str:
    from companion.watching.kept import Watch  # noqa: PLC0415 - heavy
    from companion.watching.plan import TEMPI, Tempo  # noqa: PLC0415 - as above
    from companion.watching.service import Watches  # noqa: PLC0415 - as above

    # These eyes see whole pictures: what they are shown is not cut.
    TEMPI["regicide"] = Tempo(Pace(settle_s=0.2, crops=False), quiet_s=0.3)  # type: ignore[index]
    id_ = _table(stage, "regicide", 0)
    config = stage.app.extensions["arbitro"].config
    watches = stage.app.extensions["arbitro.watches"] = Watches(
        stage.hall.ledger,
        config.folder,
        on_change=stage.hall.feeds.shake,
        reader=config.reader,
        own_process=False,
    )
    bgr = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert bgr is not None
    stage.film = Film(stage.app, "table 1", cv2.resize(bgr, (640, 480)))
    time.sleep(0.3)
    watches.start(id_, Watch("phone:table 1"))
    until_s = time.monotonic() + 90
    while time.monotonic() < until_s:
        shown = watches.shown(id_)
        if shown is not None and shown.observation is not None:
            break
        time.sleep(0.1)
    return id_


def _set_up(stage: Stage) -> None:
    """Keep a deck, a mat, a kit and the start of a lens."""
    from companion.measure.kits import add_face, begin_kit  # noqa: PLC0415
    from companion.prints.galleries import own_deck, own_mat  # noqa: PLC0415 - heavy
    from companion.terminal.calibrate import look_at, sheet_of  # noqa: PLC0415
    from companion.web.lenses import Work  # noqa: PLC0415
    from tests.support.sheets import VIEWS, sheet_photo  # noqa: PLC0415
    from tests.support.warboard import (  # noqa: PLC0415
        ARMY,
        BOUNDS_MM,
        face,
        geojson,
        mat_picture,
        shot,
        unit_labels,
    )
    from vision.gallery import save_gallery  # noqa: PLC0415
    from vision.mat_store import MatFacts, save_mat  # noqa: PLC0415

    save_mat(stage.folder / "mats" / "cloth", mat_picture(), MatFacts(BOUNDS_MM))
    lines = stage.folder / "mats" / "cloth" / "mat.geojson"
    lines.write_text(json.dumps(geojson()))
    begin_kit(stage.folder / "kits" / "box")
    for label in unit_labels():
        add_face(stage.folder / "kits" / "box", label, face(label))
    cv2.imwrite(str(stage.folder / "mat.jpg"), shot([*ARMY]).bgr)
    deck = own_deck("frantic")
    few = replace(deck, name="living-room", faces=deck.faces[:14])
    save_gallery(few, stage.folder / "decks" / "living-room")
    begin_kit(stage.folder / "kits" / "my-box")
    mat = own_mat()
    cloth = stage.folder / "mats" / "kitchen"
    save_mat(cloth, mat.bgr, MatFacts(mat.bounds_mm))
    draft = json.loads(mat.geojson) | {"draft": True}
    (cloth / "mat.geojson").write_text(json.dumps(draft))
    work = Work()
    for number, view in enumerate(VIEWS[:6]):
        _, packed = cv2.imencode(".jpg", sheet_photo(*view))
        look = look_at(
            packed.tobytes(), f"{number + 1}.jpg", sheet_of(None), work.looked
        )
        work.looked.append(look)
    stage.app.extensions["arbitro.lenses"] = {"desk": work}


def shots(stage: Stage) -> list[Shot]:
    """Return every page, in the order of the README."""
    at = {key: f"/tables/{id_}" for key, id_ in stage.tables.items()}
    photo = showcase.tables()[0]

    def read_demo(page: Page) -> None:
        page.locator(".thumbs form button").first.click()
        page.wait_for_url("**/t/*")

    def measure(page: Page) -> None:
        page.locator("input[value=warstones]").check(force=True)
        page.locator("[data-gear] > summary").click()
        page.locator("[name=mat]").select_option("cloth")
        page.locator("[name=kit]").select_option("box")
        photo = stage.folder / "mat.jpg"
        page.locator("input[name=photo]").nth(1).set_input_files(photo)
        page.wait_for_url("**/t/*", timeout=60_000)
        page.wait_for_load_state()
        page.evaluate("document.querySelector('#near').scrollIntoView()")

    def rulings(page: Page) -> None:
        page.locator("input[value=frantic]").check(force=True)
        page.locator("details:has(.house-rules) > summary").click()
        page.evaluate(
            "document.querySelector('details:has(.house-rules)').scrollIntoView()"
        )

    def house(page: Page) -> None:
        read_demo(page)
        page.locator("details:has(.house-rules) > summary").click()
        page.evaluate(
            "document.querySelector('details:has(.house-rules)').scrollIntoView()"
        )

    def put_right(page: Page) -> None:
        read_demo(page)
        page.locator("svg.marks a").first.click()
        page.wait_for_selector("dialog[open]")

    return [
        Shot("home", "/", "nobody"),
        Shot("result", "/", "nobody", read_demo),
        Shot("put-right", "/", "nobody", put_right),
        Shot("tables", "/tables"),
        Shot("new-table", "/tables/new"),
        Shot("invite", f"{at['frenzy']}/seats"),
        Shot("join", "/join", "nobody"),
        Shot("frenzy", at["frenzy"]),
        Shot("brawl", at["brawl"]),
        Shot("warstones", at["warstones"]),
        Shot("regicide", at["regicide"]),
        Shot("frantic", at["frantic"]),
        Shot("ended", at["ended"]),
        Shot("watched", at["watched"]),
        Shot("camera-of-table", f"{at['frenzy']}/camera"),
        Shot("moment", f"{at['frenzy']}/events/8", "referee"),
        Shot("sign-in", "/sign-in", "nobody"),
        Shot("confirm", "/confirm", "referee"),
        Shot("staff", "/staff", "organiser"),
        Shot("set-up", "/setup"),
        Shot("doctor", "/setup/doctor"),
        Shot("print", "/setup/print"),
        Shot("decks", "/setup/decks"),
        Shot("deck", "/setup/decks/living-room"),
        Shot("mats", "/setup/mats"),
        Shot("mat", "/setup/mats/kitchen"),
        Shot("kits", "/setup/kits"),
        Shot("kit", "/setup/kits/my-box"),
        Shot("chips", "/setup/kits/box/chips"),
        Shot("lenses", "/setup/lenses"),
        Shot("lens", "/setup/lenses/desk"),
        Shot("phone-camera", "/camera"),
        Shot("trust", "/trust"),
        Shot("key", "/welcome", "nobody"),
        Shot("refused", "/setup", "nobody"),
        Shot("board", "/", "nobody", measure),
        Shot("rules", f"/rules/{photo.game}", "nobody"),
        Shot("rulings", "/tables/new", act=rulings),
        Shot("result-rulings", "/", "nobody", house),
        *(Shot(f"rules-{game}", f"/rules/{game}", "nobody") for game in MORE_RULES),
    ]


def take(browser: Browser, stage: Stage, shot: Shot, manner: tuple[str, bool]) -> Page:
    """Return the page, ready."""
    locale, dark = manner
    context = browser.new_context(
        viewport=SIZE,  # type: ignore[arg-type]
        has_touch=True,
        locale=locale,
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )
    cookie: Any = {
        "name": "arbitro_id",
        "value": stage.tokens[shot.who],
        "url": stage.url,
    }
    context.add_cookies([cookie])
    page = context.new_page()
    page.goto(stage.url + shot.path)
    if shot.act is not None:
        shot.act(page)
    page.wait_for_timeout(500)
    return page


def main() -> None:
    """Take the pictures that are asked for, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--axe", action="store_true")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    found: list[tuple[str, str, int, int]] = []
    manners = list(product(("it-IT", "en-GB"), (False, True)))
    with (
        tempfile.TemporaryDirectory() as place,
        _home(Path(place)),
        staged(Path(place)) as stage,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=list(ARGUMENTS)
        )
        for number, shot in enumerate(shots(stage)):
            if asked.names and shot.name not in asked.names:
                continue
            if shot.name.startswith("rules-") and not (asked.names or asked.axe):
                continue
            every = asked.full or asked.axe
            chosen = manners if every else [manners[(number * 3) % 4]]
            for manner in chosen:
                page = take(browser, stage, shot, manner)
                if asked.axe:
                    found.append(barriers(page, stage, shot, manner))
                    page.context.close()
                    continue
                png = page.screenshot(full_page=asked.full)
                end = f"-{manner[0][:2]}-{'dark' if manner[1] else 'light'}"
                name = shot.name + (end if asked.full else "")
                _write(png, asked.out / f"{name}.webp")
                page.context.close()
        browser.close()
    if asked.axe:
        _tell(found, asked.csv)


def barriers(
    page: Page, stage: Stage, shot: Shot, manner: tuple[str, bool]
) -> tuple[str, str, int, int]:
    """Return page, manner, barriers found, requests to other origins."""
    from axe_playwright_python.sync_playwright import (  # type: ignore[import-untyped]  # noqa: PLC0415
        Axe,
    )

    page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    result = Axe().run(
        page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
    )
    if result.violations_count:
        print(shot.name, manner, result.generate_report())
    asked = page.evaluate(
        "performance.getEntriesByType('resource').map(entry => entry.name)"
    )
    foreign = [url for url in asked if not url.startswith((stage.url, "blob:"))]
    end = f"{manner[0][:2]} {'dark' if manner[1] else 'light'}"
    return shot.name, end, int(result.violations_count), len(foreign)


def _tell(found: list[tuple[str, str, int, int]], path: Path | None) -> None:
    pages = len({name for name, *_ in found})
    print(
        f"{pages} pages x 4 manners: {sum(row[2] for row in found)} barriers,"
        f" {sum(row[3] for row in found)} requests to other origins"
    )
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("page", "manner", "barriers", "foreign requests"))
            writer.writerows(found)


@contextmanager
def _home(folder: Path) -> Iterator[None]:
    import os  # noqa: PLC0415 - only here

    os.environ["ARBITRO_HOME"] = str(folder)
    yield


def _write(png: bytes, path: Path) -> None:
    bgr = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    assert bgr is not None
    cv2.imwrite(str(path), bgr, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])


if __name__ == "__main__":
    main()
