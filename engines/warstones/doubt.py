"""The doubt rules of section 3: measured rulings, and the rulings that rest on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from engines.core import (
    Evidence,
    Margin,
    RuleRef,
    Ruling,
    Text,
    Verdict,
    as_measured,
)
from engines.core.zones import Measure
from engines.warstones.mat import EQUAL_DISTANCE_MM, Mat
from engines.warstones.snapshot import Footing, border_mm, line_mm, overlap_mm
from engines.warstones.terms import Terrain

ROUGH_MM = 2.0
"""A distance with a larger error was hardly measured."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which sector counts: the one with the largest share, or in doubt the farthest."""

    best: str
    doubtful: tuple[str, ...]
    """Sectors that the measurement cannot tell from the best."""
    chosen: tuple[str, ...]
    """One sector, or several equally far ones: then a person decides (W-06)."""


def choose_sector(
    shares: Mapping[str, float],
    apart: Callable[[str, str], Margin],
    distances: Mapping[str, float],
    *,
    equal: float = EQUAL_DISTANCE_MM,
) -> Choice:
    """Return the sector that counts (3.2).

    `apart(a, b)` is the margin of the claim that a's share is the greater one;
    `distances` are those of the sectors from the owner's Base.
    """
    best = max(shares, key=lambda sector: shares[sector])
    doubtful = tuple(
        other
        for other in shares
        if other != best and apart(best, other).verdict is Verdict.UNDECIDED
    )
    candidates = (best, *doubtful)
    if len(candidates) == 1:
        return Choice(best, (), candidates)
    if any(sector not in distances for sector in candidates):
        return Choice(best, doubtful, candidates)
    farthest = max(distances[sector] for sector in candidates)
    chosen = tuple(s for s in candidates if distances[s] > farthest - equal)
    return Choice(best, doubtful, chosen)


@dataclass(frozen=True, slots=True)
class Reading:
    """A chip, the mat and how to speak of it: what all measured rulings need."""

    piece: str
    name: Text
    footing: Footing
    mat: Mat
    is_live: bool = False
    """A person at the table can say what was hardly measured before play goes on."""

    def is_rough(self, line: Measure) -> bool:
        """Return whether in play the distance from a line was hardly measured: doubt of
        that is asked about, for rules for doubt are for what nobody can tell."""
        return self.is_live and self.footing.margin_mm(line).sigma > ROUGH_MM

    def evidence(self, margin: Margin) -> tuple[Evidence, ...]:
        """Return the distance from the deciding line as a fact."""
        mm, sigma = as_measured(abs(margin.value), margin.sigma)
        fact = Text.of("warstones.line_fact", mm=mm, sigma=sigma)
        return (Evidence(fact, f"piece:{self.piece}"),)


def off_board(reading: Reading) -> Ruling:
    """Rule on "this chip is off the board": more than half of it is (3.1)."""
    outside = -reading.footing.board
    margin = reading.footing.margin(outside, line=-0.5)
    border = reading.footing.margin_mm(
        border_mm(reading.footing.disc, reading.mat.board)
    )
    claim = Text.of("warstones.claim_off", chip=reading.name)
    measured = _measured(reading, claim, margin, border, "3.1", 1 + outside.value)
    return _in_doubt(reading, measured, "claim_on", "doubt_on", "3.1")


def in_terrain(reading: Reading, terrain: Terrain) -> Ruling:
    """Rule on "this chip lies in that terrain": more than half of it does (3.4)."""
    part = dict(reading.footing.terrains).get(terrain)
    if part is None:
        claim = _terrain_claim(reading, terrain, "claim_terrain")
        reason = Text.of("warstones.no_part_there")
        return Ruling(claim, Verdict.REJECTED, reason, RuleRef("3.4"))
    claim = _terrain_claim(reading, terrain, "claim_terrain")
    margin = reading.footing.margin(part)
    border = reading.footing.margin_mm(terrain_line(reading, terrain))
    measured = _measured(reading, claim, margin, border, "3.4", part.value)
    if measured.verdict is not Verdict.UNDECIDED:
        return measured
    return Ruling(
        _terrain_claim(reading, terrain, "claim_outside_terrain"),
        Verdict.UPHELD,
        Text.of("warstones.doubt_outside"),
        RuleRef("3.4"),
        grounds=(measured,),
    )


