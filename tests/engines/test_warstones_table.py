"""One look at the table: the doubt rules of section 3, the sheet, strange tables."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core import (
    Kind,
    OptionError,
    Piece,
    PieceId,
    Question,
    Ruling,
    Seat,
    Sheet,
    Verdict,
)
from engines.core.zones import Disc, share
from engines.warstones import GAME, Options, State, rule_claim
from engines.warstones.snapshot import footing
from tests.support.warstones import cities, disc, game, moves, put, token

MILITIA, SKELETON = "empire.militia", "undead.skeleton"
OPTIONS = GAME.options({})


def look(
    *pieces: Piece, options: Options = OPTIONS, answers: dict[str, str] | None = None
) -> Sheet:
    return GAME.score_table(GAME.layout(pieces, options), options, answers or {})


def zone(sheet: Sheet, piece: str = "p") -> object:
    return sheet.row(f"chip:{piece}").value("zone")


def terrain(sheet: Sheet, piece: str = "p") -> object:
    return sheet.row(f"chip:{piece}").value("terrain")


def asked(sheet: Sheet, what: str) -> list[str]:
    return [q.id for q in sheet.questions if q.id.startswith(what)]


def findings(sheet: Sheet) -> list[str]:
    return [f.text.id.removeprefix("warstones.") for f in sheet.findings]


def one(rulings: tuple[Ruling, ...], rule: str) -> Ruling:
    [found] = [ruling for ruling in rulings if str(ruling.rule) == rule]
    return found


# 3.2 The sector


def test_rule_3_2_the_larger_part_decides_with_its_margin() -> None:
    sheet = look(disc("p", MILITIA, 306, 200))  # 4 mm on the west side of x = 310
    assert zone(sheet) == "N-W"
    ruling = one(sheet.rulings, "3.2")
    assert ruling.verdict is Verdict.UPHELD
    assert ruling.margin is not None
    assert ruling.margin.unit == "share"
    line = sheet.row("chip:p").value("line_mm")
    assert line == pytest.approx(4.0)
    assert sheet.row("chip:p").value("sigma_mm") == pytest.approx(0.3)
    assert sheet.row("chip:p").value("share") == pytest.approx(0.6576, abs=1e-3)


def test_rule_3_2_in_doubt_the_sector_farther_from_the_own_base_counts() -> None:
    near_line = 350.4  # 0.4 mm inside the middle row, error 0.3 mm
    mine = look(disc("p", MILITIA, 450, near_line - 0.8))
    assert zone(mine) == "M-C", "mostly near, but the middle row is farther"
    theirs = look(disc("p", SKELETON, 450, near_line))
    assert zone(theirs) == "N-C", "from the far side the near row is farther"
    for sheet in (mine, theirs):
        ruling = one(sheet.rulings, "3.2")
        assert ruling.verdict is Verdict.UPHELD
        assert ruling.margin is None
        [measured] = ruling.grounds
        assert measured.verdict is Verdict.UNDECIDED
        assert "0.4 mm from the deciding line, ± 0.3 mm" in str(
            measured.evidence[0].fact
        )
        assert measured.evidence[0].source == "piece:p"


def test_rule_3_2_a_better_measurement_leaves_no_doubt() -> None:
    sheet = look(disc("p", MILITIA, 450, 349.6, sigma=0.1))
    assert zone(sheet) == "N-C"
    assert one(sheet.rulings, "3.2").grounds == ()


def test_rule_3_2_only_the_error_across_the_line_counts() -> None:
    along = disc("p", MILITIA, 450, 349.0, covariance_mm2=(25.0, 0.0, 0.01))
    assert zone(look(along)) == "N-C"
    across = disc("p", MILITIA, 450, 349.0, covariance_mm2=(0.01, 0.0, 25.0))
    assert zone(look(across)) == "M-C"


def test_rule_w_04_at_a_corner_the_largest_part_wins_below_one_half() -> None:
    sheet = look(disc("p", MILITIA, 307, 347))
    assert zone(sheet) == "N-W"
    part = sheet.row("chip:p").value("share")
    assert isinstance(part, float)
    assert 0.25 < part < 0.5
    assert len([r for r in sheet.rulings if str(r.rule) == "3.2"]) == 3


def test_rule_w_06_equally_far_sectors_are_asked() -> None:
    # The line between M-W and M-C has its nearer sector in the middle; for equally far
    # ones take the owner's lateral Base of the game of three, opposite both.
    mat = OPTIONS.mat
    middle = replace(mat.bases[0], zone=replace(mat.bases[0].zone, centre_mm=(310, 60)))
    options = replace(OPTIONS, mat=replace(mat, bases=(middle, *mat.bases[1:])))
    sheet = look(disc("p", MILITIA, 310, 420, sigma=0.5), *cities(), options=options)
    assert zone(sheet) is None
    [question] = [q for q in sheet.questions if q.id == "sector:p"]
    assert question.default is None
    assert [option.value for option in question.options] == ["M-C", "M-W"]
    assert question.pieces == ("p",)
    for sector in ("M-W", "M-C"):
        assert sheet.row(sector).value("strength_A") is None, "not known, not guessed"
        assert sheet.row(sector).value("strength_B") == 0
    assert sheet.totals[1].value is None
    answered = look(
        disc("p", MILITIA, 310, 420, sigma=0.5),
        options=options,
        answers={"sector:p": "M-W"},
    )
    assert zone(answered) == "M-W"
    assert answered.row("M-W").value("strength_A") == 1
    assert answered.row("chip:p").value("line_mm") == 0.0


# 3.1 and 3.3 Off the board, Bases, margin


def test_rule_3_1_more_than_half_outside_is_off_the_board() -> None:
    assert zone(look(disc("p", MILITIA, -4, 450))) == "off"
    assert zone(look(disc("p", MILITIA, -100, 450))) == "off"
    sheet = look(disc("p", MILITIA, -4, 450))
    assert sheet.row("player:A").value("off_board") == (MILITIA,)
    assert "find_off_board" in findings(sheet)
    assert one(sheet.rulings, "3.1").verdict is Verdict.UPHELD


def test_rule_3_1_in_doubt_a_chip_is_on_the_board() -> None:
    sheet = look(disc("p", MILITIA, -0.5, 450))
    assert zone(sheet) == "reserve", "on the margin, which counts as off by agreement"
    ruling = one(sheet.rulings, "3.1")
    assert "on the board" in str(ruling.claim)
    assert ruling.grounds[0].verdict is Verdict.UNDECIDED
    stays = GAME.options({"margin": "stay"})
    assert zone(look(disc("p", MILITIA, -0.5, 450), options=stays)) == "margin"


def test_rule_3_1_a_chip_in_the_own_base_is_recruited() -> None:
    assert zone(look(disc("p", MILITIA, 450, 70))) == "base"
    assert zone(look(disc("p", MILITIA, 450, 105))) == "base", "5 mm below the line"
    assert zone(look(disc("p", SKELETON, 450, 830))) == "base"


def test_rule_3_1_in_doubt_between_base_and_sector_the_sector_counts() -> None:
    sheet = look(disc("p", MILITIA, 450, 109.8))
    assert zone(sheet) == "N-C"
    ruling = one(sheet.rulings, "3.2")
    assert ruling.grounds[0].verdict is Verdict.UNDECIDED
    assert "Base" in str(ruling.grounds[0].claim)


def test_rule_w_07_in_doubt_between_base_and_margin_a_person_decides() -> None:
    base = next(a for a in OPTIONS.mat.bases if a.id == "base-1").zone
    low, high = 40.0, 100.0  # how far the chip is from the half-moon's middle
    for _ in range(60):
        out = (low + high) / 2 * math.sqrt(0.5)
        half = share(base, Disc(450 - out, 110 - out, 16)).value
        low, high = (
            (out / math.sqrt(0.5), high) if half > 0.5 else (low, low / 2 + high / 2)
        )
    rim = disc("p", MILITIA, 450 - low * math.sqrt(0.5), 110 - low * math.sqrt(0.5))
    sheet = look(rim)
    assert zone(sheet) is None
    assert asked(sheet, "area") == ["area:p"]
    assert zone(look(rim, answers={"area:p": "in"})) == "base"
    assert zone(look(rim, answers={"area:p": "out"})) == "reserve"


def test_rule_w_07_a_foreign_base_is_outside_the_sectors() -> None:
    sheet = look(disc("p", SKELETON, 450, 70))
    assert zone(sheet) == "reserve"
    assert asked(sheet, "margin") == ["margin:p"]
    assert "find_foreign_base" in findings(sheet)
    stays = look(disc("p", SKELETON, 450, 70), answers={"margin:p": "stay"})
    assert zone(stays) == "margin"
    assert stays.row("player:B").value("margin") == (SKELETON,)
    assert asked(stays, "margin") == []


def test_rule_3_1_a_chip_in_the_own_reserve_is_in_reserve() -> None:
    assert zone(look(disc("p", MILITIA, 275, 55))) == "reserve"
    foreign = look(disc("p", SKELETON, 275, 55))
    assert asked(foreign, "margin") == ["margin:p"]


def test_rule_3_3_a_chip_that_reaches_into_a_sector_counts_in_it() -> None:
    sheet = look(disc("p", MILITIA, 20, 450))  # 10 mm left of M-W, radius 16
    assert zone(sheet) == "M-W"
    assert one(sheet.rulings, "3.3").verdict is Verdict.UPHELD
    away = look(disc("p", MILITIA, 10, 450))
    assert asked(away, "margin") == ["margin:p"]


def test_rule_3_3_in_doubt_it_reaches_into_the_sector() -> None:
    for x in (13.6, 14.4):
        sheet = look(disc("p", MILITIA, x, 450))
        assert zone(sheet) == "M-W"
        ruling = one(sheet.rulings, "3.2")
        assert str(ruling.grounds[-1].rule) == "3.3"
        assert ruling.grounds[-1].verdict is Verdict.UNDECIDED


# 3.4 Terrain


def test_rule_3_4_more_than_half_of_the_chip_is_in_the_terrain() -> None:
    inside = look(disc("p", MILITIA, 185, 235))
    assert terrain(inside) == "forest"
    assert inside.rulings == ()
    assert terrain(look(disc("p", MILITIA, 340, 150))) == "plain"


def forest_edge(inward_mm: float, *, sigma: float = 0.3) -> Piece:
    """Return a chip so far inside the west forest's straightest line."""
    forest = next(a for a in OPTIONS.mat.terrains if a.id == "forest-1").zone
    low, high = 185.0, 320.0
    for _ in range(60):
        x = (low + high) / 2
        half = share(forest, Disc(x, 235, 16)).value
        low, high = (x, high) if half > 0.5 else (low, x)
    return disc("p", MILITIA, low - inward_mm, 235, sigma=sigma)


