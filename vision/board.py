"""A board game with discs: frame, mat and kit -> observation, in millimetres.

The stages of architecture.md section 3 for measuring: locate (printed markers, the
registered mat or four taps), detect and refine (rims), identify (faces), place. Where
the picture does not allow it there is a `TableNotFound`, and nothing is measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.board_checks import (
    is_soft,
    map_objection,
    picture_objection,
    unsharp,
)
from vision.board_prints import without_mat
from vision.chips import ChipGallery, ChipRead, face_likeness, read_chip
from vision.detect import Detect, whole_view
from vision.disc_finder import (
    FAINT_VOTE,
    MIN_VOTE,
    Seed,
    find_discs,
    is_printed,
    only_real,
    with_boxes,
    without_prints,
)
from vision.discs import Disc, DiscFound, DiscUnclear, measure_discs, settle_heights
from vision.errors import GeometryError
from vision.geometry import Camera, TableMap
from vision.locate_markers import locate_by_markers, locate_by_taps
from vision.locate_mat import MatReference, locate_by_mat, looks_like
from vision.markers import MarkerBoard
from vision.pipeline import Stopwatch, plain_quad
from vision.quality import assess
from vision.rim import DiscSize
from vision.types import (
    UNKNOWN,
    Array,
    Bgr,
    Detection,
    Finding,
    Frame,
    Kind,
    Observation,
    Placement,
    Position,
    TableFound,
    TableNotFound,
)

DETECT_PX = 1280
"""Long side of the picture for the detector."""
BEYOND = 0.75
"""Of a chip's diameter: so far beyond the mat chips are looked for."""
CLEAR_VOTE, SOME_LIKENESS = 0.4, 0.5
"""What nobody knows is taken for a disc if its rim is as clear as that, or its face as
much like a known one."""
WORTH_TELLING = frozenset(
    {"two_rims", "little_rim", "no_rim", "inexact", "blurred", "moving", "outside"}
)
"""Refusals behind which there may well be a chip."""
ROUGH_SHARE = 0.15
"""Sigma of a place where a disc was found but not measured, of its diameter."""
ON_A_TOKEN = 0.6
"""Of a token's diameter: what else is found so near to it is the token."""


@dataclass(frozen=True, slots=True, eq=False)
class BoardMat:
    """What is known of a mat: where it ends, and how it can be found."""

    bounds_mm: tuple[float, float, float, float]
    """Left, low, right, high."""
    reference: MatReference | None = None
    markers: MarkerBoard | None = None
    spots_mm: tuple[tuple[float, float], ...] = ()
    """Where tokens lie, if anywhere."""
    spot_reach_mm: float = 40.0


@dataclass(frozen=True, slots=True, eq=False)
class BoardKit:
    """The discs of a game and their faces."""

    chip: DiscSize
    chips: ChipGallery
    token: DiscSize | None = None
    tokens: ChipGallery | None = None


@dataclass(frozen=True, slots=True, eq=False)
class BoardLook:
    """What one frame says of a board, and the map that it rests on."""

    observation: Observation
    table: TableMap | TableNotFound


def look(
    frame: Frame,
    mat: BoardMat,
    kit: BoardKit,
    camera: Camera,
    *,
    taps_px: Array | None = None,
    detect: Detect | None = None,
) -> BoardLook:
    """Return the discs on the mat, measured and named as far as that can be.

    `taps_px` are (4, 2): the mat's corners as a person tapped them, counter-clockwise
    from the near left; `detect` finds discs that edges miss. Reasons for no map: those
    of `locate_by_markers` and `locate_by_mat`, ``cut_off`` (part of the mat is outside
    the picture), ``too_small`` (chips have too few pixels), ``blurred``, ``screen``.
    """
    watch = Stopwatch()
    findings = assess(frame.bgr)
    reason = picture_objection(frame.bgr, findings)
    table = TableNotFound(reason) if reason else locate(frame, mat, camera, taps_px)
    watch.lap("locate")
    if table == TableNotFound("mat_not_seen") and is_soft(frame.bgr):
        table = TableNotFound("blurred")
    if isinstance(table, TableMap):
        objection = map_objection(table, mat.bounds_mm, kit.chip)
        table = TableNotFound(objection) if objection else table
    if isinstance(table, TableNotFound):
        return BoardLook(_observation(frame, table, (), findings, watch), table)
    boxes = _boxes(frame.bgr, detect)
    watch.lap("detect")
    return _look(frame, table, mat, kit, boxes, watch)


