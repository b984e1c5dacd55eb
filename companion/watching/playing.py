"""From views of the table to events of the ledger.

The game itself explains a view (`changes`): moves, or a question. Upheld moves become
events; an illegal one becomes an event too, once, with its ruling and picture, and has
no effect until somebody rules otherwise. What a person undid is not played again while
it still lies there. Every decision starts from the ledger's state, so that moves made
on the page and moves seen by the camera are one story.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import Any

from companion.corrections import SAID, Change, correct, note_of, state_of
from companion.decks.roles import DeckInPlay, owners_of
from companion.errors import UsageError
from companion.i18n import N_
from companion.labels import STANDARD_LABELS
from companion.ledger import Event, Kind, Ledger, LiveState, StaleSequenceError
from companion.ledger.replaying import options_of
from companion.measure import is_measured
from companion.reader import CardSize, pieces
from companion.referee import Reading, for_kit, game_kit
from companion.watching.asked import with_asked
from companion.watching.boards import lying_chips
from companion.watching.messages import Seen
from companion.watching.names import Answers, Names
from engines import load_game
from engines.core import Kit, Outcome, Question, Ruling, Seat, Verdict
from vision.types import Kind as Shown
from vision.types import Observation, Placement

CAMERA = "camera"
MOST_STEPS = 40
"""Rounds of asking the game about one view: more would be a circle."""
TIME = re.compile(r"@-?\d+")


def known_labels(kit: Kit | None) -> frozenset[str]:
    """Return what a card of the game can be called."""
    return frozenset(f.label for f in kit.faces) if kit else frozenset(STANDARD_LABELS)


@dataclass(frozen=True, slots=True)
class Call:
    """An event that the camera added, with the ruling on it."""

    event: Event
    ruling: Ruling

    @property
    def is_upheld(self) -> bool:
        """Return whether the move was allowed."""
        return self.ruling.verdict is Verdict.UPHELD


@dataclass(slots=True)
class Playing:
    """The game of one table, as the camera follows it; used by one thread."""

    ledger: Ledger
    table_id: str
    decks: tuple[DeckInPlay, ...] = ()
    questions: tuple[Question, ...] = ()
    """Open now: what the game asks, and what it asks about the table."""
    _seen: Seen | None = None
    _held: set[str] = field(default_factory=set)
    """Moves that lie there and are not to be played (again): refused, or undone."""
    _silenced: dict[str, str] = field(default_factory=dict)
    """Question -> the table at which a person answered it without a move."""
    names: Names = field(default_factory=Names)
    """What people said that pieces are."""
    answers: Answers = field(default_factory=Answers)
    """What people answered of single pieces with a move."""
    _explained_ids: frozenset[str] = frozenset()
    """Pieces of the first view and of those that moves were seen in, and what people
    were asked about or answered with."""
    _told: set[str] = field(default_factory=set)
    """Words of moves that others told since: what they played is not new to us."""
    _known_seq: int = 0
    _keeps_asked: bool = False
    """The game explains what came on a card that is asked about: it stays in view."""
    _has_begun: bool = False
    """The camera has seen moves in an earlier view."""

    def __post_init__(self) -> None:
        self._known_seq = self.ledger.head(self.table_id).seq
        self.questions = self._game.questions(self.live.state)

    @property
    def live(self) -> LiveState:
        """Return where the table stands."""
        return self.ledger.state(self.table_id)

    @property
    def outcome(self) -> Outcome | None:
        """Return how the game ended, `None` while it goes on."""
        outcome: Outcome | None = self._game.outcome(self.live.state)
        return outcome

    def memory(self) -> dict[str, Any]:
        """Return what only this process knows, as plain values for `resume`."""
        return {
            "held": sorted(self._held),
            "silenced": dict(self._silenced),
            "names": self.names.as_json(),
            "answers": self.answers.as_json(),
            "known_seq": self._known_seq,
            "has_begun": self._has_begun,
        }

    def resume(self, seen: Seen, memory: Mapping[str, Any]) -> None:
        """Go on where an earlier process ended, with the view that it played last."""
        self._seen = seen
        self._held = set(memory["held"])
        self._silenced = dict(memory["silenced"])
        self.names = Names.from_json(memory["names"])
        self.answers = Answers.from_json(memory.get("answers", {}))
        self._known_seq = int(memory["known_seq"])
        self._has_begun = bool(memory["has_begun"])
        self.again()

    def see(self, seen: Seen) -> tuple[Call, ...]:
        """Play what a view of the table shows; return what that came to."""
        if self._keeps_asked:
            asked = {piece for q in self.questions for piece in q.pieces}
            seen = with_asked(seen, self._seen, asked)
        self._seen = seen
        return self.again()

    def again(self) -> tuple[Call, ...]:
        """Look at the last view once more: somebody played, undid or answered."""
        self._heed_others()
        if self._seen is None:
            self.questions = self._game.questions(self.live.state)
            return ()
        self._has_begun = self._has_begun or self._camera_moves() > 0
        if not self._shown_ids & self._explained_ids:
            self._explained_ids = self._shown_ids  # the first view, or all read anew
        calls: list[Call] = []
        reported: dict[str, Any] = {}
        asked: Question | None = None
        for _ in range(MOST_STEPS):
            found = self._explained()
            if isinstance(found, Question):
                asked = found
                sole = self._sole_answer(found)
                if sole is None and self._is_put_first(found):
                    continue
                if sole is None:
                    break
                call = self._append(sole, Kind.ANSWER)
                calls += [call] if call is not None else []
                if call is None or not call.is_upheld:
                    break
                asked = None
                continue
            if not self._play(found, calls, reported):
                asked = self._astray(reported)
                break
            self._explained_ids = self._shown_ids
            self._told.clear()
        self._held &= reported.keys()
        self._ask(() if asked is None else (asked,))
        return tuple(calls)

    def _is_put_first(self, question: Question) -> bool:
        """Return whether a game that plays on while something is asked hears only now
        that people are asked this."""
        key = question.id, question.pieces
        if not self._keeps_asked or key in {(q.id, q.pieces) for q in self.questions}:
            return False
        others = (q for q in self.questions if q.id != question.id)
        self.questions = (question, *others)
        return True

    def answer(
        self, question_id: str, value: str, actor: str | None, source: str = "page"
    ) -> tuple[Call, ...]:
        """Play the answer of a person, and go on; raise `UsageError`.

        `source` says how it came, and when it was asked for.
        """
        question = next((q for q in self.questions if q.id == question_id), None)
        option = next(
            (o for o in question.options if o.value == value) if question else iter(()),
            None,
        )
        if question is None or option is None:
            raise UsageError(
                N_("%(value)s answers no open question %(id)s."),
                value=value,
                id=question_id,
            )
        words = set((option.move or "").split())
        self._explained_ids |= frozenset(question.pieces) | {
            piece.id for piece in self._shown if piece.identity.label in words
        }
        if option.move is None:
            if not self._is_named_now(question, value):
                self._silenced[question.id] = self._picture()
            self._note(f"{question.id}={value}", actor)
            self._close(question)
            return self.again()
        call = self._append(option.move, Kind.ANSWER, actor=actor, source=source)
        if call is not None and call.is_upheld:
            self._close(question)
            self._learn(question, option.move)
            self._keep_answer(question, value)
        calls = self.again()
        return calls if call is None else (call, *calls)

    def _close(self, question: Question) -> None:
        """Ask a question no longer."""
        self.questions = tuple(q for q in self.questions if q is not question)

    def _is_named_now(self, question: Question, value: str) -> bool:
        """Return whether an answer says what the one piece is that is asked about, and
        that it was not taken for; know it by that."""
        placement = self._placement(*question.pieces[:1])
        label = SAID.get(value, value)
        is_name = label in known_labels(self._kit) or value in SAID
        if len(question.pieces) != 1 or placement is None or not is_name:
            return False
        if self.names.values.get(placement.id, state_of(placement)) == label:
            return False
        self.names.say(placement, label)
        return True

    def _keep_answer(self, question: Question, value: str) -> None:
        """Know what was answered of one piece: its move is played, and what is asked of
        it would be asked again and hold up all others."""
        placement = self._placement(*question.pieces[:1])
        kind, _, piece = question.id.partition(":")
        if placement is not None and kind and piece == placement.id:
            self.answers.answer(placement, question.id, value)

    def _learn(self, question: Question, move: str) -> None:
        """Know the one card that could not be read by the one name in a person's move
        that is not seen anywhere else, unless he was asked about other cards."""
        if self._seen is None:
            return
        lying = self._named(self._seen.view.observation).placements
        seen = {placement.identity.label for placement in lying}
        told = (set(move.split()) & known_labels(self._kit)) - seen
        unread = [p for p in lying if p.kind is Shown.CARD and p.identity.label is None]
        is_asked = not question.pieces or {p.id for p in unread} <= set(question.pieces)
        if len(told) == len(unread) == 1 and is_asked:
            self.names.say(unread[0], told.pop())

    def put_right(self, piece: str, label: str, actor: str | None) -> tuple[Call, ...]:
        """Take a card or chip for another, for one that lies face down, or for none;
        what followed from this view is taken back and played anew. What is named stays
        so while it lies there. Raises `UsageError` if nothing is called `piece`."""
        placement = self._placement(piece)
        if placement is None:
            raise UsageError(N_("There is no such card in the picture."))
        was = self.names.values.get(piece, state_of(placement))
        self._note(note_of(Change(piece, was, label)), actor)
        self.names.say(placement, label)
        shown = set(self._evidence()[-1:])
        undone = self.live.undone
        for event in reversed(self.ledger.events(self.table_id)):
            if event.source == CAMERA and event.seq not in undone:
                if not shown & set(event.evidence):
                    break
                self._take_back(event, actor)
        # Not by others: what was right among it is played again.
        self._known_seq = self.ledger.head(self.table_id).seq
        return self.again()

    def undo(self, actor: str | None) -> Event | None:
        """Take the last move back that has an effect; `None` if there is none."""
        live = self.live
        effective = [
            event
            for event in self.ledger.events(self.table_id)
            if event.kind in (Kind.MOVE, Kind.ANSWER)
            and event.seq not in live.undone
            and event.seq not in live.refused
        ]
        if not effective:
            return None
        event = self._take_back(effective[-1], actor)
        self.again()
        return event

    def _take_back(self, event: Event, actor: str | None) -> Event:
        return self.ledger.append(
            self.table_id,
            self.live.seq + 1,
            "",
            kind=Kind.UNDO,
            target=event.seq,
            source="page",
            actor=actor,
            taken_at=datetime.now(UTC),
        )

    # What lies there -----------------------------------------------------------------

    @property
    def _game(self) -> Any:
        return load_game(self.ledger.table(self.table_id).game)

    def _explained(self) -> Any:
        """Return what the game makes of the view in the present state."""
        return self._game.changes(self.live.state, self._snapshot())

    def _snapshot(self) -> Any:
        assert self._seen is not None
        table = self.ledger.table(self.table_id)
        options = options_of(table)
        kit = game_kit(table.game)
        observation = self._named(self._seen.view.observation)
        reading = for_kit(Reading(observation, ()), kit, is_known=bool(self.decks))
        if is_measured(table.game):
            lying = tuple(lying_chips(observation))
        else:
            size, owners = CardSize.of(kit), owners_of(self.decks)
            lying = pieces(reading.observation, size, owners)
        snapshot = self._game.layout(lying, options)
        known = {f.name for f in fields(snapshot)} if is_dataclass(snapshot) else set()
        self._keeps_asked = bool(known & {"new", "asked"})
        if "time_ms" in known:
            snapshot = replace(snapshot, time_ms=self._time_ms())
        if "asked" in known:
            snapshot = replace(snapshot, asked=self.questions)
        if "new" in known:
            snapshot = replace(snapshot, new=self._new_ids(observation))
        if "answers" in known:
            snapshot = replace(snapshot, answers=self.answers.given)
        return snapshot

    def _named(self, observation: Observation) -> Observation:
        """Return the observation with the names that people gave."""
        self.names.follow(observation)
        self.answers.follow(observation)
        return correct(observation, self.names.values)

    def _placement(self, piece: str = "") -> Placement | None:
        """Return a piece of the last view, `None` if nothing there is called so."""
        seen = self._seen.view.observation.placements if self._seen else ()
        return next((p for p in seen if p.id == piece), None)

    @property
    def _kit(self) -> Kit | None:
        return game_kit(self.ledger.table(self.table_id).game)

    def _time_ms(self) -> int:
        """Return when the view came about, on the clock of the table; never back."""
        assert self._seen is not None
        since = self._seen.view.observation.taken_at - self._opened_at
        clock_ms = int(getattr(self.live.state, "clock_ms", 0))
        return max(clock_ms, round(since.total_seconds() * 1000))

    @property
    def _opened_at(self) -> datetime:
        return self.ledger.table(self.table_id).created_at

    def _new_ids(self, observation: Observation) -> frozenset[str]:
        """Return what came since moves were seen last, and nobody told of."""
        came = self._shown_ids - self._explained_ids
        return frozenset(
            piece.id
            for piece in observation.placements
            if piece.id in came and piece.identity.label not in self._told
        )

    @property
    def _shown(self) -> tuple[Placement, ...]:
        return self._seen.view.observation.placements if self._seen else ()

    @property
    def _shown_ids(self) -> frozenset[str]:
        return frozenset(piece.id for piece in self._shown)

    def _picture(self) -> str:
        """Return what lies there, as a text that is the same for the same table."""
        if self._seen is None:
            return ""
        placements = self._seen.view.observation.placements
        return " ".join(sorted(f"{p.id}{p.identity.label}" for p in placements))

    # Moves ---------------------------------------------------------------------------

    def _play(
        self, moves: Sequence[Any], calls: list[Call], reported: dict[str, Any]
    ) -> bool:
        """Append the moves; return whether the game should be asked again. `reported`
        takes up those that are held."""
        has_played = False
        for move in moves:
            key = TIME.sub("@", str(move))
            if key in self._held:
                reported[key] = move
                break
            call = self._append(str(move), Kind.MOVE)
            if call is None:
                return True
            calls.append(call)
            if not call.is_upheld:
                self._held.add(key)
                reported[key] = move
                break
            has_played = True
        return has_played

    def _astray(self, reported: Mapping[str, Any]) -> Question | None:
        """Return what a game asks, where it does, of what a refused move left lying
        there: all that follows may depend on it."""
        ask = getattr(self._game, "astray", None)
        if ask is None or not reported:
            return None
        state, snapshot = self.live.state, self._snapshot()
        asked = (ask(state, snapshot, move) for move in reported.values())
        return next((question for question in asked if question is not None), None)

    def _append(
        self,
        move: str,
        kind: Kind,
        *,
        actor: str | None = None,
        source: str = "page",
    ) -> Call | None:
        """Return the event with its ruling; `None` if somebody was faster."""
        try:
            event = self.ledger.append(
                self.table_id,
                self.live.seq + 1,
                move,
                kind=kind,
                source=CAMERA if actor is None else source,
                actor=actor,
                taken_at=self._taken_at(),
                evidence=self._evidence(),
            )
        except StaleSequenceError:
            return None
        self._known_seq = event.seq
        return Call(event, self.live.rulings[event.seq])

    def _taken_at(self) -> datetime:
        if self._seen is None:
            return datetime.now(UTC)
        return self._seen.view.observation.taken_at

    def _evidence(self) -> tuple[str, ...]:
        if self._seen is None:
            return ()
        shown = (self._seen.before, self._seen.after)
        return tuple(self.ledger.keep(jpeg, "image/jpeg") for jpeg in shown if jpeg)

    def _camera_moves(self) -> int:
        """Return how many moves the camera has seen before this view."""
        return sum(
            event.kind is Kind.MOVE and event.source == CAMERA
            for event in self.ledger.events(self.table_id)
        )

    def _note(self, words: str, actor: str | None) -> None:
        event = self.ledger.append(
            self.table_id,
            self.live.seq + 1,
            words,
            kind=Kind.NOTE,
            source="page",
            actor=actor,
            taken_at=datetime.now(UTC),
        )
        self._known_seq = event.seq

    def _heed_others(self) -> None:
        """Hold what others undid: it lies there still; it is not played again."""
        events = self.ledger.events(self.table_id, self._known_seq)
        by_seq = {e.seq: e for e in self.ledger.events(self.table_id)} if events else {}
        for event in events:
            undone = by_seq.get(event.target or 0)
            self._told |= set(event.move.split())
            if event.kind is Kind.UNDO and undone is not None:
                if undone.kind is Kind.UNDO:
                    self._held.clear()  # a redo: what was held may stand again
                else:
                    self._held.add(TIME.sub("@", undone.move))
            self._known_seq = event.seq

    # Questions -----------------------------------------------------------------------

    def _sole_answer(self, question: Question) -> str | None:
        """Return the move of the only option there is, while the table is set up.

        That piles were made is plain from the cards that lie there. Later "done" is
        said by whoever did it: a card that should have been put away would otherwise
        be taken for one that was laid.
        """
        if len(question.options) != 1 or self._has_begun:
            return None
        return question.options[0].move

    def _ask(self, asked: Sequence[Question]) -> None:
        """Set the open questions: those of the table first, each once."""
        doubts = getattr(self._game, "doubts", None)
        if doubts is not None:
            asked = [*asked, *doubts(self.live.state, self._snapshot())]
        open_now = [*asked, *self._game.questions(self.live.state)]
        picture = self._picture()
        self._silenced = {k: v for k, v in self._silenced.items() if v == picture}
        unique = {q.id: q for q in reversed(open_now) if q.id not in self._silenced}
        self.questions = tuple(reversed(unique.values()))

    def questions_for(self, seat: Seat | None) -> tuple[Question, ...]:
        """Return the questions that one seat, or the referee (`None`), may see."""
        return tuple(q for q in self.questions if q.to is None or q.to == seat)
