"""What bfloat16 changes: scores and AUROC against float32, on texts with labels.

    python benchmarks/passes_precision.py TEXTS.json [--texts 120] [--model embedded]

TEXTS.json is a list of records with 'text', 'label' (0 human, 1 machine, or the words) and 'source'. AUROC is printed
for each source.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import numpy as np

SPECS = [
    "log_likelihood",
    "rank",
    "log_rank",
    "entropy",
    "lrr",
    "gltr",
    "fast_detect_gpt",
    "lastde",
    "binoculars",
    "dna_detectllm",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--texts", type=int, default=120)
    parser.add_argument("--model", default="embedded")
    options = parser.parse_args()
    with open(options.file, encoding="utf-8") as stream:
        records = json.load(stream)
    records = records[:: max(1, len(records) // options.texts)]
    texts = [record["text"] for record in records]
    machine = np.array([record["label"] in (1, "1", "machine") for record in records])
    source = np.array([record["source"] for record in records])
    one, two = (scores(texts, f"{options.model}[dtype={dtype}]") for dtype in ("float32", "bfloat16"))
    print(f"{len(texts)} texts, {int(machine.sum())} of them by machines")
    print(f"{'':16} {'correlation':>11} {'max change':>10}   AUROC float32 -> bfloat16, by source")
    for spec in SPECS:
        a, b = one[spec], two[spec]
        aurocs = [
            (auroc(a[part], machine[part]), auroc(b[part], machine[part]))
            for part in (source == s for s in np.unique(source))
        ]
        told = "  ".join(f"{x:.4f} -> {y:.4f} ({y - x:+.4f})" for x, y in aurocs)
        print(f"{spec:16} {np.corrcoef(a, b)[0, 1]:11.5f} {np.abs(a - b).max():10.4f}   {told}")


def scores(texts: Sequence[str], model: str) -> dict[str, np.ndarray]:
    from evenhand import score_texts

    rows = score_texts(texts, SPECS, model=model).to_pylist()
    return {spec: np.array([row["score"] for row in rows if row["detector"] == spec]) for spec in SPECS}


def auroc(values: np.ndarray, positive: np.ndarray) -> float:
    from evenhand.stats import auroc as estimate

    return float(estimate(values[positive], values[~positive]).value)


if __name__ == "__main__":
    main()
