"""The ledger: what is added stays, what is taken back is a new event."""

from __future__ import annotations

import os
import random
import stat
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from companion.errors import CompanionError
from companion.ledger import (
    Event,
    Kind,
    Ledger,
    RefusedEventError,
    StaleSequenceError,
    TableRecord,
    UnknownBlobError,
    UnknownEventError,
    UnknownTableError,
    open_ledger,
    verify_table,
)
from companion.ledger.rows import CODE_LENGTH, CODE_LETTERS
from engines import game_names, load_game
from engines.core import NotationError, Verdict, canonical
from engines.core import replay as played
from tests.support.crashes import Say, forked, said_by
from tests.support.live_games import FRENZY, OPTIONS, moves_of

NOW = datetime(2026, 11, 28, 20, 15, tzinfo=UTC)
NOTED: dict[str, Any] = {
    "kind": "note",
    "source": "test",
    "actor": None,
    "taken_at": NOW,
}


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "arbitro.db") as opened:
        yield opened


@pytest.fixture
def table(ledger: Ledger) -> TableRecord:
    return ledger.create_table("frenzy", {}, seats=["Ada", "Bo"], title="Cucina")


def add(ledger: Ledger, table: TableRecord, move: str, **more: Any) -> Event:
    values = {"source": "test", "actor": None, "taken_at": NOW} | more
    return ledger.append(table.id, ledger.head(table.id).seq + 1, move, **values)


def add_all(ledger: Ledger, table: TableRecord, moves: list[str]) -> None:
    for move in moves:
        add(ledger, table, move)


def state_after(game: str, moves: list[str]) -> bytes:
    rules = load_game(game)
    options = rules.options(OPTIONS.get(game, {}))
    return canonical(played(rules, rules.setup(options), moves).state)


# Tables ------------------------------------------------------------------------------


def test_a_table_is_found_by_id_and_by_its_code(
    ledger: Ledger, table: TableRecord
) -> None:
    assert ledger.table(table.id) == table == ledger.tables()[0]
    assert ledger.table_by_code(f" {table.code.lower()} ") == table
    assert (table.seats, table.title) == (("Ada", "Bo"), "Cucina")
    assert len(table.code) == CODE_LENGTH
    assert set(table.code) <= set(CODE_LETTERS)
    assert not set("0O1IL") & set(CODE_LETTERS)  # nobody confuses them aloud


def test_unknown_tables_and_wrong_options_are_refused(ledger: Ledger) -> None:
    for ask in (ledger.table, ledger.table_by_code, ledger.head, ledger.signed_head):
        with pytest.raises(UnknownTableError):
            ask("nobody")
    with pytest.raises(CompanionError):
        ledger.create_table("regicide", {"players": "99"})
    assert ledger.tables() == ()


def test_the_files_are_for_this_user_only(ledger: Ledger, table: TableRecord) -> None:
    ledger.keep(b"a picture", "image/jpeg")
    for path in ledger.path.parent.rglob("*"):
        others = path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
        assert not others, path
    assert ledger.key.public == ledger.signed_head(table.id).key


# Events ------------------------------------------------------------------------------


def test_events_come_back_as_they_were_given(
    ledger: Ledger, table: TableRecord
) -> None:
    picture = ledger.keep(b"a picture", "image/jpeg")
    given = add(
        ledger, table, FRENZY[0], source="frame:142", actor="Zoë", evidence=[picture]
    )
    assert ledger.events(table.id) == (given,)
    assert (given.seq, given.kind, given.taken_at) == (1, Kind.MOVE, NOW)
    assert given.evidence == (picture,)
    assert ledger.events(table.id, since=1) == ()
    assert (ledger.head(table.id).seq, ledger.head(table.id).digest) == (
        1,
        given.digest,
    )


def test_only_the_next_number_is_taken(ledger: Ledger, table: TableRecord) -> None:
    add(ledger, table, FRENZY[0])
    for wrong in (0, 1, 3):
        with pytest.raises(StaleSequenceError) as caught:
            ledger.append(
                table.id, wrong, FRENZY[1], source="x", actor=None, taken_at=NOW
            )
        assert caught.value.http_status == 409
        assert caught.value.next_seq == 2
    assert len(ledger.events(table.id)) == 1


