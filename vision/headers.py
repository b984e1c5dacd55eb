"""What a picture file says about itself before a pixel of it is decoded.

JPEG, PNG and WebP are read; the decoders for everything else stay shut, for they are
where image libraries break. The parsers here only walk over lengths: they allocate
nothing that the file asks for.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from vision.errors import ImageError
from vision.exif import read_exif

MAX_SCANS = 40
"""Of one JPEG. Encoders write up to about 15; each costs a pass over the picture."""

MAX_PARTS = 50_000
"""Segments or chunks of one file; a PNG of 100 megapixels has some 20,000."""

KNOWN_FORMATS: tuple[tuple[int, bytes, str], ...] = (
    (0, b"GIF8", "a GIF picture"),
    (0, b"II*\0", "a TIFF or raw camera picture"),
    (0, b"MM\0*", "a TIFF or raw camera picture"),
    (0, b"II+\0", "a TIFF picture"),
    (0, b"BM", "a BMP picture"),
    (0, b"\0\0\1\0", "an icon"),
    (0, b"8BPS", "a Photoshop file"),
    (0, b"%PDF", "a PDF document"),
    (0, b"\0\0\0\x0cjP  ", "a JPEG 2000 picture"),
    (0, b"\xff\x4f\xff\x51", "a JPEG 2000 picture"),
    (0, b"\0\0\0\x0cJXL ", "a JPEG XL picture"),
    (0, b"\xff\x0a", "a JPEG XL picture"),
    (0, b"FUJIFILM", "a raw camera picture"),
    (0, b"\x1aE\xdf\xa3", "a video"),
    (0, b"\0\0\1\xba", "a video"),
    (0, b"FLV", "a video"),
    (0, b"OggS", "a video or sound file"),
    (0, b"#?RADIANCE", "an HDR picture"),
    (0, b"v/1\1", "an OpenEXR picture"),
    (0, b"PK\3\4", "a ZIP archive or office document"),
    (0, b"\x1f\x8b", "a compressed archive"),
    (0, b"7z\xbc\xaf", "a compressed archive"),
    (0, b"<svg", "an SVG drawing"),
    (0, b"<!DOCTYPE", "a web page"),
    (0, b"<html", "a web page"),
    (8, b"AVI ", "a video"),
    (8, b"WAVE", "a sound file"),
)
"""(offset, magic, name for people) of what is not read."""

BRANDS: tuple[tuple[bytes, str], ...] = (
    (b"avif", "an AVIF picture"),
    (b"avis", "an AVIF picture"),
    (b"heic", "a HEIC picture"),
    (b"heix", "a HEIC picture"),
    (b"hevc", "a HEIC picture"),
    (b"heim", "a HEIC picture"),
    (b"heis", "a HEIC picture"),
    (b"mif1", "a HEIC picture"),
    (b"msf1", "a HEIC picture"),
    (b"crx ", "a raw camera picture"),
    (b"jp2 ", "a JPEG 2000 picture"),
)
"""Major brands of the ISO container; any other one is a video."""


@dataclass(frozen=True, slots=True)
class Header:
    """Size and make-up of a picture, as its file states them."""

    format: str
    """``jpeg``, ``png`` or ``webp``."""
    width_px: int
    height_px: int
    decode_bytes: int
    """Memory that decoding takes at most; measured on OpenCV 5.0, which holds the
    picture twice."""
    transparent: bool = False
    """Must be decoded unchanged and laid on white."""
    exif: Mapping[str, Any] = field(default_factory=dict)
    plain: bytes | None = None
    """The same picture without animation, colour profile and texts, where the file had
    parts that the decoder need not see."""


def read_header(data: bytes) -> Header:
    """Return the header of a JPEG, PNG or WebP file.

    Raises `ImageError`: ``format`` for other known formats, ``not_an_image`` for
    unknown ones, ``broken`` if the file contradicts itself or ends too early.
    """
    if data[:3] == b"\xff\xd8\xff":
        return _jpeg(data)
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return _png(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data)
    raise _refusal(data)


def _refusal(data: bytes) -> ImageError:
    name = None
    if data[4:8] == b"ftyp":
        name = next((name for brand, name in BRANDS if data[8:12] == brand), "a video")
    for offset, magic, known in KNOWN_FORMATS:
        if data[offset : offset + len(magic)].lower() == magic.lower():
            name = known
            break
    if name is None:
        return ImageError(
            "not_an_image", "this is not a picture; send a JPEG, PNG or WebP file"
        )
    return ImageError(
        "format", f"this is {name}; send the picture as JPEG, PNG or WebP"
    )


def _broken(why: str) -> ImageError:
    return ImageError("broken", f"the picture file is damaged: {why}")


# JPEG -------------------------------------------------------------------------------

_STANDALONE = frozenset((0x01, *range(0xD0, 0xD8)))
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_LOSSLESS = frozenset((0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF))
# Inside coded data 0xFF is followed by 0, by a restart marker or by more fill bytes.
_MARKER = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]", re.DOTALL)


def _segments(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield (marker, payload) of a JPEG up to its end marker, coded data left out."""
    at = 2
    for _ in range(MAX_PARTS):
        found = data.find(b"\xff", at, at + 65536)
        at = found + 1
        while found >= 0 and data[at : at + 1] == b"\xff":
            at += 1
        if found < 0 or at >= len(data):
            raise _broken("it ends too early; copy or take it again")
        marker = data[at]
        at += 1
        if marker == 0xD9:
            return
        if marker in _STANDALONE or marker in (0x00, 0xD8):
            continue
        length = int.from_bytes(data[at : at + 2], "big")
        if length < 2 or at + length > len(data):
            raise _broken("it ends too early; copy or take it again")
        yield marker, data[at + 2 : at + length]
        at += length
        if marker == 0xDA:
            following = _MARKER.search(data, at)
            if following is None:
                raise _broken("it ends too early; copy or take it again")
            at = following.start()
    raise _broken("it is in too many pieces")


