"""Tables in play: who may do what, joining, moves, questions, pictures (issue 7)."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from openapi_spec_validator import validate
from werkzeug.test import TestResponse

from companion.config import Config
from companion.ledger import Kind
from companion.tables.asked import Asked
from companion.tables.hall import Hall, open_hall
from companion.tables.people import KEEP_S, People, SignInError, clean_name
from companion.tables.rights import Role, Standing
from companion.tables.seats import WrongKeyError, clean_key
from companion.tables.story import named
from companion.web import create_app, live_hall
from companion.web.openapi import document
from companion.web.parts import limiter
from companion.web.rulings import written
from engines import game_names
from engines.core import Text
from tests.companion.conftest import Eyes, token
from tests.support.live_games import OPTIONS, moves_of, write_move
from tests.support.quick import slow_hasher

BLUEPRINTS = ("hall", "tables")
ROLES = (*Role,)


@dataclass
class Phone:
    """One person's browser."""

    client: FlaskClient

    def get(self, path: str, **more: object) -> TestResponse:
        return self.client.get(path, **more)

    def post(self, path: str, **fields: object) -> TestResponse:
        fields["csrf_token"] = token(self.client.get("/").text)
        return self.client.post(path, data=fields)


@pytest.fixture
def app(tmp_path: Path, eyes: Eyes) -> Iterator[Flask]:
    config = Config(
        folder=tmp_path / "home",
        load_pipeline=lambda decks: eyes,
        changes_per_minute=10_000,
    )
    yield create_app(config)
    limiter.reset()


@pytest.fixture
def hall(app: Flask) -> Hall:
    """The tables of the application under test."""
    folder = app.extensions["arbitro"].config.folder
    opened: Hall = app.extensions.setdefault("arbitro.hall", open_hall(folder))
    return opened


@pytest.fixture
def phone(app: Flask) -> Callable[[], Phone]:
    return lambda: Phone(app.test_client())


def open_table(owner: Phone, game: str = "regicide", **fields: object) -> str:
    """Open a table and return its id."""
    names = fields.pop("name", ["Anna", "Bruno"])
    answer = owner.post("/tables", game=game, name=names, **fields)
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"].split("/")[2]


def person(hall: Hall, phone: Phone, role: Role, *, confirmed: bool = True) -> Phone:
    """Sign somebody in as a referee or an organiser."""
    name = f"{role} {len(hall.people.staff())}"
    secret = hall.people.add(name, role)
    answer = phone.post("/sign-in", name=name, secret=secret)
    assert answer.status_code == 303
    if not confirmed:
        with hall.ledger.writer.begin() as db:
            db.exec_driver_sql("UPDATE visitor SET confirmed_at = confirmed_at - 301")
    return phone


def seated(hall: Hall, phone: Phone, id_: str, role: Role) -> Phone:
    """Give a phone one role at one table."""
    code = hall.ledger.table(id_).code
    match role:
        case Role.SPECTATOR:
            phone.post("/join", code=code)
        case Role.PLAYER:
            phone.post("/join", code=code, key=hall.seats.keys(id_)[0])
        case Role.REFEREE | Role.ORGANISER:
            person(hall, phone, role)
    return phone


def test_a_table_is_closed_to_who_has_no_code(
    hall: Hall, phone: Callable[[], Phone]
) -> None:
    id_ = open_table(phone())
    stranger = phone()
    for path in ("", "/stage", "/state.json", "/events", "/now.jpg", "/code.svg"):
        assert stranger.get(f"/tables/{id_}{path}").status_code == 403
    assert id_ not in stranger.get("/tables").text
    code = hall.ledger.table(id_).code
    assert stranger.post("/join", code=code.lower()).status_code == 303
    assert stranger.get(f"/tables/{id_}").status_code == 200
    assert id_ in stranger.get("/tables").text


def test_a_listed_table_may_be_watched_by_everybody(phone: Callable[[], Phone]) -> None:
    id_ = open_table(phone(), listed="yes")
    stranger = phone()
    assert stranger.get(f"/tables/{id_}").status_code == 200
    assert stranger.get(f"/tables/{id_}/seats").status_code == 403


def test_a_wrong_code_opens_nothing(phone: Callable[[], Phone]) -> None:
    open_table(phone())
    answer = phone().post("/join", code="ZZZZZZ")
    assert answer.status_code == 400
    assert "no table with this code" in answer.text


def test_guessing_codes_is_slowed_down(phone: Callable[[], Phone]) -> None:
    """C2: brute force at the limiter."""
    guesser = phone()
    codes = [guesser.post("/join", code=f"AA{n:04}").status_code for n in range(25)]
    assert codes.count(429) == 5


