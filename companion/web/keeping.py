"""A picture becomes a result of its own: read, kept, and remembered by the phone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flask import redirect, session, url_for
from flask.typing import ResponseReturnValue

from companion.measure import is_measured
from companion.measure.errors import CannotMeasureError
from companion.tables.gear import Gear
from companion.web.looking import looking
from companion.web.parts import parts
from vision.types import TableNotFound

REMEMBERED = 6


@dataclass(frozen=True, slots=True)
class Wanted:
    """As what a picture is read."""

    game: str
    gear: Gear
    decks: int = 1
    options: Mapping[str, str] = field(default_factory=dict)


def keep_result(data: bytes, name: str, wanted: Wanted) -> ResponseReturnValue:
    """Read a picture and lead to its result.

    Raises `ImageError`, `BusyError`, and `CannotMeasureError` for a mat that cannot be
    measured.
    """
    game, gear = wanted.game, wanted.gear
    sight, _ = looking().at(game, gear)
    observation, picture = sight.upload(
        data, name, decks=wanted.decks, width_px=parts().config.picture_px
    )
    if is_measured(game) and isinstance(observation.table, TableNotFound):
        raise CannotMeasureError(observation.table.reason)
    record = parts().store.add(
        observation,
        picture,
        game=game,
        decks=wanted.decks,
        options=wanted.options,
        gear=gear.written() if gear != Gear() else "",
    )
    session["game"] = game
    mine = [id_ for id_ in session.get("recent", []) if isinstance(id_, str)]
    session["recent"] = [record.id, *mine][:REMEMBERED]
    session.permanent = True
    return redirect(url_for("results.show", id_=record.id), 303)
