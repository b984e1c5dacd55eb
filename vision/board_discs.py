"""The discs on a board: found, measured, named; and what must be asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from vision.board_prints import EmptyMat
from vision.board_types import BoardKit, BoardMat, Seen
from vision.chips import FACE_ALONE, ChipRead, face_likeness, read_chip, read_chips
from vision.disc_finder import (
    FAINT_VOTE,
    MIN_VOTE,
    SAME_PLACE,
    SOME_RIM,
    SURE_LIKENESS,
    Evidence,
    Seed,
    find_discs,
    not_printed,
    only_real,
    with_boxes,
)
from vision.discs import (
    Disc,
    DiscFound,
    DiscUnclear,
    do_overlap,
    measure_discs,
    settle_heights,
)
from vision.errors import GeometryError
from vision.geometry import TableMap
from vision.locate_mat import MatReference
from vision.rim import DiscSize
from vision.straight_sides import straightness
from vision.types import UNKNOWN, Bgr, Detection, Position

BEYOND = 0.75
"""Of a chip's diameter: so far beyond the mat chips are looked for."""
CLEAR_VOTE, SOME_LIKENESS = 0.4, 0.5
"""What nobody knows is taken for a disc if its rim is as clear as that, or its face as
much like a known one."""
SURE_RIM = 0.7
UNCLEAR_VOTE = 0.55
"""Votes of a finder from which on a disc that was refused is told of."""
WORTH_TELLING = frozenset(
    {
        "two_rims",
        "little_rim",
        "no_rim",
        "other_size",
        "inexact",
        "blurred",
        "moving",
        "outside",
    }
)
"""Refusals behind which there may well be a chip."""
ROUGH_SHARE = 0.15
"""Sigma of a place where a disc was found but not measured, of its diameter."""
NOTHING = DiscUnclear("same")
BLOCK, BLOCK_NAMED = 0.6, 0.7
"""Share of edges along two directions from which on it is a block, and what looks like
a known face as well. Of 960 chips on rendered boards (seed 20261205) three in a
thousand had more than 0.58, of 13 tops of Fortresses none less than 0.60."""
ON_A_TOKEN = 0.6
"""Of a token's diameter: what else is found so near to it is the token."""


def measured(
    bgr: Bgr, table: TableMap, mat: BoardMat, kit: BoardKit, boxes: Sequence[Detection]
) -> tuple[list[Seen], list[DiscUnclear]]:
    """Return the discs of a chip's size, and what may be one but was refused."""
    seeds = with_boxes(_seeds(bgr, table, mat, kit), boxes, table, kit.chip)
    empty = None if mat.reference is None else EmptyMat(bgr, table, mat.reference)
    if empty is not None:
        seeds = not_printed(seeds, table, kit.chip, empty)
    face = face_likeness(bgr, table, kit.chips) if kit.chips.labels else None
    places = [(kit.chip, seed.at_px) for seed in seeds]
    votes = [seed.vote for seed in seeds]
    measured = measure_discs(bgr, table, places, face=face, votes=votes)
    reads = _reads(bgr, table, measured, kit)
    alike = {n: read.likeness for n, read in reads.items()} if face else None
    evidence = Evidence.of(measured, seeds, alike, empty)
    likely = only_real(measured, evidence, closest=SAME_PLACE, with_doubtful=True)
    raised = settle_heights(bgr, table, likely)
    kept = only_real(_on_known_ones(raised, likely, evidence), evidence)
    # A disc that was raised onto another one shows its face elsewhere.
    known = {n: read for n, read in reads.items() if kept[n] is measured[n]}
    seen = _named(bgr, table, kept, known, kit)
    faint = [
        now
        for first, now in zip(measured, kept, strict=True)
        if isinstance(first, DiscFound)
        and isinstance(now, DiscUnclear)
        and now.reason == "inexact"
    ]
    unclear = [
        disc
        for disc, seed in zip(measured, seeds, strict=True)
        if isinstance(disc, DiscUnclear)
        and disc.reason in WORTH_TELLING
        and seed.vote >= UNCLEAR_VOTE
    ]
    return seen, [*faint, *unclear]


