"""The only door for pictures: read, oriented and sized once, or refused in words.

A picture comes from a stranger's phone. Its format is told from its first bytes, its
size is read before it is decoded, and what comes out is always upright 8 bit BGR.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import stat
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import ImageError
from vision.exif import taken_at
from vision.headers import Header, read_header
from vision.types import Bgr, Frame, FrameId

MAX_BYTES = 160_000_000
MAX_PIXELS = 100_000_000
MAX_DECODE_BYTES = 520_000_000
FULL_SIZE_PIXELS = 25_000_000
"""A picture with more pixels is halved: no card needs them, and memory does."""
MIN_SIDE_PX = 64
OpenPixels: TypeAlias = Callable[[bytes], Bgr]

# The orientation is applied here, from our own reading of the file: OpenCV applies it
# with some flags and not with others (and so would apply it twice).
_COLOR = cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
_HALF_COLOR = cv2.IMREAD_REDUCED_COLOR_2 | cv2.IMREAD_IGNORE_ORIENTATION
_UNCHANGED = cv2.IMREAD_UNCHANGED

# What OpenCV would print about a bad picture is said by an `ImageError`.
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)


def read_image(path: Path) -> Frame:
    """Return the picture in a file, upright.

    Raises `ImageError` with a sentence for people; see `decode`.
    """
    path = Path(path)
    try:
        data, changed_at = _read_file(path)
    except FileNotFoundError as error:
        raise ImageError("missing", f"there is no file {path}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a name of a file"
        raise ImageError("missing", f"cannot open {path}: {reason}") from error
    return _decode(data, source=path.name, otherwise_taken_at=changed_at)


def decode(data: bytes, *, source: str, pixels: OpenPixels | None = None) -> Frame:
    """Return the picture in the bytes of a JPEG, PNG or WebP file, upright.

    `pixels` decodes in the place of `stored_pixels`: in another process.

    Grey, CMYK and 16 bit become 8 bit BGR, transparency lies on white, of an animation
    the first frame counts. Above `FULL_SIZE_PIXELS` the picture comes at half size.
    `Frame.exif` holds what the file says (keys as in `vision.exif.TAGS`) and ``scale``,
    0.5 where the picture was halved, else 1.0. `Frame.id` depends on the bytes alone.

    Raises `ImageError`: ``empty``, ``not_an_image``, ``format``, ``too_large``,
    ``too_small``, ``broken``.
    """
    now = datetime.now(UTC)
    return _decode(data, source=source, otherwise_taken_at=now, pixels=pixels)


def stored_pixels(data: bytes) -> Bgr:
    """Return (H, W, 3) as stored in a file, not yet upright; halved as by `decode`.

    Raises `ImageError`.
    """
    header = read_header(data)
    _check_size(header)
    return _pixels(header, data, halve=_is_halved(header))


def to_jpeg(bgr: Bgr, quality: int = 90) -> bytes:
    """Return a picture as the bytes of a JPEG file."""
    return _encode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])


def to_png(bgr: Bgr) -> bytes:
    """Return a picture as the bytes of a PNG file."""
    return _encode(".png", bgr, [])


def _read_file(path: Path) -> tuple[bytes, datetime]:
    # Not `open` first: opening a pipe or a device can wait for ever.
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise ImageError("missing", f"{path} is a folder, not a picture")
    if not stat.S_ISREG(status.st_mode):
        raise ImageError("missing", f"{path} is not a file")
    if status.st_size > MAX_BYTES:
        raise _too_long(status.st_size)
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
        changed_s = os.fstat(file.fileno()).st_mtime
    return data, datetime.fromtimestamp(changed_s, UTC)


def _decode(
    data: bytes,
    *,
    source: str,
    otherwise_taken_at: datetime,
    pixels: OpenPixels | None = None,
) -> Frame:
    if not data:
        raise ImageError("empty", "the file is empty")
    if len(data) > MAX_BYTES:
        raise _too_long(len(data))
    header = read_header(data)
    _check_size(header)
    halve = _is_halved(header)
    bgr = pixels(data) if pixels else _pixels(header, data, halve=halve)
    facts: dict[str, Any] = dict(header.exif)
    facts["scale"] = 0.5 if halve else 1.0
    return Frame(
        id=FrameId(hashlib.sha256(data).hexdigest()[:16]),
        bgr=_upright(bgr, facts),
        taken_at=taken_at(facts) or otherwise_taken_at,
        source=source,
        exif=facts,
    )


def _is_halved(header: Header) -> bool:
    return header.width_px * header.height_px > FULL_SIZE_PIXELS


def _too_long(size: int) -> ImageError:
    return ImageError(
        "too_large",
        f"the file has {size / 1e6:.0f} MB; at most {MAX_BYTES / 1e6:.0f} MB are read",
    )


def _check_size(header: Header) -> None:
    width, height = header.width_px, header.height_px
    if width * height > MAX_PIXELS:
        raise ImageError(
            "too_large",
            f"the picture has {width * height / 1e6:,.0f} megapixels"
            f" ({width} x {height}); at most {MAX_PIXELS / 1e6:.0f} are read",
        )
    if header.decode_bytes > MAX_DECODE_BYTES:
        raise ImageError(
            "too_large",
            f"the picture ({width} x {height}) needs {header.decode_bytes / 1e6:.0f} MB"
            " of memory in this format; send it smaller or as a common JPEG",
        )
    if min(width, height) < MIN_SIDE_PX:
        raise ImageError(
            "too_small",
            f"the picture is only {width} x {height} pixels;"
            f" each side needs at least {MIN_SIDE_PX}",
        )


def _pixels(header: Header, data: bytes, *, halve: bool) -> Bgr:
    """Return (H, W, 3) as stored, not yet upright, halved if asked."""
    flags = _UNCHANGED if header.transparent else _HALF_COLOR if halve else _COLOR
    packed = np.frombuffer(header.plain or data, np.uint8)
    # Whatever a decoder throws at a bad file means the same.
    decoded: NDArray[Any] | None = None
    with contextlib.suppress(cv2.error, MemoryError, ValueError):
        decoded = cv2.imdecode(packed, flags)
    step = 2 if flags == _HALF_COLOR else 1
    # JPEG rounds a half up, the other decoders down.
    height, width = header.height_px / step, header.width_px / step
    if decoded is None or not (
        decoded.shape[0] in (math.floor(height), math.ceil(height))
        and decoded.shape[1] in (math.floor(width), math.ceil(width))
    ):
        raise ImageError("broken", "the picture file is damaged and cannot be read")
    bgr = _flat(decoded)
    if halve and header.transparent:
        size = (header.width_px // 2, header.height_px // 2)
        bgr = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
    return bgr


def _flat(decoded: NDArray[Any]) -> Bgr:
    """Return 8 bit BGR over white, made in strips so that little is held at once."""
    if decoded.dtype == np.uint8 and decoded.ndim == 3 and decoded.shape[2] == 3:
        return decoded
    if decoded.dtype not in (np.uint8, np.uint16):
        raise ImageError("format", "this kind of picture is not read; send a JPEG")
    flat: Bgr = np.empty((*decoded.shape[:2], 3), np.uint8)
    for top in range(0, len(decoded), 256):
        strip = decoded[top : top + 256]
        if strip.dtype == np.uint16:
            strip = (strip >> 8).astype(np.uint8)
        if strip.ndim == 2:
            strip = strip[:, :, None]
        if strip.shape[2] == 4:
            alpha = strip[:, :, 3:].astype(np.uint16)
            over = strip[:, :, :3] * alpha + 255 * (255 - alpha)
            strip = ((over + 127) // 255).astype(np.uint8)
        flat[top : top + 256] = strip
    return flat


def _upright(bgr: Bgr, facts: Mapping[str, Any]) -> Bgr:
    orientation = facts.get("orientation", 1)
    if orientation in (5, 6, 7, 8):
        bgr = bgr.transpose(1, 0, 2)
    if orientation in (2, 3, 6, 7):
        bgr = bgr[:, ::-1]
    if orientation in (3, 4, 7, 8):
        bgr = bgr[::-1]
    return np.ascontiguousarray(bgr)


def _encode(ending: str, bgr: Bgr, options: list[int]) -> bytes:
    try:
        done, packed = cv2.imencode(ending, bgr, options)
    except cv2.error as error:
        raise ImageError("broken", "the picture cannot be written") from error
    if not done:
        raise ImageError("broken", "the picture cannot be written")
    return packed.tobytes()
