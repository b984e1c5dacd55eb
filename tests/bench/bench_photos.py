"""Accuracy on real photos, none of which was trained on; one row per set and measure.

    python tests/bench/bench_photos.py --data ../shared/data --csv FILE
    python tests/bench/bench_photos.py --data ../shared/data --change grey mirrored ...

Cards are counted as distinct names per photo; intervals are 95 % (Wilson). With
`--change` each photo is first changed as other cameras, or other hands, would have
taken it; `all` stands for all changes.
"""

from __future__ import annotations

import argparse
import csv
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from companion.sight import Sight
from tests.support.photo_changes import CHANGES, read_changed
from vision.evaluate import evaluate

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
    parser.add_argument("--change", nargs="+", default=["none"])
    options = parser.parse_args()
    changes = list(CHANGES) if options.change == ["all"] else options.change
    sight = Sight()
    rows: list[dict[str, str | int | float]] = []
    for change in changes:
        for name in SETS:
            read = partial(read_changed, sight, change)
            report = evaluate(options.data / name, read)
            print(f"{name}, {change}: recall {report.recall}")
            print(f"    precision {report.precision}, exact photos {report.exact}")
            told = {} if changes == ["none"] else {"change": change}
            rows += [
                {**told, **record, "set": name}
                for record in report.records()
                if record["measure"] in MEASURES
            ]
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
