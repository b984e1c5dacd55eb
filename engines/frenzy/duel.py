"""Who wins a Battlefield: the comparison of two top cards (5.1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from engines.core import RuleRef, Text
from engines.frenzy.cards import Card
from engines.frenzy.options import EmptyPile, House
from engines.frenzy.texts import name, say

COMPARISON = RuleRef("5.1")
CHAMPIONS = frozenset({Card.KNIGHT, Card.LICH})


@dataclass(frozen=True, slots=True)
class Fighter:
    """The top card of a Battle Line pile; `None` is an empty pile.

    `copied` is the card that a Bodyguard duplicates; `None` where it duplicates
    nothing, or another Bodyguard, which comes to the same.
    """

    card: Card | None
    copied: Card | None = None

    @property
    def acts_as(self) -> Card | None:
        """Return the card whose comparison counts."""
        return self.copied or self.card

    @property
    def strength(self) -> int:
        """Return the Strength; a Wizard has none, nor has a lone Bodyguard."""
        return self.acts_as.points if self.acts_as else 0

    @property
    def text(self) -> Text:
        """Return the card's name, with what it duplicates."""
        if self.copied is None:
            return name(self.card)
        return say("as_copy", card=name(self.card), copied=name(self.copied))


@dataclass(frozen=True, slots=True)
class Duel:
    """The result: 0 and 1 are the first and the second fighter, `None` nobody."""

    winner: int | None
    reason: Text
    rule: RuleRef = COMPARISON


@lru_cache(maxsize=4096)
def duel(first: Fighter, second: Fighter, house: House) -> Duel:
    """Return who wins, asking the special cases before the general one."""
    for case in (_empty, _bodyguards, _champions, _ogres, _assassins):
        if (result := case(first, second, house)) is not None:
            return result
    return _strengths(first, second)


def _won(message: str, pair: tuple[Fighter, Fighter], winner: int, rule: str) -> Duel:
    reason = say(message, winner=pair[winner].text, loser=pair[1 - winner].text)
    return Duel(winner, reason, RuleRef(rule))


def _empty(first: Fighter, second: Fighter, house: House) -> Duel | None:
    if first.card and second.card:
        return None
    rule = RuleRef("FZ-R04")
    if not first.card and not second.card:
        return Duel(None, say("both_empty"), rule)
    if house.empty_pile is EmptyPile.NO_WINNER:
        return Duel(None, say("empty_no_winner"), rule)
    return _won("empty_loses", (first, second), 0 if first.card else 1, "FZ-R04")


def _bodyguards(first: Fighter, second: Fighter, house: House) -> Duel | None:
    if first.card is second.card is Card.BODYGUARD:
        return Duel(None, say("bodyguards_tie"))
    return None


def _champions(first: Fighter, second: Fighter, house: House) -> Duel | None:
    """Knight and Lich, and then a Bodyguard that duplicates one (FZ-R15)."""
    pair = (first, second)
    for cards in ((first.card, second.card), (first.acts_as, second.acts_as)):
        champions = [side for side in (0, 1) if cards[side] in CHAMPIONS]
        if len(champions) == 2:
            return Duel(None, say("champions_tie"))
        if champions:
            side = champions[0]
            rival = pair[1 - side].card
            if rival is not None and rival.is_hero:
                return _won("champion_beats_hero", pair, side, "5.1")
            return _won("warrior_beats_champion", pair, 1 - side, "5.1")
    return None


def _ogres(first: Fighter, second: Fighter, house: House) -> Duel | None:
    pair = (first, second)
    ogres = [side for side in (0, 1) if pair[side].acts_as is Card.OGRE]
    if len(ogres) == 2:
        return Duel(None, say("ogres_tie"), RuleRef("FZ-R05"))
    if not ogres:
        return None
    side = ogres[0]
    rival = pair[1 - side].card
    if rival is None or not rival.is_hero:
        return _won("ogre_beats_warrior", pair, side, "5.1")
    rule = {Card.ASSASSIN: "FZ-R06", Card.WIZARD: "FZ-R06", Card.BODYGUARD: "FZ-R16"}
    return _won("hero_beats_ogre", pair, 1 - side, rule.get(rival, "5.1"))


def _assassins(first: Fighter, second: Fighter, house: House) -> Duel | None:
    pair = (first, second)
    assassins = [side for side in (0, 1) if pair[side].acts_as is Card.ASSASSIN]
    if len(assassins) == 2:
        return Duel(None, say("assassins_tie"), RuleRef("FZ-R05"))
    if not assassins:
        return None
    side = assassins[0]
    rival = pair[1 - side]
    if rival.card is Card.W4:
        return _won("assassin_beats_four", pair, side, "5.1")
    if rival.acts_as is Card.W4:
        if house.bodyguard_is_warrior:
            return _won("assassin_beats_copied_four", pair, side, "FZ-R13")
        return _won("copied_four_stays_hero", pair, 1 - side, "FZ-R13")
    return _won("assassin_loses", pair, 1 - side, "5.1")


def _strengths(first: Fighter, second: Fighter) -> Duel:
    if first.strength == second.strength:
        return Duel(None, say("equal_strength", strength=first.strength))
    pair = (first, second)
    winner = 0 if first.strength > second.strength else 1
    reason = say(
        "higher_strength",
        winner=pair[winner].text,
        loser=pair[1 - winner].text,
        high=pair[winner].strength,
        low=pair[1 - winner].strength,
    )
    return Duel(winner, reason)
