"""A card that was overlooked in a row of others is looked for at its place."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from tests.support.eyes import TrueEyes
from tests.support.following import pictures
from tests.support.rounds import frenzy_round
from tests.support.tracks import quad
from vision.capture.source import Shot
from vision.geometry import TableMap
from vision.live import LiveEye
from vision.rows import in_rows_px
from vision.scene.video import frames
from vision.types import Array, Frame, Observation, Placement
from vision.views import Pace, View


@dataclass
class Overlooks(TrueEyes):
    """Eyes that overlook one card of a row, unless they look at it alone."""

    label: str = ""
    is_alone: bool = False

    def __call__(self, frame: Frame) -> Observation:
        """Return what the frame says without that card."""
        seen = super().__call__(frame)
        shown = [p for p in seen.placements if p.identity.label != self.label]
        return seen if self.is_alone else replace(seen, placements=tuple(shown))

    def alone(
        self, frame: Frame, outline_px: Array, table: TableMap | None = None
    ) -> Placement | None:
        """Return the card in an outline."""
        self.is_alone = True
        found = super().alone(frame, outline_px, table)
        self.is_alone = False
        return found


@pytest.mark.parametrize("label", ["F1o", "F2b", "F3b"])
def test_a_card_that_was_overlooked_in_a_row_is_found(label: str) -> None:
    """Frenzy 5296 had no row: of its middle card the detector saw nothing, and so
    nothing was followed."""
    made = frenzy_round(5296, most=3)
    eyes = Overlooks(label=label)
    eye = LiveEye(eyes, Pace(settle_s=0.08, at_once=True))
    views: list[View] = []
    for picture in pictures(frames(made.script, 5296, wanted=lambda at_s: at_s < 0.6)):
        eyes.show(picture.bgr, picture.truth)
        views += eye.look(Shot(picture.bgr, picture.at_s)).views
    names = {p.identity.label for p in views[-1].observation.placements}
    assert names == {"F1o", "F2b", "F3b"}


def test_a_row_goes_on_between_two_cards_and_beside_them() -> None:
    near, far = quad(300, 300), quad(500, 300)
    between, after, before = in_rows_px([near, far], 1280, 720)
    assert between.mean(axis=0) == pytest.approx([430, 342])
    assert after.mean(axis=0) == pytest.approx([730, 342])
    assert before.mean(axis=0) == pytest.approx([130, 342])


def test_no_row_is_made_of_what_lies_askew_or_far_apart_or_leaves_no_room() -> None:
    card = quad(300, 300)
    askew = quad(500, 300) + np.array([[0, 0], [0, 30], [0, 30], [0, 0]])
    assert in_rows_px([card, askew], 1280, 720) == []
    assert in_rows_px([card, quad(900, 300)], 1280, 720) == []
    assert in_rows_px([quad(10, 300), quad(100, 300)], 180, 720) == []