def _jpeg(data: bytes) -> Header:
    frame: bytes | None = None
    frame_marker = scans = 0
    exif: Mapping[str, Any] = {}
    for marker, payload in _segments(data):
        if marker in _FRAMES:
            if frame is not None:
                raise _broken("it states its size twice")
            frame, frame_marker = payload, marker
        elif marker == 0xE1 and payload[:6] == b"Exif\0\0" and not exif:
            exif = read_exif(payload[6:])
        elif marker == 0xDA:
            scans += 1
            if frame is None or scans > MAX_SCANS:
                raise _broken("it is not put together as cameras do it")
    if frame is None or len(frame) < 6 or not scans:
        raise _broken("it holds no picture")
    bits, height, width, parts = struct.unpack_from(">BHHB", frame)
    if bits != 8 or frame_marker in _LOSSLESS:
        raise ImageError(
            "format", "this is an unusual kind of JPEG; send it as a common JPEG or PNG"
        )
    if len(frame) < 6 + 3 * parts or parts not in (1, 3, 4) or not width or not height:
        raise _broken("its size is not stated")
    # Several scans are gathered as 16 bit coefficients before anything can be shown.
    coefficients = 2 * _sampling(frame, parts) if scans > 1 else 0
    needed = int(width * height * (1.5 + coefficients))
    return Header("jpeg", width, height, needed, exif=exif)


def _sampling(frame: bytes, parts: int) -> float:
    factors = [divmod(frame[7 + 3 * part], 16) for part in range(parts)]
    if any(not (1 <= h <= 4 and 1 <= v <= 4) for h, v in factors):
        raise _broken("its size is not stated")
    full = max(h for h, _ in factors) * max(v for _, v in factors)
    return sum(h * v for h, v in factors) / full


# PNG --------------------------------------------------------------------------------