def _on_known_ones(
    raised: Sequence[Disc], before: Sequence[Disc], evidence: Evidence
) -> list[Disc]:
    """Return the discs; one on another that may be none, or of which only the face says
    where it lies, has an unknown height, and so an unknown place."""
    result = list(raised)
    doubtful = [
        disc
        for n, disc in enumerate(before)
        if isinstance(disc, DiscFound)
        and evidence.is_doubtful(n)
        and not (disc.shows_rim and evidence.is_known(n))
    ]
    for n, disc in enumerate(raised):
        if isinstance(disc, DiscFound) and disc.order:
            own = before[n]
            assert isinstance(own, DiscFound)
            # Where it was seen before it was raised: that is why it was.
            if any(one is not own and do_overlap(own, one) for one in doubtful):
                result[n] = DiscUnclear("inexact", disc.at_mm)
    return result


def _reads(
    bgr: Bgr, table: TableMap, discs: Sequence[Disc], kit: BoardKit
) -> dict[int, ChipRead]:
    """Return number -> which one it is, of the discs that were measured."""
    found = {n: disc for n, disc in enumerate(discs) if isinstance(disc, DiscFound)}
    reads = read_chips(bgr, table, list(found.values()), kit.chips)
    return dict(zip(found, reads, strict=True))


def _named(
    bgr: Bgr,
    table: TableMap,
    discs: Sequence[Disc],
    known: Mapping[int, ChipRead],
    kit: BoardKit,
) -> list[Seen]:
    """Return the discs with which one each is; those not known yet are read."""
    new = [NOTHING if n in known else disc for n, disc in enumerate(discs)]
    reads = {**_reads(bgr, table, new, kit), **known}
    return [
        Seen(disc, reads[n])
        for n, disc in enumerate(discs)
        if isinstance(disc, DiscFound)
    ]


def _seeds(bgr: Bgr, table: TableMap, mat: BoardMat, kit: BoardKit) -> tuple[Seed, ...]:
    left, low, right, high = mat.bounds_mm
    more = BEYOND * kit.chip.diameter_mm
    wide = (left - more, low - more, right + more, high + more)
    # A known face shows a chip whose rim alone would be too faint.
    least = FAINT_VOTE if kit.chips.labels else MIN_VOTE
    try:
        return find_discs(bgr, table, kit.chip, wide, least_vote=least)
    except GeometryError:  # just beyond the mat the lens or the horizon may end
        return find_discs(bgr, table, kit.chip, mat.bounds_mm, least_vote=least)


def read_tokens(bgr: Bgr, table: TableMap, mat: BoardMat, kit: BoardKit) -> list[Seen]:
    """Return the tokens that could be read, one at most at each spot."""
    if kit.token is None or kit.tokens is None or not kit.tokens.labels:
        return []
    face = face_likeness(bgr, table, kit.tokens)
    found = []
    for x, y in mat.spots_mm:
        reach = mat.spot_reach_mm + kit.token.diameter_mm / 2
        area = (x - reach, y - reach, x + reach, y + reach)
        seeds = find_discs(bgr, table, kit.token, area, most=6)
        places = [(kit.token, seed.at_px) for seed in seeds]
        votes = [seed.vote for seed in seeds]
        there = [
            Seen(disc, read_chip(bgr, table, disc, kit.tokens))
            for disc in measure_discs(bgr, table, places, face=face, votes=votes)
            if isinstance(disc, DiscFound)
        ]
        there.sort(key=lambda seen: -seen.read.likeness)
        found += [seen for seen in there[:1] if seen.is_named]
    return found