@pytest.mark.parametrize(
    ("inward", "verdict", "there"),
    [
        (2.5, Verdict.UPHELD, "forest"),
        (-2.5, Verdict.REJECTED, "plain"),
        (0.3, Verdict.UPHELD, "plain"),
        (-0.3, Verdict.UPHELD, "plain"),
    ],
)
def test_rule_3_4_in_doubt_the_unit_is_outside_the_terrain(
    inward: float, verdict: Verdict, there: str
) -> None:
    sheet = look(forest_edge(inward))
    ruling = one(sheet.rulings, "3.4")
    assert (ruling.verdict, terrain(sheet)) == (verdict, there)
    if abs(inward) < 1:
        assert "outside" in str(ruling.claim)
        assert ruling.grounds[0].verdict is Verdict.UNDECIDED


def test_terrain_of_one_kind_counts_together() -> None:
    mat = OPTIONS.mat
    lake = next(a for a in mat.terrains if a.id == "lake-1")
    x, y = lake.zone.centre_mm
    left = [[(x - 40, y - 20), (x, y - 20), (x, y + 20), (x - 40, y + 20)]]
    right = [[(x, y - 20), (x + 40, y - 20), (x + 40, y + 20), (x, y + 20)]]
    halves = tuple(
        replace(lake, zone=type(lake.zone).of(name, [rings]))
        for name, rings in (("l", left), ("r", right))
    )
    ground = footing(replace(mat, terrains=halves), Disc(x, y, 16), 2)
    [(_, part)] = ground.terrains
    assert part.value == pytest.approx(1.0)


