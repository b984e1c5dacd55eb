"""Builders of Warstones games and tables for tests."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

from engines.core import Kind, Piece, PieceId, Ruling, Seat, Verdict, play
from engines.warstones import GAME, Options, State
from engines.warstones.moves import (
    Army,
    Foul,
    Move,
    Pass,
    PutBack,
    SetCity,
    SetPoints,
    Settle,
)
from engines.warstones.state import PendingFlick
from engines.warstones.terms import ChipId, Place, Spot, Terrain

ARMIES = (
    "A army archer captain hero militia*4",
    "B army skeleton*4 thrower vampire",
    "C army archer engineer hero militia*4",
    "D army revenant*2 skeleton vampire wraith zombie",
)
"""Armies of at most 200 points from the sample kit."""

CITIES = ("draw W lateral-1", "draw C central-1", "draw E lateral-2")


def moves(state: State, *texts: str) -> State:
    """Return the state after moves in notation, each of which must be upheld."""
    for text in texts:
        state = play(GAME, state, GAME.parse_move(text))
    return state


def rule(state: State, text: str) -> Ruling:
    """Return the ruling on a move in notation."""
    return GAME.judge(state, GAME.parse_move(text))


def refused(state: State, text: str) -> tuple[str, str]:
    """Return rule and message id of the refusal of a move."""
    ruling = rule(state, text)
    assert ruling.verdict is Verdict.REJECTED, text
    return str(ruling.rule), ruling.reason.id.removeprefix("warstones.")


def game(**values: object) -> State:
    """Return a game at its first move, with the armies and Cities above."""
    state = GAME.setup(GAME.options(values))
    players = state.options.players
    return moves(state, *ARMIES[:players], "first A", *CITIES)


def put(state: State, **places: str) -> State:
    """Return the state with chips elsewhere: ``put(state, A_militia_1="N-C")``."""
    return state.move_chips(
        {chip(name): Place.parse(place) for name, place in places.items()}
    )


def chip(name: str) -> ChipId:
    """Return the chip of a Python name: ``A_militia_1``."""
    seat, unit, number = name.split("_")
    return ChipId(f"{seat}:{unit}-{number}")


def place(state: State, name: str) -> str:
    """Return where a chip is, without the millimetres."""
    found = state.chip(ChipId(name))
    assert found is not None, name
    return str(replace(found.place, at_mm=None))


def with_points(state: State, **points: int) -> State:
    """Return the state with action points per seat letter."""
    for letter, left in points.items():
        state = state.with_points(Seat("ABCD".index(letter)), left)
    return state


def with_turn(state: State, letter: str) -> State:
    """Return the state with another player at turn."""
    return replace(state, turn=Seat("ABCD".index(letter)))


def disc(
    name: str,
    label: str | None,
    x: float,
    y: float,
    *,
    sigma: float = 0.3,
    width: float = 32.0,
    **more: object,
) -> Piece:
    """Return a chip on the table."""
    variance = sigma * sigma
    piece = Piece(
        PieceId(name),
        Kind.DISC,
        label,
        x,
        y,
        width_mm=width,
        height_mm=width,
        covariance_mm2=(variance, 0.0, variance),
    )
    return replace(piece, **more)  # type: ignore[arg-type]


def token(name: str, label: str | None, x: float, y: float, **more: object) -> Piece:
    """Return a token on the table."""
    piece = Piece(PieceId(name), Kind.TOKEN, label, x, y, width_mm=30, height_mm=30)
    return replace(piece, **more)  # type: ignore[arg-type]


def cities() -> tuple[Piece, ...]:
    """Return readable tokens on the three Fortresses of Arbitro's mat."""
    return (
        token("tw", "city.lateral-1", 170, 450),
        token("tc", "city.central-1", 450, 450),
        token("te", "city.lateral-2", 730, 450),
    )


def legal(state: State) -> list[Move]:
    """Return the listed legal moves."""
    listed = GAME.legal_moves(state)
    assert listed is not None
    return list(listed)


def default_options() -> Options:
    """Return the options of a game of two."""
    return GAME.options({})


# Random play


def random_settle(state: State, rng: Random) -> Move:
    """Return a possible result of the open flick: anything may be hit."""
    flick = state.next_pending
    assert isinstance(flick, PendingFlick)
    others = [
        chip.id
        for chip in state.chips
        if chip.id != flick.chip and chip.place.spot in {Spot.SECTOR, Spot.MARGIN}
    ]
    hit = rng.sample(others, min(len(others), rng.choice((0, 0, 0, 1, 1, 2))))
    ends = [(chip, random_end(state, rng)) for chip in (flick.chip, *hit)]
    return Settle(tuple(ends))


def random_end(state: State, rng: Random) -> Place:
    """Return where a chip may come to rest."""
    kind = rng.random()
    if kind < 0.12:
        return Place(Spot.OFF)
    if kind < 0.17:
        return Place(Spot.MARGIN, at_mm=(10, 500))
    # Few sectors, so that units meet.
    area = rng.choice([a for a in state.options.mat.sectors if a.id[0] != "F"])
    x, y = area.zone.centre_mm
    at_mm = (round(x) + rng.randrange(-60, 60), round(y) + rng.randrange(-60, 60))
    return Place(Spot.SECTOR, area.id, rng.choice(list(Terrain)), at_mm)


def random_correction(state: State, rng: Random) -> Move:
    """Return something that a referee may want to put right, allowed or not."""
    chosen = rng.choice(state.chips)
    choices: list[Move] = [
        PutBack(chosen.id, random_end(state, rng)),
        SetPoints(rng.choice(state.options.seats), rng.randrange(0, 7)),
    ]
    if state.stack:
        city = rng.choice(state.cities)[0]
        choices.append(SetCity(city, rng.choice(state.stack)))
    return rng.choice(choices)


@cache
def armies(faction: str, army_points: int) -> tuple[str, ...]:
    """Return some legal armies of a faction, without the player's letter."""
    values = {"army_points": army_points, "factions": [faction, faction]}
    state = GAME.setup(GAME.options(values))
    listed = [str(m) for m in legal(state) if isinstance(m, Army) and m.seat == 0]
    return tuple(Random(1).sample(listed, min(len(listed), 40)))


def random_setup(state: State, rng: Random) -> list[Move]:
    """Return the moves of a set-up with random armies and City tokens."""
    options = state.options
    texts = [f"first {rng.choice('ABCD'[: options.players])}"]
    for seat in options.seats:
        army = rng.choice(armies(options.factions[seat], options.army_points))
        texts.append("ABCD"[seat] + army[1:])
    stack = list(state.stack)
    for city, _ in state.cities:
        drawable = [token for token in state.drawable(city) if token in stack]
        stack.remove(token := rng.choice(drawable))
        texts.append(f"draw {city} {token}")
    rng.shuffle(texts)
    return [GAME.parse_move(text) for text in texts]


def random_move(state: State, rng: Random) -> Move:
    """Return a move that is upheld; players seldom pass or call a foul."""
    if isinstance(state.next_pending, PendingFlick) and state.overfull is None:
        return random_settle(state, rng)
    listed = legal(state)
    kinds = list({type(move): None for move in listed})
    lively = [kind for kind in kinds if kind not in {Pass, Foul}]
    if not lively or rng.random() < 0.03:
        lively = kinds
    kind = rng.choice(sorted(lively, key=lambda kind: kind.__name__))
    return rng.choice([move for move in listed if isinstance(move, kind)])


def secrets(state: State, seat: Seat | None) -> set[str]:
    """Return what nobody may be told: which City tokens lie face down."""
    del seat
    return set(state.stack)
