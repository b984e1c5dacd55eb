"""From seen chips to units of players in places, with what must be asked first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from engines.core import Margin, Option, Question, RuleRef, Ruling, Seat, Text
from engines.warstones.doubt import Reading
from engines.warstones.objections import token_text
from engines.warstones.options import Options
from engines.warstones.snapshot import SeenChip, SeenCity, Snapshot
from engines.warstones.standing import Standing, stand
from engines.warstones.state import Chip, State, opening
from engines.warstones.terms import (
    ChipId,
    Place,
    Spot,
    letter,
    player_text,
)

NO_CHIP = "none"
"""What people answer where something else was taken for a chip."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A seen chip with what is known of it; `None` where a person must say so."""

    seen: SeenChip
    label: str | None
    seat: Seat | None
    seats: tuple[Seat, ...]
    """Whose it may be."""
    place: Place | None
    name: Text
    sectors: tuple[str, ...]
    """The sectors that it may count in."""
    line: Margin | None
    rulings: tuple[Ruling, ...]
    questions: tuple[Question, ...]

    @property
    def is_known(self) -> bool:
        """Return whether unit, owner and place are all known."""
        return None not in {self.label, self.seat, self.place}


def resolve(
    snapshot: Snapshot,
    options: Options,
    answers: Mapping[str, str],
    *,
    is_live: bool = False,
) -> tuple[Resolved, ...]:
    """Return every seen chip with unit, owner and place as far as they are known,
    without what people said is none."""
    return tuple(
        _resolve(chip, options, answers, is_live=is_live)
        for chip in snapshot.chips
        if answers.get(f"unit:{chip.piece}") != NO_CHIP
    )


def _resolve(
    chip: SeenChip, options: Options, answers: Mapping[str, str], *, is_live: bool
) -> Resolved:
    label = chip.label or _answered_label(chip, options, answers)
    seats = chip.seats if chip.label else _seats(label, chip, options)
    seats = seats or options.seats
    seat = _answered_seat(chip, seats, answers)
    name = _name(label, seat, options)
    asked = []
    if label is None:
        asked.append(_ask_unit(chip, options))
    if seat is None and label is not None:
        asked.append(_ask_owner(chip, name, seats))
    reading = Reading(chip.piece, name, chip.footing, options.mat, is_live)
    standing = _stand(reading, seat, seats, options, answers)
    return Resolved(
        chip,
        label,
        seat,
        seats if seat is None else (seat,),
        standing.place,
        name,
        standing.sectors,
        standing.line,
        standing.rulings,
        (*asked, *standing.questions),
    )


def _stand(
    reading: Reading,
    seat: Seat | None,
    seats: tuple[Seat, ...],
    options: Options,
    answers: Mapping[str, str],
) -> Standing:
    """Return where a chip counts; one without a known owner, if all agree."""
    if seat is not None:
        return stand(reading, seat, options, answers)
    standings = [stand(reading, possible, options, answers) for possible in seats]
    first = standings[0]
    if all(standing.place == first.place for standing in standings):
        return first
    sectors = dict.fromkeys(s for standing in standings for s in standing.sectors)
    return Standing(None, sectors=tuple(sectors))


def _answered_label(
    chip: SeenChip, options: Options, answers: Mapping[str, str]
) -> str | None:
    answer = answers.get(f"unit:{chip.piece}")
    return answer if answer and options.kit.unit(answer) is not None else None


def _seats(label: str | None, chip: SeenChip, options: Options) -> tuple[Seat, ...]:
    if label is None:
        return chip.seats
    faction = label.partition(".")[0]
    seats = tuple(s for s in options.seats if options.factions[s] == faction)
    known = tuple(s for s in seats if s in chip.seats)
    return known or seats


def _answered_seat(
    chip: SeenChip, seats: tuple[Seat, ...], answers: Mapping[str, str]
) -> Seat | None:
    if len(seats) == 1:
        return seats[0]
    answer = answers.get(f"owner:{chip.piece}")
    return next((seat for seat in seats if letter(seat) == answer), None)


