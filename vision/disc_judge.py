"""Compares the places of discs: what is seen there, and what a fit is worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from vision.disc_faces import SURE_FACE, FaceLikeness
from vision.errors import GeometryError
from vision.rim_fit import Places, fit_rims, supports
from vision.rim_verdict import RimFit
from vision.types import Array

FACE_WEIGHT = 1.5
"""Of the likeness of a known face against the share that is explained."""
WHOLE_RIM = 0.9
"""The share of a rim from which on only a face that is seen just there leads away from
it: what glare leaves of a face is alike in many places."""
VAGUE_MM = 0.3
"""The sigma of a rim from which on its face is asked."""
WHOLE_FACE, PLAIN_MM = 0.9, 0.15
"""The likeness of a face from which on, and the sigma up to which, a whole rim is not
compared with other places. Of 713 such rims among 1,785 that were less than sure on 160
rendered boards (seed 99401) two lay elsewhere; other places would have mended one and
spoilt two."""


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """Compares places of discs."""

    places: Places
    votes: Sequence[float]
    """(P,) of where the search ended."""
    face: FaceLikeness | None

    def support(self, chosen: Sequence[int], at_mm: Array, contrasts: Array) -> Array:
        """Return (N,) how well places of some discs explain what is seen."""
        if not chosen:
            return np.empty(0)
        return supports(self.places.at(chosen, at_mm), contrasts)

    def likeness(
        self, chosen: Sequence[int], at_mm: Array, *, rough: bool = False
    ) -> Array:
        """Return (N,) how much they look like a known face, in units of support."""
        if self.face is None or not chosen:
            return np.zeros(len(chosen))
        sizes = [self.places.sizes[n] for n in chosen]
        return FACE_WEIGHT * np.asarray(self.face(sizes, at_mm, rough=rough))


def likeness_of(
    judge: Judge, fits: Sequence[RimFit | str], chosen: Iterable[int]
) -> dict[int, float]:
    """Return number -> likeness of the best face there, of those that were fitted."""
    fitted = [n for n in chosen if isinstance(fits[n], RimFit)]
    if judge.face is None or not fitted:
        return {}
    at = np.array([middle_of_fit(fits[n]) for n in fitted])
    sizes = [judge.places.sizes[n] for n in fitted]
    return dict(zip(fitted, judge.face(sizes, at).tolist(), strict=True))


def tried(places: Places) -> list[RimFit | str]:
    """Return the fits; those of discs that lie beyond the horizon say so."""
    if not len(places.centres_mm):
        return []
    try:
        return fit_rims(places)
    except GeometryError:
        if len(places.sizes) == 1:
            return ["horizon"]
        each = range(len(places.sizes))
        return [tried(places.at([n], places.centres_mm[n : n + 1]))[0] for n in each]


def moved(places: Places, fits: Sequence[RimFit | str]) -> Places:
    """Return the places where the fits are."""
    each = range(len(fits))
    fitted = zip(places.centres_mm, fits, strict=True)
    at = [fit.centre_mm if isinstance(fit, RimFit) else was for was, fit in fitted]
    return places.at(each, np.array(at).reshape(-1, 2))


def is_settled(fit: RimFit | str, likeness: float) -> bool:
    """Return whether the face is seen just there."""
    return isinstance(fit, RimFit) and likeness > SURE_FACE and not is_vague(fit)


def is_alone(fit: RimFit | str, likeness: float) -> bool:
    """Return whether no other place can be the right one. How exact its rim is is
    another question: the face may still say that it lies half a millimetre off."""
    return is_settled(fit, likeness) or (
        isinstance(fit, RimFit)
        and likeness > WHOLE_FACE
        and is_whole(fit)
        and not is_vague(fit, PLAIN_MM)
    )


def is_whole(fit: RimFit | str) -> bool:
    """Return whether all of a rim is seen, and where it lies."""
    return isinstance(fit, RimFit) and fit.rim_share >= WHOLE_RIM and not is_vague(fit)


def is_vague(fit: RimFit, sigma_mm: float = VAGUE_MM) -> bool:
    """Return whether that is known less well than by that sigma."""
    return float(np.trace(fit.covariance_mm2)) > 2 * sigma_mm**2


def middle_of_fit(fit: RimFit | str) -> Array:
    """Return (2,) the centre of a fit."""
    assert isinstance(fit, RimFit)
    return fit.centre_mm


def contrast_of(fit: RimFit | str) -> float:
    """Return the contrast of a fit, a usual one where there is none."""
    return 40.0 if isinstance(fit, str) else fit.contrast
