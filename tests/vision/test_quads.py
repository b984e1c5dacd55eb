"""What quads share, against shapely; nearly coincident ones above all."""

import numpy as np
import pytest
import shapely
from hypothesis import example, given
from hypothesis import strategies as st

from vision.quads import common_px, common_px2, quad_overlap
from vision.types import Array

SQUARE = np.array([(-0.5, -0.7), (0.5, -0.7), (0.5, 0.7), (-0.5, 0.7)])
FOUND = (
    [
        (639.50006104, 397.29556274),
        (756.95294189, 397.29544067),
        (756.71386719, 561.53704834),
        (639.50006104, 561.53717041),
    ],
    [
        (639.5, 397.29542838),
        (756.95302678, 397.29542838),
        (756.7138836, 561.53719694),
        (639.5, 561.53719694),
    ],
)
"""A card as it was laid out and where it lay; OpenCV found nothing in common."""

offsets = st.lists(
    st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=4, max_size=4
).map(np.array)


@st.composite
def quads(draw: st.DrawFn) -> Array:
    """A card seen slantwise, anywhere in a picture, told either way round."""
    turn = draw(st.floats(-np.pi, np.pi))
    cos, sin = np.cos(turn), np.sin(turn)
    turned = np.array([[cos, -sin], [sin, cos]])
    quad = (SQUARE + draw(offsets) * 0.1) @ turned
    size, middle = draw(st.floats(5, 300)), draw(st.tuples(*[st.floats(0, 2000)] * 2))
    placed = np.array(quad * size + middle, float)
    return placed[::-1] if draw(st.booleans()) else placed


@given(one=quads(), other=quads())
def test_what_two_quads_share_is_what_shapely_finds(one: Array, other: Array) -> None:
    other = other - other.mean(0) + one.mean(0) + 3
    common = shapely.Polygon(one).intersection(shapely.Polygon(other))
    assert common_px2(one, other) == pytest.approx(common.area, rel=1e-6, abs=1e-6)
    outline = common_px(one, other)
    assert outline is None or shapely.Polygon(outline).area == pytest.approx(
        common.area, rel=1e-6, abs=1e-6
    )


@given(
    one=quads(),
    by=offsets,
    scale=st.sampled_from((0.0, 1e-6, 1e-5, 1e-4, 1e-3)),
    turn=st.integers(0, 3),
)
def test_a_quad_and_nearly_the_same_one_share_nearly_all(
    one: Array, by: Array, scale: float, turn: int
) -> None:
    assert quad_overlap(one, np.roll(one + by * scale, turn, axis=0)) > 0.99


def test_outlines_a_ten_thousandth_px_apart_share_nearly_all() -> None:
    one, other = np.array(FOUND[0]), np.array(FOUND[1])
    assert quad_overlap(one, other) > 0.9999
    assert quad_overlap(other, one) > 0.9999


@given(one=quads(), away=st.sampled_from(((1, 0), (-1, 0), (0, 1), (-1, -1))))
@example(one=SQUARE * 100, away=(1, 0))
def test_quads_apart_share_nothing(one: Array, away: tuple[int, int]) -> None:
    other = one + (np.ptp(one, axis=0) + 1) * away
    assert common_px2(one, other) == 0
    assert common_px(one, other) is None


def test_of_a_quad_that_crosses_itself_the_hull_counts() -> None:
    crossed = SQUARE[[0, 2, 1, 3]] * 100
    assert common_px2(crossed, SQUARE * 100) == pytest.approx(14_000)
