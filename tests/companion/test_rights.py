"""Every route of the page x every role (R5): what no line grants is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.cameras import CameraRefusedError, Shelf
from companion.config import Config
from companion.tables.hall import Hall
from companion.tables.rights import CONFIRMED, GRANTED, Act, Role
from companion.tables.seats import HOUSE, HOUSE_KEYS, WrongKeyError
from companion.web import create_app
from companion.web.live_guard import act_of
from tests.companion.conftest import Eyes, token
from tests.companion.test_tables import (
    Phone,
    app,  # noqa: F401 - fixtures
    hall,  # noqa: F401
    open_table,
    person,
    phone,  # noqa: F401
    seated,
)

EVERYBODY = frozenset(Role)
STAFF = frozenset({Role.REFEREE, Role.ORGANISER})
HOSTS = STAFF | {Role.OWNER, Role.KEEPER}
SEATED = HOSTS | {Role.PLAYER}
RIGHTS = {
    Act.ENTER: EVERYBODY,
    Act.PHOTO: EVERYBODY,
    Act.KEYED: EVERYBODY,
    Act.LOOK: SEATED | {Role.SPECTATOR},
    Act.ANSWER: SEATED,
    Act.MOVE: SEATED,
    Act.CORRECT: SEATED,
    Act.DISPUTE: SEATED,
    Act.INVITE: HOSTS,
    Act.WATCH: HOSTS,
    Act.EVIDENCE: HOSTS,
    Act.RULE: frozenset({Role.REFEREE}),
    Act.OPEN: STAFF | {Role.KEEPER},
    Act.STAFF: frozenset({Role.ORGANISER}),
    Act.FILM: STAFF | {Role.KEEPER, Role.CAMERA},
    Act.SETUP: frozenset({Role.KEEPER, Role.ORGANISER}),
}
"""Written once more on purpose: whoever changes a right changes it here too."""
ROUTES: dict[str, Act] = {
    **dict.fromkeys(
        (
            *("pages.home", "pages.demo_picture", "pages.rules", "pages.source"),
            *("pages.worker", "pages.offline"),
            *("pages.settings", "openapi.show", "setup.prints", "setup.sheet"),
            *("camera.show", "camera.trust", "camera.certificate"),
            *("hall.index", "hall.join", "hall.enter", "hall.welcome"),
            *("hall.welcomed", "hall.sign_in", "hall.signed_in", "hall.sign_out"),
            *("hall.confirm", "hall.confirmed"),
        ),
        Act.ENTER,
    ),
    **dict.fromkeys(
        ("pages.read", "pages.demo", "api.read_picture", "api.score_picture"),
        Act.PHOTO,
    ),
    **dict.fromkeys(
        (
            *("results.show", "results.picture", "results.document"),
            *("results.evidence_page", "results.evidence_pack", "results.choose"),
            *("results.correct", "results.answer", "results.options"),
            *("results.delete", "camera.take"),
        ),
        Act.KEYED,
    ),
    "camera.admit": Act.FILM,
    **dict.fromkeys(
        (
            *("setup.index", "setup.doctor", "setup.thumbnail", "mats.index"),
            *("setup.webcam", "setup.camera_code", "setup.keeper_code"),
            *("decks.index", "decks.make", "decks.edit", "decks.photos"),
            *("decks.save", "decks.card", "decks.download", "decks.delete"),
            *("lenses.index", "lenses.begin", "lenses.measure", "lenses.photos"),
            *("lenses.save", "kits.index", "kits.make", "kits.edit", "kits.save"),
            "kits.download",
            *("chips.show", "chips.photograph", "chips.save", "chips.picture"),
            "chips.forget",
            *("mats.make", "mats.edit", "mats.picture", "mats.download", "mats.save"),
        ),
        Act.SETUP,
    ),
    **dict.fromkeys(
        ("watching.choose", "watching.start", "watching.glance", "watching.stop"),
        Act.WATCH,
    ),
    "watching.again": Act.CORRECT,
    **dict.fromkeys(("hall.new", "hall.make"), Act.OPEN),
    **dict.fromkeys(("hall.staff", "hall.add_staff", "hall.remove_staff"), Act.STAFF),
    **dict.fromkeys(
        (
            *("tables.show", "tables.part", "tables.document", "tables.events"),
            *("tables.now", "tables.moment", "tables.picture", "tables.code"),
        ),
        Act.LOOK,
    ),
    **dict.fromkeys(("tables.moves", "tables.enter", "tables.photo"), Act.MOVE),
    "tables.answer": Act.ANSWER,
    **dict.fromkeys(
        ("tables.take_back", "tables.choose", "tables.correct"), Act.CORRECT
    ),
    "tables.dispute": Act.DISPUTE,
    "tables.judge": Act.DISPUTE,
    "tables.rule": Act.RULE,
    "results.rule": Act.RULE,
    "tables.evidence_page": Act.EVIDENCE,
    "tables.evidence_pack": Act.EVIDENCE,
    **dict.fromkeys(
        ("tables.seats", "tables.seat_code", "tables.free", "tables.close"), Act.INVITE
    ),
}
"""Every view and the act that it is. A new one has to be written down here."""
LEFT_OUT = {"tables.events", "hall.sign_out", "tables.close", "pages.source"}
"""Asked in other tests: an endless stream, the ends of things, a large archive."""


def test_every_route_is_in_the_table(app: Flask) -> None:  # noqa: F811
    """Deny by default: a route that nobody thought about fails here."""
    found = {
        name: act_of(view)
        for name, view in app.view_functions.items()
        if name != "static"
    }
    assert found == ROUTES


def test_the_rights_are_those_that_were_decided() -> None:
    assert dict(GRANTED) == RIGHTS
    assert {Act.RULE, Act.STAFF} == CONFIRMED
    open_to_all = {act for act in Act if Role.NOBODY in GRANTED[act]}
    assert open_to_all == {Act.ENTER, Act.PHOTO, Act.KEYED}


def arrived(hall: Hall, asks: Phone, id_: str, role: Role) -> None:  # noqa: F811
    """Give a phone one role, and no other."""
    if role in (Role.OWNER, *HOUSE_KEYS):
        visitor, secret = hall.people.arrive()
        place = id_ if role is Role.OWNER else HOUSE
        hall.seats.take(visitor.id, place, role)
        asks.client.set_cookie("arbitro_id", secret)
    elif role is not Role.NOBODY:
        seated(hall, asks, id_, role)


@pytest.mark.parametrize("role", [*Role])
def test_every_route_is_open_to_its_roles_and_to_no_other(
    app: Flask,  # noqa: F811
    hall: Hall,  # noqa: F811
    phone: Callable[[], Phone],  # noqa: F811
    role: Role,
) -> None:
    owner, asks = phone(), phone()
    id_ = open_table(owner)
    owner.post("/tables/" + id_ + "/moves", move="castle ?")
    with hall.ledger.writer.begin() as db:  # a hall that somebody runs
        db.exec_driver_sql("INSERT INTO person VALUES (9, 'O', 'organiser', 'x', 0)")
    arrived(hall, asks, id_, role)
    form = {"csrf_token": token(asks.get("/").text)}
    asked = 0
    for rule in app.url_map.iter_rules():
        if rule.endpoint in LEFT_OUT or rule.endpoint == "static":
            continue
        path = re.sub(r"<int:\w+>", "99", rule.rule.replace("<id_>", id_))
        path = re.sub(r"<\w+>", "x", path)
        for method in sorted((rule.methods or set()) & {"GET", "POST"}):
            answer = asks.client.open(
                path,
                method=method,
                data=form if method == "POST" else None,
                headers={"Accept": "application/json"},
            )
            refused = answer.status_code == 403 and "not open to you" in answer.text
            answer.close()
            allowed = role in RIGHTS[ROUTES[rule.endpoint]]
            assert refused is not allowed, (role, method, path)
            asked += 1
    assert asked >= 60


def test_a_view_that_says_no_act_is_closed_to_everybody(app: Flask) -> None:  # noqa: F811
    app.add_url_rule("/forgotten", "forgotten", lambda: "open")
    assert app.test_client().get("/forgotten").status_code == 403


# The keeper ---------------------------------------------------------------------------


@pytest.fixture
def at_machine(config: Config) -> FlaskClient:
    """A browser on the machine that serves the page."""
    return create_app(config).test_client()


def test_who_sits_at_the_machine_sets_up_without_ceremony(
    at_machine: FlaskClient,
) -> None:
    assert at_machine.get("/setup").status_code == 200
    assert "/setup/mats" in at_machine.get("/setup").text


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        ("192.168.1.9", {}),
        ("127.0.0.1", {"X-Forwarded-For": "192.168.1.9"}),
        ("127.0.0.1", {"Via": "1.1 front"}),
        ("127.0.0.1", {"Host": "table.example"}),
        ("10.0.0.7", {"Host": "127.0.0.1:8000", "X-Forwarded-For": "127.0.0.1"}),
    ],
)
def test_nobody_else_passes_for_the_person_at_the_machine(
    config: Config, address: str, headers: dict[str, str]
) -> None:
    app = create_app(config)  # noqa: F811
    app.config["TRUSTED_HOSTS"].append("table.example")
    answer = app.test_client().get(
        "/setup", headers=headers, environ_base={"REMOTE_ADDR": address}
    )
    assert answer.status_code == 403
    assert "not open to you" in answer.text


def test_behind_a_proxy_nobody_is_at_the_machine(
    app: Flask,  # noqa: F811 - its settings trust no loopback address
) -> None:
    assert app.test_client().get("/setup").status_code == 403


def test_where_there_is_an_organiser_the_machine_alone_is_not_enough(
    config: Config,
) -> None:
    app = create_app(config)  # noqa: F811
    client = app.test_client()
    assert client.get("/setup").status_code == 200
    with app.app_context():
        from companion.web.live_guard import hall  # noqa: PLC0415 - in context

        hall().people.add("Olga", Role.ORGANISER)
    assert client.get("/setup").status_code == 403


def test_a_key_of_the_house_makes_one_device_its_keeper_once(
    hall: Hall,  # noqa: F811
    phone: Callable[[], Phone],  # noqa: F811
) -> None:
    key = hall.seats.house_key(Role.KEEPER)
    first, second = phone(), phone()
    assert first.get("/setup").status_code == 403
    answer = first.post("/welcome", key=f" {key.lower()}")
    assert answer.headers["Location"] == "/setup"
    assert first.get("/setup").status_code == 200
    assert second.post("/welcome", key=key).status_code == 403
    assert hall.seats.house_key(Role.KEEPER) != key
    with pytest.raises(WrongKeyError):
        hall.seats.enter_house(1, "AAAA2222")


# Cameras ------------------------------------------------------------------------------


def test_a_stranger_gets_no_camera_key(phone: Callable[[], Phone]) -> None:  # noqa: F811
    """The fault of the first version: it gave one to anybody."""
    assert phone().post("/camera/key", name="table 1").status_code == 403


def test_a_phone_that_was_let_film_takes_nobodys_name(
    app: Flask,  # noqa: F811
    hall: Hall,  # noqa: F811
    phone: Callable[[], Phone],  # noqa: F811
) -> None:
    phones = [phone(), phone()]
    for one in phones:
        key = hall.seats.house_key(Role.CAMERA)
        assert one.post("/welcome", key=key).headers["Location"] == "/camera"
        assert one.get("/setup").status_code == 403
    assert phones[0].post("/camera/key", name="table 1").status_code == 200
    assert phones[1].post("/camera/key", name="table 1").status_code == 409
    assert phones[0].post("/camera/key", name="table 1").status_code == 200
    assert phones[1].post("/camera/key", name="table 2").status_code == 200
    organiser = person(hall, phone(), Role.ORGANISER)
    assert organiser.post("/camera/key", name="table 1").status_code == 200


def test_the_shelf_keeps_a_name_for_who_has_it(config: Config, eyes: Eyes) -> None:
    shelf = Shelf(config.folder / "cameras", b"k" * 32)
    shelf.admit("phone", "3", replaces=False)
    with pytest.raises(CameraRefusedError):
        shelf.admit("phone", "4", replaces=False)
    shelf.admit("phone", "4")


# Codes for phones ---------------------------------------------------------------------


def test_codes_name_an_address_that_phones_reach(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever invites from the machine itself has 127.0.0.1 in the address bar."""
    monkeypatch.setattr("companion.web.live_join.lan_addresses", lambda: ("10.9.8.7",))
    told: list[str] = []

    def draw(url: str) -> str:
        told.append(url)
        return "<svg/>"

    monkeypatch.setattr("companion.web.house.qr_svg", draw)
    reached = replace(config, trusted_hosts=("127.0.0.1", "10.9.8.7"), https_port=8443)
    at_machine = create_app(reached).test_client()
    for path in ("/setup/camera-code.svg", "/setup/keeper-code.svg"):
        assert at_machine.get(path, base_url="http://127.0.0.1:8000").status_code == 200
    assert re.fullmatch(r"https://10\.9\.8\.7:8443/welcome#\w{8}", told[0])
    assert re.fullmatch(r"http://10\.9\.8\.7:8000/welcome#\w{8}", told[1])
