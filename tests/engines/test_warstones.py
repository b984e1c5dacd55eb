"""Runs every vector of the rules file through the engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias, cast

import pytest

from engines.core import CLEAR_SIGMAS, Margin, Seat, Text, Verdict, play
from engines.core.zones import Disc, Measure
from engines.warstones import GAME, State
from engines.warstones.doubt import Reading, choose_sector, in_terrain
from engines.warstones.field import damage_of
from engines.warstones.moves import Attack, Deploy, Movement, Recruit
from engines.warstones.options import points_needed
from engines.warstones.scoring import (
    Tally,
    attack_damage,
    best,
    destroyed,
    is_exhausted,
    may_fall,
    movement_cost,
    siege,
)
from engines.warstones.snapshot import Footing
from engines.warstones.terms import Spot, Terrain
from tests.support.warstones import (
    game,
    legal,
    moves,
    place,
    put,
    refused,
    rule,
    with_points,
)

CASES = Path(__file__).parent.parent / "cases" / "warstones.json"
Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"


def numbers(value: Json) -> list[int]:
    """Return a JSON list of whole numbers."""
    assert isinstance(value, list)
    return [cast("int", item) for item in value]


def table(value: Json) -> dict[str, Json]:
    """Return a JSON object."""
    assert isinstance(value, dict)
    return value


def figures(value: Json) -> dict[str, float]:
    """Return a JSON object of numbers."""
    return {key: float(cast("float", item)) for key, item in table(value).items()}


def sector(data: Json, _: str) -> Json:
    given = table(data)
    shares, error = figures(given["share"]), cast("float", given["uncertainty"])

    def apart(one: str, two: str) -> Margin:
        # A doubt is a difference below twice the error e; a margin is one below
        # CLEAR_SIGMAS standard deviations.
        return Margin(shares[one] - shares[two], 2 * error / CLEAR_SIGMAS, "share")

    distances = figures(given["distanceFromOwnBase"])
    choice = choose_sector(shares, apart, distances, equal=1e-6)
    return choice.chosen[0] if len(choice.chosen) == 1 else "prompt"


def terrain(data: Json, _: str) -> Json:
    given = figures(data)
    # A share whose sigma is a third of the error e, at one millimetre of sigma.
    slope = given["uncertainty"] / CLEAR_SIGMAS
    part = Measure(given["share"], (slope, 0.0))
    disc = Disc(185, 235, 16, (1.0, 0.0, 0.0))
    whole = Measure(1.0)
    ground = Footing(disc, whole, (("N-W", whole),), (), (), ((Terrain.FOREST, part),))
    reading = Reading("p", Text.of("warstones.some_chip"), ground, game().options.mat)
    ruling = in_terrain(reading, Terrain.FOREST)
    if ruling.grounds:
        assert ruling.grounds[0].verdict is Verdict.UNDECIDED
        assert "outside" in str(ruling.claim)
        return False
    return ruling.verdict is Verdict.UPHELD


def attack(data: Json, note: str) -> Json:
    given = table(data)
    defender, assigned = numbers(given["defender"]), numbers(given["assign"])
    damage = attack_damage(numbers(given["attacker"]), defender).total
    assert sum(assigned) <= damage
    if "water" in note:
        state = put(game(), B_vampire_1="M-W/water", B_skeleton_1="M-W/water")
        strengths = {c.id: state.strength(c) for c in state.in_sector("M-W")}
        assert strengths == {"B:vampire-1": 3, "B:skeleton-1": 1}
    return {"damage": damage, "destroyed": list(destroyed(defender, assigned))}


def besiege(data: Json, _: str) -> Json:
    given = table(data)
    units, distant = numbers(given["units"]), numbers(given["ranged"])
    assigned, counter = numbers(given["assign"]), cast("int", given["counterattack"])
    result = siege(
        units,
        distant=distant,
        defence=cast("int", given["defence"]),
        assigned=assigned,
        forced=cast("int | None", given["forced"]),
    )
    assert sum(assigned) <= counter
    chosen = [units[i] for i in result.destroyed]
    local = [i for i in range(len(units)) if i not in distant]
    assert may_fall(
        chosen,
        spared=[units[i] for i in local if i not in result.destroyed],
        damage=counter,
        distant=any(i in distant for i in result.destroyed),
    )
    return {
        "conquered": result.conquered,
        "destroyed": list(result.destroyed),
        "minimumRuleUsed": result.minimum_used,
    }


def spend(state: State, letter: str, cost: Json, kinds: tuple[type, ...]) -> State:
    """Return the state after a move of that cost and one of these kinds."""
    seat = Seat("AB".index(letter))
    assert state.turn == seat, "players alternate, and who has no points is skipped"
    if cost == "pass":
        return moves(state, f"{letter} pass")
    for move in legal(state):
        if not isinstance(move, kinds):
            continue
        after = play(GAME, state, move)
        if state.points[seat] - after.points[seat] == cost:
            if after.pending:
                [flick] = after.pending
                chip = str(getattr(flick, "chip", ""))
                after = moves(after, f"settle {chip}@F-C")
            return after
    raise AssertionError(f"no move of {letter} costs {cost}")


def action_points(data: Json, note: str) -> Json:
    kinds = (Movement,) if note.startswith("movement") else (Recruit, Deploy)
    state = put(
        game(),
        A_hero_1="N-C/hill",
        A_archer_1="N-C",
        B_skeleton_4="base",
    )
    assert isinstance(data, list)
    for step in data:
        assert isinstance(step, list)
        letter, cost = step
        # In the third vector B, who has 1 point less, may do anything for it.
        allowed = (Recruit, Deploy) if letter == "B" else kinds
        state = spend(state, str(letter), cost, allowed)
    return {"A": state.points[0], "B": state.points[1]}


def move_cost(data: Json, _: str) -> Json:
    return {name: movement_cost(Terrain(name)) for name in table(data)}


def cost(data: Json, _: str) -> Json:
    given = table(data)
    left = cast("int", given["left"])
    state = with_points(game(), A=left)
    hero = state.options.kit.unit("empire.hero")
    assert hero is not None
    assert hero.recruit == given["cost"]
    assert refused(state, "A recruit A:hero-1") == ("4.1", "too_dear")
    assert rule(state, "A recruit A:militia-1").verdict is Verdict.UPHELD
    assert rule(state, "A pass").verdict is Verdict.UPHELD
    return False


def flick(data: Json, _: str) -> Json:
    given = table(data)
    if "cases" not in given:
        return full_base(given)
    state = put(game(), A_hero_1="base", A_archer_1="N-C", B_skeleton_1="N-C")
    state = moves(state, "A deploy A:hero-1")
    off = ("A:archer-1", "A:hero-1", "B:skeleton-1")
    state = moves(state, "settle " + " ".join(f"{chip}@off" for chip in off))
    words = {"reserve": "owner Reserve", "base": "its owner Base"}
    order = ("A:hero-1", "A:archer-1", "B:skeleton-1")
    return [words[place(state, chip)] for chip in order]


def full_base(given: dict[str, Json]) -> Json:
    assert given == {"base": 5, "incoming": 1}
    state = put(
        game(),
        B_skeleton_1="base",
        B_skeleton_2="base",
        B_skeleton_3="base",
        B_thrower_1="base",
        B_vampire_1="base",
        B_skeleton_4="N-C",
        A_hero_1="base",
    )
    state = moves(state, "A deploy A:hero-1", "settle A:hero-1@N-C B:skeleton-4@off")
    [question] = GAME.questions(state)
    assert question.to == Seat(1)
    assert len(question.options) == 6
    assert refused(state, "A excess B:skeleton-4")[0] == "4.2"
    before = len(state.at(Spot.RESERVE, Seat(1)))
    state = moves(state, "B excess B:skeleton-4")
    after = len(state.at(Spot.RESERVE, Seat(1)))
    return {
        "base": len(state.at(Spot.BASE, Seat(1))),
        "toReserve": after - before,
        "chosenBy": "owner",
    }


def recruit(data: Json, _: str) -> Json:
    assert table(data)["base"] == 5
    state = put(
        game(),
        A_archer_1="base",
        A_captain_1="base",
        A_hero_1="base",
        A_militia_1="base",
        A_militia_2="base",
    )
    assert refused(state, "A recruit A:militia-3") == ("4.2", "base_full")
    return {"legal": False}


def army(data: Json, _: str) -> Json:
    """Build a kit whose units have the Army Points of the vector, then the army."""
    given = table(data)
    options = GAME.options({"army_points": given["budget"]})
    listed = given["units"]
    assert isinstance(listed, list)
    fresh = [
        replace(unit, copies=0) for unit in options.kit.units if "empire." in unit.label
    ]
    chosen = []
    for wanted in map(table, listed):
        index = next(
            i
            for i, unit in enumerate(fresh)
            if unit.copies == 0 and unit.unit_class.value in {wanted["class"], "elite"}
        )
        fresh[index] = replace(
            fresh[index],
            copies=1,
            unit_class=type(fresh[index].unit_class)(str(wanted["class"])),
            army_points=cast("int", wanted["pts"]),
        )
        chosen.append(fresh[index].key)
    state = GAME.setup(replace(options, kit=replace(options.kit, units=tuple(fresh))))
    return rule(state, "A army " + " ".join(chosen)).verdict is Verdict.UPHELD


def victory_points(data: Json, _: str) -> Json:
    assert isinstance(data, list)
    return [
        points_needed(int(str(row).split(maxsplit=1)[0]), teams="against" in str(row))
        for row in data
    ]


def end(data: Json, _: str) -> Json:
    if isinstance(data, list):
        rows = [table(row) for row in data]
        over = is_exhausted(
            [cast("int", row["reserve"]) for row in rows],
            [cast("int", row["base"]) for row in rows],
        )
        state = game()
        left = {c.id: c.place for c in state.chips}
        state = put(state, **{_name(c): "N-C" for c in left})
        state = put(state, B_skeleton_1="base", A_hero_1="base")
        state = moves(state, "A deploy A:hero-1", "settle A:hero-1@N-W")
        assert state.outcome is None, "B still has a unit in the Base"
        return {"over": over}
    given = figures(data)
    state = put(game(points_to_win=int(given["need"])), A_hero_1="M-W")
    # Four points already taken, the fifth lies on the Fortress.
    state = replace(state, taken=(("lateral-5", "lateral-6"), ()))
    assert state.victory_points(Seat(0)) == given["have"]
    token = state.options.kit.city("lateral-1")
    assert token is not None
    assert token.points == given["token"]
    state = moves(state, "A besiege M-W")
    assert state.outcome is not None
    return {
        "winner": state.outcome.winners == (Seat(0),),
        "counterattackSkipped": not state.pending and place(state, "A:hero-1") == "M-W",
    }


def _name(chip: str) -> str:
    return chip.replace(":", "_").replace("-", "_")


def tie_break(data: Json, _: str) -> Json:
    assert isinstance(data, list)
    rows = [table(row) for row in data]
    top = best(
        [
            Tally(
                cast("int", row["vp"]),
                tuple(numbers(row["cities"])),
                cast("int", row["lost"]),
            )
            for row in rows
        ]
    )
    return top[0] if len(top) == 1 else "draw"


def forest(data: Json, _: str) -> Json:
    assert table(data)["target"] == "forest"
    state = put(game(), B_skeleton_1="N-W/forest", A_archer_1="N-C", A_hero_1="N-W")
    far = rule(state, "A attack N-W B with A:archer-1")
    assert far.verdict is Verdict.UPHELD or str(far.rule) == "W-23"
    near = moves(state, "A attack N-W B", "A destroys B:skeleton-1")
    assert place(near, "B:skeleton-1") == "lost"
    return [far.verdict is Verdict.UPHELD, True]


def multi(data: Json, _: str) -> Json:
    given = table(data)
    state = put(
        game(players=3),
        A_captain_1="N-C",
        B_skeleton_1="N-C",
        C_hero_1="N-C",
    )
    strengths = [state.strength(chip) for chip in state.in_sector("N-C")]
    assert strengths == [given["A"], given["B"], given["C"]]
    return {"damage": _damage(state, f"A attack N-C {given['target']}")}


def team(data: Json, _: str) -> Json:
    given = table(data)
    state = put(
        game(players=4, teams="AC/BD"),
        A_militia_1="N-C",
        A_militia_2="N-C",
        C_engineer_1="N-C",
        B_vampire_1="N-C/water",
    )
    strengths = [
        sum(state.strength(chip) for chip in state.in_sector("N-C", Seat(seat)))
        for seat in (0, 2, 1)
    ]
    assert strengths == [given["A"], given["ally"], given["target"]]
    return {"damage": _damage(state, "A attack N-C B with C:engineer-1")}


def _damage(state: State, text: str) -> int:
    move = GAME.parse_move(text)
    assert isinstance(move, Attack)
    assert GAME.judge(state, move).verdict is Verdict.UPHELD
    return damage_of(state, move).total


RUNNERS: dict[str, Callable[[Json, str], Json]] = {
    "sector": sector,
    "terrain": terrain,
    "attack": attack,
    "siege": besiege,
    "actionPoints": action_points,
    "moveCost": move_cost,
    "cost": cost,
    "flick": flick,
    "recruit": recruit,
    "army": army,
    "victoryPoints": victory_points,
    "end": end,
    "tieBreak": tie_break,
    "forest": forest,
    "multi": multi,
    "team": team,
}

VECTORS = [table(case) for case in json.loads(CASES.read_text("utf-8"))]


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: str(case["id"]))
def test_every_vector_of_the_rules_file_holds(case: dict[str, Json]) -> None:
    run = RUNNERS[str(case["kind"])]
    assert run(case["input"], str(case["note"])) == case["expect"]


def test_no_vector_is_missing() -> None:
    assert len(VECTORS) == 46
    assert len({case["id"] for case in VECTORS}) == 46
