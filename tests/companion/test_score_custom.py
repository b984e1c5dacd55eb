"""Frenzy, Brawl and Frantic scored from one look with decks of their own art.

What vision says is laid out from truth here (`custom_tables`), so that everything after
the naming of cards is tested on many tables in seconds; whole photos are measured in
`tests/bench/bench_custom_tables.py`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.decks.errors import DeckError
from companion.decks.roles import DeckInPlay, deck_options, distinct, in_play
from companion.referee import Terms, read, score
from companion.sight import Sight
from companion.terminal.photos import Job, score_photos
from engines.core import Sheet
from tests.companion.test_report import schema
from tests.support.custom_tables import (
    BACK,
    CARD_MM,
    UNTIDY,
    Habits,
    Spot,
    TrueTable,
    brawl_table,
    compare,
    frantic_hand,
    frantic_table,
    frenzy_table,
    pieces_of,
)
from vision.gallery import Face, Gallery
from vision.types import (
    UNKNOWN,
    Finding,
    Frame,
    FrameId,
    Identity,
    Kind,
    Observation,
    Placement,
    Position,
    TableFound,
)

PX_PER_MM = 2.0
BLANK = np.zeros((88, 63, 3), np.uint8)
FRENZY = {"W1": 7, "W2": 7, "W3": 7, "W4": 7, "A": 4, "Z": 4}
FIELDS = {f"F{n}{side}": 1 for n in (1, 2, 3) for side in "bo"}
BRAWL = {"BASE": 6, "FREEZE": 3, "CLEAR": 4, "Hr": 9, "Hg": 9, "Hb": 9, "P": 5}
Make = Callable[[np.random.Generator, Habits], TrueTable]


def gallery(name: str, faces_held: dict[str, int], /, **meta: str) -> Gallery:
    faces = tuple(Face(label, (BLANK,), n) for label, n in faces_held.items())
    return Gallery(name, faces, (BLANK,), meta=meta)


HUMANS = gallery(
    "red",
    {**FRENZY, "K": 3, **FIELDS},
    game="frenzy",
    faction="humans",
    copies="counted",
)
ORCS = gallery(
    "green",
    {**FRENZY, "O": 3, **FIELDS},
    game="frenzy",
    faction="orcs",
    copies="counted",
)
FALCO = gallery("falco", BRAWL, game="brawl", character="Falco")
VOLPE = gallery("volpe", BRAWL, game="brawl", character="Volpe")
FRANTIC = gallery("mine", {"R5": 2}, game="frantic")
DECKS = {"frenzy": (HUMANS, ORCS), "brawl": (FALCO, VOLPE), "frantic": (FRANTIC,)}


def look(
    table: TrueTable, rng: np.random.Generator, *, yaw_deg: float = 0.0
) -> Observation:
    """Return what a good look at the table says, cards named with their decks."""
    decks = [each.name for each in DECKS[table.game]]
    by_id = {f"c{n}": spot for n, spot in enumerate(table.spots)}
    placements = []
    for piece in pieces_of(table, rng, yaw_deg=yaw_deg):
        spot = by_id[piece.id]
        is_back = spot.label == BACK
        placements.append(
            Placement(
                id=piece.id,
                kind=Kind.BACK if is_back else Kind.CARD,
                identity=UNKNOWN
                if is_back
                else Identity(spot.label, ((spot.label, 0.99),), 9.0),
                score=0.9,
                quad_px=_quad(piece.x_mm, piece.y_mm, piece.angle_deg),
                order=piece.order,
                # Vision has the angle modulo 180; the quad tells the rest.
                position=Position(
                    piece.x_mm, piece.y_mm, piece.angle_deg % 180, piece.covariance_mm2
                ),
                deck=decks[min(spot.deck, len(decks) - 1)],
            )
        )
    return Observation(
        FrameId("f"),
        "table.jpg",
        2000,
        2000,
        datetime(2026, 11, 28, tzinfo=UTC),
        TableFound(0.4, 9),
        tuple(placements),
    )


def _quad(
    x_mm: float, y_mm: float, angle_deg: float
) -> tuple[tuple[float, float], ...]:
    up = math.radians(angle_deg)
    ux, uy, (w, h) = math.cos(up), math.sin(up), CARD_MM
    corners = ((-w, h), (w, h), (w, -h), (-w, -h))
    return tuple(
        (
            1000 + PX_PER_MM * (x_mm + (a * uy + b * ux) / 2),
            1000 - PX_PER_MM * (y_mm + (-a * ux + b * uy) / 2),
        )
        for a, b in corners
    )


def terms(table: TrueTable) -> Terms:
    options = {"players": "4"} if "players" in table.options else {}
    return Terms(table.game, options, decks=in_play(table.game, DECKS[table.game]))


@pytest.mark.parametrize(
    ("make", "yaws"),
    [
        (frenzy_table, (0, 360)),
        (brawl_table, (-35, 35)),
        (frantic_hand, (0, 360)),
        (frantic_table, (-20, 20)),
    ],
)
@pytest.mark.parametrize("habits", [Habits(), UNTIDY])
def test_tables_as_people_lay_them_give_the_whole_sheet(
    make: Make, yaws: tuple[float, float], habits: Habits
) -> None:
    verdicts = []
    for seed in range(25):
        rng = np.random.default_rng([5, seed])
        table = make(rng, habits)
        seen = look(table, rng, yaw_deg=float(rng.uniform(*yaws)))
        sheet = score(read(seen), terms(table)).sheet
        verdicts.append(compare(sheet, table.sheet))
    assert not [v for v in verdicts if v.is_silently_wrong]
    assert sum(v.is_exact for v in verdicts) >= 24


def test_brawl_seen_from_the_far_side_is_told_by_the_discard_piles() -> None:
    for seed in range(20):
        rng = np.random.default_rng([6, seed])
        table = brawl_table(rng)
        if not any(abs(spot.y_mm) > 240 for spot in table.spots):
            continue
        seen = look(table, rng, yaw_deg=180 + float(rng.uniform(-30, 30)))
        verdict = compare(score(read(seen), terms(table)).sheet, table.sheet)
        assert not verdict.is_silently_wrong
        assert verdict.is_exact or verdict.asked


def test_brawl_asks_who_sits_where_if_all_bases_lie_upside_down() -> None:
    spots = (
        Spot("BASE", -60, 0, 90, 0),
        Spot("BASE", 60, 0, 270, 1),
        Spot("Hr", -60, -92, 90, 0),
    )
    table = TrueTable("brawl", spots, {}, Sheet("brawl", ()))
    rng = np.random.default_rng(1)
    near = score(read(look(table, rng)), terms(table)).sheet
    assert "sides" not in [question.id for question in near.questions]
    far = score(read(look(table, rng, yaw_deg=180)), terms(table))
    assert "sides" in [question.id for question in far.sheet.questions]
    told = replace(far.terms, answers={"sides": "far"})
    assert score(far.reading, told).sheet.row("AB:0").value("hits_A") == 1


def test_an_unread_card_raises_a_question_that_names_what_it_may_be() -> None:
    rng = np.random.default_rng(3)
    table = frantic_hand(rng)
    seen = look(table, rng)
    first = seen.placements[0]
    doubt = Identity(None, (("R6", 0.5), ("R9", 0.4)), 0.2)
    seen = replace(
        seen, placements=(replace(first, identity=doubt), *seen.placements[1:])
    )
    (question,) = score(read(seen), terms(table)).sheet.questions
    assert question.pieces == (first.id,)
    assert "red 6 or red 9" in str(question.text)
    assert [option.value for option in question.options[:2]] == ["R6", "R9"]


def test_rings_printed_on_cards_are_no_discs() -> None:
    rng = np.random.default_rng(4)
    table = frenzy_table(rng)
    seen = look(table, rng)
    on_card = seen.placements[0].quad_px
    ring = Placement("d1", Kind.DISC, UNKNOWN, 0.8, on_card, diameter_mm=30.0)
    beside = replace(ring, id="d2", quad_px=tuple((x + 900, y) for x, y in on_card))
    seen = replace(seen, placements=(*seen.placements, ring, beside))
    findings = score(read(seen), terms(table)).sheet.findings
    about = [f.pieces for f in findings if f.text.id == "frenzy.found_no_card"]
    assert about == [("d2",)]


def test_without_a_deck_the_cards_are_not_known_by_sight() -> None:
    rng = np.random.default_rng(3)
    table = frenzy_table(rng)
    seen = look(table, rng)
    placements = tuple(
        replace(placement, identity=Identity("Ks", (("Ks", 0.9),), 3.0), deck=None)
        for placement in seen.placements
    )
    seen = replace(seen, placements=placements)
    scored = score(read(seen), Terms("frenzy"))
    assert "not_known_by_sight" in [f.code for f in scored.reading.findings]


def test_score_prints_one_document_with_the_deck_of_each_card(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(8)
    table = frenzy_table(rng)
    seen = replace(look(table, rng), findings=(copies_finding(),))
    photo = tmp_path / "table.jpg"
    cv2.imwrite(str(photo), np.full((200, 200, 3), 90, np.uint8))

    def eyes(frame: Frame) -> Observation:
        return replace(seen, frame=frame.id, source=frame.source)

    job = Job(as_json=True, overlay=None, decks=1, language="en")
    code = score_photos([photo], terms(table), job, Sight(lambda decks: eyes))
    document = json.loads(capsys.readouterr().out)
    assert code == 0
    schema("score").validate(document)
    figures = table.sheet.figures()
    assert document["sheet"]["F1"] == figures["F1"]
    assert document["sheet"]["total"] == figures["total"]
    assert {item["deck"] for item in document["placements"]} == {"red", "green"}
    (told,) = [f for f in document["findings"] if f["code"] == "too_many_copies"]
    assert told["text"] == "Warrior 4 lies on the table 8 times, the decks hold 7."


def copies_finding() -> Finding:
    values = (("label", "W4"), ("seen", 8), ("copies", 7))
    return Finding("too_many_copies", values, ("c3",))


# Decks and their owners


def test_decks_are_given_in_the_order_of_their_owners() -> None:
    assert [d.owner for d in in_play("frenzy", (ORCS, HUMANS))] == ["P1", "P2"]
    assert [d.owner for d in in_play("brawl", (FALCO, VOLPE))] == ["A", "B"]
    assert [d.owner for d in in_play("frantic", (FRANTIC,))] == [None]


def test_a_deck_that_both_hold_tells_nobody_apart_and_counts_twice() -> None:
    (deck,) = in_play("frenzy", (HUMANS, HUMANS))
    assert deck.owner is None
    options = deck_options("frenzy", (deck,))
    assert options["factions"] == {"P1": "humans", "P2": "humans"}
    (both,) = distinct((HUMANS, HUMANS))
    assert {face.label: face.copies for face in both.faces}["W1"] == 14


def test_a_game_learns_faction_and_census_from_counted_decks() -> None:
    options = deck_options("frenzy", in_play("frenzy", (HUMANS, ORCS)))
    assert options["factions"] == {"P1": "humans", "P2": "orcs"}
    census = options["census"]
    assert isinstance(census, dict)
    assert census["P1"] == {**FRENZY, "adv": 3}


def test_a_census_that_does_not_add_up_is_left_out() -> None:
    odd = gallery("odd", {**FRENZY, "W1": 9}, faction="orcs", copies="counted")
    options = deck_options("frenzy", in_play("frenzy", (odd,)))
    assert "census" not in options
    assert options["factions"] == {"P1": "orcs", "P2": "orcs"}


def test_decks_of_another_game_or_too_many_are_refused() -> None:
    with pytest.raises(DeckError, match="frenzy"):
        in_play("brawl", (HUMANS,))
    with pytest.raises(DeckError, match="at most 2"):
        in_play("frenzy", (HUMANS, ORCS, gallery("third", FRENZY)))
    other = gallery("red", {"W1": 1})
    with pytest.raises(DeckError, match="red"):
        distinct((HUMANS, other))


def test_what_a_person_writes_goes_before_what_the_decks_say() -> None:
    deck = DeckInPlay("x", None, (("faction", "orcs"),), (("W1", 1),))
    rng = np.random.default_rng(2)
    table = frenzy_table(rng)
    given = Terms("frenzy", {"variant": "base"}, decks=(deck,))
    assert score(read(look(table, rng)), given).terms.options == {"variant": "base"}
