"""Which goes with which, at the least cost over all: linear assignment."""

from __future__ import annotations

import numpy as np
from lap import lapjv

from vision.types import Array


def best_pairs(costs: Array) -> list[tuple[int, int]]:
    """Return (row, column) pairs, by row, whose costs have the smallest sum.

    As many as the shorter side of the (N, M) matrix has; each row and each column is in
    one pair at most (Jonker and Volgenant 1987).
    """
    if not costs.size:
        return []
    columns = lapjv(
        np.ascontiguousarray(costs, float), extend_cost=True, return_cost=False
    )[0]
    return [(row, int(column)) for row, column in enumerate(columns) if column >= 0]
