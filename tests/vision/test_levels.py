"""Quantiles of grey levels, against NumPy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.levels import planes, quantile


@given(
    levels=st.lists(st.integers(0, 255), min_size=1, max_size=40),
    share=st.floats(0, 1),
)
def test_a_quantile_of_grey_levels_is_that_of_numpy(
    levels: list[int], share: float
) -> None:
    counted = quantile(np.array(levels, np.uint8), share)
    assert counted == pytest.approx(float(np.quantile(levels, share)))


def test_planes_are_the_channels_in_the_order_asked_for() -> None:
    pictures = np.random.default_rng(1).integers(0, 256, (3, 5, 4, 3), np.uint8)
    rgb = planes(pictures, (2, 1, 0))
    assert rgb.shape == (3, 3, 5, 4)
    assert rgb.dtype == np.float32
    for number, picture in enumerate(pictures):
        for plane, channel in enumerate((2, 1, 0)):
            share = picture[..., channel] / np.float32(255)
            assert np.array_equal(rgb[number, plane], share)
