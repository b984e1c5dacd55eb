"""Flat art of no meaning, where pictures are printed."""

from __future__ import annotations

import cv2
import numpy as np

from vision.types import Bgr


def mosaic(
    rng: np.random.Generator, width: int, height: int, *, symmetric: bool
) -> Bgr:
    """Return random flat art: patches, arcs and lines in a small palette."""
    palette = rng.integers(0, 255, (int(rng.integers(3, 7)), 3))
    art = np.full((height, width, 3), palette[0], np.uint8)
    for _ in range(int(rng.integers(12, 45))):
        colour = palette[rng.integers(len(palette))].tolist()
        centre = rng.uniform(0, [width, height])
        reach = rng.uniform(0.04, 0.3) * width
        match rng.integers(4):
            case 0:
                points = centre + rng.normal(0, reach, (int(rng.integers(3, 7)), 2))
                cv2.fillPoly(art, [points.astype(np.int32)], colour, cv2.LINE_AA)
            case 1:
                cv2.circle(art, centre.astype(int).tolist(), int(reach), colour, -1)
            case 2:
                end = centre + rng.normal(0, reach * 3, 2)
                thick = int(rng.integers(1, 6))
                cv2.line(
                    art,
                    centre.astype(int).tolist(),
                    end.astype(int).tolist(),
                    colour,
                    thick,
                    cv2.LINE_AA,
                )
            case _:
                axes = (rng.uniform(0.3, 1, 2) * reach).astype(int).tolist()
                cv2.ellipse(
                    art,
                    centre.astype(int).tolist(),
                    axes,
                    float(rng.uniform(0, 180)),
                    0,
                    float(rng.uniform(90, 360)),
                    colour,
                    int(rng.integers(1, 4)),
                )
    if symmetric:
        half = height // 2
        art[height - half :] = art[:half][::-1, ::-1]
    return art
