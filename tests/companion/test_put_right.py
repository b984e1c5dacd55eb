"""Putting right what was misread, so that it holds: played anew, undone, restarted.

Photos are played by `tables.eyes`, cameras by `watching`; both say it with two taps.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask

from companion.config import Config
from companion.corrections import AS_SEEN, FACE_DOWN, NO_CARD, Change, read_note
from companion.errors import UsageError
from companion.ledger import Kind, Ledger, open_ledger
from companion.tables.eyes import Eyes as TableEyes
from companion.tables.hall import open_hall
from companion.tables.story import Listener, told
from companion.watching.names import Names
from companion.watching.playing import Playing
from companion.web import create_app
from companion.web.parts import limiter
from tests.companion.conftest import Eyes, jpeg
from tests.companion.tables import FIGHT, Laid, observation
from tests.companion.test_tables import Phone, open_table
from tests.companion.test_watch import NINE, START, at_war, moves, seen
from tests.companion.test_watching_service import (
    Stage,
    fast,
    is_read,
    stage,
    table_of,
    until,
    watches_for,
)
from vision.types import Observation

__all__ = ["fast", "stage"]
PHANTOM = Laid("3c", 75, -100)
"""A card that is not there."""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "arbitro.db") as opened:
        yield opened


def played(playing: Playing) -> list[str]:
    """Return the moves that have an effect."""
    live = playing.live
    return [
        event.move
        for event in playing.ledger.events(playing.table_id)
        if event.kind is Kind.MOVE and event.seq not in live.undone | live.refused
    ][4:]


# Before a camera --------------------------------------------------------------------


def test_a_card_that_is_not_there_takes_no_part(ledger: Ledger) -> None:
    playing = at_war(ledger)
    playing.see(seen((*START, NINE, PHANTOM)))
    assert "3c" in " ".join(played(playing)) or playing.questions
    playing.put_right("p4", NO_CARD, "Ada")
    assert played(playing) == ["0: play 9d"]
    playing.see(seen((*START, NINE, PHANTOM)))
    assert played(playing) == ["0: play 9d"], "it stays so"
    playing.see(seen((*START, NINE)))
    playing.see(seen((*START, NINE, PHANTOM)))
    assert played(playing) == ["0: play 9d"], "though it seems to come and go"


def test_a_card_that_lies_face_down_is_not_played(ledger: Ledger) -> None:
    playing = at_war(ledger)
    playing.see(seen((*START, NINE)))
    assert played(playing) == ["0: play 9d"]
    playing.put_right("p3", FACE_DOWN, "Ada")
    assert played(playing) == []
    playing.put_right("p3", AS_SEEN, "Ada")
    assert played(playing) == ["0: play 9d"], "taken back it counts as it was read"


def test_putting_right_is_told_kept_and_replayed(ledger: Ledger) -> None:
    """Events, never deletes: the state is a replay of them."""
    playing = at_war(ledger)
    playing.see(seen((*START, NINE)))
    playing.put_right("p3", "6d", "Ada")
    notes = [e for e in ledger.events(playing.table_id) if e.kind is Kind.NOTE]
    assert [read_note(e.move) for e in notes] == [Change("p3", "9d", "6d")]
    assert notes[0].actor == "Ada"
    assert played(playing) == ["0: play 6d"]
    assert Playing(ledger, playing.table_id).live.state == playing.live.state
    playing.undo("Ada")
    assert played(playing) == []
    playing.see(seen((*START, NINE)))
    assert played(playing) == [], "what was undone is not played while it lies there"


def test_what_is_not_in_view_cannot_be_put_right(ledger: Ledger) -> None:
    playing = at_war(ledger)
    with pytest.raises(UsageError):
        playing.put_right("p3", NO_CARD, "Ada")
    playing.see(seen(START))
    with pytest.raises(UsageError):
        playing.put_right("p9", NO_CARD, "Ada")
    assert len(moves(ledger, playing.table_id)) == 4


def with_ids(cards: Sequence[Laid], prefix: str) -> Observation:
    """Return the table as another eye sees it, which has ids of its own."""
    known = observation(cards)
    placements = (replace(p, id=f"{prefix}{p.id}") for p in known.placements)
    return replace(known, placements=tuple(placements))


def test_names_stay_with_what_lies_there_under_new_ids() -> None:
    """A bump, another process: read as before at the same place, it is the same."""
    names, before = Names(), observation((*START, NINE))
    names.say(before.placements[3], "6d")
    names.follow(with_ids((*START, NINE), "new "))
    assert names.values == {"new p3": "6d"}
    again = Names.from_json(names.as_json())
    again.follow(with_ids((*START, replace(NINE, x_mm=120.0)), "far "))
    assert again.values == {}, "a nine elsewhere is another card"
    other = Names.from_json(names.as_json())
    other.follow(with_ids((*START, replace(NINE, label="8d")), "next "))
    assert other.values == {}, "an eight at that place is another card"


def test_what_people_said_outlives_the_process_that_watched(
    ledger: Ledger, stage: Stage, tmp_path: Path
) -> None:
    from companion.watching.kept import Watch  # noqa: PLC0415 - heavy

    table = table_of(ledger)
    stage.lying = (*START, NINE, PHANTOM)
    first = watches_for(ledger, stage, tmp_path)
    first.start(table.id, Watch("0"))
    assert until(lambda: is_read(first, table))
    shown = first.shown(table.id)
    assert shown is not None
    assert shown.observation is not None
    ids = {p.identity.label: p.id for p in shown.observation.placements}
    first.put_right(table.id, ids["3c"], NO_CARD, "seat 1")
    first.put_right(table.id, ids["9d"], "6d", "seat 1")
    first.close()
    before = [event.move for event in ledger.events(table.id)]
    second = watches_for(ledger, stage, tmp_path)
    second.resume()
    assert until(lambda: is_read(second, table))
    shown = second.shown(table.id)
    assert shown is not None
    assert sorted(shown.corrections.values()) == ["6d", NO_CARD]
    second.close()
    after = [event.move for event in ledger.events(table.id)]
    assert after == before, "nothing is played again or asked anew"


# By photo ---------------------------------------------------------------------------


@pytest.fixture
def make(tmp_path: Path, eyes: Eyes) -> Iterator[Callable[[], Flask]]:
    """Starts the page; each time as a new process would find the folder."""
    config = Config(
        folder=tmp_path / "home",
        load_pipeline=lambda decks: eyes,
        changes_per_minute=10_000,
    )
    made: list[Flask] = []

    def start() -> Flask:
        for app in made:
            app.extensions["arbitro.hall"].ledger.close()
        app = create_app(config)
        app.extensions["arbitro.hall"] = open_hall(config.folder)
        made.append(app)
        return app

    yield start
    limiter.reset()


def card(page: str, name: str) -> str:
    """Return the address of a card in the picture."""
    found = re.search(rf'href="(\S+/cards/\S+?)"[^>]*aria-label="{name}', page)
    assert found is not None, name
    return found[1]


def test_the_two_taps_outlive_the_server(make: Callable[[], Flask]) -> None:
    """A photo, a correction, a restart: the picture can still be put right."""
    browser = make().test_client()
    owner = Phone(browser)
    id_ = open_table(owner)
    page = f"/tables/{id_}"
    photo = {"photo": (io.BytesIO(jpeg(FIGHT)), "table.jpg")}
    assert owner.post(f"{page}/photo", **photo).status_code == 303
    nine = card(owner.get(page).text, "nine of diamonds, ")
    assert owner.post(nine, value="6d").status_code == 303
    app = make()
    cookie = browser.get_cookie("arbitro_id")
    assert cookie is not None
    later = app.test_client()
    later.set_cookie("arbitro_id", cookie.value)
    owner = Phone(later)
    shown = owner.get(page).text
    assert "six of diamonds, put right by you" in shown
    assert owner.get(f"{page}/now.jpg").data == browser_picture(app, id_)
    six = card(shown, "six of diamonds, put right")
    assert "As it was read" in owner.get(six).text
    assert owner.post(six, value=AS_SEEN).status_code == 303
    assert "nine of diamonds, " in owner.get(page).text
    jack = card(owner.get(page).text, "jack of hearts")
    assert owner.post(jack, value=NO_CARD).status_code == 303
    assert "nothing there, as you said" in owner.get(page).text


def browser_picture(app: Flask, id_: str) -> bytes:
    eye = app.extensions["arbitro.hall"].eyes.find(id_)
    assert eye is not None
    picture: bytes = eye.jpeg
    return picture


def test_a_question_about_a_photo_outlives_the_server(ledger: Ledger) -> None:
    table = table_of(ledger)
    unread = Laid(None, -40, -110, candidates=(("9d", 0.5), ("6d", 0.4)))
    first = TableEyes(ledger).of(table.id)
    first.see(observation((*START, unread)), b"jpeg")
    asked = first.questions()
    assert asked
    before = ledger.head(table.id).seq
    second = TableEyes(ledger).find(table.id)
    assert second is not None
    assert second.questions() == asked
    assert ledger.head(table.id).seq == before
    second.answer(asked[0].id, "9d", "seat 1")
    third = TableEyes(ledger).find(table.id)
    assert third is not None
    assert third.questions() == second.questions()
    assert [e.move for e in ledger.events(table.id)][-1] == "0: play 9d"


def test_a_photo_whose_picture_made_room_is_no_look(ledger: Ledger) -> None:
    table = table_of(ledger)
    TableEyes(ledger).of(table.id).see(observation(START), b"jpeg")
    for path in (ledger.path.parent / "arbitro-pictures").rglob("*"):
        if path.is_file():
            path.unlink()
    assert TableEyes(ledger).find(table.id) is None


def test_the_story_says_a_correction_as_people_do(ledger: Ledger) -> None:
    from companion.tables.rights import Standing  # noqa: PLC0415 - one use

    playing = at_war(ledger)
    playing.see(seen((*START, NINE)))
    for value in ("6d", FACE_DOWN, NO_CARD, AS_SEEN):
        playing.put_right("p3", value, "seat 1")
    table = ledger.table(playing.table_id)
    said = [
        told(table, event, playing.live, Listener(Standing(), "en")).text
        for event in ledger.events(table.id)
        if event.kind is Kind.NOTE
    ]
    assert said == [
        "9♦ is put right: 6♦",
        "6♦ is put right: face down",
        "face down is put right: nothing there",
        "nothing there is put right: as it was read",
    ]
