"""Chips before a camera: measured, known by the same id before and after a flick."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from companion.ledger import open_ledger
from companion.measure.kits import add_face, begin_kit, open_kit
from companion.watching.boards import BoardEye, board_options, load_board_eye
from companion.watching.messages import Seen
from companion.watching.playing import Playing
from engines.warstones import GAME
from engines.warstones.moves import PutBack
from tests.support.eyes import TrueEyes
from tests.support.following import Followed, compared, follow
from tests.support.live_eyes import shipped_eyes
from tests.support.rounds_board import BoardRound, warstones_round
from tests.support.warboard import (
    BOUNDS_MM,
    chip,
    face,
    geojson,
    mat_picture,
    shot,
    unit_labels,
)
from vision.capture.source import Shot
from vision.live import LiveEye
from vision.mat_store import MatFacts, save_mat
from vision.scene.solids import SceneDisc
from vision.scene.video import frames
from vision.types import (
    UNKNOWN,
    Array,
    Bgr,
    Frame,
    FrameId,
    Observation,
    Placement,
    Position,
)
from vision.views import Look, Pace, See, Waiting

ARMY = (
    chip("empire.militia", 309.0, 250.0),
    chip("empire.hero", 450.0, 330.0, angle_deg=200),
    chip("undead.vampire", 640.0, 560.0, angle_deg=45),
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Return a mat and a kit, as folders."""
    home = tmp_path_factory.mktemp("home")
    save_mat(home / "cloth", mat_picture(), MatFacts(BOUNDS_MM))
    (home / "cloth" / "mat.geojson").write_text(json.dumps(geojson()))
    begin_kit(home / "box")
    for label in unit_labels():
        add_face(home / "box", label, face(label))
    return str(home / "cloth"), str(home / "box")


@pytest.fixture(scope="module")
def eye(folders: tuple[str, str]) -> See:
    return load_board_eye(*folders, None)


def shown(tables: Sequence[Sequence[SceneDisc]]) -> Iterator[tuple[float, Bgr]]:
    """Yield each table for a second, as a camera with noise shows it."""
    rng = np.random.default_rng(1)
    number = 0
    for discs in tables:
        still = shot(discs).bgr
        for _ in range(10):
            noisy = still + rng.normal(0, 1.5, still.shape)
            yield number / 10, noisy.clip(0, 255).astype(np.uint8)
            number += 1


def followed(see: See, tables: Sequence[Sequence[SceneDisc]]) -> list[Look]:
    live = LiveEye(see, Pace(settle_s=0.3, crops=False))
    return [live.look(Shot(bgr, at_s)) for at_s, bgr in shown(tables)]


def places(look: Look) -> dict[str | None, tuple[str, float, float]]:
    """Return label -> id and place of what lies there in the last view."""
    found = {}
    for placement in look.views[-1].observation.placements:
        position = placement.position
        assert position is not None
        found[placement.identity.label] = (
            placement.id,
            position.x_mm,
            position.y_mm,
        )
    return found


@pytest.mark.slow
def test_a_flicked_chip_keeps_its_id_and_one_off_the_board_is_gone(eye: See) -> None:
    flicked = chip("empire.militia", 560.0, 470.0, angle_deg=200)
    pushed = chip("empire.hero", 462.0, 341.0, angle_deg=210)
    tables = (ARMY, (flicked, pushed, ARMY[2]), (flicked, pushed))
    looks = [look for look in followed(eye, tables) if look.views]
    before, after, last = places(looks[0]), places(looks[-2]), places(looks[-1])
    assert set(before) == {"empire.militia", "empire.hero", "undead.vampire"}
    assert {k: v[0] for k, v in before.items()} == {k: v[0] for k, v in after.items()}
    assert after["empire.militia"][1:] == pytest.approx((560.0, 470.0), abs=1.5)
    assert after["empire.hero"][1:] == pytest.approx((462.0, 341.0), abs=1.5)
    assert set(last) == {"empire.militia", "empire.hero"}


def test_a_picture_without_the_mat_says_nothing_of_the_table(eye: See) -> None:
    live = LiveEye(eye, Pace(settle_s=0.3, crops=False))
    grey = np.full((960, 1280, 3), 120, np.uint8)
    rng = np.random.default_rng(2)
    for number in range(8):
        noisy = (grey + rng.normal(0, 2, grey.shape)).clip(0, 255).astype(np.uint8)
        look = live.look(Shot(noisy, number / 10))
        assert look.views == ()
    assert look.waiting is not Waiting.AGREEMENT


def test_mat_and_kit_are_kept_with_the_table(
    folders: tuple[str, str], tmp_path: Path, eye: See
) -> None:
    options = board_options({"mat": folders[0], "kit": folders[1]})
    view = next(look for look in followed(eye, (ARMY,)) if look.views).views[-1]
    with open_ledger(tmp_path / "arbitro.db") as ledger:
        table = ledger.create_table("warstones", options)
        playing = Playing(ledger, table.id)
        playing.see(Seen(view, b"", b"after"))
        assert playing.questions, "which armies, who is first: people know"
        assert ledger.state(table.id).seq == 0


