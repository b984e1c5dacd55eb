"""Rulings on moves: the claim in words, the verdict, and warnings as evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engines.core import Evidence, RuleRef, Ruling, Text
from engines.core.text import Value
from engines.warstones import field
from engines.warstones.advance import advance
from engines.warstones.moves import (
    Ability,
    Army,
    Assigner,
    Attack,
    Besiege,
    CallFlick,
    Deploy,
    Destroy,
    Draw,
    Excess,
    First,
    Foul,
    Lies,
    Move,
    Movement,
    Pass,
    PutBack,
    Recruit,
    Return,
    SetCity,
    SetGoal,
    SetPoints,
    Settle,
)
from engines.warstones.objections import chip_text, token_text
from engines.warstones.rules import objection
from engines.warstones.state import State
from engines.warstones.terms import ChipId, Place, Spot, Terrain, player_text

_RULES: dict[type[Move], str] = {
    Army: "2",
    First: "2",
    Draw: "4.7",
    Recruit: "4.2",
    Deploy: "4.3",
    Movement: "4.4",
    Settle: "4.5",
    Lies: "4.5",
    Attack: "4.6",
    Besiege: "4.7",
    Destroy: "5",
    Assigner: "W-10",
    Return: "4.7",
    Excess: "4.2",
    Ability: "5",
    Pass: "4.1",
    Foul: "4.8",
    CallFlick: "4.8",
    PutBack: "4.8",
    SetPoints: "4.8",
    SetCity: "4.8",
    SetGoal: "W-03",
}


def judge(state: State, move: Move) -> Ruling:
    """Rule on the claim that `move` is allowed now."""
    claim = claim_text(state, move)
    refusal = objection(state, move)
    if refusal is not None:
        return Ruling.refused(claim, refusal)
    ruling = Ruling.upheld(
        claim, Text.of("warstones.allowed"), RuleRef(_RULES[type(move)])
    )
    return replace(ruling, evidence=tuple(_warnings(state, move)))


def _warnings(state: State, move: Move) -> Iterator[Evidence]:
    """Yield what a player should know before making a legal move."""
    match move:
        case Attack() if field.damage_of(state, move).total == 0:
            yield _fact("warn_no_damage", "rule:W-08")
        case Besiege():
            yield from _siege_warning(state, move)
        case Pass():
            left = state.points[move.seat]
            yield _fact("warn_pass", "rule:W-26", points=left)
        case _:
            pass
    if isinstance(move, Recruit | Deploy | Settle | Ability | Movement | Destroy):
        yield from _exhaustion_warning(state, move)


def _siege_warning(state: State, move: Besiege) -> Iterator[Evidence]:
    city = state.options.mat.city_in(move.sector)
    token = None if city is None else state.token(city)
    kind = None if token is None else state.options.kit.city(token)
    total = field.siege_total(state, move)
    if kind is not None and total < kind.defence:
        yield _fact("warn_too_weak", "rule:4.7", total=total, defence=kind.defence)


def _exhaustion_warning(state: State, move: Move) -> Iterator[Evidence]:
    """Warn one move ahead that the armies are exhausted (W-18)."""
    waiting = [c for c in state.chips if c.place.spot in {Spot.RESERVE, Spot.BASE}]
    if len(waiting) > 1 or not waiting:
        return
    after = advance(state, move)
    if after.outcome is not None:
        yield _fact("warn_over", "rule:W-18")
    elif isinstance(move, Deploy):
        yield _fact("warn_last_unit", "rule:W-18")


def _fact(message: str, source: str, /, **values: Value) -> Evidence:
    return Evidence(Text.of(f"warstones.{message}", **values), source)


def claim_text(state: State, move: Move) -> Text:
    """Return a move as a sentence."""
    match move:
        case Recruit():
            return _player_chip("claim_recruit", state, move)
        case Deploy():
            return _player_chip("claim_deploy", state, move)
        case Movement():
            return _player_chip("claim_move", state, move)
        case Excess():
            return _player_chip("claim_excess", state, move)
        case Ability():
            return Text.of(
                "warstones.claim_ability",
                player=player_text(move.seat),
                chip=chip_text(state.options, move.chip),
                ability=move.name,
            )
        case Attack():
            return Text.of(
                "warstones.claim_attack",
                player=player_text(move.seat),
                target=player_text(move.target),
                sector=state.options.mat.sector_text(move.sector),
            )
        case Besiege():
            return Text.of(
                "warstones.claim_besiege",
                player=player_text(move.seat),
                sector=state.options.mat.sector_text(move.sector),
            )
        case Destroy():
            return _player_chips("claim_destroy", state, move)
        case Return():
            return _player_chips("claim_return", state, move)
        case Army():
            return Text.of("warstones.claim_army", player=player_text(move.seat))
        case First():
            return Text.of("warstones.claim_first", player=player_text(move.seat))
        case Pass():
            return Text.of("warstones.claim_pass", player=player_text(move.seat))
        case Foul():
            return Text.of("warstones.claim_foul", player=player_text(move.seat))
        case Assigner():
            return Text.of("warstones.claim_assigner", player=player_text(move.seat))
        case Settle():
            return Text.of("warstones.claim_settle")
        case CallFlick():
            return Text.of(f"warstones.claim_flick_{move.call}")
        case Draw() | SetCity():
            token = token_text(state.options, move.token)
            city = state.options.mat.city(move.city)
            place = Text.of("core.literal", text=move.city)
            return Text.of(
                "warstones.claim_token",
                token=token,
                city=place if city is None else city.text,
            )
        case Lies():
            chip = chip_text(state.options, move.chip)
            place = _place_text(state, move.place)
            return Text.of("warstones.claim_lies", chip=chip, place=place)
        case PutBack():
            chip = chip_text(state.options, move.chip)
            return Text.of("warstones.claim_place", chip=chip, place=str(move.place))
        case SetPoints():
            player = player_text(move.seat)
            return Text.of("warstones.claim_points", player=player, points=move.points)
        case SetGoal():
            return Text.of("warstones.claim_goal", points=move.points)


def _place_text(state: State, place: Place) -> Text:
    """Return a place for a sentence, with the terrain if it is not the plain."""
    if place.sector is None:
        return Text.of(f"warstones.in_{place.spot}")
    sector = state.options.mat.sector_text(place.sector)
    if place.terrain is Terrain.PLAIN:
        return sector
    terrain = Text.of(f"warstones.terrain_{place.terrain}")
    return Text.of("warstones.list", head=sector, last=terrain)


def _player_chip(
    message: str, state: State, move: Recruit | Deploy | Movement | Excess
) -> Text:
    return Text.of(
        f"warstones.{message}",
        player=player_text(move.seat),
        chip=chip_text(state.options, move.chip),
    )


def _player_chips(message: str, state: State, move: Destroy | Return) -> Text:
    return Text.of(
        f"warstones.{message}",
        player=player_text(move.seat),
        chips=chips_text(state, move.chips),
    )


def chips_text(state: State, chips: tuple[ChipId, ...]) -> Text:
    """Return a list of chips for a sentence."""
    if not chips:
        return Text.of("warstones.nothing")
    text = chip_text(state.options, chips[0])
    for chip in chips[1:]:
        text = Text.of("warstones.list", head=text, last=chip_text(state.options, chip))
    return text
