"""The stages in order, with a stopwatch: frame -> observation."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from vision.assembling import assemble
from vision.cards import CardSeen, IndexSeen
from vision.crops import card_window
from vision.detect import Detect, View, load_detector, merged, whole_view
from vision.geometry import TableMap
from vision.ground_around import without_ground
from vision.likeness import likened
from vision.looks import Looks
from vision.mirrored import MIRRORED, is_mirrored, unnamed
from vision.models import load_manifest
from vision.naming import Sureness, duplicates, name_all
from vision.observing import (
    Stopwatch,
    distinct,
    hands,
    noticed,
    observed,
    others_placed,
    plain_quad,
)
from vision.owners import CLEAR
from vision.plausible import plausible
from vision.quads import area_px2, quad_overlap
from vision.quality import assess
from vision.reading import Read, load_reader
from vision.round_things import (
    PART_OF_RIM,
    discs_of,
    find_round_things,
    is_about_discs,
    rims_beside_cards,
    with_rims,
)
from vision.stack import stack
from vision.steady import without_unsteady
from vision.table import locate_and_place
from vision.thinned import told_thinned
from vision.types import (
    Array,
    Bgr,
    Detection,
    Finding,
    Frame,
    Identity,
    Kind,
    Observation,
    Placement,
    TableFound,
    TableNotFound,
)
from vision.wanted import Wanted, anywhere, where_wanted
from vision.zoom import zoom_views

LONG_SIDE_PX = (640, 320)
"""The whole picture is looked at in these sizes: small things, and large ones."""
BEYOND_DOUBT = 0.97
SAME_THING = 0.5
"""Boxes that overlap by more (IoU) are around one thing."""
NEAR_CARD_PX, MOST_NEAR_SCALE = 96.0, 2.0
"""So long a card should be for the network where its length is known, and how much a
picture is enlarged at most."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Reads frames; holds no state between them and may be used by many threads."""

    detect: Detect
    read: Read
    sureness: Sureness
    min_card_score: float
    min_unread_score: float
    min_hand_score: float
    decks: int = 1

    def __call__(self, frame: Frame) -> Observation:
        """Return all that the frame says."""
        views = [whole_view(frame.bgr, long_side) for long_side in LONG_SIDE_PX]
        return self._observe(frame, views, closely=True)

    def near(
        self,
        frame: Frame,
        card_px: float,
        *,
        closely: bool = False,
        wanted: Wanted = anywhere,
        table: TableMap | None = None,
        known: Sequence[Array] = (),
        laid: Sequence[Array] = (),
    ) -> Observation:
        """Return what a part of a picture says in which cards are known to be so long.

        One look at the right size is enough then, for a fifth of the time; `closely` at
        half that size too, where backs are seen better. Only what lies where something
        is `wanted` is read. Millimetres are not worked out: who knows the whole picture
        has a better map (its `table`, which cards are `known` to lie in the part, and
        where some may have been `laid`, help only those who read decks of their own
        art).
        """
        sides = near_sides(frame.bgr, card_px, closely=closely)
        views = [whole_view(frame.bgr, side) for side in sides]
        return self._observe(
            frame, views, closely=closely, wanted=wanted, part_card_px=card_px
        )

    def _observe(
        self,
        frame: Frame,
        views: Sequence[View],
        *,
        closely: bool,
        wanted: Wanted = anywhere,
        part_card_px: float = 0.0,
    ) -> Observation:
        """Return what is seen; of a part of a picture in which cards are known to be so
        long (`part_card_px`) nothing that only the whole of it tells."""
        watch, is_part = Stopwatch(), part_card_px > 0
        looks = Looks(frame.bgr, self.read, part_card_px)
        found = where_wanted(self.detect(frame.bgr, views), wanted)
        watch.lap("detect")
        cards, identities = self._identify(looks, found)
        watch.lap("identify")
        first = views[0].scale
        closer = (
            zoom_views(frame.bgr, found, cards, identities, first) if closely else ()
        )
        if closer:
            again = where_wanted(self.detect(frame.bgr, closer), wanted)
            found = merged(found, again)
            watch.lap("detect")
            cards, identities = self._identify(looks, found)
        told = told_thinned(self.read, frame.bgr, likened(frame.bgr, cards))
        if any(one is not card for one, card in zip(told, cards, strict=True)):
            cards = told
            identities = name_all(cards, sureness=self.sureness, decks=self.decks)
        identities = without_unsteady(self.read, frame.bgr, cards, identities)
        watch.lap("identify")
        corners = [d for d in found if d.kind is Kind.INDEX]
        swapped = not is_part and is_mirrored(looks, corners, cards)
        if swapped:
            identities = unnamed(identities)
        watch.lap("identify")
        discs = [d.quad_px for d in found if d.kind is Kind.DISC]
        real = plausible(
            cards,
            identities,
            min_score=self.min_unread_score,
            discs_px=discs,
            card_px=looks.card_px,
        )
        real = without_ground(frame.bgr, cards, identities, real)
        cards = tuple(card for card, kept in zip(cards, real, strict=True) if kept)
        identities = tuple(i for i, kept in zip(identities, real, strict=True) if kept)
        if is_part:
            rims = with_rims(frame.bgr, found, min_share=PART_OF_RIM)
        elif is_about_discs(len(discs), identities):
            rims = find_round_things(frame.bgr, self.detect)
        else:
            rims = rims_beside_cards(frame.bgr, found, self.detect)
        others = [*hands(frame.bgr, found, self.min_hand_score), *discs_of(rims)]
        watch.lap("detect")
        placements = _placements(frame.bgr, cards, identities, others)
        watch.lap("stack")
        table: TableFound | TableNotFound = TableNotFound("part")
        with ThreadPoolExecutor(1) as aside:  # pixels there, small sums here
            faults = aside.submit(assess, frame.bgr, placements)
            if not is_part:
                table, placements = locate_and_place(frame, placements)
            watch.lap("place")
            findings = (
                *duplicates(placements, decks=self.decks),
                *faults.result(),
                *noticed(placements),
                *([Finding(MIRRORED)] if swapped else []),
            )
        watch.lap("assess")
        return observed(frame, table, placements, findings, watch)

    def _identify(
        self, looks: Looks, found: Sequence[Detection]
    ) -> tuple[tuple[CardSeen, ...], tuple[Identity, ...]]:
        """Return the cards and their names; the doubtful ones were looked at twice."""
        cards, identities = self._at_first_sight(looks, found)
        doubtful = [
            card
            for card in cards
            if card.kind is Kind.CARD and float(card.faces.max()) < BEYOND_DOUBT
        ]
        if looks.closer(doubtful):
            return self._at_first_sight(looks, found)
        return cards, identities

    def _at_first_sight(
        self, looks: Looks, found: Sequence[Detection]
    ) -> tuple[tuple[CardSeen, ...], tuple[Identity, ...]]:
        flat = [
            d
            for d in found
            if d.kind in {Kind.CARD, Kind.BACK} and d.score >= self.min_card_score
        ]
        outlines = [looks.outline(d.quad_px) for d in flat]
        kept = distinct(flat, [outline.quad_px for outline in outlines])
        flat, outlines = [flat[i] for i in kept], [outlines[i] for i in kept]
        wholes = looks.readings([card_window(o.quad_px) for o in outlines])
        clear = [
            d.quad_px
            for d, whole in zip(flat, wholes, strict=True)
            if whole.certainty > CLEAR
        ]
        corners = corners_among(found, clear)
        corners = looks.worth_reading(corners, outlines, wholes)
        indices = looks.indices(corners, outlines)
        outlines, wholes = looks.upright(outlines, wholes, indices)
        seen = [
            CardSeen(outline.quad_px, d.score, d.kind, whole, support=outline.support)
            for outline, d, whole in zip(outlines, flat, wholes, strict=True)
        ]
        indices = [i for i in indices if _is_index(i)]
        cards = assemble(seen, indices, looks.bgr.shape, looks.card_px)
        cards = tuple(_of_its_kind(card) for card in cards)
        return cards, name_all(cards, sureness=self.sureness, decks=self.decks)


