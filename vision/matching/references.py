"""The pictures of galleries, prepared for comparing when they are first needed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from vision.gallery import Gallery
from vision.matching.align import Slopes, slopes
from vision.matching.patches import ALIGNED, SIZES_PX, Plane, features, picture_pixels
from vision.matching.shortlist import Thumbs, index, thumb
from vision.types import Bgr

KEPT = 2000
"""So many prepared pictures stay in memory: most of a megabyte each."""


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """One picture of a gallery."""

    deck: int
    label: str | None
    """`None` is a back."""
    picture: Bgr

    @property
    def key(self) -> tuple[int, str | None]:
        """Return what is to be told: which card of which deck."""
        return self.deck, self.label


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A picture in every size, small ones first."""

    features: tuple[Plane, ...]
    slopes: tuple[Slopes, ...]
    """Of the sizes in which cards are aligned."""


@dataclass(frozen=True, slots=True, eq=False)
class References:
    """All pictures of some galleries; may be used by many threads."""

    all: tuple[Reference, ...]
    thumbs: Thumbs
    _prepared: OrderedDict[int, Prepared] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def prepared(self, number: int) -> Prepared:
        """Return a picture as it is compared; those not used for long are let go."""
        with self._lock:
            known = self._prepared.get(number)
            if known is not None:
                self._prepared.move_to_end(number)
                return known
        made = prepare(self.all[number].picture)
        with self._lock:
            self._prepared[number] = made
            while len(self._prepared) > KEPT:
                self._prepared.popitem(last=False)
        return made


def references_of(galleries: Sequence[Gallery]) -> References:
    """Return the pictures of galleries, with an index of their thumbnails."""
    found = tuple(
        Reference(deck, label, picture)
        for deck, gallery in enumerate(galleries)
        for label, pictures in (
            *((face.label, face.pictures) for face in gallery.faces),
            (None, gallery.backs),
        )
        for picture in pictures
    )
    small = [thumb(features(picture_pixels(one.picture, 0)))[0] for one in found]
    return References(found, index(small))


def prepare(picture: Bgr) -> Prepared:
    """Return a picture in every size."""
    planes = [features(picture_pixels(picture, n)) for n in range(len(SIZES_PX))]
    made = [slopes(planes[level], level) for level in ALIGNED]
    return Prepared(tuple(planes), tuple(made))
