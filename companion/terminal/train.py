"""`arbitro train`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from companion.errors import NotHereError
from companion.i18n import N_


def run_training(stage: str, arguments: Sequence[str]) -> None:
    """Hand the arguments to a stage of `vision.training`."""
    try:
        module = import_module(f"vision.training.{stage}")
        module.main(list(arguments))
    except ModuleNotFoundError as error:
        raise NotHereError(
            N_("Training needs the extra: pip install 'arbitro[train]' (%(module)s)."),
            module=str(error.name),
        ) from error
