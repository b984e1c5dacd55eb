"""What all games share: values, notation, rulings. Knows no game."""

from engines.core.canonical import canonical, plain
from engines.core.card import JOKER, STANDARD_52, Card, Rank, Suit
from engines.core.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    KitError,
    NotationError,
    OptionError,
    RulesError,
    UnknownGameError,
)
from engines.core.game import Game, Replay, play, replay
from engines.core.kit import Face, Kit, load_kit, parse_kit, surplus
from engines.core.piece import Kind, Piece, PieceId
from engines.core.ruling import (
    CLEAR_SIGMAS,
    Evidence,
    Finding,
    Margin,
    Objection,
    Option,
    Outcome,
    Question,
    RuleRef,
    Ruling,
    Seat,
    Verdict,
)
from engines.core.sheet import Cell, Row, Scalar, Sheet
from engines.core.text import (
    DEFAULT_LANGUAGE,
    LANGUAGES,
    Text,
    doubted,
    message_ids,
)

__all__ = [
    "CLEAR_SIGMAS",
    "DEFAULT_LANGUAGE",
    "JOKER",
    "LANGUAGES",
    "STANDARD_52",
    "AmbiguousMoveError",
    "Card",
    "Cell",
    "Evidence",
    "Face",
    "Finding",
    "Game",
    "IllegalMoveError",
    "Kind",
    "Kit",
    "KitError",
    "Margin",
    "NotationError",
    "Objection",
    "Option",
    "OptionError",
    "Outcome",
    "Piece",
    "PieceId",
    "Question",
    "Rank",
    "Replay",
    "Row",
    "RuleRef",
    "RulesError",
    "Ruling",
    "Scalar",
    "Seat",
    "Sheet",
    "Suit",
    "Text",
    "UnknownGameError",
    "Verdict",
    "canonical",
    "doubted",
    "load_kit",
    "message_ids",
    "parse_kit",
    "plain",
    "play",
    "replay",
    "surplus",
]
