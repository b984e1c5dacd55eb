"""Every error that may reach a person, as one sentence, one code, one status.

The terminal, the page and the API all ask here, so that they say the same.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from companion.errors import CompanionError, UsageError
from companion.i18n import N_, say
from companion.sentences import image_sentence
from engines import game_names
from engines.core import RulesError, UnknownGameError
from vision.errors import ImageError, VisionError

logger = logging.getLogger(__name__)

COULD_NOT, WRONG_USE = 1, 2

IMAGE_STATUS = {
    "missing": 400,
    "empty": 400,
    "too_large": 413,
    "not_an_image": 415,
    "format": 415,
    "too_small": 422,
    "broken": 422,
    "unopened": 422,
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What is told about an error."""

    sentence: str
    code: str
    http_status: int
    exit_code: int = COULD_NOT


def failure_of(error: Exception, language: str) -> Failure:
    """Return what people are told; an error that nobody foresaw is logged whole."""
    match error:
        case ImageError():
            status = IMAGE_STATUS.get(error.code, 422)
            return Failure(image_sentence(error.code, language), error.code, status)
        case CompanionError():
            sentence = say(language, error.message, **error.values)
            exit_code = WRONG_USE if isinstance(error, UsageError) else COULD_NOT
            return Failure(sentence, error.code, error.http_status, exit_code)
        case UnknownGameError():
            sentence = say(
                language,
                N_("There is no such game. Arbitro knows: %(known)s."),
                known=", ".join(game_names()),
            )
            return Failure(sentence, "unknown_game", 404, WRONG_USE)
        case RulesError() | VisionError():
            return Failure(str(error), "refused", 422)
        case OSError():
            return Failure(_file_error(error, language), "file", 500)
        case _:
            logger.exception("unforeseen error", exc_info=error)
            kind = type(error).__name__
            sentence = say(
                language,
                N_("Something went wrong that should not (%(kind)s)."),
                kind=kind,
            )
            return Failure(sentence, "internal", 500)


def _file_error(error: OSError, language: str) -> str:
    return say(
        language,
        N_("%(file)s: %(reason)s"),
        file=str(error.filename or "-"),
        reason=error.strerror or type(error).__name__,
    )
