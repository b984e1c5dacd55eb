"""Brings a shipped ONNX file back into the network that it came from, to train on.

An export folds each batch normalisation into the convolution before it. Here the
folded weights go back into the convolution, and the normalisation gets the statistics
that its inputs really have, with a gain and shift that undo them. So the network
computes what the file computes, and trains as if it had never been folded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn


def thaw(
    network: nn.Module,
    onnx: Path,
    batches: Iterable[torch.Tensor],
    *,
    fresh: Collection[str] = (),
) -> None:
    """Fill `network` with the weights in `onnx`; `batches` are inputs as in training.

    Layers named in `fresh` may be newer than the file: they keep what they have if it
    lacks them. Raises `ValueError` if the file is of another network.
    """
    weights = _convolutions(onnx)
    normalised = dict(_normalised(network))
    named = [name for name, _ in _layers(network)]
    if not set(named) - set(fresh) <= set(weights):  # folded: no name, but a place
        weights = _by_place(network, onnx, fresh)
    with torch.no_grad():
        for name, layer in _layers(network):
            if name not in weights and name in fresh:
                continue
            if name not in weights:
                raise ValueError(f"{onnx} has no weights for {name}")
            kernel, bias = weights[name]
            if tuple(layer.weight.shape) != kernel.shape:
                raise ValueError(f"{name}: {kernel.shape}, not {layer.weight.shape}")
            layer.weight.copy_(torch.from_numpy(kernel))
            if name in normalised:
                _pass_through(normalised[name], torch.from_numpy(bias))
            elif layer.bias is not None:
                layer.bias.copy_(torch.from_numpy(bias))
        _settle(network, normalised, batches)


Weights = dict[str, tuple[NDArray[np.float32], NDArray[np.float32]]]


def _layers(network: nn.Module) -> Iterator[tuple[str, Any]]:
    """Yield all convolutions and linear layers but those that are never trained."""
    for name, module in network.named_modules():
        if isinstance(module, nn.Conv2d | nn.Linear) and "dfl" not in name:
            yield name, module


def _normalised(network: nn.Module) -> Iterator[tuple[str, nn.BatchNorm2d]]:
    """Yield the name of each convolution with the normalisation that follows it."""
    before = ""
    for name, module in network.named_modules():
        if isinstance(module, nn.Conv2d):
            before = name
        elif isinstance(module, nn.BatchNorm2d):
            yield before, module


def _convolutions(onnx: Path) -> Weights:
    from onnx import load, numpy_helper  # noqa: PLC0415 - extra `train`

    graph = load(str(onnx)).graph
    arrays = {i.name: numpy_helper.to_array(i).copy() for i in graph.initializer}
    return {
        name.removesuffix(".weight"): (
            array,
            arrays.get(
                name.removesuffix("weight") + "bias",
                np.zeros(len(array), np.float32),
            ),
        )
        for name, array in arrays.items()
        if name.endswith(".weight")
    }


def _by_place(network: nn.Module, onnx: Path, fresh: Collection[str]) -> Weights:
    from onnx import load, numpy_helper  # noqa: PLC0415 - extra `train`

    graph = load(str(onnx)).graph
    arrays = {i.name: numpy_helper.to_array(i).copy() for i in graph.initializer}
    nodes = [n for n in graph.node if n.op_type in {"Conv", "Gemm"}]
    names = [name for name, _ in _layers(network)]
    if len(nodes) != len(names):
        names = [name for name in names if name not in fresh]
    if len(nodes) != len(names):
        raise ValueError(f"{onnx} has {len(nodes)} layers, not {len(names)}")
    return {
        name: (arrays[node.input[1]], arrays[node.input[2]])
        for name, node in zip(names, nodes, strict=True)
    }


def _pass_through(norm: nn.BatchNorm2d, bias: torch.Tensor) -> None:
    norm.running_mean.zero_()
    norm.running_var.fill_(1 - norm.eps)
    norm.weight.fill_(1)
    norm.bias.copy_(bias)


def _settle(
    network: nn.Module,
    normalised: dict[str, nn.BatchNorm2d],
    batches: Iterable[torch.Tensor],
) -> None:
    """Give each normalisation the statistics of its inputs, and undo them."""
    sums = {id(norm): [0.0, 0.0, 0] for norm in normalised.values()}

    def look(norm: nn.Module, inputs: tuple[torch.Tensor, ...], _: object) -> None:
        total = sums[id(norm)]
        total[0] = total[0] + inputs[0].double().sum((0, 2, 3))
        total[1] = total[1] + inputs[0].double().square().sum((0, 2, 3))
        total[2] += inputs[0].numel() // inputs[0].shape[1]

    hooks = [norm.register_forward_hook(look) for norm in normalised.values()]
    network.eval()
    for batch in batches:
        network(batch)
    for hook in hooks:
        hook.remove()
    for norm in normalised.values():
        total: Any = sums[id(norm)]
        mean = total[0] / total[2]
        variance = (total[1] / total[2] - mean**2).clamp(min=1e-4)
        norm.running_mean.copy_(mean)
        norm.running_var.copy_(variance)
        norm.weight.copy_((variance + norm.eps).sqrt())
        norm.bias.add_(mean)
