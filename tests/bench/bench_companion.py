"""Import to first answer of the command line, and what the page costs around vision.

Run: `make bench`, or `pytest -s -o python_files=bench_*.py tests/bench`.
"""

from __future__ import annotations

import io
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from companion import showcase
from companion.config import Config
from companion.errors import NotHereError
from companion.referee import Terms, read, score
from companion.report import score_json
from companion.sight import load_pipeline
from companion.web import create_app
from tests.companion.conftest import jpeg
from tests.companion.tables import FIGHT, observation

FIRST_ANSWER_S = 2.0


def median_s(work: Callable[[], object], times: int) -> float:
    """Return the median of so many runs, after one that does not count."""
    work()
    spent = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        spent.append(time.perf_counter() - started)
    return statistics.median(spent)


def test_import_to_first_answer() -> None:
    try:
        load_pipeline(1)
    except NotHereError as error:
        pytest.skip(str(error))
    photo = str(showcase.tables()[0].path)
    command = [sys.executable, "-m", "companion", "read", "--json", photo]
    spent_s = median_s(
        lambda: subprocess.run(command, check=True, capture_output=True), 5
    )
    print(f"\narbitro read: {spent_s:.2f} s ({platform.node()})")
    assert spent_s <= FIRST_ANSWER_S


def test_score_and_report() -> None:
    reading = read(observation(FIGHT))

    def work() -> None:
        score_json(score(reading, Terms("regicide")), "it")

    print(f"\nscore and JSON: {median_s(work, 50) * 1000:.2f} ms")


def test_a_result_page(tmp_path: Path) -> None:
    seen = observation(FIGHT)
    app = create_app(
        Config(folder=tmp_path, load_pipeline=lambda decks: lambda frame: seen)
    )
    app.config["WTF_CSRF_ENABLED"] = False
    client = app.test_client()
    photo = (io.BytesIO(jpeg()), "table.jpg")
    answer = client.post("/read", data={"game": "regicide", "photo": photo})
    path = answer.headers["Location"]
    spent_s = median_s(lambda: client.get(path), 30)
    print(f"\nresult page: {spent_s * 1000:.1f} ms")