def corners_among(
    found: Sequence[Detection], cards_px: Sequence[Array]
) -> list[Detection]:
    """Return the boxes of indices but those around a card that is clear as a whole: a
    small card passes for the corner of a large one. What shows of a card below others
    may be its corner alone."""
    cards = [(card, area_px2(card)) for card in cards_px]
    return [
        one
        for one in found
        if one.kind is Kind.INDEX and not _is_around_any(one.quad_px, cards)
    ]


def _is_around_any(quad_px: Array, cards: Sequence[tuple[Array, float]]) -> bool:
    """Return whether a quad is the outline of one of some cards (with their areas)."""
    area = area_px2(quad_px)
    return any(
        SAME_THING * area < card_area < area / SAME_THING
        and quad_overlap(quad_px, card) > SAME_THING
        for card, card_area in cards
    )


def near_sides(bgr: Bgr, card_px: float, *, closely: bool) -> tuple[float, ...]:
    """Return how long a picture's long side is to be for the network, where cards are
    known to be so long: as they are read best, and half of it to look `closely`."""
    scale = min(NEAR_CARD_PX / card_px, MOST_NEAR_SCALE)
    side = scale * max(bgr.shape[:2])
    return (side, side / 2) if closely else (side,)


def _is_index(index: IndexSeen) -> bool:
    return index.reading.face >= 0.5


