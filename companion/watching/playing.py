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
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from companion.codec import question_from_json, question_to_json
from companion.corrections import Change, note_of, state_of
from companion.decks.roles import DeckInPlay
from companion.errors import UsageError
from companion.i18n import N_
from companion.ledger import Event, Kind, Ledger, LiveState, StaleSequenceError
from companion.watching.lying import Lying
from companion.watching.messages import Seen
from companion.watching.names import Names
from engines import load_game
from engines.core import Outcome, Question, Ruling, Seat, Verdict

CAMERA = "camera"
MOST_STEPS = 40
"""Rounds of asking the game about one view: more would be a circle."""
TIME = re.compile(r"@-?\d+")


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
    _held: set[str] = field(default_factory=set)
    """Moves that lie there and are not to be played (again): refused, or undone."""
    _silenced: dict[str, str] = field(default_factory=dict)
    """Question -> the table at which a person answered it without a move."""
    _vain: list[tuple[Any, str]] = field(default_factory=list)
    """Answers that were refused, and how the game stood: it would refuse them again."""
    lying: Lying = field(init=False)
    """What the camera saw last, and what people said of it."""
    _known_seq: int = 0
    _has_begun: bool = False
    """The camera has seen moves in an earlier view."""

    def __post_init__(self) -> None:
        self.lying = Lying(self.ledger.table(self.table_id), self.decks)
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

    @property
    def names(self) -> Names:
        """Return what people said that pieces are."""
        return self.lying.names

    def memory(self) -> dict[str, Any]:
        """Return what only this process knows, as plain values for `recall`."""
        return {
            "held": sorted(self._held),
            "silenced": dict(self._silenced),
            "known_seq": self._known_seq,
            "has_begun": self._has_begun,
            "asked": [question_to_json(question) for question in self.questions],
            **self.lying.as_json(),
        }

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Know what an earlier process knew of the view that it played last."""
        self.lying.recall(memory)
        self._held = set(memory.get("held", ()))
        self._silenced = dict(memory.get("silenced", {}))
        self._known_seq = int(memory.get("known_seq", self._known_seq))
        self._has_begun = bool(memory.get("has_begun", False))
        if self.lying.seen is not None:
            asked = memory.get("asked", ())
            self.questions = tuple(question_from_json(one) for one in asked)

    def resume(self, seen: Seen, memory: Mapping[str, Any]) -> None:
        """Go on where an earlier process ended, with the view that it played last."""
        self.recall(memory)
        self.lying.seen = seen
        self.again()

    def another_eye(self) -> None:
        """Know that another eye looks from now on, which has names of its own."""
        self.lying.called.begin()

    def see(self, seen: Seen) -> tuple[Call, ...]:
        """Play what a view of the table shows; return what that came to."""
        self.lying.see(seen, self.questions)
        return self.again()

    def again(self) -> tuple[Call, ...]:
        """Look at the last view once more: somebody played, undid or answered."""
        self._heed_others()
        if self.lying.seen is None:
            self.questions = self._game.questions(self.live.state)
            return ()
        self._has_begun = self._has_begun or self._camera_moves() > 0
        self.lying.begin()
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
            self.lying.explain()
        self._held &= reported.keys()
        self._ask(() if asked is None else (asked,))
        return tuple(calls)

    def _is_put_first(self, question: Question) -> bool:
        """Return whether a game that plays on while something is asked hears only now
        that people are asked this."""
        if not self.lying.keeps_asked or question.is_among(self.questions):
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
        self.lying.heed_answer(question, option.move)
        if option.move is None:
            if not self.lying.is_named_now(question, value):
                self._silenced[question.id] = self.lying.picture
                self.lying.keep_answer(question, value)
            self._note(f"{question.id}={value}", actor)
            self._close(question)
            return self.again()
        call = self._append(option.move, Kind.ANSWER, actor=actor, source=source)
        if call is not None and call.is_upheld:
            self._close(question)
            self.lying.learn(question, option.move)
            self.lying.keep_answer(question, value)
        elif call is not None:
            self._vain.append((self.live.state, option.move))
        calls = self.again()
        return calls if call is None else (call, *calls)

    def _close(self, question: Question) -> None:
        """Ask a question no longer."""
        self.questions = tuple(q for q in self.questions if q is not question)

    def put_right(self, piece: str, label: str, actor: str | None) -> tuple[Call, ...]:
        """Take a card or chip for another, for one that lies face down, or for none;
        what followed from this view is taken back and played anew. What is named stays
        so while it lies there. Raises `UsageError` if nothing is called `piece`."""
        placement = self.lying.placement(piece)
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

    @property
    def _game(self) -> Any:
        return load_game(self.ledger.table(self.table_id).game)

    def _explained(self) -> Any:
        """Return what the game makes of the view in the present state."""
        return self._game.changes(self.live.state, self._snapshot())

    def _snapshot(self) -> Any:
        return self.lying.snapshot(self.live, self.questions)

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
                taken_at=self.lying.taken_at,
                evidence=self._evidence(),
            )
        except StaleSequenceError:
            return None
        self._known_seq = event.seq
        return Call(event, self.live.rulings[event.seq])

    def _evidence(self) -> tuple[str, ...]:
        seen = self.lying.seen
        shown = () if seen is None else (seen.before, seen.after)
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
            self.lying.heed(event.move)
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
        picture = self.lying.picture
        self._silenced = {k: v for k, v in self._silenced.items() if v == picture}
        state = self.live.state
        self._vain = [(was, move) for was, move in self._vain if was == state]
        vain = {move for _, move in self._vain}
        worth = (q.without(vain) for q in reversed(open_now) if not q.is_about(vain))
        unique = {q.id: q for q in worth if q.id not in self._silenced}
        self.questions = tuple(reversed(unique.values()))

    def questions_for(self, seat: Seat | None) -> tuple[Question, ...]:
        """Return the questions that one seat, or the referee (`None`), may see."""
        return tuple(q for q in self.questions if q.to is None or q.to == seat)
