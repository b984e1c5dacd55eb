"""Corrections change the reading, never what was seen."""

from __future__ import annotations

import pytest

from companion.corrections import FACE_DOWN, NO_CARD, correct
from companion.referee import Terms, read, score
from companion.report import score_json
from engines import game_names
from engines.core.text import LANGUAGES
from tests.companion.tables import FIGHT, UNREAD, Laid, observation
from tests.companion.test_report import schema
from vision.types import Finding, Kind

UNREAD_P3 = Finding("unread", (("count", 1),), ("p3",))


def test_nothing_to_put_right_changes_nothing() -> None:
    seen = observation(UNREAD)
    assert correct(seen, {}) is seen


def test_a_named_card_is_certain_and_no_longer_reported_as_unread() -> None:
    seen = observation(UNREAD, findings=(UNREAD_P3,))
    fixed = correct(seen, {"p3": "8c"})
    assert fixed.placements[3].identity.label == "8c"
    assert fixed.placements[3].identity.candidates == (("8c", 1.0),)
    assert fixed.findings == ()
    assert seen.placements[3].identity.label is None


def test_a_card_in_glare_is_told_until_somebody_has_looked_at_it() -> None:
    unsure = Finding("unsure", (("count", 2),), ("p1", "p2"))
    seen = observation(UNREAD, findings=(unsure, UNREAD_P3))
    (left, _) = correct(seen, {"p1": "8c"}).findings
    assert left == Finding("unsure", (("count", 1),), ("p2",))
    fixed = correct(seen, {"p1": "8c", "p2": "2d"})
    assert [finding.code for finding in fixed.findings] == ["unread"]


def test_a_card_may_be_turned_or_taken_away() -> None:
    fixed = correct(observation(UNREAD), {"p1": FACE_DOWN, "p3": NO_CARD})
    assert [placement.id for placement in fixed.placements] == ["p0", "p1", "p2"]
    assert fixed.placements[1].kind is Kind.BACK


def test_a_duplicate_is_reported_only_while_it_is_one() -> None:
    cards = (Laid("7h", 0, 0), Laid("7h", 80, 0), Laid("2c", 160, 0))
    double = Finding("duplicate", (("label", "7h"),), ("p0", "p1"))
    seen = observation(cards, findings=(double,))
    assert correct(seen, {"p2": "3c"}).findings == (double,)
    assert correct(seen, {"p1": "7d"}).findings == ()
    assert correct(seen, {"p2": "7h"}, decks=2).findings == (double,)


def test_a_correction_of_a_card_that_is_not_there_is_nothing() -> None:
    seen = observation(UNREAD)
    assert correct(seen, {"p99": "8c"}).placements == seen.placements


def test_a_game_with_its_own_cards_keeps_only_names_that_people_gave() -> None:
    reading = read(observation(FIGHT), {"p3": "Hr"})
    scored = score(reading, Terms("brawl"))
    labels = [one.identity.label for one in scored.reading.observation.placements]
    assert labels == [None, None, None, "Hr", None, None]
    (finding,) = scored.reading.findings
    assert finding.code == "not_known_by_sight"
    assert finding.placements == ("p1", "p4", "p5")


@pytest.mark.parametrize("game", game_names())
def test_every_game_scores_every_table(game: str) -> None:
    for table in ((), FIGHT, UNREAD):
        for located in (True, False):
            reading = read(observation(table, located=located))
            for language in LANGUAGES:
                schema("score").validate(
                    score_json(score(reading, Terms(game)), language)
                )
