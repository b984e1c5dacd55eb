"""The detector's own arithmetic, without its network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.detect import CLASSES, _corners, _decoded, _overlaps, merged, whole_view
from vision.errors import ModelError
from vision.models import read_manifest
from vision.quads import quad_overlap
from vision.types import Detection, Kind

LEAST = dict.fromkeys(CLASSES, 0.25)


def rows_of(
    *boxes: tuple[Kind, float, float, float, float, float, float],
) -> NDArray[np.float32]:
    """Return network output (4 + classes + 1, N) with these boxes and their scores."""
    rows = np.zeros((5 + len(CLASSES), len(boxes)), np.float32)
    for column, (kind, score, x, y, w, h, angle) in enumerate(boxes):
        rows[:4, column] = x, y, w, h
        rows[4 + CLASSES.index(kind), column] = score
        rows[-1, column] = angle
    return rows


def test_the_same_thing_found_by_two_anchors_is_kept_once() -> None:
    rows = rows_of(
        (Kind.CARD, 0.9, 100, 100, 60, 90, 0.3),
        (Kind.CARD, 0.7, 102, 101, 61, 88, 0.31),
        (Kind.CARD, 0.8, 300, 100, 60, 90, 0.3),
        (Kind.INDEX, 0.6, 100, 100, 60, 90, 0.3),
        (Kind.CARD, 0.1, 500, 100, 60, 90, 0.3),
    )
    found = [(kind, round(score, 1)) for kind, _, score in _decoded(rows, LEAST)]
    assert found == [(Kind.CARD, 0.9), (Kind.CARD, 0.8), (Kind.INDEX, 0.6)]


@pytest.mark.parametrize("angle", [0.0, 0.4, 1.2, -0.7])
def test_corners_run_clockwise_and_begin_with_a_short_side(angle: float) -> None:
    for w, h in ((60.0, 90.0), (90.0, 60.0)):
        quad = _corners(np.array([200.0, 150.0, w, h, angle]))
        first, second = quad[1] - quad[0], quad[2] - quad[1]
        assert np.hypot(*first) == pytest.approx(60)
        assert np.hypot(*second) == pytest.approx(90)
        assert first[0] * second[1] - first[1] * second[0] > 0
        assert quad.mean(0) == pytest.approx([200, 150])


def test_overlap_is_one_with_itself_and_falls_with_distance() -> None:
    boxes = np.array(
        [[100.0, 100, 60, 90, 0.2], [115.0, 100, 60, 90, 0.2], [400.0, 100, 60, 90, 0]]
    )
    overlaps = _overlaps(boxes)
    assert np.diag(overlaps) == pytest.approx(1, abs=0.02)
    assert 0.3 < overlaps[0, 1] < 0.9
    assert overlaps[0, 2] < 0.05
    turned = boxes.copy()
    turned[0, 2:4], turned[0, 4] = [90, 60], 0.2 + np.pi / 2
    assert _overlaps(np.array([boxes[0], turned[0]]))[0, 1] > 0.97


def test_what_two_views_show_is_merged() -> None:
    quad = _corners(np.array([200.0, 150.0, 60, 90, 0.1]))
    other = _corners(np.array([600.0, 150.0, 60, 90, 0.1]))
    found = merged(
        [
            Detection(Kind.CARD, quad, 0.6),
            Detection(Kind.CARD, quad + 2.0, 0.9),
            Detection(Kind.BACK, other, 0.5),
        ]
    )
    assert [(d.kind, d.score) for d in found] == [(Kind.CARD, 0.9), (Kind.BACK, 0.5)]
    assert quad_overlap(found[0].quad_px, quad) > 0.85


def test_a_closer_look_at_an_index_counts_more_than_its_score() -> None:
    afar = _corners(np.array([200.0, 150.0, 30, 60, 0.4]))
    near = _corners(np.array([205.0, 150.0, 28, 56, 0.1]))
    alone = _corners(np.array([600.0, 150.0, 30, 60, 0.1]))
    found = merged(
        [Detection(Kind.INDEX, afar, 0.9), Detection(Kind.INDEX, alone, 0.8)],
        [Detection(Kind.INDEX, near, 0.3)],
    )
    assert [d.score for d in found] == [0.8, 0.3]


def test_a_closer_look_at_a_card_competes_by_its_score() -> None:
    quad = _corners(np.array([200.0, 150.0, 60, 90, 0.1]))
    found = merged(
        [Detection(Kind.CARD, quad, 0.9)], [Detection(Kind.CARD, quad + 2.0, 0.3)]
    )
    assert [d.score for d in found] == [0.9]


def test_a_view_of_the_whole_picture_has_the_long_side_asked_for() -> None:
    view = whole_view(np.zeros((720, 1280, 3), np.uint8), 640)
    assert (view.width_px, view.height_px, view.scale) == (1280, 720, 0.5)


class TestManifest:
    """R12: an unknown file is refused."""

    def test_a_missing_model_says_so(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="there is no model 'gone'"):
            read_manifest(tmp_path / "gone")

    def test_a_file_that_was_changed_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "a.onnx").write_bytes(b"other")
        (tmp_path / "manifest.toml").write_text('weights = "a.onnx"\nsha256 = "00"\n')
        with pytest.raises(ModelError, match="is not the file that its manifest"):
            read_manifest(tmp_path).verified_weights()

    def test_a_manifest_without_its_keys_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "manifest.toml").write_text('weights = "a.onnx"\n')
        with pytest.raises(ModelError, match="not sound"):
            read_manifest(tmp_path)

    def test_a_threshold_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "manifest.toml").write_text('weights = "a"\nsha256 = "b"\n')
        with pytest.raises(ModelError, match="lacks threshold 'min_score'"):
            read_manifest(tmp_path).threshold("min_score")
