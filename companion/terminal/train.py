"""`arbitro train`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from companion.errors import NotHereError
from companion.i18n import N_


def run_training(arguments: Sequence[str]) -> int:
    """Hand the arguments to `vision.training`; return its exit code."""
    if find_spec("ultralytics") is None:
        raise NotHereError(
            N_("Training needs the extra: pip install 'arbitro[train]' (about 6 GB).")
        )
    from vision.training import main  # noqa: PLC0415 - needs torch

    return main(list(arguments))
