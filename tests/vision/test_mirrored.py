"""A picture in which left and right are swapped is known, and never read as it is."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from tests.support.tables import lay, photograph
from vision.images import read_image
from vision.mirrored import says_mirrored, swapped_back
from vision.pipeline import Pipeline, load_pipeline
from vision.types import Frame, FrameId

DEMO = Path(__file__).parents[2] / "companion" / "demo"


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return load_pipeline()


@pytest.mark.parametrize("name", sorted(p.stem for p in DEMO.glob("*.jpg")))
def test_a_mirrored_table_is_known_and_nothing_on_it_is_named(
    pipeline: Pipeline, name: str
) -> None:
    frame = read_image(DEMO / f"{name}.jpg")
    cards = json.loads((DEMO / f"{name}.json").read_text())["cards"]
    assert not says_mirrored(pipeline(frame).findings)
    observation = pipeline(swapped_back(frame))
    assert says_mirrored(observation.findings)
    assert {p.identity.label for p in observation.placements} == {None}
    assert len(observation.placements) >= len(cards) - 1


def test_cards_that_look_the_same_in_a_mirror_are_read_in_it(
    pipeline: Pipeline,
) -> None:
    """An ace and an eight say nothing of a mirror: nothing of them is changed by it."""
    bgr, _ = photograph(lay([("Ah", -60.0, 0.0, 90.0), ("8d", 60.0, 0.0, 90.0)]))
    frame = Frame(FrameId("test"), bgr, datetime.now(UTC))
    for one in (frame, swapped_back(frame)):
        observation = pipeline(one)
        assert not says_mirrored(observation.findings)
        labels = {p.identity.label for p in observation.placements}
        assert labels <= {"Ah", "8d", None}


def test_what_was_swapped_twice_is_as_it_was() -> None:
    bgr = np.random.default_rng(1).integers(0, 255, (6, 9, 3)).astype(np.uint8)
    frame = Frame(FrameId("test"), bgr, datetime.now(UTC))
    assert (swapped_back(swapped_back(frame)).bgr == bgr).all()
    assert (swapped_back(frame).bgr[:, 0] == bgr[:, -1]).all()
