"""Evidence packs: what is in them, and that no change of them goes unseen."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.cli import main
from companion.evidence import PackError, is_pack, packed, verify_pack
from companion.ledger.signing import SigningKey, fingerprint
from tests.companion.conftest import Post

KEY = SigningKey(bytes(range(32)))
FILES = {"photo.jpg": b"\xff\xd8\xff picture", "score.json": b"{}"}
FACTS = {"game": "regicide", "arbitro": "1"}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    path = tmp_path / "pack.zip"
    path.write_bytes(packed(FILES, FACTS, KEY))
    return path


def rewritten(path: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """Return the pack with its files changed and zipped again."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_an_intact_pack_says_what_it_holds(pack: Path) -> None:
    report = verify_pack(pack)
    assert report.facts["game"] == "regicide"
    assert report.files == ("photo.jpg", "score.json")
    assert report.key == KEY.public
    assert is_pack(pack)


def test_the_same_content_gives_the_same_pack() -> None:
    assert packed(FILES, FACTS, KEY) == packed(
        dict(reversed(FILES.items())), FACTS, KEY
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda files: files.update({"photo.jpg": b"other"}), "photo.jpg has been ch"),
        (lambda files: files.update({"new.txt": b"x"}), "new.txt has been added"),
        (lambda files: files.pop("score.json"), "score.json is missing"),
        (
            lambda files: files.update(
                {"manifest.json": files["manifest.json"].replace(b"regicide", b"brawl")}
            ),
            "signature does not fit",
        ),
        (lambda files: files.pop("signature.json"), "not an evidence pack"),
        (lambda files: files.update({"manifest.json": b"[]"}), "signature does not"),
    ],
)
def test_every_change_is_named(
    pack: Path, change: Callable[[dict[str, bytes]], None], told: str
) -> None:
    with pytest.raises(PackError, match=told):
        verify_pack(rewritten(pack, change))


def test_a_pack_signed_anew_shows_another_key(pack: Path) -> None:
    """Whoever rebuilds a pack whole cannot sign it with the installation's key."""
    forged = SigningKey(bytes(32))
    pack.write_bytes(packed({**FILES, "photo.jpg": b"x"}, FACTS, forged))
    assert verify_pack(pack).fingerprint != fingerprint(KEY.public)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(place=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_no_flipped_bit_changes_what_is_believed(
    tmp_path: Path, place: int, bit: int
) -> None:
    data = bytearray(packed(FILES, FACTS, KEY))
    data[place % len(data)] ^= 1 << bit
    path = tmp_path / "flipped.zip"
    path.write_bytes(data)
    try:
        report = verify_pack(path)
    except PackError:
        return
    # A bit of the zip's own bookkeeping: the content is the same.
    assert report.facts["game"] == "regicide"
    with zipfile.ZipFile(path) as archive:
        for name in report.files:
            assert archive.read(name) == FILES[name]


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"nothing of the kind"])
def test_other_files_are_told_in_one_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "other.zip"
    path.write_bytes(data)
    assert not is_pack(path)
    with pytest.raises(PackError, match="not an evidence pack"):
        verify_pack(path)


def test_a_result_becomes_a_pack_that_verifies(
    client: FlaskClient, upload: Callable[..., str], post: Post, tmp_path: Path
) -> None:
    place = upload()
    placements = json.loads(fetched(client, f"{place}/result.json"))["placements"]
    wrong = next(p["id"] for p in placements if p["label"] == "9d")
    post(f"{place}/card/{wrong}", value="6d")
    path = tmp_path / "result.zip"
    path.write_bytes(fetched(client, f"{place}/evidence.zip"))
    report = verify_pack(path)
    assert set(report.files) == {
        *("photo.jpg", "overlay.jpg", "score.json", "said.json", "ruling.pdf"),
        "calibration.json",
    }
    assert set(report.facts["models"]) == {"detector", "reader"}
    with zipfile.ZipFile(path) as archive:
        photo = fetched(client, f"{place}/picture.jpg")
        assert archive.read("photo.jpg") == photo
        score = json.loads(archive.read("score.json"))
        assert score["game"] == "regicide"
        by = json.loads(archive.read("calibration.json"))
        assert by["lens"] is None
        assert by["table"]["found"] is True
        (said,) = json.loads(archive.read("said.json"))
        assert (said["about"], said["value"]) == (wrong, "6d")
        overlay = archive.read("overlay.jpg")
        text = page_text(archive.read("ruling.pdf"))
    assert hashlib.sha256(overlay).hexdigest() in text.replace("\n", "")
    assert report.fingerprint in text


def test_the_printable_page_is_one_page_in_either_language(
    client: FlaskClient, upload: Callable[..., str], post: Post
) -> None:
    place = upload()
    english = fetched(client, f"{place}/evidence.pdf")
    post("/settings", language="it", back="/")
    italian = fetched(client, f"{place}/evidence.pdf")
    for data in (english, italian):
        with pdfium.PdfDocument(io.BytesIO(data)) as document:
            assert len(document) == 1
            assert document[0].get_size() == pytest.approx((595.28, 841.89), abs=0.1)
    assert page_text(english) != page_text(italian)


def fetched(client: FlaskClient, path: str) -> bytes:
    with client.get(path) as answer:
        assert answer.status_code == 200, answer.data
        return bytes(answer.data)


def page_text(data: bytes) -> str:
    with pdfium.PdfDocument(io.BytesIO(data)) as document:
        return str(document[0].get_textpage().get_text_range())


def test_the_command_verifies_a_pack_offline(runner: CliRunner, pack: Path) -> None:
    good = runner.invoke(main, ["verify", str(pack), "--key", fingerprint(KEY.public)])
    assert good.exit_code == 0, good.output
    assert fingerprint(KEY.public) in good.output
    other = runner.invoke(main, ["verify", str(pack), "--key", "0000-0000-0000-0000"])
    assert other.exit_code == 1
    rewritten(pack, lambda files: files.update({"photo.jpg": b"other"}))
    bad = runner.invoke(main, ["verify", str(pack), "--json"])
    assert bad.exit_code == 1
    assert json.loads(bad.output)["intact"] is False
    assert "photo.jpg" in json.loads(bad.output)["fault"]
