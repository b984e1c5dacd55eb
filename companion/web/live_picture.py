"""The last picture of a table: photographed, shown with its marks, put right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.corrections import (
    AS_SEEN,
    FACE_DOWN,
    NO_CARD,
    SAID,
    correct,
    state_of,
)
from companion.errors import UsageError
from companion.i18n import N_, say
from companion.labels import STANDARD_LABELS, CardFace, face
from companion.measure import is_measured
from companion.measure.errors import CannotMeasureError
from companion.referee import game_kit
from companion.web.live_guard import hall
from companion.web.live_view import Look, options_of
from companion.web.live_watch import watch_version, watches
from companion.web.looking import looking
from companion.web.marks import STATES, marks_of
from companion.web.parts import parts, uploaded
from companion.web.record_view import MOST_CANDIDATES, box_around
from engines.core import Kit
from vision.types import Kind, Observation, Placement, TableNotFound

SPECIAL = {**SAID, "seen": AS_SEEN}


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture with what was seen in it."""

    width_px: int
    height_px: int
    marks: tuple[Any, ...]
    states: dict[str, str]
    version: str
    """Changes with the picture, so that no old one is shown from a cache."""
    is_aligned: bool = True
    has_chips: bool = False


@dataclass(frozen=True, slots=True)
class SeenNow:
    """What was last seen of a table, by photo or by a camera that watches."""

    observation: Observation
    """As it was read."""
    corrections: Mapping[str, str]
    jpeg: bytes
    version: str
    is_watched: bool = False
    is_aligned: bool = True
    """The marks fit the picture; else they show where the table was."""


def seen_now(table_id: str) -> SeenNow | None:
    """Return what was last seen of a table, `None` before the first picture."""
    if watch_version(table_id):
        shown = watches().shown(table_id)
        if shown is not None and shown.observation is not None:
            version = f"w{shown.version}-{len(shown.jpeg)}"
            return SeenNow(
                shown.observation,
                shown.corrections,
                shown.jpeg,
                version,
                is_watched=True,
                is_aligned=shown.is_aligned,
            )
    eye = hall().eyes.find(table_id)
    if eye is None or eye.observation is None:
        return None
    version = f"{eye.observation.frame}-{len(eye.jpeg)}"
    return SeenNow(eye.observation, eye.corrections, eye.jpeg, version)


def photograph(look: Look) -> int:
    """Play the photo that was sent; return how many events that made."""
    data, name = uploaded()
    gear = hall().seats.gear(look.table.id)
    sight, decks = looking().at(look.table.game, gear)
    observation, jpeg = sight.upload(
        data, name, decks=gear.copies, width_px=parts().config.picture_px
    )
    if is_measured(look.table.game) and isinstance(observation.table, TableNotFound):
        raise CannotMeasureError(observation.table.reason)
    made = hall().eyes.of(look.table.id, decks).see(observation, jpeg)
    hall().feeds.ring(look.table.id)
    hall().feeds.shake(look.table.id)
    return made


def shown_picture(look: Look) -> Shown | None:
    """Return the last picture of a table, `None` before the first."""
    now = seen_now(look.table.id)
    if now is None:
        return None
    kit = kit_of(look)
    # What is not there is drawn too, so that it can be put back.
    said = {k: v for k, v in now.corrections.items() if v != NO_CARD}
    observation = correct(now.observation, said)
    chips = _chip_names(look, kit)
    marks = marks_of(observation, now.corrections, look.language, kit, chips)
    return Shown(
        observation.width_px,
        observation.height_px,
        marks,
        {state: words for state, words in STATES.items() if _has(marks, state)},
        now.version,
        now.is_aligned,
        bool(chips),
    )


def choose_view(look: Look, id_: str) -> dict[str, Any]:
    """Return what `tables/choose.html` shows: the likely faces, then the whole kit."""
    now, seen = _seen(look, id_)
    state = now.corrections.get(id_, state_of(seen))
    labels = _labels(look)
    kit = kit_of(look)
    suits: dict[str, list[CardFace]] = {}
    for label in labels:
        one = face(label, look.language, kit)
        suits.setdefault(one.suit, []).append(one)
    special = _special(look)
    return {
        "table": look.table,
        "seen": seen,
        "now": state,
        "now_words": _words(state, look),
        "likely": [
            (face(label, look.language, kit), share)
            for label, share in seen.identity.candidates[:MOST_CANDIDATES]
            if label in labels
        ],
        "suits": suits,
        "is_fixed": id_ in now.corrections,
        "box": box_around(now.observation, (id_,)),
        "picture": now.observation,
        "version": now.version,
        "special": special,
        "is_chip": is_measured(look.table.game),
    }


def put_right(look: Look, id_: str, value: str) -> None:
    """Put a card of the last picture right."""
    now, _ = _seen(look, id_)
    if value not in {*_labels(look), *_special(look).values()}:
        raise UsageError(N_("There is no such card in this game."))
    if now.is_watched:
        watches().put_right(look.table.id, id_, value, look.standing.actor)
    else:
        hall().eyes.of(look.table.id).correct(id_, value, look.standing.actor)
    hall().feeds.ring(look.table.id)
    hall().feeds.shake(look.table.id)


def _seen(look: Look, id_: str) -> tuple[SeenNow, Placement]:
    now = seen_now(look.table.id)
    is_board = is_measured(look.table.game)
    kinds = {Kind.DISC} if is_board else {Kind.CARD, Kind.BACK}
    for placement in now.observation.placements if now else ():
        if placement.id == id_ and placement.kind in kinds:
            assert now is not None
            return now, placement
    raise UsageError(N_("There is no such card in the picture."))


def _special(look: Look) -> Mapping[str, str]:
    """Return what a piece may be beside its faces; chips have two alike."""
    is_board = is_measured(look.table.game)
    return {k: v for k, v in SPECIAL.items() if k != "back" or not is_board}


def _labels(look: Look) -> tuple[str, ...]:
    kit = kit_of(look)
    return tuple(item.label for item in kit.faces) if kit else STANDARD_LABELS


def kit_of(look: Look) -> Kit | None:
    """Return what may lie on this table: for chips the kit that the table came with."""
    if is_measured(look.table.game):
        kit: Kit = options_of(look.table).kit.kit
        return kit
    return game_kit(look.table.game)


def _chip_names(look: Look, kit: Kit | None) -> Mapping[str, str]:
    if kit is None or not is_measured(look.table.game):
        return {}
    return {one.label: one.name(look.language) for one in kit.faces}


def _words(state: str, look: Look) -> str:
    special = {
        "": N_("unread"),
        FACE_DOWN: N_("face down"),
        NO_CARD: N_("no card"),
    }
    if state in special:
        return say(look.language, special[state])
    return face(state, look.language, kit_of(look)).short


def _has(marks: tuple[Any, ...], state: str) -> bool:
    return any(mark.state == state for mark in marks)
