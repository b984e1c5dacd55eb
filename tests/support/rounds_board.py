"""Turns of Warstones: chips put into a Base, flicked onto the field, pushed by others.

The truth is what the engine says of the true places in millimetres; what is tested is
everything between the pictures and it. Chips slide for some pictures after a flick.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import cv2
import numpy as np

from engines import load_game
from engines.core import Kind as PieceKind
from engines.core import Piece, PieceId, Question, Text, Verdict
from engines.warstones.moves import Deploy, Move, Movement, Recruit
from engines.warstones.objections import chip_text
from engines.warstones.terms import ChipId
from tests.support import warboard, warstones
from tests.support.laying import Round, conditions, ground
from vision.geometry import transform
from vision.scene.art import Face, premultiplied
from vision.scene.camera import SceneCamera, look_at_table
from vision.scene.render import Thing
from vision.scene.video import Script, Step
from vision.types import Array, Bgr, Kind

HALF_MM = warboard.SIZE_MM / 2
TABLE_MM = 2 * warboard.SIZE_MM
SIGMA_MM = 0.4
SLIDE_S, SLIDE_STEPS = 0.5, 7
TURN_S = 4.2
TRIES = 60
FACE_PX, FINER = 128, 4
PLACES = frozenset({"board", "area", "sector", "terrain", "lies"})
"""What is asked of a chip that was hardly measured, or not at all. None leaves the
board itself."""
Place = tuple[float, float]


def warstones_round(seed: int, *, most: int = 12) -> BoardRound:
    """Return the first turns of a game of two."""
    rng = random.Random(seed)
    game = load_game("warstones")
    state = game.setup(game.options({}))
    said = [str(move) for move in warstones.random_setup(state, rng)]
    state = warstones.moves(state, *said)
    mat = _Mat(rng, state)
    while len(mat.moves) < most and mat.turn():
        pass
    light, drift = conditions(rng)
    camera = look_at_table(
        focal_px=1000.0,
        distance_mm=1400.0,
        tilt_deg=rng.uniform(0, 12),
        yaw_deg=rng.uniform(-2, 2),
        roll_deg=0.0,
        centre_px=(640.0, 360.0),
    )
    script = Script(
        camera,
        _table(seed),
        (),
        mat.steps,
        mat.at_s + 2.0,
        conditions=light,
        drift=drift,
        ground_mm=TABLE_MM,
    )
    made = BoardRound("warstones", {}, said, script, mat.moves, [], mat.state)
    made.to_mm = partial(_on_mat, camera)
    return made


class BoardRound(Round):
    """A round in which nothing is ever put back: what lies there was played."""

    def answer(
        self, question: Question, now_s: float, done: Iterable[str] = ()
    ) -> str | None:
        """Return what a person at this table would answer: a chip that no move explains
        stays, `None` where the person waits."""
        kind = question.id.partition(":")[0]
        if kind == "unexplained":
            return "keep"
        if kind == "left_base":
            return self._flicked(question, now_s, done)
        if kind in PLACES:
            return self._counts(kind, question, now_s, done)
        return super().answer(question, now_s, done)

    def _flicked(self, question: Question, now_s: float, done: Iterable[str]) -> str:
        """Return which chip left the Base, and whether it left the board as well."""
        flicked = {
            _kind(chip if spot == "off" else f"lies:{chip}")
            for chip, spot in self._settled(now_s, done)
        }
        values = (option.value for option in question.options)
        return next((value for value in values if _kind(value) in flicked), "wait")

    def _settled(self, now_s: float, done: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield the chips that settled and where, of what is not done yet."""
        settled = [m for at_s, m in self.moves if at_s <= now_s and _is_settled(m)]
        for move in settled[sum(map(_is_settled, done)) :]:
            for one in move.split()[1:]:
                chip, _, spot = one.partition("@")
                yield chip, spot

    def _counts(
        self, kind: str, question: Question, now_s: float, done: Iterable[str]
    ) -> str | None:
        """Return where a chip counts that settled last; `None` if it did not."""
        for chip, spot in self._settled(now_s, done):
            place, _, terrain = spot.partition(":")[0].partition("/")
            said = {
                "board": "on",
                "area": "in" if place == "base" else "out",
                "sector": "outside" if place == "off" else place,
                "terrain": terrain or "plain",
                "lies": place,
            }[kind]
            is_offered = said in {option.value for option in question.options}
            if is_offered and self._is_about(question, chip):
                return said
        in_base = self._in_base(now_s) if kind == "area" else ()
        is_in = any(self._is_about(question, chip) for chip in in_base)
        return "in" if is_in else None

    def _in_base(self, now_s: float) -> set[str]:
        """Return the chips that were laid in a Base by now, and not deployed since."""
        chips: set[str] = set()
        for at_s, move in self.moves:
            _, what, chip = (*move.split(), "", "")[:3]
            if at_s <= now_s and what == "recruit":
                chips.add(chip)
            elif at_s <= now_s and what == "deploy":
                chips.discard(chip)
        return chips

    def _is_about(self, question: Question, chip: str) -> bool:
        """Return whether a question names a chip, or one like it."""
        asked = dict(question.text.values)["chip"]
        named = chip_text(self.final.options, ChipId(chip))
        return isinstance(asked, Text) and _alike(asked) == _alike(named)


