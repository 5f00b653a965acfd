"""What was tried to come nearer to the floor, each beside the present way in one run, in turns.

    python benchmarks/passes_variants.py [TEXTS.json] [--texts 4] [--rounds 5] [--only body head statistics threads]

Body: torch.compile, oneDNN on the weights as they are or packed, projections joined, onnxruntime, OpenVINO. Head: BLAS,
oneDNN as is or packed, by the rows of a block. Statistics: torch's block form, the present rows, numba. Threads: one process
of two threads against two of one. What is not installed is said and left out (`pip install onnxruntime onnx onnxscript
openvino numba`, a C++ compiler for torch.compile). Prints CPU milliseconds a token, the ratio to the present way, and the
largest difference to it.
"""

from __future__ import annotations

import argparse
import copy
import os
import tempfile
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from passes_speed import in_turns, read_texts

Body = Callable[[Any], Any]
"""Ids [1, n] -> hidden states [n, d]."""


def main() -> None:
    options = arguments()
    os.environ["EVENHAND_STATISTICS_CACHE"] = "0"
    import torch

    torch.set_num_threads(1)
    from evenhand.models.causal import encode
    from evenhand.models.loading import causal_model
    from evenhand.models.weights import resolve

    weights = resolve(options.model)
    model, texts = causal_model(weights), read_texts(options)
    ids = [torch.from_numpy(encode(text, weights).ids.astype("int64"))[None] for text in texts]  # type: ignore[union-attr]
    print(f"{len(texts)} texts, {sum(i.shape[1] for i in ids)} tokens, one thread, torch {torch.__version__}")
    with torch.inference_mode():
        if "body" in options.only:
            bodies(model, ids, options)
        if "head" in options.only:
            heads(model, plain(model)(ids[0]), options.rounds)
        if "statistics" in options.only:
            statistics(model.get_output_embeddings()(plain(model)(ids[0])), ids[0][0], options.rounds)
    if "threads" in options.only:
        threads(texts, options)


