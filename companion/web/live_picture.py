"""The last picture of a table: photographed, shown with its marks, put right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.corrections import AS_SEEN, FACE_DOWN, NO_CARD, correct, state_of
from companion.errors import UsageError
from companion.i18n import N_, say
from companion.labels import STANDARD_LABELS, CardFace, face
from companion.referee import game_kit
from companion.tables.eyes import Eye
from companion.web.live_guard import hall
from companion.web.live_view import Look
from companion.web.marks import STATES, marks_of
from companion.web.parts import parts, uploaded
from companion.web.record_view import MOST_CANDIDATES, box_around
from vision.types import Kind, Placement

SPECIAL = {"back": FACE_DOWN, "none": NO_CARD, "seen": AS_SEEN}


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture with what was seen in it."""

    width_px: int
    height_px: int
    marks: tuple[Any, ...]
    states: dict[str, str]
    version: str
    """Changes with the picture, so that no old one is shown from a cache."""


def photograph(look: Look) -> int:
    """Play the photo that was sent; return how many events that made."""
    data, name = uploaded()
    observation, jpeg = parts().sight.upload(
        data, name, decks=1, width_px=parts().config.picture_px
    )
    made = hall().eyes.of(look.table.id).see(observation, jpeg)
    hall().feeds.ring(look.table.id)
    return made


def shown_picture(look: Look) -> Shown | None:
    """Return the last picture of a table, `None` before the first."""
    eye = hall().eyes.find(look.table.id)
    if eye is None or eye.observation is None:
        return None
    kit = game_kit(look.table.game)
    observation = correct(eye.observation, eye.corrections)
    marks = marks_of(observation, eye.corrections, look.language, kit)
    return Shown(
        eye.observation.width_px,
        eye.observation.height_px,
        marks,
        {state: words for state, words in STATES.items() if _has(marks, state)},
        f"{eye.observation.frame}-{len(eye.jpeg)}",
    )


def choose_view(look: Look, id_: str) -> dict[str, Any]:
    """Return what `tables/choose.html` shows: the likely faces, then the whole kit."""
    eye, seen = _seen(look, id_)
    assert eye.observation is not None
    labels = _labels(look)
    kit = game_kit(look.table.game)
    suits: dict[str, list[CardFace]] = {}
    for label in labels:
        one = face(label, look.language, kit)
        suits.setdefault(one.suit, []).append(one)
    return {
        "table": look.table,
        "seen": seen,
        "now": eye.corrections.get(id_, state_of(seen)),
        "now_words": _words(eye.corrections.get(id_, state_of(seen)), look),
        "likely": [
            (face(label, look.language, kit), share)
            for label, share in seen.identity.candidates[:MOST_CANDIDATES]
            if label in labels
        ],
        "suits": suits,
        "is_fixed": id_ in eye.corrections,
        "box": box_around(eye.observation, (id_,)),
        "picture": eye.observation,
        "special": SPECIAL,
    }


def put_right(look: Look, id_: str, value: str) -> None:
    """Put a card of the last picture right."""
    eye, _ = _seen(look, id_)
    if value not in {*_labels(look), *SPECIAL.values()}:
        raise UsageError(N_("There is no such card in this game."))
    eye.correct(id_, value, look.standing.actor)
    hall().feeds.ring(look.table.id)


def _seen(look: Look, id_: str) -> tuple[Eye, Placement]:
    eye = hall().eyes.find(look.table.id)
    placements = (
        () if eye is None or not eye.observation else eye.observation.placements
    )
    for placement in placements:
        if placement.id == id_ and placement.kind in (Kind.CARD, Kind.BACK):
            assert eye is not None
            return eye, placement
    raise UsageError(N_("There is no such card in the picture."))


def _labels(look: Look) -> tuple[str, ...]:
    kit = game_kit(look.table.game)
    return tuple(item.label for item in kit.faces) if kit else STANDARD_LABELS


def _words(state: str, look: Look) -> str:
    special = {
        "": N_("unread"),
        FACE_DOWN: N_("face down"),
        NO_CARD: N_("no card"),
    }
    if state in special:
        return say(look.language, special[state])
    return face(state, look.language, game_kit(look.table.game)).short


def _has(marks: tuple[Any, ...], state: str) -> bool:
    return any(mark.state == state for mark in marks)
