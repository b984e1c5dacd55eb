"""What can go wrong in seeing, in words that a player or developer can act on."""

from __future__ import annotations


class VisionError(Exception):
    """Base of all errors that `vision` raises."""


class ImageError(VisionError):
    """A picture cannot be read: `code` names the kind, the message says it in words.

    Codes: ``missing``, ``empty``, ``not_an_image``, ``format``, ``too_large``,
    ``too_small``, ``broken``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class CameraError(VisionError):
    """A camera cannot be opened or has stopped sending pictures."""


class ModelError(VisionError):
    """A model file is missing, or is not the file that its manifest describes."""


class GeometryError(VisionError, ValueError):
    """Points do not allow the map that was asked for."""


class MatError(VisionError):
    """A mat's folder cannot be made or read; codes: ``missing``, ``facts``,
    ``plain``."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
