"""Photos as phones store them: turned, with EXIF that says how, and with which lens."""

from __future__ import annotations

import struct

import cv2
import numpy as np

from vision.types import Bgr

TURNED_LEFT = 6
"""What EXIF calls a picture whose first stored row is the right side of the scene."""


def phone_jpeg(
    upright: Bgr, *, focal_35mm: int | None = None, turned: bool = False
) -> bytes:
    """Return a JPEG file of the picture, stored `turned` by a quarter if asked."""
    stored = np.ascontiguousarray(np.rot90(upright)) if turned else upright
    entries = [(0x0112, TURNED_LEFT if turned else 1)]
    if focal_35mm is not None:
        entries.append((0xA405, focal_35mm))
    table = struct.pack("<H", len(entries))
    for tag, value in entries:
        table += struct.pack("<HHIHH", tag, 3, 1, value, 0)
    body = b"Exif\0\0II*\0" + struct.pack("<I", 8) + table + bytes(4)
    done, packed = cv2.imencode(".jpg", stored, [cv2.IMWRITE_JPEG_QUALITY, 94])
    assert done
    data = packed.tobytes()
    head = b"\xff\xe1" + struct.pack(">H", len(body) + 2)
    return data[:2] + head + body + data[2:]
