"""Finds discs of known size without a trained detector, and tells print from disc.

The picture is straightened onto the plane of the discs' faces; there every disc is a
circle of one radius. Edges vote for centres by their direction and strength, of either
polarity: a chip may be lighter than the mat on one side and darker on the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.board_prints import LIKE_MAT, SURELY_MAT, EmptyMat
from vision.discs import Disc, DiscFound, DiscUnclear
from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.rim import DiscSize
from vision.types import Array, Bgr, Detection

RADIUS_CELLS = 11.0
"""Radius of a disc in the straightened picture, px."""
MOST_CELLS, CREST_CELLS = 1600, 3
MIN_VOTE, FAINT_VOTE = 0.3, 0.25
"""Where nobody knows the faces, and where a face may show that there is a disc."""
SAME_SEED, SAME_PLACE, CLOSEST = 0.25, 0.5, 0.96
"""In diameters: seeds nearer than that are tried once; of discs nearer than that one at
most is seen; and discs are not nearer than that side by side, measured with some error.
"""
BOX_VOTE = 0.6
"""Votes that a box of score 1 is worth."""
SOME_LIKENESS, LIKELY, SURE = 0.5, 2.0, 2.17
"""What a disc needs: likeness of its face, and the sum of it, twice the votes of its
seed, half of those of its rim and a quarter of the share of its rim. These weights tell
1,312 chips on rendered boards from 115 other things that are no print (seeds 71, 72;
logistic regression). In between there may be a chip or the top of a Fortress."""
SURE_LIKENESS = 0.93
"""A face that is seen so well where the mat shows something else needs no clear rim: it
may end in ground of the same colour (a dark chip on a dark swamp). On other grounds two
colours side by side looked like a face of two to .9."""
SOME_RIM = 0.4
"""Votes that the rim of such a face needs still, and of one beside something straight:
three of 4,073 things on rendered boards (20261512) were no chips, and looked like a
face to .947 with less than .32; the top of a Fortress (20261511) to .97 with .30."""
PART_VOTES = 0.78
"""Votes of both that a disc needs of which only a part may be seen."""
CLEAR_VOTES, CLEAR_RIM, APART = 1.1, 0.95, 1.15
"""What one needs whose face nobody knows: votes of both, share of the rim, diameters
from others, for the gaps between discs look like discs."""

Gray = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Seed:
    """Where a disc may lie."""

    x_px: float
    y_px: float
    vote: float
    """Share of the rim on which edges point to it, in [0, 1]."""

    @property
    def at_px(self) -> Array:
        """Return (2,) its place, the middle of what would be seen of it."""
        return np.array([self.x_px, self.y_px])


def find_discs(
    bgr: Bgr,
    table: TableMap,
    size: DiscSize,
    area_mm: tuple[float, float, float, float],
    *,
    most: int = 80,
    least_vote: float = MIN_VOTE,
) -> tuple[Seed, ...]:
    """Return where discs of this size may lie in an area, the clearest first.

    `area_mm` is left, low, right, high on the table. It returns too many rather than
    too few; `not_printed`, `measure_discs` and `only_real` take away what is none.
    Raises `GeometryError` if the area reaches beyond the horizon.
    """
    cell_mm = size.diameter_mm / 2 / RADIUS_CELLS
    left, low, right, high = area_mm
    columns = round((right - left) / cell_mm)
    rows = round((high - low) / cell_mm)
    if max(columns, rows) > MOST_CELLS or min(columns, rows) < 4:
        raise GeometryError("the area is too large or too small for discs of that size")
    flat = _straightened(
        bgr, table, (left, high), cell_mm, (rows, columns), size.top_mm
    )
    votes = _votes(flat, RADIUS_CELLS)
    spots = _peaks(votes, int(0.9 * RADIUS_CELLS), most, least_vote)
    if not len(spots):
        return ()
    mm = np.column_stack(
        [left + (spots[:, 0] + 0.5) * cell_mm, high - (spots[:, 1] + 0.5) * cell_mm]
    )
    seen = (table.to_image(mm, size.top_mm) + table.to_image(mm, size.base_mm)) / 2
    strengths = votes[spots[:, 1], spots[:, 0]]
    return tuple(
        Seed(float(x), float(y), float(vote))
        for (x, y), vote in zip(seen, strengths, strict=True)
    )


def with_boxes(
    seeds: Sequence[Seed],
    boxes: Sequence[Detection],
    table: TableMap,
    size: DiscSize,
) -> tuple[Seed, ...]:
    """Return the seeds, and those of a detector's boxes that none of them means.

    Edges and a network miss different discs; which are real is measured later.
    """
    if not boxes:
        return tuple(seeds)
    half_mm = size.base_mm + size.thickness_mm / 2
    at_px = np.array([seed.at_px for seed in seeds]).reshape(-1, 2)
    known = list(table.to_table(at_px, half_mm))
    more = []
    for box in boxes:
        x, y = box.quad_px.mean(axis=0)
        try:
            place = table.to_table([[x, y]], half_mm)[0]
        except GeometryError:
            continue
        apart = SAME_SEED * size.diameter_mm
        if all(math.dist(place, other) > apart for other in known):
            more.append(Seed(float(x), float(y), BOX_VOTE * box.score))
            known.append(place)
    return (*seeds, *more)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What speaks for each of the discs that were measured from seeds."""

    likeness: Mapping[int, float]
    """Number of a disc -> of its face to the best that is known."""
    sureness: Mapping[int, float]
    printed: frozenset[int]
    """Where nothing but the mat is seen."""
    clear: frozenset[int]
    """Whose rim is beyond doubt, whatever its face."""
    exact: frozenset[int]
    """What is seen of whose rim fits well: they may lie half under a hand or a chip."""
    faces: frozenset[int]
    """Whose faces are seen well, with some rim, where the mat, as it is known, shows
    something else."""

    @classmethod
    def of(
        cls,
        discs: Sequence[Disc],
        seeds: Sequence[Seed],
        alike: Mapping[int, float] | None,
        empty: EmptyMat | None,
    ) -> Evidence:
        """Return it; `alike` is number -> likeness of the best known face, and without
        it every disc that was measured is as good as known.

        The discs of the kit are enrolled: what looks like none of them is believed only
        where its rim is beyond doubt.
        """
        found = {n: disc for n, disc in enumerate(discs) if isinstance(disc, DiscFound)}
        if not found:
            return cls({}, {}, *[frozenset[int]()] * 4)
        numbers, sizes = list(found), [disc.size for disc in found.values()]
        at = np.array([disc.centre_mm for disc in found.values()])
        mat = np.zeros(len(found))
        if empty is not None:
            mat = empty.likeness(at, max(size.diameter_mm for size in sizes))
        likeness = dict.fromkeys(numbers, SURE) if alike is None else alike
        votes = {n: disc.votes + seeds[n].vote for n, disc in found.items()}
        return cls(
            likeness,
            {n: _sureness(found[n], seeds[n], likeness[n]) for n in numbers},
            frozenset(n for n, x in zip(numbers, mat, strict=True) if x > LIKE_MAT),
            frozenset(
                n
                for n, disc in found.items()
                if votes[n] > CLEAR_VOTES and disc.rim_share > CLEAR_RIM
            ),
            frozenset(
                n for n, d in found.items() if d.is_exact and votes[n] > PART_VOTES
            ),
            frozenset(
                n
                for n, x in zip(numbers, mat, strict=True)
                if empty is not None
                and x <= LIKE_MAT
                and likeness[n] >= SURE_LIKENESS
                and found[n].votes >= SOME_RIM
            ),
        )

    def is_known(self, number: int, least: float = SURE) -> bool:
        """Return whether there is a disc, for its face is known."""
        is_like = self.likeness[number] > SOME_LIKENESS
        return number in self.faces or (is_like and self.sureness[number] > least)

    def is_doubtful(self, number: int) -> bool:
        """Return whether there may be a disc, and too little of it is seen to say."""
        return number in self.exact or self.is_known(number, LIKELY)


