"""Everything that Arbitro prints: sheets for the camera, decks, fiches, a mat.

One drawing routine for each thing gives the PDF; the pictures that vision compares with
are that PDF, rasterised. The art is drawn by code and belongs to Arbitro. What a label
looks like depends on the label alone: a deck printed today is still read when other
cards have been added (`STYLE` says which art it is).
"""

STYLE = 1
"""Raised when printed cards would no longer match the pictures made of them."""
