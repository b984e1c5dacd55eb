"""Random tables: which things lie where, and who looks at them from where."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from vision.scene.art import CARD_HEIGHT_MM, Deck, Face
from vision.scene.camera import SceneCamera, look_at_table
from vision.scene.chance import one_of
from vision.scene.clutter import draw_disc, draw_hand, draw_sheet
from vision.scene.custom import draw_custom_card
from vision.scene.ground import draw_ground
from vision.scene.light import draw_conditions
from vision.scene.render import Hand, Scene, Thing, thing_of
from vision.types import Array, Bgr

Spot = tuple[float, float, float]
"""x mm, y mm, angle deg."""


@dataclass(frozen=True, slots=True, eq=False)
class Props:
    """What tables are made of."""

    deck: Deck
    fonts: Sequence[str] = ("sans",)
    grounds: Sequence[Bgr] = ()
    """Table tops to choose from; a new one is drawn where there is none."""
    pictures: Sequence[Bgr] = ()
    backs: Sequence[Face] = field(default_factory=tuple)
    share_of_custom: float = 0.06
    """So many tables have cards of no standard deck."""
    custom: Sequence[Face] = field(default_factory=tuple)
    """Such cards, on most of these tables; the others' are drawn."""


def draw_scene(
    rng: np.random.Generator,
    props: Props,
    *,
    size_px: tuple[int, int] = (320, 320),
    card_px: tuple[float, float] = (30.0, 330.0),
    hardness: float = 1.0,
    tilt_deg: float = 55.0,
) -> Scene:
    """Return a random table; `card_px` bounds the long side of a card at the middle."""
    long_px = math.exp(rng.uniform(math.log(card_px[0]), math.log(card_px[1])))
    camera = draw_camera(rng, size_px, long_px, tilt_deg)
    room = np.array(size_px) / long_px * CARD_HEIGHT_MM
    things: list[Thing] = list(_clutter(rng, props, room))
    things += _cards(rng, props, room)
    if rng.random() < 0.25:
        things += _discs(rng, room)
    hands = [_hand(rng, room)] if rng.random() < 0.12 * hardness else []
    return Scene(
        *size_px,
        camera,
        _ground(rng, props),
        things,
        hands,
        draw_conditions(rng, hardness),
    )


def _ground(rng: np.random.Generator, props: Props) -> Bgr:
    if not len(props.grounds):
        return draw_ground(rng)
    ground = one_of(rng, props.grounds)
    return np.roll(ground, int(rng.integers(ground.shape[0])), axis=0)


def draw_camera(
    rng: np.random.Generator,
    size_px: tuple[int, int],
    long_px: float,
    tilt_deg: float,
) -> SceneCamera:
    """Return a camera over the origin that shows a card `long_px` long there."""
    width = max(size_px)
    focal = rng.uniform(0.75, 1.6) * width * (1 if rng.random() < 0.5 else 2)
    tilt = tilt_deg * rng.random() ** 1.6
    off = rng.normal(0, 0.25, 2) * width if rng.random() < 0.5 else np.zeros(2)
    centre = (size_px[0] / 2 + float(off[0]), size_px[1] / 2 + float(off[1]))
    return look_at_table(
        focal_px=float(focal),
        distance_mm=float(focal) * CARD_HEIGHT_MM / long_px,
        tilt_deg=float(tilt),
        yaw_deg=float(rng.uniform(0, 360)),
        roll_deg=float(rng.uniform(0, 360) if rng.random() < 0.2 else rng.normal(0, 8)),
        centre_px=centre,
    )


def _cards(rng: np.random.Generator, props: Props, room: Array) -> Iterator[Thing]:
    spots: list[Spot] = []
    target = float(room.prod()) / (63 * 88) * rng.uniform(0.15, 0.9)
    wanted = int(
        np.clip(rng.poisson(max(target, 0.7)), 0 if rng.random() < 0.2 else 1, 34)
    )
    while len(spots) < wanted:
        centre = rng.uniform(-0.5, 0.5, 2) * room * 0.95
        group = _group(rng, wanted - len(spots))
        spots += [(x + centre[0], y + centre[1], a) for x, y, a in group]
    faces = list(props.deck.faces.values()) + list(props.deck.jokers) * 2
    drawn = rng.permutation(len(faces)) if rng.random() < 0.7 else None
    custom = rng.random() < props.share_of_custom
    down = rng.random() * 0.35 if rng.random() < 0.5 else 0.0
    sleeve = float(rng.uniform(0.02, 0.22)) if rng.random() < 0.12 else 0.0
    backs = [b for b in (props.deck.back, *props.backs) if b is not None]
    back = one_of(rng, backs) if backs else None
    own = _own_cards(rng, props) if custom else []
    for i, (x, y, angle) in enumerate(spots[:wanted]):
        if back is not None and rng.random() < down:
            face = back
        elif own:
            face = one_of(rng, own)
        else:
            k = drawn[i % len(faces)] if drawn is not None else rng.integers(len(faces))
            face = faces[k]
        thing = thing_of(face, float(x), float(y), float(angle))
        if sleeve:
            thing = Thing(
                face, thing.x_mm, thing.y_mm, angle, face.width_mm, 88, sleeve=sleeve
            )
        yield thing


