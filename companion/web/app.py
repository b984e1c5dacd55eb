"""One Flask application from one `Config`."""

from __future__ import annotations

from pathlib import Path

from flask import Flask, request
from flask.json.provider import DefaultJSONProvider

from companion.about import our_version
from companion.config import Config
from companion.labels import as_glyphs, capital, clock
from companion.sight import Sight
from companion.store import Store
from companion.tables.gear import deck_name, shelves
from companion.tables.story import named
from companion.web import (
    api,
    camera,
    chips,
    decks,
    kits,
    lenses,
    live_hall,
    live_moments,
    live_watch,
    mats,
    openapi,
    pages,
    results,
    setup,
)
from companion.web.errors import register_errors
from companion.web.language import decimal, language, register_language
from companion.web.live_guard import register_guard
from companion.web.markdown import anchor
from companion.web.parts import Parts
from companion.web.rulings import written
from companion.web.security import register_security, session_key
from engines.core.house import house_rulings

PACKAGE = Path(__file__).resolve().parent.parent


def create_app(config: Config | None = None) -> Flask:
    """Return the application; it writes to `config.folder` only."""
    config = config or Config()
    config.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    app = Flask(
        "companion",
        template_folder="templates",
        static_folder="static",
        root_path=str(PACKAGE),
    )
    app.config.update(
        SECRET_KEY=session_key(config.folder),
        TRUSTED_HOSTS=list(config.trusted_hosts),
        MAX_CONTENT_LENGTH=config.max_upload_bytes,
        MAX_FORM_MEMORY_SIZE=200_000,
        MAX_FORM_PARTS=40,
        SESSION_COOKIE_NAME="arbitro",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SEND_FILE_MAX_AGE_DEFAULT=3600,
        WTF_CSRF_TIME_LIMIT=None,
        RATELIMIT_STORAGE_URI="memory://",
        RATELIMIT_HEADERS_ENABLED=True,
    )
    if isinstance(app.json, DefaultJSONProvider):
        # As the command line writes it: keys in their order, letters as letters.
        app.json.sort_keys = app.json.ensure_ascii = False
    app.extensions["arbitro"] = Parts(
        config=config,
        store=Store(
            config.folder / "tables",
            keep_s=config.keep_s,
            keep_count=config.keep_count,
        ),
        sight=Sight(config.load_pipeline, at_once=config.at_once),
    )
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.globals.update(
        version=our_version(),
        gear_shelves=shelves,
        house_rulings=house_rulings,
        written=written,
    )
    app.jinja_env.filters.update(
        glyph=as_glyphs,
        capital=capital,
        anchor=anchor,
        clock=clock,
        named=named,
        decimal=decimal,
        deck_name=lambda name: deck_name(name, language()),
    )
    register_language(app, config)
    register_errors(app)
    csrf = register_security(app, config)
    register_guard(app)

    @app.teardown_request
    def close_uploads(_: BaseException | None) -> None:
        request.close()  # large ones lie in temporary files

    app.register_blueprint(pages.blueprint)
    app.register_blueprint(results.blueprint)
    app.register_blueprint(camera.blueprint)
    app.register_blueprint(setup.blueprint)
    app.register_blueprint(mats.blueprint)
    app.register_blueprint(decks.blueprint)
    app.register_blueprint(lenses.blueprint)
    app.register_blueprint(kits.blueprint)
    app.register_blueprint(chips.blueprint)
    app.register_blueprint(live_hall.blueprint)
    app.register_blueprint(live_moments.blueprint)  # that of `live`, with its moments
    app.register_blueprint(live_watch.blueprint)
    app.register_blueprint(openapi.blueprint)
    app.register_blueprint(api.blueprint)
    csrf.exempt(api.blueprint)  # no cookie is read there, and other sites are refused
    return app
