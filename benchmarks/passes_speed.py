"""How much faster is one shared pass than nine scripts with a pass each? All numbers come from one run, in turns.

    python benchmarks/passes_speed.py [TEXTS.json] [--texts 6] [--rounds 3] [--threads 1] [--dtype float32 bfloat16]
                                      [--official fast-detect-gpt=PATH --official lastde=PATH --official binoculars=PATH]

TEXTS.json is a list of records with a 'text'; without it, passages of the embedded corpus's source are scored. The
plain version is what the authors' scripts do: batch 1, a whole [T, V] matrix of logits, log_softmax over it anew in
every script, ranks by argsort. Prints CPU seconds and wall seconds per 1,000 tokens, their ratios, the share of each
part of our pass, and what the machine's own matrix product, measured in the same run, would need for the same
multiplications. With ``--official`` the authors' own code is timed too, from checkouts of theirs (passes_official.py), against
one pass of ours for the same detectors, and the largest difference of each score is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

NINE = "log_likelihood rank log_rank entropy lrr gltr fast_detect_gpt lastde fourier_gpt".split()


def main() -> None:
    options = arguments()
    os.environ["EVENHAND_STATISTICS_CACHE"] = "0"
    import torch

    torch.set_num_threads(options.threads)
    texts = read_texts(options)
    n_tokens = count_tokens(texts, options.model)
    print(f"{len(texts)} texts, {n_tokens} tokens, {options.threads} thread(s), torch {torch.__version__}")
    if options.dtype:
        compare(texts, n_tokens, options)
    if options.official:
        official(texts, n_tokens, options)


def compare(texts: list[str], n_tokens: int, options: argparse.Namespace) -> None:
    weights = {dtype: f"{options.model}[dtype={dtype}]" for dtype in options.dtype}
    runs: dict[str, Callable[[], Any]] = {"plain float32": lambda: plain(texts, options.model)}
    runs |= {f"ours {dtype}": (lambda spec=spec: ours(texts, spec)) for dtype, spec in weights.items()}
    runs |= {f"product {dtype}": (lambda dtype=dtype: product(dtype)) for dtype in options.dtype}
    cpu, wall = in_turns(runs, options.rounds)
    report(cpu, wall, n_tokens, options)
    for spec in weights.values():
        parts(texts, spec)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--texts", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dtype", nargs="*", default=["float32", "bfloat16"])
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--official", action="append", default=[], metavar="NAME=PATH")
    return parser.parse_args()


def read_texts(options: argparse.Namespace) -> list[str]:
    if options.file:
        with open(options.file, encoding="utf-8") as stream:
            found = [record["text"] for record in json.load(stream)]
        return found[:: max(1, len(found) // options.texts)][: options.texts]
    from evenhand import corpora

    found = [document.text for document in corpora.get("embedded") if document.label == "human"]
    return found[: options.texts]


def count_tokens(texts: list[str], model: str) -> int:
    from evenhand.models.causal import encode
    from evenhand.models.weights import resolve

    return sum(len(encode(text, resolve(model)).ids) for text in texts)  # type: ignore[union-attr]


def in_turns(runs: dict[str, Callable[[], Any]], rounds: int) -> tuple[dict[str, float], dict[str, float]]:
    """Median CPU and wall seconds; a first round warms up, then all take turns, so that the machine's mood is shared."""
    cpu: dict[str, list[float]] = {name: [] for name in runs}
    wall: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(rounds + 1):
        for name, run in runs.items():
            before = time.process_time(), time.perf_counter()
            run()
            if turn:
                cpu[name].append(time.process_time() - before[0])
                wall[name].append(time.perf_counter() - before[1])
    return {k: median(v) for k, v in cpu.items()}, {k: median(v) for k, v in wall.items()}


def report(cpu: dict[str, float], wall: dict[str, float], n_tokens: int, options: argparse.Namespace) -> None:
    print(f"{'':18} {'CPU s':>8} {'wall s':>8}   per 1,000 tokens; ratio to plain (CPU, wall)")
    for name in (name for name in cpu if not name.startswith("product")):
        a, b = (1000 * measured[name] / n_tokens for measured in (cpu, wall))
        ratios = f"{cpu['plain float32'] / cpu[name]:6.1f} {wall['plain float32'] / wall[name]:6.1f}"
        print(f"{name:18} {a:8.3f} {b:8.3f}   {ratios}")
    for dtype in options.dtype:
        rate = PRODUCT_FLOP / cpu[f"product {dtype}"]
        floor = 2 * n_parameters(options.model) * n_tokens / rate
        told = f"{rate / 1e9:.0f} GFLOP/s a CPU second; floor {1000 * floor / n_tokens:.3f} CPU s"
        print(f"matrix product {dtype}: {told}; we reach {100 * floor / cpu[f'ours {dtype}']:.0f}% of it")


def ours(texts: list[str], model: str, specs: list[str] = NINE) -> list[float]:
    from evenhand import score_texts

    rows = score_texts(texts, specs, model=model).to_pylist()
    assert all(row["status"] == "ok" for row in rows), [row["reason"] for row in rows]
    return [row["score"] for row in rows]