def only_real(
    discs: Sequence[Disc],
    evidence: Evidence,
    *,
    closest: float = CLOSEST,
    with_doubtful: bool = False,
) -> tuple[Disc, ...]:
    """Return the discs, what is none marked: ``printed`` on the mat, ``same`` (in the
    room of a surer one, `closest` being in diameters), ``inexact`` (it may be one, and
    shows too little; these stay with `with_doubtful`), ``no_rim`` (nothing shows it
    well)."""
    found = {n: disc for n, disc in enumerate(discs) if isinstance(disc, DiscFound)}
    result: list[Disc] = list(discs)
    apart = _apart(list(found.values()))
    kept: list[int] = []
    order = sorted(enumerate(found), key=lambda one: -evidence.sureness[one[1]])
    for row, n in order:
        disc, reason = found[n], ""
        nearest = float(apart[row, kept].min(initial=math.inf))
        clear = n in evidence.clear and nearest >= APART
        if nearest < closest:
            reason = "same"
        elif n in evidence.printed:
            reason = "printed"
        elif not (evidence.is_known(n) or clear):
            reason = "inexact" if evidence.is_doubtful(n) else "no_rim"
        if reason == "inexact" and with_doubtful:
            reason = ""
        if reason:
            where = disc.position
            result[n] = DiscUnclear(reason, (where.x_mm, where.y_mm))
        else:
            kept.append(row)
    return tuple(result)


