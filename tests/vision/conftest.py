"""Fixtures that the tests of `vision` share."""

import pytest

from vision.models import load_manifest
from vision.reading import Read, load_reader


@pytest.fixture(scope="session")
def read() -> Read:
    """Return the reader that is shipped."""
    return load_reader(load_manifest("reader"))
