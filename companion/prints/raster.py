"""A page of a PDF as a picture, true to scale to a fiftieth of a pixel."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POINTS_PER_MM = 72 / 25.4
SLACK_PX = 2e-3
"""What may be missing of a last pixel."""


def page_sizes_mm(pdf: bytes) -> list[tuple[float, float]]:
    """Return width and height of every page."""
    import pypdfium2  # noqa: PLC0415 - slow, and only pictures need it

    document = pypdfium2.PdfDocument(pdf)
    sizes = [document.get_page_size(number) for number in range(len(document))]
    document.close()
    return [(w / POINTS_PER_MM, h / POINTS_PER_MM) for w, h in sizes]


def render(pdf: bytes, page: int = 0, *, px_per_mm: float = 8.0) -> NDArray[np.uint8]:
    """Return the (H, W, 3) BGR picture of one page, counted from 0."""
    return render_all(pdf, (page,), px_per_mm=px_per_mm)[0]


def render_all(
    pdf: bytes, pages: tuple[int, ...] | None = None, *, px_per_mm: float = 8.0
) -> list[NDArray[np.uint8]]:
    """Return the pictures of these pages, or of all."""
    import numpy as np  # noqa: PLC0415
    import pypdfium2  # noqa: PLC0415

    document = pypdfium2.PdfDocument(pdf)
    pictures = []
    for number in range(len(document)) if pages is None else pages:
        page = document[number]
        _fill_pixels(page, px_per_mm / POINTS_PER_MM)
        bitmap = page.render(scale=px_per_mm / POINTS_PER_MM)
        pictures.append(np.array(bitmap.to_numpy()[..., :3], np.uint8))
        bitmap.close()
        page.close()
    document.close()
    return pictures


def _fill_pixels(page: Any, scale: float) -> None:
    """Let the page end with a whole pixel on the right and below: pdfium would stretch
    it to one, and nothing would be where it should be."""
    left, low, right, high = page.get_mediabox()
    across = math.ceil((right - left) * scale - SLACK_PX)
    down = math.ceil((high - low) * scale - SLACK_PX)
    # pdfium rounds up once more, after single precision.
    page.set_mediabox(
        left,
        high - (down - SLACK_PX) / scale,
        left + (across - SLACK_PX) / scale,
        high,
    )
