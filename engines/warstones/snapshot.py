"""What one look at the table says: chips and what lies under them, tokens, counters."""

from __future__ import annotations

from dataclasses import dataclass

from engines.core import Finding, Margin, Seat
from engines.core.zones import Disc, Measure, depth_mm, share
from engines.warstones.mat import Area, Mat
from engines.warstones.terms import Terrain


@dataclass(frozen=True, slots=True)
class Footing:
    """What lies under a disc: the share of it in each zone that it reaches."""

    disc: Disc
    board: Measure
    sectors: tuple[tuple[str, Measure], ...]
    """Largest share first, as everywhere here."""
    bases: tuple[tuple[str, Measure], ...]
    reserves: tuple[tuple[str, Measure], ...]
    terrains: tuple[tuple[Terrain, Measure], ...]
    """All forests together count as one terrain, and so on."""

    def margin(self, measure: Measure, *, line: float = 0.5) -> Margin:
        """Return how far a share lies above one half, with its sigma."""
        return measure.margin(self.disc.covariance_mm2, line=line, unit="share")

    def margin_mm(self, measure: Measure) -> Margin:
        """Return a distance in mm with its sigma."""
        return measure.margin(self.disc.covariance_mm2, line=0.0, unit="mm")


@dataclass(frozen=True, slots=True)
class SeenChip:
    """A unit on the table."""

    piece: str
    label: str | None
    """The unit's label in the kit; `None` if it could not be told."""
    candidates: tuple[str, ...]
    """Labels it may be, the likeliest first."""
    seats: tuple[Seat, ...]
    """Whose it may be; more than one if two players have the same faction."""
    footing: Footing
    touched: bool = False


@dataclass(frozen=True, slots=True)
class SeenCity:
    """A token on a Fortress."""

    city: str
    piece: str
    token: str | None
    """The token's name in the notation; `None` if it could not be read."""
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenCounter:
    """An action counter on its track."""

    seat: Seat
    points: int
    piece: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that one look at the table says."""

    chips: tuple[SeenChip, ...]
    cities: tuple[SeenCity, ...]
    counters: tuple[SeenCounter, ...] = ()
    findings: tuple[Finding, ...] = ()
    answers: tuple[tuple[str, str], ...] = ()
    """What people answered of chips that lie where they lay: question and answer."""


def footing(mat: Mat, disc: Disc, players: int) -> Footing:
    """Return what lies under a disc on the mat."""
    return Footing(
        disc,
        share(mat.board.zone, disc),
        _shares(mat.sectors, disc),
        _shares([a for a in mat.bases if a.owners(players)], disc),
        _shares([a for a in mat.reserves if a.owners(players)], disc),
        _terrain_shares(mat, disc),
    )


def _shares(
    areas: tuple[Area, ...] | list[Area], disc: Disc
) -> tuple[tuple[str, Measure], ...]:
    found = [(a.zone.id, share(a.zone, disc)) for a in areas if a.zone.is_near(disc)]
    kept = [item for item in found if item[1].value > 1e-12]
    return tuple(sorted(kept, key=lambda item: (-item[1].value, item[0])))


def _terrain_shares(mat: Mat, disc: Disc) -> tuple[tuple[Terrain, Measure], ...]:
    found: dict[Terrain, Measure] = {}
    for area in mat.terrains:
        if area.zone.is_near(disc):
            part = share(area.zone, disc)
            if part.value > 1e-12:
                found[area.terrain] = found.get(area.terrain, Measure(0.0)) + part
    return tuple(sorted(found.items(), key=lambda item: (-item[1].value, item[0])))


def line_mm(disc: Disc, here: Area, there: Area) -> Measure:
    """Return how far the centre lies on `here`'s side of the line between two areas."""
    centre = (disc.x_mm, disc.y_mm)
    return _outside(there, centre) - _outside(here, centre)


def border_mm(disc: Disc, area: Area) -> Measure:
    """Return how far the centre lies inside an area's line."""
    return depth_mm(area.zone, (disc.x_mm, disc.y_mm))


def overlap_mm(disc: Disc, area: Area) -> Measure:
    """Return how far the rim reaches into an area; negative: how far it is away."""
    return Measure(disc.radius_mm) + border_mm(disc, area)


def _outside(area: Area, centre: tuple[float, float]) -> Measure:
    depth = depth_mm(area.zone, centre)
    return -depth if depth.value < 0 else Measure(0.0)
