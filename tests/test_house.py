"""The house holds together: packaging, pins, borders and the README's commands."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path, PurePosixPath

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PACKAGES = ("engines", "vision", "companion")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MODEL_SUFFIXES = {".onnx", ".toml", ".csv", ".md", ".json", ".npz"}
TRAIN_LIBRARIES = {"onnx", "onnxslim", "torch", "torchvision", "ultralytics"}

# Split, so that this file does not name what it looks for.
INDEX_HOSTS = (
    "pypi" + ".org",
    "python" + "hosted.org",
    "npmjs" + ".org",
    "debian" + ".org/debian",
    "--index" + "-url",
    "--extra-index" + "-url",
)


def pins() -> dict[str, str]:
    """Return the versions of constraints.txt by normalised name."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonicalize_name(name): pinned for name, pinned in pairs}


def declared() -> list[Requirement]:
    """Return all requirements of pyproject.toml: run time, extras and build."""
    project = PYPROJECT["project"]
    extras = project["optional-dependencies"].values()
    lists = (project["dependencies"], *extras, PYPROJECT["build-system"]["requires"])
    return [Requirement(text) for lines in lists for text in lines]


def project_files() -> list[PurePosixPath]:
    """Return every file that is or would be committed."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: cannot tell the project's files")
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    files = [PurePosixPath(name) for name in names.decode().split("\0") if name]
    return [file for file in files if (ROOT / file).is_file()]


def imported_roots(file: Path) -> Iterator[str]:
    """Yield the top-level name of every absolute import, late ones included."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").partition(".")[0]


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The files of a wheel built from a clean copy of the project."""
    source = tmp_path_factory.mktemp("source")
    for file in project_files():
        if file.parts[0] != "tests":
            (source / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, source / file)
    build = "from setuptools import build_meta; build_meta.build_wheel('dist')"
    command = [sys.executable, "-c", build]
    built = subprocess.run(
        command, cwd=source, check=False, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = (source / "dist").glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_readme_names_only_make_targets_that_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^ *|`)make ([a-z-]+)", readme, re.MULTILINE))
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    assert {"demo", "test"} <= named
    assert named <= targets


def test_ci_runs_the_test_commands_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(r"^make .*", script, re.MULTILINE) == [
        "make test",
        "make test-train",
    ]


def test_every_declared_dependency_is_pinned_to_a_version_it_allows() -> None:
    pinned = pins()
    for requirement in declared():
        name = canonicalize_name(requirement.name)
        assert name in pinned, f"constraints.txt does not pin {name}"
        assert requirement.specifier.contains(pinned[name]), requirement


def test_every_dependency_of_a_dependency_is_pinned() -> None:
    pinned = pins()
    waiting = list(declared())
    seen: set[str] = set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in seen:
            continue
        seen.add(name)
        assert name in pinned, f"constraints.txt does not pin {name}"
        try:
            lines = requires(name) or []
        except PackageNotFoundError:  # of the extra that is not installed here
            continue
        inner = map(Requirement, lines)
        extras = requirement.extras or {""}
        waiting += [
            item
            for item in inner
            if item.marker is None
            or any(item.marker.evaluate({"extra": extra}) for extra in extras)
        ]
    assert "numpy" in seen


def test_models_and_datasets_hold_no_importable_code() -> None:
    folders = ("models", "datasets")
    code = [
        str(file)
        for file in project_files()
        if file.parts[0] in folders and file.suffix in {".py", ".pyi", ".so"}
    ]
    assert code == []


def test_no_file_names_a_package_index() -> None:
    found = [
        f"{file}: {host}"
        for file in project_files()
        for host in INDEX_HOSTS
        if host.encode() in (ROOT / file).read_bytes()
    ]
    assert found == []


def test_engines_import_the_standard_library_and_shapely_only() -> None:
    allowed = sys.stdlib_module_names | {"engines", "shapely"}
    foreign = {
        f"{file.relative_to(ROOT)}: {root}"
        for file in (ROOT / "engines").rglob("*.py")
        for root in imported_roots(file)
        if root not in allowed
    }
    assert foreign == set()


def test_the_light_install_never_imports_the_train_extra() -> None:
    training = ROOT / "vision" / "training"
    heavy = {
        f"{file.relative_to(ROOT)}: {root}"
        for package in PACKAGES
        for file in (ROOT / package).rglob("*.py")
        if training not in file.parents
        for root in imported_roots(file)
        if root in TRAIN_LIBRARIES
    }
    assert heavy == set()


def test_the_wheel_holds_the_packages_and_the_models_only(
    wheel_names: set[str],
) -> None:
    tops = {PurePosixPath(name).parts[0] for name in wheel_names}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


def test_the_wheel_holds_every_module_of_the_packages(wheel_names: set[str]) -> None:
    modules = {
        str(file)
        for file in project_files()
        if file.parts[0] in PACKAGES and file.suffix == ".py"
    }
    packed = {name for name in wheel_names if name.endswith(".py")}
    assert packed <= modules
    assert sorted(modules - packed) == [], "a folder without __init__.py is not packed"


def test_the_wheel_holds_the_data_that_the_code_reads(wheel_names: set[str]) -> None:
    wanted = {f"{package}/py.typed" for package in PACKAGES}
    for file in project_files():
        if file.parts[0] == "models" and len(file.parts) == 3:
            assert file.suffix in MODEL_SUFFIXES, f"{file} would not be packed"
            wanted.add(f"vision/_models/{file.relative_to('models')}")
        elif file.parts[1:2] == ("screenshots",):
            continue  # of the README on the web; nothing reads them
        elif file.parts[0] in PACKAGES and file.suffix != ".py":
            wanted.add(str(file))
    assert wanted - wheel_names == set()