def test_where_there_is_an_organiser_not_everybody_opens_tables(
    hall: Hall, phone: Callable[[], Phone]
) -> None:
    assert phone().get("/tables/new").status_code == 200
    organiser = person(hall, phone(), Role.ORGANISER)
    assert phone().get("/tables/new").status_code == 403
    assert phone().post("/tables", game="regicide").status_code == 403
    open_table(organiser)


# Keys and secrets ---------------------------------------------------------------------


def test_a_key_lets_one_person_sit_down_once(hall: Hall) -> None:
    table = hall.ledger.create_table("regicide", {"players": 2}, seats=["A", "B"])
    owner, _ = hall.people.arrive()
    hall.seats.open(table.id, 2, is_listed=False, owner=owner.id)
    key = hall.seats.keys(table.id)[1]
    first, _ = hall.people.arrive()
    second, _ = hall.people.arrive()
    assert hall.seats.sit_down(first.id, table.id, f" {key[:4].lower()} {key[4:]}") == 1
    with pytest.raises(WrongKeyError):
        hall.seats.sit_down(second.id, table.id, key)
    assert hall.seats.keys(table.id)[1] != key
    assert hall.seats.standing(first, table.id).seats == {1}
    hall.seats.free(table.id, 1)
    assert hall.seats.standing(first, table.id).seats == frozenset()


def test_a_key_of_another_table_is_worth_nothing(hall: Hall) -> None:
    ids = []
    for _ in range(2):
        table = hall.ledger.create_table("regicide", {}, seats=["A", "B"])
        owner, _ = hall.people.arrive()
        hall.seats.open(table.id, 2, is_listed=False, owner=owner.id)
        ids.append(table.id)
    with pytest.raises(WrongKeyError):
        hall.seats.sit_down(owner.id, ids[0], hall.seats.keys(ids[1])[0])


def test_the_key_of_a_seat_is_on_no_page_of_a_spectator(
    hall: Hall, phone: Callable[[], Phone]
) -> None:
    id_ = open_table(phone(), listed="yes")
    page = phone().get(f"/tables/{id_}").text
    assert not any(key in page for key in hall.seats.keys(id_).values())


def test_the_cookie_changes_at_sign_in_and_the_old_one_is_dead(
    hall: Hall, phone: Callable[[], Phone], app: Flask
) -> None:
    """No session fixation; none after signing out (CVE-2022-2888 of OctoPrint)."""
    asks = phone()
    open_table(asks)
    planted = asks.client.get_cookie("arbitro_id")
    assert planted is not None
    person(hall, asks, Role.REFEREE)
    now = asks.client.get_cookie("arbitro_id")
    assert now is not None
    assert now.value != planted.value
    assert now.http_only
    assert now.same_site == "Lax"
    assert hall.people.visitor(planted.value) is None
    asks.post("/sign-out")
    assert hall.people.visitor(now.value) is None


def test_secrets_are_hashed_and_tokens_too(hall: Hall, tmp_path: Path) -> None:
    secret = hall.people.add("Ada", Role.REFEREE)
    visitor, cookie = hall.people.arrive()
    cookie = hall.people.sign_in(visitor.id, "Ada", secret.lower())
    hall.ledger.close()
    stored = b"".join(
        path.read_bytes() for path in (tmp_path / "home").glob("arbitro.db*")
    )
    assert secret.encode() not in stored
    assert cookie.encode() not in stored
    assert b"$argon2id$" in stored
    cost = slow_hasher()  # what people get; tests pay less
    assert (cost.time_cost, cost.memory_cost) == (3, 65_536)


@pytest.mark.parametrize(("name", "secret"), [("Ada", "wrong"), ("Eve", "x"), ("", "")])
def test_a_wrong_secret_signs_nobody_in(hall: Hall, name: str, secret: str) -> None:
    hall.people.add("Ada", Role.REFEREE)
    visitor, _ = hall.people.arrive()
    with pytest.raises(SignInError):
        hall.people.sign_in(visitor.id, name, secret)


def test_a_visitor_who_stays_away_is_forgotten(hall: Hall) -> None:
    now = [1000.0]
    people = People(hall.ledger.engine, hall.ledger.writer, lambda: now[0])
    _, cookie = people.arrive()
    assert people.visitor(cookie) is not None
    now[0] += KEEP_S + 1
    assert people.visitor(cookie) is None


