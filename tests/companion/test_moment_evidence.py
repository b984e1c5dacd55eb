"""The evidence of a moment at a table, and what spectators see later."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import cv2
import numpy as np
import pypdfium2 as pdfium
import pytest
from flask import Flask

from companion.config import default_folder
from companion.evidence import verify_pack
from companion.evidence.calibration import calibration_of
from companion.tables.gear import Gear
from companion.tables.hall import Hall
from companion.tables.rights import Role
from tests.companion.conftest import jpeg
from tests.companion.tables import FIGHT, observation
from tests.companion.test_tables import Phone, app, hall, open_table, phone, seated
from tests.support.live_games import moves_of
from vision.camera_store import camera_path

__all__ = ["app", "hall", "phone"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARBITRO_HOME", str(tmp_path / "home"))


ROUND = ("REF first P1 @0", "P1 turn F1 @1000", "P2 go @2000", "P1 play W4 P1.B1 @3000")


def jpeg_of(grey: int) -> bytes:
    done, packed = cv2.imencode(".jpg", np.full((60, 80, 3), grey, np.uint8))
    assert done
    return packed.tobytes()


def played(hall: Hall, id_: str, moves: tuple[str, ...], *, shows: bool = True) -> None:
    """Play moves as a camera would, with a picture before and after each."""
    for number, move in enumerate(moves, start=1):
        pictures = [jpeg_of(20 * number), jpeg_of(20 * number + 10)] if shows else []
        hall.ledger.append(
            id_,
            number,
            move,
            source="camera",
            actor=None,
            taken_at=datetime.now(UTC),
            evidence=tuple(hall.ledger.keep(one, "image/jpeg") for one in pictures),
        )


def test_a_referee_takes_a_moment_away_as_pack_and_page(
    hall: Hall, phone: Callable[[], Phone], tmp_path: Path
) -> None:
    id_ = open_table(phone(), "frenzy")
    played(hall, id_, ROUND)
    referee = seated(hall, phone(), id_, Role.REFEREE)
    page = referee.get(f"/tables/{id_}/events/4")
    assert page.text.count("<figcaption>") == 2
    assert "evidence.pdf" in page.text
    pack = referee.get(f"/tables/{id_}/events/4/evidence.zip").data
    path = tmp_path / "pack.zip"
    path.write_bytes(pack)
    report = verify_pack(path)
    assert report.facts["table"] == id_
    assert report.facts["digest"] == hall.ledger.events(id_)[3].digest
    assert set(report.files) >= {"before.jpg", "after.jpg", "ruling.pdf", "moment.json"}
    with zipfile.ZipFile(io.BytesIO(pack)) as archive:
        assert archive.read("after.jpg") == jpeg_of(90)
        around = json.loads(archive.read("around.json"))
        ruling = json.loads(archive.read("ruling.json"))
    assert [one["seq"] for one in around] == [1, 2, 3, 4]
    assert ruling["verdict"] == "upheld"
    pdf = referee.get(f"/tables/{id_}/events/4/evidence.pdf").data
    with pdfium.PdfDocument(io.BytesIO(pdf)) as document:
        assert len(document) == 1
        text = document[0].get_textpage().get_text_range()
    assert "Warrior 4" in text
    assert "Anna" in text


def test_a_touched_pack_is_found_out(
    hall: Hall, phone: Callable[[], Phone], tmp_path: Path
) -> None:
    from companion.evidence import PackError  # noqa: PLC0415 - only here

    owner = phone()
    id_ = open_table(owner, "frenzy")
    played(hall, id_, ROUND)
    pack = owner.get(f"/tables/{id_}/events/4/evidence.zip").data
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(pack)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = jpeg_of(0) if name == "after.jpg" else old.read(name)
            new.writestr(name, data)
    path = tmp_path / "pack.zip"
    path.write_bytes(out.getvalue())
    with pytest.raises(PackError):
        verify_pack(path)


def test_evidence_hides_what_its_taker_may_not_know(
    hall: Hall, phone: Callable[[], Phone]
) -> None:
    owner = phone()
    id_ = open_table(owner, "brawl", **{"rule.brawl.blockOnHit2": "true"})
    played(hall, id_, ("A take FREEZE",), shows=False)
    pack = owner.get(f"/tables/{id_}/events/1/evidence.zip").data
    with zipfile.ZipFile(io.BytesIO(pack)) as archive:
        everything = b"".join(
            archive.read(n) for n in archive.namelist() if n.endswith("json")
        )
        assert "ruling.json" not in archive.namelist()
    assert b"FREEZE" not in everything
    assert b"Freeze" not in everything
    player = seated(hall, phone(), id_, Role.PLAYER)
    assert player.get(f"/tables/{id_}/events/1/evidence.zip").status_code == 403


def test_spectators_see_a_table_late_and_players_at_once(
    app: Flask,
    hall: Hall,
    phone: Callable[[], Phone],
) -> None:
    """A1: lichess delays broadcasts; here wherever hands are hidden."""
    owner, watcher = phone(), phone()
    id_ = open_table(owner, "frenzy", listed="yes", delay="60")
    played(hall, id_, ROUND)
    player = seated(hall, phone(), id_, Role.PLAYER)
    for reader, sees in ((owner, 4), (player, 4), (watcher, 0)):
        told = reader.get(f"/tables/{id_}/events?since=0").get_json()
        assert (told["seq"], len(told["events"])) == (sees, sees)
        assert reader.get(f"/tables/{id_}/state.json").get_json()["seq"] == sees
        moment = reader.get(f"/tables/{id_}/events/2").status_code
        assert moment == (200 if sees else 404)
        sha256 = hall.ledger.events(id_)[1].evidence[0]
        picture = reader.get(f"/tables/{id_}/pictures/{sha256}.jpg").status_code
        assert picture == (200 if sees else 404)
    assert "late, because hands are hidden" in watcher.get(f"/tables/{id_}").text
    assert hall.feeds.late(id_, 0.0).seq == 4
    assert hall.feeds.late(id_, 3600.0).seq == 0


def test_a_moment_says_its_rule_and_can_be_ruled_on_by_its_picture(
    hall: Hall, phone: Callable[[], Phone]
) -> None:
    """Issue 7, 5: the picture may be an earlier moment; the ruling page is its own."""
    owner = phone()
    id_ = open_table(owner, "regicide", **{"rule.regicide.overDiscard": "free"})
    picture = jpeg(FIGHT)
    sha256 = hall.ledger.keep(picture, "image/jpeg")
    hall.ledger.append(
        id_,
        1,
        moves_of("regicide", most=1)[0],
        source="camera",
        actor=None,
        taken_at=datetime.now(UTC),
        evidence=(sha256,),
    )
    player = seated(hall, phone(), id_, Role.PLAYER)
    page = player.get(f"/tables/{id_}/events/1").text
    assert f'name="picture" value="{sha256}"' in page
    assert "rule-text" in page
    judged = player.post(f"/tables/{id_}/judge", picture=sha256)
    assert judged.status_code == 303, judged.text
    result = judged.headers["Location"]
    document = player.get(f"{result}/result.json").get_json()
    assert document["game"] == "regicide"
    assert document["options"] == {"overDiscard": "free", "players": "2"}
    assert len(document["placements"]) == len(FIGHT)
    for wrong in ("", "0" * 64, "../x"):
        assert player.post(f"/tables/{id_}/judge", picture=wrong).status_code == 404


def test_what_the_table_shows_now_can_be_ruled_on(
    hall: Hall, phone: Callable[[], Phone]
) -> None:
    owner = phone()
    id_ = open_table(owner, "regicide")
    photo = (io.BytesIO(jpeg(FIGHT)), "a.jpg")
    assert owner.post(f"/tables/{id_}/photo", photo=photo).status_code == 303
    assert f"/tables/{id_}/judge" in owner.get(f"/tables/{id_}").text
    judged = owner.post(f"/tables/{id_}/judge")
    assert judged.headers["Location"].startswith("/t/")


def test_a_pack_holds_by_what_its_pictures_were_measured(
    hall: Hall, phone: Callable[[], Phone], tmp_path: Path
) -> None:
    """Lens and mat as numbers, so that what was ruled can be reckoned again."""
    folder = default_folder()
    lens = camera_path(folder / "cameras", "desk")
    lens.parent.mkdir(parents=True, exist_ok=True)
    lens.write_text(json.dumps({"focal_px": [900.0, 901.0], "rms_px": 0.2}))
    mat = folder / "mats" / "cloth" / "mat.geojson"
    mat.parent.mkdir(parents=True)
    mat.write_text("{}")
    by = calibration_of(Gear(mat="cloth", camera="desk"), observation(FIGHT))
    assert by["lens"]["focal_px"] == [900.0, 901.0]
    assert by["mat"] == {"mat.geojson": hashlib.sha256(b"{}").hexdigest()}
    assert by["table"]["found"] is True
    assert calibration_of(Gear(camera="gone"), None)["lens"] is None
    owner = phone()
    id_ = open_table(owner, "frenzy")
    played(hall, id_, ROUND)
    pack = owner.get(f"/tables/{id_}/events/4/evidence.zip").data
    with zipfile.ZipFile(io.BytesIO(pack)) as archive:
        assert json.loads(archive.read("calibration.json"))["lens"] is None
