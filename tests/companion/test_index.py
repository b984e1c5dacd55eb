"""The index of tests in `companion/README.md` names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import companion

TESTS = Path(__file__).parents[1]
NAMED = re.compile(r"`(test_\w+)(?:::(test_\w+))?(\.\.)?`")


def test_every_test_that_the_index_names_is_there() -> None:
    readme = (Path(companion.__file__).parent / "README.md").read_text("utf-8")
    table = readme[readme.index("## What shows that it holds") :]
    found = NAMED.findall(table[: table.index("\n## ")])
    assert len(found) > 50
    for file, name, goes_on in found:
        paths = [TESTS / part / f"{file}.py" for part in ("browser", "companion")]
        texts = [path.read_text("utf-8") for path in paths if path.is_file()]
        assert texts, file
        end = "" if goes_on else r"\("
        if name:
            assert any(re.search(rf"^def {name}{end}", t, re.M) for t in texts), name
