"""A board as one photo shows it: chips in mm and by name, and what allows no ruling."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.support.warboard import (
    ARMY,
    BOUNDS_MM,
    CHIP_MM,
    SENSOR,
    SIZE_MM,
    THICK_MM,
    Shot,
    camera_over,
    chip,
    face,
    marker_board,
    mat_picture,
    shot,
    unit_labels,
    write_png,
)
from vision.board import BoardKit, BoardLook, BoardMat, look
from vision.chips import enrol_chips
from vision.errors import GeometryError, MatError
from vision.find_mat import find_corners
from vision.geometry import Camera, TableMap
from vision.locate_mat import MatReference, register_mat
from vision.mat_store import (
    FACTS,
    FEATURES,
    PICTURE,
    WORLD,
    MatFacts,
    load_mat,
    save_mat,
    straightened,
)
from vision.overlay.board import MatLine, draw_board
from vision.overlay.closeup import CloseUp
from vision.rim import DiscSize
from vision.scene.boards import Board, render_board
from vision.scene.solids import Lamp, SceneBlock, SceneDisc
from vision.types import (
    Array,
    Bgr,
    Frame,
    FrameId,
    Placement,
    TableFound,
    TableNotFound,
)

CITY = chip("city.central-1", 455.0, 452.0, diameter_mm=30.0)
STRANGER = chip("stranger", 640.0, 180.0)
CORNERS_MM = np.array([[0, 0], [SIZE_MM, 0], [SIZE_MM, SIZE_MM], [0, SIZE_MM]])


@cache
def reference() -> MatReference:
    return register_mat(mat_picture(), BOUNDS_MM)


@cache
def photo() -> Shot:
    return shot([*ARMY, CITY, STRANGER])


@cache
def kit() -> BoardKit:
    return BoardKit(
        DiscSize(CHIP_MM, THICK_MM, 0.05, 0.05),
        enrol_chips({label: [face(label)] for label in unit_labels()}),
        DiscSize(30.0, THICK_MM),
        enrol_chips({label: [face(label)] for label in ("city.central-1", "city.x")}),
    )


def mat(*, markers: bool = False) -> BoardMat:
    board = marker_board() if markers else None
    spots = ((170.0, 450.0), (450.0, 450.0), (730.0, 450.0))
    return BoardMat(BOUNDS_MM, reference(), board, spots, 30.0)


def seen(bgr: Bgr, on: BoardMat | None = None, taps: Array | None = None) -> BoardLook:
    frame = Frame(FrameId("f"), bgr, datetime(2026, 11, 28, tzinfo=UTC))
    camera = Camera.guess(bgr.shape[1], bgr.shape[0])
    return look(frame, on or mat(), kit(), camera, taps_px=taps)


@cache
def good() -> BoardLook:
    return seen(photo().bgr)


def test_every_chip_is_named_and_lies_where_it_is_said_to() -> None:
    observation = good().observation
    named = {one.identity.label: one for one in observation.placements}
    assert {disc.label for disc in ARMY} <= named.keys()
    for disc in ARMY:
        assert disc.label is not None
        position = named[disc.label].position
        assert position is not None
        off = math.dist((position.x_mm, position.y_mm), (disc.x_mm, disc.y_mm))
        assert off < max(1.0, 4 * position.sigma_mm), disc.label
        turn = (position.angle_deg - disc.angle_deg + 180) % 360 - 180
        assert abs(turn) < 8, disc.label


def test_the_residual_is_always_shown() -> None:
    found = good().observation.table
    assert isinstance(found, TableFound)
    assert 0 < found.residual_mm < 1
    assert isinstance(good().table, TableMap)


def test_a_token_is_read_where_tokens_lie_and_is_no_chip() -> None:
    near = [
        one
        for one in good().observation.placements
        if one.position is not None
        and math.dist((one.position.x_mm, one.position.y_mm), (455, 452)) < 25
    ]
    assert [(one.id, one.identity.label) for one in near] == [("t1", "city.central-1")]


def test_a_chip_that_nobody_enrolled_has_no_name_but_is_asked_about() -> None:
    unnamed = [
        one for one in good().observation.placements if one.identity.label is None
    ]
    assert len(unnamed) == 1
    position = unnamed[0].position
    assert position is not None
    assert math.dist((position.x_mm, position.y_mm), (640, 180)) < 8


def test_chips_are_numbered_from_the_far_edge() -> None:
    chips = [one for one in good().observation.placements if one.id.startswith("c")]
    assert [one.id for one in chips] == [f"c{n}" for n in range(1, len(chips) + 1)]
    depths = [one.position.y_mm for one in chips if one.position is not None]
    assert depths == sorted(depths, reverse=True) or max(np.diff(depths)) < 1


def test_the_picture_may_lie_on_its_head() -> None:
    """EXIF apart: a photo taken from the far side is the same table."""
    turned = seen(np.ascontiguousarray(photo().bgr[::-1, ::-1]))
    there = {one.identity.label: one.position for one in turned.observation.placements}
    for disc in ARMY[:3]:
        position = there[disc.label]
        assert position is not None
        assert math.dist((position.x_mm, position.y_mm), (disc.x_mm, disc.y_mm)) < 2


def test_four_taps_do_as_well() -> None:
    off = np.array([[0.6, -0.4], [0, 0.5], [-0.5, 0], [0, 0]])
    taps = photo().table.to_image(CORNERS_MM) + off
    found = seen(photo().bgr, BoardMat(BOUNDS_MM), taps).table
    assert isinstance(found, TableMap)
    at = np.array([[450.0, 450.0]])
    assert found.to_table(photo().table.to_image(at)) == pytest.approx(at, abs=3)


def test_a_bumped_camera_is_noticed_by_the_chips_and_nothing_is_ruled() -> None:
    """F-54, F-55: chips are rigid and of known size. Corners tapped before the camera
    sank make all of them too large; tapped again, they fit."""
    high = photo().table
    low = replace(high, translation_mm=high.translation_mm - np.array([0, 0, 60.0]))
    picture = shot([*ARMY, CITY, STRANGER], table=low).bgr
    found = seen(picture, BoardMat(BOUNDS_MM), high.to_image(CORNERS_MM))
    assert found.table == TableNotFound("other_size")
    assert not found.observation.placements
    again = seen(picture, BoardMat(BOUNDS_MM), low.to_image(CORNERS_MM))
    assert isinstance(again.table, TableMap)
    assert len(again.observation.placements) >= len(ARMY)


def mirrored(bgr: Bgr) -> Bgr:
    return np.ascontiguousarray(bgr[:, ::-1])


def half(bgr: Bgr) -> Bgr:
    return np.ascontiguousarray(bgr[:, : bgr.shape[1] // 2])


def shaken(bgr: Bgr) -> Bgr:
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), 7.0), np.uint8)


def tiny(bgr: Bgr) -> Bgr:
    small = cv2.resize(bgr, (320, 240), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def no_mat(bgr: Bgr) -> Bgr:
    return np.asarray(cv2.blur(np.full_like(bgr, 110), (3, 3)), np.uint8)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (mirrored, "mirrored"),
        (half, "cut_off"),
        (shaken, "blurred"),
        (tiny, "too_small"),
        (no_mat, "mat_not_seen"),
    ],
)
def test_a_picture_that_allows_no_ruling_says_why(
    spoil: Callable[[Bgr], Bgr], reason: str
) -> None:
    refused = seen(spoil(photo().bgr))
    assert refused.table == TableNotFound(reason)
    assert refused.observation.placements == ()
    assert refused.observation.table == TableNotFound(reason)


def test_another_mat_is_not_taken_for_this_one() -> None:
    elsewhere = camera_over(15, size_px=(800, 600))
    other = shot([], table=elsewhere, mat=mat_picture(seed=9))
    assert seen(other.bgr).table == TableNotFound("mat_not_seen")


def test_markers_are_enough_and_the_mat_must_be_the_right_one() -> None:
    table = camera_over(20, size_px=(800, 600))
    plain = mat_picture(markers=True, crowded=False)
    taken = shot([], table=table, mat=plain)
    on = BoardMat(BOUNDS_MM, None, marker_board())
    found = seen(taken.bgr, on).table
    assert isinstance(found, TableMap)
    assert found.references == 4
    lines_only = register_mat(np.full_like(plain, 127), BOUNDS_MM)
    wrong = BoardMat(BOUNDS_MM, lines_only, marker_board())
    assert seen(taken.bgr, wrong).table == TableNotFound("mat_not_seen")


@pytest.mark.parametrize(("factor", "is_found"), [(1.0, True), (1.07, False)])
def test_a_calibrated_camera_must_be_the_one_that_took_the_picture(
    factor: float, is_found: bool
) -> None:
    """The map is held to a known lens: what does not fit would bend it, and chips
    would lie elsewhere with no more doubt."""
    table = camera_over(30, size_px=(960, 720))
    taken = shot([], table=table, mat=mat_picture(markers=True))
    known = replace(table.camera.scaled_focal(factor), focal_sigma=0.0004)
    frame = Frame(FrameId("f"), taken.bgr, datetime(2026, 11, 28, tzinfo=UTC))
    for markers in (True, False):
        found = look(frame, mat(markers=markers), kit(), known).table
        assert isinstance(found, TableMap) == is_found
        if isinstance(found, TableNotFound):
            assert found.reason in ("another_lens", "inconsistent")


def test_where_the_lens_is_not_known_that_is_said() -> None:
    """A photo of a screen contradicts nothing then."""
    codes = [finding.code for finding in good().observation.findings]
    assert "lens_unknown" in codes
    known = replace(photo().table.camera, focal_sigma=0.05)
    frame = Frame(FrameId("f"), photo().bgr, datetime(2026, 11, 28, tzinfo=UTC))
    findings = look(frame, mat(), kit(), known).observation.findings
    assert "lens_unknown" not in [finding.code for finding in findings]


def test_a_chip_under_a_hand_on_another_or_half_off_is_never_wrongly_sure() -> None:
    """What is hidden is asked about, and so is the chip that lies on it: its height,
    and with it its place, are not known."""
    under, over = chip("empire.soldier", 200.0, 250.0), chip("undead.zombie", 214, 262)
    over = replace(over, base_mm=THICK_MM)
    by_fortress = chip("undead.lich", 488.3, 452.0)
    half_off, held = chip("empire.militia", 899.0, 300.0), chip("empire.hero", 450, 300)
    hand = np.array([[455.0, 230], [520, 230], [520, 340], [455, 330]])
    discs = [under, over, by_fortress, half_off, held]
    board = Board(
        camera_over(25, size_px=(1600, 1200)),
        mat_picture(),
        BOUNDS_MM,
        discs,
        (SceneBlock(450.0, 452.0, 44.0, 44.0, 30.0, 0.0, (90.0, 100.0, 120.0)),),
        (Lamp((0.6, -0.3), 0.35, 0.1), Lamp((-0.5, 0.2), 0.2, 0.1)),
        hands_mm=(hand,),
        sensor=SENSOR,
    )
    picture, _ = render_board(board, np.random.default_rng(1))
    placements = seen(picture).observation.placements
    assert len(placements) == len(discs)
    for disc in discs:
        near = [one for one in placements if away_mm(one, disc) < 3]
        assert len(near) == 1, disc.label
        (position,) = [one.position for one in near if one.position is not None]
        assert away_mm(near[0], disc) < max(0.3, 3 * position.sigma_mm)
        assert near[0].identity.label in (disc.label, None)
    sure = {one.identity.label for one in placements}
    assert sure >= {"undead.lich", "empire.militia"}
    assert "undead.zombie" not in sure


def away_mm(placement: Placement, disc: SceneDisc) -> float:
    assert placement.position is not None
    at = placement.position.x_mm, placement.position.y_mm
    return math.dist(at, (disc.x_mm, disc.y_mm))


# A mat from one photo ----------------------------------------------------------------


def test_a_mat_is_straightened_and_kept(tmp_path: Path) -> None:
    table = camera_over(25, size_px=(1000, 750))
    taken = shot([], table=table)
    corners = find_corners(taken.bgr)
    assert corners is not None
    assert corners == pytest.approx(table.to_image(CORNERS_MM), abs=2.5)
    flat = straightened(taken.bgr, corners, (SIZE_MM, SIZE_MM), table.camera)
    own = cv2.resize(mat_picture(), (flat.shape[1], flat.shape[0]))
    soft = [cv2.GaussianBlur(p, (0, 0), 6).astype(float) for p in (flat, own)]
    likeness = np.corrcoef(soft[0].ravel(), soft[1].ravel())[0, 1]
    assert likeness > 0.9
    facts = MatFacts(BOUNDS_MM, ((26.0, 26.0, 874.0, 874.0), 36.0))
    made = save_mat(tmp_path / "mat", flat, facts)
    kept, again = load_mat(tmp_path / "mat")
    assert again == facts
    assert np.array_equal(kept.gray, made.gray)
    assert kept.descriptors == pytest.approx(made.descriptors, abs=0.51)
    assert len((tmp_path / "mat" / WORLD).read_text().split()) == 6
    write_png(tmp_path / "mat" / PICTURE, flat[::-1])
    anew, _ = load_mat(tmp_path / "mat")
    assert not np.array_equal(anew.gray, made.gray)
    (tmp_path / "mat" / FEATURES).unlink()
    assert len(load_mat(tmp_path / "mat")[0].keypoints_px) > 100


def test_corners_the_wrong_way_round_are_refused() -> None:
    square = np.array([[10.0, 90], [90, 90], [90, 10], [10, 10]])
    picture = np.zeros((100, 100, 3), np.uint8)
    camera = Camera.guess(100, 100)
    with pytest.raises(GeometryError):
        straightened(picture, square[::-1], (100.0, 100.0), camera)
    assert straightened(picture, square, (100.0, 50.0), camera).shape == (900, 1800, 3)


def test_a_mat_without_anything_on_it_is_refused(tmp_path: Path) -> None:
    blank = np.full((400, 400, 3), 200, np.uint8)
    with pytest.raises(MatError) as caught:
        save_mat(tmp_path / "blank", blank, MatFacts(BOUNDS_MM))
    assert caught.value.code == "plain"
    assert find_corners(np.full((300, 400, 3), 90, np.uint8)) is None


@pytest.mark.parametrize(
    "text", ["", "bounds_mm = [0, 0, 900]", "bounds_mm = [9, 0, 0, 9]", "bounds_mm = 3"]
)
def test_facts_that_are_none_are_told(tmp_path: Path, text: str) -> None:
    (tmp_path / FACTS).write_text(text)
    with pytest.raises(MatError) as caught:
        load_mat(tmp_path)
    assert caught.value.code == "facts"
    with pytest.raises(MatError):
        load_mat(tmp_path / "nowhere")


# The overlay -------------------------------------------------------------------------


def test_the_overlay_shows_rims_lines_and_close_ups() -> None:
    table = good().table
    assert isinstance(table, TableMap)
    observation = good().observation
    first = observation.placements[0]
    assert first.position is not None
    ring = np.array([[310.0, 110], [590, 110], [590, 350], [310, 350]])
    close = CloseUp(first.position, CHIP_MM, THICK_MM, ring, 0.2, ("c1", "words " * 30))
    frame = Frame(FrameId("f"), photo().bgr, datetime(2026, 11, 28, tzinfo=UTC))
    heights = {one.id: THICK_MM for one in observation.placements}
    drawn = draw_board(
        frame,
        observation,
        table,
        [MatLine(ring), MatLine(ring + 40, is_terrain=True)],
        heights_mm=heights,
        labels={first.id: "lich"},
        doubtful=[first.id],
        closeups=[close] * 2,
        long_side_px=900,
    )
    assert drawn.shape[0] == round(900 * 960 / 1280)
    assert drawn.shape[1] > 900
    x, y = table.to_image([[450.0, 110.0]])[0] * 900 / 1280
    around = drawn[round(y) - 2 : round(y) + 3, round(x)]
    assert around.max() > 200
