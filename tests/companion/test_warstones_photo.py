"""Warstones from one photo, on the command line: measured, ruled on, or refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.cli import main
from companion.measure.cameras import camera_of
from companion.measure.kits import add_face, begin_kit
from companion.report import SCHEMAS
from companion.sight import open_picture
from tests.support.sheets import TRUTH, VIEWS, sheet_photo
from tests.support.warboard import (
    ARMY,
    BOUNDS_MM,
    SIZE_MM,
    camera_over,
    chip,
    face,
    geojson,
    mat_picture,
    shot,
    unit_labels,
    write_png,
)
from vision.mat_store import MatFacts, save_mat
from vision.types import Bgr

Home = Path


@cache
def photo() -> Bgr:
    return shot([*ARMY, chip("stranger", 640.0, 180.0)]).bgr


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Where a mat, a kit and a photo are kept."""
    folder = tmp_path_factory.mktemp("home")
    cloth = folder / "mats" / "cloth"
    save_mat(cloth, mat_picture(), MatFacts(BOUNDS_MM))
    (cloth / "mat.geojson").write_text(json.dumps(geojson()))
    box = folder / "kits" / "box"
    begin_kit(box)
    for label in unit_labels():
        add_face(box, label, face(label))
    write_png(folder / "photo.png", photo())
    return folder


@pytest.fixture
def run(home: Home, runner: CliRunner) -> Any:
    def call(*words: str | Path) -> Result:
        env = {"ARBITRO_HOME": str(home), "COLUMNS": "160"}
        return runner.invoke(main, [str(word) for word in words], env=env)

    return call


BOARD = ("--game", "warstones", "--mat", "cloth", "--kit", "box")


@pytest.fixture(scope="module")
def document(home: Home) -> dict[str, Any]:
    """What `score --json` says of the photo."""
    words = ["score", str(home / "photo.png"), *BOARD, "--json", "--lang", "en"]
    answer = CliRunner().invoke(main, words, env={"ARBITRO_HOME": str(home)})
    assert answer.exit_code == 0, answer.output
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def by_label(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["label"]: one for one in document["placements"]}


def checked(name: str, document: object) -> None:
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)


def test_the_document_keeps_to_its_schema(document: dict[str, Any]) -> None:
    checked("score", document)
    assert document["options"] == {"mat": "cloth", "kit": "box"}
    assert document["table"]["found"] is True
    assert document["table"]["residual_mm"] > 0


def test_chips_are_in_their_sectors_and_add_up(document: dict[str, Any]) -> None:
    sheet, chips = document["sheet"], by_label(document)
    hero, lich = chips["empire.hero"]["id"], chips["undead.lich"]["id"]
    assert sheet[f"chip:{hero}"]["zone"] == "N-C"
    assert sheet[f"chip:{hero}"]["strength"] == 4
    assert sheet[f"chip:{lich}"]["zone"] == "F-E"
    militia = chips["empire.militia"]["id"]
    assert sheet[f"chip:{militia}"]["terrain"] == "forest"


def test_a_chip_near_a_line_has_one_entry_with_distance_and_sigma(
    document: dict[str, Any],
) -> None:
    lines = document["board"]["lines"]
    ids = [line["placement"] for line in lines]
    assert len(ids) == len(set(ids))
    chips = by_label(document)
    archer = next(n for n in lines if n["placement"] == chips["empire.archer"]["id"])
    # 3.65 mm: from the GeoJSON; 34.4 % by shapely.
    assert archer["area"] == "forest-1"
    assert archer["line_mm"] == pytest.approx(-3.65, abs=max(0.5, 4 * 0.1))
    assert archer["share"] == pytest.approx(0.344, abs=0.03)
    assert archer["rulings"][0]["verdict"] == "rejected"
    assert archer["rulings"][0]["rule"] == "3.4"
    sigmas = [abs(n["line_mm"]) / n["sigma_mm"] for n in lines]
    assert sigmas == sorted(sigmas)