def not_printed(
    seeds: Sequence[Seed], table: TableMap, size: DiscSize, empty: EmptyMat
) -> tuple[Seed, ...]:
    """Return the seeds without those at which nothing but the empty mat is seen."""
    if not seeds:
        return ()
    try:
        ground = table.to_table([[seed.x_px, seed.y_px] for seed in seeds])
    except GeometryError:
        return tuple(seeds)
    alike = empty.likeness(ground, size.diameter_mm)
    return tuple(
        seed for seed, like in zip(seeds, alike, strict=True) if like < SURELY_MAT
    )


def _sureness(disc: DiscFound, seed: Seed, likeness: float) -> float:
    return likeness + 2 * seed.vote + disc.votes / 2 + disc.rim_share / 4


def _apart(discs: Sequence[DiscFound]) -> Array:
    """Return (N, N) how far discs at one height lie from each other, in diameters;
    those at others are in nobody's way."""
    at = np.array([disc.at_mm for disc in discs]).reshape(-1, 2)
    wide = np.array([disc.size.diameter_mm for disc in discs])
    order = np.array([disc.order for disc in discs])
    away = np.hypot(*(at[:, None] - at).T)
    room = (wide[:, None] + wide) / 2
    return np.where(order[:, None] == order, away / room, np.inf)


