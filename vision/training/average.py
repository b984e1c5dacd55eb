"""The mean of two trained networks of one shape, weight by weight.

    python -m vision.training.average RUN10/reader.onnx RUN11/reader.onnx reader.onnx

Runs that go on from each other lie in one valley of the loss: their mean is no worse
than either, and has less of what each learnt by chance (Wortsman et al. 2022).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper


def average(one: Path, other: Path, out: Path) -> None:
    """Write the mean of two ONNX files. Raises `ValueError` if their weights have other
    names or shapes."""
    model = onnx.load(one)
    added = {array.name: array for array in onnx.load(other).graph.initializer}
    if {array.name for array in model.graph.initializer} != added.keys():
        raise ValueError(f"{one} and {other} are different networks")
    for array in model.graph.initializer:
        mine = numpy_helper.to_array(array)
        yours = numpy_helper.to_array(added[array.name])
        if mine.shape != yours.shape:
            raise ValueError(f"{array.name} has another shape in {other}")
        if np.issubdtype(mine.dtype, np.floating):
            mean = np.asarray((mine + yours) / 2, mine.dtype)
            array.CopyFrom(numpy_helper.from_array(mean, array.name))
    onnx.save(model, out)


def main(arguments: Sequence[str] | None = None) -> None:
    """Average; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("one", "other", "out"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args(arguments)
    average(options.one, options.other, options.out)


if __name__ == "__main__":
    main()
