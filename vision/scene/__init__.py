"""Renders tables with cards through a camera model, with exact truth.

The same scenes serve training, tests, benchmarks and the demo. Everything follows
from a `numpy.random.Generator`: the same seed gives the same picture and truth.
"""
