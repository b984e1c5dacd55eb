"""A board game with discs: frame, mat and kit -> observation, in millimetres.

The stages of architecture.md section 3 for measuring: locate (`board_locate`), detect,
refine and identify (`board_discs`), place. Where the picture does not allow it there is
a `TableNotFound`, and nothing is measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from vision.board_checks import (
    discs_objection,
    has_few_pixels,
    lens_findings,
    map_objection,
    picture_objection,
    why_unseen,
)
from vision.board_discs import (
    hardly_seen,
    in_order,
    measured,
    not_blocks,
    not_the_mat,
    read_tokens,
    worth_asking,
)
from vision.board_locate import locate
from vision.board_types import BoardKit, BoardLook, BoardMat, Seen
from vision.detect import Detect, whole_view
from vision.geometry import Camera, TableMap
from vision.observing import Stopwatch, observed, plain_quad
from vision.quality import assess
from vision.types import (
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

__all__ = ["BoardKit", "BoardLook", "BoardMat", "look"]

DETECT_PX = 1280
"""Long side of the picture for the detector."""


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
    the picture), ``another_lens`` (the picture of a picture), ``too_small`` (chips have
    too few pixels), ``blurred``, ``moving``, ``other_size`` (than the kit says).
    """
    watch = Stopwatch()
    # Both are OpenCV's for the most part, and wait for each other on one core only.
    with ThreadPoolExecutor(1) as beside:
        later = beside.submit(assess, frame.bgr)
        table = locate(frame, mat, camera, taps_px)
        findings = later.result()
    if has_few_pixels(frame.bgr, mat.bounds_mm, kit.chip, table):
        table = TableNotFound("too_small")
    elif reason := picture_objection(findings):
        table = TableNotFound(reason)
    watch.lap("locate")
    if table == TableNotFound("mat_not_seen"):
        table = TableNotFound(why_unseen(frame.bgr) or "mat_not_seen")
    if isinstance(table, TableMap):
        objection = map_objection(table, mat.bounds_mm, kit.chip, camera)
        table = TableNotFound(objection) if objection else table
    if isinstance(table, TableNotFound):
        return BoardLook(_observation(frame, table, (), findings, watch), table)
    boxes = _boxes(frame.bgr, detect)
    watch.lap("detect")
    tapped = taps_px is not None
    return _look(frame, table, mat, kit, boxes, findings, watch, tapped=tapped)


def _look(
    frame: Frame,
    table: TableMap,
    mat: BoardMat,
    kit: BoardKit,
    boxes: Sequence[Detection],
    findings: Sequence[Finding],
    watch: Stopwatch,
    *,
    tapped: bool,
) -> BoardLook:
    bgr = frame.bgr
    tokens = read_tokens(bgr, table, mat, kit)
    watch.lap("tokens")
    seen, unclear = measured(bgr, table, mat, kit, boxes)
    watch.lap("measure")
    found = [one.disc for one in seen]
    refusal = discs_objection(found, unclear, tapped=tapped)
    if mat.reference is not None:
        seen = not_the_mat(bgr, table, seen, [], mat.reference)
    seen = not_blocks(bgr, table, seen, kit)
    watch.lap("identify")
    if refusal:
        refused = TableNotFound(refusal)
        return BoardLook(_observation(frame, refused, (), (), watch), refused)
    rough = hardly_seen(unclear, [*seen, *tokens], kit)
    if mat.reference is not None:
        rough = not_the_mat(bgr, table, rough, seen, mat.reference)
    rough = not_blocks(bgr, table, rough, kit)
    chips = in_order([*worth_asking(seen, tokens), *rough])
    placements = [
        *(_placement(f"c{n}", table, chip) for n, chip in enumerate(chips, 1)),
        *(_placement(f"t{n}", table, token) for n, token in enumerate(tokens, 1)),
    ]
    told = (*_told(chips), *lens_findings(table.camera), *findings)
    return BoardLook(_observation(frame, table, placements, told, watch), table)


def _boxes(bgr: Bgr, detect: Detect | None) -> list[Detection]:
    if detect is None:
        return []
    found = detect(bgr, [whole_view(bgr, DETECT_PX)])
    return [thing for thing in found if thing.kind is Kind.DISC]


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
        position=_position(seen),
        diameter_mm=disc.size.diameter_mm,
    )


def _position(seen: Seen) -> Position:
    return replace(seen.disc.position, angle_deg=round(seen.read.angle_deg, 1))


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
    return observed(frame, found, tuple(placements), tuple(findings), watch)