def locate(
    frame: Frame, mat: BoardMat, camera: Camera, taps_px: Array | None = None
) -> TableMap | TableNotFound:
    """Return the map: from taps if there are any, else from markers, else from the
    mat's picture."""
    if taps_px is not None:
        left, low, right, high = mat.bounds_mm
        corners = np.array([[left, low], [right, low], [right, high], [left, high]])
        return locate_by_taps(taps_px, corners, camera)
    by_markers = TableNotFound("no_reference")
    if mat.markers is not None:
        found = locate_by_markers(frame.bgr, mat.markers, camera)
        if isinstance(found, TableMap):
            # Many mats carry these markers; their pictures differ.
            known = mat.reference is None or looks_like(frame.bgr, mat.reference, found)
            return found if known else TableNotFound("mat_not_seen")
        by_markers = found
    if mat.reference is None:
        return by_markers
    by_picture = locate_by_mat(frame.bgr, mat.reference, camera)
    if by_picture == TableNotFound("mat_not_seen") and by_markers.reason != (
        "no_reference"
    ):
        return by_markers
    return by_picture


def _look(
    frame: Frame,
    table: TableMap,
    mat: BoardMat,
    kit: BoardKit,
    boxes: Sequence[Detection],
    watch: Stopwatch,
) -> BoardLook:
    bgr = frame.bgr
    tokens = _tokens(bgr, table, mat, kit)
    watch.lap("tokens")
    discs, unclear = _measured(bgr, table, mat, kit, boxes)
    watch.lap("measure")
    seen = [Seen(disc, read_chip(bgr, table, disc, kit.chips)) for disc in discs]
    if mat.reference is not None:
        likenesses = [one.read.likeness for one in seen]
        real = without_mat(bgr, table, discs, likenesses, mat.reference)
        seen = [one for one in seen if one.disc in real]
    watch.lap("identify")
    if reason := unsharp(discs, unclear):
        refused = TableNotFound(reason)
        return BoardLook(_observation(frame, refused, (), (), watch), refused)
    chips = _sorted([*_worth_asking(seen, tokens), *_hardly_seen(unclear, seen, kit)])
    placements = [
        *(_placement(f"c{n}", table, chip) for n, chip in enumerate(chips, 1)),
        *(_placement(f"t{n}", table, token) for n, token in enumerate(tokens, 1)),
    ]
    findings = (*_told(chips), *assess(bgr, placements))
    return BoardLook(_observation(frame, table, placements, findings, watch), table)


@dataclass(frozen=True, slots=True)
class Seen:
    """A disc and which one it is."""

    disc: DiscFound
    read: ChipRead
    doubt: str = ""
    """Why it could not be measured, where only its rough place is known."""

    @property
    def is_named(self) -> bool:
        """Return whether its face is known."""
        return self.read.identity.label is not None

    def is_near(self, at_mm: tuple[float, float], reach_mm: float) -> bool:
        """Return whether its centre lies within reach of a place."""
        return math.dist(self.disc.centre_mm, at_mm) < reach_mm


def _boxes(bgr: Bgr, detect: Detect | None) -> list[Detection]:
    if detect is None:
        return []
    found = detect(bgr, [whole_view(bgr, DETECT_PX)])
    return [thing for thing in found if thing.kind is Kind.DISC]


def _measured(
    bgr: Bgr, table: TableMap, mat: BoardMat, kit: BoardKit, boxes: Sequence[Detection]
) -> tuple[list[DiscFound], list[DiscUnclear]]:
    """Return the discs of a chip's size, and what may be one but was refused."""
    seeds = with_boxes(_seeds(bgr, table, mat, kit), boxes, table, kit.chip)
    face = face_likeness(bgr, table, kit.chips) if kit.chips.labels else None
    places = [(kit.chip, seed.at_px) for seed in seeds]
    measured = measure_discs(bgr, table, places, face=face)
    measured = settle_heights(bgr, table, measured)
    kept: Sequence[Disc] = measured
    if face is not None:
        kept = only_real(bgr, table, measured, seeds, face=face, mat=mat.reference)
    elif mat.reference is not None:
        kept = without_prints(bgr, table, measured, mat.reference)
    discs = [disc for disc in kept if isinstance(disc, DiscFound)]
    unclear = [
        disc
        for disc, seed in zip(measured, seeds, strict=True)
        if isinstance(disc, DiscUnclear)
        and disc.reason in WORTH_TELLING
        and seed.vote >= CLEAR_VOTE
        and not _is_print(bgr, table, mat, kit.chip, disc)
    ]
    return discs, unclear


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


