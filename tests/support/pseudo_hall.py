"""The page in a language that nobody speaks, with a table of every game."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from flask import Flask

import engines
from companion.config import Config
from companion.tables.rights import Role
from companion.tables.seats import HOUSE
from companion.terminal.mats import draft
from companion.web import create_app
from companion.web.live_guard import hall as hall_of
from companion.web.parts import limiter
from tests.companion.conftest import Eyes, jpeg, token
from tests.companion.tables import FIGHT, observation
from tests.support.live_games import OPTIONS, moves_of, write_move
from tests.support.pseudo import pseudo_locale
from vision.mat_store import MatFacts, save_mat

NAMES = ("Anna", "Bruno", "Chiara")
MOVES = {"frenzy": 9, "brawl": 12, "warstones": 34, "regicide": 10, "frantic": 12}
ROOT = Path(engines.__file__).parent
OWN_WORDS = sorted(
    {
        # What people or boxes call things: players, decks, kits, chips, cities, zones.
        *NAMES,
        *("Ada", "kitchen", "box", "desk", "cloth", "organiser", "referee"),
        *("Arbitro", "Italiano", "English", "IT", "EN", "TOML", "JSON", "GeoJSON"),
        *("Brawl", "Frantic", "Frenzy", "Regicide", "Warstones", "a.jpg", "ms", "mm"),
        *(
            name
            for path in ROOT.glob("*/*")
            if path.suffix in (".toml", ".geojson", ".json", ".py")
            and path.name not in ("messages.toml", "house.toml")
            for name in re.findall(
                r"""["']?it["']?\s*[=:,]\s*["']([^"'\n]+)""", path.read_text()
            )
        ),
    },
    key=len,
    reverse=True,
)
CODE = "[A-Z2-9]{6}(?:[A-Z2-9]{2})?"
RULE = r"FZ-R\d\d"
CHIPS = "[A-Z][a-z]"
"""What stands on a chip: the first letters of its name."""
KNOWN = re.compile(
    rf"\b(?:{'|'.join(map(re.escape, OWN_WORDS))}|{CODE}|{CHIPS}|{RULE})\b"
)
"""What stays in every language."""


@dataclass
class Hall:
    """The page in the language, with a table of every game."""

    app: Flask
    tables: dict[str, str]
    tokens: dict[str, str]

    def get(self, path: str, who: str = "keeper") -> str:
        """Return a page as somebody sees it."""
        client = self.app.test_client()
        client.set_cookie("arbitro_id", self.tokens[who])
        answer = client.get(path, headers={"Accept-Language": "it"})
        assert answer.status_code < 500, path
        return answer.get_data(as_text=True)

    def sent(self, path: str, **form: object) -> tuple[str, str]:
        """Return where a form leads, and the page that stands there."""
        client = self.app.test_client()
        client.set_cookie("arbitro_id", self.tokens["keeper"])
        it = {"Accept-Language": "it"}
        form["csrf_token"] = token(client.get("/").text)
        answer = client.post(path, data=form, headers=it)
        place = answer.headers.get("Location", "")
        return place, client.get(place, headers=it).text if place else answer.text


@contextmanager
def pseudo_hall(folder: Path) -> Iterator[Hall]:
    """Give the page in the language, with a table of every game."""
    eyes = Eyes(observation(FIGHT))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARBITRO_HOME", str(folder / "home"))
        with pseudo_locale(patch, folder / "translations"):
            yield staged(folder, eyes)
    limiter.reset()


def staged(folder: Path, eyes: Eyes) -> Hall:
    config = Config(
        folder=folder / "home",
        load_pipeline=lambda decks: eyes,
        trusts_loopback=False,
        reads_per_minute=1000,
        changes_per_minute=1000,
    )
    app = create_app(config)
    made = Hall(app, {}, {})
    with app.app_context():
        opened = hall_of()
        for who in ("keeper", "nobody", "referee", "organiser"):
            visitor, secret = opened.people.arrive()
            if who == "keeper":
                opened.seats.take(visitor.id, HOUSE, Role.KEEPER)
                owner = visitor.id
            elif who != "nobody":
                given = opened.people.add(f"Ada {who}", Role(who))
                secret = opened.people.sign_in(visitor.id, f"Ada {who}", given)
            made.tokens[who] = secret
        for game, most in MOVES.items():
            seats = NAMES[: 3 if game == "frantic" else 2]
            table = opened.ledger.create_table(game, OPTIONS[game], seats=seats)
            opened.seats.open(table.id, len(seats), is_listed=True, owner=owner)
            for move in moves_of(game, most=most):
                write_move(opened.ledger, table.id, move, actor="owner")
            made.tables[game] = table.id
    return made


def sent(hall: Hall) -> Iterator[tuple[str, str]]:
    """Yield where forms lead, and what stands there."""

    def photo(data: bytes = b"") -> tuple[io.BytesIO, str]:
        return io.BytesIO(data or jpeg(FIGHT)), "a.jpg"

    place, page = hall.sent("/read", game="regicide", photo=photo())
    yield place, page
    card = re.search(r'href="(/t/[^"]+/card/[^"]+)"', page)
    assert card is not None
    yield card[1], hall.get(card[1])
    yield hall.sent("/read", game="regicide", photo=photo(b"x"))
    at = f"/tables/{hall.tables['regicide']}"
    yield hall.sent(f"{at}/photo", photo=photo())
    yield hall.sent("/setup/decks", name="kitchen", game="frantic")
    yield hall.sent("/setup/kits", name="box")
    yield hall.sent("/setup/lenses", name="desk")


def addresses(hall: Hall) -> Iterator[tuple[str, str]]:
    """Yield every page that can be asked for, and who may see it."""
    for id_ in hall.tables.values():
        yield f"/tables/{id_}", "keeper"
        yield f"/tables/{id_}/events/4", "referee"
    for path in ("/seats", "/camera"):
        yield f"/tables/{hall.tables['frenzy']}{path}", "keeper"
    for path in (
        *("/", "/tables", "/tables/new", "/join", "/join/ABC234", "/sign-in"),
        *("/setup", "/setup/doctor", "/setup/print", "/setup/decks", "/setup/mats"),
        *("/setup/kits", "/setup/kits/box/chips", "/setup/lenses", "/camera"),
        *("/setup/mats/cloth", "/trust", "/welcome", "/offline", "/nowhere"),
    ):
        yield path, "keeper"
    yield from ((f"/rules/{game}", "nobody") for game in MOVES)
    yield from (("/setup", "nobody"), ("/staff", "organiser"), ("/confirm", "referee"))


def keep_mat(home: Path) -> None:
    """Keep a mat whose lines are drawn."""
    noise = np.random.default_rng(3).integers(40, 210, (300, 300, 3), np.uint8)
    folder = home / "mats" / "cloth"
    save_mat(folder, noise, MatFacts((0.0, 0.0, 300.0, 300.0)))
    (folder / "mat.geojson").write_text(json.dumps(draft((300.0, 300.0), "cloth")))
