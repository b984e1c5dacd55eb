"""Rounds of real games as videos with truth: who laid what where, and when.

A round is played by the engine's own rules with cards that everybody knows, and laid on
a rendered table as hands would. What a camera cannot see (cards drawn, a shuffle) is
kept as the answer of a person who was asked.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from engines import load_game
from engines.core import Question, Seat, Verdict
from engines.frenzy.cards import Region
from engines.frenzy.moves import Play as FrenzyPlay
from engines.frenzy.state import Phase as FrenzyPhase
from engines.regicide.moves import Discard, Heal, Play
from engines.regicide.state import Phase
from tests.support import frenzy, regicide
from tests.support.tables import plain_deck
from vision.scene.art import Face
from vision.scene.camera import SceneCamera, look_at_table
from vision.scene.faces import draw_back, draw_custom_card
from vision.scene.ground import cloth
from vision.scene.light import Conditions
from vision.scene.render import Thing, thing_of
from vision.scene.video import Drift, Script, Step

TIME = re.compile(r" @-?\d+")


@dataclass
class Round:
    """A video to be rendered, and what happens in it."""

    game: str
    options: dict[str, Any]
    said: list[str]
    """Moves that people say before the camera follows."""
    script: Script
    moves: list[tuple[float, str]]
    """What can be seen: when it lay there, and the move without its time."""
    told: list[tuple[float, str]]
    """All moves of the true game, and from when on people can tell of them: when hands
    have done what belongs to them."""
    final: Any = None
    """The true state at the end."""
    answers: dict[str, str] = field(default_factory=dict)

    def answer(self, question: Question, now_s: float) -> str | None:
        """Return what a person at this table would answer: the truth, as far as the
        options allow; `None` where the person waits for the next card."""
        values = {o.move: o.value for o in question.options if o.move is not None}
        for from_s, move in self.told:
            if from_s > now_s:
                break
            for said in (move, _as_told(move)):
                if said in values:
                    return values[said]
        return question.default


def _as_told(move: str) -> str:
    """Return a move of the cards as people tell it: numbers, not faces."""
    words = move.split()
    if words and words[0] in ("castle", "tavern"):
        return f"{words[0]} ?"
    if words and words[0] == "heal":
        return " ".join(words[:2])
    return move


def camera(rng: random.Random, *, distance_mm: float) -> SceneCamera:
    """Return a camera over the table, seldom quite straight."""
    return look_at_table(
        focal_px=1100.0,
        distance_mm=distance_mm,
        tilt_deg=rng.uniform(0, 18),
        yaw_deg=rng.uniform(-4, 4),
        roll_deg=rng.uniform(-2, 2),
        centre_px=(640.0, 360.0),
    )


@cache
def back() -> Face:
    """Return the back of the deck."""
    return draw_back(np.random.default_rng(11))


@cache
def custom_face(label: str) -> Face:
    """Return an invented card under a name."""
    seed = sum(map(ord, label)) * 7919 % 100_003
    drawn = draw_custom_card(np.random.default_rng(seed))
    return Face(drawn.kind, label, drawn.bgra)


def _conditions(rng: random.Random) -> tuple[Conditions, Drift]:
    light = Conditions(
        shading=rng.uniform(0, 0.4),
        blur_px=rng.uniform(0.2, 0.7),
        noise=rng.uniform(1.0, 4.0),
        gain=rng.uniform(0.8, 1.1),
    )
    return light, Drift(exposure=rng.uniform(0, 0.12), period_s=rng.uniform(5, 12))


def _ground(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return cloth(rng, tuple(rng.uniform(30, 90, 3)))


# Frenzy ------------------------------------------------------------------------------


def frenzy_round(seed: int, *, most: int = 14) -> Round:
    """Return a battle in real time: both players lay at once, until the end."""
    rng = random.Random(seed)
    table = frenzy.Table(pitch_mm=92.0, depth_mm=97.0, centre_mm=(0.0, 0.0))
    row = [
        _thing(custom_face(label), table.spot(label[:2]), 90.0, rng, 0.0)
        for label in ("F1o", "F2b", "F3b")
    ]
    game = load_game("frenzy")
    state = frenzy.battle()
    things, steps = list(row), []
    moves: list[Any] = []
    at_s = 2.0
    while len(moves) < most and state.phase is FrenzyPhase.BATTLE:
        legal = [
            m
            for m in game.legal_moves(state) or ()
            if isinstance(m, FrenzyPlay) and m.piece is None
        ]
        if not legal:
            break
        move = rng.choice(legal)
        state = game.advance(state, move)
        thing = _frenzy_thing(table, move.region, move.card.value, rng)
        things.append(thing)
        steps.append(_lay(at_s, things, thing, 270.0 if move.seat == 0 else 90.0, rng))
        moves.append((at_s + steps[-1].linger_s, TIME.sub("", str(move))))
        at_s += rng.uniform(0.9, 2.2)
    light, drift = _conditions(rng)
    script = Script(
        camera(rng, distance_mm=1180.0),
        _ground(seed),
        tuple(row),
        steps,
        at_s + 2.0,
        conditions=light,
        drift=drift,
    )
    said = ["P1 turn F1 @0", "P2 go @1"]
    return Round("frenzy", {"firstPlayer": "P1"}, said, script, moves, [], state)


def _frenzy_thing(
    table: frenzy.Table, region: Region, label: str, rng: random.Random
) -> Thing:
    up = 90.0 if region.seat == 0 else 270.0
    return _thing(custom_face(label), table.spot(str(region)), up, rng, 5.0)


def _thing(
    face: Face,
    at: tuple[float, float],
    up_deg: float,
    rng: random.Random,
    off_mm: float,
) -> Thing:
    return thing_of(
        face,
        at[0] + rng.uniform(-off_mm, off_mm),
        at[1] + rng.uniform(-off_mm, off_mm),
        up_deg + (rng.uniform(-6, 6) if off_mm else 0.0),
    )


def _lay(
    at_s: float, things: list[Thing], thing: Thing, from_deg: float, rng: random.Random
) -> Step:
    return Step(
        round(at_s, 2),
        tuple(things),
        (thing.x_mm, thing.y_mm),
        from_deg + rng.uniform(-20, 20),
        carried=thing,
        linger_s=round(rng.uniform(0.05, 0.4), 2),
    )


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
    desk = _Desk(rng)
    while len(desk.moves) < most and state.phase is not Phase.OVER:
        move = regicide.chance(state, rng) or regicide.careful(state, rng)
        before, state = state, game.advance(state, move)
        if state.enemy is not None and not desk.first:
            desk.begin(str(state.enemy))
        desk.show(move)
        told.append((desk.steps[-1].at_s if desk.steps else 0.0, str(move)))
        if isinstance(move, Play | Discard) and state.enemy is None:
            break
        if state.phase is Phase.REVEAL and len(desk.moves) > 1:
            break
        if before.enemy is not None and state.enemy is not before.enemy:
            break
    light, drift = _conditions(rng)
    script = Script(
        camera(rng, distance_mm=1050.0),
        _ground(seed),
        tuple(desk.first),
        desk.steps,
        desk.at_s + 3.0,
        conditions=light,
        drift=drift,
    )
    return Round("regicide", options, [], script, desk.moves, told, state)


@dataclass
class _Desk:
    """The table of Regicide as hands lay it."""

    rng: random.Random
    at_s: float = 3.0
    first: list[Thing] = field(default_factory=list)
    things: list[Thing] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    moves: list[tuple[float, str]] = field(default_factory=list)
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
        piles = [
            _thing(back(), CASTLE, 90.0, self.rng, 2.0),
            _thing(back(), TAVERN, 90.0, self.rng, 2.0),
        ]
        royal = _thing(self._face(enemy), ENEMY, 90.0, self.rng, 2.0)
        self.first = [*piles, royal]
        self.things = list(self.first)
        self.moves.append((0.0, f"reveal {enemy}"))

    def _face(self, label: str) -> Face:
        deck = plain_deck()
        return deck.jokers[0] if label == "X" else deck.faces[label]

    def _play(self, move: Play) -> None:
        number = self.laid.get(move.seat, 0)
        self.laid[move.seat] = number + 1
        near = move.seat == 0
        x = -150.0 + 125.0 * (number % 4)
        y = (-135.0 if near else 195.0) - (10.0 if near else -10.0) * (number // 4)
        for place, card in enumerate(move.cards):
            at = (x + 22.0 * place, y)
            up = 90.0 if near else 270.0
            thing = _thing(self._face(str(card)), at, up, self.rng, 3.0)
            self.things.append(thing)
            self._step(thing, 270.0 if near else 90.0, 0.9)
        self._done(str(move), 4.2)

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

    def _discard(self, move: Discard) -> None:
        for card in move.cards:
            thing = _thing(self._face(str(card)), DISCARD, 90.0, self.rng, 3.0)
            self.things.append(thing)
            self._step(thing, 180.0, 2.4)
        self._done(str(move), 4.2)

    def _step(self, thing: Thing, from_deg: float, pause_s: float) -> None:
        self.steps.append(_lay(self.at_s, self.things, thing, from_deg, self.rng))
        self.at_s += pause_s

    def _done(self, move: str, pause_s: float) -> None:
        self.moves.append((self.steps[-1].at_s, move))
        self.at_s += pause_s


MAKERS: Mapping[str, Any] = {"frenzy": frenzy_round, "regicide": regicide_round}


def upheld(game: str, moves: list[str], state: Any) -> Any:
    """Return the state after moves that must all be legal."""
    rules = load_game(game)
    for text in moves:
        move = rules.parse_move(text)
        assert rules.judge(state, move).verdict is Verdict.UPHELD, text
        state = rules.advance(state, move)
    return state