def _of_its_kind(card: CardSeen) -> CardSeen:
    """Return the card with its kind put right by what was read on it."""
    whole = card.whole
    if card.indices or whole is None:
        return replace(card, kind=Kind.CARD)
    if card.kind is Kind.CARD and whole.back > 0.9:
        return replace(card, kind=Kind.BACK)
    if card.kind is Kind.BACK and whole.face > 0.9:
        return replace(card, kind=Kind.CARD)
    return card


def _placements(
    bgr: Bgr,
    cards: Sequence[CardSeen],
    identities: Sequence[Identity],
    others: Sequence[Detection],
) -> tuple[Placement, ...]:
    quads = [card.quad_px for card in cards]
    marks = [[i.quad_px.mean(0) for i in card.indices] for card in cards]
    stacked = stack(bgr, quads, marks)
    placements = [
        Placement(
            id=f"c{number}",
            kind=card.kind,
            identity=identity,
            score=round(card.score, 4),
            quad_px=plain_quad(card.quad_px),
            visible=round(visible, 3),
            order=order,
        )
        for number, (card, identity, order, visible) in enumerate(
            zip(cards, identities, stacked.order, stacked.visible, strict=True), 1
        )
    ]
    return (*placements, *others_placed(others, len(cards)))


def load_pipeline(*, decks: int = 1) -> Pipeline:
    """Return the pipeline with the models that ship with Arbitro.

    `decks` is how many copies of each standard card may lie on the table. Raises
    `ModelError` if a model is missing or is not the file it should be.
    """
    detector, reader = load_manifest("detector"), load_manifest("reader")
    return Pipeline(
        detect=load_detector(detector),
        read=load_reader(reader),
        sureness=Sureness(
            reader.threshold("min_probability"),
            reader.threshold("min_alone"),
            reader.threshold("min_faint"),
            reader.threshold("min_once"),
            reader.threshold("min_whole"),
            reader.threshold("min_suit"),
        ),
        min_card_score=detector.threshold("min_card_score"),
        min_unread_score=detector.threshold("min_unread_score"),
        min_hand_score=detector.threshold("min_hand_score"),
        decks=decks,
    )
