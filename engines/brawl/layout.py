"""Pieces on the table become rows, chains and discard piles.

Nothing unknown is guessed silently: what the picture does not tell is a `Doubt` with a
question, and what does not belong to the game is a finding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engines.brawl.chain import may_follow
from engines.brawl.faces import CHAIN_FACES, Face, read_face
from engines.brawl.fans import Fans, Side, grow
from engines.brawl.frame import (
    Anchor,
    Frame,
    find_anchors,
    find_rows,
    seat_angle_deg,
    turned_deg,
    turned_row,
)
from engines.brawl.options import Options
from engines.brawl.piles import (
    across_mm,
    centre_of,
    face_away,
    is_in_line,
    out_mm,
    pile_votes,
    put_on_heap,
)
from engines.brawl.place import Pair, letter
from engines.brawl.snapshot import Doubt, SeenBase, SeenCard, SeenRow, Snapshot
from engines.brawl.state import pairs
from engines.brawl.table_questions import ask_label, ask_order, ask_place, ask_sides
from engines.core import Finding, Kind, Piece, Question, Seat, Text, label_text

PILE_MM = 60.0
"""How far from its given place a discard may lie."""
NOT_IN_PLAY = "none"
"""Answer that a card does not belong to the game."""


def layout(pieces: Sequence[Piece], options: Options) -> Snapshot:
    """Return what lies where; never raises on a strange table."""
    return lay(pieces, options, {})


def lay(
    pieces: Sequence[Piece], options: Options, answers: Mapping[str, str]
) -> Snapshot:
    """Return what lies where, with what people have answered about this table."""
    table = _Table(options, answers)
    cards = table.cards(pieces)
    cards, fixed = table.fixed_piles(cards)
    anchors = find_anchors(cards)
    frames = find_rows(anchors, cards, options)
    fans, left = _fanned(frames, cards, table)
    if table.is_turned(frames, left):
        frames = tuple(turned_row(frame) for frame in frames)
        fans, left = _fanned(frames, cards, table)
    rows = table.rows(frames, fans, left)
    piles = table.found_piles(frames, left, rows, fixed)
    table.ask(fans, rows)
    return Snapshot(
        rows,
        piles,
        tuple(table.doubts),
        tuple(table.questions),
        tuple(table.findings),
        tuple(pieces),
    )


def _fanned(
    frames: Sequence[Frame], cards: Sequence[Piece], table: _Table
) -> tuple[Fans, list[Piece]]:
    """Return the chains, and the cards that are neither in one nor in a row."""
    in_rows = {id(piece) for frame in frames for piece in _pieces_of(frame)}
    loose = [card for card in cards if id(card) not in in_rows]
    sides = [
        Side(frame, base, seat)
        for frame in frames
        for base in range(len(frame.anchors))
        for seat in (frame.pair.first, frame.pair.second)
    ]
    fans = grow(
        sides,
        [card for card in loose if _may_be_chained(card)],
        table.forced_places(),
        ask_gaps=None in table.options.discards_mm,
    )
    fans = table.without_discards(fans)
    chained = {id(card) for chain in fans.chains.values() for card in chain}
    return fans, [card for card in loose if id(card) not in chained]


def _pieces_of(frame: Frame) -> Iterable[Piece]:
    for anchor in frame.anchors:
        if anchor.base is not None:
            yield anchor.base
        yield from anchor.on_it


def _may_be_chained(card: Piece) -> bool:
    face = read_face(card.label)
    return face is None or face in CHAIN_FACES


@dataclass(slots=True)
class _Table:
    """What is gathered while a table is laid out."""

    options: Options
    answers: Mapping[str, str]
    doubts: list[Doubt] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    discards: list[Piece] = field(default_factory=list)
    """Cards that may end a chain, but may not lie there."""

    def cards(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Return the face-up cards, with the faces that people have told."""
        cards = []
        for piece in pieces:
            if self.answers.get(f"place:{piece.id}") == NOT_IN_PLAY:
                continue
            if piece.kind is not Kind.CARD or not _is_placed(piece):
                self._find(_foreign(piece), piece)
                continue
            told = self.answers.get(f"label:{piece.id}")
            if told == NOT_IN_PLAY:
                continue
            face = read_face(told) or read_face(piece.label)
            if piece.label is not None and face is None:
                self._find(
                    Text.of("brawl.later_deck", label=label_text(piece.label)), piece
                )
            cards.append(replace(piece, label=face.value if face else None))
        return cards

    def fixed_piles(
        self, cards: Sequence[Piece]
    ) -> tuple[list[Piece], list[list[Piece]]]:
        """Take the discards off that lie where they are said to be kept."""
        piles: list[list[Piece]] = [[] for _ in range(self.options.players)]
        rest = []
        for card in cards:
            told = self.answers.get(f"place:{card.id}", "")
            seat = self._seat_of_pile(told) if told else self._seat_of_spot(card)
            if seat is None:
                rest.append(card)
            else:
                piles[seat].append(card)
        return rest, piles

    def forced_places(self) -> dict[str, str]:
        """Return the chains that people have told, by piece."""
        return {
            key.removeprefix("place:"): value
            for key, value in self.answers.items()
            if key.startswith("place:") and ":" in value
        }

    def without_discards(self, fans: Fans) -> Fans:
        """Return the chains without cards apart from their ends that would be fouls
        there and are of the player's own deck: those are discards, which is said."""
        self.discards = [
            pieces[0]
            for pieces, sides in fans.unclear
            if len(pieces) == len(sides) == 1
            and fans.chains[sides[0]][-1] is pieces[0]
            and self._is_discard(pieces[0], sides[0].seat, fans.chains[sides[0]][:-1])
        ]
        taken = {id(card) for card in self.discards}
        return replace(
            fans,
            chains={
                side: tuple(card for card in chain if id(card) not in taken)
                for side, chain in fans.chains.items()
            },
            unclear=tuple(one for one in fans.unclear if id(one[0][0]) not in taken),
        )

    def _is_discard(self, card: Piece, seat: Seat, chain: Sequence[Piece]) -> bool:
        owner, face = self.options.owner(card.owner), read_face(card.label)
        below = [read_face(piece.label) for piece in chain]
        known = [one for one in below if one is not None]
        if face is None or len(known) < len(below) or owner != seat:
            return False
        if self.options.discards_mm[seat] is not None:
            return False
        lenient = self.options.block_on_hit2 is not False
        return may_follow(known, face, block_on_hit2=lenient) is not None

    def is_turned(self, frames: Sequence[Frame], left: Sequence[Piece]) -> bool:
        """Return whether the first player of two sits at the far side (RULES.md, 3).

        A discard pile lies before the player whose deck its cards are of. Bases that
        all face the other way only raise the question.
        """
        if self.options.is_circle or not frames or None not in self.options.discards_mm:
            return False
        (frame,) = frames
        told = self.answers.get("sides")
        if told in ("near", "far"):
            return told == "far"
        piles = pile_votes(frame, left, self.options)
        if len(set(piles)) == 1:
            return piles[0] < 0
        if piles or face_away(frame, self.options):
            self.questions.append(ask_sides())
        return False

    def rows(
        self, frames: Sequence[Frame], fans: Fans, left: Sequence[Piece]
    ) -> tuple[SeenRow, ...]:
        """Return one row per pair, empty where no Base was found."""
        by_pair = {frame.pair: frame for frame in frames}
        rows = []
        for pair in pairs(self.options.players):
            frame = by_pair.get(pair)
            if frame is None:
                self._find(Text.of("brawl.no_bases", pair=str(pair)))
                rows.append(SeenRow(pair))
                continue
            bases = tuple(
                self._base(frame, number, anchor, fans)
                for number, anchor in enumerate(frame.anchors)
            )
            unclear = tuple(
                str(card.id)
                for card in left
                if card.label is None and is_in_line(frame, card)
            )
            rows.append(SeenRow(pair, bases, unclear))
        return tuple(rows)

    def found_piles(
        self,
        frames: Sequence[Frame],
        left: Sequence[Piece],
        rows: Sequence[SeenRow],
        piles: list[list[Piece]],
    ) -> tuple[tuple[SeenCard, ...], ...]:
        """Return the discard piles; of several heaps of a seat the outermost is it."""
        unclear = {piece for row in rows for piece in row.unclear}
        heaps: dict[int, list[list[Piece]]] = {}
        for card in left:
            seat = self._seat_near(frames, card)
            if card.id in unclear:
                continue
            in_line = any(is_in_line(frame, card) for frame in frames)
            if seat is None or in_line or self.options.discards_mm[seat] is not None:
                self._find(Text.of("brawl.stray"), card)
            else:
                put_on_heap(heaps.setdefault(seat, []), card)
        for number, own in heaps.items():
            own.sort(key=lambda heap: -out_mm(frames, heap[0]))
            piles[number] += own[0]
            for heap in own[1:]:
                for card in heap:
                    self._find(Text.of("brawl.stray"), card)
        return tuple(
            tuple(self._card(card) for card in sorted(pile, key=lambda p: p.order))
            for pile in piles
        )

    def ask(self, fans: Fans, rows: Sequence[SeenRow]) -> None:
        """Ask where doubtful cards belong, in which order they lie, what they are."""
        for card in self.discards:
            self._find(Text.of("brawl.taken_for_discard"), card)
        for pieces, sides in fans.unclear:
            places = [str(side) for side in sides]
            seat = sides[0].seat
            if self.options.discards_mm[seat] is None:
                places.append(f"discard:{letter(seat)}")
            self.doubts.append(Doubt(tuple(str(p.id) for p in pieces), tuple(places)))
            self.questions.append(ask_place(pieces[0], places, rows))
        for _, one, other in fans.order:
            if f"order:{one.id}" not in self.answers:
                self.questions.append(ask_order(one, other))
        in_play = {card.piece for row in rows for card in _row_cards(row)}
        for row in rows:
            in_play.update(row.unclear)
        unknown = {
            str(card.id): card
            for chain in fans.chains.values()
            for card in chain
            if card.label is None
        }
        unknown |= {str(card.id): card for card in fans.left if card.label is None}
        self.questions += [
            ask_label(card) for piece, card in unknown.items() if piece in in_play
        ]

    def _base(self, frame: Frame, number: int, anchor: Anchor, fans: Fans) -> SeenBase:
        pair = frame.pair
        on_it = [self._card(card) for card in anchor.on_it]
        return SeenBase(
            self._base_owner(pair, anchor),
            self._chain(fans, Side(frame, number, pair.first)),
            self._chain(fans, Side(frame, number, pair.second)),
            tuple(card for card in on_it if card.face is Face.FREEZE),
            tuple(card for card in on_it if card.face is Face.CLEAR),
            str(anchor.piece.id),
        )

    def _base_owner(self, pair: Pair, anchor: Anchor) -> Seat | None:
        told = self.answers.get(f"owner:{anchor.piece.id}")
        for seat in (pair.first, pair.second):
            if told == letter(seat):
                return seat
        owner = self.options.owner(anchor.base.owner) if anchor.base else None
        if owner is None or owner in pair:
            return owner
        self._find(
            Text.of("brawl.foreign_base", owner=letter(owner), pair=str(pair)),
            anchor.piece,
        )
        return None

    def _chain(self, fans: Fans, side: Side) -> tuple[SeenCard, ...]:
        chain = list(fans.chains[side])
        for where, one, other in fans.order:
            at = next((i for i, card in enumerate(chain) if card is one), None)
            if where == side and self.answers.get(f"order:{one.id}") == "swapped":
                assert at is not None
                chain[at], chain[at + 1] = other, one
        return tuple(self._card(card) for card in chain)

    def _card(self, piece: Piece) -> SeenCard:
        owner = self.options.owner(piece.owner)
        for key in ("by", "owner"):
            told = self.answers.get(f"{key}:{piece.id}")
            for seat in range(self.options.players):
                if told == letter(Seat(seat)):
                    owner = Seat(seat)
        return SeenCard(read_face(piece.label), str(piece.id), owner)

    def _seat_of_pile(self, told: str) -> Seat | None:
        for number in range(self.options.players):
            if told == f"discard:{letter(Seat(number))}":
                return Seat(number)
        return None

    def _seat_of_spot(self, card: Piece) -> Seat | None:
        for number, spot in enumerate(self.options.discards_mm):
            if spot is not None and math.dist(spot, (card.x_mm, card.y_mm)) < PILE_MM:
                return Seat(number)
        return None

    def _seat_near(self, frames: Sequence[Frame], card: Piece) -> Seat | None:
        """Return whose side of the table a card lies on."""
        if not frames:
            return None
        if not self.options.is_circle:
            (frame,) = frames
            side = across_mm(frame, card)
            return frame.pair.first if side < 0 else frame.pair.second
        x, y = self.options.centre_mm or centre_of(frames)
        angle = math.degrees(math.atan2(card.y_mm - y, card.x_mm - x))
        players = self.options.players
        return Seat(
            min(
                range(players),
                key=lambda s: abs(turned_deg(angle - seat_angle_deg(s, players))),
            )
        )

    def _find(self, text: Text, *pieces: Piece) -> None:
        self.findings.append(Finding(text, tuple(str(piece.id) for piece in pieces)))


def _is_placed(piece: Piece) -> bool:
    numbers = (
        piece.x_mm,
        piece.y_mm,
        piece.angle_deg,
        piece.width_mm,
        piece.height_mm,
        *piece.covariance_mm2,
    )
    return (
        all(math.isfinite(number) and abs(number) < 1e6 for number in numbers)
        and piece.width_mm > 0
        and piece.height_mm > 0
    )


def _foreign(piece: Piece) -> Text:
    if piece.kind is Kind.BACK:
        return Text.of("brawl.face_down")
    return Text.of("brawl.not_a_card")


def _row_cards(row: SeenRow) -> Iterable[SeenCard]:
    for base in row.bases:
        yield from base.first
        yield from base.second