def _own_cards(rng: np.random.Generator, props: Props) -> Sequence[Face]:
    if props.custom and rng.random() < 0.6:
        return props.custom
    return [draw_custom_card(rng, props.fonts) for _ in range(3)]


def _group(rng: np.random.Generator, most: int) -> list[Spot]:
    base = float(rng.choice([0, 90, 180, 270]) + rng.normal(0, 12))
    if rng.random() < 0.3:
        base = float(rng.uniform(0, 360))
    match rng.choice(6, p=[0.2, 0.3, 0.2, 0.1, 0.1, 0.1]):
        case 0:
            group = [(0.0, 0.0, base)]
        case 1:
            group = _fan(rng, int(rng.integers(2, 14)), base)
        case 2:  # a pair or a few laid over each other, askew
            group = [
                (*rng.normal(0, 26, 2).tolist(), base + rng.normal(0, 25))
                for _ in range(int(rng.integers(2, 5)))
            ]
        case 3:  # a row, touching or not
            step = rng.uniform(60, 85)
            group = [
                (i * step, float(rng.normal(0, 3)), base + rng.normal(0, 3))
                for i in range(int(rng.integers(2, 6)))
            ]
        case 4:  # a column of which only strips show
            step = rng.uniform(14, 34)
            turn = math.radians(base)
            group = [
                (-i * step * math.cos(turn), -i * step * math.sin(turn), base)
                for i in range(int(rng.integers(2, 9)))
            ]
        case _:  # spread sideways
            step = rng.uniform(12, 40)
            turn = math.radians(base - 90)
            group = [
                (
                    i * step * math.cos(turn),
                    i * step * math.sin(turn),
                    base + float(rng.normal(0, 3)),
                )
                for i in range(int(rng.integers(2, 10)))
            ]
    if rng.random() < 0.25:
        group.reverse()
    return group[: max(most, 1)]


def _fan(rng: np.random.Generator, count: int, base: float) -> list[Spot]:
    step = rng.uniform(4, 15)
    radius = rng.uniform(70, 260)
    spots = []
    for i in range(count):
        angle = base + (i - (count - 1) / 2) * -step
        turn = math.radians(angle)
        spots.append((radius * math.cos(turn), radius * math.sin(turn), angle))
    middle = np.mean([spot[:2] for spot in spots], axis=0)
    return [(x - middle[0], y - middle[1], angle) for x, y, angle in spots]


def _clutter(rng: np.random.Generator, props: Props, room: Array) -> Iterator[Thing]:
    for _ in range(int(rng.choice([0, 0, 0, 1, 1, 2, 3, 4]))):
        face, width, height = draw_sheet(rng, props.fonts, props.pictures)
        x, y = rng.uniform(-0.5, 0.5, 2) * room * 1.1
        angle = float(rng.uniform(0, 360))
        yield Thing(face, float(x), float(y), angle, width, height, is_truth=False)


def _discs(rng: np.random.Generator, room: Array) -> Iterator[Thing]:
    size = float(rng.uniform(18, 50))
    faces = [draw_disc(rng) for _ in range(int(rng.integers(1, 4)))]
    for _ in range(int(rng.integers(1, 9))):
        x, y = rng.uniform(-0.5, 0.5, 2) * room
        yield Thing(
            one_of(rng, faces),
            float(x),
            float(y),
            float(rng.uniform(0, 360)),
            size,
            size,
            height_above_mm=float(rng.uniform(0, 4)),
        )


def _hand(rng: np.random.Generator, room: Array) -> Hand:
    polygons, skin = draw_hand(rng)
    turn = rng.uniform(0, 2 * math.pi)
    rotation = np.array(
        [[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]]
    )
    at = rng.uniform(-0.5, 0.5, 2) * room * 0.8
    size = rng.uniform(0.9, 1.15)
    return Hand([p * size @ rotation + at for p in polygons], skin)
