"""Names, addresses and texts that people send to harm: none gets through."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient

import companion
from companion.config import Config
from companion.tables.hall import Hall, open_hall
from companion.tables.rights import Role
from companion.tables.seats import HOUSE
from companion.web import create_app
from companion.web.parts import limiter
from tests.bench.bench_uploads import bombs
from tests.companion.conftest import Eyes, jpeg, token
from tests.companion.test_setup_pages import fields_of
from tests.support.hostile import addresses, paths
from tests.support.payloads import payloads
from tests.support.pseudo_hall import keep_mat
from vision.images import to_png

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


@dataclass(frozen=True)
class Field:
    """One text field, with what its form needs besides."""

    path: str
    name: str
    others: Mapping[str, str] = field(default_factory=dict)
    who: str = "keeper"

    @property
    def is_secret(self) -> bool:
        """Return whether a wrong text means that nothing is shown."""
        doors = ("/welcome", "/join", "/sign-in", "/confirm", "/judge")
        return self.path.endswith(doors)


KIT = "{kit}"
RULES = {"ruling": "rejected", "decision": "overruled"}
FIELDS = (
    Field("/tables", "name", {"game": "regicide"}),
    Field("/tables", "title", {"game": "regicide", "name": "A"}),
    Field("/tables", "rule.frantic.limit.number", {"game": "frantic", "name": "A"}),
    Field("/tables", "rule.frantic.scoring", {"game": "frantic", "name": "A"}),
    Field("/tables", "game"),
    Field("/tables", "mat", {"game": "warstones"}),
    Field("/tables", "deck.frenzy", {"game": "frenzy"}),
    Field("/tables", "source", {"game": "regicide", "name": "A"}),
    Field("/join", "code"),
    Field("/join", "key", {"code": "ABC234"}),
    Field("/welcome", "key"),
    Field("/sign-in", "name", {"secret": "x"}),
    Field("/sign-in", "secret", {"name": "Ada"}),
    Field("/sign-in", "back", {"name": "Ada"}),
    Field("/confirm", "secret", who="referee"),
    Field("/staff", "name", {"role": "referee"}, "organiser"),
    Field("/setup/decks", "name", {"game": "frantic"}),
    Field("/setup/decks", "character", {"game": "brawl", "name": "living"}),
    Field("/setup/decks", "owner", {"game": "frantic", "name": "living"}),
    Field("/setup/decks/kitchen", "card.1.png"),
    Field("/setup/decks/kitchen", "remove"),
    Field("/setup/kits", "name"),
    Field("/setup/kits/box", "0.en", {KIT: ""}),
    Field("/setup/kits/box", "0.it", {KIT: ""}),
    Field("/setup/kits/box", "0.strength", {KIT: ""}),
    Field("/setup/kits/box", "chip.diameter_mm", {KIT: ""}),
    Field("/setup/kits/box", "new.label", {KIT: ""}),
    Field("/setup/kits/box", "toml", {"whole": "yes"}),
    Field("/setup/kits/box/chips/names", "chip.1"),
    Field("/setup/lenses", "name"),
    Field("/setup/lenses", "square_mm", {"name": "desk"}),
    Field("/setup/mats", "name"),
    *(Field("/setup/mats", one, {"name": "m"}) for one in ("width_mm", "depth_mm")),
    Field("/setup/mats", "corners", {"name": "m", "width_mm": "9", "depth_mm": "9"}),
    Field("/setup/mats/cloth", "lines"),
    Field("/camera/key", "name"),
    Field("/settings", "back"),
    Field("/read", "game"),
    Field("{table}/moves", "move"),
    Field("{table}/answers", "question"),
    Field("{table}/answers", "value", {"question": "castle"}),
    Field("{table}/camera", "source"),
    Field("{table}/judge", "picture"),
    Field("{table}/events/1/overrule", "reason", RULES, "referee"),
    Field("{table}/events/1/overrule", "move", {"ruling": "instead"}, "referee"),
    Field("{result}/answer", "question"),
    Field("{result}/options", "rule.regicide.overDiscard"),
    Field("{result}/card/p1", "value"),
    Field("{result}/ruling", "reason", RULES, "referee"),
    Field("{result}/ruling", "about", {"decision": "accepted"}, "referee"),
)
IN_SCRIPTS = {"id", "others"}
"""Fields of the mat editor that its script writes into `lines`."""


def test_no_text_field_of_a_template_is_missing_here() -> None:
    known = {one.name for one in FIELDS} | IN_SCRIPTS
    tag = re.compile(r"<(?:input|textarea)\b(?:[^>{]|\{\{.*?\}\}|\{%.*?%\})*>")
    templates = list((Path(companion.__file__).parent / "templates").rglob("*.html"))
    texts = 0
    for path in templates:
        for found in tag.findall(path.read_text("utf-8")):
            kind = re.search(r'type="(\w+)"', found)
            name = re.search(r'name="([^"]+)"', found)
            if name is None or (kind and kind[1] not in ("text", "number", "password")):
                continue
            texts += 1
            holes = re.split(r"\{\{.*?\}\}", name[1])
            pattern = re.compile(".+".join(map(re.escape, holes)))
            assert any(map(pattern.fullmatch, known)), (path.name, name[1])
    assert texts >= 30


def signed_in(app: Flask) -> dict[str, FlaskClient]:
    """Return a phone of the keeper, of a referee and of an organiser."""
    opened: Hall = app.extensions["arbitro.hall"]
    found = {"keeper": app.test_client()}
    for role in (Role.REFEREE, Role.ORGANISER):
        client = found[str(role)] = app.test_client()
        secret = opened.people.add(f"Ada {role}", role)
        form = {"csrf_token": token(client.get("/sign-in").text)}
        form |= {"name": f"Ada {role}", "secret": secret}
        assert client.post("/sign-in", data=form).status_code == 303
        if role is Role.REFEREE:
            visitor, cookie = opened.people.arrive()
            opened.seats.take(visitor.id, HOUSE, Role.KEEPER)
            found["keeper"].set_cookie("arbitro_id", cookie)
    return found


def staged(client: FlaskClient, home: Path) -> dict[str, str]:
    """Make one of everything that has a page with fields; return where it is."""
    form = {"csrf_token": token(client.get("/").text), "game": "regicide"}
    made = client.post("/tables", data={**form, "name": ["A", "B"]})
    table = made.headers["Location"].removesuffix("/seats")
    photo = {"photo": (io.BytesIO(jpeg()), "a.jpg")}
    result = client.post("/read", data={**form, **photo}).headers["Location"]
    photo = {"photo": (io.BytesIO(jpeg()), "a.jpg")}
    client.post(f"{table}/photo", data={**form, **photo})
    client.post("/setup/decks", data={**form, "game": "frantic", "name": "kitchen"})
    client.post("/setup/kits", data={**form, "name": "box"})
    client.post("/setup/lenses", data={**form, "name": "desk"})
    keep_mat(home)
    draft = home / "drafts" / "kitchen"
    picture = to_png(np.full((90, 64, 3), 200, np.uint8))
    (draft / "1.png").write_bytes(picture)
    card = {"file": "1.png", "name": "", "note": "", "is_guess": False}
    facts = json.loads((draft / "draft.json").read_text())
    (draft / "draft.json").write_text(json.dumps(facts | {"cards": [card]}))
    chips = home / "kits" / "box" / "cut-out"
    chips.mkdir()
    (chips / "1.png").write_bytes(picture)
    return {"table": table, "result": result}


@pytest.mark.timeout(1800)
def test_no_text_field_gives_its_text_back_as_markup(
    at_home: Flask, config: Config
) -> None:
    """R9: each field with its share of the payloads; `ARBITRO_FULL=1`: with all."""
    phones = signed_in(at_home)
    places = staged(phones["keeper"], config.folder)
    full, sent = "ARBITRO_FULL" in os.environ, 0
    # What needs the secret again comes first: that lasts five minutes.
    for number, one in enumerate(sorted(FIELDS, key=lambda f: f.who == "keeper")):
        client = phones[one.who]
        others = {k: v for k, v in one.others.items() if k != KIT}
        if KIT in one.others:
            others |= fields_of(client.get(one.path).text)
        others["csrf_token"] = token(client.get("/").text)
        # Each try of a secret is meant to take long (argon2).
        slow = one.path in ("/sign-in", "/confirm")
        step = (10 if slow else 1) if full else (90 if slow else len(FIELDS))
        for text in payloads()[number % step :: step]:
            sent += 1
            where = one.path.format(**places)
            answer = client.post(where, data={**others, one.name: text})
            assert answer.status_code < 500, (one, text, answer.text)
            assert one.is_secret or answer.status_code not in (403, 404), (one, text)
            page = answer.text
            if answer.status_code in (302, 303):
                assert answer.headers["Location"].startswith("/"), (one, text)
                page = client.get(answer.headers["Location"]).text
            for part in re.findall(r"<[a-z][^>]*hit=1", text):
                assert part not in page, (one, text)
    assert not full or sent > 200 * (len(FIELDS) - 4)


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
