"""Rounds of all games, played by the engine's own rules and laid as hands would."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engines import load_game
from engines.core import Seat, Verdict
from engines.frenzy.cards import Zone
from engines.frenzy.moves import Play as FrenzyPlay
from engines.frenzy.state import Phase as FrenzyPhase
from engines.regicide.moves import Discard, Heal, Play
from engines.regicide.state import Phase
from tests.support import frenzy, regicide
from tests.support.laying import (
    TIME,
    Desk,
    Round,
    as_told,
    back,
    camera,
    conditions,
    custom_face,
    ground,
    thing,
)
from tests.support.rounds_board import warstones_round
from tests.support.rounds_custom import brawl_round, frantic_round
from tests.support.tables import plain_deck
from vision.scene.art import Face
from vision.scene.render import Thing
from vision.scene.video import Script, Step

# Frenzy ------------------------------------------------------------------------------


def frenzy_round(seed: int, *, most: int = 8) -> Round:
    """Return a battle in real time, until somebody lets go of the third Hero in the
    own Headquarters: both players lay cards meanwhile."""
    rng = random.Random(seed)
    table = frenzy.Table(pitch_mm=92.0, depth_mm=97.0, centre_mm=(0.0, 0.0))
    row = [
        thing(custom_face(label), table.spot(label[:2]), 90.0, rng, 0.0)
        for label in ("F1o", "F2b", "F3b")
    ]
    game = load_game("frenzy")
    state = frenzy.battle()
    desk = Desk(rng, 2.0, list(row))
    ender = Seat(rng.randrange(2))
    heroes = {most - 1, *rng.sample(range(most - 1), 2)}
    for number in range(most):
        move = _frenzy_move(game, state, rng, ender if number in heroes else None)
        linger_s = desk.lay(
            _frenzy_thing(table, move, state, rng),
            270.0 if move.seat == 0 else 90.0,
            TIME.sub("", str(move)),
            pause_s=rng.uniform(0.9, 2.2),
        )
        at_ms = round((desk.steps[-1].at_s + linger_s) * 1000) + 1000
        state = game.advance(state, replace(move, time_ms=at_ms))
    assert state.phase is FrenzyPhase.ENDED
    light, drift = conditions(rng)
    script = Script(
        camera(rng, distance_mm=1180.0),
        ground(seed),
        tuple(row),
        desk.steps,
        desk.steps[-1].at_s + 2.0,
        conditions=light,
        drift=drift,
    )
    said = ["P1 turn F1 @0", "P2 go @1"]
    return Round("frenzy", {"firstPlayer": "P1"}, said, script, desk.moves, [], state)


def _frenzy_move(
    game: Any, state: Any, rng: random.Random, ender: Seat | None
) -> FrenzyPlay:
    """Return a legal play: into the Headquarters of `ender`, or else elsewhere."""
    return rng.choice(
        [
            move
            for move in game.legal_moves(state) or ()
            if isinstance(move, FrenzyPlay)
            and move.piece is None
            and (move.seat == ender or ender is None)
            and (move.region.zone is Zone.HQ) == (ender is not None)
        ]
    )


def _frenzy_thing(
    table: frenzy.Table, move: FrenzyPlay, state: Any, rng: random.Random
) -> Thing:
    """Return the card where it is laid: Heroes in the Headquarters side by side."""
    up = 90.0 if move.seat == 0 else 270.0
    x, y = table.spot(str(move.region))
    if move.region.zone is Zone.HQ:
        x += 24.0 * len(state.players[move.seat].pile(Zone.HQ))
    return thing(custom_face(move.card.value), (x, y), up, rng, 5.0)


# Regicide ----------------------------------------------------------------------------

CASTLE, ENEMY, TAVERN, DISCARD = (
    (0.0, 30.0),
    (74.0, 30.0),
    (-230.0, 30.0),
    (-156.0, 30.0),
)


def regicide_round(seed: int, *, most: int = 9) -> Round:
    """Return the fight against the first enemy, or a part of it."""
    rng = random.Random(seed)
    game = load_game("regicide")
    options = {"players": 2}
    state = game.setup(game.options(options))
    told: list[tuple[float, str]] = []
    desk = _Fight(rng)
    while len(desk.moves) < most and state.phase is not Phase.OVER:
        move = regicide.chance(state, rng) or regicide.careful(state, rng)
        enemy, state = state.enemy, game.advance(state, move)
        told.append((desk.steps[-1].at_s if desk.steps else 0.0, str(move)))
        if state.enemy is not None and not desk.first:
            desk.begin(str(state.enemy))
            told.append((0.0, f"reveal {state.enemy}"))
        desk.show(move)
        if enemy is not None and state.enemy is not enemy:
            break  # the next one is turned up: another fight
    light, drift = conditions(rng)
    script = Script(
        camera(rng, distance_mm=1050.0),
        ground(seed),
        tuple(desk.first),
        desk.steps,
        desk.at_s + 3.0,
        conditions=light,
        drift=drift,
    )
    final = upheld(
        "regicide",
        [as_told(move) for _, move in told],
        game.setup(game.options(options)),
    )
    return Round("regicide", options, [], script, desk.moves, told, final)


@dataclass
class _Fight(Desk):
    """The table of Regicide as hands lay it."""

    first: list[Thing] = field(default_factory=list)
    laid: dict[Seat, int] = field(default_factory=dict)

    def show(self, move: Any) -> None:
        """Let hands do what a move says."""
        if isinstance(move, Play):
            self._play(move)
        elif isinstance(move, Discard):
            self._discard(move)
        elif isinstance(move, Heal) and move.cards:
            self._heal({str(card) for card in move.cards})

    def begin(self, enemy: str) -> None:
        """Lay the piles and the first enemy, before the camera looks."""
        self.first = [
            thing(back(), CASTLE, 90.0, self.rng, 2.0),
            thing(back(), TAVERN, 90.0, self.rng, 2.0),
            thing(_standard(enemy), ENEMY, 90.0, self.rng, 2.0),
        ]
        self.things = list(self.first)
        self.moves.append((0.0, f"reveal {enemy}"))

    def _play(self, move: Play) -> None:
        number = self.laid.get(move.seat, 0)
        self.laid[move.seat] = number + 1
        near = move.seat == 0
        up, from_deg = (90.0, 270.0) if near else (270.0, 90.0)
        x = -150.0 + 125.0 * (number % 4)
        y = (-135.0 if near else 195.0) - (10.0 if near else -10.0) * (number // 4)
        for place, card in enumerate(move.cards):
            is_last = place == len(move.cards) - 1
            laid = thing(_standard(str(card)), (x + 22.0 * place, y), up, self.rng, 3.0)
            self.lay(laid, from_deg, str(move) if is_last else None, pause_s=0.9)
        self.at_s += 3.3

    def _discard(self, move: Discard) -> None:
        for place, card in enumerate(move.cards):
            is_last = place == len(move.cards) - 1
            laid = thing(_standard(str(card)), DISCARD, 90.0, self.rng, 3.0)
            self.lay(laid, 180.0, str(move) if is_last else None, pause_s=2.4)
        self.at_s += 1.8

    def _heal(self, labels: set[str]) -> None:
        """Cards go from the discard pile under the Tavern, in one hand."""
        taken = [t for t in self.things if t.face.label in labels]
        self.things = [t for t in self.things if t not in taken]
        if not taken:
            return
        self.steps.append(
            Step(
                round(self.at_s, 2),
                tuple(self.things),
                (taken[-1].x_mm, taken[-1].y_mm),
                180.0,
                carried=taken[-1],
                takes=True,
            )
        )
        self.at_s += 4.2


def _standard(label: str) -> Face:
    deck = plain_deck(10)  # its courts are read: what is judged is following
    return deck.jokers[0] if label == "X" else deck.faces[label]


MAKERS: Mapping[str, Callable[..., Round]] = {
    "brawl": brawl_round,
    "frantic": frantic_round,
    "frenzy": frenzy_round,
    "regicide": regicide_round,
    "warstones": warstones_round,
}


def upheld(game: str, moves: list[str], state: Any) -> Any:
    """Return the state after moves that must all be legal."""
    rules = load_game(game)
    for text in moves:
        move = rules.parse_move(text)
        assert rules.judge(state, move).verdict is Verdict.UPHELD, text
        state = rules.advance(state, move)
    return state
