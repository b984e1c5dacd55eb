"""Accuracy on real photos, none of which was trained on; one row per set and measure.

    python tests/bench/bench_photos.py --data ../shared/data --csv FILE

Cards are counted as distinct names per photo; intervals are 95 % (Wilson).
"""

from __future__ import annotations

import argparse
import csv
from functools import partial
from pathlib import Path

from vision.evaluate import evaluate
from vision.images import read_image
from vision.pipeline import Pipeline, load_pipeline
from vision.types import Observation

SETS = (
    "cards-singles-ee326",
    "cards-poker-table-epfl",
    "cards-schnapsen-german",
    "cards-edje-9toA",
    "cards-bridge-bidly",
)
MEASURES = frozenset({"recall", "precision", "exact photos"})


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    read = partial(_read, load_pipeline())
    rows: list[dict[str, str | int | float]] = []
    for name in SETS:
        report = evaluate(options.data / name, read)
        print(f"{name}: recall {report.recall}")
        print(f"    precision {report.precision}, exact photos {report.exact}")
        rows += [
            {**record, "set": name}
            for record in report.records()
            if record["measure"] in MEASURES
        ]
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def _read(pipeline: Pipeline, path: Path) -> Observation:
    return pipeline(read_image(path))


if __name__ == "__main__":
    main()
