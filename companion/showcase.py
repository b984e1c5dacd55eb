"""The rendered tables that ship with Arbitro, for a first look without cards."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "demo"
GAME = "regicide"


@cache
def pictures() -> tuple[Path, ...]:
    """Return the pictures, by name."""
    return tuple(sorted(FOLDER.glob("*.jpg")))
