"""What every event is: a function from the state and its cause to the next state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from engines.frantic.state import Cause, State

Effect: TypeAlias = Callable[[State, Cause], State]
