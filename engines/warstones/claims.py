"""One dispute about one chip: "is it in the forest?", "is it in N-C?", "is it off?"."""

from __future__ import annotations

from collections.abc import Mapping

from engines.core import RuleRef, Ruling, Text, Verdict
from engines.core.errors import OptionError
from engines.warstones import doubt
from engines.warstones.doubt import Reading
from engines.warstones.options import Options
from engines.warstones.resolve import resolve
from engines.warstones.snapshot import Snapshot
from engines.warstones.terms import Spot, Terrain

_TERRAINS = {terrain.value: terrain for terrain in Terrain if terrain != "plain"} | {
    "lake": Terrain.WATER,
    "river": Terrain.WATER,
}


def rule_claim(
    snapshot: Snapshot,
    options: Options,
    *,
    piece: str,
    question: str,
    answers: Mapping[str, str],
) -> Ruling:
    """Rule on "chip `piece` is in `question`": a terrain, a sector, base or off.

    In doubt the ruling rests on the undecided measurement, which is in its `grounds`;
    the verdict is undecided where a person must be asked. Raises `OptionError` for a
    chip that is not there or a question that the mat does not know.
    """
    chips = resolve(snapshot, options, answers)
    chip = next((chip for chip in chips if chip.seen.piece == piece), None)
    if chip is None:
        known = ", ".join(chip.seen.piece for chip in chips)
        raise OptionError(f"there is no chip {piece!r}; there are {known or 'none'}")
    reading = Reading(piece, chip.name, chip.seen.footing, options.mat)
    if question in _TERRAINS:
        return doubt.in_terrain(reading, _TERRAINS[question])
    if question == "off":
        return doubt.off_board(reading)
    area = options.mat.sector(question)
    if question not in {"base", "reserve", "margin"} and area is None:
        words = (*_TERRAINS, "off", "base", "reserve", "margin")
        sectors = (sector.id for sector in options.mat.sectors)
        expected = ", ".join((*words, *sectors))
        raise OptionError(f"no such question {question!r}; ask one of {expected}")
    where = Text.of(f"warstones.in_{question}") if area is None else area.text
    claim = Text.of("warstones.claim_in", chip=chip.name, area=where)
    rule, place = RuleRef("3.2"), chip.place
    if place is None:
        reason = Text.of("warstones.must_be_asked")
        return Ruling(claim, Verdict.UNDECIDED, reason, rule, grounds=chip.rulings)
    is_there = (
        place.spot is Spot(question) if area is None else place.sector == question
    )
    counts = options.mat.sector_text(place.sector) if place.sector else None
    reason = Text.of(
        "warstones.counts_there",
        area=counts or Text.of(f"warstones.in_{place.spot}"),
    )
    verdict = Verdict.UPHELD if is_there else Verdict.REJECTED
    return Ruling(claim, verdict, reason, rule, grounds=chip.rulings)
