"""Language and colours of the page: what the browser asks for, or what was chosen."""

from __future__ import annotations

from flask import Flask, request, session
from flask_babel import Babel, get_locale

from companion.config import Config
from companion.i18n import FOLDER, NAMES
from engines.core.text import LANGUAGES, number

THEMES = ("auto", "light", "dark")


def register_language(app: Flask, config: Config) -> None:
    """Let templates and views speak the language of whoever asks."""
    app.config.update(
        BABEL_DEFAULT_LOCALE=config.language,
        BABEL_TRANSLATION_DIRECTORIES=str(FOLDER),
    )

    def choose() -> str:
        chosen = session.get("language")
        if chosen in LANGUAGES:
            return str(chosen)
        offered = [config.language, *(x for x in LANGUAGES if x != config.language)]
        return request.accept_languages.best_match(offered) or config.language

    Babel(app, locale_selector=choose)
    app.context_processor(
        lambda: {
            "language": language(),
            "languages": NAMES,
            "theme": theme(),
            "themes": THEMES,
        }
    )


def language() -> str:
    """Return the language of this request."""
    locale = get_locale()
    return locale.language if locale is not None else "en"


def decimal(value: float, places: int) -> str:
    """Return a number with so many decimal places, in the language of this request."""
    return number(value, places).render(language())


def theme() -> str:
    """Return the colours that were chosen, ``auto`` by default."""
    chosen = session.get("theme", "auto")
    return chosen if chosen in THEMES else "auto"
