"""Sheets are true to size: the camera's own readers measure what was printed."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterator
from ctypes import c_float
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
import pytest
from click.testing import CliRunner
from shapely import LineString, Polygon

from companion.cli import main
from companion.prints import boards
from companion.prints.catalogue import find_print, prints
from companion.prints.fiche_sheets import discs_pdf, fiches_pdf, tokens_pdf
from companion.prints.fiches import faction_tones, fiches, tokens, unit_letters
from companion.prints.galleries import own_chips, own_mat
from companion.prints.glyphs import GLYPHS
from companion.prints.mat_features import SIZE_MM, features, mat_geojson
from companion.prints.paper import A4, PAPERS, Paper
from companion.prints.raster import POINTS_PER_MM, page_sizes_mm, render
from companion.prints.tiles import (
    OVERLAP_MM,
    SHEET_MARGIN_MM,
    bare_mat_pdf,
    mat_sheet_pdf,
    mat_tiles_pdf,
    tiling_on,
)
from engines.warstones import arbitro_mat, sample_kit
from vision.chips import enrol_chips
from vision.face_rings import FINE
from vision.geometry import Camera, TableMap
from vision.locate_mat import locate_by_mat, register_mat
from vision.markers import find_markers
from vision.scene.boards import Board, render_board
from vision.scene.sensor import Sensor
from vision.sheet import Sheet, SheetSeen, see_sheet
from vision.types import Bgr

SIZES = sorted(PAPERS)
TRUE_MM = 0.1
"""Edges of 5 px/mm pictures are softened in sRGB: 0.06 mm was measured."""


def words(pdf: bytes) -> list[str]:
    """Return the text of every page."""
    document = pypdfium2.PdfDocument(pdf)
    return [page.get_textpage().get_text_range() for page in document]


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("what", ["charuco", "markers", "fiches", "tokens"])
def test_every_page_is_of_its_paper_and_bears_ruler_and_advice(
    what: str, name: str
) -> None:
    paper = PAPERS[name]
    pdf = find_print((what,)).on_paper(paper, "en")
    check_pages(pdf, paper)


def check_pages(pdf: bytes, paper: Paper) -> None:
    for size in page_sizes_mm(pdf):
        assert sorted(size) == pytest.approx(
            sorted((paper.width_mm, paper.height_mm)), abs=0.01
        )
    for text in words(pdf):
        assert "100 mm" in text
        assert "A bank card fits" in text
        assert "Print at 100 %" in text


def test_the_ruler_is_100_mm_and_the_outline_a_bank_card() -> None:
    found = [path for path in paths(boards.markers_pdf(A4, "en"))]
    lengths = [p.points[-1][0] - p.points[0][0] for p in found if len(p.points) == 2]
    assert max(lengths) == pytest.approx(100.0, abs=0.01)
    sizes = [np.ptp(np.array(p.points), axis=0) for p in found if len(p.points) > 4]
    assert any(np.allclose(size, (85.60, 53.98), atol=0.01) for size in sizes)


@pytest.mark.parametrize("name", SIZES)
def test_the_calibration_sheet_is_seen_where_it_was_drawn(name: str) -> None:
    page = PAPERS[name]
    page = page if page.is_landscape else page.turned
    bgr = render(boards.charuco_pdf(PAPERS[name], "en"), px_per_mm=5)
    seen = see_sheet(bgr, Sheet())
    assert isinstance(seen, SheetSeen)
    assert len(seen.ids) == 60
    left, low = boards.sheet_corner_mm(Sheet(), page)
    top = page.height_mm - low - Sheet().size_mm[1]
    seen_mm = (seen.corners_px + 0.5) / 5
    assert np.abs(seen_mm - seen.corners_mm - (left, top)).max() < TRUE_MM


@pytest.mark.parametrize("name", SIZES)
def test_the_markers_are_seen_where_they_were_drawn(name: str) -> None:
    bgr = render(boards.markers_pdf(PAPERS[name], "it"), px_per_mm=5)
    board = boards.sheet_markers(PAPERS[name])
    found = find_markers(bgr)
    assert [marker.id for marker in found] == [0, 1, 2, 3]
    for marker in found:
        seen = (marker.corners_px + 0.5) / 5
        seen[:, 1] = PAPERS[name].height_mm - seen[:, 1]
        assert np.abs(seen - board.corners_mm[marker.id]).max() < TRUE_MM


@dataclass(frozen=True)
class Path2d:
    """The points of one path of a PDF, in mm from the lower left corner."""

    points: tuple[tuple[float, float], ...]
    is_stroked: bool


def paths(pdf: bytes, number: int = 0) -> Iterator[Path2d]:
    """Yield the paths of a page as they stand on the paper."""
    page = pypdfium2.PdfDocument(pdf)[number]
    for item in page.get_objects():
        if item.type != pdfium.FPDF_PAGEOBJ_PATH:
            continue
        matrix, points = item.get_matrix(), []
        for index in range(pdfium.FPDFPath_CountSegments(item)):
            segment = pdfium.FPDFPath_GetPathSegment(item, index)
            x, y = c_float(), c_float()
            pdfium.FPDFPathSegment_GetPoint(segment, x, y)
            points.append(matrix.on_point(x.value, y.value))
        mode, stroked = pdfium.c_int(), pdfium.c_int()
        pdfium.FPDFPath_GetDrawMode(item, mode, stroked)
        in_mm = tuple((x / POINTS_PER_MM, y / POINTS_PER_MM) for x, y in points)
        yield Path2d(in_mm, bool(stroked.value))


def test_every_line_of_the_mat_is_a_ring_of_its_geojson() -> None:
    """Within 0.1 mm, both ways: each ring is drawn, as a line, nowhere else."""
    shift = np.array([SHEET_MARGIN_MM, SHEET_MARGIN_MM])
    drawn = [
        LineString(np.array(path.points) - shift)
        for path in paths(mat_sheet_pdf("en"))
        if path.is_stroked and len(path.points) > 3
    ]
    for feature in json.loads(mat_geojson())["features"]:
        ring = Polygon(feature["geometry"]["coordinates"][0]).exterior
        misses = [line.hausdorff_distance(ring) for line in drawn]
        assert min(misses) < 0.1, feature["id"]


def test_the_drawn_mat_is_the_one_that_the_engine_rules_by() -> None:
    mat = arbitro_mat()
    ids = {area.id for area in (*mat.sectors, *mat.bases, *mat.terrains, *mat.cities)}
    assert ids <= {feature.id for feature in features()}
    assert len(mat.sectors) == 9
    assert len(mat.bases) == 6
    assert len(mat.reserves) == 2
    assert len(mat.tracks) == 4


def camera_over_mat(tilt_deg: float, size_px: tuple[int, int]) -> TableMap:
    """Return a camera 1.3 m from the middle of the mat, all of it in view."""
    width, height = size_px
    focal = 0.95 * height * 1300 / SIZE_MM
    camera = Camera(width, height, (focal, focal), (width / 2, height / 2), 0.0)
    c, s = math.cos(math.radians(-tilt_deg)), math.sin(math.radians(-tilt_deg))
    lean = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ np.diag([1.0, -1, -1])
    middle = lean @ np.array([SIZE_MM / 2, SIZE_MM / 2, 0])
    return TableMap(camera, lean, np.array([0.0, 0, 1300]) - middle)


@pytest.fixture(scope="module")
def mat_photo() -> tuple[Bgr, TableMap]:
    """The printed mat as a camera sees it."""
    table = camera_over_mat(25, (1280, 960))
    sensor = Sensor(defocus_px=0.6, full_well=6000, read_noise=0.003)
    board = Board(table, own_mat().bgr, own_mat().bounds_mm, sensor=sensor)
    return render_board(board, np.random.default_rng(4))[0], table


def missed_mm(found: TableMap, true: TableMap) -> float:
    points = np.array([[x, y] for x in (100, 450, 800) for y in (100, 450, 800)], float)
    return float(np.abs(found.to_table(true.to_image(points)) - points).max())


def test_the_mat_is_known_by_its_picture_and_the_right_way_round(
    mat_photo: tuple[Bgr, TableMap],
) -> None:
    """The areas are the same turned by half; the small figures are not."""
    bgr, true = mat_photo
    mat = register_mat(own_mat().bgr, own_mat().bounds_mm)
    found = locate_by_mat(bgr, mat, true.camera)
    assert isinstance(found, TableMap)
    assert missed_mm(found, true) < 0.7
    turned = locate_by_mat(np.ascontiguousarray(bgr[::-1, ::-1]), mat, true.camera)
    assert isinstance(turned, TableMap)


def test_the_mat_has_markers_that_the_camera_finds(
    mat_photo: tuple[Bgr, TableMap],
) -> None:
    bgr, true = mat_photo
    found = find_markers(bgr, ids=(0, 1, 2, 3))
    assert [marker.id for marker in found] == [0, 1, 2, 3]
    for marker in found:
        corners = own_mat().markers.corners_mm[marker.id]
        assert np.abs(true.to_image(corners) - marker.corners_px).max() < 0.6


def test_nothing_of_the_mat_lies_under_a_marker_or_beyond_the_board() -> None:
    board = own_mat().markers
    margins = [
        Polygon(c.mean(0) + (c - c.mean(0)) * 8 / 6) for c in board.corners_mm.values()
    ]
    whole = Polygon([(0, 0), (SIZE_MM, 0), (SIZE_MM, SIZE_MM), (0, SIZE_MM)])
    assert all(whole.covers(margin) for margin in margins)
    shapes = [Polygon(f.ring) for f in features() if f.kind != "board"]
    assert not any(margin.intersects(shape) for margin in margins for shape in shapes)


@pytest.mark.parametrize("name", SIZES)
def test_tiles_cover_the_mat_and_overlap(name: str) -> None:
    tiling = tiling_on(PAPERS[name])
    (width, height), (across, up) = tiling.window_mm, tiling.step_mm
    assert width - across == pytest.approx(OVERLAP_MM)
    assert height - up == pytest.approx(OVERLAP_MM)
    x, y = tiling.corner_mm(tiling.columns - 1, tiling.rows - 1)
    assert x + width >= SIZE_MM - 1e-6
    assert y + height >= SIZE_MM - 1e-6


def test_a_tile_shows_its_part_of_the_mat() -> None:
    tiling = tiling_on(PAPERS["a3"])
    pdf = mat_tiles_pdf(PAPERS["a3"], "en")
    check_pages(pdf, PAPERS["a3"])
    assert len(page_sizes_mm(pdf)) == 1 + len(tiling.names())
    whole = render(bare_mat_pdf("en"), px_per_mm=2)
    column, row = 2, 1
    number = 1 + tiling.names().index("B3")
    left, low, _, _ = tiling.paper.free_mm
    (across, up), (x, y) = tiling.step_mm, tiling.corner_mm(column, row)
    page = render(pdf, number, px_per_mm=2)
    part = page[
        -round(2 * (low + up)) : -round(2 * low),
        round(2 * left) : round(2 * (left + across)),
    ]
    right = whole[::-1][round(2 * y) : round(2 * (y + up))][::-1]
    right = right[:, round(2 * x) : round(2 * (x + across))]
    both = np.stack([part[8:-8, 8:-8], right[8:-8, 8:-8]]).astype(float).mean(-1)
    assert np.corrcoef(both.reshape(2, -1))[0, 1] > 0.9


def test_each_label_of_the_kit_has_its_fiche_or_token() -> None:
    kit = sample_kit()
    made = {disc.label: disc.copies for disc in (*fiches(kit), *tokens(kit))}
    wanted = {face.label: face.copies for face in kit.kit.faces}
    wanted.pop("fortress")  # stands on the mat: folded from a net of its own
    assert made == wanted
    assert len(page_sizes_mm(tokens_pdf(kit, A4, "en"))) == 3


def test_fiches_are_as_large_as_the_kit_says() -> None:
    kit = sample_kit()
    sizes = page_sizes_mm(discs_pdf(fiches(kit)))
    assert np.allclose(sizes, kit.chip_mm, atol=0.01)
    bgr = render(fiches_pdf(kit, A4, "en"), px_per_mm=5)
    gray = cv2.medianBlur(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), 5)
    found = cv2.HoughCircles(
        gray, cv2.HOUGH_GRADIENT_ALT, 1, 60, param1=200, param2=0.9, minRadius=76,
        maxRadius=88,
    )  # fmt: skip
    assert found is not None
    assert found.shape[1] == sum(disc.copies for disc in fiches(kit))


def test_a_printed_fiche_is_told_from_all_others_whichever_way_it_lies() -> None:
    """Correlation of the rings at the best turn: 0.75 at most, and 0.07 less than the
    right one would be enough for the margin that `vision.chips` asks for."""
    faces = enrol_chips(own_chips()).spectra[FINE]
    likeness = FINE.correlations(faces, faces).max(axis=2)
    assert np.diag(likeness) == pytest.approx(1.0, abs=1e-5)
    assert (likeness - 2 * np.eye(len(faces))).max() < 0.78


def test_factions_differ_by_more_than_colour() -> None:
    letters = unit_letters(sample_kit())
    for faction in ("empire", "undead"):
        mine = [
            letter for label, letter in letters.items() if label.startswith(faction)
        ]
        assert len(set(mine)) == len(mine) == 7
    assert faction_tones("elves") != faction_tones("lizards")


def test_the_list_names_everything_and_says_it_in_italian() -> None:
    done = CliRunner().invoke(main, ["print"])
    assert done.exit_code == 0
    for item in prints():
        assert f"{item.what} " in done.output
    assert CliRunner().invoke(main, ["print", "--lang", "it"]).exit_code == 0


def test_print_writes_the_mat_with_its_geojson_beside(tmp_path: Path) -> None:
    out = tmp_path / "mat.pdf"
    done = CliRunner().invoke(main, ["print", "mat", "warstones", "--out", str(out)])
    assert done.exit_code == 0, done.output
    side = SIZE_MM + 2 * SHEET_MARGIN_MM
    assert page_sizes_mm(out.read_bytes()) == [pytest.approx((side, side), abs=0.01)]
    beside = (tmp_path / "mat.geojson").read_text("utf-8")
    assert beside == mat_geojson()


def test_print_takes_the_owners_kit(tmp_path: Path) -> None:
    text = Path("engines/warstones/kit.toml").read_text("utf-8")
    kit = tmp_path / "kit.toml"
    kit.write_text(text.replace("diameter_mm = 32", "diameter_mm = 28"), "utf-8")
    out = tmp_path / "fiches.pdf"
    arguments = ["print", "fiches", "--kit", str(kit), "--out", str(out)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert "28 mm" in words(out.read_bytes())[0]
    assert tomllib.loads(kit.read_text("utf-8"))["chip"]["diameter_mm"] == 28


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["print", "poster"], 2, "no poster"),
        (["print", "deck"], 2, "deck frenzy-orcs"),
        (["print", "charuco", "--out", "nowhere/x.pdf"], 1, "cannot be written"),
    ],
)
def test_what_cannot_be_printed_is_said_in_one_line(
    arguments: list[str], code: int, said: str
) -> None:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == code
    assert said in done.output
    assert done.output.count("\n") == 1


def test_a_broken_kit_is_refused_in_one_line(tmp_path: Path) -> None:
    kit = tmp_path / "kit.toml"
    kit.write_text("game = 'frenzy'", "utf-8")
    done = CliRunner().invoke(main, ["print", "tokens", "--kit", str(kit)])
    assert done.exit_code == 1
    assert "is no kit to print" in done.output


def test_signs_stay_on_their_field() -> None:
    for name in GLYPHS:
        page = Paper(name, 12, 12)
        bgr = sign_picture(name, page)
        assert (bgr.min(-1) < 128).any(), name
        edge = np.concatenate([bgr[0], bgr[-1], bgr[:, 0], bgr[:, -1]])
        assert (edge > 250).all(), name


def sign_picture(name: str, page: Paper) -> Bgr:
    from companion.prints.glyphs import draw_glyph  # noqa: PLC0415
    from companion.prints.paper import Document  # noqa: PLC0415

    document = Document(name, "en")
    with document.page(page, checks=False) as pen:
        draw_glyph(pen, name, 6, 6, 10, "#000000")
    return render(document.pdf(), px_per_mm=4)
