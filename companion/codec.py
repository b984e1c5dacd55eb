"""Observations and questions as JSON values and back, to be kept without loss."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any, TypeAlias

from engines.core import Number, Option, Question, RuleRef, Seat, Text
from engines.core.text import Value
from vision.types import (
    Finding,
    FrameId,
    Identity,
    Kind,
    Observation,
    Placement,
    Position,
    TableFound,
    TableNotFound,
)

Json: TypeAlias = dict[str, Any]


def to_json(observation: Observation) -> Json:
    """Return plain JSON values that `from_json` turns back into an equal record."""
    return asdict(observation) | {"taken_at": observation.taken_at.isoformat()}


def from_json(document: Json) -> Observation:
    """Return the observation that `to_json` wrote."""
    return Observation(
        frame=FrameId(document["frame"]),
        source=document["source"],
        width_px=document["width_px"],
        height_px=document["height_px"],
        taken_at=datetime.fromisoformat(document["taken_at"]),
        table=_table(document["table"]),
        placements=tuple(map(_placement, document["placements"])),
        findings=tuple(map(_finding, document["findings"])),
        timings_ms=tuple((stage, ms) for stage, ms in document["timings_ms"]),
    )


def _table(value: Json) -> TableFound | TableNotFound:
    return TableNotFound(**value) if "reason" in value else TableFound(**value)


def _placement(value: Json) -> Placement:
    position = value["position"]
    return Placement(
        **value
        | {
            "kind": Kind(value["kind"]),
            "identity": _identity(value["identity"]),
            "quad_px": tuple((x, y) for x, y in value["quad_px"]),
            "position": None if position is None else _position(position),
        }
    )


def _identity(value: Json) -> Identity:
    candidates = tuple((label, share) for label, share in value["candidates"])
    return Identity(value["label"], candidates, value["margin"])


def _position(value: Json) -> Position:
    xx, xy, yy = value["covariance_mm2"]
    return Position(
        value["x_mm"], value["y_mm"], value["angle_deg"], covariance_mm2=(xx, xy, yy)
    )


def _finding(value: Json) -> Finding:
    values = tuple((name, item) for name, item in value["values"])
    return Finding(value["code"], values, tuple(value["placements"]))


def question_to_json(question: Question) -> Json:
    """Return plain JSON values that `question_from_json` turns back."""
    return {
        "id": question.id,
        "to": question.to,
        "text": _text_to_json(question.text),
        "options": [
            [option.value, _text_to_json(option.text), option.move]
            for option in question.options
        ],
        "default": question.default,
        "rule": None if question.rule is None else question.rule.number,
        "pieces": list(question.pieces),
    }


def question_from_json(document: Json) -> Question:
    """Return the question that `question_to_json` wrote."""
    to, rule = document["to"], document["rule"]
    return Question(
        document["id"],
        None if to is None else Seat(to),
        _text(document["text"]),
        tuple(Option(value, _text(text), m) for value, text, m in document["options"]),
        document["default"],
        None if rule is None else RuleRef(rule),
        tuple(document["pieces"]),
    )


def _text_to_json(text: Text) -> Json:
    return {
        "id": text.id,
        "values": [[name, _value_to_json(value)] for name, value in text.values],
    }


def _value_to_json(value: Value) -> Any:
    """Numbers that languages write in their own way, and sentences, are told apart."""
    if isinstance(value, Text):
        return _text_to_json(value)
    return {"number": str(value)} if isinstance(value, Number) else value


def _text(document: Json) -> Text:
    values = ((name, _value(value)) for name, value in document["values"])
    return Text(document["id"], tuple(values))


def _value(value: Any) -> Value:
    if not isinstance(value, dict):
        found: Value = value
        return found
    return Number(value["number"]) if "number" in value else _text(value)