def is_in(reading: Reading, area: str, kind: str) -> Ruling:
    """Rule on "more than half of this chip lies in that Base or Reserve" (3.1)."""
    areas = reading.mat.bases if kind == "base" else reading.mat.reserves
    found = next(a for a in areas if a.id == area)
    parts = dict((*reading.footing.bases, *reading.footing.reserves))
    claim = Text.of("warstones.claim_in", chip=reading.name, area=found.text)
    margin = reading.footing.margin(parts[area])
    border = reading.footing.margin_mm(border_mm(reading.footing.disc, found))
    return _measured(reading, claim, margin, border, "3.1", parts[area].value)


def reaches(reading: Reading, sector: str) -> Ruling:
    """Rule on "this chip reaches into that sector" (3.3)."""
    area = reading.mat.sector(sector)
    assert area is not None, "only sectors of the mat are asked about"
    margin = reading.footing.margin_mm(overlap_mm(reading.footing.disc, area))
    claim = Text.of("warstones.claim_reaches", chip=reading.name, sector=area.text)
    mm, sigma = as_measured(margin.value, margin.sigma)
    reason = Text.of("warstones.measured_reach", mm=mm, sigma=sigma)
    return Ruling(claim, margin.verdict, reason, RuleRef("3.3"), margin=margin)


def sectors_apart(reading: Reading, here: str, there: str) -> Ruling:
    """Rule on "more of this chip lies in `here` than in `there`" (3.2)."""
    parts = dict(reading.footing.sectors)
    margin = share_margin(reading.footing, here, there)
    one, two = reading.mat.sector(here), reading.mat.sector(there)
    assert one is not None, "only sectors of the mat have shares"
    assert two is not None, "only sectors of the mat have shares"
    line = reading.footing.margin_mm(line_mm(reading.footing.disc, one, two))
    claim = Text.of(
        "warstones.claim_sector", chip=reading.name, sector=one.text, other=two.text
    )
    share, sigma = as_measured(100 * parts[here].value, 100 * margin.sigma)
    other, _ = as_measured(100 * parts[there].value, 100 * margin.sigma)
    reason = Text.of(
        "warstones.measured_sectors", share=share, other=other, sigma=sigma
    )
    return Ruling(
        claim, margin.verdict, reason, RuleRef("3.2"), reading.evidence(line), margin
    )


def share_margin(footing: Footing, here: str, there: str) -> Margin:
    """Return by how much the share in one sector exceeds that in another."""
    parts = dict(footing.sectors)
    return footing.margin(parts[here] - parts[there], line=0.0)


def counts_in(
    reading: Reading, sector: str, grounds: tuple[Ruling, ...], *, reason: str
) -> Ruling:
    """Return the ruling that a doubtful chip counts in a sector, by the doubt rule."""
    return Ruling(
        Text.of(
            "warstones.claim_counts_in",
            chip=reading.name,
            sector=reading.mat.sector_text(sector),
        ),
        Verdict.UPHELD,
        Text.of(f"warstones.{reason}"),
        RuleRef("3.2"),
        grounds=grounds,
    )


def nearby_sectors(reading: Reading) -> Iterator[str]:
    """Yield the sectors that the rim may reach, measuring error included."""
    xx, _, yy = reading.footing.disc.covariance_mm2
    slack = 4 * max(xx, yy, 0.0) ** 0.5
    for area in reading.mat.sectors:
        if area.zone.is_near(reading.footing.disc, slack_mm=slack):
            yield area.id


def _measured(
    reading: Reading, claim: Text, margin: Margin, line: Margin, rule: str, part: float
) -> Ruling:
    share, sigma = as_measured(100 * part, 100 * margin.sigma)
    reason = Text.of("warstones.measured_share", share=share, sigma=sigma)
    evidence = reading.evidence(line)
    return Ruling(claim, margin.verdict, reason, RuleRef(rule), evidence, margin)


def _in_doubt(
    reading: Reading, measured: Ruling, claim: str, reason: str, rule: str
) -> Ruling:
    if measured.verdict is not Verdict.UNDECIDED:
        return measured
    return Ruling(
        Text.of(f"warstones.{claim}", chip=reading.name),
        Verdict.UPHELD,
        Text.of(f"warstones.{reason}"),
        RuleRef(rule),
        grounds=(measured,),
    )


def _terrain_claim(reading: Reading, terrain: Terrain, message: str) -> Text:
    name = Text.of(f"warstones.terrain_{terrain}")
    return Text.of(f"warstones.{message}", chip=reading.name, terrain=name)


def terrain_line(reading: Reading, terrain: Terrain) -> Measure:
    """Return the distance from the nearest line of a kind of terrain."""
    disc = reading.footing.disc
    depths = (
        border_mm(disc, area)
        for area in reading.mat.terrains
        if area.terrain is terrain and area.zone.is_near(disc)
    )
    return min(depths, key=lambda depth: abs(depth.value))