def test_faces_are_enrolled_once_though_the_mat_is_read_again(
    folders: tuple[str, str],
) -> None:
    kit = open_kit(folders[1])
    assert kit.board_kit() is kit.board_kit()
    assert open_kit(folders[1]).board_kit() is not kit.board_kit(), "read anew"


def test_no_round_leaves_a_chip_on_the_edge_of_the_board() -> None:
    went_off = [move for _, move in warstones_round(5359).moves if "@off" in move]
    assert went_off == [], "of one that lay at 894 of 900 mm people would be asked"


class Overlooking(TrueEyes):
    """Overlooks the chips of one unit."""

    overlooked = ""

    def __call__(self, frame: Frame) -> Observation:
        seen = super().__call__(frame)
        return without(seen, self.overlooked)


@dataclass
class Shortsighted:
    """Measures chips, and overlooks those of one unit."""

    eye: BoardEye
    overlooked: str

    def __call__(self, frame: Frame) -> Observation:
        return without(self.eye(frame), self.overlooked)

    def unread(self, boxes_px: Sequence[Array]) -> list[Placement]:
        return self.eye.unread(boxes_px)


def without(seen: Observation, unit: str) -> Observation:
    """Return what was seen without the chips of one unit."""
    kept = tuple(p for p in seen.placements if p.identity.label != unit)
    return replace(seen, placements=kept)


@pytest.mark.parametrize(
    ("seed", "most", "unit", "asked"),
    [
        (5300, 2, "empire.militia", 1),
        (6030, 4, "undead.wraith", 2),  # which unit, and whether it is in the Base
        (5335, 5, "empire.hero", 2),  # it slid when the rest was read first
    ],
)
def test_a_chip_that_nobody_can_read_is_asked_about_and_the_rest_goes_on(
    shipped: BoardEye, tmp_path: Path, seed: int, most: int, unit: str, asked: int
) -> None:
    made = warstones_round(seed, most=most)
    eyes = Shortsighted(shipped, unit)
    done = follow(made, tmp_path, see=eyes, seed=seed, reading_s=0.3)
    assert compared([move for _, move in made.moves], done.moves) == (most, 0, 0)
    assert done.asked == asked
    assert not done.refused


class Peculiar(TrueEyes):
    """Sees the chips of one unit otherwise than they lie there."""

    unit = ""


def watched(
    sees: type[Peculiar], unit: str, folder: Path, seed: int, most: int = 12
) -> tuple[BoardRound, Followed]:
    """Return a round, and what came of following it with eyes that see so."""
    made = warstones_round(seed, most=most)
    eyes = sees(to_mm=made.to_mm)
    eyes.unit = unit
    return made, follow(made, folder, see=eyes, seed=seed, reading_s=0.3)


class Unsteady(Peculiar):
    """Cannot name the chips of one unit off their Base, and overlooks them each third
    time."""

    def __call__(self, frame: Frame) -> Observation:
        seen = super().__call__(frame)
        if self.readings % 3 == 0:
            return without(seen, self.unit)
        shown = tuple(
            replace(p, identity=UNKNOWN)
            if p.identity.label == self.unit and p.position and p.position.y_mm < 780
            else p
            for p in seen.placements
        )
        return replace(seen, placements=shown)


def test_a_chip_that_is_overlooked_now_and_then_was_not_flicked_off_the_board(
    tmp_path: Path,
) -> None:
    made, done = watched(Unsteady, "undead.vampire", tmp_path, 5336, most=6)
    assert compared([move for _, move in made.moves], done.moves) == (6, 0, 0)
    assert done.asked == 2


class Rough(Peculiar):
    """Sees the chips of one unit in their last place no better than by what changed."""

    def __call__(self, frame: Frame) -> Observation:
        seen = super().__call__(frame)
        shown = tuple(
            replace(p, identity=UNKNOWN, position=roughly(p.position))
            if p.identity.label == self.unit and p.position and p.position.y_mm > 815
            else p
            for p in seen.placements
        )
        return replace(seen, placements=shown)


def roughly(position: Position) -> Position:
    """Return a place as if it had hardly been measured."""
    return replace(position, covariance_mm2=(23.04, 0.0, 23.04))


def test_where_a_chip_counts_that_was_hardly_measured_is_asked(tmp_path: Path) -> None:
    """It was said to lie in a sector 13 mm beside it, by the rule for doubt (5373)."""
    made, done = watched(Rough, "undead.wraith", tmp_path, 5373)
    assert compared([move for _, move in made.moves], done.moves) == (12, 0, 0)
    assert done.asked == 2, "which unit, and where"


def test_who_is_asked_about_one_of_two_chips_that_came_to_rest_tells_of_that(
    tmp_path: Path,
) -> None:
    """The other one was told of, and the next move came before the answer (5697)."""
    made, done = watched(Rough, "undead.wraith", tmp_path, 5697, most=7)
    assert compared([move for _, move in made.moves], done.moves) == (7, 0, 0)


