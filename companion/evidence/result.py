"""The evidence pack of one result of the page."""

from __future__ import annotations

import json
import platform
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import cv2
import numpy as np

from companion.about import our_version
from companion.evidence import packed
from companion.evidence.calibration import calibration_of
from companion.evidence.page import Page, as_pdf
from companion.ledger.signing import SigningKey
from companion.reader import CardSize
from companion.referee import Scored, game_kit
from companion.report import score_json
from companion.store import Event, Record
from companion.tables.gear import read_gear
from companion.terminal.photos import overlay_labels
from vision.images import decode, to_jpeg
from vision.models import load_manifest
from vision.overlay import draw
from vision.types import Frame

LIBRARIES = ("opencv-python", "onnxruntime", "numpy")
MODELS = ("detector", "reader")


def result_pack(
    record: Record, scored: Scored, picture: bytes, key: SigningKey, language: str
) -> bytes:
    """Return the pack of a result as it stands now."""
    overlay = overlay_jpeg(record, scored, picture, language)
    files = {
        "photo.jpg": picture,
        "overlay.jpg": overlay,
        "score.json": _json(score_json(scored, language)),
        "said.json": _json([_said(event) for event in record.events]),
        "calibration.json": _json(
            calibration_of(read_gear(record.gear), record.observation)
        ),
        "ruling.pdf": result_pdf(record, scored, overlay, key, language),
    }
    return packed(files, facts_of(record), key)


def result_pdf(
    record: Record, scored: Scored, overlay: bytes, key: SigningKey, language: str
) -> bytes:
    """Return the printable page of a result."""
    return as_pdf(Page(record, scored, overlay, key.public), language)


def overlay_jpeg(
    record: Record, scored: Scored, picture: bytes, language: str
) -> bytes:
    """Return the picture with what was seen on it, corrections applied."""
    frame = decode(picture, source=record.observation.source)
    seen = scored.reading.observation
    if frame.bgr.shape[:2] != (seen.height_px, seen.width_px):
        size = seen.width_px, seen.height_px
        frame = _resized(frame, size)
    kit = game_kit(record.game)
    size_mm = CardSize.of(kit)
    return to_jpeg(
        draw(
            frame,
            seen,
            labels=overlay_labels(scored.reading, language, kit),
            size_mm=(size_mm.width_mm, size_mm.height_mm),
        )
    )


def facts_of(record: Record) -> dict[str, Any]:
    """Return what the manifest says of a result: by what it was read and ruled."""
    return {
        "result": record.id,
        "game": record.game,
        "taken_at": record.observation.taken_at.isoformat(),
        "read_at": record.created_at.isoformat(),
        "arbitro": our_version(),
        "models": models_used(),
        "libraries": {name: _version(name) for name in LIBRARIES},
        "machine": f"{platform.system()} {platform.machine()}",
    }


def models_used() -> dict[str, str]:
    """Return model -> SHA-256 of its weights."""
    return {name: load_manifest(name).sha256 for name in MODELS}


def _resized(frame: Frame, size: tuple[int, int]) -> Frame:
    bgr = cv2.resize(frame.bgr, size, interpolation=cv2.INTER_AREA)
    return replace(frame, bgr=np.asarray(bgr, np.uint8))


def _said(event: Event) -> dict[str, str | int]:
    return {
        "seq": event.seq,
        "at": event.taken_at.isoformat(),
        "kind": event.kind,
        "about": event.subject,
        "value": event.value,
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "?"


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode()
