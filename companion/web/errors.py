"""One handler for every error, one shape of it in JSON, one page for people."""

from __future__ import annotations

from flask import Flask, Response, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, SecurityError

from companion.failure import Failure, failure_of
from companion.i18n import N_, say
from companion.report import error_json
from companion.web.language import language

SENTENCES = {
    400: N_("The request could not be understood. Open the page again."),
    403: N_("This page was open too long, or the request came from elsewhere."),
    404: N_("There is no such page."),
    405: N_("This address does not take such a request."),
    413: N_("The picture is too large to send. Choose a smaller one."),
    415: N_("This kind of request is not taken here."),
    429: N_("Too many requests in a short time. Wait a moment and try again."),
}


def register_errors(app: Flask) -> None:
    """Answer every error of every view."""
    app.register_error_handler(Exception, answer_error)


def answer_error(error: Exception) -> ResponseReturnValue:
    """Return the page or the JSON that says what went wrong."""
    if isinstance(error, SecurityError):
        # No address of ours may be told under a foreign name, so no page either.
        sentence = say(language(), N_("This page does not answer under this name."))
        return Response(sentence, 400, content_type="text/plain; charset=utf-8")
    failure = http_failure(error) or failure_of(error, language())
    if wants_json():
        source = next(iter(_sent_names()), "")
        return error_json(source, failure.code, failure.sentence), failure.http_status
    return render_template("error.html", failure=failure), failure.http_status


def http_failure(error: Exception) -> Failure | None:
    """Return what is told about an error of HTTP itself."""
    if not isinstance(error, HTTPException):
        return None
    status = error.code or 500
    message = SENTENCES.get(status)
    if message is None:
        message = N_("The server could not answer (%(status)s).")
    code = error.name.lower().replace(" ", "_")
    return Failure(say(language(), message, status=status), code, status)


def wants_json() -> bool:
    """Return whether a program asks: the API, or a client that prefers JSON."""
    accepted = request.accept_mimetypes
    return request.path.startswith("/api/") or (
        accepted.accept_json and not accepted.accept_html
    )


def _sent_names() -> list[str]:
    # After an error in parsing the body there are no files to ask for.
    try:
        return [file.filename or "" for file in request.files.getlist("photo")]
    except HTTPException:
        return []