def _is_print(
    bgr: Bgr, table: TableMap, mat: BoardMat, size: DiscSize, disc: DiscUnclear
) -> bool:
    if mat.reference is None or disc.seed_mm is None:
        return False
    there = Position(*disc.seed_mm, 0.0, (0.0, 0.0, 0.0))
    try:
        candidate = DiscFound(there, size, 0.0, 0.0, 0.0, 0.0, 0.0)
        return is_printed(bgr, table, candidate, mat.reference)
    except GeometryError:
        return True


def _tokens(bgr: Bgr, table: TableMap, mat: BoardMat, kit: BoardKit) -> list[Seen]:
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
        there = [
            Seen(disc, read_chip(bgr, table, disc, kit.tokens))
            for disc in measure_discs(bgr, table, places, face=face)
            if isinstance(disc, DiscFound)
        ]
        there.sort(key=lambda seen: -seen.read.likeness)
        found += [seen for seen in there[:1] if seen.is_named]
    return found


def _worth_asking(chips: Sequence[Seen], tokens: Sequence[Seen]) -> list[Seen]:
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


def _hardly_seen(
    unclear: Sequence[DiscUnclear], known: Sequence[Seen], kit: BoardKit
) -> list[Seen]:
    """Return what may be chips and was refused: unnamed, at a rough place, so that
    people are asked and nothing that depends on it is taken for known."""
    found: list[Seen] = []
    size = kit.chip
    variance = (ROUGH_SHARE * size.diameter_mm) ** 2
    for disc in unclear:
        at = disc.seed_mm
        if at is None or any(
            one.is_near(at, 0.5 * size.diameter_mm) for one in (*known, *found)
        ):
            continue
        place = Position(at[0], at[1], 0.0, (variance, 0.0, variance))
        rough = DiscFound(place, size, 0.0, CLEAR_VOTE, 0.0, 0.0, 0.0)
        found.append(Seen(rough, ChipRead(UNKNOWN, 90.0, 0.0), disc.reason))
    return found


def _sorted(chips: Sequence[Seen]) -> list[Seen]:
    """Return chips from the far edge to the near one, left to right."""
    return sorted(
        chips,
        key=lambda seen: (-round(seen.disc.position.y_mm), seen.disc.position.x_mm),
    )


def _told(chips: Sequence[Seen]) -> tuple[Finding, ...]:
    return tuple(
        Finding("disc_unclear", (("reason", chip.doubt),), (f"c{number}",))
        for number, chip in enumerate(chips, 1)
        if chip.doubt
    )


def _placement(id: str, table: TableMap, seen: Seen) -> Placement:
    disc = seen.disc
    turn = math.radians(seen.read.angle_deg - 90)
    c, s = math.cos(turn), math.sin(turn)
    square = np.array([[-1.0, 1], [1, 1], [1, -1], [-1, -1]]) @ [[c, s], [-s, c]]
    quad_mm = disc.centre_mm + square * disc.size.diameter_mm / 2
    return Placement(
        id=id,
        kind=Kind.DISC,
        identity=seen.read.identity,
        score=disc.votes,
        quad_px=plain_quad(table.to_image(quad_mm, disc.size.top_mm)),
        visible=disc.rim_share,
        order=disc.order,
        position=replace(disc.position, angle_deg=round(seen.read.angle_deg, 1)),
        diameter_mm=disc.size.diameter_mm,
    )


def _observation(
    frame: Frame,
    table: TableMap | TableNotFound,
    placements: Sequence[Placement],
    findings: Sequence[Finding],
    watch: Stopwatch,
) -> Observation:
    found: TableFound | TableNotFound = (
        TableFound(table.residual_mm, table.references)
        if isinstance(table, TableMap)
        else table
    )
    return Observation(
        frame.id,
        frame.source,
        frame.bgr.shape[1],
        frame.bgr.shape[0],
        frame.taken_at,
        found,
        tuple(placements),
        tuple(findings),
        tuple((stage, round(ms, 2)) for stage, ms in watch.laps.items()),
    )