def _straightened(
    bgr: Bgr,
    table: TableMap,
    corner_mm: tuple[float, float],
    cell_mm: float,
    shape: tuple[int, int],
    height_mm: float,
) -> Bgr:
    step = 16
    rows = np.arange(-(-shape[0] // step) + 1) * step
    columns = np.arange(-(-shape[1] // step) + 1) * step
    x, y = np.meshgrid(columns, rows)
    mm = np.column_stack(
        [
            corner_mm[0] + (x.ravel() + 0.5) * cell_mm,
            corner_mm[1] - (y.ravel() + 0.5) * cell_mm,
        ]
    )
    seen = table.to_image(mm, height_mm).reshape(len(rows), len(columns), 2)
    at_x, at_y = np.meshgrid(
        np.arange(shape[1], dtype=np.float32) / step,
        np.arange(shape[0], dtype=np.float32) / step,
    )
    fine = np.asarray(
        cv2.remap(seen.astype(np.float32), at_x, at_y, cv2.INTER_LINEAR), np.float32
    )
    px_per_cell = float(np.linalg.norm(seen[0, 0] - seen[-1, -1])) / max(
        math.hypot(columns[-1], rows[-1]), 1.0
    )
    # From the level of the pyramid in which a cell is one or two px.
    small = bgr
    while px_per_cell > 2.0:
        small = np.asarray(cv2.resize(small, None, fx=0.5, fy=0.5, interpolation=3))
        fine = np.asarray((fine + 0.5) / 2 - 0.5, np.float32)
        px_per_cell /= 2
    flat = cv2.remap(
        small,
        fine[..., 0],
        fine[..., 1],
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(cv2.GaussianBlur(flat, (0, 0), 0.7), np.uint8)


def _votes(flat: Bgr, radius: float) -> Gray:
    """Return the share of a circle around each cell on which edges lie along it."""
    gx = np.asarray(cv2.Sobel(flat, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8), np.float32)
    gy = np.asarray(cv2.Sobel(flat, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8), np.float32)
    # The direction of the strongest change of colour, doubled, so that dark to light
    # and light to dark are the same (structure tensor).
    across, along = _summed(gx * gx) - _summed(gy * gy), 2 * _summed(gx * gy)
    length = np.asarray(cv2.magnitude(across, along), np.float32)
    strength = np.sqrt(length)
    half = 0.6 * float(np.quantile(strength[::2, ::2], 0.85)) + 1.5
    weight = strength / ((strength + half) * np.maximum(length, 1e-9))
    cos2 = np.asarray(weight * across, np.float32)
    return _around(cos2, np.asarray(weight * along, np.float32), radius)


def _around(cos2: Gray, sin2: Gray, radius: float) -> Gray:
    """Return the mean over a circle around each cell of how well edges run along it.

    As one complex product of spectra that takes a third of the time of two filters.
    """
    reach = math.ceil(radius + 2)
    h, w = cos2.shape
    high = cv2.getOptimalDFTSize(h + 2 * reach)
    wide = cv2.getOptimalDFTSize(w + 2 * reach)
    padded = np.zeros((high, wide, 2), np.float32)
    for channel, part in enumerate((cos2, sin2)):
        padded[: h + 2 * reach, : w + 2 * reach, channel] = cv2.copyMakeBorder(
            part, reach, reach, reach, reach, cv2.BORDER_REFLECT_101
        )
    spectrum = cv2.mulSpectrums(
        cv2.dft(padded), _ring((high, wide), radius), 0, conjB=True
    )
    both = cv2.dft(spectrum, flags=cv2.DFT_INVERSE | cv2.DFT_SCALE)
    return np.asarray(both[reach : reach + h, reach : reach + w, 0], np.float32)


@lru_cache(maxsize=4)
def _ring(shape: tuple[int, int], radius: float) -> NDArray[np.float32]:
    """Return the spectrum of a circle around the first cell: at each cell of it the
    direction in which an edge would point to its centre, doubled."""
    reach = math.ceil(radius + 2)
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1].astype(np.float32)
    around = np.arctan2(y, x)
    ring = np.exp(-0.5 * ((np.hypot(x, y) - radius) / 0.9) ** 2)
    ring /= ring.sum()
    whole = np.zeros((*shape, 2), np.float32)
    own = np.stack([ring * np.cos(2 * around), ring * np.sin(2 * around)], axis=-1)
    whole[: own.shape[0], : own.shape[1]] = own
    return np.asarray(cv2.dft(np.roll(whole, (-reach, -reach), (0, 1))), np.float32)


def _summed(colours: NDArray[np.float32]) -> Gray:
    """Return the sum over three channels; numpy's own takes thirty times as long."""
    return np.asarray(cv2.transform(colours, np.ones((1, 3), np.float32)), np.float32)


def _peaks(votes: Gray, apart: int, most: int, least: float) -> NDArray[np.int64]:
    """Return (N, 2) columns and rows of the highest votes, `apart` from each other; one
    chip that lies partly under another is on the shoulder of a higher one."""
    widest = cv2.dilate(votes, np.ones((2 * CREST_CELLS + 1,) * 2, np.uint8))
    rows, columns = np.nonzero((votes >= widest) & (votes > least))
    order = np.argsort(-votes[rows, columns])
    spots = np.column_stack([columns, rows])[order].astype(np.int64)
    free = np.ones(len(spots), bool)
    kept: list[int] = []
    for number, spot in enumerate(spots):
        if free[number] and len(kept) < most:
            kept.append(number)
            free &= np.abs(spots - spot).max(axis=1) > apart
    return spots[kept]
