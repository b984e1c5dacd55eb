"""Tables of Frenzy, Brawl and Frantic as people lay them, with the sheet they deserve.

A table is spots in millimetres (lowest first) and the sheet that the engine gives for
what truly lies there, told to it region by region: so what is compared is everything
between the picture and the sheet, and never the layout with itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from companion.prints.kits import data_of
from engines import load_game
from engines.brawl.faces import Face
from engines.brawl.place import Pair
from engines.brawl.snapshot import SeenBase, SeenCard, SeenRow
from engines.brawl.snapshot import Snapshot as BrawlSnapshot
from engines.core import Kind, Piece, PieceId, Seat, Sheet
from engines.frantic.cards import copies
from engines.frantic.snapshot import LaidHand
from engines.frantic.snapshot import Seen as FranticSeen
from engines.frantic.snapshot import Snapshot as FranticSnapshot
from engines.frenzy.cards import SEATS, ZONES, Card, Faction, Side, Zone
from engines.frenzy.snapshot import Pile, Seen
from engines.frenzy.snapshot import Snapshot as FrenzySnapshot

BACK = "back"
CARD_MM = (63.0, 88.0)


@dataclass(frozen=True, slots=True)
class Spot:
    """One card on the table; `deck` is the place of its deck in the list of decks."""

    label: str
    x_mm: float
    y_mm: float
    angle_deg: float
    deck: int = 0

    def turned(self, yaw_deg: float) -> Spot:
        """Return the spot after the whole table was turned about its middle."""
        c, s = math.cos(math.radians(yaw_deg)), math.sin(math.radians(yaw_deg))
        x, y = c * self.x_mm - s * self.y_mm, s * self.x_mm + c * self.y_mm
        return replace(self, x_mm=x, y_mm=y, angle_deg=self.angle_deg + yaw_deg)


@dataclass(frozen=True, slots=True)
class TrueTable:
    """What lies where, and the sheet that it deserves."""

    game: str
    spots: tuple[Spot, ...]
    options: dict[str, Any]
    sheet: Sheet


class Supply:
    """What is left of one deck: nobody lays more copies of a card than it holds."""

    def __init__(self, copies: Mapping[str, int]) -> None:
        self.left = dict(copies)

    def draw(self, rng: np.random.Generator, labels: Sequence[str]) -> str | None:
        """Take one of these cards (one named twice is twice as likely); `None` when
        none of them is left."""
        left = [label for label in labels if self.left.get(label, 0) > 0]
        if not left:
            return None
        label = left[int(rng.integers(len(left)))]
        self.left[label] -= 1
        return label


@dataclass(frozen=True, slots=True)
class Habits:
    """How tidily people lay cards: standard deviations."""

    place_mm: float = 4.0
    turn_deg: float = 4.0
    grid_mm: float = 5.0
    """Of the distance between the regions of a line."""


TIDY = Habits(2.0, 2.0, 2.0)
UNTIDY = Habits(5.0, 6.0, 8.0)


def pieces_of(
    table: TrueTable,
    rng: np.random.Generator,
    *,
    yaw_deg: float = 0.0,
    sigma_mm: float = 1.0,
    owners: Sequence[str | None] = (None, None),
) -> tuple[Piece, ...]:
    """Return the pieces that a good look at the table gives.

    Every card that shows a sliver is seen; positions are off by `sigma_mm`.
    """
    spots = [spot.turned(yaw_deg) for spot in table.spots]
    pieces = []
    for number, spot in enumerate(spots):
        if _is_hidden(spot, spots[number + 1 :]):
            continue
        dx, dy = rng.normal(0, sigma_mm, 2)
        is_back = spot.label == BACK
        pieces.append(
            Piece(
                PieceId(f"c{number}"),
                Kind.BACK if is_back else Kind.CARD,
                None if is_back else spot.label,
                spot.x_mm + float(dx),
                spot.y_mm + float(dy),
                spot.angle_deg + float(rng.normal(0, 0.7)),
                covariance_mm2=(sigma_mm**2, 0.0, sigma_mm**2),
                order=number,
                owner=owners[spot.deck],
            )
        )
    return tuple(pieces[int(i)] for i in rng.permutation(len(pieces)))


def _is_hidden(spot: Spot, above: Sequence[Spot]) -> bool:
    """Return whether another card covers this one but for a few millimetres."""
    return any(
        math.hypot(spot.x_mm - o.x_mm, spot.y_mm - o.y_mm) < 7.0
        and abs((spot.angle_deg - o.angle_deg + 90) % 180 - 90) < 8
        for o in above
    )


# Frenzy

FACTIONS = tuple(Faction)
ROUND_FACES = {1: "obb", 2: "oob", 3: "ooo"}


def frenzy_table(
    rng: np.random.Generator,
    habits: Habits = TIDY,
    factions: tuple[Faction, Faction] = (Faction.HUMANS, Faction.ORCS),
) -> TrueTable:
    """Return a finished round: P1 near, the Battlefield cards in any order."""
    column_mm = float(rng.uniform(72, 105))
    number = int(rng.integers(1, 4))
    faces = ROUND_FACES[number]
    order = [int(n) for n in rng.permutation(3)] if rng.random() < 0.3 else [0, 1, 2]
    centres = [
        (order.index(n) - 1) * column_mm + float(rng.normal(0, habits.grid_mm / 2))
        for n in range(3)
    ]
    spots = [
        Spot(f"F{n + 1}{faces[n]}", x, float(rng.normal(0, habits.place_mm / 2)), 90.0)
        for n, x in enumerate(centres)
    ]
    spots = [_askew(rng, spot, habits) for spot in spots]
    piles: list[tuple[Pile, ...]] = []
    for seat, faction in zip(SEATS, factions, strict=True):
        row_mm = float(rng.uniform(93, 112))
        deck = Supply(frenzy_copies(faction))
        mine, laid = _frenzy_half(rng, habits, faction, centres, row_mm, seat, deck)
        piles.append(mine)
        spots += laid
    sides = [Side(face) for face in faces]
    snapshot = FrenzySnapshot((piles[0], piles[1]), (sides[0], sides[1], sides[2]))
    names = dict(zip(("P1", "P2"), (f.value for f in factions), strict=True))
    options = {"factions": names}
    return _table("frenzy", spots, options, snapshot)


def _frenzy_half(
    rng: np.random.Generator,
    habits: Habits,
    faction: Faction,
    centres: Sequence[float],
    row_mm: float,
    seat: Seat,
    deck: Supply,
) -> tuple[tuple[Pile, ...], list[Spot]]:
    side = -1 if seat == SEATS[0] else 1
    up = 90.0 if seat == SEATS[0] else 270.0
    piles, spots = [], []
    for zone in ZONES:
        row = 3 if zone is Zone.HQ else 1 if zone.value[0] == "B" else 2
        x = float(rng.normal(0, 20)) if row == 3 else centres[(zone.number or 1) - 1]
        cards = _frenzy_pile(rng, faction, zone, deck)
        seen = []
        for depth, card in enumerate(cards):
            across = x + (depth * 24 if row == 3 else 0)
            spot = Spot(card.value, across, side * row * row_mm, up, int(seat))
            spots.append(_askew(rng, spot, habits))
            seen.append(Seen(card, f"{seat}{zone}{depth}", depth))
        # Only the card on top can be seen in a Line, but for the Headquarters.
        top = seen[-1:] if row < 3 else list(reversed(seen))
        piles.append(Pile(tuple(top)))
    if rng.random() < 0.5:
        rest = Spot(BACK, 190.0, side * 3.1 * row_mm, up, int(seat))
        spots.append(_askew(rng, rest, habits))
    return tuple(piles), spots


def frenzy_copies(faction: Faction) -> Mapping[str, int]:
    """Return what a deck that Arbitro prints holds, but for its Battlefields."""
    warriors = dict.fromkeys(("W1", "W2", "W3", "W4"), 7)
    return warriors | {"A": 4, "Z": 4, faction.hero.value: 3}


def _frenzy_pile(
    rng: np.random.Generator, faction: Faction, zone: Zone, deck: Supply
) -> list[Card]:
    pool = ["A", "Z", faction.hero.value]
    if zone is Zone.HQ:
        count = int(rng.integers(0, 4))
    else:
        count = int(rng.choice([0, 1, 2, 3], p=[0.1, 0.6, 0.2, 0.1]))
        pool += ["W1", "W2", "W3", "W4"] * 2
    drawn = (deck.draw(rng, pool) for _ in range(count))
    return [Card(label) for label in drawn if label is not None]


# Brawl

COLOURS = "rgb"


def brawl_table(rng: np.random.Generator, habits: Habits = TIDY) -> TrueTable:
    """Return a finished game: one to three frozen Bases, 0 to 5 cards a chain."""
    count = int(rng.integers(1, 4))
    pitch_mm = float(rng.uniform(84, 120))
    decks = Supply(brawl_copies("falco")), Supply(brawl_copies("volpe"))
    spots: list[Spot] = []
    bases = []
    for number in range(count):
        owner = int(rng.integers(2)) if number > 1 else number
        x = (number - (count - 1) / 2) * pitch_mm + float(rng.normal(0, habits.grid_mm))
        y = float(rng.normal(0, habits.place_mm))
        base = Spot("BASE", x, y, 90.0 if owner == 0 else 270.0, owner)
        spots.append(_askew(rng, base, habits))
        chains = []
        for side in (0, 1):
            chain = _brawl_chain(rng, decks)
            spots += _laid_chain(rng, habits, chain, (x, y), side)
            chains.append([label for label, _ in chain])
        freeze = Spot("FREEZE", x + float(rng.uniform(14, 22)), y, 90.0, owner)
        spots.append(_askew(rng, freeze, habits))
        bases.append((owner, chains))
    row = SeenRow(
        Pair(Seat(0), Seat(1)),
        tuple(
            SeenBase(
                Seat(owner),
                tuple(SeenCard(Face(label)) for label in chains[0]),
                tuple(SeenCard(Face(label)) for label in chains[1]),
                (SeenCard(Face.FREEZE),),
            )
            for owner, chains in bases
        ),
    )
    piles = []
    for side in (0, 1):
        pile = _brawl_discards(rng, decks[side])
        piles.append(tuple(SeenCard(Face(label)) for label in pile[-1:]))
        x = (count - 1) / 2 * pitch_mm + float(rng.uniform(80, 120))
        y = (-1 if side == 0 else 1) * float(rng.uniform(250, 330))
        spots += [_askew(rng, Spot(label, x, y, 90.0, side), TIDY) for label in pile]
    return _table("brawl", spots, {}, BrawlSnapshot((row,), tuple(piles)))


def brawl_copies(character: str) -> Mapping[str, int]:
    """Return what the deck of a character that Arbitro prints holds."""
    return dict(data_of("brawl")[character]["copies"])


def _brawl_chain(
    rng: np.random.Generator, decks: tuple[Supply, Supply]
) -> list[tuple[str, int]]:
    """Return the cards of a chain, each with the player who has laid it."""
    colour = COLOURS[int(rng.integers(3))]
    chain: list[tuple[str, int]] = []
    for _ in range(int(rng.integers(0, 6))):
        last = chain[-1][0][0] if chain else ""
        kinds = {"": "H", "H": "HHDB", "D": "HHD", "B": "P", "P": "H"}[last]
        labels = [kind if kind == "P" else kind + colour for kind in kinds]
        player = int(rng.integers(2))
        label = decks[player].draw(rng, labels)
        if label is None:
            break
        chain.append((label, player))
    return chain


def _laid_chain(
    rng: np.random.Generator,
    habits: Habits,
    chain: Sequence[tuple[str, int]],
    base: tuple[float, float],
    side: int,
) -> list[Spot]:
    """Return a chain that runs towards a player, each card on the one before."""
    way = -1 if side == 0 else 1
    strip_mm = float(rng.uniform(26, 44))
    lean = float(rng.normal(0, 2 + habits.turn_deg / 2))
    x, y = base[0], base[1] + way * float(rng.uniform(90, 97))
    spots = []
    for label, player in chain:
        spot = Spot(label, x, y, 90.0 if player == 0 else 270.0, player)
        spots.append(_askew(rng, spot, habits))
        y += way * strip_mm
        x += math.tan(math.radians(lean)) * strip_mm
    return spots


def _brawl_discards(rng: np.random.Generator, deck: Supply) -> list[str]:
    pool = ["Hr", "Hg", "Hb", "Br", "P", "CLEAR", "Dg"]
    drawn = (deck.draw(rng, pool) for _ in range(int(rng.integers(0, 4))))
    return [label for label in drawn if label is not None]


# Frantic


def frantic_hand(rng: np.random.Generator, habits: Habits = TIDY) -> TrueTable:
    """Return a hand alone of 1 to 15 cards: in rows, in a fan or spread sideways."""
    count = int(rng.integers(1, 16))
    cards = _frantic_cards(rng, count)
    style = ("rows", "spread", "column", "fan")[int(rng.integers(4))]
    spots = [
        _askew(rng, Spot(label, x, y, angle), habits)
        for label, (x, y, angle) in zip(
            cards, _laid_hand(rng, style, count), strict=True
        )
    ]
    seen = tuple(FranticSeen(f"c{n}", label) for n, label in enumerate(cards))
    return _table("frantic", spots, {}, FranticSnapshot(hands=(LaidHand(seen),)))


def frantic_table(rng: np.random.Generator, habits: Habits = TIDY) -> TrueTable:
    """Return the end of a round for four: piles in the middle, hands around."""
    sizes = [int(n) for n in rng.integers(1, 8, 4)]
    sizes[int(rng.integers(4))] = 0
    cards = _frantic_cards(rng, sum(sizes) + 1)
    top = next((card for card in cards if card[0] in "RGBY" and card[1:].isdigit()), "")
    top = top or "R5"
    if top in cards:
        cards.remove(top)
    spots = [
        *(Spot(BACK, -42.0, 2.0 * n, 90.0) for n in range(2)),
        Spot(top, 42.0, 0.0, 90.0),
    ]
    hands = []
    at = 0
    for seat, size in enumerate(sizes):
        own = cards[at : at + size]
        at += size
        if not own:
            continue
        angle = 270.0 + 90.0 * seat
        away = 250.0 if seat % 2 == 0 else 290.0
        step = min(56.0, 330.0 / max(size, 1))
        for place, label in enumerate(own):
            along = (place - (size - 1) / 2) * step
            spot = Spot(label, along, -away, 90.0)
            spots.append(_askew(rng, spot, habits).turned(angle - 270.0))
        seen = tuple(FranticSeen(f"{seat}-{n}", label) for n, label in enumerate(own))
        hands.append(LaidHand(seen, Seat(seat)))
    snapshot = FranticSnapshot(discard=(FranticSeen("top", top),), hands=tuple(hands))
    return _table("frantic", spots, {"players": 4}, snapshot)


def _frantic_cards(rng: np.random.Generator, count: int) -> list[str]:
    box = [str(card) for card, n in copies(starred=True).items() for _ in range(n)]
    return [box[int(i)] for i in rng.permutation(len(box))[:count]]


def _laid_hand(
    rng: np.random.Generator, style: str, count: int
) -> Iterator[tuple[float, float, float]]:
    if style == "rows":
        gap = float(rng.uniform(4, 16))
        for n in range(count):
            yield (n % 5) * (63 + gap), -(n // 5) * (88 + gap), 90.0
    elif style == "spread":
        step = float(rng.uniform(24, 40))
        for n in range(count):
            yield (n % 8) * step, -(n // 8) * 100.0, 90.0
    elif style == "column":
        step = float(rng.uniform(24, 34))
        for n in range(count):
            yield (n // 6) * 75.0, -(n % 6) * step, 90.0
    else:
        radius, turn = 300.0, float(rng.uniform(5.5, 8))
        for n in range(count):
            angle = 90.0 - ((n % 9) - (min(count, 9) - 1) / 2) * turn
            up = math.radians(angle)
            drop = (n // 9) * 130.0
            yield radius * math.cos(up), radius * math.sin(up) - drop, angle


def _askew(rng: np.random.Generator, spot: Spot, habits: Habits) -> Spot:
    dx, dy = rng.normal(0, habits.place_mm / 2, 2)
    return replace(
        spot,
        x_mm=spot.x_mm + float(dx),
        y_mm=spot.y_mm + float(dy),
        angle_deg=spot.angle_deg + float(rng.normal(0, habits.turn_deg / 2)),
    )


def _table(
    name: str, spots: Sequence[Spot], options: dict[str, Any], snapshot: object
) -> TrueTable:
    game = load_game(name)
    sheet = game.score_table(snapshot, game.options(options), {})
    return TrueTable(name, tuple(spots), options, sheet)


# Comparing sheets


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a sheet compares with the one deserved."""

    wrong: tuple[str, ...]
    """Figures and rulings that are given and not true: ``F1.points``."""
    open: tuple[str, ...]
    """Figures that are left open and could be known."""
    asked: tuple[str, ...]
    """Ids of questions that this table does not raise by itself."""
    told: tuple[str, ...]
    """Findings that it does not deserve either."""

    @property
    def is_exact(self) -> bool:
        """Return whether every point and every ruling is right, with nothing asked."""
        return not self.wrong and not self.open and not self.asked

    @property
    def is_silently_wrong(self) -> bool:
        """Return whether something is wrong and nobody is asked or told."""
        return bool(self.wrong) and not self.asked and not self.told