@pytest.mark.parametrize(
    ("written", "clean"),
    [
        ("  Ada  ", "Ada"),
        ("A\u202eB", "AB"),
        ("a\x00b\nc", "ab c"),
        ("e\u0301", "é"),
        ("x" * 99, "x" * 40),
    ],
)
def test_names_carry_no_controls(written: str, clean: str) -> None:
    assert clean_name(written) == clean
    assert clean_key(written) == clean_key(clean_key(written))


def test_a_referee_gives_the_secret_again_before_ruling(
    hall: Hall, phone: Callable[[], Phone]
) -> None:
    id_ = open_table(phone())
    for move in moves_of("regicide", most=3):
        write_move(hall.ledger, id_, move)
    referee = person(hall, phone(), Role.REFEREE, confirmed=False)
    path = f"/tables/{id_}/events/2/overrule"
    fields = {"ruling": "rejected", "reason": "Dealt twice."}
    refused = referee.post(path, **fields)
    assert refused.status_code == 403
    assert "secret again" in refused.text
    assert hall.ledger.head(id_).seq == 3
    secret = hall.people.add("Second", Role.REFEREE)
    referee.post("/sign-in", name="Second", secret=secret)
    assert referee.post(path, **fields).status_code == 303
    last = hall.ledger.events(id_, since=3)[0]
    assert last.kind is Kind.OVERRULE
    assert last.actor == "referee Second"
    assert 2 in hall.ledger.state(id_).overruled
    assert "Dealt twice." in referee.get(f"/tables/{id_}").text


# Playing ------------------------------------------------------------------------------


@pytest.mark.parametrize("game", game_names())
def test_every_game_is_drawn_at_every_moment(
    hall: Hall, phone: Callable[[], Phone], game: str
) -> None:
    owner = phone()
    wanted = OPTIONS.get(game, {})
    players = int(str(wanted.get("players", 2)))
    rulings = {f"rule.{game}.{key}": written(value) for key, value in wanted.items()}
    id_ = open_table(owner, game, name=["Anna"] * players, **rulings)
    for number, move in enumerate(moves_of(game, most=24), start=1):
        write_move(hall.ledger, id_, move)
        if number % 6 == 0 or number < 3:
            owner.post("/settings", language="it" if number % 4 else "en")
            answer = owner.get(f"/tables/{id_}")
            assert answer.status_code == 200
            assert "Anna" in answer.text
            assert not re.search(r"\s(?:style|on\w+)=", answer.text)
    assert hall.ledger.state(id_).refused == frozenset()


def test_a_legal_move_is_added_and_an_illegal_one_told(
    hall: Hall, phone: Callable[[], Phone]
) -> None:
    owner = phone()
    id_ = open_table(owner, "frenzy")
    path = f"/tables/{id_}/moves"
    refused = owner.post(path, move="P1 turn F2 @0")
    assert refused.status_code == 422
    assert "Rule" in refused.text
    unreadable = owner.post(path, move="what?")
    assert unreadable.status_code == 400
    assert "cannot be read as a move" in unreadable.text
    assert hall.ledger.head(id_).seq == 0
    # The clock of the table is added where a game counts time.
    assert owner.post(path, move="REF first P1").status_code == 303
    event = hall.ledger.events(id_)[0]
    assert re.fullmatch(r"REF first P1 @\d+", event.move)
    assert event.actor == "owner"


def test_moves_are_suggested(phone: Callable[[], Phone]) -> None:
    owner = phone()
    id_ = open_table(owner, "frenzy")
    page = owner.get(f"/tables/{id_}/moves?move=first").text
    assert re.findall(r'value="REF first (P\d)', page) == ["P1", "P2"]
    assert "option" not in owner.get(f"/tables/{id_}/moves?move=zzz").text


def test_a_player_enters_only_the_own_moves(
    hall: Hall, phone: Callable[[], Phone]
) -> None:
    id_ = open_table(phone(), "brawl", **{"rule.brawl.blockOnHit2": "true"})
    player = seated(hall, phone(), id_, Role.PLAYER)
    path = f"/tables/{id_}/moves"
    assert player.post(path, move="B take").status_code == 403
    assert player.post(path, move="A take").status_code == 303
    assert hall.ledger.events(id_)[0].actor == "seat 1"