_PNG_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_PNG_NEEDED = frozenset((b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"))


def _chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield (name, start of the whole chunk, payload length) up to and with IEND."""
    at = 8
    for _ in range(MAX_PARTS):
        if at + 12 > len(data):
            raise _broken("it ends too early; copy or take it again")
        length, name = struct.unpack_from(">I4s", data, at)
        if at + 12 + length > len(data):
            raise _broken("it ends too early; copy or take it again")
        yield name, at, length
        if name == b"IEND":
            return
        at += 12 + length
    raise _broken("it is in too many pieces")


def _png(data: bytes) -> Header:
    ihdr, *_ = struct.unpack_from(">4s", data.ljust(16, b"\0"), 12)
    if ihdr != b"IHDR" or len(data) < 33:
        raise _broken("its size is not stated")
    width, height, bits, colour = struct.unpack_from(">IIBB", data, 16)
    if bits not in _PNG_DEPTHS.get(colour, ()) or not width or not height:
        raise _broken("its size is not stated")
    exif: Mapping[str, Any] = {}
    view = memoryview(data)
    kept = [view[:8]]
    transparent = colour in (4, 6)
    for name, at, length in _chunks(data):
        if name == b"eXIf" and not exif:
            exif = read_exif(data[at + 8 : at + 8 + length])
        if name not in _PNG_NEEDED:
            continue
        body = view[at + 4 : at + 8 + length]
        if zlib.crc32(body) != int.from_bytes(view[at + 8 + length :][:4], "big"):
            raise _broken("a part of it was changed on the way")
        transparent |= name == b"tRNS"
        kept.append(view[at : at + 12 + length])
    unchanged = (2 if bits == 16 else 1) * 4
    needed = width * height * (3 + 2 * unchanged if transparent else 4)
    size = sum(len(part) for part in kept)
    plain = b"".join(kept) if size != len(data) else None
    return Header("png", width, height, needed, transparent, exif, plain)


# WebP -------------------------------------------------------------------------------


def _webp(data: bytes) -> Header:
    (size,) = struct.unpack_from("<I", data, 4)
    if size + 8 > len(data) + 1:
        raise _broken("it ends too early; copy or take it again")
    width = height = 0
    animated = alpha = False
    exif: Mapping[str, Any] = {}
    at, end = 12, min(len(data), size + 8)
    for _ in range(MAX_PARTS):
        if at + 8 > end:
            break
        name, length = struct.unpack_from("<4sI", data, at)
        body = data[at + 8 : at + 8 + min(length, 64)]
        if at + 8 + length > end:
            raise _broken("it ends too early; copy or take it again")
        if name == b"VP8X" and len(body) >= 10 and not width:
            animated, alpha = bool(body[0] & 0x02), bool(body[0] & 0x10)
            width = 1 + int.from_bytes(body[4:7], "little")
            height = 1 + int.from_bytes(body[7:10], "little")
        elif name == b"VP8 " and body[3:6] == b"\x9d\x01\x2a" and len(body) >= 10:
            stated = [part & 0x3FFF for part in struct.unpack_from("<HH", body, 6)]
            width, height = width or stated[0], height or stated[1]
        elif name == b"VP8L" and body[:1] == b"\x2f" and len(body) >= 5:
            bits = int.from_bytes(body[1:5], "little")
            width = width or 1 + (bits & 0x3FFF)
            height = height or 1 + (bits >> 14 & 0x3FFF)
            alpha |= bool(bits >> 28 & 1)
        elif name == b"EXIF" and not exif:
            block = data[at + 8 : at + 8 + length]
            exif = read_exif(block.removeprefix(b"Exif\0\0"))
        at += 8 + length + (length & 1)
    if not width or not height:
        raise _broken("its size is not stated")
    # An animation is composed on two canvases with transparency.
    needed = width * height * (20 if animated else 11 if alpha else 4)
    return Header("webp", width, height, needed, animated or alpha, exif)
