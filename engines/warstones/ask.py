"""Open questions of a running game; each option carries the move that answers it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engines.core import Option, Question, RuleRef, Seat, Text
from engines.warstones.armies import example_armies
from engines.warstones.flow import goal
from engines.warstones.judge import chips_text
from engines.warstones.legal import choices
from engines.warstones.mat import Area
from engines.warstones.moves import (
    Army,
    Assigner,
    CallFlick,
    Destroy,
    Draw,
    Excess,
    First,
    FoulCall,
    Lies,
    Return,
    SetGoal,
)
from engines.warstones.objections import chip_text, token_text
from engines.warstones.rules import objection
from engines.warstones.state import (
    PendingAssigner,
    PendingCounter,
    PendingDamage,
    PendingDraw,
    PendingFlick,
    PendingFoul,
    PendingReturn,
    State,
    UnseenFlick,
)
from engines.warstones.terms import (
    ChipId,
    Place,
    Spot,
    Terrain,
    letter,
    player_text,
)

ROWS = 3
"""Sectors lie in so many rows across the mat."""


def questions(state: State) -> tuple[Question, ...]:
    """Return what a person must say before play goes on."""
    if state.outcome is not None:
        return ()
    if state.is_setup:
        return tuple(_setup(state))
    pending = state.next_pending
    if isinstance(pending, PendingFoul):
        return (_foul(pending),)
    if state.overfull is not None:
        return (_excess(state, state.overfull),)
    match pending:
        case UnseenFlick(end=None):
            return (where_it_lies(state, pending),)
        case PendingDamage():
            return (_damage(state, pending),)
        case PendingCounter():
            return (_counter(state, pending),)
        case PendingAssigner():
            return (_assigner(state, pending),)
        case PendingReturn():
            return (_returns(state, pending),)
        case PendingDraw():
            return (_draw(state, pending.city),)
        case _:
            return ()


def _setup(state: State) -> Iterator[Question]:
    built = {chip.seat for chip in state.chips}
    for seat in state.options.seats:
        if seat not in built:
            yield Question(
                f"army:{letter(seat)}",
                seat,
                Text.of("warstones.ask_army", points=state.options.army_points),
                tuple(_armies(state, seat)),
                rule=RuleRef("2"),
            )
    if state.goal is None:
        yield _goal(state)
    if state.first is None:
        options = (
            Option(letter(s), player_text(s), str(First(s)))
            for s in state.options.seats
        )
        text = Text.of("warstones.ask_first")
        yield Question("first", None, text, tuple(options), rule=RuleRef("2"))
    yield from (_draw(state, city) for city, token in state.cities if token is None)


def _armies(state: State, seat: Seat) -> Iterator[Option]:
    """Yield examples: any other army within the rules is an answer as well."""
    options = state.options
    faction = options.factions[seat]
    for army in example_armies(options.kit, faction, options.army_points):
        move = str(Army(seat, army))
        units = ((options.kit.unit(f"{faction}.{key}"), n) for key, n in army)
        names = [(unit.text, n) for unit, n in units if unit is not None]
        text, *others = (
            Text.of("warstones.unit_count", unit=name, count=n) for name, n in names
        )
        for other in others:
            text = Text.of("warstones.list", head=text, last=other)
        yield Option(move.partition(" army ")[2], text, move)


def _goal(state: State) -> Question:
    points = (goal(state), goal(state) + 2)
    return Question(
        "points_to_win",
        None,
        Text.of("warstones.ask_goal", points=state.options.army_points),
        tuple(
            Option(str(n), Text.of("core.literal", text=str(n)), str(SetGoal(n)))
            for n in points
        ),
        default=str(points[0]),
        rule=RuleRef("W-03"),
    )


def _foul(pending: PendingFoul) -> Question:
    return Question(
        "foul",
        None,
        Text.of(f"warstones.ask_foul_{pending.foul}", player=player_text(pending.seat)),
        tuple(
            Option(str(call), Text.of(f"warstones.flick_{call}"), str(CallFlick(call)))
            for call in FoulCall
        ),
        rule=RuleRef("4.8"),
    )


def where_it_lies(state: State, flick: PendingFlick) -> Question:
    """Ask where the flicked chip lies, for no camera sees it: the sector, and then the
    terrain if there is any."""
    options = state.options
    chip = chip_text(options, flick.chip)
    sector = flick.sector if isinstance(flick, UnseenFlick) else None
    if sector is None:
        return Question(
            f"lies:{flick.chip}",
            flick.seat,
            Text.of("warstones.ask_lies", chip=chip),
            tuple(
                Option(str(place), text, str(Lies(flick.chip, place)))
                for place, text in _ends(state)
            ),
            rule=RuleRef("4.5"),
        )
    places = (
        Place(Spot.SECTOR, sector, terrain)
        for terrain in (*options.terrains_in(sector), Terrain.PLAIN)
    )
    return Question(
        f"terrain:{flick.chip}",
        flick.seat,
        Text.of("warstones.ask_terrain", chip=chip),
        tuple(
            Option(
                place.terrain.value,
                Text.of(f"warstones.terrain_{place.terrain}"),
                str(Lies(flick.chip, place)),
            )
            for place in places
        ),
        rule=RuleRef("3.4"),
    )


def _ends(state: State) -> Iterator[tuple[Place, Text]]:
    """Yield where a flick may end, without terrain; rows of sectors as they are drawn,
    the far one first."""
    mat = state.options.mat
    _, low, _, high = mat.board.zone.bounds_mm

    def drawn(area: Area) -> tuple[int, float]:
        x, y = area.zone.centre_mm
        return -int(ROWS * (y - low) / (high - low)), x

    for area in sorted(mat.sectors, key=drawn):
        yield Place(Spot.SECTOR, area.id), area.text
    yield Place(Spot.MARGIN), Text.of("warstones.outside_sectors")
    yield Place(Spot.BASE), Text.of("warstones.in_base")
    yield Place(Spot.OFF), Text.of("warstones.left_board")


def _excess(state: State, seat: Seat) -> Question:
    chips = state.at(Spot.BASE, seat)
    return Question(
        f"excess:{letter(seat)}",
        seat,
        Text.of("warstones.ask_excess"),
        tuple(
            Option(c.id, chip_text(state.options, c.id), str(Excess(seat, c.id)))
            for c in chips
        ),
        rule=RuleRef("W-25"),
    )


def _damage(state: State, pending: PendingDamage) -> Question:
    sets = {frozenset(move.chips): None for move in _legal(state)}
    targets = [c.id for c in state.in_sector(pending.sector, pending.target)]
    full = [
        chosen
        for chosen in sets
        if not any(t not in chosen and chosen | {t} in sets for t in targets)
    ]
    sector = state.options.mat.sector_text(pending.sector)
    return Question(
        f"damage:{pending.sector}",
        pending.seat,
        Text.of("warstones.ask_damage", damage=pending.damage, sector=sector),
        _destroy_options(state, pending.seat, full),
        rule=RuleRef("4.6"),
    )


def _counter(state: State, pending: PendingCounter) -> Question:
    sets = [frozenset(move.chips) for move in _legal(state)]
    sector = state.options.mat.sector_text(pending.sector)
    options = _destroy_options(state, pending.seat, sets)
    return Question(
        f"counterattack:{pending.sector}",
        pending.seat,
        Text.of("warstones.ask_counter", damage=pending.damage, sector=sector),
        options,
        default=options[0].value if len(options) == 1 else None,
        rule=RuleRef("4.7"),
    )


def _legal(state: State) -> Iterator[Destroy]:
    for move in choices(state):
        if isinstance(move, Destroy) and objection(state, move) is None:
            yield move


def _destroy_options(
    state: State, seat: Seat, sets: Iterable[frozenset[ChipId]]
) -> tuple[Option, ...]:
    moves = (Destroy(seat, tuple(chosen)) for chosen in sets)
    return tuple(
        Option(" ".join(m.chips) or "none", chips_text(state, m.chips), str(m))
        for m in moves
    )


def _assigner(state: State, pending: PendingAssigner) -> Question:
    opponents = state.options.opponents(pending.seat)
    options = (Option(letter(s), player_text(s), str(Assigner(s))) for s in opponents)
    return Question(
        f"assigner:{pending.sector}",
        None,
        Text.of("warstones.ask_assigner"),
        tuple(options),
        default=letter(opponents[0]),
        rule=RuleRef("W-10"),
    )


def _returns(state: State, pending: PendingReturn) -> Question:
    moves = (move for move in choices(state) if isinstance(move, Return))
    return Question(
        f"returns:{letter(pending.seat)}",
        pending.seat,
        Text.of(
            "warstones.ask_returns",
            sector=state.options.mat.sector_text(pending.sector),
        ),
        tuple(
            Option(" ".join(m.chips) or "none", chips_text(state, m.chips), str(m))
            for m in moves
        ),
        default="none",
        rule=RuleRef("4.7"),
    )


def _draw(state: State, city: str) -> Question:
    space = state.options.mat.city(city)
    name = Text.of("core.literal", text=city) if space is None else space.text
    return Question(
        f"draw:{city}",
        None,
        Text.of("warstones.ask_draw", city=name),
        tuple(
            Option(token, token_text(state.options, token), str(Draw(city, token)))
            for token in state.drawable(city)
        ),
        rule=RuleRef("4.7" if not state.is_setup else "2"),
    )
