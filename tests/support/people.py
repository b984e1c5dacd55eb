"""What people at a rendered table of Frenzy say of its piles: they know what they laid,
though it is covered since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from engines.core import Question

NOTHING = "-"
"""What people say where no card lies."""


def of_a_pile(
    question: Question, missing: Iterable[str], *, is_hidden: bool
) -> str | None:
    """Return what a person answers who is asked about a pile, where nobody sees what it
    is about any more or it is not about a face; `None` where it is no such question.

    `missing` are the moves that have happened and are not known yet.
    """
    kind, *place = question.id.split(".")
    region, later = ".".join(place[:2]), place[2:]
    plays = (move.split() for move in missing)
    laid = [words[-2] for words in plays if words[-1] == region]
    if later:  # of several that nobody could read, one that came on another
        laid.reverse()
    if kind == "same":
        return "another" if laid else "same"
    if kind == "gone" and laid:
        return "another"
    if kind != "card" or not is_hidden:
        return None
    offered = {option.value for option in question.options}
    return next((label for label in laid if label in offered), NOTHING)


def is_misread(
    question: Question, missing: Counter[str], invented: Counter[str]
) -> bool:
    """Return whether people who are asked of a card that is read otherwise than it was
    noted say that it is the same one: no more cards were laid on the pile than are
    noted there, and as many are noted that nobody laid as were laid and are not."""
    kind, _, region = question.id.partition(".")
    laid, noted = (
        sum(move.split()[-1] == region for move in moves.elements())
        for moves in (missing, invented)
    )
    return kind == "other" and laid <= noted
