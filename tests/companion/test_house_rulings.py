"""Rulings of the house are chosen in a form, and told to everybody at the table."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from companion.i18n import say
from companion.tables.hall import Hall
from engines import game_names
from engines.core.house import house_rulings
from tests.companion.conftest import Post


def ledger_of(client: FlaskClient) -> Hall:
    from companion.web.live_guard import hall  # noqa: PLC0415 - opens the ledger

    with client.application.app_context():
        return hall()


@pytest.mark.parametrize("language", ["en", "it"])
def test_every_ruling_is_offered_with_its_rule_and_default(
    client: FlaskClient, language: str
) -> None:
    page = client.get("/tables/new", headers={"Accept-Language": language}).text
    assert "<textarea" not in page
    for game in game_names():
        for ruling in house_rulings(game):
            name = re.escape(f"rule.{game}.{ruling.key}")
            values = re.findall(rf'name="{name}" value="([^"]*)"', page)
            assert values == [choice.value for choice in ruling.choices]
            checked = re.findall(rf'name="{name}" value="([^"]*)" checked', page)
            assert checked == [ruling.default]
            said = [ruling.words, *(choice.words for choice in ruling.choices)]
            for words in said:
                shown = words.render(language).replace("'", "&#39;")
                assert shown in page, shown
            rule = say(language, "Rule %(number)s", number=ruling.rule)
            assert rule in page


def test_what_was_agreed_is_kept_and_told_to_everybody_at_the_table(
    client: FlaskClient, post: Post
) -> None:
    made = post(
        "/tables",
        game="frantic",
        name=["A", "B"],
        **{
            "rule.frantic.scoring": "heavy",
            "rule.frantic.limit": "short",
            "rule.frantic.limit.number": "99",
            "rule.frantic.points": "true",
            "rule.regicide.soloYield": "true",  # of another game: not looked at
        },
    )
    id_ = made.headers["Location"].split("/")[2]
    table = ledger_of(client).ledger.table(id_)
    assert table.options == {"scoring": "heavy", "limit": "99", "players": "2"}
    page = client.get(f"/tables/{id_}", headers={"Accept-Language": "it"}).text
    assert "Quanto valgono le carte?" in page
    assert "numeri neri doppi" in page
    assert "<strong>99</strong>" in page
    assert "Si contano i punti?" not in page  # as the rules have it
    assert "#rule-f-43" in page


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rule.frantic.scoring", "light"),
        ("rule.frantic.points", "maybe"),
        ("rule.frantic.limit.number", "0"),
        ("rule.frantic.limit.number", "many"),
        ("rule.frantic.scoring", "<script>hit=1</script>"),
    ],
)
def test_what_no_rule_allows_is_refused(post: Post, field: str, value: str) -> None:
    answer = post("/tables", game="frantic", name=["A", "B"], **{field: value})
    assert answer.status_code == 400
    assert value not in answer.text or value.isalnum()


def test_rulings_that_do_not_go_together_are_refused_in_words(post: Post) -> None:
    """Teams are for four."""
    form = {"rule.warstones.teams": "AB/CD"}
    assert post("/tables", game="warstones", name=["A", "B"], **form).status_code == 400
    four = post("/tables", game="warstones", name=["A", "B", "C", "D"], **form)
    assert four.status_code == 303


def test_a_photo_is_scored_anew_as_the_house_rules(
    client: FlaskClient, post: Post, upload: object
) -> None:
    assert callable(upload)
    path = upload()
    page = client.get(path).text
    assert 'value="stop" checked' in page
    assert (
        post(f"{path}/options", **{"rule.regicide.overDiscard": "free"}).status_code
        == 303
    )
    assert 'value="free" checked' in client.get(path).text
    document = client.get(f"{path}/result.json").get_json()
    assert document["options"]["overDiscard"] == "free"
    players = post(f"{path}/options", players="3")
    assert players.status_code == 303
    document = client.get(f"{path}/result.json").get_json()
    assert document["options"] == {"overDiscard": "free", "players": "3"}
    back = post(f"{path}/options", **{"rule.regicide.overDiscard": "stop"})
    assert back.status_code == 303
    document = client.get(f"{path}/result.json").get_json()
    assert document["options"] == {"players": "3"}
    wrong = post(f"{path}/options", **{"rule.regicide.overDiscard": "sometimes"})
    assert wrong.status_code == 400
