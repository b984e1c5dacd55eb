"""Copies of a deck decide between faces that a picture cannot tell apart."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.decode import decode
from vision.identify import Choice, Sighting, identity_of

ONE_EACH = {(0, "R6"): 1, (0, "R8"): 1}
QUAD = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], float)


def card(
    *likely: tuple[str, float], deck: int = 0, named: bool | None = None
) -> Sighting:
    """Return a card that may be these, likeliest first; named if clearly the first."""
    choices = tuple(Choice(deck, label, share) for label, share in likely)
    second = likely[1][1] if len(likely) > 1 else 1e-4
    lead = float(np.log(likely[0][1] / second))
    is_named = lead >= 3 if named is None else named
    label = likely[0][0] if is_named else None
    identity = identity_of(choices, lead, label)
    known = sum(share for _, share in likely)
    return Sighting(
        deck if is_named else None, identity, False, False, QUAD, known, 1.0, choices
    )


def labels(sightings: tuple[Sighting, ...]) -> list[str | None]:
    return [one.identity.label for one in sightings]


def test_a_card_that_could_be_two_is_the_one_that_is_left() -> None:
    sure, doubtful = card(("R6", 0.999)), card(("R6", 0.6), ("R8", 0.4))
    assert labels(decode([sure, doubtful], ONE_EACH)) == [
        "R6",
        "R8",
    ]


def test_while_copies_are_left_a_doubt_stays_a_doubt() -> None:
    sure, doubtful = card(("R6", 0.999)), card(("R6", 0.6), ("R8", 0.4))
    assert labels(decode([sure, doubtful], {(0, "R6"): 2, (0, "R8"): 2})) == [
        "R6",
        None,
    ]


def test_clear_readings_are_never_overruled() -> None:
    three = [card(("K", 0.999))] * 3
    assert labels(decode(three, {(0, "K"): 1, (0, "Q"): 4})) == ["K", "K", "K"]


def test_an_unlikely_face_is_not_chosen_because_it_is_left() -> None:
    sure, doubtful = card(("R6", 0.999)), card(("R6", 0.9), ("R8", 0.1), named=False)
    assert labels(decode([sure, doubtful], ONE_EACH)) == [
        "R6",
        None,
    ]


def test_what_may_be_no_card_of_the_deck_stays_unnamed() -> None:
    sure, coaster = card(("R6", 0.999)), card(("R6", 0.3), ("R8", 0.25), named=False)
    assert labels(decode([sure, coaster], ONE_EACH)) == ["R6", None]


def test_one_deck_does_not_use_up_the_copies_of_another() -> None:
    mine, doubtful = card(("A", 0.999), deck=1), card(("A", 0.6), ("B", 0.4))
    copies = {(0, "A"): 1, (0, "B"): 1, (1, "A"): 1}
    assert labels(decode([mine, doubtful], copies)) == ["A", None]


@given(st.data())
def test_clear_readings_stay_and_names_come_from_the_candidates(
    data: st.DataObject,
) -> None:
    names = st.sampled_from("ABCD")
    pairs = data.draw(
        st.lists(
            st.tuples(names, names, st.floats(0.5, 0.99)).filter(
                lambda t: t[0] != t[1]
            ),
            max_size=6,
        )
    )
    cards = [card((one, p), (other, (1 - p) * 0.97)) for one, other, p in pairs]
    copies = {(0, name): data.draw(st.integers(0, 3)) for name in "ABCD"}
    found = labels(decode(cards, copies))
    for before, after in zip(cards, found, strict=True):
        if before.identity.label is not None and before.identity.margin >= np.log(200):
            assert after == before.identity.label
        assert after is None or after in dict(before.identity.candidates)
