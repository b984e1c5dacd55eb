"""Why a photo of a board allows no ruling, in words to act on."""

from __future__ import annotations

from companion.errors import CompanionError
from companion.i18n import N_

REASONS = {
    "no_reference": N_(
        "No corner marker of this mat is in the picture, so nothing can be measured."
        " Photograph the whole mat from above."
    ),
    "few_markers": N_(
        "Only one or two of the mat's corner markers can be seen; three are needed."
        " Uncover them, or go farther away."
    ),
    "mat_not_seen": N_(
        "This mat is not in the picture: it is another one, or too little of it shows."
        " Check --mat and photograph the whole mat."
    ),
    "cut_off": N_(
        "Part of the mat is outside the picture, and what lies there is not known."
        " Take the picture again with the whole mat in it."
    ),
    "mirrored": N_(
        "The picture is mirrored: left and right are swapped. Switch mirroring off in"
        " the camera, and take it again."
    ),
    "either_way": N_(
        "The mat looks the same from both sides, and nothing shows which side is the"
        " near one. Give its corners with --corners, near left first."
    ),
    "inconsistent": N_(
        "What is seen of the mat does not fit together: it does not lie flat, it has"
        " another size than was said, or this is the picture of a picture."
    ),
    "corners": N_(
        "The corners that were given do not fit a mat of that size. They must go round"
        " it: near left, near right, far right, far left; and the photo must not be"
        " mirrored."
    ),
    "another_lens": N_(
        "The mat is seen as by another lens than this camera has: this is a photo of a"
        " screen or of a print, or a part cut out of a photo. Photograph the table"
        " itself."
    ),
    "other_size": N_(
        "The chips measure larger or smaller than the kit says: the camera or the mat"
        " was moved, a corner was tapped wrongly, or this is another kit. Nothing is"
        " ruled until they fit."
    ),
    "horizon": N_(
        "The camera looks too flat over the table. Hold it higher and look down."
    ),
    "too_small": N_(
        "The chips are too small in the picture to be measured. Go nearer, or use a"
        " larger picture."
    ),
    "blurred": N_(
        "The picture is too blurred to measure in. Hold the phone still and tap to"
        " focus."
    ),
    "moving": N_(
        "The picture is smeared: the camera or the chips moved. Take it again when"
        " everything is still."
    ),
}


class CannotMeasureError(CompanionError):
    """The picture allows no ruling; the code is vision's reason."""

    http_status = 422

    def __init__(self, reason: str) -> None:
        super().__init__(REASONS.get(reason, REASONS["inconsistent"]))
        self.code = reason  # type: ignore[misc]  # an instance has its own


class BoardDataError(CompanionError):
    """A mat, kit or camera that was named is missing or not sound."""

    code = "board_data"
