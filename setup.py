"""Lists the packages; everything else about the build is in pyproject.toml.

pyproject.toml can either find packages or map folders, not both. Both are needed: a
new game must need no edit, and models/, which holds no importable code, must reach the
wheel, as vision/_models.
"""

from setuptools import find_packages, setup

PACKAGES = ("engines", "vision", "companion")

setup(
    packages=[
        *find_packages(include=[*PACKAGES, *(f"{name}.*" for name in PACKAGES)]),
        "vision._models",
    ],
    package_dir={"vision._models": "models"},
)
