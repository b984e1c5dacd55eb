"""A record as the templates need it: scored, worded, with parts of the picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from companion.corrections import FACE_DOWN, NO_CARD, Change, state_of
from companion.figures import blocks_of, spoken_score
from companion.i18n import N_, say
from companion.labels import STANDARD_LABELS, CardFace, capital, face
from companion.measure import is_measured
from companion.referee import Scored, Terms, game_kit, open_questions, read, score
from companion.sentences import finding_sentence, table_sentence
from companion.store import Decision, Record
from companion.tables.gear import read_gear
from companion.web.board_view import chip_face, chip_names, closeups, scored_board
from companion.web.looking import looking
from companion.web.markdown import anchor, section_html
from companion.web.marks import STATES, Mark, marks_of, svg_points
from companion.web.rulings import agreed
from companion.web.terms import choice_of
from engines.core import Ruling, number
from vision.types import Observation, Placement, TableFound

MOST_CANDIDATES = 6


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the picture."""

    x: float
    y: float
    width: float
    height: float
    outlines: tuple[str, ...]
    """The quads that it is about, as SVG wants them."""


def scored_of(record: Record) -> Scored:
    """Return the score of a record as it stands now."""
    if is_measured(record.game):
        return scored_board(record).scored
    reading = read(record.observation, record.corrections, decks=record.decks)
    _, decks = looking().at(record.game, read_gear(record.gear))
    terms = Terms(record.game, record.chosen_options, record.answers, decks)
    # An answer may no longer fit what was put right since: it is left out.
    return score(reading, terms, strict=False)


def result_view(record: Record, language: str, keep_s: float) -> dict[str, Any]:
    """Return what `result.html` shows."""
    board = scored_board(record) if is_measured(record.game) else None
    scored = scored_of(record) if board is None else board.scored
    kit = game_kit(record.game)
    observation = scored.reading.observation
    blocks = blocks_of(scored.sheet, language, kit)
    questions = open_questions(scored)
    chips = {} if board is None else chip_names(record, language)
    marks = marks_of(observation, record.corrections, language, kit, chips)
    return {
        "record": record,
        "scored": scored,
        "choice": choice_of(record.game),
        "options": record.chosen_options,
        "agreed": agreed(record.game, record.chosen_options),
        "blocks": blocks,
        "cited": cited(record.game, scored.sheet.rulings, language),
        "spoken": spoken_score(blocks, language),
        "warnings": warnings_of(scored, language),
        "questions": questions,
        "crops": {q.id: box_around(record.observation, q.pieces) for q in questions},
        "marks": marks,
        "closeups": () if board is None else closeups(board, language),
        "hand": in_hand(marks, record),
        "states": STATES,
        "changes": changes_of(record),
        "is_chip": board is not None,
        "decisions": decisions_of(record, scored, language),
        "anchor": anchor,
        "table": table_words(observation, language),
        "spent_ms": sum(spent for _, spent in observation.timings_ms),
        "days": max(1, round(keep_s / 86_400)),
        "shown_state": lambda state: state_words(state, record, language),
        "card_of": lambda value: card_of(value, record, language),
    }


def decisions_of(
    record: Record, scored: Scored, language: str
) -> tuple[tuple[Decision, str], ...]:
    """Return what referees decided, each with what it is about, in words."""
    claims = {str(item.claim): item.claim for item in scored.sheet.rulings}

    def words(about: str) -> str:
        if not about:
            return say(language, N_("the whole picture"))
        return claims[about].render(language) if about in claims else about

    return tuple((one, capital(words(one.about))) for one in record.decisions)


def in_hand(marks: Iterable[Mark], record: Record) -> tuple[Mark, ...]:
    """Return the cards in the order of the deck; unread ones first, backs last."""
    order = {label: place for place, label in enumerate(labels_of(record))}

    def place(mark: Mark) -> tuple[int, int]:
        group = {"unread": 0, "back": 2}.get(mark.state, 1)
        return group, order.get(mark.label, -1)

    return tuple(sorted((mark for mark in marks if mark.is_card), key=place))


def choose_view(record: Record, seen: Placement, language: str) -> dict[str, Any]:
    """Return what `choose.html` shows."""
    return {
        "record": record,
        "seen": seen,
        "now": record.corrections.get(seen.id, state_of(seen)),
        "likely": likely_faces(seen, record, language),
        "suits": faces_by_suit(record, language),
        "is_fixed": seen.id in record.corrections,
        "box": box_around(record.observation, (seen.id,)),
        "is_chip": is_measured(record.game),
        "shown_state": lambda state: state_words(state, record, language),
    }


