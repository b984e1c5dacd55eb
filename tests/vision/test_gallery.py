"""Galleries: what is written is read again, and what is unsound is refused by name."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from vision.gallery import (
    FILE,
    Face,
    Gallery,
    GalleryError,
    export_zip,
    load_gallery,
    save_gallery,
    unpack_zip,
)
from vision.types import Bgr


def picture(seed: int) -> Bgr:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.integers(0, 255, (176, 126, 3)), np.uint8)


def deck() -> Gallery:
    faces = (
        Face("R5", (picture(1), picture(2)), 2),
        Face("r5", (picture(3),)),
        Face("../evil:name", (picture(4),)),
        Face('a "quoted\\ name"', (picture(5),)),
    )
    meta = {"game": "frantic", "two words": "ünï\n"}
    return Gallery("red-dragons", faces, (picture(6),), 59.0, 91.0, meta)


def test_a_gallery_is_read_as_it_was_written(tmp_path: Path) -> None:
    save_gallery(deck(), tmp_path / "d")
    again = load_gallery(tmp_path / "d")
    assert [(f.label, f.copies) for f in again.faces] == [
        (f.label, f.copies) for f in deck().faces
    ]
    assert (again.name, again.width_mm, again.height_mm) == ("red-dragons", 59.0, 91.0)
    assert again.meta == deck().meta
    for old, new in zip(deck().faces, again.faces, strict=True):
        assert all(map(np.array_equal, old.pictures, new.pictures))
    assert np.array_equal(again.backs[0], picture(6))


def test_pictures_that_a_deck_no_longer_names_are_removed_others_stay(
    tmp_path: Path,
) -> None:
    save_gallery(deck(), tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    save_gallery(Gallery("d", (Face("R5", (picture(1),)),)), tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["R5.png", FILE, "notes.txt"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("version = 2", "version"),
        ('name = ""', "name"),
        ("width_mm = 5", "width_mm"),
        ("copies = 0", "copies"),
        ('label = ""', "label"),
        ('pictures = ["../x.png"]', "no file of this folder"),
        ('pictures = ["none.png"]', "none.png"),
        ("pictures = []", "pictures"),
        ("version = ", "deck.toml"),
    ],
)
def test_what_is_unsound_is_named(tmp_path: Path, line: str, told: str) -> None:
    save_gallery(Gallery("d", (Face("R5", (picture(1),)),)), tmp_path)
    key = line.partition(" =")[0]
    text = (tmp_path / FILE).read_text()
    lines = [line if row.startswith(f"{key} =") else row for row in text.splitlines()]
    (tmp_path / FILE).write_text("\n".join(lines))
    with pytest.raises(GalleryError, match=told):
        load_gallery(tmp_path)


def test_two_faces_of_one_label_are_refused() -> None:
    with pytest.raises(GalleryError, match="twice"):
        Gallery("d", (Face("R5", (picture(1),)), Face("R5", (picture(2),))))


def unpacked(path: Path, folder: Path) -> None:
    """Unpack a zip into a folder that is made for it."""
    folder.mkdir()
    unpack_zip(path, folder)


def test_a_zip_brings_the_same_gallery(tmp_path: Path) -> None:
    export_zip(deck(), tmp_path / "d.zip")
    unpacked(tmp_path / "d.zip", tmp_path / "there")
    again = load_gallery(tmp_path / "there")
    assert [face.label for face in again.faces] == [f.label for f in deck().faces]
    assert load_gallery(tmp_path / "there").name == "red-dragons"


@pytest.mark.parametrize(
    "name", ["../x.png", "a/b/c.png", "/etc/x", "a/../../x", ".hidden", "a\\b"]
)
def test_no_path_of_a_zip_leaves_its_folder(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr(name, b"x")
    with pytest.raises(GalleryError):
        unpacked(tmp_path / "evil.zip", tmp_path / "home")
    assert not list((tmp_path / "home").iterdir())
    (tmp_path / "no.zip").write_bytes(b"no zip")
    with pytest.raises(GalleryError):
        unpack_zip(tmp_path / "no.zip", tmp_path / "home")
