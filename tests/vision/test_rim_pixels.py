"""Pixels across a rim are gathered in bins: fine ones where edges lie."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision.rim_pixels import BIN_PX, FAR_BIN_PX, NEAR_PX, bins_of

anywhere = given(st.floats(1.0, 20.0), st.floats(0.0, 12.0))


def across(reach_px: float, side_px: float) -> NDArray[np.float32]:
    """Return distances from the inside of a rim to the outside of its side."""
    return np.linspace(-reach_px, reach_px + side_px, 2000, dtype=np.float32)


@anywhere
def test_bins_follow_each_other_from_the_inside_to_the_outside(
    reach_px: float, side_px: float
) -> None:
    at = across(reach_px, side_px)
    number, count = bins_of(at, reach_px, side_px)
    assert number[0] == 0
    assert (np.diff(number) >= 0).all()
    assert number.max() < count


@anywhere
def test_what_lies_in_one_bin_is_as_near_as_that(
    reach_px: float, side_px: float
) -> None:
    at = across(reach_px, side_px)
    number, _ = bins_of(at, reach_px, side_px)
    is_near = (at > -NEAR_PX + BIN_PX) & (at < side_px + NEAR_PX - BIN_PX)
    for one in np.unique(number):
        mine = number == one
        widest = BIN_PX if (mine & is_near).any() else FAR_BIN_PX
        # The outermost bin takes in what rounding leaves over.
        assert np.ptp(at[mine]) <= widest + 1e-3 or one == number.max()


def test_edges_are_told_by_finer_bins_than_levels() -> None:
    at = np.array([-0.5 * BIN_PX, 0.5 * BIN_PX, 7.9 - BIN_PX, 7.9], np.float32)
    number, count = bins_of(at, 8.0, 0.0)
    assert number[0] < number[1]
    assert number[2] == number[3]
    assert count < 2 * 8.0 / BIN_PX