def test_a_question_is_shown_to_whom_it_belongs(
    hall: Hall, phone: Callable[[], Phone]
) -> None:
    """Issue 7, 3: on the phone of the person asked, and to the owner while nobody
    sits there with one."""
    owner, watcher = phone(), phone()
    id_ = open_table(owner, "warstones", listed="yes")
    page = f"/tables/{id_}"
    assert "Question to Anna" in owner.get(page).text
    assert watcher.get(page).text.count('class="block question"') == 0
    player = seated(hall, phone(), id_, Role.PLAYER)
    assert player.get(page).text.count('class="block question"') == 1
    assert "Question to Anna" not in owner.get(page).text
    found = re.findall(r'name="question" value="([^"]+)"', player.get(page).text)
    assert found == ["army:A"]
    buttons = re.findall(r'name="value" value="(archer[^"]+)"', player.get(page).text)
    assert watcher.post(f"{page}/answers").status_code == 403
    other = player.post(f"{page}/answers", question="army:B", value=buttons[0])
    assert other.status_code == 400
    done = player.post(f"{page}/answers", question="army:A", value=buttons[0])
    assert done.status_code == 303
    event = hall.ledger.events(id_)[0]
    assert event.kind is Kind.ANSWER
    assert event.actor == "seat 1"
    asked = datetime.fromisoformat(event.source.removeprefix("page, asked "))
    assert asked <= event.taken_at
    assert "on the page; asked at" in owner.get(f"{page}/events/1").text


def test_a_question_is_asked_since_it_was_open_first() -> None:
    times = iter(datetime(2026, 11, 28, 12, n, tzinfo=UTC) for n in range(9))
    asked = Asked(lambda: next(times))
    first = asked.since("t", ["army:A", "army:B"])["army:A"]
    assert asked.since("t", ["army:A"]) == {"army:A": first}
    assert asked.since("other", ["army:A"])["army:A"] > first
    assert asked.since("t", ["army:A", "army:B"])["army:B"] > first, "asked anew"


def test_undo_is_an_event_and_players_take_back_their_own_only(
    hall: Hall, phone: Callable[[], Phone]
) -> None:
    owner = phone()
    id_ = open_table(owner, "brawl", **{"rule.brawl.blockOnHit2": "true"})
    player = seated(hall, phone(), id_, Role.PLAYER)
    owner.post(f"/tables/{id_}/moves", move="B take")
    player.post(f"/tables/{id_}/moves", move="A take")
    path = f"/tables/{id_}/undo"
    assert player.post(path, seq="1").status_code == 403
    assert player.post(path, seq="2").status_code == 303
    assert hall.ledger.state(id_).undone == {2}
    assert owner.post(path, seq="1").status_code == 303
    assert owner.post(path, seq="77").status_code == 400
    assert [event.kind for event in hall.ledger.events(id_)][2:] == [Kind.UNDO] * 2
    assert "taken back" in owner.get(f"/tables/{id_}").text


def test_hidden_cards_stay_hidden(hall: Hall, phone: Callable[[], Phone]) -> None:
    """A view never tells another seat's secrets; neither does the story (6.2)."""
    owner, watcher = phone(), phone()
    id_ = open_table(owner, "brawl", **{"rule.brawl.blockOnHit2": "true"}, listed="yes")
    player = seated(hall, phone(), id_, Role.PLAYER)
    player.post(f"/tables/{id_}/moves", move="A take FREEZE")
    for reader, knows in ((player, True), (watcher, False), (owner, False)):
        told = reader.get(f"/tables/{id_}/events?since=0").get_json()["events"]
        assert told[0]["text"].startswith("Not shown") is not knows
        assert ("Freeze" in reader.get(f"/tables/{id_}").text) is knows
        assert ("FREEZE" in reader.get(f"/tables/{id_}/state.json").text) is knows


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "Not shown: the order of the Castle deck"),
        ("it", "Non mostrato: l'ordine del Mazzo Castello"),
    ],
)
def test_what_is_hidden_is_told_in_words(
    hall: Hall, phone: Callable[[], Phone], language: str, told: str
) -> None:
    owner = phone()
    id_ = open_table(owner, "regicide")
    castle = "castle " + " ".join(f"{r}{s}" for r in "JQK" for s in "cdhs")
    assert owner.post(f"/tables/{id_}/moves", move=castle).status_code == 303
    owner.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = language
    read = owner.get(f"/tables/{id_}/events?since=0").get_json()
    assert read["events"][0]["text"] == told


def test_players_are_called_by_their_names(hall: Hall) -> None:
    table = hall.ledger.create_table("regicide", {}, seats=["Anna", ""])
    said = Text.of("regicide.lost_stuck", seat=Text.of("core.seat", number=1))
    assert "Anna" in named(said, table, "en").render("en")
    nameless = Text.of("regicide.lost_stuck", seat=Text.of("core.seat", number=2))
    assert named(nameless, table, "en") == nameless


