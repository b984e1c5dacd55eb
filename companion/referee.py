"""The two things Arbitro does with a picture: read it, and score it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from companion.corrections import Corrections, correct, without_foreign_names
from companion.decks.roles import DeckInPlay, deck_options, owners_of
from companion.errors import UsageError
from companion.i18n import N_
from companion.labels import STANDARD_LABELS
from companion.reader import (
    CardSize,
    pieces,
    scale_findings,
    without_printed_rings,
)
from companion.sentences import NOT_KNOWN_BY_SIGHT
from engines import load_game
from engines.core import KitError, OptionError, Question, Sheet, load_kit
from vision.types import Finding, Kind, Observation

if TYPE_CHECKING:
    from engines.core import Game, Kit
    from vision.types import Frame

See: TypeAlias = "Callable[[Frame], Observation]"
"""The pipeline of vision: a pure function of the frame."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What lies where in one picture."""

    observation: Observation
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which game, options and answers a reading is scored."""

    game: str
    options: Mapping[str, str] = field(default_factory=dict)
    """Option key -> value as a person writes it: ``true``, ``3``, ``stop``."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """Question id -> the value of the chosen option."""
    decks: tuple[DeckInPlay, ...] = ()
    """The enrolled or printed decks on the table, in the order of their owners."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A reading with the sheet of points of its game."""

    reading: Reading
    terms: Terms
    sheet: Sheet
    answered: tuple[tuple[Question, str], ...] = ()
    """The questions that have an answer, in the order in which they came up."""
    unused: tuple[str, ...] = ()
    """Ids of answers to questions that this table does not raise."""


def read(
    observation: Observation, corrections: Corrections | None = None, *, decks: int = 1
) -> Reading:
    """Return the reading of an observation, with what people put right."""
    corrected = correct(observation, corrections or {}, decks=decks)
    return Reading(corrected, (*corrected.findings, *scale_findings(corrected)))


def score(reading: Reading, terms: Terms, *, strict: bool = True) -> Scored:
    """Return the score of a reading.

    Answers are given one round of questions at a time, as a person would: one answer
    may raise the next question. Raises `UsageError` for an impossible option or (if
    `strict`; else it is left out) answer, and `UnknownGameError` for an unknown game.
    """
    game = load_game(terms.game)
    options = game_options(game, terms.options, deck_options(terms.game, terms.decks))
    kit = game_kit(terms.game)
    reading = for_kit(reading, kit, is_known=bool(terms.decks))
    table = pieces(reading.observation, CardSize.of(kit), owners_of(terms.decks))
    snapshot = game.layout(table, options)
    return score_snapshot(reading, terms, snapshot, options, strict=strict)


def score_snapshot(
    reading: Reading, terms: Terms, snapshot: Any, options: Any, *, strict: bool = True
) -> Scored:
    """Return the score of what a game's own layout made of a reading.

    As `score`, whose options and pieces are those of cards.
    """
    game = load_game(terms.game)
    answered: dict[str, tuple[Question, str]] = {}
    while True:
        given = {id_: value for id_, (_, value) in answered.items()}
        sheet: Sheet = game.score_table(snapshot, options, given)
        fresh = [
            question
            for question in sheet.questions
            if question.id not in answered
            and (answer := terms.answers.get(question.id)) is not None
            and (strict or _fits(question, answer))
        ]
        if not fresh:
            break
        for question in fresh:
            answer = check_answer(question, terms.answers[question.id])
            answered[question.id] = question, answer
    unused = tuple(id_ for id_ in terms.answers if id_ not in answered)
    return Scored(reading, terms, sheet, tuple(answered.values()), unused)


def for_kit(reading: Reading, kit: Kit | None, *, is_known: bool = False) -> Reading:
    """Return the reading as it counts for a game.

    Vision names standard cards. In a game with cards of its own such a name is no
    reading at all, so only names that a person gave are kept, and that is said. Where
    the deck `is_known` by sight, its names count as they are; rings that are printed on
    its cards are no discs.
    """
    labels = [face.label for face in kit.faces] if kit else []
    if is_known:
        return replace(reading, observation=without_printed_rings(reading.observation))
    if not labels or set(labels) & set(STANDARD_LABELS):
        return reading
    observation = without_foreign_names(reading.observation, labels)
    codes = {"duplicate", "unread"}
    kept = tuple(item for item in reading.findings if item.code not in codes)
    unnamed = tuple(
        placement.id
        for placement in observation.placements
        if placement.kind is Kind.CARD and placement.identity.label is None
    )
    if unnamed:
        kept = (*kept, Finding(NOT_KNOWN_BY_SIGHT, placements=unnamed))
    return Reading(observation, kept)


def check_answer(question: Question, value: str) -> str:
    """Return `value`, or raise `UsageError` if it is none of the question's options."""
    if _fits(question, value):
        return value
    raise UsageError(
        N_("%(value)s does not answer %(id)s. Possible: %(known)s."),
        value=value,
        id=question.id,
        known=", ".join(option.value for option in question.options),
    )


def open_questions(scored: Scored) -> tuple[Question, ...]:
    """Return the questions that still wait for an answer."""
    given = {question.id for question, _ in scored.answered}
    return tuple(item for item in scored.sheet.questions if item.id not in given)


def refuse_unused(scored: Scored) -> None:
    """Raise `UsageError` if an answer belongs to no question of this table."""
    if not scored.unused:
        return
    questions = [question.id for question, _ in scored.answered]
    questions += [question.id for question in open_questions(scored)]
    raise UsageError(
        N_("There is no question %(id)s here. The questions are: %(known)s."),
        id=scored.unused[0],
        known=", ".join(questions) or "-",
    )


def game_options(
    game: Game[Any, Any, Any, Any],
    written: Mapping[str, str],
    from_decks: Mapping[str, object] | None = None,
) -> Any:
    """Return the game's options; raise `UsageError` with the game's own words.

    What a person writes goes before what the decks on the table say.
    """
    told = {key: value_of(text) for key, text in written.items()}
    try:
        return game.options({**(from_decks or {}), **told})
    except OptionError as error:
        raise UsageError("%(reason)s", reason=str(error)) from error


def value_of(text: str) -> object:
    """Return what a person's text means: a truth, a whole number, or itself.

    >>> value_of("true"), value_of("3"), value_of("stop")
    (True, 3, 'stop')
    """
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return int(text)
    except ValueError:
        return text


@cache
def game_kit(game: str) -> Kit | None:
    """Return the kit that ships with a game, `None` where its cards are its owner's."""
    try:
        return load_kit(game)
    except (FileNotFoundError, KitError):
        return None


def _fits(question: Question, value: str) -> bool:
    return value in [option.value for option in question.options]
