"""The play cards and their labels: ``R5``, ``K5``, ``B-skip``, ``RG-swap``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import combinations
from typing import TypeAlias

from engines.core import Kit, NotationError, load_kit


class Colour(StrEnum):
    """The four colours; black is none of them."""

    RED = "R"
    GREEN = "G"
    BLUE = "B"
    YELLOW = "Y"


class Special(StrEnum):
    """What a card shows that is not a number."""

    SECOND_CHANCE = "second-chance"
    SWAP = "swap"
    EXCHANGE = "exchange"
    GIFT = "gift"
    SKIP = "skip"
    THIEF = "thief"
    TROUBLEMAKER = "troublemaker"
    FANTASTIC = "fantastic"
    FOUR = "fantastic-four"
    COUNTERATTACK = "counterattack"
    EQUALITY = "equality"
    INEQUALITY = "inequality"
    LUCKY = "lucky-bastard"
    NICE_TRY = "nice-try"
    FAVOURS = "special-favours"
    CURSE = "curse"
    FY = "fy"
    MIMICRY = "mimicry"


ONE_COLOUR = (
    Special.SECOND_CHANCE,
    Special.EXCHANGE,
    Special.GIFT,
    Special.SKIP,
    Special.THIEF,
    Special.TROUBLEMAKER,
)
STARRED = frozenset(
    {
        Special.SWAP,
        Special.THIEF,
        Special.TROUBLEMAKER,
        Special.INEQUALITY,
        Special.LUCKY,
        Special.FAVOURS,
        Special.CURSE,
        Special.MIMICRY,
    }
)
NUMBERS = range(1, 10)
BLACK_LETTER = "K"
NEUTRAL_LETTER = "N"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is printed on one face."""

    colours: tuple[Colour, ...] = ()
    number: int | None = None
    special: Special | None = None


class PlayCard(str):
    """The label of a face, or ``?`` for a card that nobody has shown.

    The spellings of the rules file, ``B:skip`` and ``*:fy``, are read as well.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> PlayCard:
        """Return the card; raise `NotationError` for what is no face of the kit."""
        label = text.replace(":", "-").replace("*", NEUTRAL_LETTER)
        label = _TURNED.get(label, label)
        if label not in FACTS:
            raise NotationError(
                f"not a card of Frantic: {text!r}",
                expected="a card such as R5, K5, B-skip, RG-swap or N-fantastic",
            )
        return super().__new__(cls, label)

    @property
    def colours(self) -> tuple[Colour, ...]:
        """Return no colour, one, or the two of a Colour Swap."""
        return FACTS[self].colours

    @property
    def number(self) -> int | None:
        """Return the number of a number card."""
        return FACTS[self].number

    @property
    def special(self) -> Special | None:
        """Return the symbol of a special card."""
        return FACTS[self].special

    @property
    def is_known(self) -> bool:
        """Return whether this is a face, not ``?``."""
        return self != "?"

    @property
    def is_black(self) -> bool:
        """Return whether this is a black number."""
        return self.number is not None and not self.colours

    @property
    def is_neutral(self) -> bool:
        """Return whether this is a special card without a colour."""
        return self.special is not None and not self.colours

    @property
    def is_starred(self) -> bool:
        """Return whether the card belongs to the starred ones."""
        return self.special in STARRED


Hand: TypeAlias = tuple[PlayCard, ...]


def _facts() -> dict[str, Facts]:
    facts = {"?": Facts()}
    for colour in Colour:
        facts |= {f"{colour}{n}": Facts((colour,), n) for n in NUMBERS}
    facts |= {f"{BLACK_LETTER}{n}": Facts((), n) for n in NUMBERS}
    for colour in Colour:
        facts |= {f"{colour}-{s}": Facts((colour,), None, s) for s in ONE_COLOUR}
    for pair in combinations(Colour, 2):
        label = f"{''.join(pair)}-{Special.SWAP}"
        facts[label] = Facts(pair, None, Special.SWAP)
    for special in Special:
        if special not in ONE_COLOUR and special is not Special.SWAP:
            facts[f"{NEUTRAL_LETTER}-{special}"] = Facts((), None, special)
    return facts


FACTS = _facts()
_TURNED = {f"{b}{a}-swap": f"{a}{b}-swap" for a, b in combinations(Colour, 2)}

UNKNOWN = PlayCard("?")
FACES = tuple(PlayCard(label) for label in FACTS if label != "?")
CURSE = PlayCard("N-curse")
FY = PlayCard("N-fy")
MIMICRY = PlayCard("N-mimicry")


@cache
def kit() -> Kit:
    """Return the physical cards; they are read once."""
    return load_kit("frantic")


@cache
def copies(*, starred: bool) -> Mapping[PlayCard, int]:
    """Return how many copies of each face are in the box."""
    faces = (card for card in FACES if starred or not card.is_starred)
    return {card: kit().copies(card) for card in faces}


@cache
def deck(*, starred: bool) -> Hand:
    """Return all play cards of the box in the order of the kit."""
    return tuple(
        card for card, number in copies(starred=starred).items() for _ in range(number)
    )
