"""Blur and glare over time: a camera that was sharp will focus again, so one waits.

A camera that never was sharp, or stays blurred for long, is taken as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.quality import MAX_BLUR_PER_CARD
from vision.types import Finding, Observation
from vision.views import UNUSABLE

PATIENCE_S = 6.0
"""So long a camera that was sharp may be blurred before that is how it is."""
WHOLE_BLUR, PART_BLUR = 1.3, 1.8
"""How much worse than its limit a picture, or a part of one, must be to wait for it: a
camera may always be near the limit, and few edges tell the blur badly."""


@dataclass(slots=True)
class Haze:
    """How clearly one camera sees, as far as readings told."""

    _blurred_since_s: float | None = None
    _was_sharp: bool = False
    _is_soft: bool = False
    """It was waited for in vain once: the camera is like that."""
    _glare_since_s: float | None = None

    @property
    def is_waited_for(self) -> bool:
        """Return whether the camera is blurred just now."""
        is_blurred = self._blurred_since_s is not None and self._was_sharp
        return is_blurred and not self._is_soft

    def is_too_blurred(
        self, observation: Observation, at_s: float, *, is_whole: bool
    ) -> bool:
        """Return whether a sharp camera is blurred just now: it will focus again."""
        if UNUSABLE in {finding.code for finding in observation.findings}:
            return True
        if not is_whole and not observation.placements:
            return False  # a few edges of the cloth tell nothing
        limit = (WHOLE_BLUR if is_whole else PART_BLUR) * MAX_BLUR_PER_CARD
        if not any(_blur(finding) > limit for finding in observation.findings):
            self._was_sharp, self._blurred_since_s = True, None
            return False
        if not self._was_sharp:
            return False
        if self._blurred_since_s is None:
            self._blurred_since_s = at_s
        self._is_soft |= at_s - self._blurred_since_s >= PATIENCE_S
        return not self._is_soft

    def lifted(self) -> None:
        """Say that the picture is as it was when it was read sharp."""
        self._blurred_since_s = None

    def dazzled_s(self, at_s: float, *, has_glare: bool) -> float:
        """Return for how long something has been too bright."""
        if not has_glare:
            self._glare_since_s = None
            return 0.0
        if self._glare_since_s is None:
            self._glare_since_s = at_s
        return at_s - self._glare_since_s


def _blur(finding: Finding) -> float:
    """Return how blurred a finding says it is; 0 for one about something else."""
    is_blur = finding.code == "blurred"
    return float(dict(finding.values).get("share", 1.0)) if is_blur else 0.0
