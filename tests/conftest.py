"""Fixtures and settings that all tests share."""

import os
import shutil
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent

# No deadline: the cores are shared, and a slow example is not a wrong one.
settings.register_profile("dev", max_examples=25, deadline=None)
settings.register_profile(
    "ci",
    max_examples=100,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("nightly", max_examples=2000, deadline=None)


def hypothesis_profile() -> str:
    """Return the profile asked for by ARBITRO_HYPOTHESIS, else by CI, else `dev`."""
    in_ci = os.environ.get("CI", "").lower() in {"1", "true"}
    return os.environ.get("ARBITRO_HYPOTHESIS") or ("ci" if in_ci else "dev")


settings.load_profile(hypothesis_profile())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite tests/golden from what the code says now; read the diff",
    )


def pytest_report_header() -> list[str]:
    libraries = ("opencv-python", "numpy", "onnxruntime")
    return [
        "arbitro: " + ", ".join(f"{name} {_version(name)}" for name in libraries),
        f"hypothesis: profile {hypothesis_profile()}",
    ]


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "absent"


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether to rewrite the stored results instead of comparing with them."""
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real photos and decks; it is never part of the project."""
    folder = Path(os.environ.get("ARBITRO_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no real photos at {folder}; ARBITRO_DATA names their folder")
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the system's Chromium, for playwright's `executable_path`."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("ARBITRO_CHROMIUM") or next(
        filter(None, map(shutil.which, names)), None
    )
    if found is None:
        pytest.skip("no Chromium here; `apt-get install chromium`, or ARBITRO_CHROMIUM")
    return found