def test_of_many_threads_one_gets_each_number(
    ledger: Ledger, table: TableRecord
) -> None:
    def race(writer: int) -> list[int]:
        won = []
        for seq in range(1, 13):
            try:
                ledger.append(table.id, seq, f"{writer}", **NOTED)
                won.append(seq)
            except StaleSequenceError:
                continue
        return won

    with ThreadPoolExecutor(6) as pool:
        won = sorted(seq for seqs in pool.map(race, range(6)) for seq in seqs)
    assert won == [event.seq for event in ledger.events(table.id)]
    assert won == list(range(1, len(won) + 1))
    assert verify_table(ledger, table.id).is_intact


def race_in_process(path: Path, table: str, writer: int, say: Say) -> None:
    """Add 12 events, whatever the others do."""
    ledger = open_ledger(path)
    for number in range(12):
        while True:
            try:
                seq = ledger.head(table).seq + 1
                words = f"{writer} {number}"
                say(str(ledger.append(table, seq, words, **NOTED).seq))
                break
            except StaleSequenceError:
                continue


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_of_several_processes_one_gets_each_number(tmp_path: Path) -> None:
    path = tmp_path / "arbitro.db"
    with open_ledger(path) as ledger:
        table = ledger.create_table("frenzy", {}).id
    writers = [forked(partial(race_in_process, path, table, n)) for n in range(3)]
    said = [int(line) for writer in writers for line in said_by(*writer)]
    with open_ledger(path) as ledger:
        events = ledger.events(table)
        assert sorted(said) == [event.seq for event in events] == list(range(1, 37))
        assert len({event.move for event in events}) == 36
        assert verify_table(ledger, table).is_intact


def test_nonsense_is_refused_before_it_is_kept(
    ledger: Ledger, table: TableRecord
) -> None:
    with pytest.raises(NotationError):
        add(ledger, table, "P1 plays something")
    with pytest.raises(RefusedEventError):
        add(ledger, table, "x" * 5000, kind="note")
    with pytest.raises(RefusedEventError):
        add(ledger, table, "half a \ud83d", kind="note")
    with pytest.raises(RefusedEventError):
        add(ledger, table, FRENZY[0], evidence=["0" * 64])
    with pytest.raises(ValueError, match="time zone"):
        add(ledger, table, FRENZY[0], taken_at=datetime(2026, 1, 1))  # noqa: DTZ001
    with pytest.raises(ValueError, match="target"):
        add(ledger, table, "", kind="undo")
    with pytest.raises(UnknownEventError):
        add(ledger, table, "", kind="undo", target=1)
    assert ledger.events(table.id) == ()


def test_only_a_move_can_be_corrected_or_overruled(
    ledger: Ledger, table: TableRecord
) -> None:
    add(ledger, table, "a word", kind="note")
    add(ledger, table, FRENZY[0])
    with pytest.raises(UnknownEventError):
        add(ledger, table, FRENZY[0], kind="correction", target=1)
    with pytest.raises(UnknownEventError):
        add(ledger, table, "upheld", kind="overrule", target=1)
    for words in ("perhaps", "undecided", ""):
        with pytest.raises(RefusedEventError):
            add(ledger, table, words, kind="overrule", target=2)


def test_the_database_itself_refuses_to_change_the_past(
    ledger: Ledger, table: TableRecord
) -> None:
    add(ledger, table, FRENZY[0])
    for sql in ("UPDATE event SET move = 'x'", "DELETE FROM event"):
        with pytest.raises(CompanionError), ledger.writing() as db:
            db.execute(sa.text(sql))
    assert verify_table(ledger, table.id).is_intact


