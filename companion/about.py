"""Which version runs, and its source, as the licence asks."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("companion", "engines", "vision")
EXTRAS = ("LICENSE", "README.md", "pyproject.toml", "setup.py", "constraints.txt")
SKIPPED = {"__pycache__", "node_modules"}
SUFFIXES = {
    *(".py", ".typed", ".md", ".toml", ".json", ".geojson", ".csv", ".cfg"),
    *(".html", ".css", ".js", ".svg", ".webmanifest", ".po", ".pot", ".mo"),
    *(".onnx", ".npz", ".jpg", ".png"),
}


@cache
def our_version() -> str:
    """Return the installed version, "0" in a bare checkout."""
    try:
        return version("arbitro")
    except PackageNotFoundError:
        return "0"


@cache
def source_archive() -> bytes:
    """Return a .tar.gz of the program as it runs here: code, texts and weights."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=2) as archive:
        for path in source_files():
            name = Path(f"arbitro-{our_version()}") / path.relative_to(ROOT)
            archive.add(path, name.as_posix(), filter=_anonymous)
    return packed.getvalue()


def source_files() -> Iterator[Path]:
    """Yield the files of the packages, and of a checkout what builds them."""
    is_checkout = (ROOT / "pyproject.toml").is_file()
    if is_checkout:
        yield from (ROOT / name for name in EXTRAS if (ROOT / name).is_file())
    for name in (*PACKAGES, "models") if is_checkout else PACKAGES:
        for path in sorted((ROOT / name).rglob("*")):
            packed = path.suffix in SUFFIXES and not SKIPPED & set(path.parts)
            if packed and path.is_file():
                yield path


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
