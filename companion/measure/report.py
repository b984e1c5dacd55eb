"""The JSON of a measured board: that of `score`, and what lies near which line."""

from __future__ import annotations

from companion.measure.lines import NearLine, near_lines
from companion.measure.score import Board, ScoredBoard
from companion.report import Json, ruling_json, score_json
from engines.core import Ruling


def board_json(scored: ScoredBoard, language: str) -> Json:
    """Return the document of `arbitro score` for a measured game."""
    document = score_json(scored.scored, language)
    return document | {"board": _board(scored.board, scored, language)}


def rule_json(
    scored: ScoredBoard, near: NearLine | None, ruling: Ruling, language: str
) -> Json:
    """Return the document of `arbitro rule`."""
    document = board_json(scored, language)
    return {
        "frame": document["frame"],
        "language": language,
        "table": document["table"],
        "game": document["game"],
        "board": document["board"] | {"lines": []},
        "line": None if near is None else line_json(near, language),
        "ruling": ruling_json(ruling, language),
        "findings": document["findings"],
    }


def line_json(near: NearLine, language: str) -> Json:
    """Return one chip near a line."""
    return {
        "placement": near.chip.seen.piece,
        "label": near.chip.label,
        "area": near.area.id,
        "kind": near.area.kind.value,
        "share": round(near.share, 4),
        "line_mm": round(near.line.value, 3),
        "sigma_mm": round(near.line.sigma, 3),
        "band_mm": round(1.96 * near.line.sigma, 3),
        "rulings": [ruling_json(item, language) for item in near.rulings],
    }


def _board(board: Board, scored: ScoredBoard, language: str) -> Json:
    focal = board.table.camera
    return {
        "mat": board.setup.mat.name,
        "kit": board.setup.kit.name,
        "camera": board.setup.camera,
        "focal_px": round(sum(focal.focal_px) / 2, 1),
        "camera_height_mm": round(float(board.table.position_mm[2]), 1),
        "lines": [
            line_json(near, language)
            for near in near_lines(board.setup.mat.mat, scored.chips)
        ],
    }