def _is_settled(move: str) -> bool:
    return move.startswith("settle ")


def _kind(chip: str) -> str:
    """Return a chip without its number: chips of one kind are alike."""
    return chip.rpartition("-")[0]


def _alike(chip: Text) -> dict[str, Any]:
    return {name: value for name, value in chip.values if name != "number"}


def _table(seed: int) -> Bgr:
    """Return the mat on a cloth, from above: its middle is the table's."""
    mat = warboard.mat_picture(markers=True)
    side = round(TABLE_MM * warboard.PX_PER_MM)
    table = cv2.resize(ground(seed), (side, side), interpolation=cv2.INTER_LINEAR)
    edge = (side - mat.shape[0]) // 2
    table[edge : edge + mat.shape[0], edge : edge + mat.shape[1]] = mat
    return np.asarray(table, np.uint8)


def _on_mat(camera: SceneCamera, point_px: Array) -> Place:
    table_from_image = np.asarray(np.linalg.inv(camera.image_from_plane(0.0)), float)
    ((x, y),) = transform(table_from_image, np.asarray(point_px, float)[None])
    return float(x) + HALF_MM, float(y) + HALF_MM


@dataclass
class _Mat:
    """The board as hands play on it."""

    rng: random.Random
    state: Any
    at_s: float = 3.0
    lying: dict[str, Place] = field(default_factory=dict)
    """Chip of the engine -> where it lies, mm on the mat."""
    steps: list[Step] = field(default_factory=list)
    moves: list[tuple[float, str]] = field(default_factory=list)

    def turn(self) -> bool:
        """Play one move; return whether there was one."""
        kinds = {
            kind: [m for m in warstones.legal(self.state) if isinstance(m, kind)]
            for kind in (Recruit, Deploy, Movement)
        }
        possible = [kind for kind, moves in kinds.items() if moves]
        for _ in range(TRIES if possible else 0):
            move = self.rng.choice(kinds[self.rng.choice(possible)])
            after = self._after(move)
            found = self._explained(after)
            if found and str(found[0]) == str(move):
                self._show(move, after, found)
                return True
        return False

    def _after(self, move: Recruit | Deploy | Movement) -> dict[str, Place]:
        """Return where everything may lie after a move."""
        after = dict(self.lying)
        if isinstance(move, Recruit):
            after[move.chip] = self._in_base(move)
            return after
        after[move.chip] = (self.rng.uniform(60, 840), self.rng.uniform(60, 840))
        if self.rng.random() < 0.3 and len(after) > 1:
            hit = self.rng.choice([chip for chip in after if chip != move.chip])
            x, y = after[hit]
            angle, far = self.rng.uniform(0, math.tau), self.rng.uniform(15, 70)
            after[hit] = x + far * math.cos(angle), y + far * math.sin(angle)
        return after

    def _in_base(self, move: Recruit) -> Place:
        mat = self.state.options.mat
        area = next(a for a in mat.bases if move.seat in a.owners(2))
        left, low, right, high = area.zone.bounds_mm
        return self.rng.uniform(left, right), self.rng.uniform(low, high)

    def _explained(self, after: dict[str, Place]) -> tuple[Move, ...]:
        """Return the legal moves that lead there; none where anybody must be asked."""
        if _too_near(after) or self._is_near_line(after):
            return ()
        game = load_game("warstones")
        pieces = [_piece(self.state, chip, at) for chip, at in after.items()]
        state, moves = self.state, []
        found = game.changes(state, game.layout(pieces, state.options))
        if isinstance(found, Question):
            return ()
        for move in found:
            if game.judge(state, move).verdict is not Verdict.UPHELD:
                return ()
            state = game.advance(state, move)
            moves.append(move)
        # A chip that went off the board, and lies on its edge, is asked about.
        is_open = bool(game.changes(state, game.layout(pieces, state.options)))
        return () if is_open else tuple(moves)

    def _is_near_line(self, after: dict[str, Place]) -> bool:
        """Return whether an error of a few mm could tell another story."""
        game = load_game("warstones")

        def story(shift: Place) -> str:
            pieces = [
                _piece(self.state, chip, (x + shift[0], y + shift[1]))
                for chip, (x, y) in after.items()
            ]
            found = game.changes(self.state, game.layout(pieces, self.state.options))
            return str(
                found.id
                if isinstance(found, Question)
                else [_without_mm(str(move)) for move in found]
            )

        shifts = ((0.0, 0.0), (3.0, 0.0), (-3.0, 0.0), (0.0, 3.0), (0.0, -3.0))
        return len({story(shift) for shift in shifts}) > 1

    def _show(
        self, move: Move, after: dict[str, Place], found: tuple[Move, ...]
    ) -> None:
        """Let a hand put the chip down, or flick it."""
        chip = next(c for c in after if self.lying.get(c) != after[c])
        from_deg = 270.0 if str(move).startswith("A") else 90.0
        if isinstance(move, Recruit):
            self._step(after, after[chip], from_deg, carried=chip)
        else:
            before = self.lying
            chip = str(getattr(move, "chip", chip))
            self._step(before, before.get(chip, after[chip]), from_deg)
            for step in range(1, SLIDE_STEPS + 1):
                way = 1 - (1 - step / SLIDE_STEPS) ** 2
                between = {
                    c: _between(before.get(c, at), at, way) for c, at in after.items()
                }
                at_s = self.at_s + SLIDE_S * step / SLIDE_STEPS
                self.steps.append(
                    Step(at_s, self._things(between), (0.0, 0.0), is_empty=True)
                )
        game = load_game("warstones")
        for one in found:
            self.moves.append((self.at_s + 0.3 + SLIDE_S, str(one)))
            self.state = game.advance(self.state, one)
        self.lying = after
        self.at_s += TURN_S

    def _step(
        self,
        lying: dict[str, Place],
        at: Place,
        from_deg: float,
        carried: str | None = None,
    ) -> None:
        things = self._things(lying)
        reach = at[0] - HALF_MM, at[1] - HALF_MM
        held = None if carried is None else _thing(self.state, carried, at)
        self.steps.append(
            Step(
                round(self.at_s, 2),
                things,
                reach,
                from_deg + self.rng.uniform(-20, 20),
                carried=held,
                linger_s=round(self.rng.uniform(0.05, 0.3), 2),
            )
        )

    def _things(self, lying: dict[str, Place]) -> tuple[Thing, ...]:
        return tuple(_thing(self.state, chip, at) for chip, at in lying.items())