def test_a_reader_waits_for_another_process_or_gives_up(
    ledger: Ledger, table: TableRecord
) -> None:
    start_s = time.monotonic()
    assert ledger.wait(table.id, since=0, timeout_s=0.1) == ()
    assert time.monotonic() - start_s < 2
    with open_ledger(ledger.path) as other:  # shares only the file
        later = threading.Timer(0.1, lambda: add(other, table, FRENZY[0]))
        later.start()
        found = ledger.wait(table.id, since=0, timeout_s=10)
        later.join()
    assert [event.move for event in found] == [FRENZY[0]]


# State -------------------------------------------------------------------------------


@pytest.mark.parametrize("game", game_names())
def test_the_state_is_a_replay_equal_to_the_byte(ledger: Ledger, game: str) -> None:
    moves = moves_of(game, most=14)
    table = ledger.create_table(game, OPTIONS.get(game, {}))
    for number, move in enumerate(moves, start=1):
        add(ledger, table, move)
        live = ledger.state(table.id)
        assert (live.seq, live.refused) == (number, frozenset())
    assert canonical(live.state) == state_after(game, moves)
    with open_ledger(ledger.path) as fresh:  # nothing was remembered
        assert canonical(fresh.state(table.id).state) == canonical(live.state)
    half = len(moves) // 2
    earlier = ledger.state(table.id, seq=half)
    assert canonical(earlier.state) == state_after(game, moves[:half])


def test_options_written_as_text_mean_what_they_mean_elsewhere(ledger: Ledger) -> None:
    texts = ledger.create_table("regicide", {"players": "3"})
    values = ledger.create_table("regicide", {"players": 3})
    assert canonical(ledger.state(texts.id).state) == canonical(
        ledger.state(values.id).state
    )


def test_undo_redo_and_undo_again(ledger: Ledger, table: TableRecord) -> None:
    moves = list(FRENZY[:5])
    add_all(ledger, table, moves)
    whole = canonical(ledger.state(table.id).state)
    add(ledger, table, "", kind="undo", target=5)
    assert canonical(ledger.state(table.id).state) == state_after("frenzy", moves[:4])
    assert ledger.state(table.id).undone == {5}
    add(ledger, table, "no, it stood", kind="undo", target=6)
    assert canonical(ledger.state(table.id).state) == whole
    add(ledger, table, "", kind="undo", target=7)
    assert ledger.state(table.id).undone == {5, 7}
    assert len(ledger.events(table.id)) == 8


def test_random_undos_leave_what_was_not_undone(
    ledger: Ledger, table: TableRecord
) -> None:
    """The model: an undo flips whether its target counts, at the time it counts."""
    moves, rng = list(FRENZY), random.Random(7)
    add_all(ledger, table, moves)
    for _ in range(12):
        # The last counting event, so that what is left is a beginning of the game.
        live = ledger.state(table.id)
        counts = [seq for seq in range(1, 14) if seq not in live.undone]
        undos = [
            event
            for event in ledger.events(table.id)
            if event.kind is Kind.UNDO and event.seq not in live.undone
        ]
        if undos and rng.random() < 0.4:
            newest = max(undos, key=lambda event: event.seq)
            add(ledger, table, "", kind="undo", target=newest.seq)
        else:
            add(ledger, table, "", kind="undo", target=counts[-1])
        live = ledger.state(table.id)
        left = [move for n, move in enumerate(moves, 1) if n not in live.undone]
        assert canonical(live.state) == state_after("frenzy", left)


def test_a_correction_stands_where_its_target_stood(
    ledger: Ledger, table: TableRecord
) -> None:
    """F-48: later moves follow from the corrected one, not from a side line."""
    misread = [*FRENZY[:3], "P1 play W3 P1.B1 @3000", *FRENZY[4:6]]
    add_all(ledger, table, misread)
    add(ledger, table, FRENZY[3], kind="correction", target=4, actor="Ada")
    live = ledger.state(table.id)
    assert canonical(live.state) == state_after("frenzy", list(FRENZY[:6]))
    assert live.corrected == {4: FRENZY[3]}
    add(ledger, table, "", kind="undo", target=7)
    assert canonical(ledger.state(table.id).state) == state_after("frenzy", misread)


