"""Rounds of real games as videos with truth: who laid what where, and when.

Hands lay things on a rendered table, one after the other. What a camera cannot see
(cards drawn, a shuffle) is kept as what people say, or answer when they are asked.
"""

from __future__ import annotations

import random
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from engines.core import Question
from vision.scene.art import Face
from vision.scene.backs import draw_back
from vision.scene.camera import SceneCamera, look_at_table
from vision.scene.custom import draw_custom_card
from vision.scene.ground import cloth
from vision.scene.light import Conditions
from vision.scene.render import Thing, thing_of
from vision.scene.video import Drift, Script, Step
from vision.types import Array

TIME = re.compile(r"( #\S+)? @-?\d+")
"""Piece and time of a move: what people leave out when they tell of it."""


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
    spoken: list[tuple[float, str]] = field(default_factory=list)
    """What people tell of themselves, and when: a card drawn, a colour wished."""
    decks: tuple[str, ...] = ()
    """Names of the decks where each player has one, in seat order."""
    to_mm: Callable[[Array], tuple[float, float]] | None = None
    """From the picture to mm on the mat, where places are measured."""

    def answer(
        self, question: Question, now_s: float, done: Iterable[str] = ()
    ) -> str | None:
        """Return what a person at this table would answer: what has happened and is not
        `done` yet, if that is an option; `None` where the person waits."""
        values = {
            TIME.sub("", o.move): o.value
            for o in question.options
            if o.move is not None
        }
        known = Counter(done)
        for from_s, move in self.told:
            if from_s > now_s:
                break
            shorter = as_told(move)
            if known[shorter]:
                known[shorter] -= 1
                continue
            for said in (move, shorter):
                if said in values:
                    return values[said]
        return None


def as_told(move: str) -> str:
    """Return a move of the cards as people tell it: numbers, not faces."""
    words = move.split()
    if words and words[0] in ("castle", "tavern"):
        return f"{words[0]} ?"
    if words and words[0] == "heal":
        return f"heal {len(words) - 1}"
    if words and words[0] == "deal":
        return "deal ?"
    return move


@dataclass
class Desk:
    """What lies there, what hands did, and when."""

    rng: random.Random
    at_s: float = 3.0
    """When the next thing is laid."""
    things: list[Thing] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    moves: list[tuple[float, str]] = field(default_factory=list)
    """What can be seen: when a hand let go of it, and the move."""
    spoken: list[tuple[float, str]] = field(default_factory=list)
    """What people say of themselves, and when: no camera sees it."""

    def lay(
        self, thing: Thing, from_deg: float, move: str | None, *, pause_s: float
    ) -> float:
        """Let a hand lay a thing, with which `move` is complete; return how long the
        hand stays on it."""
        self.things.append(thing)
        step = lay(self.at_s, self.things, thing, from_deg, self.rng)
        self.steps.append(step)
        if move is not None:
            self.moves.append((step.at_s + step.linger_s, move))
        self.at_s += pause_s
        return step.linger_s


def lay(
    at_s: float, things: list[Thing], thing: Thing, from_deg: float, rng: random.Random
) -> Step:
    """Return the step in which a hand lays the last of `things`."""
    return Step(
        round(at_s, 2),
        tuple(things),
        (thing.x_mm, thing.y_mm),
        from_deg + rng.uniform(-20, 20),
        carried=thing,
        linger_s=round(rng.uniform(0.05, 0.4), 2),
    )


def thing(
    face: Face,
    at: tuple[float, float],
    up_deg: float,
    rng: random.Random,
    off_mm: float,
) -> Thing:
    """Return a card as people lay it: not quite there, not quite straight."""
    return thing_of(
        face,
        at[0] + rng.uniform(-off_mm, off_mm),
        at[1] + rng.uniform(-off_mm, off_mm),
        up_deg + (rng.uniform(-6, 6) if off_mm else 0.0),
    )


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
    """Return an invented card under a name; ``A/Hr`` is the Hr of deck A."""
    drawn = draw_custom_card(np.random.default_rng(zlib.crc32(label.encode())))
    return Face(drawn.kind, label, drawn.bgra)


def conditions(rng: random.Random) -> tuple[Conditions, Drift]:
    """Return light, lens and sensor of a home, and how the exposure wanders."""
    light = Conditions(
        shading=rng.uniform(0, 0.4),
        blur_px=rng.uniform(0.2, 0.7),
        noise=rng.uniform(1.0, 4.0),
        gain=rng.uniform(0.8, 1.1),
    )
    return light, Drift(exposure=rng.uniform(0, 0.12), period_s=rng.uniform(5, 12))


def ground(seed: int) -> Any:
    """Return a table cloth."""
    rng = np.random.default_rng(seed)
    return cloth(rng, tuple(rng.uniform(30, 90, 3)))
