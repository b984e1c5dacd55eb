"""A few steps of each training, the export, and that ONNX and torch agree.

Needs the extra `train`; run with `make test-train`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vision.detect import open_session
from vision.models import Manifest
from vision.reading import OUTPUTS
from vision.training.dataset import Sources, make_dataset
from vision.training.found import main as find_boxes

pytestmark = [
    pytest.mark.train,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("scenes")
    sources = Sources(None, None, ("sans",))
    make_dataset(out, sources, counts={"train": 24, "val": 8}, seed=3, workers=1)
    return out


def manifest_of(onnx: Path) -> Manifest:
    import hashlib  # noqa: PLC0415 - one use

    digest = hashlib.sha256(onnx.read_bytes()).hexdigest()
    return Manifest(onnx.stem, onnx, digest, {})


def test_the_same_seed_renders_the_same_set(data: Path, tmp_path: Path) -> None:
    sources = Sources(None, None, ("sans",))
    make_dataset(tmp_path, sources, counts={"train": 24, "val": 8}, seed=3, workers=1)
    for name in ("truth-train.jsonl", "truth-val.jsonl"):
        assert (tmp_path / name).read_bytes() == (data / name).read_bytes()


def test_the_detector_trains_and_its_export_says_the_same(
    data: Path, tmp_path: Path
) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("ultralytics")
    from vision.training.detector import (  # noqa: PLC0415 - needs the extra
        Schedule,
        export,
        load_ultralytics,
        train,
    )

    weights = train(data / "data.yaml", tmp_path, Schedule(epochs=1, batch=8))
    onnx = export(weights, tmp_path / "detector.onnx")
    session = open_session(manifest_of(onnx))
    picture = np.random.default_rng(0).random((1, 3, 320, 320), np.float32)
    (by_onnx,) = session.run(None, {session.get_inputs()[0].name: picture})
    model = load_ultralytics(tmp_path).YOLO(str(weights), task="obb").model
    model = model.float().fuse().eval()
    with torch.no_grad():
        by_torch = model(torch.from_numpy(picture))[0].numpy()
    assert by_onnx.shape == by_torch.shape
    assert np.abs(by_onnx - by_torch).max() < 0.02
    wide = np.zeros((1, 3, 384, 640), np.float32)
    assert session.run(None, {session.get_inputs()[0].name: wide})[0].shape[1] == 10


def test_the_reader_trains_and_its_export_says_the_same(
    data: Path, tmp_path: Path
) -> None:
    torch = pytest.importorskip("torch")
    from vision.training.reader import train  # noqa: PLC0415 - needs the extra

    find_boxes([str(data), "--minutes", "0.2"])
    assert '"index"' in (data / "found-train.jsonl").read_text("utf-8")
    model = train([data, data], tmp_path, minutes=0.15, threads=2)
    session = open_session(manifest_of(tmp_path / "reader.onnx"))
    crops = np.random.default_rng(0).random((5, 3, 112, 80), np.float32)
    by_onnx = session.run(list(OUTPUTS), {"crops": crops})
    model.eval()
    with torch.no_grad():
        by_torch = [part.numpy() for part in model(torch.from_numpy(crops))]
    for one, other in zip(by_onnx, by_torch, strict=True):
        assert np.abs(one - other).max() < 1e-3


def test_training_goes_on_from_a_shipped_file(data: Path, tmp_path: Path) -> None:
    """A thawed network says what the file says, and still has what training needs."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("ultralytics")
    from vision.models import load_manifest  # noqa: PLC0415
    from vision.training.detector import (  # noqa: PLC0415 - needs the extra
        load_ultralytics,
        thawed,
    )

    shipped = load_manifest("detector").verified_weights()
    listed = tmp_path / "elsewhere.yaml"  # names its folders one by one
    folder = (data / "images" / "train").as_posix()
    listed.write_text(
        f"train:\n  - {folder}\nval: {folder}\nnames: [card, back, index, disc, hand]\n"
    )
    start = thawed(shipped, listed, tmp_path / "start.pt")
    model = load_ultralytics(tmp_path).YOLO(str(start))
    assert model.task == "obb"
    picture = np.random.default_rng(0).random((1, 3, 320, 320), np.float32)
    session = open_session(load_manifest("detector"))
    (by_onnx,) = session.run(None, {session.get_inputs()[0].name: picture})
    network = model.model.float().eval()
    with torch.no_grad():
        by_torch = network(torch.from_numpy(picture))[0].numpy()
    assert np.abs(by_onnx[:, 4:9] - by_torch[:, 4:9]).max() < 0.02
    norms = [m for m in network.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    assert norms
    assert all(float(norm.running_var.min()) > 0 for norm in norms)


def test_a_newer_network_goes_on_from_an_older_file() -> None:
    """A head that the file lacks starts at chance; all else says what the file says."""
    torch = pytest.importorskip("torch")
    from vision.models import load_manifest  # noqa: PLC0415
    from vision.training.reader import Reader  # noqa: PLC0415 - needs the extra
    from vision.training.thaw import thaw  # noqa: PLC0415

    class Newer(Reader):
        def __init__(self) -> None:
            super().__init__()
            self.newer = torch.nn.Linear(192, 3)

    shipped = load_manifest("reader").verified_weights()
    crops = np.random.default_rng(0).random((16, 3, 112, 80), np.float32)
    network = Newer()
    with pytest.raises(ValueError, match="layers"):
        thaw(network, shipped, [])
    thaw(network, shipped, [torch.from_numpy(crops)], fresh=("newer",))
    session = open_session(load_manifest("reader"))
    by_onnx = session.run(list(OUTPUTS), {"crops": crops})
    with torch.no_grad():
        by_torch = network.eval()(torch.from_numpy(crops))
    for one, other in zip(by_onnx, by_torch, strict=True):
        assert np.abs(one - other.numpy()).max() < 0.02


def test_crops_of_nothing_teach_no_place() -> None:
    torch = pytest.importorskip("torch")
    from vision.training.reader import corners_loss  # noqa: PLC0415 - needs the extra

    meant = torch.zeros(3, 8)
    meant[1] = torch.nan
    said = torch.zeros(3, 8)
    said[1] = 5.0
    assert float(corners_loss(said, meant)) == 0
    said[2] = 1.0
    assert float(corners_loss(said, meant)) > 0.4


def test_a_file_of_another_network_cannot_be_thawed() -> None:
    pytest.importorskip("torch")
    from vision.models import load_manifest  # noqa: PLC0415
    from vision.training.reader import Reader  # noqa: PLC0415 - needs the extra
    from vision.training.thaw import thaw  # noqa: PLC0415

    with pytest.raises(ValueError, match="layers"):
        thaw(Reader(), load_manifest("detector").verified_weights(), [])


def test_the_mean_of_two_networks_lies_between_them(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    import onnx  # noqa: PLC0415 - needs the extra
    from onnx import numpy_helper  # noqa: PLC0415 - needs the extra

    from vision.training.average import average  # noqa: PLC0415 - needs it too

    def network(path: Path, weights: list[float]) -> Path:
        held = numpy_helper.from_array(np.array(weights, np.float32), "weights")
        onnx.save(onnx.helper.make_model(onnx.GraphProto(initializer=[held])), path)
        return path

    one = network(tmp_path / "one.onnx", [1.0, 4.0])
    other = network(tmp_path / "other.onnx", [3.0, -4.0])
    average(one, other, tmp_path / "mean.onnx")
    (mean,) = onnx.load(tmp_path / "mean.onnx").graph.initializer
    assert numpy_helper.to_array(mean).tolist() == [2.0, 0.0]
    longer = network(tmp_path / "longer.onnx", [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="shape"):
        average(one, longer, tmp_path / "mean.onnx")