def compare(sheet: Sheet, truth: Sheet, findings: Sequence[str] = ()) -> Verdict:
    """Return what is wrong, open or asked too much; `findings` are those of vision."""
    given, true = _figures(sheet), _figures(truth)
    wrong: list[str] = []
    left_open: list[str] = []
    for key in sorted(given.keys() | true.keys()):
        mine, deserved = given.get(key), true.get(key)
        if mine == deserved:
            continue
        if mine is not None:
            wrong.append(key)
        elif not key.endswith(".owner"):
            # Whose a Base is counts only in a tie, and then its winner is open too.
            left_open.append(key)
    mine_ruled, deserved_rulings = _rulings(sheet), _rulings(truth)
    for text in mine_ruled:
        if text not in deserved_rulings:
            (left_open if " undecided [" in text else wrong).append(text)
    left_open += [text for text in deserved_rulings if text not in mine_ruled]
    asked = _beyond([q.id for q in sheet.questions], [q.id for q in truth.questions])
    told = _beyond(
        [f.text.id for f in sheet.findings], [f.text.id for f in truth.findings]
    )
    return Verdict(tuple(wrong), tuple(left_open), asked, (*told, *findings))


def _beyond(ids: Sequence[str], natural: Sequence[str]) -> tuple[str, ...]:
    """Return the ids that are more than the natural ones, whatever their pieces."""
    left, extra = [_kind(id) for id in natural], []
    for id in ids:
        if _kind(id) in left:
            left.remove(_kind(id))
        else:
            extra.append(id)
    return tuple(extra)


def _figures(sheet: Sheet) -> dict[str, object]:
    figures: dict[str, object] = {}
    for row, cells in sheet.figures().items():
        for key, value in cells.items():
            figures[f"{row}.{key}"] = (
                sorted(value) if isinstance(value, list) else value
            )
    return figures


def _rulings(sheet: Sheet) -> list[str]:
    return [f"{r.claim} {r.verdict} [{r.rule}]" for r in sheet.rulings]


def _kind(question: str) -> str:
    """Return a question's id without the names of pieces, which differ."""
    head, _, tail = question.partition(":")
    return head if tail else question.rpartition(".c")[0] or question
