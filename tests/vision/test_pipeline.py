"""The whole of vision, with the networks that ship: demo tables, and empty ones."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from tests.bench.bench_pipeline import table_of_ten
from tests.support.tables import lay, photograph
from vision.evaluate import evaluate
from vision.images import read_image
from vision.pipeline import Pipeline, corners_among, load_pipeline
from vision.quads import quad_overlap
from vision.types import Bgr, Detection, Frame, FrameId, Kind, TableFound

DEMO = Path(__file__).parents[2] / "companion" / "demo"


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return load_pipeline()


def frame_of(bgr: Bgr) -> Frame:
    return Frame(FrameId("test"), bgr, datetime.now(UTC))


@pytest.mark.golden
@pytest.mark.parametrize("name", sorted(p.stem for p in DEMO.glob("*.jpg")))
def test_no_card_of_the_demo_tables_is_misread(pipeline: Pipeline, name: str) -> None:
    truth = json.loads((DEMO / f"{name}.json").read_text())
    observation = pipeline(read_image(DEMO / f"{name}.jpg"))
    named = [p for p in observation.placements if p.identity.label is not None]
    labels = [str(p.identity.label) for p in named]
    assert len(set(labels)) == len(labels)
    assert set(labels) <= set(truth["cards"])
    assert len(labels) >= len(truth["cards"]) - 1  # one may be asked about
    for placement in named:
        (place,) = [
            t for t in truth["placements"] if t["label"] == placement.identity.label
        ]
        overlap = quad_overlap(np.array(placement.quad_px), np.array(place["quad_px"]))
        assert overlap > 0.6
    assert any(p.kind is Kind.BACK for p in observation.placements)


def test_a_jack_that_is_read_for_a_queen_is_unlike_the_queens_there(
    pipeline: Pipeline,
) -> None:
    """Seen by one corner; nine others lie there, of which one is a queen."""
    named = [
        p.identity.label for p in pipeline(frame_of(table_of_ten(1280, 720))).placements
    ]
    sure = {"4c", "8c", "Qc", "3d", "7d", "2h", "6h", "10h", "As"}
    assert sure <= set(named) <= {*sure, "Jd", None}


def test_distances_between_demo_cards_are_millimetres(pipeline: Pipeline) -> None:
    truth = json.loads((DEMO / "regicide-two-players.json").read_text())
    observation = pipeline(read_image(DEMO / "regicide-two-players.jpg"))
    assert isinstance(observation.table, TableFound)
    where = {t["label"]: (t["x_mm"], t["y_mm"]) for t in truth["placements"]}
    placed = {
        str(p.identity.label): p.position
        for p in observation.placements
        if p.identity.label is not None
    }
    for one, other in (("Qs", "8c"), ("Qs", "7d"), ("8c", "4d")):
        a, b = placed[one], placed[other]
        assert a is not None
        assert b is not None
        seen_mm = np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)
        true_mm = np.hypot(*np.subtract(where[one], where[other]))
        assert seen_mm == pytest.approx(true_mm, rel=0.06)


def test_a_small_card_is_not_the_corner_of_a_large_one() -> None:
    """A second ten lay around a ten of a table with large and small cards."""
    small = np.array([[100.0, 100.0], [170, 100], [170, 200], [100, 200]])
    corner = np.array([[104.0, 104.0], [116, 104], [116, 126], [104, 126]])
    found = [
        Detection(Kind.CARD, small, 0.9),
        Detection(Kind.INDEX, small + 4, 0.3),
        Detection(Kind.INDEX, corner, 0.8),
    ]
    (only,) = corners_among(found, [small])
    assert only.quad_px is corner
    assert len(corners_among(found, [])) == 2


@pytest.mark.parametrize("level", [0, 60, 128, 255])
def test_an_empty_table_is_no_error(pipeline: Pipeline, level: int) -> None:
    """F-44, F-28: nothing lies there, and nothing is seen there."""
    observation = pipeline(frame_of(np.full((480, 640, 3), level, np.uint8)))
    assert observation.placements == ()
    assert "nothing_found" in {f.code for f in observation.findings}


@pytest.mark.parametrize("size", [(64, 64), (64, 2000), (33, 4000)])
def test_a_picture_of_odd_shape_is_read(
    pipeline: Pipeline, size: tuple[int, int]
) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (*size, 3)).astype(np.uint8)
    assert pipeline(frame_of(noise)).width_px == size[1]


@pytest.mark.parametrize("turn", range(4))
def test_a_card_is_read_whichever_way_the_picture_is_held(
    pipeline: Pipeline, turn: int
) -> None:
    """F-23: 0, 90, 180 and 270 degrees."""
    bgr, _ = photograph(lay([("7d", 0.0, 0.0, 80.0), ("10c", 110.0, 0.0, 95.0)]))
    observation = pipeline(frame_of(np.ascontiguousarray(np.rot90(bgr, turn))))
    named = {p.identity.label for p in observation.placements}
    assert named - {None} == {"7d", "10c"}


def test_the_same_picture_gives_the_same_observation(pipeline: Pipeline) -> None:
    frame = read_image(DEMO / "regicide-exact-kill.jpg")
    once, again = pipeline(frame), pipeline(frame)
    assert once.placements == again.placements
    assert once.table == again.table


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "recall", "precision"),
    [
        ("cards-poker-table-epfl", 0.95, 0.98),
        ("cards-edje-9toA", 0.75, 0.95),
    ],
)
def test_real_photos_are_read_as_well_as_promised(
    pipeline: Pipeline, shared_data: Path, folder: str, recall: float, precision: float
) -> None:
    report = evaluate(shared_data / folder, lambda path: pipeline(read_image(path)))
    assert report.recall.value >= recall
    assert report.precision.value >= precision
