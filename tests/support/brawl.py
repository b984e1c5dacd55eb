"""Builders for tests of Brawl: states, snapshots and tables of cards."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from engines.brawl import GAME
from engines.brawl.faces import Face
from engines.brawl.listing import legal_moves
from engines.brawl.moves import Move
from engines.brawl.options import Options
from engines.brawl.place import Pair
from engines.brawl.snapshot import SeenBase, SeenCard, SeenRow, Snapshot
from engines.brawl.state import Base, Held, Laid, Moment, State
from engines.core import Kind, Piece, PieceId, Seat, play

A, B, C, D = (Seat(number) for number in range(4))
SEATS = {"A": A, "B": B, "C": C, "D": D}
AB = Pair(A, B)


def options(**values: object) -> Options:
    """Return options from keywords."""
    return GAME.options(values)


def vector_state(bases: Sequence[Mapping[str, object]], **values: object) -> State:
    """Return a two-player state with the Bases of a test vector."""
    state = GAME.setup(options(**values))
    made = tuple(_vector_base(number, base) for number, base in enumerate(bases))
    row = replace(state.rows[0], cards=Moment(made), next_id=len(made))
    return state.with_row(row)


def two_bases(first: str = "", second: str = "", /, **values: object) -> State:
    """Return a state whose left Base has these chains: ``two_bases("Hr Br")``."""
    bases = [
        {"owner": "A", "A": first.split(), "B": second.split(), "frozen": False},
        {"owner": "B", "A": [], "B": [], "frozen": False},
    ]
    return vector_state(bases, **values)


def vector_snapshot(bases: Sequence[Mapping[str, object]]) -> Snapshot:
    """Return the snapshot of a table with the Bases of a test vector."""
    seen = tuple(
        SeenBase(
            SEATS[str(base["owner"])],
            tuple(SeenCard(Face(label)) for label in _labels(base["A"])),
            tuple(SeenCard(Face(label)) for label in _labels(base["B"])),
            (SeenCard(Face.FREEZE),) if base["frozen"] else (),
        )
        for base in bases
    )
    return Snapshot((SeenRow(AB, seen),))


def run(state: State, *moves: str) -> State:
    """Return the state after moves that must all be legal."""
    for text in moves:
        state = play(GAME, state, GAME.parse_move(text))
    return state


def refusal(state: State, move: str) -> tuple[str, str]:
    """Return rule and message id of a move that must be refused."""
    ruling = GAME.judge(state, GAME.parse_move(move))
    assert ruling.verdict == "rejected", str(ruling.reason)
    assert str(ruling.reason)
    return str(ruling.rule), ruling.reason.id.removeprefix("brawl.")


def chains(state: State, base: int = 0, row: int = 0) -> tuple[str, str]:
    """Return both chains of a Base as text."""
    held = state.rows[row].cards.bases[base]
    return (
        " ".join(laid.card for laid in held.first),
        " ".join(laid.card for laid in held.second),
    )


def holding(state: State, seat: Seat, *cards: str) -> State:
    """Return the state with cards in a hand."""
    hand = tuple(Held(Face(card)) for card in cards)
    return state.with_player(seat, replace(state.players[seat], hand=hand))


def empty_decks(state: State) -> State:
    """Return the state with all decks used up."""
    for seat in state.seats:
        player = replace(state.players[seat], says_empty=True, deck=None)
        state = state.with_player(seat, player)
    return state


WEIGHTS = {"play": 8, "discard": 3, "take": 1, "lift": 1, "foul": 1, "contest": 1}
"""How often a random game does what; fouls and contests are many and would drown it."""


def random_move(state: State, rng: random.Random) -> Move | None:
    """Return a random legal move: first the kind, then the move."""
    kinds: dict[str, list[Move]] = {}
    for move in legal_moves(state):
        words = str(move).split()
        kind = words[1] if words[0] != "referee" else words[0]
        kinds.setdefault(kind, []).append(move)
    if not kinds:
        return None
    names = sorted(kinds)
    weights = [WEIGHTS.get(name, 2) for name in names]
    kind = rng.choices(names, weights)[0]
    return rng.choice(kinds[kind])


@dataclass
class Table:
    """Lays cards down in millimetres, untidily if asked."""

    rng: random.Random = field(default_factory=lambda: random.Random(0))
    jitter_mm: float = 0.0
    jitter_deg: float = 0.0
    pieces: list[Piece] = field(default_factory=list)

    def put(
        self,
        label: str | None,
        x_mm: float,
        y_mm: float,
        angle_deg: float = 90.0,
        owner: str | None = None,
    ) -> Piece:
        """Lay a card on top of everything."""
        wobble = self.rng.uniform
        piece = Piece(
            PieceId(f"c{len(self.pieces)}"),
            Kind.CARD,
            label,
            x_mm + wobble(-self.jitter_mm, self.jitter_mm),
            y_mm + wobble(-self.jitter_mm, self.jitter_mm),
            angle_deg + wobble(-self.jitter_deg, self.jitter_deg),
            order=len(self.pieces),
            owner=owner,
        )
        self.pieces.append(piece)
        return piece

    def base(
        self,
        x_mm: float,
        near: str = "",
        far: str = "",
        *,
        owner: str | None = "A",
        frozen: bool = False,
        step_mm: float = 22.0,
        lean_mm: float = 0.0,
        first_mm: float = 62.0,
    ) -> Piece:
        """Lay a Base at y = 0 with a chain towards either player."""
        base = self.put("BASE", x_mm, 0.0, owner=owner)
        if frozen:
            self.put("FREEZE", x_mm + 8, 12.0, owner="A")
        for sign, chain in ((-1, near), (1, far)):
            for number, label in enumerate(chain.split()):
                self.put(
                    None if label == "?" else label,
                    x_mm + number * lean_mm,
                    sign * (first_mm + number * step_mm),
                    -sign * 90.0,
                )
        return base

    def moved(
        self, *, turn_deg: float = 0.0, shift_mm: tuple[float, float] = (0.0, 0.0)
    ) -> list[Piece]:
        """Return the cards with the table turned and shifted under the camera."""
        c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
        return [
            replace(
                piece,
                x_mm=c * piece.x_mm - s * piece.y_mm + shift_mm[0],
                y_mm=s * piece.x_mm + c * piece.y_mm + shift_mm[1],
                angle_deg=piece.angle_deg + turn_deg,
            )
            for piece in self.pieces
        ]


def read_row(snapshot: Snapshot, row: int = 0) -> list[tuple[str, str]]:
    """Return the chains of a row as text, an unknown card as ``?``."""
    return [
        (_text(base.first), _text(base.second)) for base in snapshot.rows[row].bases
    ]


def _text(chain: Sequence[SeenCard]) -> str:
    return " ".join(card.face.value if card.face else "?" for card in chain)


def _vector_base(number: int, base: Mapping[str, object]) -> Base:
    return Base(
        number,
        SEATS[str(base["owner"])],
        tuple(Laid(Face(label), A) for label in _labels(base["A"])),
        tuple(Laid(Face(label), B) for label in _labels(base["B"])),
        (Laid(Face.FREEZE, A),) if base["frozen"] else (),
    )


def _labels(chain: object) -> list[str]:
    assert isinstance(chain, list)
    return [str(label) for label in chain]


def seen_of(state: State, *, owners: bool = True) -> Snapshot:
    """Return the snapshot of a table that lies exactly as the state says."""

    def cards(chain: Sequence[Laid]) -> tuple[SeenCard, ...]:
        return tuple(
            SeenCard(laid.card, owner=laid.by if owners else None) for laid in chain
        )

    rows = tuple(
        SeenRow(
            row.pair,
            tuple(
                SeenBase(
                    base.owner if owners else None,
                    cards(base.first),
                    cards(base.second),
                    cards(base.freezes),
                )
                for base in row.cards.bases
            ),
        )
        for row in state.rows
    )
    piles = tuple(
        tuple(SeenCard(face, owner=seat) for face in player.pile[-1:])
        for seat, player in zip(state.seats, state.players, strict=True)
    )
    return Snapshot(rows, piles)


def with_card(
    snapshot: Snapshot, side: str, *cards: SeenCard, base: int = 0, row: int = 0
) -> Snapshot:
    """Return the snapshot with cards added: on side A or B, or ``on`` the Base."""
    seen = snapshot.rows[row]
    old = seen.bases[base]
    if side == "on":
        freezes = tuple(card for card in cards if card.face is Face.FREEZE)
        clears = tuple(card for card in cards if card.face is Face.CLEAR)
        new = replace(old, freezes=old.freezes + freezes, clears=old.clears + clears)
    elif SEATS[side] == seen.pair.first:
        new = replace(old, first=old.first + cards)
    else:
        new = replace(old, second=old.second + cards)
    bases = (*seen.bases[:base], new, *seen.bases[base + 1 :])
    return with_bases(snapshot, bases, row=row)


def with_bases(
    snapshot: Snapshot, bases: Sequence[SeenBase], *, row: int = 0
) -> Snapshot:
    """Return the snapshot with another row of Bases."""
    changed = replace(snapshot.rows[row], bases=tuple(bases))
    rows = (*snapshot.rows[:row], changed, *snapshot.rows[row + 1 :])
    return replace(snapshot, rows=rows)
