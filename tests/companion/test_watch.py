"""A watched table: from views to events, questions, undo, and the whole way."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import cv2
import pytest
from click.testing import CliRunner
from rich.console import Console

from companion.cli import main
from companion.errors import UsageError
from companion.ledger import Kind, Ledger, TableRecord, open_ledger
from companion.terminal.watch import WatchJob, WatchScreen, rows_of, watch_table
from companion.watch import News, Standing, Watcher
from companion.watching.messages import END_UNREAD, Seen
from companion.watching.patience import Patience
from companion.watching.plan import EyePlan, Tempo, tempo_of
from companion.watching.playing import Playing
from companion.watching.words import (
    HEALTH,
    NOTICES,
    WAITING,
    standing_json,
    waiting_sentence,
)
from engines.core import Option, Question, Text, Verdict
from tests.companion.tables import FIGHT, Laid, observation
from tests.support.following import compared, follow, pictures
from tests.support.rounds import regicide_round
from tests.support.rounds_custom import frantic_round
from vision.capture.replay import ShotReplay
from vision.capture.source import CameraStatus, Health
from vision.scene.video import frames
from vision.types import Bgr, Frame, Identity, Observation, Placement, TableNotFound
from vision.types import Kind as ThingKind
from vision.views import Look, Pace, View, Waiting

START = (FIGHT[0], Laid("Jh", 70, 60), FIGHT[2])
NINE = Laid("9d", -40, -110)
SIXES = (Laid("6d", 75, -100), Laid("6c", 95, -108))
"""Twelve in one set: two more than rule 4.1 allows."""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "arbitro.db") as opened:
        yield opened


def regicide(ledger: Ledger, *moves: str) -> TableRecord:
    """Return a table of two at which those moves were made."""
    table = ledger.create_table("regicide", {"players": 2})
    for seq, move in enumerate(moves, 1):
        ledger.append(
            table.id,
            seq,
            move,
            source="page",
            actor="Ada",
            taken_at=datetime.now(UTC),
        )
    return table


def at_war(ledger: Ledger) -> Playing:
    """Return a table at which the fight against the Jack of hearts has begun."""
    table = regicide(ledger, "castle ?", "reveal Jh", "tavern ?", "start 0")
    return Playing(ledger, table.id)


def seen(cards: Sequence[Laid], *, after_s: float = 0.0) -> Seen:
    taken = observation(cards)
    return Seen(View(taken, after_s), b"before", b"after")


def moves(ledger: Ledger, table_id: str) -> list[str]:
    return [e.move for e in ledger.events(table_id) if e.kind is not Kind.UNDO]


def test_a_card_that_was_laid_is_a_move_with_its_pictures(ledger: Ledger) -> None:
    playing = at_war(ledger)
    assert playing.see(seen(START)) == ()
    (call,) = playing.see(seen((*START, NINE)))
    assert call.event.move == "0: play 9d"
    assert call.is_upheld
    assert [ledger.blob(sha) for sha in call.event.evidence] == [b"before", b"after"]


def test_the_same_table_again_is_no_move(ledger: Ledger) -> None:
    playing = at_war(ledger)
    playing.see(seen((*START, NINE)))
    for _ in range(3):
        assert playing.see(seen((*START, NINE))) == ()


def test_a_lone_answer_needs_no_person(ledger: Ledger) -> None:
    playing = Playing(ledger, regicide(ledger).id)
    calls = playing.see(seen(START))
    assert [call.event.move for call in calls] == ["castle ?", "reveal Jh", "tavern ?"]
    assert playing.questions[0].id == "start"
    playing.answer("start", "1", "Ada")
    assert playing.live.state.current == 1


def test_once_it_has_begun_done_is_said_by_whoever_did_it(ledger: Ledger) -> None:
    playing = at_war(ledger)
    discards = Laid("3h", -150, -32)
    playing.see(seen((*START, NINE)))
    playing.see(seen((*START, NINE, discards)))
    hearts = (*START, NINE, discards, Laid("2h", -40, 230, 270))
    playing.see(seen(hearts))
    assert not any(e.move.startswith("heal") for e in ledger.events(playing.table_id))


def test_an_answer_that_is_none_is_refused(ledger: Ledger) -> None:
    playing = Playing(ledger, regicide(ledger).id)
    playing.see(seen(START))
    with pytest.raises(UsageError):
        playing.answer("start", "7", "Ada")
    with pytest.raises(UsageError):
        playing.answer("nothing", "1", "Ada")


def test_an_illegal_play_is_called_once_and_blocks_no_later_one(
    ledger: Ledger,
) -> None:
    playing = at_war(ledger)
    wrong = (*START, *SIXES)
    calls = playing.see(seen(wrong))
    refused = [call for call in calls if not call.is_upheld]
    assert len(refused) == 1
    assert refused[0].ruling.verdict is Verdict.REJECTED
    assert refused[0].event.evidence
    for _ in range(3):
        assert playing.see(seen(wrong)) == ()
    (call,) = playing.see(seen((*START, NINE)))
    assert call.event.move == "0: play 9d"


def test_the_owner_of_the_table_may_overrule(ledger: Ledger) -> None:
    playing = at_war(ledger)
    (call,) = playing.see(seen((*START, *SIXES)))
    ledger.append(
        playing.table_id,
        call.event.seq + 1,
        "upheld the table agreed on it",
        kind=Kind.OVERRULE,
        target=call.event.seq,
        source="page",
        actor="Ada",
        taken_at=datetime.now(UTC),
    )
    playing.again()
    assert playing.live.overruled[call.event.seq] is Verdict.UPHELD


def test_what_was_undone_is_not_played_again_while_it_lies_there(
    ledger: Ledger,
) -> None:
    playing = at_war(ledger)
    playing.see(seen((*START, NINE)))
    undone = playing.undo("Ada")
    assert undone is not None
    assert playing.see(seen((*START, NINE))) == ()
    assert playing.see(seen(START)) == ()
    (call,) = playing.see(seen((*START, NINE)))
    assert call.event.move == "0: play 9d"


def test_nothing_to_undo_is_no_error(ledger: Ledger) -> None:
    assert Playing(ledger, regicide(ledger).id).undo("Ada") is None


def test_moves_of_others_and_of_the_camera_are_one_story(ledger: Ledger) -> None:
    playing = at_war(ledger)
    playing.see(seen(START))
    ledger.append(
        playing.table_id,
        playing.live.seq + 1,
        "0: play 9d",
        source="page",
        actor="Ada",
        taken_at=datetime.now(UTC),
    )
    assert playing.see(seen((*START, NINE))) == (), "it was told already"


def test_an_unreadable_card_is_asked_about_and_blocks_nothing(ledger: Ledger) -> None:
    playing = at_war(ledger)
    calls = playing.see(seen((*START, Laid(None, -40, -110))))
    assert calls == ()
    assert playing.questions
    (call,) = playing.see(seen((*START, NINE)))
    assert call.event.move == "0: play 9d"


def test_a_person_can_name_a_card_that_could_not_be_read(ledger: Ledger) -> None:
    playing = at_war(ledger)
    unread = (*START, Laid(None, -40, -110, candidates=(("9d", 0.5), ("6d", 0.4))))
    playing.see(seen(unread))
    (call,) = playing.answer(playing.questions[0].id, "9d", "Ada")
    assert call.event.move == "0: play 9d"
    assert playing.see(seen(unread)) == (), "the name stays with the card"


def test_a_card_is_known_by_what_a_person_said_of_it(ledger: Ledger) -> None:
    playing = Playing(ledger, regicide(ledger, "castle ?").id)
    unread = [replace(c, label=None) if c.label == "Jh" else c for c in START]
    playing.see(seen(unread))
    question = playing.questions[0]
    (jack,) = (o.value for o in question.options if o.move == "reveal Jh")
    playing.answer(question.id, jack, "Ada")
    assert not [q for q in playing.questions if q.id.startswith("card:")]


@pytest.mark.parametrize("about", ["the card", "another"])
def test_who_is_asked_about_another_card_names_none(ledger: Ledger, about: str) -> None:
    playing = at_war(ledger)
    playing.see(seen((*START, Laid(None, -40, -110))))
    first = playing.questions[0]
    (unread,) = first.pieces
    pieces = (unread,) if about == "the card" else ("elsewhere",)
    option = Option("yes", first.text, "0: play 9d")
    playing.questions = (replace(first, options=(option,), pieces=pieces),)
    playing.answer(first.id, "yes", "Ada")
    named = {unread: "9d"} if about == "the card" else {}
    assert playing.names.values == named


@pytest.mark.parametrize("said", ["back", "none"])
def test_what_is_no_open_card_is_asked_about_once(ledger: Ledger, said: str) -> None:
    """A pile that was read as a card without a name came back as a question with each
    new picture, and what was played waited for it."""
    playing = at_war(ledger)
    strange = Laid(None, -260, 60)
    playing.see(seen((*START, strange)))
    assert playing.questions[0].id.startswith("card:")
    playing.answer(playing.questions[0].id, said, "Ada")
    (call,) = playing.see(seen((*START, strange, NINE)))
    assert call.event.move == "0: play 9d"
    assert not [q for q in playing.questions if q.id.startswith("card:")]


def test_a_card_is_taken_for_what_it_is_and_never_twice_for_the_same(
    ledger: Ledger,
) -> None:
    """An answer that says what was read anyway leaves nothing to put right: it is kept
    for this picture, or the same question would come at once."""
    playing = at_war(ledger)
    queen = (FIGHT[0], Laid("Qh", 70, 60), FIGHT[2])
    playing.see(seen(queen))
    assert playing.questions[0].id == "enemy"
    playing.answer("enemy", "Qh", "Ada")
    assert playing.names.values == {}
    assert "enemy" not in {question.id for question in playing.questions}
    playing.see(seen((*queen, NINE)))
    playing.answer("enemy", "Jh", "Ada")
    assert list(playing.names.values.values()) == ["Jh"]
    assert "0: play 9d" in moves(ledger, playing.table_id)


def test_the_state_is_a_replay_of_its_events(ledger: Ledger) -> None:
    playing = at_war(ledger)
    playing.see(seen((*START, NINE)))
    again = Playing(ledger, playing.table_id)
    assert again.live.state == playing.live.state


# Patience ----------------------------------------------------------------------------


def look(
    at_s: float, views: Sequence[View] = (), *, still_s: float = 0.0, quiet: bool = True
) -> Look:
    return Look(at_s, Waiting.NOTHING, tuple(views), bool(views), quiet, still_s, {})


def placed(*labels: str) -> Observation:
    """Return named things in a row; the name is the id."""
    placements = tuple(
        Placement(
            name,
            ThingKind.CARD,
            Identity(name),
            0.9,
            ((0.0, 0.0), (6.0, 0.0), (6.0, 9.0), (0.0, 9.0)),
            order=number,
        )
        for number, name in enumerate(labels)
    )
    return Observation(
        "f",  # type: ignore[arg-type]
        "",
        100,
        100,
        datetime.now(UTC),
        TableNotFound("no_reference"),
        placements,
    )


def test_real_time_waits_for_nobody() -> None:
    view = View(placed("a"), 1.0, (("a", "laid"),))
    assert Patience(None).take(look(1.1, [view], quiet=False)) == (view,)


def test_turns_wait_until_the_table_is_quiet() -> None:
    patience = Patience(1.0)
    first = View(placed("a"), 1.0, (("a", "laid"),))
    second = View(placed("a", "b"), 2.0, (("b", "laid"),))
    assert patience.take(look(1.1, [first], still_s=0.1)) == ()
    assert patience.take(look(2.1, [second], still_s=0.1)) == ()
    assert patience.take(look(3.0, still_s=2.0, quiet=False)) == ()
    (view,) = patience.take(look(3.2, still_s=1.1))
    assert [p.id for p in view.observation.placements] == ["a", "b"]
    assert view.changes == (("a", "laid"), ("b", "laid"))
    assert patience.take(look(3.3, still_s=1.2)) == ()


def test_what_was_covered_before_quiet_is_passed_on_below() -> None:
    patience = Patience(1.0)
    patience.take(look(1.1, [View(placed("a"), 1.0, (("a", "laid"),))]))
    patience.take(
        look(2.1, [View(placed("b"), 2.0, (("a", "covered"), ("b", "laid")))])
    )
    (view,) = patience.take(look(3.2, still_s=1.1))
    assert [(p.id, p.visible) for p in view.observation.placements] == [
        ("a", 0.0),
        ("b", 1.0),
    ]
    # What was shown once is not shown again when it is covered later.
    patience.take(
        look(5.0, [View(placed("c"), 5.0, (("b", "covered"), ("c", "laid")))])
    )
    (view,) = patience.take(look(6.2, still_s=1.1))
    assert [p.id for p in view.observation.placements] == ["c"]


# The whole way -----------------------------------------------------------------------


@pytest.mark.slow
def test_a_rendered_fight_is_followed_move_by_move(tmp_path: Path) -> None:
    made = regicide_round(3, most=2)
    done = follow(made, tmp_path, seed=3)
    assert compared([move for _, move in made.moves], done.moves)[1:] == (0, 0)
    assert done.refused == []
    assert done.readings < 0.1 * done.looked


def test_a_card_laid_on_one_of_its_face_is_asked_about(tmp_path: Path) -> None:
    made = frantic_round(5209, most=3)  # a yellow 9 on a yellow 9; nobody tells of it
    done = follow(made, tmp_path, seed=5209, reading_s=0.1)
    assert compared([move for _, move in made.moves], done.moves) == (3, 0, 0)
    assert done.moves[1:] == ["p2 play Y9", "p3 play Y7"], "each by whose turn it is"
    assert done.asked == 1


class RecordedEyes:
    """Eyes for pictures that they have seen before, whole ones."""

    def __init__(self, known: dict[int, Observation]) -> None:
        self.known = known

    def __call__(self, frame: Frame) -> Observation:
        return self.known[id(frame.bgr)]


def plan_for(
    shots: list[tuple[float, Bgr]], cards: Sequence[Sequence[Laid]]
) -> EyePlan:
    """Return a plan whose eyes see those cards in those pictures."""
    known = {
        id(bgr): observation(lying)
        for (_, bgr), lying in zip(shots, cards, strict=True)
    }
    return EyePlan(
        lambda: ShotReplay(shots),
        lambda: RecordedEyes(known),
        Tempo(Pace(settle_s=0.3, crops=False), quiet_s=0.5),
        keep_all=True,
    )


def shots_of(cards: Sequence[Sequence[Laid]]) -> list[tuple[float, Bgr]]:
    from tests.companion.tables import picture  # noqa: PLC0415 - drawn only here

    return [(number / 10, picture(lying)) for number, lying in enumerate(cards)]


def watched(ledger: Ledger, cards: Sequence[Sequence[Laid]]) -> list[News]:
    table = regicide(ledger, "castle ?", "reveal Jh", "tavern ?", "start 0")
    shots, told = shots_of(cards), list[News]()
    plan = plan_for(shots, cards)
    with Watcher(
        ledger, table.id, plan, tell=told.append, own_process=False
    ) as watcher:
        assert watcher.wait(30)
    assert watcher.standing.has_ended
    return told


def test_a_watcher_tells_events_camera_and_end(ledger: Ledger) -> None:
    cards = [START] * 12 + [(*START, NINE)] * 16
    told = watched(ledger, cards)
    events = [news.call.event.move for news in told if news.call is not None]
    assert events == ["0: play 9d"]
    assert {"event", "camera", "ended"} <= {news.kind for news in told}
    assert told[-1].standing.camera.health is Health.ENDED
    assert told[-1].standing.looked == len(cards)


@pytest.mark.parametrize(("last", "is_read"), [(16, True), (2, False)])
def test_a_recording_that_ends_before_all_is_read_says_so(
    ledger: Ledger, last: int, is_read: bool
) -> None:
    told = watched(ledger, [START] * 12 + [(*START, NINE)] * last)
    notices = [news.standing.notice for news in told if news.kind == "notice"]
    assert ("end_unread" in notices) is not is_read
    assert any(news.kind == "event" for news in told) is is_read
    said = standing_json(told[-1].standing, "en")["text"]
    assert ("may be missing" in said) is not is_read
    assert said != waiting_sentence(told[-1].standing.waiting, "en")


def test_a_source_that_does_not_exist_is_told_and_tried_again(
    ledger: Ledger, tmp_path: Path
) -> None:
    table = regicide(ledger)
    from companion.watching.plan import source_opener  # noqa: PLC0415

    plan = EyePlan(source_opener(str(tmp_path / "none.mp4")), lambda: RecordedEyes({}))
    with Watcher(ledger, table.id, plan, own_process=False) as watcher:
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            if watcher.standing.camera.health is Health.UNPLUGGED:
                break
            time.sleep(0.02)
    assert watcher.standing.camera.health is Health.UNPLUGGED


def test_every_health_and_every_wait_has_its_sentence() -> None:
    assert set(HEALTH) == set(Health)
    assert set(WAITING) == set(Waiting)
    assert set(NOTICES) == {"bumped", "view_changed", "view_found", END_UNREAD}
    assert waiting_sentence(Waiting.NOTHING, "en")


def test_turn_games_wait_and_real_time_games_do_not() -> None:
    assert tempo_of("frenzy").quiet_s is None
    assert tempo_of("brawl").quiet_s is None
    assert (tempo_of("regicide").quiet_s or 0) >= 1
    assert tempo_of("a new game").quiet_s is not None


def test_a_view_is_shown_in_short_lines() -> None:
    rows = dict(rows_of({"enemy": "Jh", "none": None, "list": ["a"] * 90}))
    assert rows["enemy"] == "Jh"
    assert "none" not in rows
    assert len(rows["list"]) <= 70


def job(source: str, **values: object) -> WatchJob:
    plain = {
        "game": "regicide",
        "table": None,
        "options": {"players": "2"},
        "answers": {"start": "0"},
        "seats": (),
        "decks": (),
        "board": {},
        "copies": 1,
        "hosts": (),
        "fps": 2.0,
        "language": "en",
        "full_speed": True,
        "as_json": True,
    }
    return WatchJob(source, **(plain | values))  # type: ignore[arg-type]


def test_the_whole_way_from_a_video_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rendered video, the shipped models, a process of its own, lines of JSON."""
    path = tmp_path / "table.avi"
    made = regicide_round(17, most=2)
    first_s = made.script.steps[0].at_s
    video = pictures(frames(made.script, 4))
    writer = cv2.VideoWriter(
        str(path), cv2.VideoWriter.fourcc(*"MJPG"), 15.0, (1280, 720)
    )
    for number, shown in enumerate(video):
        if number % 2 == 0 and first_s - 2.0 < shown.at_s < first_s + 4.0:
            writer.write(shown.bgr)
    writer.release()
    assert watch_table(job(str(path)), tmp_path) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    moves_seen = [line["move"] for line in lines if line["kind"] == "event"]
    assert made.moves[0][1] in moves_seen
    assert "castle ?" in moves_seen
    assert made.moves[1][1] in moves_seen, "the first play"
    assert lines[-1]["kind"] == "ended"


