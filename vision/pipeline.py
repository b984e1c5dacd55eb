"""The stages in order, with a stopwatch: frame -> observation."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from vision.cards import CardSeen, IndexSeen, assemble
from vision.crops import card_window
from vision.detect import Detect, load_detector, merged, whole_view
from vision.looks import Looks
from vision.models import load_manifest
from vision.naming import Sureness, duplicates, name_all, plausible
from vision.quads import quad_overlap
from vision.quality import assess
from vision.reading import Read, load_reader
from vision.refine import RefinedQuad
from vision.round_things import PART_OF_RIM, discs_of, find_round_things, with_rims
from vision.stack import stack
from vision.table import locate_and_place
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
    Quad,
)
from vision.zoom import zoom_views

MIN_CONTRAST = 3.0
"""Grey levels (standard deviation) that a hand has at least."""
SAME_OUTLINE = 0.9
"""Two outlines that overlap by more (IoU) are of one card."""
LONG_SIDE_PX = (640, 320)
"""The whole picture is looked at in these sizes: small things, and large ones."""


@dataclass(slots=True)
class Stopwatch:
    """Laps in milliseconds, in the order of the stages."""

    laps: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

    def lap(self, stage: str) -> None:
        """Add the time since the last lap to `stage`."""
        now = time.perf_counter()
        self.laps[stage] = self.laps.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now


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
        watch, looks = Stopwatch(), Looks(frame.bgr, self.read)
        views = [whole_view(frame.bgr, long_side) for long_side in LONG_SIDE_PX]
        found = self.detect(frame.bgr, views)
        watch.lap("detect")
        cards, identities = self._identify(looks, found)
        watch.lap("identify")
        closer = zoom_views(frame.bgr, found, cards, identities)
        if closer:
            found = merged(found, self.detect(frame.bgr, closer))
            watch.lap("detect")
            cards, identities = self._identify(looks, found)
            watch.lap("identify")
        discs = [d.quad_px for d in found if d.kind is Kind.DISC]
        real = plausible(
            cards, identities, min_score=self.min_unread_score, discs_px=discs
        )
        cards = tuple(card for card, kept in zip(cards, real, strict=True) if kept)
        identities = tuple(i for i, kept in zip(identities, real, strict=True) if kept)
        if len(discs) >= len(cards):  # a table of discs: they are smaller than cards
            rims = find_round_things(frame.bgr, self.detect)
        else:
            rims = with_rims(frame.bgr, found, min_share=PART_OF_RIM)
        hands = [
            d
            for d in found
            if d.kind is Kind.HAND
            and d.score >= self.min_hand_score
            and _has_contrast(frame.bgr, d.quad_px)
        ]
        others = [*hands, *discs_of(rims)]
        watch.lap("detect")
        placements = _placements(frame.bgr, cards, identities, others)
        watch.lap("stack")
        table, placements = locate_and_place(frame, placements)
        watch.lap("place")
        findings = (
            *duplicates(placements, decks=self.decks),
            *assess(frame.bgr, placements),
            *_noticed(placements),
        )
        watch.lap("assess")
        return Observation(
            frame=frame.id,
            source=frame.source,
            width_px=frame.bgr.shape[1],
            height_px=frame.bgr.shape[0],
            taken_at=frame.taken_at,
            table=table,
            placements=placements,
            findings=findings,
            timings_ms=tuple((k, round(v, 2)) for k, v in watch.laps.items()),
        )

    def _identify(
        self, looks: Looks, found: Sequence[Detection]
    ) -> tuple[tuple[CardSeen, ...], tuple[Identity, ...]]:
        flat = [
            d
            for d in found
            if d.kind in {Kind.CARD, Kind.BACK} and d.score >= self.min_card_score
        ]
        corners = [d for d in found if d.kind is Kind.INDEX]
        outlines = [looks.outline(d.quad_px) for d in flat]
        flat, outlines = _distinct(flat, outlines)
        wholes = looks.readings([card_window(o.quad_px) for o in outlines])
        corners = looks.worth_reading(corners, outlines, wholes)
        indices = looks.indices(corners, outlines)
        seen = [
            CardSeen(outline.quad_px, d.score, d.kind, whole, support=outline.support)
            for outline, d, whole in zip(outlines, flat, wholes, strict=True)
        ]
        cards = assemble(seen, [i for i in indices if _is_index(i)])
        cards = tuple(_of_its_kind(card) for card in cards)
        return cards, name_all(cards, sureness=self.sureness, decks=self.decks)


def _distinct(
    found: Sequence[Detection], outlines: Sequence[RefinedQuad]
) -> tuple[list[Detection], list[RefinedQuad]]:
    """Return detections without those whose sides fell on the sides of a better one."""
    kept: list[int] = []
    order = sorted(range(len(found)), key=lambda i: -found[i].score)
    for i in order:
        if all(
            quad_overlap(outlines[i].quad_px, outlines[k].quad_px) < SAME_OUTLINE
            for k in kept
        ):
            kept.append(i)
    return [found[i] for i in kept], [outlines[i] for i in kept]


def _has_contrast(bgr: Bgr, quad_px: Array) -> bool:
    """Return whether there is anything to see in a box: a hand is not one even grey."""
    low = np.maximum(quad_px.min(0), 0).astype(int)
    high = np.ceil(quad_px.max(0)).astype(int)
    part = bgr[low[1] : high[1] : 4, low[0] : high[0] : 4]
    return bool(part.size) and float(part.std(axis=(0, 1)).max()) > MIN_CONTRAST


def _noticed(placements: Sequence[Placement]) -> tuple[Finding, ...]:
    """Return what is missing: everything, or the names of some cards."""
    if not placements:
        return (Finding("nothing_found"),)
    unread = [
        p.id for p in placements if p.kind is Kind.CARD and p.identity.label is None
    ]
    if not unread:
        return ()
    return (Finding("unread", (("count", len(unread)),), tuple(unread)),)


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
    placements += [
        Placement(
            id=f"{thing.kind.value[0]}{number}",
            kind=thing.kind,
            identity=Identity(None),
            score=round(thing.score, 4),
            quad_px=plain_quad(thing.quad_px),
            order=len(cards) + number,
        )
        for number, thing in enumerate(others)
    ]
    return tuple(placements)


def plain_quad(quad_px: Array) -> Quad:
    """Return a quad as plain numbers, to a hundredth of a px."""
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in quad_px)


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
            reader.threshold("min_face"),
            reader.threshold("min_probability"),
            reader.threshold("min_faint"),
        ),
        min_card_score=detector.threshold("min_card_score"),
        min_unread_score=detector.threshold("min_unread_score"),
        min_hand_score=detector.threshold("min_hand_score"),
        decks=decks,
    )
