"""What people at a rendered table of Frenzy say of its piles: they know what they laid,
though it is covered since."""

from __future__ import annotations

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
    if kind != "card" or not is_hidden:
        return None
    offered = {option.value for option in question.options}
    return next((label for label in laid if label in offered), NOTHING)