def _name(label: str | None, seat: Seat | None, options: Options) -> Text:
    unit = None if label is None else options.kit.unit(label)
    text = Text.of("warstones.some_chip") if unit is None else unit.text
    if seat is None or seat >= options.players:
        return text
    return Text.of("warstones.seen_chip", unit=text, player=player_text(seat))


def _ask_unit(chip: SeenChip, options: Options) -> Question:
    factions = {options.factions[seat] for seat in chip.seats or options.seats}
    others = (u.label for u in options.kit.units if u.faction in factions)
    labels = tuple(dict.fromkeys((*chip.candidates, *others)))
    units = ((label, options.kit.unit(label)) for label in labels)
    named = (Option(label, unit.text) for label, unit in units if unit is not None)
    none = Option(NO_CHIP, Text.of("warstones.answer_no_chip"))
    return Question(
        f"unit:{chip.piece}",
        None,
        Text.of("warstones.ask_unit"),
        (*named, none),
        pieces=(chip.piece,),
        rule=RuleRef("3"),
    )


def _ask_owner(chip: SeenChip, name: Text, seats: tuple[Seat, ...]) -> Question:
    return Question(
        f"owner:{chip.piece}",
        None,
        Text.of("warstones.ask_owner", chip=name),
        tuple(Option(letter(seat), player_text(seat)) for seat in seats),
        rule=RuleRef("3"),
        pieces=(chip.piece,),
    )


def city_tokens(
    snapshot: Snapshot, options: Options, answers: Mapping[str, str]
) -> tuple[dict[str, str | None], tuple[Question, ...]]:
    """Return the token on each City space and what must be asked.

    `None` is a Fortress without a token; a City space that is missing is not known.
    """
    tokens: dict[str, str | None] = {}
    asked: list[Question] = []
    seen = {city.city: city for city in snapshot.cities}
    known = {city.token for city in snapshot.cities}
    for area in options.mat.cities:
        found = seen.get(area.id)
        answer = answers.get(f"city:{area.id}")
        if found is not None and found.token is not None:
            tokens[area.id] = found.token
        elif answer == "none" or (answer and options.kit.city(answer) is not None):
            tokens[area.id] = None if answer == "none" else answer
        else:
            asked.append(_ask_city(area.id, found, known, options))
    return tokens, tuple(asked)


def _ask_city(
    city: str, seen: SeenCity | None, known: set[str | None], options: Options
) -> Question:
    likely = () if seen is None else seen.candidates
    others = (token.key for token in options.kit.cities)
    tokens = (t for t in dict.fromkeys((*likely, *others)) if t not in known)
    space = options.mat.city(city)
    name = Text.of("core.literal", text=city) if space is None else space.text
    none = (
        ()
        if seen is not None
        else (Option("none", Text.of("warstones.empty_fortress")),)
    )
    return Question(
        f"city:{city}",
        None,
        Text.of("warstones.ask_city", city=name),
        (*(Option(t, token_text(options, t)) for t in tokens), *none),
        rule=RuleRef("W-13"),
        pieces=() if seen is None else (seen.piece,),
    )


def table_state(
    chips: tuple[Resolved, ...], tokens: Mapping[str, str | None], options: Options
) -> tuple[State, dict[str, ChipId]]:
    """Return a state that holds just what lies there, for the arithmetic of a look.

    Also returns piece -> chip. Chips that are not known completely are left out.
    """
    counts: Counter[tuple[Seat, str]] = Counter()
    ids: dict[str, ChipId] = {}
    placed = []
    for chip in chips:
        if chip.label is None or chip.seat is None or chip.place is None:
            continue
        if chip.seat >= options.players or chip.place.spot is Spot.OFF:
            continue
        faction, _, unit = chip.label.partition(".")
        if options.factions[chip.seat] != faction:
            continue
        counts[chip.seat, unit] += 1
        number = counts[chip.seat, unit]
        ids[chip.seen.piece] = ChipId(f"{letter(chip.seat)}:{unit}-{number}")
        placed.append(Chip(ids[chip.seen.piece], chip.place))
    cities = tuple((area.id, tokens.get(area.id)) for area in options.mat.cities)
    state = replace(opening(options), chips=tuple(placed), cities=cities, turn=Seat(0))
    return state, ids
