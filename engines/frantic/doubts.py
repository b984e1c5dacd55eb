"""Cards that could not be read, and what a person answered about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from engines.core import FACE_DOWN, NO_CARD, Option, Question, Text, doubted
from engines.frantic.cards import PlayCard, copies
from engines.frantic.event import Event, events
from engines.frantic.snapshot import Seen
from engines.frantic.words import card_name, event_name


def card_question_id(seen: Seen) -> str:
    """Return the id of the question which card this is."""
    return f"card.{seen.id}"


def read_card(seen: Seen, answers: Mapping[str, str]) -> PlayCard | None:
    """Return the card, by sight or by answer, `None` while nobody knows it."""
    label = answers.get(card_question_id(seen), seen.label)
    if label is None or label not in copies(starred=True):
        return None
    return PlayCard(label)


def read_event(seen: Seen, answers: Mapping[str, str]) -> Event | None:
    """Return the event, by sight or by answer, `None` while nobody knows it."""
    label = answers.get(card_question_id(seen), seen.label)
    return next((event for event in Event if event == label), None)


def which_card(seen: Seen, *, starred: bool) -> Question:
    """Return the question which card this is, the likely ones first."""
    return _which(seen, card_options(starred=starred), "frantic.which_card")


def which_event(seen: Seen, *, starred: bool) -> Question:
    """Return the question which event this is, the likely ones first."""
    return _which(seen, event_options(starred=starred), "frantic.which_event")


def or_none(question: Question) -> Question:
    """Return the question which card it is that lies there, for a table that is
    followed: what could not be read may lie face down, or be no card."""
    return replace(
        question,
        options=(
            *question.options,
            Option(FACE_DOWN, Text.of("frantic.face_down")),
            Option(NO_CARD, Text.of("frantic.not_a_card")),
        ),
    )


def _which(seen: Seen, options: tuple[Option, ...], message: str) -> Question:
    rank = {label: at for at, label in enumerate(seen.candidates)}
    names = {option.value: option.text for option in options}
    likely = [names[label] for label in seen.candidates if label in names]
    likely_first = sorted(options, key=lambda o: rank.get(o.value, len(rank)))
    return Question(
        id=card_question_id(seen),
        to=None,
        text=doubted(Text.of(message), likely),
        options=tuple(likely_first),
        pieces=(seen.id,),
    )


@cache
def card_options(*, starred: bool) -> tuple[Option, ...]:
    """Return every face of the box as an option."""
    return tuple(Option(card, card_name(card)) for card in copies(starred=starred))


@cache
def event_options(*, starred: bool) -> tuple[Option, ...]:
    """Return every event of the box as an option."""
    return tuple(
        Option(event.value, event_name(event)) for event in events(starred=starred)
    )
