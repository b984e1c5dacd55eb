"""What vision says in codes, as sentences that a player can act on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.i18n import N_, say, say_many
from companion.labels import capital, face
from vision.types import Finding

if TYPE_CHECKING:
    from engines.core import Kit

SCALE_ASSUMED = "scale_assumed"
"""Our own finding: millimetres are guessed from the size of the cards."""

NOT_KNOWN_BY_SIGHT = "not_known_by_sight"
"""Our own finding: the cards of the game are none that vision can tell apart."""

FINDINGS = {
    "blurred": N_("The picture is blurred. Hold the phone still and tap to focus."),
    "dark": N_("The picture is dark. More light makes the reading surer."),
    "overexposed": N_(
        "Parts of the picture are too bright to read. Avoid glare and the flash."
    ),
    "lens_unknown": N_(
        "It is not known with which lens this picture was taken, so a photo of a"
        " screen would not be noticed. Send the phone's own file, or calibrate the"
        " camera."
    ),
    "low_resolution": N_(
        "The cards are small in the picture. Go nearer, or use a larger picture."
    ),
    "nothing_found": N_(
        "No cards were found. Take the picture from above, with the cards in full view."
    ),
    "screen": N_(
        "This looks like a photo of a screen. Photograph the table itself if you can."
    ),
    "colourless": N_(
        "The picture has no colour, and hearts look much like spades in it. Switch the"
        " night mode of the camera off, or give it more light."
    ),
    "mirrored": N_(
        "The picture is mirrored: left and right are swapped. Switch mirroring off in"
        " the camera, and take it again."
    ),
    "swapped_back": N_(
        "The picture was mirrored. Left and right have been swapped back."
    ),
    NOT_KNOWN_BY_SIGHT: N_(
        "Arbitro finds the cards of this game, but does not know them by sight yet."
        " Tap each card and name it."
    ),
    SCALE_ASSUMED: N_(
        "Nothing of known size was certain here, so distances are estimated from the"
        " size of the cards."
    ),
}

IMAGE_ERRORS = {
    "missing": N_("There is no such file."),
    "empty": N_("The file is empty: no picture arrived."),
    "not_an_image": N_("This file is not a picture. Send a JPEG, PNG or WebP photo."),
    "format": N_(
        "This kind of picture cannot be read here. Send it as JPEG, PNG or WebP."
    ),
    "too_large": N_("The picture is too large. Send one of at most 100 megapixels."),
    "too_small": N_("The picture is too small to show a table."),
    "broken": N_("The picture is damaged and cannot be read. Take or send it again."),
    "unopened": N_(
        "The picture could not be opened: it takes too much time or memory, or breaks"
        " the decoder. Take a new one, or send it smaller as a common JPEG."
    ),
}

TABLE_REASONS = {
    "no_reference": N_("nothing of known size in view"),
    "inconsistent": N_("the things of known size do not agree"),
    "horizon": N_("the camera looks too flat over the table"),
}


UNCLEAR = {
    "two_rims": N_("two places fit as well"),
    "little_rim": N_("too much of it is hidden"),
    "inexact": N_("its rim hardly shows"),
    "no_rim": N_("its rim does not stand out"),
    "other_size": N_("it is not as large as the kit says"),
    "blurred": N_("it is out of focus"),
    "moving": N_("it is smeared"),
    "outside": N_("part of it is outside the picture"),
    "straight": N_("something straight lies beside it"),
}


def unclear_reason(reason: str, language: str) -> str:
    """Return why a disc could not be measured."""
    message = UNCLEAR.get(reason)
    return say(language, message) if message else reason


def finding_sentence(finding: Finding, language: str, kit: Kit | None = None) -> str:
    """Return what a finding of vision says, or its code where it is a new one; cards
    are called as in the game's `kit`."""
    values = dict(finding.values)
    if finding.code == "duplicate":
        label = str(values.get("label", ""))
        return say(
            language,
            N_("%(card)s was seen more than once, and there is only one in the deck."),
            card=capital(face(label, language, kit).name),
        )
    if finding.code == "too_many_copies":
        label = str(values.get("label", ""))
        return say(
            language,
            N_("%(card)s lies on the table %(seen)s times, the decks hold %(copies)s."),
            card=capital(face(label, language, kit).name),
            seen=values.get("seen", "?"),
            copies=values.get("copies", "?"),
        )
    if finding.code == "unread":
        return say_many(
            language,
            "One card could not be read.",
            "%(count)s cards could not be read.",
            int(values.get("count", 1)),
        )
    if finding.code == "unsure":
        return say_many(
            language,
            "One card is named from what glare has left of it: look at it.",
            "%(count)s cards are named from what glare has left of them: look at them.",
            int(values.get("count", 1)),
        )
    if finding.code == "disc_unclear":
        return say(
            language,
            N_("%(chip)s could not be measured: %(reason)s. Where it lies is a guess."),
            chip=", ".join(finding.placements),
            reason=unclear_reason(str(values.get("reason")), language),
        )
    message = FINDINGS.get(finding.code)
    return say(language, message) if message else finding.code


def image_sentence(code: str, language: str) -> str:
    """Return why a picture could not be read."""
    return say(language, IMAGE_ERRORS.get(code, IMAGE_ERRORS["broken"]))


def table_sentence(reason: str, language: str) -> str:
    """Return why the table was not found."""
    message = TABLE_REASONS.get(reason)
    return say(language, message) if message else reason
