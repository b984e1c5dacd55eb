"""What lies on a watched table: the last view, with all that is known of its pieces.

The eye tells places and names; people say what pieces are (`names`) and answer what is
asked of single ones (`answers`). A game is given all of it as its own snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import Any

from companion.codec import from_json, to_json
from companion.corrections import SAID, correct, state_of
from companion.decks.roles import DeckInPlay, owners_of
from companion.labels import STANDARD_LABELS
from companion.ledger import LiveState, TableRecord
from companion.ledger.replaying import options_of
from companion.measure import is_measured
from companion.reader import CardSize, centre_px, pieces
from companion.referee import Reading, for_kit, game_kit
from companion.watching.asked import with_asked
from companion.watching.boards import lying_chips
from companion.watching.called import Called
from companion.watching.messages import Seen
from companion.watching.names import Answers, Names
from engines import load_game
from engines.core import Kit, Question
from vision.types import Kind as Shown
from vision.types import Observation, Placement
from vision.views import View

STEP_PX = 8.0
"""Where a piece lies is kept again when it has moved about so far."""


def known_labels(kit: Kit | None) -> frozenset[str]:
    """Return what a card of the game can be called."""
    return frozenset(f.label for f in kit.faces) if kit else frozenset(STANDARD_LABELS)


@dataclass(slots=True)
class Lying:
    """The last view of one table, and what its pieces are."""

    table: TableRecord
    decks: tuple[DeckInPlay, ...] = ()
    names: Names = field(default_factory=Names)
    """What people said that pieces are."""
    answers: Answers = field(default_factory=Answers)
    """What people answered of single pieces with a move."""
    called: Called = field(default_factory=Called)
    seen: Seen | None = None
    keeps_asked: bool = False
    """The game explains what came on a card that is asked about: it stays in view."""
    _explained: frozenset[str] = frozenset()
    """Pieces of the first view and of those that moves were seen in, and what people
    were asked about or answered with."""
    _goes_on: bool = False
    """The view shows a piece of the one before, or tells what became of one."""
    _told: set[str] = field(default_factory=set)
    """Words of moves that others told since: what they played is not new to us."""
    _answered: list[str] = field(default_factory=list)
    """Pieces that people were asked about and have told of, in that order."""
    _laid_out: tuple[Observation, Any] | None = None
    """What was laid out last, and as what: it is asked for several times a view."""

    # The view ------------------------------------------------------------------------

    def see(self, seen: Seen, asked: tuple[Question, ...]) -> None:
        """Take the next view; what people are `asked` about stays in it."""
        seen, before = self.called.known(seen, self.seen)
        if self.keeps_asked:
            about = {piece for question in asked for piece in question.pieces}
            seen = with_asked(seen, before, about)
        was, told = self.ids, {id_ for id_, _ in seen.view.changes}
        self.seen = seen
        self._goes_on = bool((self.ids | told) & was)

    @property
    def shown(self) -> tuple[Placement, ...]:
        """Return what lies there, as the eye read it; nothing before the first view."""
        return self.seen.view.observation.placements if self.seen else ()

    @property
    def ids(self) -> frozenset[str]:
        """Return the pieces that lie there."""
        return frozenset(piece.id for piece in self.shown)

    @property
    def picture(self) -> str:
        """Return what lies there, as a text that is the same for the same table."""
        return " ".join(sorted(f"{p.id}{p.identity.label}" for p in self.shown))

    @property
    def places(self) -> list[tuple[str, str | None, int, int]]:
        """Return what lies where, to a few px."""
        placed = ((p, centre_px(p.quad_px)) for p in self.shown)
        return [
            (p.id, p.identity.label, round(x_px / STEP_PX), round(y_px / STEP_PX))
            for p, (x_px, y_px) in placed
        ]

    @property
    def taken_at(self) -> datetime:
        """Return when the view came about; without one, now."""
        if self.seen is None:
            return datetime.now(UTC)
        return self.seen.view.observation.taken_at

    def placement(self, piece: str = "") -> Placement | None:
        """Return a piece of the last view, `None` if nothing there is called so."""
        return next((p for p in self.shown if p.id == piece), None)

    # What is new in it ---------------------------------------------------------------

    def begin(self) -> None:
        """Take what lies there for old where it is the first view, or all was read
        anew."""
        if not self._goes_on and not self.ids & self._explained:
            self._explained = self.ids

    def explain(self) -> None:
        """Take what lies there for old: moves were seen in it."""
        self._explained = self.ids
        self._told.clear()

    def heed(self, move: str) -> None:
        """Take what somebody played by hand for no news."""
        self._told |= set(move.split())

    def heed_answer(self, question: Question, move: str | None) -> None:
        """Take what was asked about, and what the answer names, for old."""
        words = set((move or "").split())
        self._answered = [id_ for id_ in self._answered if id_ in self.ids]
        self._answered += question.pieces
        self._explained |= frozenset(question.pieces) | {
            piece.id for piece in self.shown if piece.identity.label in words
        }

    def _new(self, observation: Observation) -> frozenset[str]:
        """Return what came since moves were seen last, and nobody told of."""
        came = self.ids - self._explained
        return frozenset(
            piece.id
            for piece in observation.placements
            if piece.id in came and piece.identity.label not in self._told
        )

    # As the game sees it -------------------------------------------------------------

    def snapshot(self, live: LiveState, asked: tuple[Question, ...]) -> Any:
        """Return the view as the game's own snapshot, with what it wants to know: the
        time, what people are `asked`, what they answered, what is new."""
        assert self.seen is not None
        observation = self._named(self.seen.view.observation)
        snapshot = self._layout(observation)
        known = {f.name for f in fields(snapshot)} if is_dataclass(snapshot) else set()
        self.keeps_asked = bool(known & {"new", "asked"})
        if "time_ms" in known:
            snapshot = replace(snapshot, time_ms=self._time_ms(live))
        if "asked" in known:
            snapshot = replace(snapshot, asked=asked)
        if "new" in known:
            snapshot = replace(snapshot, new=self._new(observation))
        if "answered" in known:
            snapshot = replace(snapshot, answered=tuple(self._answered))
        if "answers" in known:
            snapshot = replace(snapshot, answers=self.answers.given)
        return snapshot

    def _layout(self, observation: Observation) -> Any:
        if self._laid_out is not None and self._laid_out[0] == observation:
            return self._laid_out[1]
        game, kit = self.table.game, self.kit
        reading = for_kit(Reading(observation, ()), kit, is_known=bool(self.decks))
        if is_measured(game):
            lying = tuple(lying_chips(observation))
        else:
            size, owners = CardSize.of(kit), owners_of(self.decks)
            lying = pieces(reading.observation, size, owners)
        snapshot = load_game(game).layout(lying, options_of(self.table))
        self._laid_out = observation, snapshot
        return snapshot

    def _named(self, observation: Observation) -> Observation:
        """Return the observation with the names that people gave."""
        self.names.follow(observation)
        self.answers.follow(observation)
        return correct(observation, self.names.values)

    @property
    def kit(self) -> Kit | None:
        """Return the game's cards, `None` where it is played with standard ones."""
        return game_kit(self.table.game)

    def _time_ms(self, live: LiveState) -> int:
        """Return when the view came about, on the clock of the table; never back."""
        since = self.taken_at - self.table.created_at
        clock_ms = int(getattr(live.state, "clock_ms", 0))
        return max(clock_ms, round(since.total_seconds() * 1000))

    # What people say of it -----------------------------------------------------------

    def is_named_now(self, question: Question, value: str) -> bool:
        """Return whether an answer says what the one piece is that is asked about, and
        that it was not taken for; know it by that."""
        placement = self.placement(*question.pieces[:1])
        label = SAID.get(value, value)
        is_name = label in known_labels(self.kit) or value in SAID
        if len(question.pieces) != 1 or placement is None or not is_name:
            return False
        if self.names.values.get(placement.id, state_of(placement)) == label:
            return False
        self.names.say(placement, label)
        return True

    def keep_answer(self, question: Question, value: str) -> None:
        """Know what was answered of one piece: its move is played, and what is asked of
        it would be asked again and hold up all others."""
        placement = self.placement(*question.pieces[:1])
        kind, _, piece = question.id.partition(":")
        if placement is not None and kind and piece == placement.id:
            self.answers.answer(placement, question.id, value)

    def learn(self, question: Question, move: str) -> None:
        """Know the one card that could not be read by the one name in a person's move
        that is not seen anywhere else, unless he was asked about other cards."""
        if self.seen is None:
            return
        lying = self._named(self.seen.view.observation).placements
        seen = {placement.identity.label for placement in lying}
        told = (set(move.split()) & known_labels(self.kit)) - seen
        unread = [p for p in lying if p.kind is Shown.CARD and p.identity.label is None]
        is_asked = not question.pieces or {p.id for p in unread} <= set(question.pieces)
        if len(told) == len(unread) == 1 and is_asked:
            self.names.say(unread[0], told.pop())

    # Over processes ------------------------------------------------------------------

    def as_json(self) -> dict[str, Any]:
        """Return plain values for `recall`; pictures are not among them."""
        return {
            "names": self.names.as_json(),
            "answers": self.answers.as_json(),
            "called": self.called.as_json(),
            "explained": sorted(self._explained),
            "goes_on": self._goes_on,
            "told": sorted(self._told),
            "answered": list(self._answered),
            "keeps_asked": self.keeps_asked,
            "seen": None if self.seen is None else to_json(self.seen.view.observation),
        }

    def recall(self, written: Mapping[str, Any]) -> None:
        """Know what an earlier process knew, as far as it was written down; another eye
        looks from now on."""
        self.names = Names.from_json(written.get("names", {}))
        self.answers = Answers.from_json(written.get("answers", {}))
        if written.get("seen") is None:
            return
        self.seen = Seen(View(from_json(written["seen"]), 0.0), b"", b"")
        self.called = Called.from_json(written["called"])
        self.called.begin()
        self._explained = frozenset(written["explained"])
        self._goes_on = bool(written.get("goes_on", False))
        self._told = set(written["told"])
        self._answered = list(written.get("answered", ()))
        self.keeps_asked = written["keeps_asked"]
