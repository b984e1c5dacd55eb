"""A photo of a mat as the page shows it: scored, with each chip that lies near a line.

The close-ups are drawn from millimetres, not cut from the picture: the line with its
95 % band, the chip, its centre.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from companion.corrections import correct
from companion.labels import CardFace, capital
from companion.measure.lines import NearLine, near_lines
from companion.measure.picture import distance
from companion.measure.score import board_options, board_pieces
from companion.referee import Reading, Scored, Terms, score_snapshot
from companion.store import Record
from companion.tables.gear import read_gear
from companion.web.looking import looking

if TYPE_CHECKING:
    from companion.measure.score import Setup
    from engines.warstones.resolve import Resolved

BAND = 1.96
"""Half the width of a 95 % interval, in sigmas."""
AROUND = 1.9
"""What a close-up shows, in radii of the chip around its centre."""
MOST = 6


@dataclass(frozen=True, slots=True)
class CloseUp:
    """One chip near a line, in millimetres, y down as SVG has it."""

    piece: str
    name: str
    words: str
    """How far from which line, and how sure that is."""
    share_percent: float
    box: str
    """The view box."""
    radius: float
    x: float
    y: float
    paths: tuple[str, ...]
    """The outlines of the area."""
    band: float
    """Width of the band around the line."""
    is_close: bool
    rulings: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SeenBoard:
    """A record of a measured game, scored."""

    setup: Setup
    scored: Scored
    chips: tuple[Resolved, ...]


def scored_board(record: Record) -> SeenBoard:
    """Return a photo of a mat as it counts now; raise `CompanionError` if its mat or
    kit is gone."""
    from engines.warstones import GAME  # noqa: PLC0415 - imports shapely
    from engines.warstones.resolve import resolve  # noqa: PLC0415 - as above

    setup = looking().board(read_gear(record.gear))
    seen = correct(record.observation, record.corrections)
    options = board_options(setup, record.chosen_options)
    measured = tuple(one for one in seen.placements if one.position is not None)
    snapshot = GAME.layout(board_pieces(replace(seen, placements=measured)), options)
    terms = Terms(record.game, record.chosen_options, record.answers)
    reading = Reading(seen, seen.findings)
    scored = score_snapshot(reading, terms, snapshot, options, strict=False)
    answers = {question.id: value for question, value in scored.answered}
    return SeenBoard(setup, scored, resolve(snapshot, options, answers))


def closeups(board: SeenBoard, language: str) -> tuple[CloseUp, ...]:
    """Return the chips that a line runs under, the most doubtful first."""
    nears = near_lines(board.setup.mat.mat, board.chips)
    return tuple(_closeup(near, language) for near in nears[:MOST])


def chip_names(record: Record, language: str) -> Mapping[str, str]:
    """Return label -> name of every unit and token of the record's kit."""
    faces = looking().board(read_gear(record.gear)).kit.data["faces"]
    return {
        face["label"]: face.get(language, face.get("en", face["label"]))
        for face in faces
    }


def chip_face(label: str, names: Mapping[str, str]) -> CardFace:
    """Return how a unit is shown."""
    name = names.get(label, label)
    return CardFace(label, name, name, "other")


def _closeup(near: NearLine, language: str) -> CloseUp:
    from companion.measure.picture import rings  # noqa: PLC0415 - imports shapely

    disc = near.chip.seen.footing.disc
    reach = AROUND * disc.radius_mm
    return CloseUp(
        piece=near.chip.seen.piece,
        name=capital(near.chip.name.render(language)),
        words=distance(near, language),
        share_percent=100 * near.share,
        box=f"{disc.x_mm - reach:.1f} {-disc.y_mm - reach:.1f}"
        f" {2 * reach:.1f} {2 * reach:.1f}",
        radius=round(disc.radius_mm, 2),
        x=round(disc.x_mm, 2),
        y=round(-disc.y_mm, 2),
        paths=tuple(
            "M" + "L".join(f"{x:.1f} {-y:.1f}" for x, y in ring) + "Z"
            for ring in rings(near.area)
        ),
        band=round(2 * BAND * near.line.sigma, 3),
        is_close=near.is_close,
        rulings=near.rulings,
    )
