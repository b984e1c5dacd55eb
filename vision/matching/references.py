"""The pictures of galleries, prepared for comparing when they are first needed."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from vision.gallery import Gallery
from vision.matching.align import Slopes, slopes
from vision.matching.patches import ALIGNED, SIZES_PX, Plane, features, picture_pixels
from vision.matching.shortlist import Thumbs, index, thumb
from vision.types import Bgr

T = TypeVar("T")
KEPT, KEPT_FINEST = 2000, 500
"""So many prepared pictures stay in memory, and so many of the largest size: about a
megabyte each."""


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
    """A picture in the sizes in which cards are aligned, small ones first."""

    pixels: tuple[Plane, ...]
    """(H, W, 4)."""
    features: tuple[Plane, ...]
    slopes: tuple[Slopes, ...]


@dataclass(frozen=True, slots=True, eq=False)
class References:
    """All pictures of some galleries; may be used by many threads."""

    all: tuple[Reference, ...]
    thumbs: Thumbs
    most_each: int = 1
    """So many pictures of one face there are at most."""
    _prepared: OrderedDict[int, Prepared] = field(default_factory=OrderedDict)
    _finest: OrderedDict[int, tuple[Plane, Plane]] = field(default_factory=OrderedDict)
    _smallest: list[Plane] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def prepared(self, number: int) -> Prepared:
        """Return a picture as it is compared; those not used for long are let go."""
        return self._kept(self._prepared, number, prepare, KEPT)

    def features(self, number: int, level: int) -> Plane:
        """Return the features of a picture in one size; few need the largest."""
        if level in ALIGNED:
            return self.prepared(number).features[level]
        return self._kept(self._finest, number, finest, KEPT_FINEST)[1]

    def pixels(self, number: int, level: int) -> Plane:
        """Return the (H, W, 4) pixels of a picture in one size; not to be changed."""
        if level in ALIGNED:
            return self.prepared(number).pixels[level]
        return self._kept(self._finest, number, finest, KEPT_FINEST)[0]

    def smallest(self) -> Plane:
        """Return the (3, H, W, N) colours of all pictures in the smallest size."""
        with self._lock:
            if not self._smallest:
                pixels = [picture_pixels(one.picture, 0)[..., :3] for one in self.all]
                planes = np.moveaxis(np.stack(pixels), (0, 3), (3, 0))
                self._smallest.append(np.ascontiguousarray(planes))
            return self._smallest[0]

    def _kept(
        self,
        kept: OrderedDict[int, T],
        number: int,
        make: Callable[[Bgr], T],
        most: int,
    ) -> T:
        with self._lock:
            known = kept.get(number)
            if known is not None:
                kept.move_to_end(number)
                return known
        made = make(self.all[number].picture)
        with self._lock:
            kept[number] = made
            while len(kept) > most:
                kept.popitem(last=False)
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
    each = Counter(one.key for one in found)
    return References(found, index(small), max(each.values(), default=1))


def prepare(picture: Bgr) -> Prepared:
    """Return a picture in the sizes in which cards are aligned."""
    pixels = [picture_pixels(picture, level) for level in ALIGNED]
    planes = [features(one) for one in pixels]
    made = [slopes(plane, level) for plane, level in zip(planes, ALIGNED, strict=True)]
    return Prepared(tuple(pixels), tuple(planes), tuple(made))


def finest(picture: Bgr) -> tuple[Plane, Plane]:
    """Return the pixels and features of a picture in the largest size."""
    pixels = picture_pixels(picture, len(SIZES_PX) - 1)
    return pixels, features(pixels)
