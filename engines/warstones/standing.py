"""Where a seen chip counts: section 3, step by step, with its rulings and questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engines.core import Margin, Option, Question, RuleRef, Ruling, Seat, Text, Verdict
from engines.warstones import doubt
from engines.warstones.doubt import Reading
from engines.warstones.mat import Area
from engines.warstones.options import Options
from engines.warstones.snapshot import Footing, border_mm, line_mm
from engines.warstones.terms import BASE, RESERVE, Place, Spot, Terrain

OFF = Place(Spot.OFF)
MARGIN = Place(Spot.MARGIN)
OUTSIDE = "outside"
"""The answer that a chip lies in no sector."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a chip counts, `place` being `None` where a person must say so."""

    place: Place | None
    rulings: tuple[Ruling, ...] = ()
    questions: tuple[Question, ...] = ()
    sectors: tuple[str, ...] = ()
    """The sectors that it may count in."""
    line: Margin | None = None
    """Distance from the deciding line in mm, positive on the side that counts."""


@dataclass(slots=True)
class _Walk:
    """The steps for one chip, with what was ruled and asked on the way."""

    reading: Reading
    seat: Seat
    options: Options
    answers: Mapping[str, str]
    rulings: list[Ruling] = field(default_factory=list)

    @property
    def footing(self) -> Footing:
        return self.reading.footing


def stand(
    reading: Reading, seat: Seat, options: Options, answers: Mapping[str, str]
) -> Standing:
    """Return where a chip of `seat` counts (section 3)."""
    walk = _Walk(reading, seat, options, answers)
    standing = _off_board(walk) or _outside_field(walk) or _in_sector(walk)
    standing = standing or _margin(walk)
    if standing.place is None or standing.place.sector is None:
        return replace(standing, rulings=(*walk.rulings, *standing.rulings))
    terrain = _terrain(walk)
    if isinstance(terrain, Question):
        rulings = (*walk.rulings, *standing.rulings)
        return Standing(None, rulings, (terrain,), standing.sectors)
    return replace(
        standing,
        place=replace(standing.place, terrain=terrain, at_mm=at_mm(walk.footing)),
        rulings=(*walk.rulings, *standing.rulings),
    )


def at_mm(footing: Footing) -> tuple[int, int]:
    """Return the centre of a disc to the millimetre."""
    return round(footing.disc.x_mm), round(footing.disc.y_mm)


def _off_board(walk: _Walk) -> Standing | None:
    """More than half off the board is off; in doubt it is on (3.1)."""
    on_board = walk.footing.board.value
    if on_board > 1 - 1e-9:
        return None
    if on_board < 1e-9:
        return Standing(OFF)
    ruling = doubt.off_board(walk.reading)
    walk.rulings.append(ruling)
    line = border_mm(walk.footing.disc, walk.reading.mat.board)
    if ruling.grounds and walk.reading.is_rough(line):
        return _ask_board(walk)
    if ruling.verdict is not Verdict.UPHELD or ruling.grounds:
        return None
    return Standing(OFF, line=-walk.footing.margin_mm(line))


def _ask_board(walk: _Walk) -> Standing | None:
    """Whether a chip is on the board that was hardly measured; `None` if it is."""
    question = f"board:{walk.reading.piece}"
    answer = walk.answers.get(question)
    if answer in ("on", "off"):
        return Standing(OFF) if answer == "off" else None
    asked = Question(
        question,
        None,
        Text.of("warstones.ask_board", chip=walk.reading.name),
        (Option("on", Text.of("core.yes")), Option("off", Text.of("core.no"))),
        rule=RuleRef("3.1"),
        pieces=(walk.reading.piece,),
    )
    return Standing(None, questions=(asked,))


def _outside_field(walk: _Walk) -> Standing | None:
    """A Base or Reserve holds a chip that lies in it by more than half (3.1)."""
    for kind, parts in (
        ("base", walk.footing.bases),
        ("reserve", walk.footing.reserves),
    ):
        for area, part in parts:
            ruling = doubt.is_in(walk.reading, area, kind)
            if part.value < 1 - 1e-9:
                walk.rulings.append(ruling)
            if ruling.verdict is Verdict.UPHELD:
                return _in_area(walk, area, kind)
            if ruling.verdict is Verdict.UNDECIDED:
                line = border_mm(walk.footing.disc, _area(walk, area, kind))
                is_asked = walk.reading.is_rough(line) or not walk.footing.sectors
                standing = _ask_area(walk, area, kind) if is_asked else None
                if standing is not None:
                    return standing
    return None


