"""Regicide: cooperative, one to four players, 52 cards and two Jokers."""

from engines.core import Game
from engines.regicide.game import Regicide
from engines.regicide.moves import Move
from engines.regicide.options import Options
from engines.regicide.snapshot import Snapshot
from engines.regicide.state import State

__all__ = ["GAME"]

GAME: Game[State, Move, Snapshot, Options] = Regicide()