def test_an_illegal_move_is_kept_ruled_on_and_without_effect(ledger: Ledger) -> None:
    table = ledger.create_table("regicide", OPTIONS["regicide"])
    moves = moves_of("regicide", most=4)
    add_all(ledger, table, moves)
    before = canonical(ledger.state(table.id).state)
    wrong = add(ledger, table, moves[-1])  # the same card, played a second time
    live = ledger.state(table.id)
    assert live.refused == {wrong.seq}
    assert live.rulings[wrong.seq].verdict is Verdict.REJECTED
    assert canonical(live.state) == before


def test_a_person_may_reject_what_the_rules_uphold(
    ledger: Ledger, table: TableRecord
) -> None:
    add_all(ledger, table, list(FRENZY[:5]))
    add(ledger, table, "rejected the hand was still on it", kind="overrule", target=5)
    live = ledger.state(table.id)
    assert dict(live.overruled) == {5: Verdict.REJECTED}
    assert set(live.refused) == {5}
    assert live.rulings[5].verdict is Verdict.UPHELD
    assert canonical(live.state) == state_after("frenzy", list(FRENZY[:4]))
    add(ledger, table, "upheld after all", kind="overrule", target=5)
    assert canonical(ledger.state(table.id).state) == state_after(
        "frenzy", list(FRENZY[:5])
    )


def test_a_person_may_uphold_what_the_rules_reject(ledger: Ledger) -> None:
    """F-47: it is carried out as far as the game can, and never breaks the table."""
    for game in game_names():
        moves = moves_of(game, most=10)
        table = ledger.create_table(game, OPTIONS.get(game, {}))
        add_all(ledger, table, moves)
        again = add(ledger, table, moves[-1])
        add(ledger, table, "upheld it stood", kind="overrule", target=again.seq)
        live = ledger.state(table.id)
        assert live.seq == len(moves) + 2
        assert again.seq in live.rulings


# Pictures ----------------------------------------------------------------------------


def test_a_picture_is_kept_under_its_hash_once(ledger: Ledger) -> None:
    first = ledger.keep(b"a picture", "image/jpeg")
    assert ledger.keep(b"a picture", "image/jpeg") == first
    assert ledger.blob(first) == b"a picture"
    assert ledger.media_type(first) == "image/jpeg"
    for strange in ("0" * 64, "../arbitro.db", "", "A" * 64):
        with pytest.raises(UnknownBlobError):
            ledger.blob(strange)
    with pytest.raises(ValueError, match="media type"):
        ledger.keep(b"x", "text/html; charset=x")


def test_the_oldest_pictures_make_room_and_disputed_ones_stay(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "arbitro.db", keep_bytes=5_000) as ledger:
        table = ledger.create_table("frenzy", {})
        hashes = []
        for number in range(12):
            hashes.append(ledger.keep(bytes([number]) * 1000, "image/png"))
            add(ledger, table, "seen", kind="note", evidence=[hashes[-1]])
            if number == 2:
                ledger.mark_disputed(table.id, 2)
                ledger.mark_disputed(table.id, 2)
        kept = [n for n, name in enumerate(hashes) if is_kept(ledger, name)]
        assert kept == [1, 7, 8, 9, 10, 11]
        assert ledger.disputed(table.id) == {2}
        assert verify_table(ledger, table.id).is_intact  # hashes stay in the events
        assert ledger.keep(bytes([0]) * 1000, "image/png") == hashes[0]
        assert is_kept(ledger, hashes[0])
        with pytest.raises(UnknownEventError):
            ledger.mark_disputed(table.id, 99)
    leftovers = list((tmp_path / "arbitro-pictures").glob("new-*"))
    assert leftovers == []


def is_kept(ledger: Ledger, sha256: str) -> bool:
    try:
        return bool(ledger.blob(sha256))
    except UnknownBlobError:
        return False


def test_moments_are_stored_in_one_form(ledger: Ledger, table: TableRecord) -> None:
    rome = NOW.astimezone(tz=None) + timedelta(microseconds=1)
    event = add(ledger, table, "x", kind="note", taken_at=rome)
    assert ledger.events(table.id)[0] == event
    assert verify_table(ledger, table.id).is_intact