def _between(start: Place, end: Place, share: float) -> Place:
    return (
        start[0] + (end[0] - start[0]) * share,
        start[1] + (end[1] - start[1]) * share,
    )


def _too_near(after: dict[str, Place]) -> bool:
    places = list(after.values())
    return any(
        math.dist(one, two) < 1.3 * warboard.CHIP_MM
        for number, one in enumerate(places)
        for two in places[number + 1 :]
    )


def _without_mm(move: str) -> str:
    """Return a move without millimetres, which differ a little in each picture."""
    return " ".join(word.partition("@")[0] + _place(word) for word in move.split())


def _place(word: str) -> str:
    _, at, place = word.partition("@")
    return at + place.partition(":")[0]


def _piece(state: Any, chip: str, at: Place) -> Piece:
    return Piece(
        PieceId(chip),
        PieceKind.DISC,
        state.options.label(chip),
        at[0],
        at[1],
        width_mm=warboard.CHIP_MM,
        height_mm=warboard.CHIP_MM,
        covariance_mm2=(SIGMA_MM**2, 0.0, SIGMA_MM**2),
    )


def _thing(state: Any, chip: str, at: Place) -> Thing:
    return Thing(
        chip_face(state.options.label(chip)),
        at[0] - HALF_MM,
        at[1] - HALF_MM,
        90.0,
        warboard.CHIP_MM,
        warboard.CHIP_MM,
    )


@cache
def chip_face(label: str) -> Face:
    """Return a chip as a round thing that lies flat, as wide as its square: chips have
    the size that their kit says."""
    side = FACE_PX * FINER
    bgr = cv2.resize(
        warboard.face(label), (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA
    )
    fine = np.zeros((side, side), np.uint8)
    # Middles of pixels are whole numbers, of which the last four bits are a part.
    middle = round(16 * (side - 1) / 2)
    cv2.circle(fine, (middle, middle), 16 * side // 2, (255,), -1, shift=4)
    mask = cv2.resize(fine, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA)
    bgra = np.dstack([bgr, mask]).astype(np.uint8)
    return Face(Kind.DISC, label, premultiplied(bgra))