@pytest.mark.parametrize(
    ("language", "mark", "other"), [("en", ".", ","), ("it", ",", ".")]
)
def test_measured_numbers_are_written_as_the_language_writes_them(
    run: Any, home: Home, language: str, mark: str, other: str
) -> None:
    words = run("score", home / "photo.png", *BOARD, "--lang", language).output
    measured = re.findall(r"\d[.,]\d+(?= mm|%| ±|;)|(?<=± )\d[.,]\d+", words)
    assert len(measured) > 10
    assert all(mark in one and other not in one for one in measured), measured


def test_what_nobody_has_named_is_asked_about_and_never_ruled_on(
    document: dict[str, Any],
) -> None:
    (unnamed,) = [one for one in document["placements"] if one["label"] is None]
    questions = {question["id"]: question for question in document["questions"]}
    assert f"unit:{unnamed['id']}" in questions
    ruled = json.dumps([document["rulings"], document["board"]["lines"]])
    assert f'"{unnamed["id"]}"' not in ruled
    assert f"piece:{unnamed['id']}" not in ruled
    assert document["sheet"]["total"]["strength_A"] is None


def test_city_tokens_that_are_not_read_are_asked(document: dict[str, Any]) -> None:
    asked = {question["id"] for question in document["questions"]}
    assert {"city:W", "city:C", "city:E"} <= asked


def test_answers_complete_the_sheet(run: Any, home: Home, tmp_path: Path) -> None:
    overlay = tmp_path / "seen.jpg"
    first = json.loads(run("score", home / "photo.png", *BOARD, "--json").stdout)
    stranger = next(one["id"] for one in first["placements"] if one["label"] is None)
    answer = run(
        "score",
        home / "photo.png",
        *BOARD,
        "--no-chip",
        stranger,
        "--answer",
        "city:C=central-1",
        "--overlay",
        overlay,
        "--lang",
        "it",
    )
    assert answer.exit_code == 0, answer.output
    assert "Forza" in answer.output
    assert "0.2 mm" in answer.output or "residuo" in answer.output.lower()
    drawn = cv2.imread(str(overlay))
    assert drawn is not None
    assert drawn.shape[1] > photo().shape[1]


def test_one_dispute_is_ruled_on_with_a_picture(
    run: Any, home: Home, tmp_path: Path, document: dict[str, Any]
) -> None:
    archer = by_label(document)["empire.archer"]["id"]
    words = ("rule", home / "photo.png", *BOARD, "--chip", archer)
    overlay = tmp_path / "rule.png"
    told = run(*words, "--question", "forest", "--json", "--overlay", overlay)
    assert told.exit_code == 0, told.output
    ruled = json.loads(told.stdout)
    checked("rule", ruled)
    assert ruled["ruling"]["verdict"] == "rejected"
    assert ruled["line"]["area"] == "forest-1"
    assert overlay.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("chip", "question", "part"),
    [
        ("c99", "forest", "c99"),
        ("archer", "moon", "moon"),
        ("stranger", "forest", "--answer unit:"),
    ],
)
def test_a_dispute_about_nothing_is_wrong_use(
    run: Any,
    home: Home,
    document: dict[str, Any],
    chip: str,
    question: str,
    part: str,
) -> None:
    ids = {"archer": by_label(document)["empire.archer"]["id"]}
    ids["stranger"] = by_label(document)[None]["id"]  # type: ignore[index]
    told = run(
        "rule",
        home / "photo.png",
        *BOARD,
        "--chip",
        ids.get(chip, chip),
        "--question",
        question,
        "--lang",
        "en",
    )
    assert told.exit_code == 2
    assert part in told.output
    assert told.output.count("\n") == 1


