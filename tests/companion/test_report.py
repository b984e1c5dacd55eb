"""The JSON is what its schemas say, in both languages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from companion.referee import Terms, read, score
from companion.report import (
    SCHEMAS,
    error_json,
    image_error_json,
    read_json,
    ruling_json,
    score_json,
)
from engines.core import Evidence, Margin, RuleRef, Ruling, Text, Verdict
from engines.core.text import LANGUAGES
from tests.companion.tables import FIGHT, UNREAD, Laid, observation
from vision.errors import ImageError
from vision.types import Finding

JOKERS = (*FIGHT, Laid("X", -160, -110), Laid("X", -80, -190))
TABLES = {"fight": FIGHT, "unread": UNREAD, "jokers": JOKERS, "empty": ()}


def schema(name: str) -> Draft202012Validator:
    document: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text())
    Draft202012Validator.check_schema(document)
    return Draft202012Validator(document)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("located", [True, False])
@pytest.mark.parametrize("table", TABLES)
def test_read_and_score_keep_to_their_schemas(
    table: str, located: bool, language: str
) -> None:
    findings = (
        Finding("blurred"),
        Finding("duplicate", (("label", "4c"),), ("p4", "p5")),
        Finding("unread", (("count", 2),), ("p3",)),
    )
    reading = read(observation(TABLES[table], located=located, findings=findings))
    document = read_json(reading, language)
    schema("read").validate(document)
    assert json.loads(json.dumps(document)) == document
    scored = score(reading, Terms("regicide", {"players": "4"}))
    document = score_json(scored, language)
    schema("score").validate(document)
    assert json.loads(json.dumps(document)) == document


def test_the_keys_are_those_that_were_promised() -> None:
    reading = read(observation(FIGHT))
    document = score_json(score(reading, Terms("regicide")), "en")
    assert {"frame", "table", "placements", "findings", "timings_ms"} <= set(document)
    assert {"game", "sheet", "rulings", "questions"} <= set(document)
    assert {"width_px", "height_px", "source"} <= set(document["frame"])
    card = document["placements"][3]
    assert card["kind"] == "card"
    assert card["label"] == "9d"
    assert card["candidates"] == [["9d", 0.71], ["6d", 0.24]]
    assert len(card["quad_px"]) == 4
    assert (card["x_mm"], card["y_mm"], card["angle_deg"]) == (-40, -110, 90)
    assert document["table"] == {"found": True, "residual_mm": 0.4, "references": 6}
    assert document["sheet"]["enemy"]["card"] == "Jh"
    assert document["sheet"]["enemy"]["damage"] == 25


def test_a_table_that_was_not_found_gives_its_reason_and_no_millimetres() -> None:
    document = read_json(read(observation(FIGHT, located=False)), "en")
    assert document["table"] == {"found": False, "reason": "no_reference"}
    assert "x_mm" not in document["placements"][0]
    assert [item["code"] for item in document["findings"]] == ["scale_assumed"]


def test_a_ruling_carries_margin_evidence_and_grounds() -> None:
    text = Text.of("core.literal", text="it lies inside")
    measured = Ruling(
        text,
        Verdict.UNDECIDED,
        text,
        RuleRef("4.2"),
        (Evidence(text, "piece:c3"),),
        Margin(0.4, 0.6, "mm"),
    )
    ruling = Ruling(text, Verdict.UPHELD, text, RuleRef("W-03"), grounds=(measured,))
    document = ruling_json(ruling, "it")
    assert document["grounds"][0]["margin"] == {
        "value": 0.4,
        "sigma": 0.6,
        "unit": "mm",
    }
    assert document["grounds"][0]["evidence"] == [
        {"fact": "it lies inside", "source": "piece:c3"}
    ]
    whole = score_json(score(read(observation(FIGHT)), Terms("regicide")), "it")
    schema("score").validate(whole | {"rulings": [document]})


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_unreadable_picture_has_one_shape(language: str) -> None:
    error = ImageError("broken", "the picture file is damaged")
    document = image_error_json(error, "x.jpg", language)
    schema("error").validate(document)
    assert document["code"] == "broken"
    schema("error").validate(error_json("", "busy", "Later."))


def test_the_schemas_refuse_what_is_not_promised() -> None:
    document = read_json(read(observation(FIGHT)), "en")
    document["placements"][0]["colour"] = "red"
    assert not schema("read").is_valid(document)
