"""Peak memory of scoring: ten texts, many texts, and one very long text, each in a fresh process.

    python benchmarks/passes_memory.py [--many 1000] [--words 100000] [--model embedded]

Texts are made of a few words in random order, so that no corpus is needed. Prints the peak resident size of each process (the
weights are a part of it), the seconds, the tokens and the windows of the long text.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import time

WORDS = "the old ferry left at noon and nobody on the pier could say why it was late again this year".split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--many", type=int, default=1000)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--length", type=int, default=60, help="words of each of the many texts")
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--child", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child, options.model)
        return
    for n_texts, n_words in ((10, options.length), (options.many, options.length), (1, options.words)):
        again = [sys.executable, __file__, "--child", str(n_texts), str(n_words), "--model", options.model]
        subprocess.run(again, check=True, env={**os.environ, "EVENHAND_STATISTICS_CACHE": "0"})


def child(n_texts: int, n_words: int, model: str) -> None:
    from evenhand import score_texts
    from evenhand.models.loading import causal_model
    from evenhand.models.weights import resolve

    choose = random.Random(0)
    texts = [" ".join(choose.choice(WORDS) for _ in range(n_words)) for _ in range(n_texts)]
    causal_model(resolve(model))
    before, start = peak(), time.perf_counter()
    rows = score_texts(texts, ["log_rank", "fast_detect_gpt", "lastde"], model=model).to_pylist()
    assert all(row["status"] == "ok" for row in rows)
    n_tokens = sum(row["n_tokens"] for row in rows) // 3
    told = f"peak {peak():.0f} MB ({before:.0f} with the model loaded, unread), {time.perf_counter() - start:.0f} s"
    print(f"{n_texts} texts of {n_words} words, {n_tokens} tokens: {told}", flush=True)


def peak() -> float:
    """Megabytes (Linux counts in kilobytes)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
