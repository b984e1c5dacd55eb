"""Trains the detector with ultralytics, from scratch, and exports it to ONNX.

    python -m vision.training.detector DATA_YAML OUT --hours 1.2

What this knows about ultralytics (measured in shared/spike.md, section 2): it looks
for the network at import and for a font at training; it sets one thread per process;
on a processor with AMX, bf16 with channels_last saves 15 to 30 % of the time.
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

MODEL = "yolo11n-obb.yaml"
SIZE_PX = 320
CLASSES = 5


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how to train."""

    epochs: int = 20
    hours: float | None = None
    """Stops by the clock; the learning rate follows. Overrides `epochs`."""
    batch: int = 16
    threads: int = 2
    bf16: bool = False
    rate: float = 0.002
    """Learning rate at the start; half of it is enough to go on from weights."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and export; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--hours", type=float)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--rate", type=float, default=0.002)
    parser.add_argument("--weights", type=Path, help="go on from these (.pt, .onnx)")
    options = parser.parse_args(arguments)
    schedule = Schedule(
        epochs=options.epochs,
        hours=options.hours,
        threads=options.threads,
        bf16=options.bf16,
        rate=options.rate,
    )
    weights = train(options.data, options.out, schedule, start=options.weights)
    export(weights, options.out / "detector.onnx")


def load_ultralytics(home: Path) -> Any:
    """Return the ultralytics module, kept off the network and off our folders."""
    os.environ.update(
        YOLO_OFFLINE="True",
        YOLO_AUTOINSTALL="False",
        ULTRALYTICS_SAFE_LOAD="1",
        YOLO_CONFIG_DIR=str(home),
    )
    fonts = home / "Ultralytics"
    fonts.mkdir(parents=True, exist_ok=True)
    dejavu = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
    if dejavu.exists() and not (fonts / "Arial.ttf").exists():
        shutil.copy(dejavu, fonts / "Arial.ttf")  # or it is looked for online
    import ultralytics  # noqa: PLC0415 - heavy, and has side effects

    ultralytics.settings.update({"sync": False})
    return ultralytics


def train(
    data: Path, out: Path, schedule: Schedule, *, start: Path | None = None
) -> Path:
    """Train on `data` (a data.yaml) into `out`; return the weights (.pt)."""
    out.mkdir(parents=True, exist_ok=True)
    ultralytics = load_ultralytics(out / "ultralytics")
    if start is not None and start.suffix == ".onnx":
        start = thawed(start, data, out / "start.pt")
    model = ultralytics.YOLO(str(start) if start else MODEL, task="obb")
    if model.task != "obb":
        raise ValueError(f"{start} holds a network for {model.task!r}, not 'obb'")
    model.add_callback("on_train_start", lambda trainer: _set_up(trainer, schedule))
    if schedule.bf16:
        _use_bf16()
    timing: dict[str, Any] = (
        {"epochs": schedule.epochs}
        if schedule.hours is None
        else {"time": schedule.hours}
    )
    model.train(
        data=str(data),
        imgsz=SIZE_PX,
        batch=schedule.batch,
        nbs=schedule.batch,
        optimizer="AdamW",
        lr0=schedule.rate,
        lrf=0.02,
        cos_lr=True,
        warmup_epochs=0.3,
        weight_decay=0.0005,
        device="cpu",
        amp=False,
        pretrained=bool(start),
        workers=0,
        cache=False,
        seed=0,
        project=str(out),
        name="run",
        exist_ok=True,
        plots=False,
        # A mirrored index does not exist; rotation and light are in the scenes.
        fliplr=0.0,
        flipud=0.0,
        mosaic=0.0,
        degrees=0.0,
        translate=0.08,
        scale=0.15,
        hsv_h=0.01,
        hsv_s=0.3,
        hsv_v=0.2,
        erasing=0.0,
        close_mosaic=0,
        **timing,
    )
    return out / "run" / "weights" / "last.pt"


def thawed(onnx: Path, data: Path, target: Path) -> Path:
    """Write weights to go on from an exported detector; return their file.

    `data` is the data.yaml of the pictures that it will be trained on.
    """
    ultralytics = load_ultralytics(target.parent / "ultralytics")
    import torch  # noqa: PLC0415 - heavy, extra `train`
    from ultralytics.nn.tasks import OBBModel  # noqa: PLC0415

    from vision.training.thaw import thaw  # noqa: PLC0415

    pictures = _some_pictures(data)
    batches = [
        torch.from_numpy(np.stack([_as_input(path) for path in pictures[i : i + 16]]))
        for i in range(0, len(pictures), 16)
    ]
    model = ultralytics.YOLO(MODEL, task="obb")
    model.model = OBBModel(MODEL, ch=3, nc=CLASSES, verbose=False)
    thaw(model.model, onnx, batches)
    model.model.task = "obb"  # or the file would be taken for a plain detector
    model.save(str(target))
    return target


def _some_pictures(data: Path, count: int = 160) -> list[Path]:
    """Return `count` or somewhat more of the pictures to train on, from all folders.

    Raises `FileNotFoundError` if the data.yaml names none.
    """
    from ultralytics.data.utils import check_det_dataset  # noqa: PLC0415 - heavy

    named = check_det_dataset(str(data))["train"]
    folders = [named] if isinstance(named, str) else named
    pictures = sorted(p for folder in folders for p in Path(folder).glob("*.jpg"))
    if not pictures:
        raise FileNotFoundError(f"{data} names no pictures to train on")
    return pictures[:: max(1, len(pictures) // count)]


def _as_input(path: Path) -> NDArray[np.float32]:
    """Return a picture (3, H, W) as ultralytics feeds it: RGB in [0, 1]."""
    bgr = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if bgr is None:
        raise FileNotFoundError(path)
    rgb = bgr[..., ::-1].transpose(2, 0, 1)
    return np.asarray(rgb / np.float32(255), np.float32)


def _set_up(trainer: Any, schedule: Schedule) -> None:
    import torch  # noqa: PLC0415 - heavy, extra `train`

    torch.set_num_threads(schedule.threads)
    if schedule.bf16:
        trainer.model.to(memory_format=torch.channels_last)


def _use_bf16() -> None:
    import torch  # noqa: PLC0415 - heavy, extra `train`
    from ultralytics.engine import trainer  # noqa: PLC0415

    trainer.autocast = lambda *_, **__: torch.autocast("cpu", torch.bfloat16)


def export(weights: Path, onnx: Path) -> Path:
    """Write `weights` as an ONNX file with free input size; return its path."""
    ultralytics = load_ultralytics(weights.parent / "ultralytics")
    model = ultralytics.YOLO(str(weights), task="obb")
    made = model.export(
        format="onnx", imgsz=SIZE_PX, opset=17, simplify=True, dynamic=True
    )
    shutil.move(str(made), onnx)
    return onnx


if __name__ == "__main__":
    main()