def official(texts: list[str], n_tokens: int, options: argparse.Namespace) -> None:
    """CPU seconds of each script of the authors and of one pass of ours for all of them, in turns; and whether they agree."""
    from passes_official import OURS, scripts

    paths = {name: Path(path) for name, path in (told.split("=", 1) for told in options.official)}
    found = scripts(paths, options.model)
    specs, scores = [OURS[name][0] for name in found], dict[str, list[float]]()

    def run(name: str, script: Callable[[str], float]) -> None:
        scores[name] = [OURS[name][1] * script(text) for text in texts]

    def run_ours() -> None:
        scores["ours"] = ours(texts, options.model, specs)

    runs: dict[str, Callable[[], Any]] = {name: partial(run, name, script) for name, script in found.items()}
    cpu, wall = in_turns({**runs, "one pass of ours": run_ours}, options.rounds)
    print(
        f"\nofficial code, {len(texts)} texts, float32: CPU s and wall s per 1,000 tokens; largest difference of a score"
    )
    for place, name in enumerate(found):
        mine = scores["ours"][place * len(texts) : (place + 1) * len(texts)]
        told = f"{1000 * cpu[name] / n_tokens:8.3f} {1000 * wall[name] / n_tokens:8.3f}"
        print(f"{name:18} {told}   {max(abs(a - b) for a, b in zip(scores[name], mine, strict=True)):.1e}")
    us = cpu["one pass of ours"], wall["one pass of ours"]
    them = sum(cpu[name] for name in found), sum(wall[name] for name in found)
    print(f"{'one pass of ours':18} {1000 * us[0] / n_tokens:8.3f} {1000 * us[1] / n_tokens:8.3f}")
    print(
        f"{len(found)} scripts against one pass: {them[0] / us[0]:.1f} times the CPU time, {them[1] / us[1]:.1f} the wall time"
    )


def parts(texts: list[str], spec: str) -> None:
    """CPU milliseconds a token of the body, of body and head, and of all: what each adds."""
    import torch

    from evenhand.models.causal import Job, apply_head, block_size, blocks, encode, hidden, measure
    from evenhand.models.statistics import Request
    from evenhand.models.weights import resolve

    weights = resolve(spec)
    job = Job(weights, None, None, Request())
    read = [encode(text, weights) for text in texts]
    n = sum(len(r.ids) for r in read)  # type: ignore[union-attr]

    def body() -> list[Any]:
        with torch.inference_mode():
            return [hidden(weights, torch.from_numpy(r.ids.astype("int64"))) for r in read]  # type: ignore[union-attr]

    def body_and_head() -> None:
        with torch.inference_mode():
            for states in body():
                for block in blocks(len(states), block_size(job)):
                    apply_head(weights, states[block])

    cpu, _ = in_turns({"body": body, "head": body_and_head, "all": lambda: [measure(r, job) for r in read]}, 3)  # type: ignore[arg-type]
    a, b, c = (1000 * cpu[name] / n for name in ("body", "head", "all"))
    print(
        f"{spec}: body {a:.2f}, head {b - a:.2f}, statistics {c - b:.3f} ms a token: {100 * (c - b) / c:.1f}% of the pass"
    )


PRODUCT_FLOP = 2 * 1536**3


def product(dtype: str) -> None:
    import torch

    kind = getattr(torch, dtype)
    a, b = torch.ones(1536, 1536, dtype=kind), torch.ones(1536, 1536, dtype=kind)
    torch.mm(a, b)


def n_parameters(model: str) -> int:
    from evenhand.models.loading import causal_model
    from evenhand.models.weights import resolve

    return sum(p.numel() for p in causal_model(resolve(model)).parameters())


# The nine scripts, as plainly as their authors write them


def plain(texts: list[str], model: str) -> None:
    for script in (
        script_likelihood,
        *(script_rank,) * 2,
        script_entropy,
        script_lrr,
        script_gltr,
        script_fast,
        *(script_series,) * 2,
    ):
        for text in texts:
            script(text, model)


def logits_and_labels(text: str, model: str) -> tuple[Any, Any]:
    import torch

    from evenhand.models.loading import causal_model, tokenizer
    from evenhand.models.weights import resolve

    weights = resolve(model)
    tokenized = tokenizer(weights)(text, return_tensors="pt")
    with torch.no_grad():
        logits = causal_model(weights)(**tokenized).logits[:, :-1]
    return logits, tokenized.input_ids[:, 1:]


def log_likelihoods(logits: Any, labels: Any) -> Any:
    import torch

    return torch.log_softmax(logits, -1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)


def ranks(logits: Any, labels: Any) -> Any:
    matches = (logits.argsort(-1, descending=True) == labels.unsqueeze(-1)).nonzero()
    return matches[:, -1].float() + 1


def script_likelihood(text: str, model: str) -> float:
    return float(log_likelihoods(*logits_and_labels(text, model)).mean())


def script_rank(text: str, model: str) -> float:
    return -float(ranks(*logits_and_labels(text, model)).log().mean())


def script_entropy(text: str, model: str) -> float:
    import torch

    logits, _ = logits_and_labels(text, model)
    return float(-(torch.softmax(logits, -1) * torch.log_softmax(logits, -1)).sum(-1).mean())


def script_lrr(text: str, model: str) -> float:
    logits, labels = logits_and_labels(text, model)
    return -float(log_likelihoods(logits, labels).mean()) / float(ranks(logits, labels).log().mean())


def script_gltr(text: str, model: str) -> float:
    return float((ranks(*logits_and_labels(text, model)) <= 10).float().mean())


def script_fast(text: str, model: str) -> float:
    import torch

    logits, labels = logits_and_labels(text, model)
    p, log_p = torch.softmax(logits, -1), torch.log_softmax(logits, -1)
    mean = (p * log_p).sum(-1)
    variance = (p * torch.square(log_p)).sum(-1) - torch.square(mean)
    return float((log_likelihoods(logits, labels).sum() - mean.sum()) / variance.sum().sqrt())


def script_series(text: str, model: str) -> float:
    """Lastde and FourierGPT need the log-probabilities; their own arithmetic on a few hundred numbers is left out."""
    return float(log_likelihoods(*logits_and_labels(text, model)).std())


if __name__ == "__main__":
    main()
