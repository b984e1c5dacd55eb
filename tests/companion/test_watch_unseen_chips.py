"""A chip lies on the board, and no camera sees it: people say where it lies."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from companion.ledger import open_ledger
from companion.watching.messages import Seen
from companion.watching.playing import Playing
from tests.companion.tables import Laid, observation
from tests.companion.test_watch_chips import Homely, watched
from tests.support.following import compared, sheet_of
from tests.support.warstones import ARMIES, CITIES
from vision.types import Frame, Identity, Kind, Observation, Position
from vision.views import View


def test_a_round_is_followed_though_a_flicked_chip_is_never_seen(
    tmp_path: Path,
) -> None:
    """Nobody could say that it lies on the board: the flick was lost, or the chip was
    said to have left it."""
    made, done = watched(Homely, "empire.hero", tmp_path, 5335, most=7)
    assert compared([move for _, move in made.moves], done.moves) == (7, 0, 0)
    assert done.asked == 3, "whether it was flicked, the sector, the terrain"
    assert sheet_of("warstones", done.state) == sheet_of("warstones", made.final)
    assert not done.refused
    assert not done.open


class Late(Homely):
    """Overlooks a flicked chip until the next one is flicked."""

    def __call__(self, frame: Frame) -> Observation:
        if self.readings >= 11:
            self.unit = ""
        return super().__call__(frame)


def test_a_chip_that_is_seen_long_after_its_flick_has_not_moved(
    tmp_path: Path,
) -> None:
    made, done = watched(Late, "empire.hero", tmp_path, 5335, most=7)
    assert compared([move for _, move in made.moves], done.moves) == (7, 0, 0)
    assert done.moves[-1].startswith("lies A:hero-1@N-E:75")
    assert sheet_of("warstones", done.state) == sheet_of("warstones", made.final)


def shown(*places_mm: tuple[float, float]) -> Seen:
    """Return a view of heroes that lie there."""
    table = observation([Laid("Ac", x_mm, y_mm) for x_mm, y_mm in places_mm])
    lying = tuple(
        replace(
            placement,
            kind=Kind.DISC,
            identity=Identity("empire.hero"),
            position=Position(*at, 0.0, (0.1, 0.0, 0.1)),
            diameter_mm=32.0,
        )
        for at, placement in zip(places_mm, table.placements, strict=True)
    )
    return Seen(View(replace(table, placements=lying), 0.0), b"", b"")


def test_who_said_wrongly_that_a_chip_left_the_board_takes_it_back(
    tmp_path: Path,
) -> None:
    with open_ledger(tmp_path / "arbitro.db") as ledger:
        table = ledger.create_table("warstones", {})
        said = (*ARMIES[:2], "first A", *CITIES, "A recruit A:hero-1", "B pass")
        now = datetime.now(UTC)
        for seq, move in enumerate(said, 1):
            ledger.append(table.id, seq, move, source="page", actor="Ada", taken_at=now)
        playing = Playing(ledger, table.id)
        playing.see(shown((450, 70)))
        playing.see(shown())
        playing.answer("left_base:A", "A:hero-1", "Ada")
        assert playing.questions == ()
        playing.undo("Ada")
        playing.answer("lies:A:hero-1", "N-W", "Ada")
        playing.answer("terrain:A:hero-1", "forest", "Ada")
        last = ledger.events(table.id)[-1].move
        assert last == "settle A:hero-1@N-W/forest"
        assert playing.questions == ()
        playing.see(shown((200, 235)))
        last = ledger.events(table.id)[-1].move
        assert last == "lies A:hero-1@N-W/forest:200,235"
        assert Playing(ledger, table.id).live.state == playing.live.state