def test_terrain_counts_only_with_the_advanced_rule() -> None:
    lake = disc("p", MILITIA, 255, 390)
    wet = look(lake)
    assert (terrain(wet), wet.row("chip:p").value("strength")) == ("water", 0)
    basic = GAME.options({"terrain": False})
    assert look(lake, options=basic).row("chip:p").value("strength") == 1


def test_the_cost_of_a_movement_is_on_the_sheet() -> None:
    pieces = (disc("s", MILITIA, 420, 240), disc("h", MILITIA, 700, 250))
    sheet = look(*pieces)
    assert sheet.row("chip:s").value("move_cost") == 4
    assert sheet.row("chip:h").value("move_cost") == 2


# The sheet


def test_the_sheet_gives_strength_attacks_and_sieges_per_sector() -> None:
    sheet = look(
        disc("a", "empire.hero", 100, 450),
        disc("b", "empire.captain", 240, 500),
        disc("c", SKELETON, 100, 500),
        disc("d", "empire.archer", 100, 300),
        disc("e", "empire.engineer", 160, 320),
        *cities(),
    )
    row = sheet.row("M-W")
    assert row.value("units_A") == ("empire.hero", "empire.captain")
    assert (row.value("strength_A"), row.value("strength_B")) == (7, 2)
    assert (row.value("attack_AB"), row.value("attack_AB_helped")) == (5, 6)
    assert row.value("attack_BA") == 0
    assert str(row.value("token")) == "Lateral City 1"
    assert (row.value("defence"), row.value("counterattack")) == (2, 3)
    assert (row.value("siege_A"), row.value("siege_A_helped")) == (7, 9)
    assert row.value("conquers_A") is True
    assert row.value("conquers_B") is True
    assert sheet.figures()["total"]["goal"] == 5
    assert sheet.figures()["total"]["strength_A"] == 10
    assert sheet.figures()["total"]["victory_points_A"] is None
    assert "find_sample_kit" in findings(sheet)


