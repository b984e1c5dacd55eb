"""What every answer and every request must have.

Threats and controls are listed in shared/ecosystem.md C2: forged requests, framing,
injected scripts, name rebinding, floods.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from flask import Flask, abort, request
from flask.typing import ResponseReturnValue
from flask.wrappers import Response
from flask_wtf import CSRFProtect

from companion.config import Config
from companion.web.parts import limiter

HEADERS = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' blob:",
            "connect-src 'self'",
            "manifest-src 'self'",
            "worker-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "geolocation=(), microphone=(), payment=(), usb=()",
}
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
KEY_BYTES = 32


def register_security(app: Flask, config: Config) -> CSRFProtect:
    """Add headers, limits and the refusal of forged requests."""
    del config  # limits are read from it per request
    limiter.init_app(app)

    @app.before_request
    def refuse_other_sites() -> ResponseReturnValue | None:
        # Browsers say where a request comes from; programs say nothing and may pass.
        came_from = request.headers.get("Sec-Fetch-Site", "none")
        if request.method not in SAFE_METHODS and came_from not in (
            "same-origin",
            "none",
        ):
            abort(403)
        return None

    @app.after_request
    def protect(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.endpoint != "static":
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    return CSRFProtect(app)


def session_key(folder: Path) -> bytes:
    """Return the key that signs cookies: made once, readable by this user only."""
    path = folder / "session.key"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_bytes()
        if len(key) == KEY_BYTES:
            return key
        path.unlink()
        return session_key(folder)
    with os.fdopen(handle, "wb") as file:
        key = secrets.token_bytes(KEY_BYTES)
        file.write(key)
    return key
