"""The few facts of a camera that a picture file tells, read without trust.

EXIF is a little TIFF file written by whoever made the picture. Only the tags named here
are looked at, each within its bounds; a place (GPS) is never read. Anything odd is left
out: a picture does not become unreadable because its notes are.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

MAX_ENTRIES = 256
MAX_TEXT = 64
EXIF_POINTER = 0x8769

TAGS = {
    0x010F: "make",
    0x0110: "model",
    0x0112: "orientation",
    0x9003: "taken_text",
    0x9011: "offset_text",
    0x829A: "exposure_s",
    0x8827: "iso",
    0x920A: "focal_mm",
    0xA002: "stored_width_px",
    0xA003: "stored_height_px",
    0xA405: "focal_35mm",
}
"""What is read; every other tag is stepped over."""

# TIFF field types: bytes a value takes, and its struct code (none for text).
ASCII, SHORT, LONG, RATIONAL = 2, 3, 4, 5
SIZES = {ASCII: 1, SHORT: 2, LONG: 4, RATIONAL: 8}


def read_exif(tiff: bytes) -> dict[str, Any]:
    """Return the known facts of an EXIF block, which starts at its ``II`` or ``MM``.

    Keys are those of `TAGS`; a fact that is absent, malformed or out of bounds has no
    key. Never raises.
    """
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(tiff[:4])
    if order is None or len(tiff) < 8:
        return {}
    (first,) = struct.unpack_from(order + "I", tiff, 4)
    facts: dict[str, Any] = {}
    sub = None
    for tag, value in _entries(tiff, order, first):
        if tag == EXIF_POINTER and isinstance(value, int):
            sub = value
        else:
            _keep(facts, tag, value)
    if sub is not None:
        for tag, value in _entries(tiff, order, sub):
            _keep(facts, tag, value)
    return facts


def taken_at(facts: dict[str, Any]) -> datetime | None:
    """Return when the shutter opened, or `None` if the file does not say.

    Where the file names no offset from UTC, the time zone of this machine is meant: the
    phone and the table stand in the same room.
    """
    try:
        text = facts.get("taken_text", "")
        # No zone on purpose: it is added below.
        naive = datetime.strptime(text, "%Y:%m:%d %H:%M:%S")  # noqa: DTZ007
        offset = re.fullmatch(r"([+-])(\d\d):(\d\d)", facts.get("offset_text", ""))
        if offset is None:
            return naive.astimezone().astimezone(UTC)
        sign, hours, minutes = offset.groups()
        shift = timedelta(hours=int(hours), minutes=int(minutes))
        zone = timezone(shift if sign == "+" else -shift)
        return naive.replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _entries(tiff: bytes, order: str, offset: int) -> Iterator[tuple[int, object]]:
    if offset + 2 > len(tiff):
        return
    (count,) = struct.unpack_from(order + "H", tiff, offset)
    for number in range(min(count, MAX_ENTRIES)):
        at = offset + 2 + 12 * number
        if at + 12 > len(tiff):
            return
        tag, kind, length = struct.unpack_from(order + "HHI", tiff, at)
        if (tag in TAGS or tag == EXIF_POINTER) and kind in SIZES:
            yield tag, _value(tiff, order, kind, length, at + 8)


def _value(tiff: bytes, order: str, kind: int, length: int, at: int) -> object:
    size = SIZES[kind] * length
    if size > 4:
        (at,) = struct.unpack_from(order + "I", tiff, at)
    if length < 1 or size > 4096 or at + size > len(tiff):
        return None
    if kind == ASCII:
        text = tiff[at : at + length].split(b"\0")[0].decode("ascii", "replace")
        return "".join(c for c in text if c.isprintable()).strip()[:MAX_TEXT]
    if kind == RATIONAL:
        above, below = struct.unpack_from(order + "II", tiff, at)
        return above / below if below else None
    (number,) = struct.unpack_from(order + ("H" if kind == SHORT else "I"), tiff, at)
    return int(number)


def _keep(facts: dict[str, Any], tag: int, value: object) -> None:
    name = TAGS.get(tag)
    if name is None or name in facts:
        return
    if name in ("make", "model", "taken_text", "offset_text"):
        if isinstance(value, str) and value:
            facts[name] = value
    elif name == "orientation":
        if isinstance(value, int) and 1 <= value <= 8:
            facts[name] = value
    elif isinstance(value, int | float) and math.isfinite(value) and 0 < value < 1e6:
        facts[name] = value