# Pictures -----------------------------------------------------------------------------


def test_pictures_are_shown_at_their_own_table_only(
    hall: Hall, phone: Callable[[], Phone]
) -> None:
    """Evidence lies behind the same authorisation as the rest (A1, OctoPrint)."""
    owner = phone()
    ids = [open_table(owner), open_table(owner)]
    sha256 = hall.ledger.keep(b"\xff\xd8 a picture", "image/jpeg")
    hall.ledger.append(
        ids[0],
        1,
        "castle ?",
        source="camera",
        actor=None,
        taken_at=datetime.now(UTC),
        evidence=(sha256,),
    )
    path = f"/pictures/{sha256}.jpg"
    assert owner.get(f"/tables/{ids[0]}{path}").status_code == 200
    assert owner.get(f"/tables/{ids[1]}{path}").status_code == 404
    assert phone().get(f"/tables/{ids[0]}{path}").status_code == 403
    assert (
        f'src="/tables/{ids[0]}{path}' in owner.get(f"/tables/{ids[0]}/events/1").text
    )


@pytest.mark.parametrize(
    "name",
    ["../arbitro.db", "%2e%2e%2fsession.key", "x" * 64, "0" * 64, "..\\..\\x", "CON"],
)
def test_no_name_of_a_picture_leads_elsewhere(
    phone: Callable[[], Phone], name: str
) -> None:
    owner = phone()
    id_ = open_table(owner)
    assert owner.get(f"/tables/{id_}/pictures/{name}.jpg").status_code in (403, 404)


# The document of the API --------------------------------------------------------------


def test_the_api_document_is_valid_and_names_every_route(app: Flask) -> None:
    made = document(app)
    validate(made)
    told = {rule.rule for rule in app.url_map.iter_rules()} - {
        "/static/<path:filename>"
    }
    plain = {re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", path) for path in told}
    assert plain <= set(made["paths"])
    assert app.test_client().get("/api/openapi.json").get_json() == made
    act = made["paths"]["/tables/{id_}/moves"]["post"]
    assert act["x-arbitro-roles"] == [
        *("keeper", "organiser", "owner", "player", "referee")
    ]


def test_the_api_document_knows_every_field_of_every_form(app: Flask) -> None:
    """What the pages send is what the document, which is made from the code, names."""
    templates = Path(live_hall.__file__).parent.parent / "templates"
    paths = document(app)["paths"]
    bodies = {
        act["operationId"].rpartition("_post_")[0]: set(
            next(iter(act["requestBody"]["content"].values()))["schema"]["properties"]
        )
        for acts in paths.values()
        for method, act in acts.items()
        if method == "post"
    }
    macros = {"gear_of(": {"mat", "kit", "camera", "copies"}, "shutters(": {"photo"}}
    in_scripts = {"id", "kind", "place", "area", "terrain", "others"}
    forms = 0
    for path in templates.rglob("*.html"):
        for head, inside in re.findall(
            r"<form\b(.*?method=\"post\".*?)>(.*?)</form>", path.read_text(), re.DOTALL
        ):
            view = re.search(r"action=\"\{\{ url_for\('([\w.]+)'", head)
            if view is None:
                continue
            forms += 1
            sent = set(re.findall(r'name="([a-z_]+)"', inside)) - in_scripts
            for macro, names in macros.items():
                sent |= names if macro in inside else set()
            assert sent <= bodies[view[1].replace(".", "_")], (path.name, view[1])
    assert forms > 40


def test_vendored_scripts_are_what_the_manifest_says() -> None:
    """A4: pinned, with their licence, and without any address."""
    folder = Path(live_hall.__file__).parent.parent / "static" / "vendor"
    manifest = tomllib.loads((folder / "manifest.toml").read_text("utf-8"))
    assert (folder / manifest["license_file"]).is_file()
    named_files = {one["name"] for one in manifest["files"]}
    assert named_files == {path.name for path in folder.glob("*.js")}
    for one in manifest["files"]:
        script = (folder / one["name"]).read_bytes()
        assert hashlib.sha256(script).hexdigest() == one["sha256"]
        assert b"http://" not in script
        assert b"https://" not in script


def test_a_standing_says_who_acts() -> None:
    assert Standing().actor == "spectator"
    assert Standing(roles=frozenset({Role.OWNER})).actor == "owner"
    assert Standing(seats=frozenset({2})).actor == "seat 3"
    referee = Standing(roles=frozenset({Role.REFEREE}), person="Ada")
    assert referee.actor == "referee Ada"
