"""What cameras do wrong, as a filter over pictures: the fifteen kinds of issue 6."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import cv2
import numpy as np

from tests.support.following import Picture
from vision.types import Bgr

Spoil: TypeAlias = Callable[["Fault", Picture], list[Picture]]


@dataclass
class Fault:
    """A fault of one kind from `begin_s` to `end_s`; remembers what it needs."""

    kind: str
    begin_s: float
    end_s: float
    seed: int = 0
    memory: deque[Picture] = field(default_factory=lambda: deque(maxlen=60))
    held: list[Picture] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.chosen = {name: float(self.rng.uniform()) for name in "abcd"}

    def __call__(self, pictures: Iterator[Picture]) -> Iterator[Picture]:
        """Yield the pictures as a camera with this fault gives them."""
        for picture in pictures:
            if self.begin_s <= picture.at_s < self.end_s:
                yield from KINDS[self.kind](self, picture)
            else:
                yield from self._let_go(picture)
            self.memory.append(picture)

    def _let_go(self, picture: Picture) -> Iterator[Picture]:
        """After the fault: what was held back comes all at once, stamped now."""
        for number, held in enumerate(self.held):
            yield replace(held, at_s=picture.at_s - 0.0001 * (len(self.held) - number))
        self.held.clear()
        yield picture


def _freeze(fault: Fault, picture: Picture) -> list[Picture]:
    if not fault.held:
        fault.held.append(picture)
    frozen = fault.held[0]
    shown = replace(frozen, at_s=picture.at_s)
    if picture.at_s + 0.05 >= fault.end_s:
        fault.held.clear()
    return [shown]


def _black(fault: Fault, picture: Picture) -> list[Picture]:
    noise = np.abs(fault.rng.normal(0, 1.5, picture.bgr.shape))
    return [replace(picture, bgr=noise.clip(0, 255).astype(np.uint8))]


def _torn(fault: Fault, picture: Picture) -> list[Picture]:
    """The lower part comes from an earlier picture, shifted; the seam wanders."""
    bgr = picture.bgr.copy()
    seam = int(fault.rng.uniform(0.2, 0.8) * bgr.shape[0])
    old = fault.memory[0].bgr if fault.memory else bgr
    bgr[seam:] = np.roll(old[seam:], int(fault.rng.integers(20, 200)), axis=1)
    return [replace(picture, bgr=bgr)]


def _wrong_size(fault: Fault, picture: Picture) -> list[Picture]:
    share = (0.5, 0.75, 1.5)[int(fault.chosen["a"] * 3)]
    small = cv2.resize(picture.bgr, None, fx=share, fy=share)
    return [replace(picture, bgr=np.asarray(small, np.uint8), truth=tuple)]


def _time_jump(fault: Fault, picture: Picture) -> list[Picture]:
    return [replace(picture, at_s=picture.at_s - 3600.0)]


def _flip(fault: Fault, picture: Picture) -> list[Picture]:
    way = (0, 1, -1)[int(fault.chosen["a"] * 3)]
    bgr = np.asarray(cv2.flip(picture.bgr, way), np.uint8)
    return [replace(picture, bgr=bgr, truth=_mapped(picture, bgr, way))]


def _mapped(picture: Picture, bgr: Bgr, way: int) -> Callable[[], tuple[Any, ...]]:
    height, width = bgr.shape[:2]

    def truth() -> tuple[Any, ...]:
        flipped = []
        for true in picture.truth():
            quad = true.quad_px.copy()
            if way in (1, -1):
                quad[:, 0] = width - 1 - quad[:, 0]
            if way in (0, -1):
                quad[:, 1] = height - 1 - quad[:, 1]
            flipped.append(replace(true, quad_px=quad))
        return tuple(flipped)

    return truth


def _loop(fault: Fault, picture: Picture) -> list[Picture]:
    """Old pictures again and again, as a recorder or a cheat would show them."""
    if not fault.held:
        fault.held.extend(list(fault.memory)[-45:])
    index = int((picture.at_s - fault.begin_s) * 30) % len(fault.held)
    shown = replace(fault.held[index], at_s=picture.at_s)
    if picture.at_s + 0.05 >= fault.end_s:
        fault.held.clear()
    return [shown]


def _lag(fault: Fault, picture: Picture) -> list[Picture]:
    """Pictures come a second late."""
    fault.held.append(picture)
    if len(fault.held) > 30:
        return [replace(fault.held.pop(0), at_s=picture.at_s)]
    return []


def _drop(fault: Fault, picture: Picture) -> list[Picture]:
    return [picture] if fault.rng.random() < 0.08 else []


def _burst(fault: Fault, picture: Picture) -> list[Picture]:
    """Nothing for half a second, then all at once."""
    fault.held.append(picture)
    if len(fault.held) < 15:
        return []
    out = [
        replace(p, at_s=picture.at_s - 0.0001 * (15 - n))
        for n, p in enumerate(fault.held)
    ]
    fault.held.clear()
    return out


def _blur(fault: Fault, picture: Picture) -> list[Picture]:
    sigma = 3.0 + 5.0 * fault.chosen["a"]
    blurred = cv2.GaussianBlur(picture.bgr, (0, 0), sigma)
    return [replace(picture, bgr=np.asarray(blurred, np.uint8))]


def _glare(fault: Fault, picture: Picture) -> list[Picture]:
    height, width = picture.bgr.shape[:2]
    shine = np.zeros((height, width), np.float32)
    centre = (
        int((0.2 + 0.6 * fault.chosen["a"]) * width),
        int((0.2 + 0.6 * fault.chosen["b"]) * height),
    )
    axes = (int(60 + 120 * fault.chosen["c"]), int(40 + 80 * fault.chosen["d"]))
    cv2.ellipse(shine, centre, axes, 20, 0, 360, (1.0,), -1)
    shine = np.asarray(cv2.GaussianBlur(shine, (0, 0), 9), np.float32)
    lit = picture.bgr + 320 * shine[..., None]
    return [_hidden(picture, lit.clip(0, 255).astype(np.uint8), shine > 0.5)]


def _hand(fault: Fault, picture: Picture) -> list[Picture]:
    """An arm lies across the table, and stays."""
    bgr = picture.bgr.copy()
    height, width = bgr.shape[:2]
    x = int((0.2 + 0.6 * fault.chosen["a"]) * width)
    reach = int((0.3 + 0.5 * fault.chosen["b"]) * height)
    since = min(1.0, (picture.at_s - fault.begin_s) / 0.4)
    left = min(1.0, (fault.end_s - picture.at_s) / 0.4)
    top = height - int(reach * min(since, left))
    mask = np.zeros((height, width), np.uint8)
    cv2.line(mask, (x, top + 50), (x + 60, height), (255,), 90)
    cv2.circle(mask, (x, top + 50), 60, (255,), -1)
    grain = fault.rng.normal(0, 3, bgr.shape)
    arm = (np.array([120, 150, 205]) + grain).clip(0, 255).astype(np.uint8)
    bgr[mask > 0] = arm[mask > 0]
    return [_hidden(picture, bgr, mask > 0)]


def _hidden(picture: Picture, bgr: Bgr, hidden: np.ndarray) -> Picture:
    """Return the picture with the truth of what can still be seen in it."""

    def truth() -> tuple[Any, ...]:
        seen = []
        for true in picture.truth():
            cells = np.zeros(hidden.shape, np.uint8)
            cv2.fillConvexPoly(cells, true.quad_px.round().astype(np.int32), (1,))
            share = float(hidden[cells > 0].mean()) if cells.any() else 0.0
            seen.append(replace(true, visible=true.visible * (1 - share)))
        return tuple(seen)

    return replace(picture, bgr=bgr, truth=truth)


def _bump(fault: Fault, picture: Picture) -> list[Picture]:
    """The camera is pushed, and back at the end."""
    height, width = picture.bgr.shape[:2]
    turn = (fault.chosen["a"] - 0.5) * 8
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), turn, 1.0)
    shift = (np.array([fault.chosen["b"], fault.chosen["c"]]) - 0.5) * 120
    matrix[:, 2] = matrix[:, 2] + shift
    bgr = cv2.warpAffine(
        picture.bgr, matrix, (width, height), borderMode=cv2.BORDER_REFLECT
    )

    def truth() -> tuple[Any, ...]:
        moved = []
        for true in picture.truth():
            quad = true.quad_px @ matrix[:, :2].T + matrix[:, 2]
            inside = (quad >= 0).all() and (quad < [width, height]).all()
            moved.append(
                replace(true, quad_px=quad, visible=true.visible if inside else 0.0)
            )
        return tuple(moved)

    return [replace(picture, bgr=np.asarray(bgr, np.uint8), truth=truth)]


def _swap(fault: Fault, picture: Picture) -> list[Picture]:
    """Another camera: another table, on which nothing of ours lies."""
    rng = np.random.default_rng(fault.seed + 77)
    coarse = rng.integers(20, 220, (18, 32, 3)).astype(np.uint8)
    height, width = picture.bgr.shape[:2]
    room = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    noisy = room + fault.rng.normal(0, 2, room.shape)
    return [replace(picture, bgr=noisy.clip(0, 255).astype(np.uint8), truth=tuple)]


KINDS: Mapping[str, Spoil] = {
    "freeze": _freeze,
    "black": _black,
    "torn": _torn,
    "wrong_size": _wrong_size,
    "time_jump": _time_jump,
    "flip": _flip,
    "loop": _loop,
    "lag": _lag,
    "drop": _drop,
    "burst": _burst,
    "blur": _blur,
    "glare": _glare,
    "hand": _hand,
    "bump": _bump,
    "swap": _swap,
}
