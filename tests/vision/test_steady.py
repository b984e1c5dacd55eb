"""Names that one corner alone gives, read around it, too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.corners import (
    SURE,
    drawn_corners,
    lying,
    never_read,
    read_as,
    window,
)
from vision.cards import CardSeen
from vision.naming import name_all
from vision.reading import Read, Reading
from vision.steady import WAYS, without_unsteady
from vision.types import Array, Bgr

CORNER = drawn_corners(("7d",))


def kept(card: CardSeen, *looks: Reading) -> str | None:
    """Return the name that a card keeps where its windows read so, the others like the
    last."""
    asked: list[Array] = []

    def answered(bgr: Bgr, windows_px: Array, **how: bool) -> tuple[Reading, ...]:
        asked.extend(windows_px)
        return (*looks, *looks[-1:] * (len(windows_px) - len(looks)))

    names = name_all([card], sureness=SURE)
    assert names[0].label == "7d"
    (name,) = without_unsteady(answered, CORNER, [card], names)
    assert len(asked) == (len(WAYS) if looks else 0)
    return name.label


def look(certainty: float, label: str = "7d") -> Reading:
    return read_as((label, certainty), ("3h", 0.995 - certainty), face=0.995)


def corner(certainty: float, score: float) -> CardSeen:
    (card,) = lying([look(certainty)])
    return replace(card, indices=(replace(card.indices[0], score=score),))


@pytest.mark.parametrize(
    ("score", "elsewhere", "name"),
    [(0.4, 0.95, "7d"), (0.4, 0.8, None), (0.9, 0.8, "7d"), (0.9, 0.4, None)],
)
def test_what_one_corner_says_must_be_said_around_it(
    score: float, elsewhere: float, name: str | None
) -> None:
    """A hidden 2 read as a 7, in one window only, and pips of a 10 as its index
    (rendered tables 6713, 462 and 97)."""
    assert kept(corner(0.94, score), look(elsewhere)) == name


def test_a_window_that_shows_no_card_counts_as_none() -> None:
    clear, none = look(0.99), replace(look(0.99), face=0.0)
    assert kept(corner(0.94, 0.9), *(clear,) * 6, none) == "7d"
    assert kept(corner(0.94, 0.9), *(clear,) * 4, none) is None


def test_what_is_beyond_doubt_is_not_looked_at_again() -> None:
    assert kept(corner(0.99, 0.9)) == "7d"


def test_what_two_corners_say_is_not_looked_at_again() -> None:
    card = corner(0.94, 0.9)
    assert kept(replace(card, indices=card.indices * 2)) == "7d"


def test_a_card_without_a_name_gets_none() -> None:
    (card,) = lying([read_as(("7d", 0.5), ("7h", 0.49))])
    names = name_all([card], sureness=SURE)
    (name,) = without_unsteady(never_read, CORNER, [card], names)
    assert name is names[0]


def test_corners_that_are_cards_stay_named_and_each_of_its_own_windows(
    read: Read,
) -> None:
    """Both are looked at together; the rank of the second is hidden."""
    labels = ("7d", "Ks")
    bgr = drawn_corners(labels)
    bgr[:56, 80:] = 225
    cards = lying([look(0.95, label) for label in labels])
    names = name_all(cards, sureness=SURE)
    assert [name.label for name in names] == ["7d", "Ks"]
    left = without_unsteady(read, bgr, cards, names)
    assert [name.label for name in left] == ["7d", None]
    assert left[1].candidates == names[1].candidates


def test_which_black_suit_it_is_its_windows_need_not_say() -> None:
    """Print that was thinned told a club of what its windows call a spade (rendered
    tables 6715, 263 and 444)."""

    def answered(bgr: Bgr, windows_px: Array, **how: bool) -> tuple[Reading, ...]:
        return (look(0.95, "7s"),) * len(windows_px)

    cards = lying([look(0.95, "7c")])
    names = name_all(cards, sureness=SURE)
    assert without_unsteady(answered, CORNER, cards, names)[0].label == "7c"
    red = lying([look(0.95, "7h")])
    names = name_all(red, sureness=SURE)
    assert without_unsteady(answered, CORNER, red, names)[0].label is None


def test_windows_around_have_the_same_shape_and_middle_but_for_a_little() -> None:
    seen: list[Array] = []

    def watched(bgr: Bgr, windows_px: Array, **how: bool) -> tuple[Reading, ...]:
        seen.extend(windows_px)
        return (look(0.95),) * len(windows_px)

    card = corner(0.94, 0.9)
    without_unsteady(watched, CORNER, [card], name_all([card], sureness=SURE))
    assert np.array_equal(seen[0], window(0))
    for other in seen[1:]:
        sides = np.linalg.norm(np.roll(other, -1, axis=0) - other, axis=1)
        assert sides[0] / sides[1] == pytest.approx(80 / 112)
        assert sides[:2] == pytest.approx(sides[2:])
        assert 0.84 < sides[0] / 80 < 1.16
        assert np.abs(other.mean(0) - window(0).mean(0)).max() < 7
    assert len({one.tobytes() for one in seen}) == len(WAYS)
