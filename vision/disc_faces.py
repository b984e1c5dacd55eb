"""Where the faces of known chips are seen, around places where discs may lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from vision.errors import GeometryError
from vision.rim import DiscSize
from vision.rim_fit import Places
from vision.rim_verdict import RimFit
from vision.types import Array

MAYBE_FACE, CLEAR_FACE, NEAR_FACE, SURE_FACE = 0.55, 0.75, 0.93, 0.97
"""Likeness from which on a place may show a known face, shows one, hardly farther than
a step away, and beyond doubt just there: faces 1 and 2 mm away looked like .94."""
FACE_SIGMA_MM, FACE_SIGMAS = 0.5, 2.0
"""How far the middle of a face may lie off that of the disc, printed and seen; sigmas
beyond which a rim is another one."""
SEEN_SIGMA_MM = 0.15
"""How far off it is seen, each way; on 230 chips of rendered boards that were asked
about, and on 273 of our own fiches."""
AS_WELL = 0.5
"""How likely the disc lies at the other of two places that contradict each other. On
423 chips of rendered boards (seed 31001) .972 are then within their 95 %; with 1, .979.
"""
CONTRARY_SIGMAS = 3.0
"""Sigmas from which on two fits of one rim contradict each other."""
FACE_STEPS, FACE_TURNS = ((0.15, 0.075), (0.03, 0.03)), 5
"""Reach and step of the search for a face, in diameters: coarse, then fine, this from
where it led, so many times at most."""


class FaceLikeness(Protocol):
    """Tells how well places show the face of a known chip."""

    def __call__(
        self, sizes: Sequence[DiscSize], centres_mm: Array, *, rough: bool = False
    ) -> Array:
        """Return (P,) likenesses at (P, 2) centres, at most 1; with `rough` for less
        work, to see where a face may be."""

    def lines(self, sizes: Sequence[DiscSize], centres_mm: Array) -> Array:
        """Return (P, ARCS, 2) width in mm, and light as a share of what is beside it,
        of the lines with which the faces seen at (P, 2) centres end."""


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """Places of discs, and what tells how well a face is seen there."""

    places: Places
    face: FaceLikeness


def best_faces(
    faces: Faces, chosen: Sequence[int], starts: Sequence[Array], wide: Sequence[bool]
) -> list[tuple[float, Array]]:
    """Return for each of some discs how well a known face is seen near a place at best,
    and (2,) where."""
    at = np.array(starts).reshape(-1, 2)
    diameters = np.array([faces.places.sizes[n].diameter_mm for n in chosen])
    far = np.flatnonzero(wide)
    at[far] += _led(faces, [chosen[int(n)] for n in far], at[far], FACE_STEPS[0])
    moving = np.arange(len(at))
    for _ in range(FACE_TURNS):
        if not len(moving):
            break
        mine = [chosen[int(n)] for n in moving]
        move = _led(faces, mine, at[moving], FACE_STEPS[1])
        at[moving] += move
        away = np.abs(move).max(axis=1)
        moving = moving[away > FACE_STEPS[1][1] * diameters[moving] / 2]
    best = _faces_at(faces, chosen, at[:, None])[:, 0]
    # What may be a face, seen from a place that a rough look left a little off.
    nearly = np.flatnonzero((best < CLEAR_FACE) & (best > MAYBE_FACE))
    mine = [chosen[int(n)] for n in nearly]
    at[nearly] += _led(faces, mine, at[nearly], FACE_STEPS[1], rough=False)
    best[nearly] = _faces_at(faces, mine, at[nearly, None])[:, 0]
    return list(zip(best.tolist(), at, strict=True))


def _led(
    faces: Faces,
    chosen: Sequence[int],
    at_mm: Array,
    steps: tuple[float, float],
    *,
    rough: bool = True,
) -> Array:
    """Return (N, 2) mm to where around each place a face is seen best."""
    if not len(chosen):
        return np.zeros((0, 2))
    reach, step = steps
    diameters = np.array([faces.places.sizes[n].diameter_mm for n in chosen])
    line = np.arange(-reach, reach + step / 2, step)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    moves = diameters[:, None, None] * grid
    seen = _faces_at(faces, chosen, at_mm[:, None] + moves, rough=rough)
    tops = moves[np.arange(len(moves)), seen.argmax(axis=1)]
    crests = [
        _crest(one.reshape(len(line), -1), step * wide)
        for one, wide in zip(seen, diameters, strict=True)
    ]
    return np.asarray(tops + crests, float)


def _faces_at(
    faces: Faces, chosen: Sequence[int], at_mm: Array, *, rough: bool = False
) -> Array:
    """Return (N, K) likenesses at (N, K, 2) places of N discs; beyond the horizon of
    one of them, nothing is alike."""
    many = at_mm.shape[1]
    sizes = [faces.places.sizes[n] for n in chosen for _ in range(many)]
    try:
        seen = faces.face(sizes, at_mm.reshape(-1, 2), rough=rough)
    except GeometryError:
        return np.zeros(at_mm.shape[:2])
    return np.asarray(seen.reshape(at_mm.shape[:2]), float)


def _crest(seen: Array, step_mm: float) -> Array:
    """Return (2,) mm from the highest cell to the top of parabolas through it."""
    row, column = np.unravel_index(int(seen.argmax()), seen.shape)
    off = []
    for line, at in ((seen[row], column), (seen[:, column], row)):
        if not 0 < at < len(line) - 1:
            off.append(0.0)
            continue
        before, here, after = line[at - 1 : at + 2]
        bend = before - 2 * here + after
        off.append(0.5 * (before - after) / bend if bend < 0 else 0.0)
    return np.array(off) * step_mm


def doubted(fit: RimFit, place: Array) -> RimFit:
    """Return the fit, as much less sure as another place contradicts it, beyond what
    that of a face is off by itself: the disc may as well lie there as here."""
    off = fit.centre_mm - place
    away2 = float(off @ off)
    beyond = AS_WELL * max(1 - 2 * SEEN_SIGMA_MM**2 / max(away2, 1e-12), 0.0)
    return replace(fit, covariance_mm2=fit.covariance_mm2 + beyond * np.outer(off, off))


def reconciled(first: RimFit | str, last: RimFit | str) -> RimFit | str:
    """Return the last fit; as unsure as two fits of one rim that lie too far apart for
    what they state: either may have taken another edge for it."""
    if isinstance(first, str) or isinstance(last, str):
        return last
    off = last.centre_mm - first.centre_mm
    joint = first.covariance_mm2 + last.covariance_mm2
    if float(off @ np.linalg.solve(joint, off)) < CONTRARY_SIGMAS**2:
        return last
    return doubted(last, first.centre_mm)


def agrees(fit: RimFit | str, place: Array) -> bool:
    """Return whether a rim lies where the face is seen."""
    if isinstance(fit, str):
        return False
    off = fit.centre_mm - place
    joint = fit.covariance_mm2 + np.eye(2) * FACE_SIGMA_MM**2
    return float(off @ np.linalg.solve(joint, off)) < FACE_SIGMAS**2