def not_the_mat(
    bgr: Bgr,
    table: TableMap,
    chips: Sequence[Seen],
    surer: Sequence[Seen],
    mat: MatReference,
) -> list[Seen]:
    doubtful = [one for one in chips if not _is_beyond_doubt(one)]
    sure = [one.disc for one in (*surer, *chips) if one not in doubtful]
    sureness = [one.disc.votes + one.read.likeness for one in doubtful]
    discs = [one.disc for one in doubtful]
    real = EmptyMat(bgr, table, mat).without_mat(discs, sureness, sure)
    return [one for one in chips if one not in doubtful or one.disc in real]


def not_blocks(
    bgr: Bgr, table: TableMap, chips: Sequence[Seen], kit: BoardKit
) -> list[Seen]:
    """Return the chips without what has straight sides, such as a Fortress; one whose
    face is seen, though not beyond doubt, without its name: people say what it is."""
    doubtful = [one for one in chips if not _is_beyond_doubt(one)]
    at = np.array([one.disc.centre_mm for one in doubtful]).reshape(-1, 2)
    radius_mm = kit.chip.diameter_mm / 2
    straight = straightness(bgr, table, at, radius_mm, kit.chip.top_mm)
    blocks = {
        id(one)
        for one, share in zip(doubtful, straight, strict=True)
        if share > (BLOCK_NAMED if one.is_named else BLOCK)
    }
    kept = (_unless_block(one) if id(one) in blocks else one for one in chips)
    return [one for one in kept if one is not None]


def _unless_block(one: Seen) -> Seen | None:
    # Print beside a pale chip is straight too: a face that is seen so well, with some
    # rim, is no block.
    if not one.is_named or one.read.likeness < FACE_ALONE:
        return None
    if one.read.likeness >= SURE_LIKENESS and one.disc.votes >= SOME_RIM:
        return one
    unnamed = replace(one.read.identity, label=None)
    return replace(one, read=replace(one.read, identity=unnamed), doubt="straight")


def _is_beyond_doubt(one: Seen) -> bool:
    """Return whether a face and a rim are seen so well that they need no other
    witness: no gap between chips looks like that."""
    return one.read.likeness >= SURE_LIKENESS and one.disc.rim_share >= SURE_RIM


def worth_asking(chips: Sequence[Seen], tokens: Sequence[Seen]) -> list[Seen]:
    """Return the chips without what is a token, and what shows too little to be asked
    about."""
    kept = []
    for seen in chips:
        on_token = any(
            seen.is_near(
                (token.disc.position.x_mm, token.disc.position.y_mm),
                ON_A_TOKEN * token.disc.size.diameter_mm,
            )
            for token in tokens
        )
        likely = seen.disc.votes >= CLEAR_VOTE or seen.read.likeness >= SOME_LIKENESS
        if not on_token and (seen.is_named or likely):
            kept.append(seen)
    return kept


def hardly_seen(
    unclear: Sequence[DiscUnclear], known: Sequence[Seen], kit: BoardKit
) -> list[Seen]:
    """Return what may be chips and was refused: unnamed, at a rough place, so that
    people are asked and nothing that depends on it is taken for known."""
    found: list[Seen] = []
    size = kit.chip
    for disc in unclear:
        at = disc.seed_mm
        if at is None or any(
            one.is_near(at, 0.5 * size.diameter_mm) for one in (*known, *found)
        ):
            continue
        rough = DiscFound(rough_place(at, size), size, 0.0, CLEAR_VOTE, 0.0, 0.0, 0.0)
        found.append(Seen(rough, ChipRead(UNKNOWN, 90.0, 0.0), disc.reason))
    return found


def rough_place(at_mm: ArrayLike, size: DiscSize) -> Position:
    """Return the place of a disc that was found but not measured at (2,)."""
    x_mm, y_mm = np.asarray(at_mm, float).tolist()
    variance = (ROUGH_SHARE * size.diameter_mm) ** 2
    return Position(x_mm, y_mm, 0.0, (variance, 0.0, variance))


def in_order(chips: Sequence[Seen]) -> list[Seen]:
    """Return chips from the far edge to the near one, left to right."""
    return sorted(
        chips,
        key=lambda seen: (-round(seen.disc.position.y_mm), seen.disc.position.x_mm),
    )