def test_the_sheet_knows_allies() -> None:
    options = GAME.options({"players": 4, "teams": "AC/BD"})
    pieces = (
        disc("a", "empire.hero", 170, 400, owner="empire"),
        disc("b", SKELETON, 240, 500),
    )
    answers = {"owner:a": "A", "owner:b": "B"}
    sheet = look(*pieces, *cities(), options=options, answers=answers)
    row = sheet.row("M-W")
    assert row.value("attack_AB") == 2
    assert row.value("attack_CB") == 0
    assert row.value("attack_CB_helped") == 2
    assert row.value("siege_C_helped") == 4
    assert sheet.figures()["total"]["goal"] == 7


def test_the_owner_of_a_chip_is_asked_if_two_players_have_its_faction() -> None:
    options = GAME.options({"players": 4})
    sheet = look(disc("p", MILITIA, 450, 200), options=options)
    [question] = [q for q in sheet.questions if q.id == "owner:p"]
    assert [option.value for option in question.options] == ["A", "C"]
    assert sheet.row("N-C").value("strength_A") is None
    assert sheet.row("N-C").value("strength_B") == 0
    assert zone(sheet) == "N-C", "wherever the owner sits"
    doubtful = look(disc("p", MILITIA, 450, 349.8), options=options)
    assert zone(doubtful) is None, "the doubt rule depends on the owner"
    at_home = look(disc("p", MILITIA, 100, 70), options=options)
    assert at_home.row("chip:p").value("player") == "A"


