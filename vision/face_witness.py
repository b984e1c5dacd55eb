"""What the faces of known chips say of rims: seen elsewhere, they contradict them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.disc_faces import (
    CLEAR_FACE,
    FACE_SIGMA_MM,
    NEAR_FACE,
    Faces,
    agrees,
    best_faces,
    doubted,
    reconciled,
)
from vision.disc_judge import (
    Judge,
    contrast_of,
    is_settled,
    is_vague,
    is_whole,
    middle_of_fit,
    moved,
    tried,
)
from vision.errors import GeometryError
from vision.rim_fit import Places, finish_rims
from vision.rim_verdict import MAX_RADIUS_SIGMAS, MIN_RIM, OTHER_SIZE, RimFit
from vision.types import Array

FACE_BETTER = 0.8
"""How unlike a face may be elsewhere, as a share of how unlike it is at a rim, to be
seen there: where glare lies on it, no place is much better than the next."""
UNKNOWN_VOTES = 0.33
"""What looks like no known face must at least be as clear as that."""


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """Fits, and what faces say of them."""

    fits: list[RimFit | str]
    faces_mm: dict[int, Array]
    """Where the faces of some are seen, whose rims agree with that."""
    alone: set[int]
    """Those of which only the face says where they lie."""
    whole: set[int]
    """Those whose whole rim is believed, though the face seems to be elsewhere."""


def looked_for(
    judge: Judge, fits: Sequence[RimFit | str], alike: Mapping[int, float]
) -> Looked:
    """Return the fits; where a known face is seen elsewhere, one from there.

    A rim of little contrast among print and shadows is not found by its edges, and a
    printed ring may be taken for it. A face is seen within a few millimetres of its
    place, and the rim is fitted from there. If that rim too is elsewhere, the face
    alone says where the disc lies, as well as faces are printed in the middle. A whole
    rim stays, less sure, unless the face is seen well.
    """
    looked = Looked(list(fits), {}, set(), set())
    if judge.face is None:
        return looked
    places = judge.places
    likeness = [alike.get(n, 0.0) for n in range(len(fits))]
    doubtful = [n for n, fit in enumerate(fits) if not is_settled(fit, likeness[n])]
    seen = _seen_near(judge, fits, likeness, doubtful)
    elsewhere = [
        n
        for n, (best, place) in zip(doubtful, seen, strict=True)
        if best >= CLEAR_FACE and not agrees(fits[n], place)
    ]
    looked.whole.update(
        n
        for n, (best, _) in zip(doubtful, seen, strict=True)
        if n in elsewhere and best < NEAR_FACE and is_whole(fits[n])
    )
    elsewhere = [n for n in elsewhere if n not in looked.whole]
    where = {n: place for n, (_, place) in zip(doubtful, seen, strict=True)}
    at = np.array([where[n] for n in elsewhere]).reshape(-1, 2)
    there = _lined(judge, places.at(elsewhere, at))
    again = dict(zip(elsewhere, tried(there), strict=True))
    for n, (best, place) in zip(doubtful, seen, strict=True):
        fit = again.get(n, fits[n])
        if best < CLEAR_FACE:
            if judge.votes[n] < UNKNOWN_VOTES:
                looked.fits[n] = "no_rim"
        elif isinstance(fit, RimFit) and (n in looked.whole or agrees(fit, place)):
            looked.fits[n], looked.faces_mm[n] = fit, place
        else:
            other = MAX_RADIUS_SIGMAS if OTHER_SIZE in (fits[n], fit) else 0.0
            alone = np.eye(2) * FACE_SIGMA_MM**2
            contrast = contrast_of(fits[n])
            looked.fits[n] = RimFit(
                place, alone, 0.0, MIN_RIM, contrast, radius_sigmas=other
            )
            looked.alone.add(n)
    return looked


def _seen_near(
    judge: Judge,
    fits: Sequence[RimFit | str],
    likeness: Sequence[float],
    doubtful: Sequence[int],
) -> list[tuple[float, Array]]:
    """Return how well a face is seen near each of some rims at best, and where; not
    away from a clear rim if it is hardly better seen there."""
    places = judge.places
    assert judge.face is not None
    wide = [likeness[n] < NEAR_FACE for n in doubtful]
    starts = [
        places.centres_mm[n] if likeness[n] < CLEAR_FACE else middle_of_fit(fits[n])
        for n in doubtful
    ]
    seen = best_faces(Faces(places, judge.face), doubtful, starts, wide)
    return [
        (likeness[n], fit.centre_mm)
        if isinstance(fit, RimFit)
        and 1 - best > FACE_BETTER * (1 - likeness[n])
        and not is_vague(fit)
        and not agrees(fit, place)
        else (best, place)
        for n, fit, (best, place) in zip(
            doubtful, [fits[n] for n in doubtful], seen, strict=True
        )
    ]


def _lined(judge: Judge, places: Places) -> Places:
    """Return the places, with the lines with which the faces seen there end."""
    if judge.face is None or not len(places.sizes):
        return places
    try:
        lines = judge.face.lines(places.sizes, places.centres_mm)
    except GeometryError:
        return places
    return replace(places, lines=lines)


def finished(judge: Judge, looked: Looked) -> list[RimFit | str]:
    """Return the fits as the pixels have them, less sure as faces contradict them."""
    rims = ["" if n in looked.alone else fit for n, fit in enumerate(looked.fits)]
    try:
        rims = finish_rims(_lined(judge, moved(judge.places, rims)), rims)
    except GeometryError:
        rims = list(looked.fits)
    result = list(looked.fits)
    for n, last in enumerate(rims):
        if n not in looked.alone:
            fit = reconciled(looked.fits[n], last)
            if n in looked.faces_mm and isinstance(fit, RimFit):
                told = doubted if n in looked.whole else _surer
                fit = told(fit, looked.faces_mm[n])
            result[n] = fit
    return result


def _surer(fit: RimFit, face_mm: Array) -> RimFit:
    """Return the rim, or where the face is if that says better where the disc lies."""
    both, alone = doubted(fit, face_mm), np.eye(2) * FACE_SIGMA_MM**2
    if np.trace(both.covariance_mm2) <= np.trace(alone):
        return both
    return replace(fit, centre_mm=face_mm, covariance_mm2=alone)