def test_a_dark_chip_that_came_to_lie_in_a_dark_swamp_is_asked_about(
    tmp_path: Path,
) -> None:
    """It changed a dozen cells, and nobody could read it: nothing seemed to have come,
    and it was said to have been flicked off the board (Warstones 5768)."""
    made = warstones_round(5768, most=6)
    eyes = shipped_eyes("warstones")
    done = follow(made, tmp_path, see=eyes, seed=5768, reading_s=0.3)
    assert compared([move for _, move in made.moves], done.moves) == (6, 0, 0)


class Homely(Peculiar):
    """Sees the chips of one unit in its Base alone, as if a flick always lost them."""

    def __call__(self, frame: Frame) -> Observation:
        seen = super().__call__(frame)
        kept = tuple(
            p
            for p in seen.placements
            if p.identity.label != self.unit or (p.position and p.position.y_mm < 160)
        )
        return replace(seen, placements=kept)


def gone_off(chip: str, move: str) -> str:
    """Return a move after which a chip lies nowhere."""
    return f"settle {chip}@off" if move.startswith(f"settle {chip}") else move


def test_a_chip_that_left_the_base_for_nowhere_is_asked_about(tmp_path: Path) -> None:
    made = warstones_round(5335, most=7)
    made.moves = [(at_s, gone_off("A:hero-1", move)) for at_s, move in made.moves]
    eyes = Homely(to_mm=made.to_mm)
    eyes.unit = "empire.hero"
    done = follow(made, tmp_path, see=eyes, seed=5335, reading_s=0.3)
    assert done.asked == 1
    assert not done.refused
    assert done.moves[3:6] == [
        "A deploy A:hero-1",
        "settle A:hero-1@off",
        "B deploy B:revenant-1",
    ]


def test_what_a_refused_move_left_lying_is_asked_about(tmp_path: Path) -> None:
    made = warstones_round(5300, most=2)
    eyes = Overlooking(to_mm=made.to_mm)
    eyes.overlooked = "empire.militia"
    made.answer = lambda *_: None  # type: ignore[method-assign]
    done = follow(made, tmp_path, see=eyes, seed=5300, reading_s=0.3)
    assert done.refused == ["B recruit B:zombie-1"]
    (asked,) = (q for q in done.open if q.id == "unexplained:B:zombie-1")
    keep, restore = asked.options
    assert (keep.value, restore.value) == ("keep", "restore")
    moved = GAME.parse_move(str(keep.move))
    assert isinstance(moved, PutBack)
    assert moved.chip == "B:zombie-1"
    assert restore.move is None


@pytest.fixture(scope="module")
def shipped() -> BoardEye:
    eye = shipped_eyes("warstones")
    assert isinstance(eye, BoardEye)
    return eye


@pytest.mark.parametrize(
    ("seed", "most", "at_s"),
    [
        (5300, 4, 8.7),
        (5317, 4, 5.8),  # one chip of little contrast
        (5311, 4, 14.2),  # a pale chip close to a printed line that outweighs its print
        (6005, 4, 14.2),  # a pale chip beside a straight printed line
        (5320, 4, 14.2),  # a pale chip with little print, on dark green
        (5336, 4, 14.2),  # a dark chip on a dark swamp, known by its face
        (5441, 12, 25.3),  # two of three are pale: their rims made the picture blurred
    ],
)
def test_the_shipped_eyes_measure_chips_of_a_rendered_round(
    shipped: See, seed: int, most: int, at_s: float
) -> None:
    seen, places = glanced(shipped, seed, most=most, at_s=at_s)
    lying = Counter(p.identity.label for p in seen.placements)
    assert lying == Counter(label for label, _ in places)
    assert lying
    for label, place in places:
        away = min(
            math.dist((p.position.x_mm, p.position.y_mm), place)
            for p in seen.placements
            if p.identity.label == label and p.position is not None
        )
        assert away < 1.5


def test_a_face_beside_something_straight_is_asked_about(shipped: See) -> None:
    seen, places = glanced(shipped, 5335, most=5, at_s=18.0)
    (hero,) = (place for label, place in places if label == "empire.hero")
    (unread,) = (p for p in seen.placements if p.identity.label is None)
    assert unread.position is not None
    assert math.dist((unread.position.x_mm, unread.position.y_mm), hero) < 1.5
    assert unread.identity.candidates[0][0] == "empire.hero"


def glanced(
    see: See, seed: int, *, most: int, at_s: float
) -> tuple[Observation, list[tuple[str | None, tuple[float, float]]]]:
    """Return what is seen of a round at a time, and what lies there, in mm."""
    made = warstones_round(seed, most=most)
    assert made.to_mm is not None
    shots = frames(made.script, seed, wanted=lambda now_s: now_s >= at_s)
    shot = next(iter(shots))
    seen = see(Frame(FrameId("last"), shot.bgr, datetime.now(UTC), "rendered"))
    truth = shot.truth()
    return seen, [(true.label, made.to_mm(true.quad_px.mean(0))) for true in truth]
