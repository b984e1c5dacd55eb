"""Results are kept whole, found by their id only, and forgotten in time."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from companion.codec import from_json, to_json
from companion.corrections import AS_SEEN
from companion.errors import UnknownReadingError
from companion.store import ANSWER, CARD, OPTION, Store
from tests.companion.tables import FIGHT, UNREAD, observation
from vision.types import Finding


def a_store(folder: Path, keep_count: int = 10) -> Store:
    return Store(folder / "tables", keep_s=3600, keep_count=keep_count)


@pytest.mark.parametrize("located", [True, False])
def test_an_observation_survives_storage_whole(located: bool) -> None:
    finding = Finding("duplicate", (("label", "4c"), ("count", 2)), ("p4",))
    seen = observation(FIGHT, located=located, findings=(finding,))
    disc = replace(seen.placements[0], id="d", diameter_mm=28.0, touched=True)
    seen = replace(seen, placements=(*seen.placements, disc))
    assert from_json(to_json(seen)) == seen


def test_a_result_is_found_again_by_its_id(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    kept = store.add(
        observation(FIGHT), b"jpeg", game="regicide", options={"players": "3"}
    )
    assert a_store(tmp_path).load(kept.id) == kept
    assert store.picture(kept.id).read_bytes() == b"jpeg"


def test_events_are_appended_and_the_last_word_counts(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    id_ = store.add(observation(UNREAD), b"", game="regicide").id
    for kind, subject, value in (
        (CARD, "p3", "8c"),
        (CARD, "p1", "Jd"),
        (CARD, "p3", "8s"),
        (CARD, "p1", AS_SEEN),
        (ANSWER, "enemy", "Jh"),
        (ANSWER, "next", "1"),
        (ANSWER, "next", ""),
        (OPTION, "players", "4"),
    ):
        store.append(id_, kind, subject, value)
    record = store.load(id_)
    assert record.corrections == {"p3": "8s"}
    assert record.answers == {"enemy": "Jh"}
    assert record.chosen_options == {"players": "4"}
    assert [event.seq for event in record.events] == list(range(8))


@pytest.mark.parametrize(
    "id_", ["", "..", "../../etc/passwd", "a" * 21, "a" * 23, "a" * 21 + "/", "CON"]
)
def test_no_id_leads_out_of_the_folder(tmp_path: Path, id_: str) -> None:
    store = a_store(tmp_path)
    for ask in (store.load, store.picture, store.delete):
        with pytest.raises(UnknownReadingError):
            ask(id_)
    with pytest.raises(UnknownReadingError):
        store.append(id_, CARD, "p1", "As")


def test_a_deleted_result_is_gone_with_its_picture(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    id_ = store.add(observation(FIGHT), b"jpeg", game="regicide").id
    store.delete(id_)
    with pytest.raises(UnknownReadingError):
        store.load(id_)
    assert list((tmp_path / "tables").iterdir()) == []


def test_old_results_and_too_many_make_room(tmp_path: Path) -> None:
    store = a_store(tmp_path, keep_count=2)
    first = store.add(observation(FIGHT), b"", game="regicide").id
    old = time.time() - 7200
    os.utime(tmp_path / "tables" / first, (old, old))
    kept = [store.add(observation(FIGHT), b"", game="regicide").id for _ in range(2)]
    with pytest.raises(UnknownReadingError):
        store.load(first)
    assert [store.load(id_).id for id_ in kept] == kept
    newest = store.add(observation(FIGHT), b"", game="regicide").id
    assert len(list((tmp_path / "tables").iterdir())) == 2
    assert store.load(newest).id == newest


def test_nobody_can_fill_the_disk_with_answers(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    id_ = store.add(observation(FIGHT), b"", game="regicide").id
    (tmp_path / "tables" / id_ / "events.jsonl").write_text("x" * 500_000)
    with pytest.raises(UnknownReadingError):
        store.append(id_, ANSWER, "next", "1")


def test_the_folder_is_for_this_user_only(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    id_ = store.add(observation(FIGHT), b"", game="regicide").id
    assert (tmp_path / "tables" / id_).stat().st_mode & 0o077 == 0
