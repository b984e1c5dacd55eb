"""The page and its API: `create_app` builds it, nothing happens at import."""

from companion.web.app import create_app

__all__ = ["create_app"]