def told_by(arguments: list[str]) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["watch", "none.mp4"], "--game"),
        (["watch", "http://127.0.0.1/x", "--game", "regicide"], "127.0.0.1"),
        (["watch", "phone:", "--game", "regicide"], "phone:NAME"),
        (["watch", "x", "--table", "ZZZZZZ"], "ZZZZZZ"),
        (["watch", "x", "--game", "chess"], "regicide"),
    ],
)
def test_wrong_use_is_one_line(
    arguments: list[str], word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARBITRO_HOME", str(tmp_path))
    code, output = told_by(arguments)
    assert code in (1, 2)
    assert word in output
    assert len(output.strip().splitlines()) == 1


def test_the_terminal_shows_all_that_may_be_answered(ledger: Ledger) -> None:
    """Of a question's options six were shown, of many questions three, and nobody was
    told that there were more."""
    options = tuple(Option(f"N{n}", Text.of("regicide.lay_there")) for n in range(12))
    one = Question("card.1", None, Text.of("regicide.ask_card"), options)
    few = replace(one, id="card.2", options=options[:7])
    standing = Standing(
        CameraStatus(Health.GOOD, 0.0), Waiting.NOTHING, questions=(one, few, few, few)
    )
    screen = WatchScreen(ledger, regicide(ledger), "en", standing)
    shown = StringIO()
    Console(file=shown, width=100).print(screen)
    words = " ".join(shown.getvalue().split())
    assert " ".join(option.value for option in options) in words
    assert ", ".join(7 * [options[0].text.render("en")]) in words
    assert "and one more question; --json tells all" in words
