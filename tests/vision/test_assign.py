"""Linear assignment: against all permutations."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.assign import best_pairs


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_no_other_pairing_costs_less(rows: int, columns: int, seed: int) -> None:
    costs = np.random.default_rng(seed).normal(size=(rows, columns)).round(1)
    pairs = best_pairs(costs)
    assert len(pairs) == min(rows, columns)
    assert pairs == sorted(pairs)
    assert len({column for _, column in pairs}) == len(pairs)
    tall = costs if rows >= columns else costs.T
    least = min(
        sum(tall[row, column] for column, row in enumerate(order))
        for order in permutations(range(tall.shape[0]), tall.shape[1])
    )
    assert sum(costs[pair] for pair in pairs) == pytest.approx(least)
