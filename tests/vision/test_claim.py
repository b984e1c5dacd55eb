"""What of a card shows is told by its print, and so is which card lies on which."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.gallery import Face, Gallery
from vision.identify import fit
from vision.matching.claim import (
    LEVEL,
    Claim,
    claim_of,
    enclosed_share,
    lying_on,
    print_of,
    shown_share,
    unclaimed,
    unlike,
)
from vision.matching.patches import (
    BURNT_WEIGHT,
    Mask,
    Plane,
    features,
    picture_pixels,
)
from vision.types import Array, Bgr
from vision.unpeeled import Heap

CARD = (126, 176)
QUAD = np.array([[0, 0], [126, 0], [126, 176], [0, 176]], float) - 0.5


@cache
def pictures() -> tuple[Bgr, ...]:
    """Return faces with print all over: mosaics."""
    rng = np.random.default_rng(8)
    small = [rng.integers(20, 190, (22, 16, 3)).astype(np.uint8) for _ in range(8)]
    flags = cv2.INTER_NEAREST
    return tuple(np.asarray(cv2.resize(s, CARD, interpolation=flags)) for s in small)


def face(number: int) -> Plane:
    return features(picture_pixels(pictures()[number], LEVEL))


def table() -> Bgr:
    return np.full((500, 600, 3), (60, 110, 60), np.uint8)


def lay(bgr: Bgr, number: int, x: int, y: int) -> Array:
    """Lay a card; return its quad."""
    bgr[y : y + CARD[1], x : x + CARD[0]] = pictures()[number]
    return np.asarray(QUAD + np.array([x, y]))


def everything() -> Mask:
    return np.full((500, 600), 255, np.uint8)


def test_a_card_that_lies_open_is_like_its_face_everywhere() -> None:
    for number in range(len(pictures())):
        assert not unlike(face(number), face(number)).any()


@settings(max_examples=20, deadline=None)
@given(st.floats(0.3, 0.6), st.integers(0, 7), st.integers(1, 7))
def test_what_another_card_covers_is_unlike_and_nothing_else(
    share: float, number: int, off: int
) -> None:
    other = pictures()[(number + off) % len(pictures())]
    mixed = pictures()[number].copy()
    at = round(share * CARD[1])
    mixed[at:] = other[at:]
    hidden = unlike(features(picture_pixels(mixed, LEVEL)), face(number)) > 0
    rows = hidden.shape[0]
    assert hidden[: round(share * rows) - 9].mean() < 0.02
    assert hidden[round(share * rows) + 9 :].mean() > 0.5


def test_cards_claim_what_shows_of_them_and_the_upper_one_is_told() -> None:
    photo, visible = table(), everything()
    under = lay(photo, 0, 100, 100)
    over = lay(photo, 1, 150, 180)
    # The one below is taken first, as if it lay open.
    first = claim_of(photo, under, print_of(pictures()[0]), visible)
    first.taken_from(visible)
    second = claim_of(photo, over, print_of(pictures()[1]), visible)
    assert second.px2 > 0.85 * CARD[0] * CARD[1]
    assert first.px2 < 0.75 * CARD[0] * CARD[1]
    assert lying_on([under, over], [first, second]) == [{1}, set()]
    assert lying_on([over, under], [second, first]) == [set(), {0}]


def test_a_claim_takes_from_another_what_both_have() -> None:
    one = Claim((10, 10), np.full((40, 30), 255, np.uint8))
    other = Claim((20, 0), np.full((30, 60), 255, np.uint8))
    other.taken_from_other(one)
    assert one.px2 == 40 * 30 - 20 * 20
    one.taken_from_other(other)
    assert other.px2 == 30 * 60


def test_of_a_quad_counts_what_is_visible_in_the_picture() -> None:
    visible = everything()
    visible[100:190] = 0
    quad = QUAD + np.array([100, 100.5])
    assert abs(shown_share(visible, quad) - 86 / 176) < 0.02
    half = QUAD + np.array([600 - 63, 200.5])
    assert shown_share(visible, half) == 1.0
    assert shown_share(visible, QUAD + np.array([900, 0])) == 0.0


def test_what_lies_on_a_known_card_and_is_none_is_boxed() -> None:
    photo, visible = table(), everything()
    quad = lay(photo, 2, 200, 150)
    photo[200:260, 190:290] = (20, 20, 20)
    cv2.putText(photo, "phone", (192, 240), 0, 1.0, (250, 250, 250), 3)
    claim_of(photo, quad, print_of(pictures()[2]), visible).taken_from(visible)
    (box,) = unclaimed(visible, [quad], CARD[0], 0.1 * CARD[0] * CARD[1])
    assert np.abs(box.mean(0) - (245, 230)).max() < 15


def test_glare_is_not_unlike() -> None:
    pixels = picture_pixels(pictures()[3], LEVEL)
    pixels[30:70] = (255, 255, 255, BURNT_WEIGHT)
    assert not unlike(features(pixels), face(3)).any()


def test_what_does_not_show_within_a_card_is_no_card_on_it() -> None:
    """Another face in the same frame is unlike in the middle; a card reaches over the
    edge of what it lies on."""
    framed = table()
    quad = lay(framed, 0, 100, 100)
    framed[130:220, 125:200] = pictures()[3][20:110, 20:95]
    claim = claim_of(framed, quad, print_of(pictures()[0]), everything())
    assert enclosed_share(claim, quad) > 0.15
    covered = table()
    quad = lay(covered, 0, 100, 100)
    lay(covered, 1, 160, 150)
    claim = claim_of(covered, quad, print_of(pictures()[0]), everything())
    assert claim.px2 < 0.9 * CARD[0] * CARD[1]
    assert enclosed_share(claim, quad) < 0.02


@cache
def paper() -> Bgr:
    """Return a face with one figure on white paper."""
    card = np.full((CARD[1], CARD[0], 3), 225, np.uint8)
    cv2.circle(card, (63, 88), 24, (40, 40, 180), 4, cv2.LINE_AA)
    return card


def grainy(bgr: Bgr) -> Bgr:
    noise = np.random.default_rng(4).normal(0, 3, bgr.shape)
    return np.clip(bgr + noise, 0, 255).astype(np.uint8)


def test_the_grain_of_white_paper_is_no_thing_that_lies_on_it() -> None:
    bgr = table()
    bgr[100 : 100 + CARD[1], 100 : 100 + CARD[0]] = paper()
    quad = QUAD + 100
    claim = claim_of(grainy(bgr), quad, print_of(paper()), everything())
    assert claim.px2 > 0.97 * CARD[0] * CARD[1]
    assert not unclaimed(255 - claim_mask(claim), [quad], 126.0, 500.0)


def test_a_dark_table_is_not_white_paper() -> None:
    bgr = table()
    bgr[100 : 100 + CARD[1], 100 : 100 + CARD[0]] = paper()
    bgr[100:150, 100 : 100 + CARD[0]] = (30, 40, 30)
    claim = claim_of(grainy(bgr), QUAD + 100, print_of(paper()), everything())
    dark = np.array([[104, 104], [220, 104], [220, 140], [104, 140]])
    assert claim.inside_px2(dark) < 0.1 * 116 * 36


def claim_mask(claim: Claim) -> Mask:
    mask: Mask = np.zeros((500, 600), np.uint8)
    claim.given_to(mask)
    return mask


def test_what_looks_like_a_known_card_is_no_other_one_on_it() -> None:
    """A face with two figures votes for a place one figure aside, too."""
    bgr = table()
    bgr[100 : 100 + CARD[1], 100 : 100 + CARD[0]] = paper()
    face = print_of(paper())
    names = fit([Gallery("d", (Face("one", (paper(),)),))])
    heap = Heap(bgr, names, (63.0, 88.0), [QUAD + 100])
    heap.claims.append(claim_of(bgr, QUAD + 100, face, everything()))
    claim = Claim((100, 130), np.full((CARD[1], CARD[0]), 255, np.uint8))
    assert heap.is_owned(claim)
    heap.claims.clear()
    assert not heap.is_owned(claim)
