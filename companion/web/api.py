"""The API: a picture goes in, the JSON of the command line comes out.

POST /api/read and /api/score, multipart, the picture in the field `photo`; further
fields `decks`, `language`, `game`, `deck`, `mat`, `kit`, `camera`, and for `score`
`option.<key>` and `answer.<id>`.
Nothing is kept.
"""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from companion.decks.roles import deck_options
from companion.decoding import decode_apart
from companion.measure import is_measured
from companion.referee import Reading, Terms, game_options, read, refuse_unused, score
from companion.report import Json, read_json, score_json
from companion.tables.gear import Gear, chosen_gear
from companion.tables.rights import Act
from companion.web.language import language
from companion.web.live_guard import needs
from companion.web.looking import looking
from companion.web.parts import decks_asked, limiter, parts, read_limit, uploaded
from engines import load_game
from engines.core.text import LANGUAGES

blueprint = Blueprint("api", __name__, url_prefix="/api")
limiter.limit(read_limit)(blueprint)


@blueprint.post("/read")
@needs(Act.PHOTO)
def read_picture() -> ResponseReturnValue:
    """Return the document of `arbitro read`."""
    game = request.form.get("game", "")
    return jsonify(read_json(_reading(game, _gear(game)), _language()))


@blueprint.post("/score")
@needs(Act.PHOTO)
def score_picture() -> ResponseReturnValue:
    """Return the document of `arbitro score`; of a mat with what lies near its lines.

    Decks, mat, kit and lens are named by `deck` (once for each player), `mat`, `kit`
    and `camera`, as on the page.
    """
    game, form = request.form.get("game", ""), request.form
    gear = _gear(game)
    terms = Terms(game, _prefixed("option."), _prefixed("answer."))
    if is_measured(game):
        return jsonify(_board(terms, gear))
    terms = replace(terms, decks=looking().at(game, gear)[1])
    written = deck_options(game, terms.decks)
    game_options(load_game(game), terms.options, written)
    scored = score(_reading(form.get("game", ""), gear), terms)
    refuse_unused(scored)
    return jsonify(score_json(scored, _language()))


def _gear(game: str) -> Gear:
    return chosen_gear(game, request.form.getlist("deck"), request.form)


def _reading(game: str, gear: Gear) -> Reading:
    data, name = uploaded()
    decks = decks_asked()
    sight, _ = looking().at(game, gear)
    observation, _ = sight.upload(
        data, name, decks=decks, width_px=parts().config.picture_px
    )
    return read(observation, decks=decks)


def _board(terms: Terms, gear: Gear) -> Json:
    from companion.measure.report import board_json  # noqa: PLC0415 - slow to import
    from companion.measure.score import (  # noqa: PLC0415 - as above
        board_options,
        measure,
        score_board,
    )

    data, name = uploaded()
    setup = looking().board(gear)
    board_options(setup, terms.options)
    with parts().sight.turn():
        board = measure(decode_apart(data, name), setup)
    scored = score_board(board, terms)
    refuse_unused(scored.scored)
    return board_json(scored, _language())


def _language() -> str:
    asked = request.form.get("language", "")
    return asked if asked in LANGUAGES else language()


def _prefixed(prefix: str) -> dict[str, str]:
    return {
        key.removeprefix(prefix): value
        for key, value in request.form.items()
        if key.startswith(prefix)
    }
