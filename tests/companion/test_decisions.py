"""A referee's word on a picture: accepted, or set aside with a reason (issue 7, 5)."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable

import pypdfium2 as pdfium
import pytest
from flask import Flask

from companion.tables.hall import Hall
from companion.tables.rights import Role
from tests.companion.conftest import jpeg
from tests.companion.test_tables import (
    Phone,
    app,
    hall,
    person,
    phone,
)

__all__ = ["app", "hall", "phone"]


@pytest.fixture
def result(phone: Callable[[], Phone]) -> str:
    """The address of a photo that somebody had read."""
    photo = (io.BytesIO(jpeg()), "table.jpg")
    answer = phone().post("/read", game="regicide", photo=photo)
    assert answer.status_code == 303
    return answer.headers["Location"]


def test_a_referee_accepts_and_sets_aside_and_all_who_have_the_result_read_it(
    hall: Hall,
    phone: Callable[[], Phone],
    result: str,
) -> None:
    referee, player = person(hall, phone(), Role.REFEREE), phone()
    page = referee.get(result).text
    claim = re.findall(r'<option value="([^"]+)">', page)[-1]
    assert referee.post(f"{result}/ruling", decision="accepted").status_code == 303
    path = f"{result}/ruling"
    assert referee.post(path, about=claim, decision="overruled").status_code == 400
    assert referee.post(path, about="nothing", reason="x").status_code == 400
    done = referee.post(
        path, about=claim, decision="overruled", reason="A <b>hand</b>."
    )
    assert done.status_code == 303
    shown = player.get(result).text
    assert "The whole picture" in shown
    assert "A &lt;b&gt;hand&lt;/b&gt;." in shown
    assert 'name="decision"' not in shown
    pack = player.get(f"{result}/evidence.zip").data
    with zipfile.ZipFile(io.BytesIO(pack)) as archive:
        said = json.loads(archive.read("said.json"))
    assert [(row["kind"], row["about"]) for row in said] == [
        ("ruling", ""),
        ("ruling", claim),
    ]
    with pdfium.PdfDocument(player.get(f"{result}/evidence.pdf").data) as document:
        text = document[0].get_textpage().get_text_range()
    assert "accepts: the whole picture" in text
    assert "overrules:" in text
    # The last word counts.
    referee.post(path, about=claim, decision="accepted", reason="Seen again.")
    assert "not accepted" not in player.get(result).text


def test_only_a_referee_who_has_just_given_the_secret_rules(
    app: Flask,
    hall: Hall,
    phone: Callable[[], Phone],
    result: str,
) -> None:
    del app
    for asks in (phone(), person(hall, phone(), Role.ORGANISER)):
        refused = asks.post(f"{result}/ruling", decision="accepted")
        assert refused.status_code == 403
        assert 'name="decision"' not in asks.get(result).text
    late = person(hall, phone(), Role.REFEREE, confirmed=False)
    assert late.post(f"{result}/ruling", decision="accepted").status_code == 403
    assert "Give your secret first" in late.get(result).text
    assert "decided" not in phone().get(result).text