BAD: Mapping[str, tuple[Callable[[Bgr], Any], str]] = {
    "mirrored": (lambda bgr: bgr[:, ::-1], "mirrored"),
    "half": (lambda bgr: bgr[:, : bgr.shape[1] // 2], "outside the picture"),
    "nothing": (lambda bgr: np.full_like(bgr, 120), "not in the picture"),
    "tiny": (lambda bgr: cv2.resize(bgr, (320, 240)), "too small"),
    "blurred": (lambda bgr: cv2.GaussianBlur(bgr, (0, 0), 8), "blurred"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_pictures_get_one_clear_sentence_and_no_ruling(
    run: Any, tmp_path: Path, kind: str
) -> None:
    spoil, words = BAD[kind]
    bad = write_png(tmp_path / "bad.png", np.ascontiguousarray(spoil(photo())))
    told = run("score", bad, *BOARD, "--lang", "en")
    assert told.exit_code == 1
    assert words in told.output
    assert told.output.count("\n") == 1
    assert "Traceback" not in told.output


def test_a_refusal_as_json_has_a_code(run: Any, tmp_path: Path) -> None:
    bad = write_png(tmp_path / "bad.png", np.full((480, 640, 3), 90, np.uint8))
    told = run("score", bad, *BOARD, "--json")
    assert told.exit_code == 1
    assert json.loads(told.stdout)["code"] == "mat_not_seen"
    checked("error", json.loads(told.stdout))


@pytest.mark.parametrize(
    ("words", "exit_code"),
    [
        (("--mat", "nowhere"), 2),
        (("--kit", "nothing"), 2),
        (("--camera", "unknown"), 2),
        (("--no-chip", "c77"), 2),
        (("--corners", "1,2,3"), 2),
        (("--option", "terrian=true"), 2),
    ],
)
def test_what_does_not_exist_is_wrong_use(
    run: Any, home: Home, words: tuple[str, ...], exit_code: int
) -> None:
    told = run("score", home / "photo.png", *BOARD, *words, "--lang", "en")
    assert told.exit_code == exit_code, told.output
    assert "Traceback" not in told.output


def test_board_options_belong_to_games_with_a_mat(run: Any, home: Home) -> None:
    told = run("score", home / "photo.png", "--game", "regicide", "--mat", "cloth")
    assert told.exit_code == 2
    assert "--mat" in told.output


# Mats and kits -----------------------------------------------------------------------


def test_a_mat_from_a_photo_is_a_draft_until_it_is_drawn(
    run: Any, home: Home, tmp_path: Path
) -> None:
    table = camera_over(20, size_px=(1000, 750))
    empty = write_png(tmp_path / "empty.png", shot([], table=table).bgr)
    size = f"{SIZE_MM:g},{SIZE_MM:g}"
    made = run("mat", "new", empty, "--name", "mine", "--size", size, "--lang", "en")
    assert made.exit_code == 0, made.output
    folder = home / "mats" / "mine"
    assert {path.name for path in folder.iterdir()} == {
        "mat.png",
        "mat.pgw",
        "mat.toml",
        "mat.geojson",
        "features.npz",
    }
    mine = ("--game", "warstones", "--mat", "mine", "--kit", "box", "--lang", "en")
    refused = run("score", home / "photo.png", *mine)
    assert refused.exit_code == 1
    assert "draft" in refused.output
    lines = folder / "mat.geojson"
    lines.write_text(json.dumps(geojson()))
    overlay = tmp_path / "lines.jpg"
    sound = run("mat", "check", "mine", "--overlay", overlay, "--lang", "en")
    assert sound.exit_code == 0, sound.output
    assert "sector 9" in sound.output
    assert overlay.exists()
    scored = run("score", home / "photo.png", *mine, "--json")
    assert scored.exit_code == 0, scored.output
    assert by_label(json.loads(scored.stdout)).keys() >= {"empire.hero", "undead.lich"}
    again = run("mat", "new", empty, "--name", "mine", "--size", size)
    assert again.exit_code == 1


def test_mat_check_names_the_faulty_feature(run: Any, tmp_path: Path) -> None:
    data: dict[str, Any] = geojson()
    data["features"][3]["properties"]["kind"] = "sektor"
    folder = tmp_path / "bad"
    folder.mkdir()
    (folder / "mat.geojson").write_text(json.dumps(data))
    told = run("mat", "check", folder, "--lang", "en")
    assert told.exit_code == 1
    assert "feature 4" in told.output
    assert data["features"][3]["id"] in told.output


def test_chips_are_enrolled_from_a_photo_on_the_mat(
    run: Any, home: Home, tmp_path: Path
) -> None:
    begun = run("chips", tmp_path / "kits" / "new", "--lang", "en")
    assert begun.exit_code == 0, begun.output
    kit = tmp_path / "kits" / "new"
    table = camera_over(5, size_px=(1000, 750))
    one = shot([chip("empire.hero", 450.0, 300.0, angle_deg=90)], table=table)
    named = write_png(tmp_path / "empire.hero.png", one.bgr)
    told = run("chips", kit, named, "--mat", "cloth", "--lang", "en")
    assert told.exit_code == 0, told.output
    cut = cv2.imread(str(kit / "faces" / "empire.hero.png"))
    assert cut is not None
    printed = cv2.resize(face("empire.hero"), cut.shape[:2])
    middle = np.s_[40:-40, 40:-40]
    likeness = np.corrcoef(
        cv2.GaussianBlur(cut, (0, 0), 4)[middle].ravel(),
        cv2.GaussianBlur(printed, (0, 0), 4)[middle].ravel(),
    )
    assert likeness[0, 1] > 0.8
    wrong = run("chips", kit, named, "--mat", "cloth", "--label", "c1=empire.nobody")
    assert wrong.exit_code == 2
    rest = run("chips", kit, "--lang", "en")
    assert rest.exit_code == 1
    assert "empire.militia" in rest.output


def test_our_own_mat_and_fiches_need_no_step(run: Any, tmp_path: Path) -> None:
    prints = pytest.importorskip("companion.prints.galleries")
    faces = prints.own_chips()
    laid = [
        chip(disc.label, disc.x_mm, disc.y_mm, angle_deg=disc.angle_deg, face_bgr=bgr)
        for disc in ARMY
        if disc.label is not None
        for bgr in faces[disc.label]
    ]
    taken = shot(laid, mat=prints.own_mat().bgr)
    path = write_png(tmp_path / "own.png", taken.bgr)
    told = run("score", path, "--game", "warstones", "--json")
    assert told.exit_code == 0, told.output
    document = json.loads(told.stdout)
    assert document["table"]["references"] == 4
    named = by_label(document)
    for disc in ARMY:
        assert named[disc.label or ""]["x_mm"] == pytest.approx(disc.x_mm, abs=1.5)
        assert named[disc.label or ""]["y_mm"] == pytest.approx(disc.y_mm, abs=1.5)


# Cameras -----------------------------------------------------------------------------


def test_photos_without_the_sheet_calibrate_nothing(run: Any, home: Home) -> None:
    words = ("calibrate", home / "photo.png", "--camera", "phone")
    told = run(*words, "--lang", "en")
    assert told.exit_code == 1
    assert "sheet is not in the picture" in told.output
    assert "too few" in told.output
    document = json.loads(run(*words, "--json").stdout)
    checked("calibrate", document)
    assert document["reason"] == "few_views"
    assert document["path"] is None


def test_a_camera_is_calibrated_kept_and_used(
    run: Any, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    photos = [
        write_png(tmp_path / f"sheet-{number}.png", sheet_photo(*view))
        for number, view in enumerate(VIEWS)
    ]
    told = run("calibrate", *photos, photos[0], "--camera", "webcam", "--lang", "en")
    assert told.exit_code == 0, told.output
    assert "adds nothing" in told.output
    assert "Reprojection error 0." in told.output
    kept = next((home / "cameras").glob("webcam-*.json"))
    focal = json.loads(kept.read_text())["focal_px"]
    assert focal == pytest.approx(TRUTH.focal_px, rel=0.01)
    monkeypatch.setenv("ARBITRO_HOME", str(home))
    frame = open_picture(home / "photo.png")
    assert camera_of(frame, "webcam").focal_px[0] == pytest.approx(2 * focal[0])
    assert camera_of(frame, None).focal_sigma > 0.1