def test_six_units_in_a_base_are_noticed() -> None:
    places = [(400, 95), (440, 95), (480, 95), (500, 95), (420, 62), (460, 62)]
    pieces = [
        disc(f"p{n}", label, x, y)
        for n, ((x, y), label) in enumerate(
            zip(places, [MILITIA] * 4 + ["empire.soldier"] * 2, strict=True)
        )
    ]
    sheet = look(*pieces)
    assert sheet.row("player:A").value("base_count") == 6
    [finding] = [f for f in sheet.findings if f.text.id.endswith("base_full")]
    assert len(finding.pieces) == 6


def test_an_unread_chip_is_asked_and_leaves_the_figures_open() -> None:
    likely = ((SKELETON, 0.5), ("undead.zombie", 0.4), ("nonsense", 0.1))
    piece = disc("p", None, 450, 200, candidates=likely, owner="undead")
    sheet = look(piece, disc("q", MILITIA, 400, 160))
    [question] = [q for q in sheet.questions if q.id == "unit:p"]
    assert [option.value for option in question.options][:2] == [
        SKELETON,
        "undead.zombie",
    ]
    assert question.default is None
    row = sheet.row("N-C")
    assert row.value("strength_B") is None
    assert row.value("strength_A") == 1
    answered = look(piece, answers={"unit:p": SKELETON})
    assert answered.row("N-C").value("strength_B") == 2
    wrong = look(piece, answers={"unit:p": "dragon"})
    assert asked(wrong, "unit") == ["unit:p"]


def test_city_tokens_are_read_or_asked() -> None:
    unread = token("tw", None, 170, 450, candidates=(("city.lateral-3", 0.6),))
    sheet = look(unread, token("tc", "city.central-1", 455, 456))
    west = next(q for q in sheet.questions if q.id == "city:W")
    assert west.options[0].value == "lateral-3"
    assert "none" not in {option.value for option in west.options}, "one lies there"
    east = next(q for q in sheet.questions if q.id == "city:E")
    assert east.options[-1].value == "none"
    assert "central-1" not in {option.value for option in east.options}
    assert sheet.row("M-W").value("defence") is None
    assert sheet.row("M-C").value("defence") == 5
    answers = {"city:W": "lateral-3", "city:E": "none"}
    answered = look(unread, answers=answers)
    assert answered.row("M-W").value("defence") == 3
    assert str(answered.row("M-E").value("token")) == "no City token"


# Strange tables


def test_counters_are_read_from_their_track() -> None:
    boxes = [token("c", "counter", 545 + 27 * (n + 0.5), 75) for n in range(6)]
    for points, box in enumerate(boxes):
        [seen] = GAME.layout([box], OPTIONS).counters
        assert (seen.seat, seen.points) == (Seat(0), points)
    far = token("c", "counter", 900 - (545 + 27 * 2.5), 825)
    [seen] = GAME.layout([far], OPTIONS).counters
    assert (seen.seat, seen.points) == (Seat(1), 2)
    assert GAME.layout([token("c", "counter", 450, 200)], OPTIONS).counters == ()
    unread = token("c", None, 560, 75)
    assert GAME.layout([unread], OPTIONS).counters[0].points == 0


def test_strange_things_are_told_not_guessed() -> None:
    sheet = look(
        disc("alien", "chess.king", 450, 200),
        disc("hand", MILITIA, 400, 160, touched=True),
        disc("on", MILITIA, 405, 165, order=1),
        token("lost", "city.central-2", 450, 250),
        token("what", None, 450, 250),
        token("tower", "fortress", 170, 450),
        token("marker", "first-player", 20, 20),
        disc("nan", MILITIA, math.nan, 200),
        Piece(PieceId("card"), Kind.CARD, "empire.hero", 950, 200),
        Piece(PieceId("back"), Kind.BACK, None, 950, 300),
    )
    assert set(findings(sheet)) == {
        "find_not_in_kit",
        "find_touched",
        "find_stacked",
        "find_city_off",
        "find_unknown_token",
        "find_broken",
        "find_sample_kit",
    }
    assert asked(sheet, "unit") == ["unit:alien"]
    assert "chip:nan" not in {row.key for row in sheet.rows}


