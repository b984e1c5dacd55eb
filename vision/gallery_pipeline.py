"""The stages for decks of their own art: frame -> observation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vision.decode import decode
from vision.detect import Detect, load_detector, whole_view
from vision.gallery import Gallery
from vision.geometry import TableMap
from vision.identify import Identifier, Sighting, fit, nothing
from vision.lone_card import SAME_CARD, read_alone
from vision.matching.glare import whitened
from vision.mirrored import LEAST_CORNERS, MIRRORED, swapped_back
from vision.mirrored_faces import flipped_quad, speaking_for_mirror
from vision.models import load_manifest
from vision.observing import (
    Stopwatch,
    distinct,
    hands,
    noticed,
    observed,
    others_placed,
    plain_quad,
)
from vision.peel import Layer, peel
from vision.pipeline import LONG_SIDE_PX, near_sides
from vision.quads import quad_overlap
from vision.quality import assess
from vision.refine import refine_quad
from vision.several import apart_from
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
    TableFound,
    TableNotFound,
)
from vision.wanted import Wanted, anywhere, where_wanted

CLOSER_PX = (960, 1280)
"""Closer looks at the whole picture: small cards are found, and parts of fans."""
PROPOSED_SCORE = 0.4
"""Score of a card that the detector did not find: it is shown if it is named."""
MIN_PROPOSED_LIKENESS = 0.9
"""Of many proposals some look a little like a card by chance."""
SURE = 0.9
"""Probability of being any card of the decks below which a name is to be looked at."""
IN_GLARE = 0.89
"""Probability that a card in glare is shown with at most."""
MIN_UNKNOWN_SCORE = 0.45
"""How sure the detector must be of a card that looks like none of the gallery."""


@dataclass(frozen=True, slots=True)
class GalleryPipeline:
    """Reads frames with the cards of galleries; may be used by many threads."""

    detect: Detect
    identifier: Identifier
    galleries: tuple[Gallery, ...]
    min_card_score: float
    """Low: what a box holds is told by what it looks like."""
    min_hand_score: float

    def __call__(self, frame: Frame) -> Observation:
        """Return all that the frame says."""
        sides = (*LONG_SIDE_PX, *CLOSER_PX)
        return self._observe(frame, sides)

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
        """Return what a part of a picture says in which cards are known to be so long:
        only what lies where something is `wanted`; as `Pipeline.near`. One outline
        around a `known` card and another is that of the other. In the outlines `laid`
        cards may lie that the detector does not see.

        Only `closely` cards are looked for that the detector does not find, and ways in
        which what has no name may lie. Where the `table` is known, heaps can be told
        apart of which no card lies open.
        """
        sides = near_sides(frame.bgr, card_px, closely=True)
        return self._observe(
            frame,
            sides,
            wanted,
            is_part=True,
            proposes=closely,
            table=table,
            known=known,
            laid=laid,
        )

    def alone(
        self, frame: Frame, outline_px: Array, table: TableMap | None = None
    ) -> Placement | None:
        """Return the card that lies open in an outline, which is right to a few px;
        `None` where none can be named, or glare is on it. Where the `table` is known
        less must be known of a card that lies as it has cards lie."""
        look = read_alone(
            whitened(frame.bgr),
            outline_px,
            self.identifier,
            self.detect,
            self.size_mm,
            table,
        )
        if look is None:
            return None
        box = Detection(Kind.CARD, outline_px, PROPOSED_SCORE)
        return self._placements([Layer(look, 0)], [box])[0]

    def _observe(
        self,
        frame: Frame,
        sides_px: Sequence[float],
        wanted: Wanted = anywhere,
        *,
        is_part: bool = False,
        proposes: bool = True,
        table: TableMap | None = None,
        known: Sequence[Array] = (),
        laid: Sequence[Array] = (),
    ) -> Observation:
        watch = Stopwatch()
        views = [whole_view(frame.bgr, side) for side in sides_px]
        found = where_wanted(self.detect(frame.bgr, views), wanted)
        watch.lap("detect")
        boxes = [
            d
            for d in found
            if d.kind in {Kind.CARD, Kind.BACK} and d.score >= self.min_card_score
        ]
        boxes += [Detection(Kind.CARD, quad, PROPOSED_SCORE) for quad in laid]
        outlines = [
            apart_from(refine_quad(frame.bgr, box.quad_px).quad_px, known)
            for box in boxes
        ]
        kept = distinct(boxes, outlines)
        boxes, quads = [boxes[i] for i in kept], [outlines[i] for i in kept]
        watch.lap("refine")
        layers = self._peeled(frame, quads, table, searches=proposes)
        proposed = self._proposed(frame.bgr, layers, boxes) if proposes else []
        if fresh := [quad for quad in proposed if wanted(quad)]:
            boxes += [Detection(Kind.CARD, quad, PROPOSED_SCORE) for quad in fresh]
            quads += fresh
            layers = self._peeled(frame, quads, table)
        swapped = not is_part and self._is_mirrored(frame, layers, boxes, quads)
        if swapped:
            # What was read in a mirror is not so.
            layers = [replace(x, sighting=nothing(x.sighting.quad_px)) for x in layers]
        watch.lap("identify")
        placements = self._placements(layers, boxes)
        others = [
            *hands(frame.bgr, found, self.min_hand_score),
            *(d for d in found if d.kind is Kind.DISC),
        ]
        placements += others_placed(others, len(placements))
        found_table: TableFound | TableNotFound = TableNotFound("part")
        placed = tuple(placements)
        if not is_part:
            found_table, placed = locate_and_place(frame, placed, by_print=True)
        watch.lap("place")
        findings = (
            *too_many(placed, self.galleries),
            *unsure(placed),
            *assess(frame.bgr, placed),
            *noticed(placed),
            *([Finding(MIRRORED)] if swapped else []),
        )
        watch.lap("assess")
        return observed(frame, found_table, placed, findings, watch)

    @property
    def size_mm(self) -> tuple[float, float]:
        """Return the size of the cards, that of the first gallery."""
        return self.galleries[0].width_mm, self.galleries[0].height_mm

    def _proposed(
        self, bgr: Bgr, layers: Sequence[Layer], boxes: Sequence[Detection]
    ) -> list[Array]:
        """Return where else cards may lie, if cards are there that nothing names."""
        known = [
            layer.sighting.quad_px
            for layer in layers
            if layer.sighting.deck is not None
        ]
        unread = len(layers) > len(known) and any(
            layer.sighting.deck is None
            and boxes[layer.source].score >= MIN_UNKNOWN_SCORE
            for layer in layers
        )
        if known and not unread:
            return []
        return [
            quad
            for quad in self.identifier.proposed(bgr)
            if all(quad_overlap(quad, other) < SAME_CARD for other in known)
            and self._is_sure(self.identifier.identify(bgr, quad))
        ]

    @staticmethod
    def _is_sure(sighting: Sighting) -> bool:
        return sighting.deck is not None and sighting.likeness > MIN_PROPOSED_LIKENESS

    def _peeled(
        self,
        frame: Frame,
        quads: Sequence[Array],
        table: TableMap | None,
        *,
        searches: bool = True,
    ) -> list[Layer]:
        size_mm, names = self.size_mm, self.identifier
        layers = peel(frame, quads, names, size_mm, table, searches=searches)
        return self._settled(layers)

    def _settled(self, layers: Sequence[Layer]) -> list[Layer]:
        """Return the layers with what the copies of the decks settle settled."""
        numbers = {gallery.name: n for n, gallery in enumerate(self.galleries)}
        copies = {
            (numbers[deck], label): count
            for (deck, label), count in copies_of(self.galleries).items()
        }
        sightings = decode([layer.sighting for layer in layers], copies)
        return [
            replace(layer, sighting=sighting)
            for layer, sighting in zip(layers, sightings, strict=True)
        ]

    def _is_mirrored(
        self,
        frame: Frame,
        layers: Sequence[Layer],
        boxes: Sequence[Detection],
        quads: Sequence[Array],
    ) -> bool:
        """Return whether what lies open is far rather read in a mirror; of what has no
        name the detector must have seen a card.

        Where one card alone says so, all are looked at in a mirror.
        """
        told = [
            layer.sighting
            for layer in layers
            if layer.sighting.deck is not None
            or boxes[layer.source].score >= MIN_UNKNOWN_SCORE
        ]
        speaking = speaking_for_mirror(frame.bgr, told, self.identifier)
        if speaking != LEAST_CORNERS - 1:
            return speaking >= LEAST_CORNERS
        flipped = [flipped_quad(quad, frame.bgr) for quad in quads]
        there = self._peeled(swapped_back(frame), flipped, None)
        return _named(there) >= _named(layers) + LEAST_CORNERS

    def _may_be_back(self, box: Detection) -> bool:
        has_backs = any(gallery.backs for gallery in self.galleries)
        return box.kind is Kind.BACK and not has_backs

    def _placements(
        self, layers: Sequence[Layer], boxes: Sequence[Detection]
    ) -> list[Placement]:
        placements: list[Placement] = []
        for number, layer in enumerate(layers):
            sighting, box = layer.sighting, boxes[layer.source]
            is_known = sighting.deck is not None
            if not is_known and box.score < MIN_UNKNOWN_SCORE:
                continue
            # A back of the deck would have been known: what looks blank is glare.
            is_back = sighting.is_back if is_known else self._may_be_back(box)
            index = sighting.deck
            placements.append(
                Placement(
                    id=f"c{len(placements) + 1}",
                    kind=Kind.BACK if is_back else Kind.CARD,
                    identity=Identity(None) if is_back else _told(sighting),
                    score=round(box.score, 4),
                    quad_px=plain_quad(sighting.quad_px),
                    visible=round(sighting.seen, 3),
                    order=len(layers) - number,
                    deck=None if index is None else self.galleries[index].name,
                )
            )
        return placements


def _named(layers: Sequence[Layer]) -> int:
    """Return how many cards have a name."""
    return sum(layer.sighting.deck is not None for layer in layers)


def _told(sighting: Sighting) -> Identity:
    """Return what a card is; of one in glare nobody is sure, be it ever so alike: where
    print is lost other cards may be lost, too."""
    identity = sighting.identity
    if not sighting.in_glare or not identity.candidates:
        return identity
    capped = tuple((name, min(p, IN_GLARE)) for name, p in identity.candidates)
    return replace(identity, candidates=capped)


def copies_of(galleries: Sequence[Gallery]) -> dict[tuple[str, str], int]:
    """Return deck and label -> how many of them there are."""
    return {
        (gallery.name, face.label): face.copies
        for gallery in galleries
        for face in gallery.faces
    }


def too_many(
    placements: Sequence[Placement], galleries: Sequence[Gallery]
) -> tuple[Finding, ...]:
    """Return what cannot be: more cards of a face than its deck holds."""
    copies = copies_of(galleries)
    seen: dict[tuple[str, str], list[str]] = {}
    for placement in placements:
        if placement.deck is not None and placement.identity.label is not None:
            key = placement.deck, placement.identity.label
            seen.setdefault(key, []).append(placement.id)
    return tuple(
        Finding(
            "too_many_copies",
            (("label", label), ("seen", len(ids)), ("copies", copies[deck, label])),
            tuple(ids),
        )
        for (deck, label), ids in seen.items()
        if len(ids) > copies[deck, label]
    )


def unsure(placements: Sequence[Placement]) -> tuple[Finding, ...]:
    """Return which cards were named though much of their print is lost, in glare most
    often."""
    found = tuple(
        placement.id
        for placement in placements
        if placement.identity.label is not None
        and placement.identity.candidates[0][1] < SURE
    )
    return (Finding("unsure", (("count", len(found)),), found),) if found else ()


def load_gallery_pipeline(galleries: Sequence[Gallery]) -> GalleryPipeline:
    """Return the pipeline that names cards from these galleries.

    Raises `ModelError` if the detector is missing or is not the file it should be.
    """
    manifest = load_manifest("detector")
    return GalleryPipeline(
        load_detector(manifest),
        fit(galleries),
        tuple(galleries),
        manifest.threshold("min_score"),
        manifest.threshold("min_hand_score"),
    )