def _area(walk: _Walk, area: str, kind: str) -> Area:
    mat = walk.reading.mat
    areas = mat.bases if kind == "base" else mat.reserves
    return next(each for each in areas if each.id == area)


def _in_area(walk: _Walk, area: str, kind: str) -> Standing:
    found = _area(walk, area, kind)
    if walk.seat not in found.owners(walk.options.players):
        return _margin(walk)
    line = walk.footing.margin_mm(border_mm(walk.footing.disc, found))
    place = BASE if kind == "base" else RESERVE
    return Standing(replace(place, at_mm=at_mm(walk.footing)), line=line)


def _ask_area(walk: _Walk, area: str, kind: str) -> Standing | None:
    """Nothing says what a doubt between Base and margin becomes: a person decides;
    `None` where it is outside, and may be in a sector."""
    question = f"area:{walk.reading.piece}"
    answer = walk.answers.get(question)
    if answer == "in":
        return _in_area(walk, area, kind)
    if answer == "out":
        return None if walk.footing.sectors else _margin(walk)
    mat = walk.reading.mat
    found = next(a for a in (*mat.bases, *mat.reserves) if a.id == area)
    asked = Question(
        question,
        None,
        Text.of("warstones.ask_area", chip=walk.reading.name, area=found.text),
        (
            Option("in", found.text),
            Option("out", Text.of("warstones.outside_sectors")),
        ),
        rule=RuleRef("W-07"),
        pieces=(walk.reading.piece,),
    )
    return Standing(None, questions=(asked,))


def _in_sector(walk: _Walk) -> Standing | None:
    """The sector with the largest share counts, in doubt the farther one (3.2)."""
    parts = {sector: part.value for sector, part in walk.footing.sectors}
    grounds = tuple(r for r in walk.rulings if r.verdict is Verdict.UNDECIDED)
    if sum(parts.values()) < 0.5 and (edge := _edge(walk, parts)) is not None:
        if edge.verdict is Verdict.REJECTED:
            return None
        if edge.verdict is Verdict.UNDECIDED:
            grounds = (*grounds, edge)
            reached = str(_reached(walk, parts))
            parts = parts or {reached: 0.0}
    if not parts:
        return None
    mat, seat = walk.reading.mat, walk.seat
    choice = doubt.choose_sector(
        parts,
        lambda one, two: doubt.share_margin(walk.footing, one, two),
        mat.distances_mm(seat, walk.options.players) if len(parts) > 1 else {},
    )
    apart = tuple(
        doubt.sectors_apart(walk.reading, choice.best, other)
        for other in parts
        if other != choice.best
    )
    doubtful = tuple(r for r in apart if r.verdict is Verdict.UNDECIDED)
    clear = tuple(r for r in apart if r.verdict is not Verdict.UNDECIDED)
    if _is_rough(walk, choice.best, grounds, choice.doubtful):
        sectors = (choice.best, *choice.doubtful)
        may_be_outside = sum(parts.values()) < 0.5 and bool(grounds)
        return _ask_sector(
            walk, sectors, clear, rule="3.2", may_be_outside=may_be_outside
        )
    if len(choice.chosen) > 1:
        return _ask_sector(walk, choice.chosen, (*clear, *doubtful))
    sector, rulings = choice.chosen[0], clear
    if grounds or doubtful:
        reason = "doubt_farther" if doubtful else "doubt_field"
        ruling = doubt.counts_in(
            walk.reading, sector, (*grounds, *doubtful), reason=reason
        )
        rulings = (*clear, ruling)
        walk.rulings = [r for r in walk.rulings if r not in grounds]
    return Standing(
        Place(Spot.SECTOR, sector),
        rulings,
        sectors=(sector,),
        line=_sector_line(walk, sector, parts),
    )


def _is_rough(
    walk: _Walk, best: str, grounds: tuple[Ruling, ...], doubtful: tuple[str, ...]
) -> bool:
    """Return whether what leaves a sector in doubt was hardly measured."""
    mat, disc = walk.reading.mat, walk.footing.disc
    here = mat.sector(best)
    others = [mat.sector(other) for other in doubtful]
    lines = [border_mm(disc, here)] if grounds and here is not None else []
    lines += [line_mm(disc, here, o) for o in others if here and o is not None]
    return any(map(walk.reading.is_rough, lines))