def cited(
    game: str, rulings: Iterable[Ruling], language: str
) -> list[tuple[str, Markup]]:
    """Return every rule that rulings rest on: its number, and what it says."""
    numbers: dict[str, None] = {}

    def gather(ruling: Ruling) -> None:
        numbers.setdefault(str(ruling.rule.number))
        for ground in ruling.grounds:
            gather(ground)

    for ruling in rulings:
        gather(ruling)
    said = ((number, section_html(game, number, language)) for number in numbers)
    return [(number, text) for number, text in said if text]


def warnings_of(scored: Scored, language: str) -> tuple[str, ...]:
    """Return what vision and the game noticed, each thing once."""
    game, kit = scored.sheet.findings, game_kit(scored.terms.game)
    # The game says of its own deck what vision says of any, and asks what is unread.
    told = {piece for finding in game for piece in finding.pieces}
    asked = {piece for question in open_questions(scored) for piece in question.pieces}
    covered = {"duplicate": told, "unread": asked}
    sentences = [
        finding_sentence(finding, language, kit)
        for finding in scored.reading.findings
        if not finding.placements
        or not set(finding.placements) <= covered.get(finding.code, set())
    ]
    sentences += [capital(finding.text.render(language)) for finding in game]
    return tuple(dict.fromkeys(sentences))


def changes_of(record: Record) -> tuple[Change, ...]:
    """Return the corrections that hold, in the order in which they were made."""
    seen = {placement.id: placement for placement in record.observation.placements}
    return tuple(
        Change(id_, state_of(seen[id_]), now)
        for id_, now in record.corrections.items()
        if id_ in seen
    )


def state_words(state: str, record: Record, language: str) -> str:
    """Return what a card is taken for, in words."""
    special = {
        "": N_("unread"),
        FACE_DOWN: N_("face down"),
        NO_CARD: N_("no card"),
    }
    if state in special:
        return say(language, special[state])
    return face_of(state, record, language).short


def face_of(label: str, record: Record, language: str) -> CardFace:
    """Return how a card or chip of a record is shown."""
    if is_measured(record.game):
        return chip_face(label, chip_names(record, language))
    return face(label, language, game_kit(record.game))


def card_of(value: str, record: Record, language: str) -> CardFace | None:
    """Return the face if the value of an option is a card, for a button like one."""
    if value not in labels_of(record):
        return None
    return face_of(value, record, language)


def table_words(observation: Observation, language: str) -> str:
    """Return what the millimetres rest on."""
    table = observation.table
    if isinstance(table, TableFound):
        residual = number(table.residual_mm, 1)
        return say(language, N_("measured, residual %(mm)s mm"), mm=residual)
    reason = table_sentence(table.reason, language)
    return say(language, N_("not measured: %(reason)s"), reason=reason)


def labels_of(record: Record) -> tuple[str, ...]:
    """Return every label of the game's kit, or of the standard deck."""
    if is_measured(record.game):
        return tuple(chip_names(record, "en"))
    kit = game_kit(record.game)
    return tuple(item.label for item in kit.faces) if kit else STANDARD_LABELS


def likely_faces(
    seen: Placement, record: Record, language: str
) -> tuple[tuple[CardFace, float], ...]:
    """Return the first candidates with their probability."""
    labels = set(labels_of(record))
    return tuple(
        (face_of(label, record, language), share)
        for label, share in seen.identity.candidates[:MOST_CANDIDATES]
        if label in labels
    )


def faces_by_suit(record: Record, language: str) -> dict[str, list[CardFace]]:
    """Return all faces of the kit, by suit."""
    suits: dict[str, list[CardFace]] = {}
    for label in labels_of(record):
        shown = face_of(label, record, language)
        suits.setdefault(shown.suit, []).append(shown)
    return suits


def box_around(observation: Observation, ids: Iterable[str]) -> Box | None:
    """Return the part of the picture that holds these placements, with some room."""
    wanted = set(ids)
    quads = [p.quad_px for p in observation.placements if p.id in wanted]
    if not quads:
        return None
    xs, ys = zip(*(point for quad in quads for point in quad), strict=True)
    room = 0.15 * max(max(xs) - min(xs), max(ys) - min(ys))
    left, top = max(min(xs) - room, 0.0), max(min(ys) - room, 0.0)
    right = min(max(xs) + room, observation.width_px)
    bottom = min(max(ys) + room, observation.height_px)
    return Box(
        left,
        top,
        max(right - left, 1.0),
        max(bottom - top, 1.0),
        outlines=tuple(svg_points(quad) for quad in quads),
    )
