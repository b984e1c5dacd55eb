"""The only place that decides where log lines go."""

from __future__ import annotations

import logging


def log_to_terminal(*, verbose: bool = False) -> None:
    """Send log lines to the standard error stream."""
    logging.basicConfig(
        level=logging.DEBUG if verbose else logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