def _edge(walk: _Walk, parts: Mapping[str, float]) -> Ruling | None:
    reached = _reached(walk, parts)
    if reached is None:
        return None
    ruling = doubt.reaches(walk.reading, reached)
    if parts and ruling.verdict is Verdict.UPHELD:
        walk.rulings.append(ruling)
    return ruling


def _reached(walk: _Walk, parts: Mapping[str, float]) -> str | None:
    nearby = tuple(parts) or tuple(doubt.nearby_sectors(walk.reading))
    return max(
        nearby,
        key=lambda sector: parts.get(sector, 0.0),
        default=None,
    )


def _sector_line(walk: _Walk, sector: str, parts: Mapping[str, float]) -> Margin | None:
    mat, disc = walk.reading.mat, walk.footing.disc
    here = mat.sector(sector)
    others = [mat.sector(other) for other in parts if other != sector]
    if here is None:
        return None
    lines = [line_mm(disc, here, other) for other in others if other is not None]
    nearest = min(lines, key=lambda line: abs(line.value), default=None)
    return walk.footing.margin_mm(nearest or border_mm(disc, here))


def _ask_sector(
    walk: _Walk,
    sectors: tuple[str, ...],
    measured: tuple[Ruling, ...],
    *,
    rule: str = "W-06",
    may_be_outside: bool = False,
) -> Standing:
    question = f"sector:{walk.reading.piece}"
    answer = walk.answers.get(question)
    if answer in sectors:
        place = Place(Spot.SECTOR, answer)
        line = _sector_line(walk, answer, dict.fromkeys(sectors, 0.0))
        return Standing(place, measured, sectors=(answer,), line=line)
    if may_be_outside and answer == OUTSIDE:
        return _margin(walk)
    mat = walk.reading.mat
    options = [Option(sector, mat.sector_text(sector)) for sector in sectors]
    if may_be_outside:
        options.append(Option(OUTSIDE, Text.of("warstones.outside_sectors")))
    asked = Question(
        question,
        None,
        Text.of("warstones.ask_sector", chip=walk.reading.name),
        tuple(options),
        rule=RuleRef(rule),
        pieces=(walk.reading.piece,),
    )
    return Standing(None, measured, (asked,), sectors)


def _margin(walk: _Walk) -> Standing:
    """On the board but in no sector: to the Reserve, or it stays (W-07)."""
    question = f"margin:{walk.reading.piece}"
    answer = walk.answers.get(question)
    is_answered = answer in {"reserve", "stay"}
    where = answer if is_answered else walk.options.margin
    place = MARGIN if where == "stay" else RESERVE
    asked = Question(
        question,
        None,
        Text.of("warstones.ask_margin", chip=walk.reading.name),
        (
            Option("reserve", Text.of("warstones.to_reserve")),
            Option("stay", Text.of("warstones.stays")),
        ),
        walk.options.margin,
        RuleRef("W-07"),
        (walk.reading.piece,),
    )
    questions = () if is_answered else (asked,)
    return Standing(replace(place, at_mm=at_mm(walk.footing)), questions=questions)


def _terrain(walk: _Walk) -> Terrain | Question:
    """The terrain that holds more than half of it; in doubt it is outside (3.4), but of
    a chip that was hardly measured a person says it."""
    found, open_ones = Terrain.PLAIN, []
    for terrain, part in walk.footing.terrains:
        ruling = doubt.in_terrain(walk.reading, terrain)
        line = doubt.terrain_line(walk.reading, terrain)
        if ruling.grounds and walk.reading.is_rough(line):
            open_ones.append(terrain)
            continue
        if part.value < 1 - 1e-9:
            walk.rulings.append(ruling)
        if ruling.verdict is Verdict.UPHELD and not ruling.grounds:
            found = terrain
    if not open_ones:
        return found
    offered = (*open_ones, Terrain.PLAIN)
    answer = walk.answers.get(f"terrain:{walk.reading.piece}")
    said = next((terrain for terrain in offered if terrain == answer), None)
    return _ask_terrain(walk, offered) if said is None else said


def _ask_terrain(walk: _Walk, offered: tuple[Terrain, ...]) -> Question:
    return Question(
        f"terrain:{walk.reading.piece}",
        None,
        Text.of("warstones.ask_terrain", chip=walk.reading.name),
        tuple(
            Option(terrain.value, Text.of(f"warstones.terrain_{terrain}"))
            for terrain in offered
        ),
        rule=RuleRef("3.4"),
        pieces=(walk.reading.piece,),
    )
