"""The JSON of `read` and `score`; its shape is `schemas/*.json`.

The terminal and the page's API give the same documents, one line each.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

from companion.i18n import N_, say
from companion.referee import Reading, Scored, game_kit, open_questions
from companion.sentences import finding_sentence, image_sentence
from engines.core import Cell, Kit, Question, Ruling, Text, number
from engines.core import Finding as GameFinding
from vision.errors import ImageError
from vision.types import Finding, Observation, Placement, TableFound

Json: TypeAlias = dict[str, Any]
SCHEMAS = Path(__file__).parent / "schemas"


def read_json(reading: Reading, language: str, kit: Kit | None = None) -> Json:
    """Return the document of `arbitro read`."""
    observation = reading.observation
    return {
        "frame": {
            "id": observation.frame,
            "source": observation.source,
            "width_px": observation.width_px,
            "height_px": observation.height_px,
        },
        "language": language,
        "table": table_json(observation),
        "placements": [placement_json(item) for item in observation.placements],
        "findings": [finding_json(item, language, kit) for item in reading.findings],
        "timings_ms": {
            stage: round(spent_ms, 2) for stage, spent_ms in observation.timings_ms
        },
    }


def score_json(scored: Scored, language: str) -> Json:
    """Return the document of `arbitro score`: that of `read`, and the sheet."""
    document = read_json(scored.reading, language, game_kit(scored.terms.game))
    document["findings"] += [
        game_finding_json(finding, language) for finding in scored.sheet.findings
    ]
    return document | {
        "game": scored.terms.game,
        "options": dict(scored.terms.options),
        "answers": {question.id: value for question, value in scored.answered},
        "sheet": sheet_json(scored, language),
        "rulings": [ruling_json(item, language) for item in scored.sheet.rulings],
        "questions": [question_json(q, language) for q in open_questions(scored)],
    }


def error_json(source: str, code: str, sentence: str) -> Json:
    """Return the document of a picture that could not be read."""
    frame = {"id": None, "source": source, "width_px": None, "height_px": None}
    return {"frame": frame, "error": sentence, "code": code}


def image_error_json(error: ImageError, source: str, language: str) -> Json:
    """Return the document of a picture that vision refused."""
    return error_json(source, error.code, image_sentence(error.code, language))


def table_json(observation: Observation) -> Json:
    table = observation.table
    if isinstance(table, TableFound):
        residual_mm = round(table.residual_mm, 3)
        return {
            "found": True,
            "residual_mm": residual_mm,
            "references": table.references,
        }
    return {"found": False, "reason": table.reason}


def placement_json(placement: Placement) -> Json:
    document: Json = {
        "id": placement.id,
        "kind": str(placement.kind),
        "label": placement.identity.label,
        "candidates": [
            [label, round(share, 4)] for label, share in placement.identity.candidates
        ],
        "score": round(placement.score, 4),
        "quad_px": [[round(x, 2), round(y, 2)] for x, y in placement.quad_px],
        "visible": round(placement.visible, 3),
        "order": placement.order,
    }
    if placement.diameter_mm is not None:
        document["diameter_mm"] = round(placement.diameter_mm, 2)
    if placement.touched:
        document["touched"] = True
    if placement.deck is not None:
        document["deck"] = placement.deck
    if (position := placement.position) is not None:
        document |= {
            "x_mm": round(position.x_mm, 2),
            "y_mm": round(position.y_mm, 2),
            "angle_deg": round(position.angle_deg, 2),
            "sigma_mm": round(position.sigma_mm, 3),
        }
    return document


def finding_json(finding: Finding, language: str, kit: Kit | None = None) -> Json:
    return {
        "code": finding.code,
        "text": finding_sentence(finding, language, kit),
        "values": dict(finding.values),
        "placements": list(finding.placements),
    }


def game_finding_json(finding: GameFinding, language: str) -> Json:
    return {
        "code": finding.text.id,
        "text": finding.text.render(language),
        "values": {
            name: value.render(language) if isinstance(value, Text) else value
            for name, value in finding.text.values
        },
        "placements": list(finding.pieces),
    }


def sheet_json(scored: Scored, language: str) -> Json:
    """Return row key -> cell key -> value; the totals are the row ``total``."""
    rows = {row.key: _cells(row.cells, language) for row in scored.sheet.rows}
    if scored.sheet.totals:
        rows["total"] = _cells(scored.sheet.totals, language)
    return rows


def ruling_json(ruling: Ruling, language: str) -> Json:
    document: Json = {
        "claim": ruling.claim.render(language),
        "verdict": str(ruling.verdict),
        "reason": ruling.reason.render(language),
        "rule": str(ruling.rule),
        "evidence": [
            {"fact": item.fact.render(language), "source": item.source}
            for item in ruling.evidence
        ],
    }
    if (margin := ruling.margin) is not None:
        document["margin"] = {
            "value": margin.value,
            "sigma": margin.sigma,
            "unit": margin.unit,
        }
    if ruling.grounds:
        document["grounds"] = [ruling_json(item, language) for item in ruling.grounds]
    return document


def question_json(question: Question, language: str) -> Json:
    return {
        "id": question.id,
        "to": question.to,
        "text": question.text.render(language),
        "options": [
            {"value": option.value, "text": option.text.render(language)}
            for option in question.options
        ],
        "default": question.default,
        "rule": None if question.rule is None else str(question.rule),
        "placements": list(question.pieces),
    }


def _cells(cells: tuple[Cell, ...], language: str) -> Json:
    figures: Json = {}
    for cell in cells:
        value = cell.value
        if isinstance(value, Text):
            figures[cell.key] = value.render(language)
        elif isinstance(value, tuple):
            figures[cell.key] = list(value)
        else:
            figures[cell.key] = value
    return figures


def table_line(observation: Observation, language: str) -> str:
    """Return one sentence on what the millimetres rest on."""
    table = observation.table
    if isinstance(table, TableFound):
        return say(
            language,
            N_("Table located from %(references)s references, residual %(mm)s mm."),
            references=table.references,
            mm=number(table.residual_mm, 2 if table.residual_mm < 1 else 1),
        )
    return ""
