"""The rule of dtype=auto: bfloat16 where this machine multiplies matrices in it at least a fifth faster, else float32.

A flag of the processor does not tell: with the same avx512_bf16, one machine was 2.1 times as fast as in float32 and another
half as fast. So both are timed once, and the answer is kept in the cache, for a resumed run must not choose anew.
"""

from __future__ import annotations

import json
import time
from typing import Any

from .home import cache_dir

SIZE = 512
ROUNDS = 7
WORTH = 1.2


def best_dtype(device: str, torch: Any) -> str:
    """'bfloat16', 'float16' (cards without bfloat16) or 'float32', for a device such as cpu or cuda:0."""
    if device.startswith(("cuda", "auto")):
        return "bfloat16" if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else "float16"
    kept = cache_dir() / "precision.json"
    told = f"{torch.__version__} {torch.backends.cpu.get_cpu_capability()} {device}"
    known = read(kept)
    if told not in known:
        ratio = fastest(torch, torch.float32, device) / fastest(torch, torch.bfloat16, device)
        known[told] = "bfloat16" if ratio >= WORTH else "float32"
        write(kept, known)
    return known[told]


def fastest(torch: Any, dtype: Any, device: str) -> float:
    """Seconds of the fastest of some matrix products: what else the machine does only makes the others slower."""
    a = torch.ones(SIZE, SIZE, dtype=dtype, device=device)
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        (a @ a)[0, 0].item()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def read(file: Any) -> dict[str, str]:
    try:
        return dict(json.loads(file.read_text()))
    except (OSError, ValueError, TypeError):
        return {}


def write(file: Any, known: dict[str, str]) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(known, indent=1))
    except OSError:
        return
