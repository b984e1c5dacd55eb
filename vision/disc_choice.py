"""Which of the places of a disc is right: rims, rivals, and the face if it is known."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from vision.blur import UNTOLD, Blur
from vision.disc_faces import FaceLikeness
from vision.disc_judge import (
    FACE_WEIGHT,
    Judge,
    contrast_of,
    is_alone,
    likeness_of,
    middle_of_fit,
    moved,
    tried,
)
from vision.disc_places import NoPlace, Place
from vision.errors import GeometryError
from vision.face_witness import finished, looked_for
from vision.geometry import TableMap
from vision.rim_fit import Places, sharper
from vision.rim_verdict import RimFit
from vision.types import Array

MIN_PARALLAX_PX = 1.5
"""Thinner sides are too thin to take one rim for the other."""
CLEARLY_BETTER, WORTH_TRYING, BEST_TRIED = 0.03, 0.12, 0.2
"""Of the share that is explained: what tells two places apart, and by how much less one
may explain than the disc does here, or elsewhere, before its rim is fitted."""
RIM_WEIGHT = 0.35
"""Of the share of the rim that a fit rests on, against that share."""
ROUGHLY, MOST_SUPPORT = 0.2, 1.0
"""How far off a rough look at a face may be, and the most that edges can add: what has
no hope is not looked at closely."""
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
MOST_WIDER = 1.5
"""How many times as wide as edges say rims may be, however many they are: they agree
by far better, but three pale chips on a pale mat said 3.4 px instead of 0.8."""


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
    widest_px = math.inf if blur == UNTOLD else MOST_WIDER * blur.own_px
    blur = replace(blur, own_px=min(blur.own_px, FIRST_BLUR_PX))
    votes = [place.start.votes for place in places]
    there = Places(table, sizes, patches, at, blur)
    judge = _sharpened(Judge(there, votes, face), widest_px)
    fits = tried(judge.places)
    alike = likeness_of(judge, fits, range(len(fits)))
    alone = {n for n, like in alike.items() if is_alone(fits[n], like)}
    around = moved(judge.places, fits).centres_mm
    owners, others = _others(places, around, alone)
    if owners:
        first, fits = fits, _best_of(judge, fits, alike, owners, others)
        changed = [n for n, fit in enumerate(fits) if fit is not first[n]]
        same = {n: like for n, like in alike.items() if n not in changed}
        alike = same | likeness_of(judge, fits, changed)
    looked = looked_for(judge, fits, alike)
    return finished(judge, looked), judge.places.blur


def _sharpened(judge: Judge, widest_px: float) -> Judge:
    """Return the judge with the blur that the clearest rims show, unless too wide."""
    clear = sorted(range(len(judge.votes)), key=lambda n: -judge.votes[n])
    chosen = clear[:BLUR_WITNESSES]
    some = judge.places.at(chosen, judge.places.centres_mm[chosen])
    try:
        finer = sharper(some)
    except GeometryError:
        return judge
    if len(chosen) < FEWEST_WITNESSES:
        widest_px = judge.places.blur.own_px
    if finer.own_px > widest_px:
        return judge
    return replace(judge, places=replace(judge.places, blur=finer))


def _best_of(
    judge: Judge,
    fits: list[RimFit | str],
    alike: Mapping[int, float],
    owners: Sequence[int],
    others: Array,
) -> list[RimFit | str]:
    """Return the fits, better ones from other places where there are any; `alike` is
    how much faces are alike where they are."""
    contrasts = np.array([contrast_of(fit) for fit in fits])
    some = [n for n in sorted(set(owners)) if isinstance(fits[n], RimFit)]
    here = np.zeros(len(fits))
    at = np.array([middle_of_fit(fits[n]) for n in some]).reshape(-1, 2)
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
    again = tried(judge.places.at(owner[worth].tolist(), others[worth]))
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


def _decided(
    judge: Judge,
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
    contrasts = np.array([contrast_of(fits[n]) for n, fit in good])
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
