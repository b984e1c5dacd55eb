"""The sheet of points of one look at the table, without history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engines.brawl.audit import (
    Breach,
    row_breaches,
    stray_freezes,
    surplus_cards,
    uses_block_on_hit2,
    without,
)
from engines.brawl.faces import Face
from engines.brawl.figures import base_reason, cells_of, spans_of
from engines.brawl.layout import lay
from engines.brawl.moves import Remedy
from engines.brawl.options import Options
from engines.brawl.place import Pair, letter
from engines.brawl.scoring import SCORING, Span, base_winner, leading
from engines.brawl.snapshot import SeenRow, Snapshot, named, told
from engines.brawl.table_questions import (
    ask_block_on_hit2,
    ask_foul,
    ask_offender,
    ask_owner,
)
from engines.brawl.words import base_text, chain_text, in_row
from engines.core import (
    Cell,
    Finding,
    Question,
    Row,
    RuleRef,
    Ruling,
    Seat,
    Sheet,
    Text,
    Verdict,
)

DRAW, REPLAY = "draw", "replay"


def score_table(
    snapshot: Snapshot, options: Options, answers: Mapping[str, str]
) -> Sheet:
    """Return the points per Base, who wins, what is illegal and what must be asked.

    Numbers that hang on something unknown are `None`; a Base or the game may be decided
    all the same.
    """
    snapshot = _answered(snapshot, options, answers)
    tally = _Tally(snapshot, options, answers)
    tally.audit()
    tally.score()
    return Sheet(
        "brawl",
        tuple(tally.lines),
        tuple(tally.totals()),
        tuple(tally.rulings),
        (*tally.questions, *snapshot.questions),
        (*tally.findings, *snapshot.findings),
    )


@dataclass(slots=True)
class _Tally:
    """What is gathered while a table is scored."""

    snapshot: Snapshot
    options: Options
    answers: Mapping[str, str]
    rows: list[SeenRow] = field(default_factory=list)
    lines: list[Row] = field(default_factory=list)
    rulings: list[Ruling] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    forfeits: dict[Pair, Seat] = field(default_factory=dict)
    open_rows: set[Pair] = field(default_factory=set)
    """Rows whose result waits for an answer about a foul."""
    winners: list[tuple[Pair, Seat | None]] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Return whether every Base in play is frozen."""
        return all(self._is_finished(row) for row in self.snapshot.rows)

    def audit(self) -> None:
        """Rule on every illegal card and set the rows right as far as it is agreed."""
        rows = self.snapshot.rows
        block_on_hit2 = self._block_on_hit2(rows)
        for row in rows:
            put_right = row
            found = row_breaches(row, self.answers, block_on_hit2=block_on_hit2)
            for breach in found:
                self.rulings.append(self._breach_ruling(row, breach))
                put_right = self._settle(row, put_right, breach)
            self.rows.append(put_right)
        self.findings += stray_freezes(rows)
        self.findings += surplus_cards(self.snapshot, self.options)

    def score(self) -> None:
        """Score every Base that has not been cleared."""
        spans = spans_of(self.rows, self.snapshot)
        for row in self.rows:
            for number, base in enumerate(row.bases):
                if base.clears:
                    self.rulings.append(self._clear_ruling(row, number))
                    continue
                first = spans[f"{row.pair}:{number}{letter(row.pair.first)}"]
                second = spans[f"{row.pair}:{number}{letter(row.pair.second)}"]
                self._score_base(row, number, first, second)

    def totals(self) -> Iterator[Cell]:
        """Yield the Bases won per seat, who wins, and whether the game is over."""
        low, high = self._bases_won()
        for seat in sorted(low):
            exact = low[seat] if low[seat] == high[seat] else None
            title = Text.of("brawl.title_bases", seat=letter(seat))
            yield Cell(f"bases_{letter(seat)}", title, exact)
        winner, tied = self._winner(low, high)
        yield Cell("winner", Text.of("brawl.title_game_winner"), winner)
        if self.options.is_circle:
            yield Cell("tied", Text.of("brawl.title_tied"), tied)
        yield Cell("over", Text.of("brawl.title_over"), self.is_over)
        self.rulings.append(self._over_ruling())

    def _block_on_hit2(self, rows: Sequence[SeenRow]) -> bool:
        told = self.answers.get("blockOnHit2")
        agreed = self.options.block_on_hit2
        if told in ("true", "false") and agreed is None:
            agreed = told == "true"
        if agreed is None and uses_block_on_hit2(rows):
            self.questions.append(ask_block_on_hit2())
        return agreed is not False

    def _settle(self, row: SeenRow, put_right: SeenRow, breach: Breach) -> SeenRow:
        """Ask what is done about a breach, or do what was answered."""
        due = self._is_finished(row) or self.is_over
        offender = self._offender(row.pair, breach)
        told = self.answers.get(f"foul:{breach.key}")
        if due:
            if told == Remedy.STAND:
                return put_right
            if told == Remedy.CLAIM and offender in row.pair:
                assert offender is not None
                self.forfeits[row.pair] = row.pair.other(offender)
                return put_right
            self.open_rows.add(row.pair)
            if offender is None:
                self.questions.append(ask_offender(breach, row.pair))
                return put_right
        elif told == Remedy.STAND and breach.built_on:
            return put_right
        elif told == Remedy.CLAIM and breach.built_on and offender in row.pair:
            assert offender is not None
            self.forfeits[row.pair] = row.pair.other(offender)
            return put_right
        if told not in (Remedy.TAKE_BACK, Remedy.RESTORE):
            place = self._place(row, breach)
            self.questions.append(ask_foul(breach, offender, place, is_due=due))
        if due:
            return put_right
        if breach.card.face is Face.BASE:
            self.open_rows.add(row.pair)
            return put_right
        bases = list(put_right.bases)
        bases[breach.base] = without(bases[breach.base], breach, row.pair)
        return replace(put_right, bases=tuple(bases))

    def _score_base(self, row: SeenRow, number: int, first: Span, second: Span) -> None:
        base, pair = row.bases[number], row.pair
        seats = (pair.first, pair.second)
        winner = base_winner(first, second, seats, base.owner)
        may_tie = first.low <= second.high and second.low <= first.high
        if base.owner is None and may_tie and winner is None:
            self.questions.append(ask_owner(base.piece, pair, self._name(row, number)))
        winner = self.forfeits.get(pair, winner)
        if pair in self.open_rows:
            winner = None  # a forfeit may yet give all Bases of the row to either
        self.winners.append((pair, winner))
        name = self._name(row, number)
        seen = self.snapshot.row(pair).bases[number]
        cells = cells_of(pair, seen, (first, second), winner)
        self.lines.append(Row(f"{pair}:{number}", name, cells))
        self.rulings.append(self._base_ruling(row, number, (first, second), winner))

    def _bases_won(self) -> tuple[dict[Seat, int], dict[Seat, int]]:
        """Return the least and the most Bases that each seat may have won."""
        seats = [Seat(number) for number in range(self.options.players)]
        low = dict.fromkeys(seats, 0)
        high = dict.fromkeys(seats, 0)
        for pair, winner in self.winners:
            if winner is not None:
                low[winner] += 1
                high[winner] += 1
            else:
                high[pair.first] += 1
                high[pair.second] += 1
        for row in self.rows:
            high[row.pair.first] += len(row.unclear)
            high[row.pair.second] += len(row.unclear)
        return low, high

    def _winner(
        self, low: Mapping[Seat, int], high: Mapping[Seat, int]
    ) -> tuple[str | None, tuple[str, ...]]:
        if not self.winners:
            return None, ()
        if not self.options.is_circle and self.forfeits:
            (winner,) = self.forfeits.values()
            return letter(winner), ()
        for seat, least in low.items():
            if all(least > most for other, most in high.items() if other != seat):
                return letter(seat), ()
        if low != high:
            return None, ()
        tied = tuple(letter(seat) for seat in leading(low))
        replayed = self.options.is_circle and not self.options.play_off
        return (REPLAY, tied) if replayed else (DRAW, tied)

    def _offender(self, pair: Pair, breach: Breach) -> Seat | None:
        if breach.card.owner is not None:
            return breach.card.owner
        told = self.answers.get(f"by:{breach.key}")
        for seat in (pair.first, pair.second):
            if told == letter(seat):
                return seat
        return None

    def _is_finished(self, row: SeenRow) -> bool:
        bases = [base for base in row.bases if not base.clears]
        return bool(bases) and not row.unclear and all(base.freezes for base in bases)

    def _name(self, row: SeenRow, number: int) -> Text:
        text = base_text(number, len(row.bases))
        return in_row(text, row.pair, several=self.options.is_circle)

    def _place(self, row: SeenRow, breach: Breach) -> Text:
        if breach.side is None:
            return self._name(row, breach.base)
        text = chain_text(breach.side, breach.base, len(row.bases))
        return in_row(text, row.pair, several=self.options.is_circle)

    def _breach_ruling(self, row: SeenRow, breach: Breach) -> Ruling:
        face = breach.card.face
        assert face is not None
        claim = Text.of(
            "brawl.claim_lies", card=face.text, place=self._place(row, breach)
        )
        return Ruling.refused(claim, breach.objection)

    def _clear_ruling(self, row: SeenRow, number: int) -> Ruling:
        claim = Text.of("brawl.claim_cleared", base=self._name(row, number))
        return Ruling.upheld(claim, Text.of("brawl.cleared"), RuleRef("B-20"))

    def _base_ruling(
        self, row: SeenRow, number: int, spans: tuple[Span, Span], winner: Seat | None
    ) -> Ruling:
        name = self._name(row, number)
        if winner is None:
            claim = Text.of("brawl.claim_base_decided", base=name)
            is_disputed = row.pair in self.open_rows
            reason = Text.of("brawl.foul_open" if is_disputed else "brawl.base_open")
            return Ruling(claim, Verdict.UNDECIDED, reason, SCORING)
        claim = Text.of("brawl.claim_wins_base", seat=letter(winner), base=name)
        if row.pair in self.forfeits:
            reason = Text.of("brawl.won_by_forfeit", seat=letter(winner))
            return Ruling.upheld(claim, reason, RuleRef("4.3"))
        return Ruling.upheld(claim, base_reason(row.pair, spans, winner), SCORING)

    def _over_ruling(self) -> Ruling:
        claim = Text.of("brawl.claim_over")
        unfrozen = sum(
            not base.freezes
            for row in self.snapshot.rows
            for base in row.bases
            if not base.clears
        )
        if self.is_over:
            return Ruling.upheld(claim, Text.of("brawl.all_frozen"), SCORING)
        reason = Text.of("brawl.not_all_frozen", bases=unfrozen)
        return Ruling(claim, Verdict.REJECTED, reason, SCORING)


def _answered(
    snapshot: Snapshot, options: Options, answers: Mapping[str, str]
) -> Snapshot:
    """Return the snapshot with what people have told about its pieces."""
    if answers and snapshot.pieces:
        return lay(snapshot.pieces, options, answers)
    return told(named(snapshot), answers)
