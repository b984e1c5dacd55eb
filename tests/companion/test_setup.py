"""Set-up on the page and in the terminal: prints, and whether all is well."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient

from companion.cameras import Shelf
from companion.cli import main
from companion.config import Config
from companion.doctor import State, examine, examine_view
from tests.companion.conftest import Eyes, jpeg
from tests.companion.tables import FIGHT, observation
from vision.types import TableFound


def test_every_print_of_the_list_is_a_pdf(client: FlaskClient) -> None:
    page = client.get("/setup/print").text
    links = [part.split('"')[0] for part in page.split('href="')[1:]]
    sheets = [link for link in links if ".pdf" in link]
    assert len(sheets) >= 5
    for link in sheets[:2]:
        with client.get(link) as answer:
            data = answer.data
        with pdfium.PdfDocument(io.BytesIO(data)) as document:
            assert len(document) >= 1


def test_the_mat_is_printed_in_tiles_where_a_paper_is_chosen(
    client: FlaskClient,
) -> None:
    """Who has a printer at home has no sheet of 90 cm."""
    page = client.get("/setup/print?paper=a3").text
    assert 'paper=a3" aria-current="true"' in page
    link = next(x for x in page.split('"') if "mat%20warstones.pdf" in x)
    assert link.endswith("?paper=a3")
    with client.get(link) as answer, pdfium.PdfDocument(answer.data) as document:
        assert len(document) >= 6
        assert max(document[0].get_size()) < 1200  # points; A3 is 1,191
    assert client.get("/setup/print?paper=a9").status_code == 400


def test_what_cannot_be_printed_is_told(client: FlaskClient) -> None:
    assert client.get("/setup/print/nonsense.pdf").status_code == 400
    assert client.get("/setup/print/charuco.pdf?paper=a9").status_code == 400


def test_a_sound_machine_is_told_so(tmp_path: Path, models: None) -> None:
    from companion.sight import load_pipeline  # noqa: PLC0415

    checks = list(examine(Config(folder=tmp_path), load_pipeline(1)))
    titles = {check.title for check in checks}
    assert {"Version", "Clock", "Disk", "Webcams", "Models", "Eyes"} <= titles
    assert [check for check in checks if check.state is State.BAD] == []


def test_a_folder_that_cannot_be_written_is_bad(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    found = {check.title: check for check in examine(Config(folder=blocked), None)}
    assert found["Disk"].state is State.BAD
    assert "Eyes" not in found


def test_the_terminal_names_every_check_in_italian(
    runner: CliRunner, tmp_path: Path, models: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARBITRO_HOME", str(tmp_path))
    result = runner.invoke(main, ["doctor", "--lang", "it"])
    assert result.exit_code == 0, result.output
    assert "Arbitro" in result.output
    assert len(result.output.splitlines()) >= 6


def test_the_view_of_a_camera_is_judged(eyes: Eyes) -> None:
    states = {c.title: c.state for c in examine_view(observation(FIGHT), "en")}
    assert states["What the camera sees"] is State.GOOD
    assert isinstance(eyes.seen.table, TableFound)
    assert states["Millimetres"] is State.GOOD


def test_the_doctor_page_shows_what_each_phone_sees(
    client: FlaskClient, app: Flask, config: Config
) -> None:
    shelf = Shelf(config.folder / "cameras", app.config["SECRET_KEY"])
    key = shelf.admit("phone 7")
    now_ms = int(datetime.now(UTC).timestamp() * 1000)
    shelf.put(key, jpeg(), count=1, taken_ms=now_ms)
    page = client.get("/setup/doctor")
    assert page.status_code == 200
    assert "phone 7" in page.text
    with client.get("/setup/cameras/phone 7.jpg") as picture:
        assert picture.data == jpeg()
    assert client.get("/setup/cameras/other.jpg").status_code == 503
    assert "phone 7" in client.get("/setup").text
