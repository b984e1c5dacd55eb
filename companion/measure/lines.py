"""Which line of the mat decides about a chip, and how near it lies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engines.core import CLEAR_SIGMAS, Margin, Ruling, Verdict
from engines.core.zones import depth_mm, share
from engines.warstones.mat import Area, Mat
from engines.warstones.resolve import Resolved


@dataclass(frozen=True, slots=True)
class NearLine:
    """A chip and the line that decides about it."""

    chip: Resolved
    area: Area
    """Whose line it is: the nearest one that runs under the chip."""
    share: float
    """Of the chip, in that area."""
    line: Margin
    """Distance of the chip's centre from the line in mm, positive inside."""

    @property
    def is_close(self) -> bool:
        """Return whether the measurement leaves open on which side the centre lies."""
        return abs(self.line.value) < CLEAR_SIGMAS * self.line.sigma

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """Return the rulings on this chip, those that leave a doubt first."""
        return tuple(sorted(self.chip.rulings, key=lambda r: not _is_doubtful(r)))


def near_lines(mat: Mat, chips: tuple[Resolved, ...]) -> tuple[NearLine, ...]:
    """Return the named chips that a line runs under, the most doubtful first."""
    found = [
        near
        for chip in chips
        if chip.label is not None and chip.rulings
        for near in [nearest_line(mat, chip)]
        if near is not None
    ]
    return tuple(sorted(found, key=lambda near: abs(near.line.value) / _sigma(near)))


def nearest_line(
    mat: Mat, chip: Resolved, question: str | None = None
) -> NearLine | None:
    """Return the line nearest to the chip's centre, of those under it; `question`
    narrows it to a terrain, a sector or the board."""
    disc = chip.seen.footing.disc
    measured = []
    for area in _areas(mat, question):
        part = share(area.zone, disc).value
        if question is None and not 1e-9 < part < 1 - 1e-9:
            continue
        depth = depth_mm(area.zone, (disc.x_mm, disc.y_mm))
        line = chip.seen.footing.margin_mm(depth)
        measured.append(NearLine(chip, area, part, line))
    return min(measured, key=lambda near: abs(near.line.value), default=None)


def _areas(mat: Mat, question: str | None) -> Iterator[Area]:
    terrains = [
        a for a in mat.terrains if question in _TERRAIN_WORDS.get(a.terrain, ())
    ]
    if question is None:
        yield from (mat.board, *mat.sectors, *mat.terrains, *mat.bases, *mat.reserves)
    elif terrains:
        yield from terrains
    elif question == "off":
        yield mat.board
    elif question in ("base", "reserve"):
        yield from (mat.bases if question == "base" else mat.reserves)
    else:
        yield from (a for a in mat.sectors if question in {a.id, "margin"})


_TERRAIN_WORDS = {
    "forest": ("forest",),
    "hill": ("hill",),
    "swamp": ("swamp",),
    "water": ("water", "lake", "river"),
}


def _is_doubtful(ruling: Ruling) -> bool:
    return ruling.verdict is Verdict.UNDECIDED or bool(ruling.grounds)


def _sigma(near: NearLine) -> float:
    return max(near.line.sigma, 1e-9)
