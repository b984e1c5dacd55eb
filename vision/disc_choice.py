"""Which of the places of a disc is right: rims, rivals, and the face if it is known."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.blur import Blur
from vision.disc_faces import (
    CLEAR_FACE,
    FACE_SIGMA_MM,
    NEAR_FACE,
    SURE_FACE,
    FaceLikeness,
    Faces,
    agrees,
    best_faces,
    doubted,
    reconciled,
)
from vision.disc_places import NoPlace, Place
from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.rim_fit import Places, finish_rims, fit_rims, sharper, supports
from vision.rim_verdict import MAX_RADIUS_SIGMAS, MIN_RIM, OTHER_SIZE, RimFit
from vision.types import Array

MIN_PARALLAX_PX = 1.5
"""Thinner sides are too thin to take one rim for the other."""
CLEARLY_BETTER, WORTH_TRYING, BEST_TRIED = 0.03, 0.12, 0.2
"""Of the share that is explained: what tells two places apart, and by how much less one
may explain than the disc does here, or elsewhere, before its rim is fitted."""
RIM_WEIGHT = 0.35
"""Of the share of the rim that a fit rests on, against that share."""
FACE_WEIGHT, ROUGHLY, MOST_SUPPORT = 1.5, 0.2, 1.0
"""Of the likeness of a known face against that share; how far off a rough look at it
may be, and the most that edges can add: what has no hope is not looked at closely."""
FACE_BETTER = 0.8
"""How unlike a face may be elsewhere, as a share of how unlike it is at a rim, to be
seen there: where glare lies on it, no place is much better than the next."""
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
UNKNOWN_VOTES = 0.33
"""What looks like no known face must at least be as clear as that."""
SAME_SHARE = 0.02
"""Of the diameter: fits nearer than that are one."""
LIKELY, LIKELY_VOTES, AROUND_SEED = 1.25, 0.65, 0.06
"""What is worth measuring: the sum of the votes of finder and search and of the
likeness of the best face; or of the votes alone, for discs half hidden or unknown. How
far around its place a face is looked for, in diameters. On 1,608 seeds of rendered
boards (seed 71) it kept all 417 chips and 28 % of the rest."""
FIRST_BLUR_PX = 1.6
"""The widest blur with which rims are fitted at first."""
BLUR_WITNESSES, FEWEST_WITNESSES = 6, 3
"""Discs whose rims refine the blur before all are fitted; fewer may say that it is less
than edges all over the picture say, not that it is more: one or two rims of little
contrast fit any width (a green chip on green, 2.6 px instead of 0.96)."""


@dataclass(frozen=True, slots=True, eq=False)
class _Judge:
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


def without_unlikely(
    places: Sequence[Place | NoPlace], votes: Sequence[float], face: FaceLikeness
) -> list[Place | NoPlace]:
    """Return the places, those at which hardly any disc can lie taken away."""
    result = list(places)
    seen = [
        n
        for n, place in enumerate(places)
        if isinstance(place, Place) and votes[n] + place.start.votes < LIKELY_VOTES
    ]
    line = np.array([-AROUND_SEED, 0.0, AROUND_SEED])
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    sizes, spots = [], []
    for n in seen:
        place = result[n]
        assert isinstance(place, Place)
        sizes += [place.size] * len(grid)
        spots.append(place.start.centre_mm + place.size.diameter_mm * grid)
    if not seen:
        return result
    try:
        likeness = face(sizes, np.concatenate(spots), rough=True)
    except GeometryError:
        return result
    for n, best in zip(seen, likeness.reshape(len(seen), -1).max(axis=1), strict=True):
        place = result[n]
        assert isinstance(place, Place)
        if votes[n] + place.start.votes + best < LIKELY:
            at = place.start.centre_mm
            result[n] = NoPlace("unlikely", (float(at[0]), float(at[1])))
    return result


def best_fits(
    table: TableMap, places: Sequence[Place], blur: Blur, face: FaceLikeness | None
) -> tuple[list[RimFit | str], Blur]:
    """Return the fits that explain the picture best, of those from all likely places,
    and the blur as they show it.

    A printed ring, or the lower rim taken for the upper one, makes a wrong place look
    likely; the latter is off by the parallax of the disc's thickness, and so those
    places are tried as well. Two that explain it about as well are ``two_rims``.
    """
    if not places:
        return [], blur
    at = np.array([place.start.centre_mm for place in places])
    sizes, patches = [p.size for p in places], [p.patch for p in places]
    # What edges say on their own is coarse: rims refine it from a width they allow.
    blur = replace(blur, own_px=min(blur.own_px, FIRST_BLUR_PX))
    votes = [place.start.votes for place in places]
    judge = _sharpened(_Judge(Places(table, sizes, patches, at, blur), votes, face))
    fits = _tried(judge.places)
    alike = _likeness_of(judge, fits, range(len(fits)))
    alone = {n for n, like in alike.items() if _is_alone(fits[n], like)}
    around = np.array(
        [
            a if isinstance(f, str) else f.centre_mm
            for f, a in zip(fits, at, strict=True)
        ]
    )
    owners, others = _others(places, around, alone)
    if owners:
        first, fits = fits, _best_of(judge, fits, alike, owners, others)
        moved = [n for n, fit in enumerate(fits) if fit is not first[n]]
        same = {n: like for n, like in alike.items() if n not in moved}
        alike = same | _likeness_of(judge, fits, moved)
    looked = _looked_for(judge, fits, alike)
    return _finished(judge, looked), judge.places.blur


def _sharpened(judge: _Judge) -> _Judge:
    """Return the judge with the blur that the clearest rims show."""
    clear = sorted(range(len(judge.votes)), key=lambda n: -judge.votes[n])
    chosen = clear[:BLUR_WITNESSES]
    some = judge.places.at(chosen, judge.places.centres_mm[chosen])
    try:
        finer = sharper(some)
    except GeometryError:
        return judge
    if len(chosen) < FEWEST_WITNESSES and finer.own_px > judge.places.blur.own_px:
        return judge
    return replace(judge, places=replace(judge.places, blur=finer))


def _likeness_of(
    judge: _Judge, fits: Sequence[RimFit | str], chosen: Iterable[int]
) -> dict[int, float]:
    """Return number -> likeness of the best face there, of those that were fitted."""
    fitted = [n for n in chosen if isinstance(fits[n], RimFit)]
    if judge.face is None or not fitted:
        return {}
    at = np.array([_middle(fits[n]) for n in fitted])
    sizes = [judge.places.sizes[n] for n in fitted]
    return dict(zip(fitted, judge.face(sizes, at).tolist(), strict=True))


def _is_settled(fit: RimFit | str, likeness: float) -> bool:
    """Return whether the face is seen just there."""
    return isinstance(fit, RimFit) and likeness > SURE_FACE and not _is_vague(fit)


def _is_alone(fit: RimFit | str, likeness: float) -> bool:
    """Return whether no other place can be the right one. How exact its rim is is
    another question: the face may still say that it lies half a millimetre off."""
    return _is_settled(fit, likeness) or (
        isinstance(fit, RimFit)
        and likeness > WHOLE_FACE
        and _is_whole(fit)
        and not _is_vague(fit, PLAIN_MM)
    )


def _best_of(
    judge: _Judge,
    fits: list[RimFit | str],
    alike: Mapping[int, float],
    owners: Sequence[int],
    others: Array,
) -> list[RimFit | str]:
    """Return the fits, better ones from other places where there are any; `alike` is
    how much faces are alike where they are."""
    contrasts = np.array([_contrast(fit) for fit in fits])
    some = [n for n in sorted(set(owners)) if isinstance(fits[n], RimFit)]
    here = np.zeros(len(fits))
    at = np.array([_middle(fits[n]) for n in some]).reshape(-1, 2)
    here[some] = judge.support(some, at, contrasts[some])
    here[some] += [FACE_WEIGHT * alike.get(n, 0.0) for n in some]
    owner = np.array(owners)
    hope = judge.likeness(owners, others, rough=True) + ROUGHLY + MOST_SUPPORT
    likely = np.flatnonzero(hope >= here[owner] - WORTH_TRYING)
    mine, there = owner[likely].tolist(), np.zeros(len(owner))
    there[likely] = judge.support(mine, others[likely], contrasts[owner[likely]])
    there[likely] += judge.likeness(mine, others[likely])
    best = here.copy()
    np.maximum.at(best, owner, there - BEST_TRIED)
    worth = likely[there[likely] >= best[owner[likely]] - WORTH_TRYING]
    again = _tried(judge.places.at(owner[worth].tolist(), others[worth]))
    return _decided(judge, fits, here, owner[worth].tolist(), again)


def _others(
    places: Sequence[Place], around: Array, alone: Collection[int]
) -> tuple[list[int], Array]:
    """Return the numbers of discs, and (N, 2) other places where they may lie."""
    owners: list[int] = []
    others: list[Array] = []
    for n, (place, at) in enumerate(zip(places, around, strict=True)):
        if n in alone:
            continue
        mine = [*place.start.rivals_mm]
        way = place.parallax * place.size.thickness_mm
        if math.hypot(*way) * place.px_per_mm > MIN_PARALLAX_PX:
            mine += [at + way, at - way]
        owners += [n] * len(mine)
        others += mine
    return owners, np.array(others).reshape(-1, 2)


def _tried(places: Places) -> list[RimFit | str]:
    """Return the fits; those of discs that lie beyond the horizon say so."""
    if not len(places.centres_mm):
        return []
    try:
        return fit_rims(places)
    except GeometryError:
        if len(places.sizes) == 1:
            return ["horizon"]
        each = range(len(places.sizes))
        return [_tried(places.at([n], places.centres_mm[n : n + 1]))[0] for n in each]


@dataclass(frozen=True, slots=True, eq=False)
class _Looked:
    """Fits, and what faces say of them."""

    fits: list[RimFit | str]
    faces_mm: dict[int, Array]
    """Where the faces of some are seen, whose rims agree with that."""
    alone: set[int]
    """Those of which only the face says where they lie."""
    whole: set[int]
    """Those whose whole rim is believed, though the face seems to be elsewhere."""


def _lined(judge: _Judge, places: Places) -> Places:
    """Return the places, with the lines with which the faces seen there end."""
    if judge.face is None or not len(places.sizes):
        return places
    try:
        lines = judge.face.lines(places.sizes, places.centres_mm)
    except GeometryError:
        return places
    return replace(places, lines=lines)


def _moved(places: Places, fits: Sequence[RimFit | str]) -> Places:
    """Return the places where the fits are."""
    each = range(len(fits))
    fitted = zip(places.centres_mm, fits, strict=True)
    at = [fit.centre_mm if isinstance(fit, RimFit) else was for was, fit in fitted]
    return places.at(each, np.array(at).reshape(-1, 2))


def _finished(judge: _Judge, looked: _Looked) -> list[RimFit | str]:
    """Return the fits as the pixels have them, less sure as faces contradict them."""
    rims = ["" if n in looked.alone else fit for n, fit in enumerate(looked.fits)]
    try:
        rims = finish_rims(_lined(judge, _moved(judge.places, rims)), rims)
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


def _decided(
    judge: _Judge,
    fits: list[RimFit | str],
    here: Array,
    owners: Sequence[int],
    again: Sequence[RimFit | str],
) -> list[RimFit | str]:
    """Return the better fits; those that cannot be told apart are ``two_rims``."""
    good = [
        (n, fit)
        for n, fit in zip(owners, again, strict=True)
        if isinstance(fit, RimFit)
    ]
    chosen = [n for n, _ in good]
    at = np.array([fit.centre_mm for _, fit in good]).reshape(-1, 2)
    contrasts = np.array([_contrast(fits[n]) for n, fit in good])
    there = judge.support(chosen, at, contrasts) + judge.likeness(chosen, at)
    result, value = list(fits), here.copy()
    tied: set[int] = set()
    for n, fit in enumerate(fits):
        value[n] += RIM_WEIGHT * fit.rim_share if isinstance(fit, RimFit) else 0.0
    for (n, fit), seen in zip(good, there, strict=True):
        mine, other = result[n], float(seen) + RIM_WEIGHT * fit.rim_share
        same = isinstance(mine, RimFit) and (
            math.dist(mine.centre_mm, fit.centre_mm)
            < SAME_SHARE * judge.places.sizes[n].diameter_mm
        )
        if not same and abs(other - value[n]) < CLEARLY_BETTER:
            tied.add(n)
        if other > value[n]:
            result[n], value[n] = fit, other
    return ["two_rims" if n in tied else fit for n, fit in enumerate(result)]


def _looked_for(
    judge: _Judge, fits: Sequence[RimFit | str], alike: Mapping[int, float]
) -> _Looked:
    """Return the fits; where a known face is seen elsewhere, one from there.

    A rim of little contrast among print and shadows is not found by its edges, and a
    printed ring may be taken for it. A face is seen within a few millimetres of its
    place, and the rim is fitted from there. If that rim too is elsewhere, the face
    alone says where the disc lies, as well as faces are printed in the middle. A whole
    rim stays, less sure, unless the face is seen well.
    """
    looked = _Looked(list(fits), {}, set(), set())
    if judge.face is None:
        return looked
    places = judge.places
    likeness = [alike.get(n, 0.0) for n in range(len(fits))]
    doubtful = [n for n, fit in enumerate(fits) if not _is_settled(fit, likeness[n])]
    seen = _seen_near(judge, fits, likeness, doubtful)
    elsewhere = [
        n
        for n, (best, place) in zip(doubtful, seen, strict=True)
        if best >= CLEAR_FACE and not agrees(fits[n], place)
    ]
    looked.whole.update(
        n
        for n, (best, _) in zip(doubtful, seen, strict=True)
        if n in elsewhere and best < NEAR_FACE and _is_whole(fits[n])
    )
    elsewhere = [n for n in elsewhere if n not in looked.whole]
    where = {n: place for n, (_, place) in zip(doubtful, seen, strict=True)}
    at = np.array([where[n] for n in elsewhere]).reshape(-1, 2)
    there = _lined(judge, places.at(elsewhere, at))
    again = dict(zip(elsewhere, _tried(there), strict=True))
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
            contrast = _contrast(fits[n])
            looked.fits[n] = RimFit(
                place, alone, 0.0, MIN_RIM, contrast, radius_sigmas=other
            )
            looked.alone.add(n)
    return looked


def _seen_near(
    judge: _Judge,
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
        places.centres_mm[n] if likeness[n] < CLEAR_FACE else _middle(fits[n])
        for n in doubtful
    ]
    seen = best_faces(Faces(places, judge.face), doubtful, starts, wide)
    return [
        (likeness[n], fit.centre_mm)
        if isinstance(fit, RimFit)
        and 1 - best > FACE_BETTER * (1 - likeness[n])
        and not _is_vague(fit)
        and not agrees(fit, place)
        else (best, place)
        for n, fit, (best, place) in zip(
            doubtful, [fits[n] for n in doubtful], seen, strict=True
        )
    ]


def _is_whole(fit: RimFit | str) -> bool:
    return isinstance(fit, RimFit) and fit.rim_share >= WHOLE_RIM and not _is_vague(fit)


def _is_vague(fit: RimFit, sigma_mm: float = VAGUE_MM) -> bool:
    return float(np.trace(fit.covariance_mm2)) > 2 * sigma_mm**2


def _middle(fit: RimFit | str) -> Array:
    assert isinstance(fit, RimFit)
    return fit.centre_mm


def _contrast(fit: RimFit | str) -> float:
    return 40.0 if isinstance(fit, str) else fit.contrast
