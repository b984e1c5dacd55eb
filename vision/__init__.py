"""Seeing: frame -> observation. Knows labels and millimetres, no game and no web."""

import os

# An image bomb is refused before a byte of it is decoded; OpenCV reads this variable
# once, when it is imported, so it must stand before any `import cv2`.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(110_000_000))
