"""Names on real photos of cards with art of their own, none of which was trained on.

    python tests/bench/bench_custom_photos.py --data ../shared/data --csv FILE
    python tests/bench/bench_custom_photos.py --data ../shared/data --change grey blur
    python tests/bench/bench_custom_photos.py --data ../shared/data --half

Each set is enrolled from the references beside it, one picture of a face (`--every`:
all there are), and its photos are read by what ships. The same crops, with the corners
that it found, are then named by perceptual hash, ORB and SIFT, which always give a
name. Cards are counted as distinct names per photo; intervals are 95 % (Wilson).
With `--change` (`all`: all of them) each photo, not its references, is first changed as
other cameras, or other hands, would have taken it; then only Arbitro reads. With
`--half` each deck is enrolled by halves, every second face, and all photos are read
with each half: recall is of cards that were enrolled, and a name that is given to
another card, however alike, is wrong.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from companion.sight import Seen, Sight, sight_of
from tests.support.naming_baselines import Name, features, phash
from tests.support.photo_changes import CHANGES, read_changed
from vision.evaluate import evaluate
from vision.gallery import Gallery
from vision.images import read_image
from vision.reference_photos import reference_gallery
from vision.types import Identity, Kind, Observation, Placement

SETS = (
    "custom-mtg-hj3yoo",
    "custom-mtg-webcam-trifecta",
    "custom-uno-hemant",
    "custom-set-tomwhite",
)
ENROLLED_FROM = frozenset({"test26.jpg"})
"""Photos that references were cut from: not counted."""
MEASURES = frozenset({"recall", "precision", "exact photos"})
Look = Callable[[Path], Observation]


def main() -> None:
    """Run; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", help=", ".join(SETS))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--change", nargs="+", default=["none"])
    options = parser.parse_args()
    changes = list(CHANGES) if options.change == ["all"] else options.change
    rows: list[dict[str, str | int | float]] = []
    for name in options.sets or SETS:
        gallery = reference_gallery(options.data / name)
        assert gallery is not None, f"no references beside {name}"
        if not options.every:
            one = (replace(face, pictures=face.pictures[:1]) for face in gallery.faces)
            gallery = replace(gallery, faces=tuple(one))
        for enrolled, told, look in enrolments(gallery, changes, half=options.half):
            known = frozenset(face.label for face in enrolled.faces)
            report = evaluate(options.data / name, look, known=known)
            kept = [row for row in report.rows if row.image not in ENROLLED_FROM]
            report = replace(report, rows=tuple(kept))
            way = ", ".join(told.values())
            print(f"{name}, {len(known)} faces, {way}: recall {report.recall}")
            asked = sum(row.unread for row in report.rows)
            print(f"    precision {report.precision}, exact {report.exact}, ", end="")
            print(f"asked about {asked} in {len(report.rows)} photos", flush=True)
            for row in report.rows:
                if row.false:
                    print(f"    wrong in {row.image}: {', '.join(row.false)}")
            rows += [
                {**told, **record, "set": name}
                for record in report.records()
                if record["measure"] in MEASURES
            ]
    if options.csv:
        with options.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def enrolments(
    gallery: Gallery, changes: Sequence[str], *, half: bool
) -> Iterator[tuple[Gallery, dict[str, str], Look]]:
    """Yield the deck as it is enrolled, what to say of each way to read the photos, and
    the way; by halves, every second face first."""
    if not half:
        yield from ((gallery, *way) for way in ways(gallery, changes))
        return
    for number, which in enumerate(("odd", "even")):
        part = replace(gallery, faces=gallery.faces[number::2])
        sight = sight_of([part])
        for change in changes:
            told = {"faces": which, "change": change}
            yield part, told, partial(read_changed, sight, change)


def ways(
    gallery: Gallery, changes: Sequence[str]
) -> Iterator[tuple[dict[str, str], Look]]:
    """Yield what to say of each way to read the photos, and the way."""
    sight = sight_of([gallery])
    if changes == ["none"]:
        yield from (({"how": how}, look) for how, look in looks(sight, gallery).items())
    else:
        for change in changes:
            yield {"change": change}, partial(read_changed, sight, change)


def looks(sight: Sight, gallery: Gallery) -> Mapping[str, Look]:
    """Return the ways to read a photo as it is, by their names."""
    seen: dict[Path, Seen] = {}

    def arbitro(path: Path) -> Observation:
        if path not in seen:
            seen[path] = sight.look(read_image(path))
        return seen[path].observation

    def renamed(name: Name, path: Path) -> Observation:
        observation, bgr = arbitro(path), seen[path].frame.bgr

        def again(placement: Placement) -> Placement:
            if placement.kind is not Kind.CARD:
                return placement
            label = name(bgr, np.array(placement.quad_px))
            return replace(placement, identity=Identity(label))

        placed = tuple(again(placement) for placement in observation.placements)
        return replace(observation, placements=placed)

    pictures = [(face.label, p) for face in gallery.faces for p in face.pictures]
    plain = {
        "perceptual hash": phash(pictures),
        "ORB": features(pictures, "ORB"),
        "SIFT": features(pictures, "SIFT"),
    }
    named = {
        how: lambda path, name=name: renamed(name, path) for how, name in plain.items()
    }
    return {"Arbitro": arbitro, **named}


if __name__ == "__main__":
    main()