def test_a_fifth_copy_is_noticed() -> None:
    pieces = [disc(f"p{n}", "empire.hero", 350 + 40 * n, 160) for n in range(2)]
    found = {f.text.id: str(f.text) for f in look(*pieces).findings}
    assert found["core.too_many_copies"].startswith("Hero lies on the table")


def test_a_unit_of_a_faction_that_nobody_plays_is_noticed() -> None:
    options = GAME.options({"factions": ["empire", "empire"]})
    sheet = look(disc("p", SKELETON, 450, 200), options=options)
    assert "find_foreign" in findings(sheet)
    assert asked(sheet, "owner") == ["owner:p"]


def test_a_table_seen_by_a_mirroring_camera_shows_chips_in_foreign_bases() -> None:
    upright = (disc("p", MILITIA, 450, 70), disc("q", SKELETON, 450, 830))
    assert "find_foreign_base" not in findings(look(*upright))
    mirrored = tuple(replace(piece, y_mm=900 - piece.y_mm) for piece in upright)
    assert findings(look(*mirrored)).count("find_foreign_base") == 2


def test_a_crowded_offset_rotated_table_reads_the_same_per_chip() -> None:
    """Rotation of a chip means nothing, neighbours mean nothing."""
    rng = Random(5)
    pieces = [
        disc(f"p{n}", MILITIA, 330 + 33 * (n % 7), 150 + 33 * (n // 7))
        for n in range(28)
    ]
    together = look(*pieces)
    for piece in rng.sample(pieces, 6):
        turned = replace(piece, angle_deg=rng.uniform(0, 360))
        assert zone(look(turned), piece.id) == zone(together, piece.id)


coordinates = st.floats(allow_nan=True, allow_infinity=True)
near = st.floats(-100, 1000)
strange_pieces = st.builds(
    Piece,
    id=st.sampled_from("abc").map(PieceId),
    kind=st.sampled_from(Kind),
    label=st.sampled_from(
        [None, MILITIA, SKELETON, "city.lateral-1", "counter", "fortress", "?"]
    ),
    x_mm=near | coordinates,
    y_mm=near | coordinates,
    width_mm=st.sampled_from([32.0, 0.0, -5.0, 900.0]),
    covariance_mm2=st.tuples(st.floats(0, 100), st.floats(-9, 9), st.floats(0, 100)),
    order=st.integers(0, 3),
    owner=st.sampled_from([None, "empire", "undead", "elves"]),
    touched=st.booleans(),
    candidates=st.just(()) | st.just(((SKELETON, 0.5), ("?", 0.2))),
)


@given(st.lists(strange_pieces, max_size=6), st.integers(2, 4))
def test_no_table_is_too_strange(pieces: list[Piece], players: int) -> None:
    options = GAME.options({"players": players})
    snapshot = GAME.layout(pieces, options)
    sheet = GAME.score_table(snapshot, options, {})
    for language in ("en", "it"):
        for ruling in sheet.rulings:
            assert ruling.claim.render(language)
            assert ruling.reason.render(language)
        for question in sheet.questions:
            assert question.text.render(language)
    assert sheet == GAME.score_table(snapshot, options, {})


@cache
def positions() -> tuple[State, ...]:
    """Return games in which different things are open."""
    start = put(game(), A_hero_1="base", A_militia_1="M-W:100,400")
    deployed = moves(start, "A deploy A:hero-1")
    besieged = moves(start, "A besiege M-W")
    fight = put(start, A_captain_1="N-C:450,200", B_skeleton_1="N-C:400,200")
    attacked = moves(put(fight, A_hero_1="N-C:500,200"), "A attack N-C B")
    new = GAME.setup(GAME.options({}))
    return (new, start, fight, deployed, besieged, attacked)


@given(st.lists(strange_pieces, max_size=6), st.integers(0, 5))
def test_no_change_is_too_strange(pieces: list[Piece], number: int) -> None:
    state = positions()[number]
    answer = GAME.changes(state, GAME.layout(pieces, state.options))
    if isinstance(answer, Question):
        notations = [option.move for option in answer.options if option.move]
    else:
        notations = [str(move) for move in answer]
        for move in answer[:-1]:
            assert GAME.judge(state, move).verdict is Verdict.UPHELD
            state = GAME.advance(state, move)
    for text in notations:
        assert str(GAME.parse_move(text)) == text


def test_stated_share_intervals_hold_on_the_mat_in_93_to_97_percent() -> None:
    """Chips near sector lines and terrain of Arbitro's mat, measured with noise."""
    rng = Random(11)
    held = tried = 0
    while tried < 2500:
        x, y = rng.uniform(40, 860), rng.uniform(120, 780)
        sigma = rng.uniform(0.1, 0.8)
        covariance = (sigma**2, 0.3 * sigma**2, sigma**2)
        true = footing(OPTIONS.mat, Disc(x, y, 16), 2)
        u, v = rng.gauss(0, sigma), rng.gauss(0, sigma)
        noisy = Disc(x + u, y + 0.3 * u + math.sqrt(1 - 0.09) * v, 16, covariance)
        seen = footing(OPTIONS.mat, noisy, 2)
        truth = {str(name): part for name, part in (*true.sectors, *true.terrains)}
        for name, part in (*seen.sectors, *seen.terrains):
            if name in truth and 0.02 < truth[name].value < 0.98:
                error = abs(part.value - truth[name].value)
                held += error <= 1.96 * part.sigma(covariance)
                tried += 1
    assert 0.93 < held / tried < 0.97


def test_of_the_clear_verdicts_on_sectors_none_is_wrong() -> None:
    rng = Random(3)
    clear = 0
    for _ in range(400):
        x, sigma = 310 + rng.uniform(-6, 6), rng.uniform(0.1, 0.6)
        seen = disc("p", MILITIA, x + rng.gauss(0, sigma), 230, sigma=sigma)
        sheet = look(seen)
        ruling = one(sheet.rulings, "3.2")
        if ruling.margin is not None:
            clear += 1
            slip = abs(x - seen.x_mm) / sigma
            assert zone(sheet) == ("N-W" if x < 310 else "N-C") or slip > 3
    assert clear > 200


# One dispute


def dispute(
    piece: Piece, question: str, *, options: Options = OPTIONS, **answers: str
) -> Ruling:
    snapshot = GAME.layout([piece], options)
    return rule_claim(
        snapshot, options, piece="p", question=question, answers=dict(answers)
    )


def test_one_dispute_about_a_forest_is_ruled_on() -> None:
    assert dispute(forest_edge(3), "forest").verdict is Verdict.UPHELD
    assert dispute(forest_edge(-3), "forest").verdict is Verdict.REJECTED
    doubtful = dispute(forest_edge(0.2), "forest")
    assert doubtful.grounds[0].verdict is Verdict.UNDECIDED
    assert "outside" in str(doubtful.claim)
    assert dispute(forest_edge(3), "lake").verdict is Verdict.REJECTED


def test_one_dispute_about_a_place_is_ruled_on() -> None:
    piece = disc("p", MILITIA, 450, 349.8)
    assert dispute(piece, "M-C").verdict is Verdict.UPHELD
    rejected = dispute(piece, "N-C")
    assert rejected.verdict is Verdict.REJECTED
    assert rejected.grounds[0].grounds[0].verdict is Verdict.UNDECIDED
    assert dispute(disc("p", MILITIA, 450, 70), "base").verdict is Verdict.UPHELD
    assert dispute(disc("p", MILITIA, -9, 450), "off").verdict is Verdict.UPHELD
    assert dispute(disc("p", MILITIA, 450, 200), "off").verdict is Verdict.REJECTED
    unknown = disc("p", None, 450, 349.8)
    assert dispute(unknown, "M-C").verdict is Verdict.UNDECIDED


def test_a_dispute_about_nothing_says_what_can_be_asked() -> None:
    with pytest.raises(OptionError, match="no chip 'p'; there are none"):
        rule_claim(
            GAME.layout([], OPTIONS), OPTIONS, piece="p", question="off", answers={}
        )
    with pytest.raises(OptionError, match="no such question 'sea'; ask one of forest"):
        dispute(disc("p", MILITIA, 450, 200), "sea")
