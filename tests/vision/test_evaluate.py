"""Labels against observations: what counts as right, missed and false."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vision.accuracy import Report, Row, Share, canonical, confused, to_csv
from vision.errors import ImageError, VisionError
from vision.evaluate import evaluate, iou
from vision.types import (
    Finding,
    FrameId,
    Identity,
    Kind,
    Observation,
    Placement,
    Quad,
    TableNotFound,
)

MIDDLE = (400.0, 300.0)


def quad(x: float, y: float, width: float = 60, height: float = 84) -> Quad:
    left, top, right, bottom = (
        x - width / 2,
        y - height / 2,
        x + width / 2,
        y + height / 2,
    )
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def card(
    label: str | None, at: tuple[float, float] = MIDDLE, kind: Kind = Kind.CARD
) -> Placement:
    number = f"{label}-{at}"
    return Placement(number, kind, Identity(label), 0.9, quad(*at))


def observation(*placements: Placement, detect_ms: float = 20.0) -> Observation:
    return Observation(
        frame=FrameId("1"),
        source="test",
        width_px=800,
        height_px=600,
        taken_at=datetime(2026, 11, 28, tzinfo=UTC),
        table=TableNotFound("no_reference"),
        placements=placements,
        findings=(Finding("blurred"),) if not placements else (),
        timings_ms=(("detect", detect_ms), ("identify", 5.0)),
    )


def folder(
    tmp_path: Path,
    labels: list[str],
    boxes: Sequence[str] = (),
    columns: str = "image,cards,note",
) -> Path:
    (tmp_path / "labels.csv").write_text("\n".join([columns, *labels]) + "\n")
    if boxes:
        head = "image,card,xmin,ymin,xmax,ymax,kind"
        (tmp_path / "boxes.csv").write_text("\n".join([head, *boxes]) + "\n")
    return tmp_path


def one(path: Path, *placements: Placement) -> Row:
    report = evaluate(path, lambda _: observation(*placements))
    assert len(report.rows) == 1
    return report.rows[0]


def test_right_missed_and_false_names(tmp_path: Path) -> None:
    row = one(
        folder(tmp_path, ["a.jpg,10C QH 3S,"]),
        card("10c"),
        card("Qh"),
        card("4s"),
        card(None),
        card(None, kind=Kind.BACK),
        card("5s", kind=Kind.DISC),
    )
    assert row.right == ("10c", "Qh")
    assert row.missed == ("3s",)
    assert row.false == ("4s",)
    assert row.unread == 1
    assert not row.exact


def test_a_photo_is_exact_only_with_the_right_number_of_copies(tmp_path: Path) -> None:
    path = folder(tmp_path, ["a.jpg,2S 2S KD,"])
    assert one(path, card("2s"), card("2s"), card("Kd")).exact
    once = one(path, card("2s"), card("Kd"))
    assert (once.exact, once.missed, once.doubled) == (False, (), 0)
    thrice = one(path, card("2s"), card("2s"), card("2s"), card("Kd"))
    assert (thrice.exact, thrice.false, thrice.doubled) == (False, (), 1)


def test_an_empty_table_read_as_empty_is_exact(tmp_path: Path) -> None:
    row = one(folder(tmp_path, ["a.jpg,,nothing there"]))
    assert row.exact
    assert row.findings == ("blurred",)


def test_cards_at_the_edge_do_not_count_where_the_note_says_so(tmp_path: Path) -> None:
    noted = folder(tmp_path, ["a.jpg,3S,two more at the edge are unlabelled"])
    at_edge = card("9h", (780.0, 300.0))
    row = one(noted, card("3s"), at_edge)
    assert (row.unlabelled, row.false, row.exact) == (("9h",), (), True)
    assert one(noted, card("3s"), card("9h")).false == ("9h",)
    assert one(noted, card("3s", (780.0, 300.0))).right == ("3s",)

    (tmp_path / "other").mkdir()
    silent = folder(tmp_path / "other", ["a.jpg,3S,"])
    assert one(silent, card("3s"), at_edge).false == ("9h",)


def test_titles_serve_as_well_as_standard_cards(tmp_path: Path) -> None:
    columns = "image,cards,n_cards"
    path = folder(
        tmp_path,
        [
            "a.jpg,Sol Ring|Fireball| Mind  Twist,3",
            "b.jpg,green draw two,1",
            "c.jpg,1-red 2-red,2",
        ],
        columns=columns,
    )
    labels = {
        "a.jpg": ("Sol Ring", "Mind Twist"),
        "b.jpg": ("green draw two",),
        "c.jpg": ("1-red", "2-red"),
    }
    report = evaluate(path, lambda p: observation(*map(card, labels[p.name])))
    assert report.recall == Share(5, 6)
    assert report.exact == Share(2, 3)
    assert report.recall_by_suit == {}
    assert report.rows[0].missed == ("Fireball",)


def test_pictures_lie_in_images_or_beside_the_labels(tmp_path: Path) -> None:
    path = folder(tmp_path, ["a.jpg,3S,"])
    asked: list[Path] = []

    def read(picture: Path) -> Observation:
        asked.append(picture)
        return observation()

    evaluate(path, read)
    (path / "images").mkdir()
    evaluate(path, read)
    assert asked == [path / "a.jpg", path / "images" / "a.jpg"]


def test_an_unreadable_picture_counts_as_missed(tmp_path: Path) -> None:
    def read(path: Path) -> Observation:
        raise ImageError("broken", "damaged")

    report = evaluate(
        folder(tmp_path, ["a.jpg,3S 4S,"], ["a.jpg,3S,0,0,9,9,card"]), read
    )
    assert report.rows[0].error == "broken"
    assert report.recall == Share(0, 2)
    assert report.localisation == Share(0, 1)


@pytest.mark.parametrize("text", ["", "picture,cards\na,3S\n", "\xff\xfe"])
def test_labels_that_cannot_be_used_are_said(tmp_path: Path, text: str) -> None:
    with pytest.raises(VisionError, match=r"labels\.csv"):
        evaluate(tmp_path, lambda _: observation())
    (tmp_path / "labels.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(VisionError, match=r"labels\.csv"):
        evaluate(tmp_path, lambda _: observation())


def test_boxes_of_cards_are_found_by_overlap_each_by_its_own(tmp_path: Path) -> None:
    boxes = [
        "a.jpg,3S,370,258,430,342,card",  # exactly around the middle
        "a.jpg,4S,372,260,432,344,card",  # another card just there
        "a.jpg,5S,100,100,160,184,card",
    ]
    path = folder(tmp_path, ["a.jpg,3S 4S 5S,"], boxes)
    assert one(path, card("Kh")).boxes_found == 1
    row = one(path, card("Kh"), card(None, (402.0, 302.0)), card("5s", (160.0, 142.0)))
    assert (row.boxes, row.boxes_found) == (3, 2)


def test_boxes_of_corners_are_found_by_a_card_of_that_name(tmp_path: Path) -> None:
    path = folder(tmp_path, ["a.jpg,3S,"], ["a.jpg,3S,372,260,384,285,corner"])
    assert one(path, card("3s")).boxes_found == 1
    assert one(path, card("4s")).boxes_found == 0
    assert one(path, card("3s", (200.0, 300.0))).boxes_found == 0


def test_a_bad_box_is_said(tmp_path: Path) -> None:
    path = folder(tmp_path, ["a.jpg,3S,"], ["a.jpg,3S,x,0,9,9,card"])
    with pytest.raises(VisionError, match=r"boxes\.csv"):
        one(path)


def test_overlap_of_boxes() -> None:
    assert iou((0, 0, 2, 2), (1, 0, 3, 2)) == pytest.approx(1 / 3)
    assert iou((0, 0, 1, 1), (1, 1, 2, 2)) == 0
    assert iou((0, 0, 1, 1), (0, 0, 1, 1)) == 1


def test_ranks_and_suits_are_confused_apart() -> None:
    assert confused(["10d", "8c"], ["8s", "7d"]) == [("10d", "7d"), ("8c", "8s")]
    assert confused(["10d"], ["Ks"]) == [("10d", "Ks")]
    assert confused(["10d", "2h"], ["Ks"]) == []
    assert confused(["Sol Ring"], ["Fireball"]) == []
    report = Report(
        "f",
        (
            Row("a", (), missed=("10d", "8c"), false=("7d", "8s")),
            Row("b", (), missed=("10d",), false=("7d",), right=("9c", "9d")),
        ),
    )
    assert report.rank_confusions == Counter({("10", "7"): 2})
    assert report.suit_confusions == Counter({("c", "s"): 1})
    assert report.recall_by_suit == {"d": Share(1, 3), "c": Share(1, 2)}
    assert report.recall_by_rank["10"] == Share(0, 2)


def test_names_are_written_as_arbitro_writes_them() -> None:
    given = ["10C", "qH", "As", "JOKER1", "X", "11C", " Sol  Ring "]
    named = [canonical(name) for name in given]
    assert named == ["10c", "Qh", "As", "X", "X", "11C", "Sol Ring"]


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    # Newcombe 1998, table I, method 3.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (29, 29, 0.8830, 1.0),
    ],
)
def test_intervals_are_those_of_wilson(
    hits: int, total: int, low: float, high: float
) -> None:
    assert Share(hits, total).interval == pytest.approx((low, high), abs=1e-4)


def test_a_share_of_nothing_says_nothing() -> None:
    assert math.isnan(Share(0, 0).value)
    assert Share(0, 0).interval == (0.0, 1.0)


def test_the_report_as_csv_and_as_records(tmp_path: Path) -> None:
    path = folder(tmp_path, ["a.jpg,3S KH,", "b.jpg,4D,"])
    times = iter([10.0, 30.0])
    seen: list[tuple[int, int]] = []
    report = evaluate(
        path,
        lambda _: observation(card("3s"), card("4d"), detect_ms=next(times)),
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(1, 2), (2, 2)]
    assert report.median_ms == {"detect": 20.0, "identify": 5.0}
    lines = list(csv.DictReader(io.StringIO(to_csv(report))))
    assert [line["image"] for line in lines] == ["a.jpg", "b.jpg"]
    assert lines[0]["missed_names"] == "Kh"
    assert lines[0]["false_names"] == "4d"
    assert lines[0]["detect_ms"] == "10.0"
    records = {str(record["measure"]): record for record in report.records()}
    assert records["recall"]["hits"] == 2
    assert records["recall"]["total"] == 3
    assert records["precision"]["total"] == 4
    assert records["exact photos"]["value"] == 0
    assert "boxes found" not in records
    assert {"set", "measure", "hits", "total", "value", "low", "high"} == set(
        records["recall"]
    )