def arguments() -> argparse.Namespace:
    parts = ["body", "head", "statistics", "threads"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--texts", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    parser.add_argument("--bodies", nargs="+", choices=sorted(BODIES), default=list(BODIES))
    parser.add_argument("--model", default="embedded")
    return parser.parse_args()


def told(title: str, cpu: dict[str, float], n: int, differences: dict[str, float]) -> None:
    """``cpu`` begins with the present way."""
    present = next(iter(cpu.values()))
    print(f"\n{title}: CPU ms a token; the present way over it; largest difference to it")
    for name, seconds in cpu.items():
        print(
            f"  {name:30} {1000 * seconds / n:7.3f}  {present / seconds:5.2f}  {differences.get(name, 0):.1e}",
            flush=True,
        )


def bodies(model: Any, ids: list[Any], options: argparse.Namespace) -> None:
    found: dict[str, Body] = {"present": plain(model)}
    for name in options.bodies:
        start = time.perf_counter()
        try:
            found[name] = BODIES[name](model, ids[0])
            found[name](ids[0])
            print(f"{name}: made ready in {time.perf_counter() - start:.0f} s", flush=True)
        except Exception as error:  # a runtime that is missing or cannot take the model is a result too
            found.pop(name, None)
            print(f"{name}: {type(error).__name__}: {str(error)[:150]}", flush=True)
    differences = {name: float(abs(body(ids[0]) - plain(model)(ids[0])).max()) for name, body in found.items()}
    runs = {name: (lambda body=body: [body(i) for i in ids]) for name, body in found.items()}
    told("body", in_turns(runs, options.rounds)[0], sum(i.shape[1] for i in ids), differences)


def plain(model: Any) -> Body:
    return lambda ids: model.base_model(input_ids=ids, use_cache=False).last_hidden_state[0]


def compiled(model: Any, ids: Any) -> Body:
    """Layer by layer: they share one compiled form, so that it takes a minute and not the many of the whole."""
    other = copy.deepcopy(model)
    for layer in other.base_model.layers:
        layer.compile(dynamic=True)
    return plain(other)


def wrapped(model: Any) -> Any:
    """Ids in, hidden states out, as the exporters want it."""
    import torch

    class Wrapped(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = model.base_model

        def forward(self, ids: Any) -> Any:
            return self.body(input_ids=ids, use_cache=False).last_hidden_state

    return Wrapped().eval()


def onednn(model: Any, ids: Any) -> Body:
    return plain(with_linear(model, lambda layer: layer.weight))


def onednn_packed(model: Any, ids: Any) -> Body:
    import torch

    n = ids.shape[1]
    return plain(with_linear(model, lambda layer: torch.ops.mkldnn._reorder_linear_weight(layer.weight.clone(), n)))


def with_linear(model: Any, weight_of: Callable[[Any], Any]) -> Any:
    import torch

    other = copy.deepcopy(model)
    for layer in other.base_model.modules():
        if type(layer) is torch.nn.Linear:
            weight = weight_of(layer)
            layer.forward = lambda x, w=weight, b=layer.bias: torch.ops.mkldnn._linear_pointwise(
                x, w, b, "none", [], ""
            )
    return other


def joined(model: Any, ids: Any) -> Body:
    """Gate and up as one product, as are q, k and v (of a Llama without biases): the parts are cut out of what comes back."""
    other = copy.deepcopy(model)
    for block in other.base_model.layers:
        join(block.self_attn, ["q_proj", "k_proj", "v_proj"])
        join(block.mlp, ["gate_proj", "up_proj"])
    return plain(other)


def join(parent: Any, names: list[str]) -> None:
    """The first of the layers multiplies for all; the others hand out their part."""
    import torch

    weights = [getattr(parent, name).weight for name in names]
    whole, ends = torch.cat(weights), np.cumsum([len(w) for w in weights]).tolist()
    kept: dict[str, Any] = {}
    for name, start, end in zip(names, [0, *ends[:-1]], ends, strict=True):

        def forward(x: Any, first: bool = name == names[0], start: int = start, end: int = end) -> Any:
            if first:
                kept["all"] = torch.nn.functional.linear(x, whole)
            return kept["all"][..., start:end]

        getattr(parent, name).forward = forward


@lru_cache(maxsize=1)
def exported(model: Any) -> tuple[Path, Any]:
    """The body as an ONNX file of any length (and the folder that is removed at the end of the program)."""
    import torch

    folder = tempfile.TemporaryDirectory()
    file = Path(folder.name) / "body.onnx"
    shapes = {"ids": {1: torch.export.Dim("n", min=2, max=2048)}}
    with torch.inference_mode(False), torch.no_grad():
        example = (torch.arange(100, 300)[None],)
        torch.onnx.export(wrapped(model), example, str(file), dynamo=True, dynamic_shapes=shapes, verbose=False)
    return file, folder


def onnxruntime(model: Any, ids: Any) -> Body:
    import onnxruntime as runtime
    import torch

    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = runtime.InferenceSession(str(exported(model)[0]), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda ids: torch.from_numpy(session.run(None, {name: ids.numpy()})[0])[0]


def openvino(model: Any, ids: Any) -> Body:
    import openvino as ov
    import torch

    settings = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
    core = ov.Core()
    ready = core.compile_model(core.read_model(str(exported(model)[0])), "CPU", settings)
    return lambda ids: torch.from_numpy(ready([ids.numpy()])[0].copy())[0]


BODIES: dict[str, Callable[[Any, Any], Body]] = {
    "oneDNN, weights as they are": onednn,
    "oneDNN, weights packed": onednn_packed,
    "projections joined": joined,
    "torch.compile": compiled,
    "onnxruntime": onnxruntime,
    "openvino": openvino,
}


def heads(model: Any, states: Any, rounds: int) -> None:
    import torch

    from evenhand.models.positions import blocks

    layer, n = model.get_output_embeddings(), len(states)
    product, packed = (
        torch.ops.mkldnn._linear_pointwise,
        torch.ops.mkldnn._reorder_linear_weight(layer.weight.clone(), 128),
    )
    ways: dict[str, Callable[[Any], Any]] = {
        "oneDNN": lambda x: product(x, layer.weight, layer.bias, "none", [], ""),
        "BLAS": layer,
        "oneDNN packed": lambda x: product(x, packed, layer.bias, "none", [], ""),
    }
    runs = {
        f"{name}, {rows} rows": (lambda way=way, rows=rows: [way(states[b]) for b in blocks(n, rows)])
        for rows in (128, 32, 64, 256)
        for name, way in ways.items()
    }
    found = {
        f"{name}, 128 rows": float((way(states) - ways["oneDNN"](states)).abs().max()) for name, way in ways.items()
    }
    told("head", in_turns(runs, rounds)[0], n, found)


def statistics(logits: Any, ids: Any, rounds: int) -> None:
    from evenhand.models.positions import blocks, moments
    from evenhand.models.rows import moments_of_row, scratch

    rows, tokens, space = logits[:-1], ids[1:], scratch(logits.shape[-1])
    ways: dict[str, Callable[[], Any]] = {
        "rows by numpy": lambda: [
            moments_of_row(r, t, space) for r, t in zip(rows.numpy(), tokens.tolist(), strict=True)
        ],
        "torch, 2 rows at a time": lambda: [moments(rows[b], tokens[b]) for b in blocks(len(rows), 2)],
    }
    try:
        kernel = numba_kernel()
        ways["numba, own exponential"] = lambda: [
            kernel(r, t) for r, t in zip(rows.numpy(), tokens.tolist(), strict=True)
        ]
    except ImportError:
        print("numba is not installed")
    ours = np.array([found[3] for found in ways["rows by numpy"]()])
    other = {name: np.array([f[3] for f in way()]) for name, way in ways.items() if "torch" not in name}
    told("statistics", in_turns(ways, rounds)[0], len(rows), {k: float(abs(v - ours).max()) for k, v in other.items()})


def numba_kernel() -> Callable[[Any, int], tuple[float, int, float, float, float]]:
    """Compiled loops over a row, each of one width, so that they are vectorised; exp is a power of 2 times a polynomial."""
    import math

    import numba

    f4, i4 = np.float32, np.int32

    @numba.njit(fastmath=True)
    def sweep(row: Any, own: Any, weight: Any, power: Any) -> Any:
        top, larger = row[0], f4(0)
        for i in range(row.size):
            top = max(top, row[i])
            larger += f4(1) if row[i] > own else f4(0)
        for i in range(row.size):
            y = max((row[i] - top) * f4(1.44269504), f4(-126))
            whole = np.floor(y + f4(0.5))
            f = (y - whole) * f4(0.69314718)
            p = f4(1 / 720) * f + f4(1 / 120)
            p = ((p * f + f4(1 / 24)) * f + f4(1 / 6)) * f + f4(0.5)
            weight[i] = (p * f + f4(1)) * f + f4(1)
            power[i] = i4((i4(whole) + i4(127)) << i4(23))
        scale = power.view(f4)
        total = mean = second = f4(0)
        for i in range(row.size):
            weight[i] *= scale[i]
            total += weight[i]
            mean += weight[i] * (row[i] - top)
        mean /= total
        for i in range(row.size):
            second += weight[i] * (row[i] - top - mean) ** 2
        return top, larger, total, mean, second / total

    def kernel(row: Any, token: int) -> tuple[float, int, float, float, float]:
        space = np.empty(len(row), f4), np.empty(len(row), i4)
        top, larger, total, mean, variance = sweep(row, row[token], *space)
        log_total = math.log(total)
        return float(row[token]) - float(top) - log_total, int(larger) + 1, log_total - mean, variance, -log_total

    return kernel


def threads(texts: list[str], options: argparse.Namespace) -> None:
    """Wall seconds for all texts: in this process on two threads, and over two processes of one thread (started beforehand)."""
    import torch

    from evenhand import detectors, engines

    detector = detectors.get("log_rank", model=options.model)
    texts = texts * max(1, 16 // len(texts))
    engine = engines.get("processes(workers=2)")
    halves = [texts[:1], texts[:1], *[[text] for text in texts]]

    def over_processes() -> float:
        start = 0.0
        for done, _ in enumerate(engine.map(detector, halves)):
            start = time.perf_counter() if done == 1 else start  # both workers have loaded the model
        return time.perf_counter() - start

    def on_threads(n: int) -> float:
        torch.set_num_threads(n)
        start = time.perf_counter()
        detector(texts)
        return time.perf_counter() - start

    ways = {"1 thread": lambda: on_threads(1), "2 threads": lambda: on_threads(2), "2 processes": over_processes}
    found: dict[str, list[float]] = {name: [] for name in ways}
    on_threads(1)
    for _ in range(max(2, options.rounds // 2)):
        for name, way in ways.items():
            found[name].append(way())
    print(
        f"\nthreads: wall s for {len(texts)} texts, best of {len(found['1 thread'])}; all else on the machine is in it"
    )
    for name, seconds in found.items():
        print(f"  {name:30} {min(seconds):7.2f}  {min(found['1 thread']) / min(seconds):5.2f}", flush=True)


if __name__ == "__main__":
    main()
