"""What is told of the table after a change."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import numpy as np

from tests.support.tracks import card, sight
from vision.capture.source import Shot
from vision.showing import Showing
from vision.track import Tracker
from vision.types import Array, FrameId


def covered(share: float, place: Array) -> float:
    """Return which share of a place a hand covers: so much of all."""
    return share


def test_a_hand_that_leaves_as_what_it_laid_is_read_is_told_to_have_left() -> None:
    """In a view of the new card it lay on the draw pile, and no view came after that:
    the game waited for it for ever (Frantic 5221)."""
    showing = Showing("test", datetime(2026, 1, 1, tzinfo=UTC))
    tracker, shot = Tracker(), Shot(np.zeros((720, 1280, 3), np.uint8), 1.0)
    tracker.update([card("Y5", 0, 0)], sight(1.0))
    for hand, seen in ((0.5, ["Y5"]), (0.0, ["Y5", "B6"])):
        has_touched = tracker.touch(partial(covered, hand))
        cards = [card(label, 100.0 * n, 0) for n, label in enumerate(seen)]
        changes = [
            *tracker.update(cards, sight(2.0)),
            *tracker.update(cards, sight(2.1)),
        ]
        has_touched |= tracker.touch(partial(covered, hand))
        views = showing.views(
            shot, FrameId("f"), tracker, changes, has_touched=has_touched
        )
    placements = views[-1].observation.placements
    assert [(p.identity.label, p.touched) for p in placements] == [
        ("Y5", False),
        ("B6", False),
    ]
