"""Questions as JSON and back."""

from __future__ import annotations

import json

from companion.codec import question_from_json, question_to_json
from engines.core import Number, Option, Question, RuleRef, Seat, Text


def test_a_question_that_was_written_down_is_read_as_it_was() -> None:
    """Numbers are said in each language's own way afterwards, too."""
    place = Text.of("frenzy.region", player=Text.of("frenzy.player", number=1))
    text = Text.of("core.literal", text=Number("0.93"), place=place, times=2)
    question = Question(
        "card.P1.B1",
        Seat(1),
        text,
        (Option("A", place, "P1 play A P1.B1 #c2 @7"), Option("-", place)),
        "-",
        RuleRef("F-D"),
        ("c2",),
    )
    written = json.loads(json.dumps(question_to_json(question)))
    read = question_from_json(written)
    assert read == question
    assert isinstance(dict(read.text.values)["text"], Number)
    bare = Question("row", None, text, ())
    assert question_from_json(json.loads(json.dumps(question_to_json(bare)))) == bare
