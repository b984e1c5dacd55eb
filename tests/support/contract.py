"""What the contract tests must know of a game: its shuffles and its secrets.

A game that is not named here may have both in `tests/support/<game>.py`:
`chance(state, rng)` returns what the cards decide now, or `None`; and
`disguised(state, seat)` the state with everything exchanged that `seat` (`None`: a
spectator) may not know.
"""

import importlib
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from engines.brawl.faces import Face
from engines.brawl.state import State as Brawl
from engines.core import Seat
from engines.frantic.state import State as Frantic
from engines.frenzy.cards import ZONES
from engines.frenzy.cards import Card as FrenzyCard
from engines.frenzy.state import State as Frenzy
from engines.warstones.state import State as Warstones
from tests.support import frantic, regicide


def chance(name: str, state: Any, rng: random.Random) -> Any:
    """Return a shuffle or draw that is due, `None` where no card decides."""
    shuffles: Mapping[str, Callable[[Any, random.Random], Any]] = {
        "frantic": frantic.shuffled,
        "regicide": regicide.chance,
    }
    shuffle = shuffles.get(name) or _own(name, "chance")
    return None if shuffle is None else shuffle(state, rng)


def disguised(name: str, state: Any, seat: Seat | None) -> Any:
    """Return the state with everything exchanged that `seat` may not know."""
    disguises: Mapping[str, Callable[[Any, Seat | None], Any]] = {
        "brawl": _brawl,
        "frantic": _frantic,
        "frenzy": _frenzy,
        "regicide": regicide.disguised,
        "warstones": _warstones,
    }
    disguise = disguises.get(name) or _own(name, "disguised")
    assert disguise is not None, f"tests/support/{name}.py must say what is secret"
    return disguise(state, seat)


def _own(name: str, function: str) -> Callable[..., Any] | None:
    if name in {"brawl", "frenzy", "warstones"}:
        return None
    if find_spec(f"tests.support.{name}") is None:
        return None
    module = importlib.import_module(f"tests.support.{name}")
    found: Callable[..., Any] | None = getattr(module, function, None)
    return found


def _brawl(state: Brawl, seat: Seat | None) -> Brawl:
    """Exchange the known cards in the hands of the others."""
    for other in state.seats:
        if other == seat:
            continue
        player = state.players[other]
        hand = []
        drawn = list(player.drawn)
        for held in player.hand:
            if held.card is None or held.card is Face.FREEZE:
                hand.append(held)
                continue
            face = Face.HIT_RED if held.card is not Face.HIT_RED else Face.HIT_BLUE
            drawn[drawn.index(held.card)] = face
            hand.append(replace(held, card=face))
        changed = replace(player, hand=tuple(hand), drawn=tuple(drawn))
        state = state.with_player(other, changed)
    return state


def _frenzy(state: Frenzy, _: Seat | None) -> Frenzy:
    """Exchange the cards under the topmost of each pile: both players laid some."""
    for player_seat in (Seat(0), Seat(1)):
        player = state.players[player_seat]
        for zone in ZONES:
            pile = player.pile(zone)
            hidden = tuple(
                replace(
                    laid,
                    card=FrenzyCard.WIZARD if laid.card.is_hero else FrenzyCard.W1,
                )
                for laid in pile[1:]
            )
            player = player.with_pile(zone, pile[:1] + hidden)
        state = state.with_player(player_seat, player)
    return state


def _frantic(state: Frantic, seat: Seat | None) -> Frantic:
    """Turn the piles over, and give every hidden hand cards of the pile instead.

    Not in the middle of a step, which may hold on to a card or show a hand.
    """
    if len(state.steps) > 1:
        return replace(state, pile=tuple(reversed(state.pile)))
    pile = list(reversed(state.pile))
    hands = list(state.hands)
    for other, hand in enumerate(hands):
        if other != seat and len(pile) > len(hand):
            hands[other] = tuple(pile.pop() for _ in hand)
            pile[:0] = hand
    return replace(
        state,
        hands=tuple(hands),
        pile=tuple(pile),
        event_pile=tuple(reversed(state.event_pile)),
    )


def _warstones(state: Warstones, _: Seat | None) -> Warstones:
    """Nobody knows more than another; only the City tokens lie face down."""
    return replace(state, stack=tuple(reversed(state.stack)))
