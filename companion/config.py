"""Settings of the page, typed and with their units."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from companion.errors import ConfigError
from companion.sight import LoadPipeline, load_pipeline

ReaderOf: TypeAlias = Callable[..., tuple[Any, tuple[Any, ...]]]
"""Game, decks, board, copies -> what loads the eye, and the decks on the table."""

LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")


def default_folder() -> Path:
    """Return where this user's results are kept, or what ARBITRO_HOME names."""
    if home := os.environ.get("ARBITRO_HOME"):
        return Path(home)
    from platformdirs import user_data_path  # noqa: PLC0415 - only the page needs it

    return user_data_path("arbitro", appauthor=False)


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that `create_app` needs to know."""

    folder: Path = field(default_factory=default_folder)
    """Results and the key of the sessions; readable by this user only."""
    load_pipeline: LoadPipeline = load_pipeline
    reader: ReaderOf | None = None
    """What reads own decks and chips; `watching.readers` where nobody says."""
    trusted_hosts: tuple[str, ...] = LOOPBACK_HOSTS
    """Names under which the page may be called; others are refused (DNS rebinding)."""
    max_upload_bytes: int = 40_000_000
    picture_px: int = 2000
    """Long side of the picture that is kept and shown."""
    keep_s: float = 7 * 24 * 3600.0
    keep_count: int = 400
    at_once: int = 1
    """Pictures that are read at the same time."""
    reads_per_minute: int = 30
    """For one address."""
    changes_per_minute: int = 240
    """Answers and corrections of one address."""
    language: str = "en"
    """For browsers that ask for none that we speak."""
    camera_hosts: tuple[str, ...] = ()
    """Addresses of IP cameras that a table may be watched by; others are refused."""
    most_streams: int = 500
    """Phones that follow tables at the same time; each holds a thread of the server."""
    trusts_loopback: bool = False
    """Whoever opens the page on this very machine is its keeper; off behind a proxy,
    where everybody seems to be."""
    https_port: int = 0
    """Where the same pages are served over HTTPS; 0 where they are not."""
    source_url: str = ""
    """Where the running version's source is, if it differs from what is installed."""

    @property
    def certificates(self) -> Path:
        """Return the folder of our authority for HTTPS."""
        return self.folder / "certificates"

    def __post_init__(self) -> None:
        for name in ("max_upload_bytes", "picture_px", "keep_s", "keep_count"):
            if getattr(self, name) <= 0:
                raise ConfigError("%(name)s must be more than 0", name=name)
        for name in ("at_once", "reads_per_minute", "changes_per_minute"):
            if getattr(self, name) < 1:
                raise ConfigError("%(name)s must be 1 or more", name=name)
        if not self.trusted_hosts:
            raise ConfigError("trusted_hosts must name at least one host")
