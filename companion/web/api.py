"""The API: a picture goes in, the JSON of the command line comes out.

POST /api/read and /api/score, multipart, the picture in the field `photo`; further
fields `decks`, `language`, and for `score` `game`, `option.<key>`, `answer.<id>`.
Nothing is kept.
"""

from __future__ import annotations

from flask import Blueprint, jsonify, request
from flask.typing import ResponseReturnValue

from companion.referee import Reading, Terms, game_options, read, refuse_unused, score
from companion.report import read_json, score_json
from companion.tables.rights import Act
from companion.web.language import language
from companion.web.live_guard import needs
from companion.web.parts import decks_asked, limiter, parts, read_limit, uploaded
from engines import load_game
from engines.core.text import LANGUAGES

blueprint = Blueprint("api", __name__, url_prefix="/api")
limiter.limit(read_limit)(blueprint)


@blueprint.post("/read")
@needs(Act.PHOTO)
def read_picture() -> ResponseReturnValue:
    """Return the document of `arbitro read`."""
    return jsonify(read_json(_reading(), _language()))


@blueprint.post("/score")
@needs(Act.PHOTO)
def score_picture() -> ResponseReturnValue:
    """Return the document of `arbitro score`."""
    terms = Terms(
        request.form.get("game", ""), _prefixed("option."), _prefixed("answer.")
    )
    game_options(load_game(terms.game), terms.options)
    scored = score(_reading(), terms)
    refuse_unused(scored)
    return jsonify(score_json(scored, _language()))


def _reading() -> Reading:
    data, name = uploaded()
    decks = decks_asked()
    sight, config = parts().sight, parts().config
    observation, _ = sight.upload(data, name, decks=decks, width_px=config.picture_px)
    return read(observation, decks=decks)


def _language() -> str:
    asked = request.form.get("language", "")
    return asked if asked in LANGUAGES else language()


def _prefixed(prefix: str) -> dict[str, str]:
    return {
        key.removeprefix(prefix): value
        for key, value in request.form.items()
        if key.startswith(prefix)
    }
