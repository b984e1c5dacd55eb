"""Rounds of the games with their own cards: Brawl in real time, Frantic in turns."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from engines import load_game
from engines.brawl.faces import Face as BrawlFace
from engines.brawl.moves import Play as BrawlPlay
from engines.brawl.place import OnBase, OnChain, Source
from engines.frantic.cards import PlayCard
from engines.frantic.moves import Flip
from engines.frantic.moves import Play as FranticPlay
from tests.support import frantic
from tests.support.laying import (
    Desk,
    Round,
    as_told,
    back,
    conditions,
    custom_face,
    ground,
    thing,
)
from tests.support.laying import camera as camera_over
from vision.scene.render import Thing
from vision.scene.video import Script

# Brawl -------------------------------------------------------------------------------

CHAINED = frozenset({*"PD"}) | frozenset(f"{k}{c}" for k in "HBD" for c in "rgb")
PITCH_MM, CHAIN_MM, STRIP_MM = 130.0, 95.0, 30.0
LONGEST_CHAIN = 4
"""Cards; what would lie outside the picture is not played here."""


def brawl_round(seed: int, *, most: int = 9) -> Round:
    """Return a game of two in real time, until both Bases are frozen."""
    rng = random.Random(seed)
    game = load_game("brawl")
    state = game.setup(game.options({}))
    bases = [
        thing(custom_face("A/BASE"), (-PITCH_MM / 2, 0.0), 90.0, rng, 2.0),
        thing(custom_face("B/BASE"), (PITCH_MM / 2, 0.0), 270.0, rng, 2.0),
    ]
    desk = Desk(rng, 2.0, list(bases))
    plays = [*_brawl_plays(game, state, rng, most - 2), None, None]
    for number, chosen in enumerate(plays):
        move = chosen or _freeze(number - len(plays) + 2, rng)
        state = game.advance(state, move)
        desk.lay(
            _brawl_thing(move, state, rng),
            270.0 if move.seat == 0 else 90.0,
            str(move),
            pause_s=rng.uniform(0.9, 2.2),
        )
    light, drift = conditions(rng)
    script = Script(
        camera_over(rng, distance_mm=1050.0),
        ground(seed),
        tuple(bases),
        desk.steps,
        desk.at_s + 2.0,
        conditions=light,
        drift=drift,
    )
    return Round("brawl", {}, [], script, desk.moves, [], state, decks=("A", "B"))


def _brawl_plays(
    game: Any, state: Any, rng: random.Random, most: int
) -> list[BrawlPlay]:
    """Return legal plays of cards from the deck into chains."""
    plays: list[BrawlPlay] = []
    while len(plays) < most:
        legal = [
            move
            for move in game.legal_moves(state)
            if isinstance(move, BrawlPlay)
            and move.source is Source.DECK
            and str(move.card) in CHAINED
            and len(_chain(state, move)) < LONGEST_CHAIN
        ]
        if not legal:
            break
        move = rng.choice(legal)
        plays.append(move)
        state = game.advance(state, move)
    return plays


def _freeze(number: int, rng: random.Random) -> BrawlPlay:
    game = load_game("brawl")
    move = game.parse_move(f"{rng.choice('AB')} play {BrawlFace.FREEZE} AB:{number}")
    assert isinstance(move, BrawlPlay)
    return move


def _chain(state: Any, move: BrawlPlay) -> tuple[Any, ...]:
    assert isinstance(move.place, OnChain)
    base = state.rows[0].cards.bases[move.place.base]
    chain: tuple[Any, ...] = base.first if move.place.side == 0 else base.second
    return chain


def _brawl_thing(move: BrawlPlay, after: Any, rng: random.Random) -> Thing:
    """Return the card where a hand lays it: on the Base, or at the end of its chain."""
    owner = "AB"[move.seat]
    assert isinstance(move.place, OnChain | OnBase)
    x = -PITCH_MM / 2 if move.place.base == 0 else PITCH_MM / 2
    up = 90.0 if move.seat == 0 else 270.0
    face = custom_face(f"{owner}/{move.card}")
    if move.card is BrawlFace.FREEZE:
        return thing(face, (x + 20.0, 0.0), up, rng, 2.0)
    assert isinstance(move.place, OnChain)
    way = -1 if move.place.side == 0 else 1
    along = CHAIN_MM + STRIP_MM * (len(_chain(after, move)) - 1)
    return thing(face, (x, way * along), up, rng, 3.0)


# Frantic -----------------------------------------------------------------------------

DRAW_PILE, DISCARD = (-42.0, 0.0), (42.0, 0.0)
SPOKEN = ("draw", "pass", "wish", "colour")
PLAIN = frozenset({"N-fantastic"})
TURN_S, SAYS_S = 4.8, 1.3
"""Between two cards, and how long before the second people say what they did."""


def frantic_round(seed: int, *, most: int = 9) -> Round:
    """Return the beginning of a round of three: numbers, wishes, cards drawn."""
    tries = (_frantic_round(seed + 1000 * more, most) for more in range(50))
    return next(made for made in tries if len(made.moves) >= most)


def _frantic_round(seed: int, most: int) -> Round:
    rng = random.Random(seed)
    game = load_game("frantic")
    options = {"players": 3}
    state = game.setup(game.options(options))
    first = thing(back(), DRAW_PILE, 90.0, rng, 2.0)
    desk = Desk(rng, 3.0, [first])
    told: list[tuple[float, str]] = []
    said: list[str] = []
    while len(desk.moves) < most:
        move = _frantic_move(game, state, rng)
        if move is None:
            break
        state = game.advance(state, move)
        words = str(move)
        told.append((desk.at_s, words))
        if isinstance(move, Flip | FranticPlay):
            card = move.cards[0] if isinstance(move, Flip) else move.card
            laid = thing(custom_face(str(card)), DISCARD, 90.0, rng, 6.0)
            seat = 0 if isinstance(move, Flip) else int(move.seat)
            desk.lay(laid, 270.0 + 120.0 * seat, words, pause_s=TURN_S)
        elif words.startswith("deal"):
            said.append("deal ?")
        else:
            desk.spoken.append((desk.at_s - SAYS_S, words))
    light, drift = conditions(rng)
    script = Script(
        camera_over(rng, distance_mm=820.0),
        ground(seed),
        (first,),
        desk.steps,
        desk.at_s + 3.0,
        conditions=light,
        drift=drift,
    )
    final = game.setup(game.options(options))
    for _, words in told:
        final = game.advance(final, game.parse_move(as_told(words)))
    return Round(
        "frantic", options, said, script, desk.moves, told, final, spoken=desk.spoken
    )


def _frantic_move(game: Any, state: Any, rng: random.Random) -> Any:
    legal = game.legal_moves(state)
    if legal is None:
        return frantic.shuffled(state, rng)
    kinds: dict[str, list[Any]] = {}
    for move in legal:
        words = str(move).split()
        if isinstance(move, FranticPlay | Flip):
            card = move.cards[0] if isinstance(move, Flip) else move.card
            if _is_plain(card):
                kinds.setdefault("play", []).append(move)
        elif len(words) > 1 and words[1] in SPOKEN:
            kinds.setdefault(words[1], []).append(move)
    if not kinds:
        return None
    weights = Counter(play=6, draw=1, **{"pass": 1}, wish=2, colour=2)
    names = sorted(kinds)
    kind = rng.choices(names, [weights[name] for name in names])[0]
    return rng.choice(kinds[kind])


def _is_plain(card: PlayCard) -> bool:
    return (str(card)[0] in "RGBY" and str(card)[1:].isdigit()) or str(card) in PLAIN
