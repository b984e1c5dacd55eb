"""What people put right in a reading, and the observation as it then stands.

A correction never touches what the camera saw: it is kept beside it and applied each
time the table is scored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from companion.reader import labels
from engines import core
from vision.types import UNKNOWN, Finding, Identity, Kind, Observation, Placement

FACE_DOWN = "@back"
NO_CARD = "@none"
AS_SEEN = "@seen"
"""Takes earlier corrections of the card back."""

SAID: Mapping[str, str] = {core.FACE_DOWN: FACE_DOWN, core.NO_CARD: NO_CARD}
"""What people say when they are asked which card it is and it is none that lies open:
values of options, in games and on pages."""

Corrections: TypeAlias = Mapping[str, str]
"""Placement id -> the right label, `FACE_DOWN` or `NO_CARD`."""

NOTE = re.compile(r"(\S+): (\S+) > (\S+)")
CERTAIN = 99.0
"""Margin of an identity that a person gave."""


@dataclass(frozen=True, slots=True)
class Change:
    """One correction as people see it: what was read, what it is."""

    placement: str
    was: str
    now: str


def note_of(change: Change) -> str:
    """Return a correction as the story of a table keeps it; see `read_note`."""
    return f"{change.placement}: {change.was or '?'} > {change.now}"


def read_note(text: str) -> Change | None:
    """Return the correction that a note tells of, `None` where it tells of another.

    >>> read_note("p3: 9d > 6d")
    Change(placement='p3', was='9d', now='6d')
    """
    found = NOTE.fullmatch(text)
    if found is None:
        return None
    return Change(found[1], "" if found[2] == "?" else found[2], found[3])


def state_of(placement: Placement) -> str:
    """Return what a placement is taken for: a label, `FACE_DOWN`, or "" if unread."""
    if placement.kind is Kind.BACK:
        return FACE_DOWN
    return placement.identity.label or ""


def correct(
    observation: Observation, corrections: Corrections, *, decks: int = 1
) -> Observation:
    """Return the observation with the corrections, findings brought up to date."""
    if not corrections:
        return observation
    placements = tuple(
        _corrected(placement, corrections.get(placement.id))
        for placement in observation.placements
        if corrections.get(placement.id) != NO_CARD
    )
    changed = replace(observation, placements=placements)
    findings = (_refreshed(item, changed, decks) for item in observation.findings)
    return replace(changed, findings=tuple(item for item in findings if item))


def without_foreign_names(
    observation: Observation, known: Collection[str]
) -> Observation:
    """Return the observation with the names of `known` only: others are unread."""
    return replace(
        observation,
        placements=tuple(
            placement
            if placement.identity.label in known
            else replace(placement, identity=UNKNOWN)
            for placement in observation.placements
        ),
        findings=tuple(
            item
            for item in observation.findings
            if item.code not in ("duplicate", "unread")
        ),
    )


def _corrected(placement: Placement, now: str | None) -> Placement:
    if now is None:
        return placement
    if now == FACE_DOWN:
        return replace(placement, kind=Kind.BACK, identity=UNKNOWN)
    identity = Identity(now, ((now, 1.0),), margin=CERTAIN)
    kind = placement.kind if placement.kind is Kind.DISC else Kind.CARD
    return replace(placement, kind=kind, identity=identity)


def _is_told(placement: Placement) -> bool:
    """Return whether a person has named it."""
    label = placement.identity.label
    return label is not None and placement.identity.candidates == ((label, 1.0),)


def _refreshed(
    finding: Finding, observation: Observation, decks: int
) -> Finding | None:
    if finding.code == "unread":
        unread = [
            placement.id
            for placement in observation.placements
            if placement.kind is Kind.CARD and placement.identity.label is None
        ]
        values = (("count", len(unread)),)
        return Finding("unread", values, tuple(unread)) if unread else None
    if finding.code == "unsure":
        looked_at = {p.id for p in observation.placements if _is_told(p)}
        left = tuple(each for each in finding.placements if each not in looked_at)
        return Finding("unsure", (("count", len(left)),), left) if left else None
    if finding.code == "duplicate":
        label = str(dict(finding.values).get("label"))
        return finding if Counter(labels(observation))[label] > decks else None
    return finding
