"""Ghostbuster beside other learners, trained on half of the domains of a file and tested on the other half, both ways.

    python benchmarks/ghostbuster.py TEXTS.jsonl.gz --per-cell 40 --model embedded

The file has text, label, domain, and doc (what is not independent). Prints CPU seconds of the fit, without the passes, which are
kept by the first learner; AUROC and TPR at 5% FPR with intervals by doc; the expressions that the search took.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from evenhand import detectors, stats
from evenhand.models.causal import token_statistics

LEARNERS = ("ghostbuster", "ghostbuster(criterion='log_loss')", "ghostbuster(depth=2)", "one_pass_lr", "tfidf_lr")
Row = dict[str, Any]


def read(path: Path, per_cell: int) -> list[Row]:
    """At most so many texts a domain and label, drawn with a fixed seed."""
    opened = gzip.open if path.suffix == ".gz" else open
    cells: dict[tuple[str, str], list[Row]] = defaultdict(list)
    with opened(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            cells[row["domain"], row["label"]].append(row)
    kept = []
    for _, rows in sorted(cells.items()):
        random.Random(1).shuffle(rows)
        kept += rows[:per_cell]
    return kept


def measure(spec: str, model: str, train: list[Row], test: list[Row]) -> str:
    detector = detectors.get(spec, model)
    told = {"clusters": [row["doc"] for row in train]} if "clusters" in detector.learns_from else {}
    begun = time.process_time()
    detector.fit([row["text"] for row in train], [int(row["label"] == "machine") for row in train], **told)
    spent = time.process_time() - begun
    scores, machine = detector([row["text"] for row in test]), np.array([row["label"] == "machine" for row in test])
    docs = np.unique([row["doc"] for row in test], return_inverse=True)[1]
    area = stats.auroc(
        scores[machine], scores[~machine], positive_clusters=docs[machine], negative_clusters=docs[~machine]
    )
    tpr = stats.tpr_at_fpr(scores[machine], scores[~machine], 0.05)
    found = "; ".join(getattr(detector, "expressions_", ()))
    return (
        f"{spec}: fit {spent:.1f} s CPU; AUROC {area.value:.3f} ({area.low:.3f}-{area.high:.3f}), TPR at 5% FPR {tpr.value:.2f} "
        f"({tpr.low:.2f}-{tpr.high:.2f}), n={len(test)}; {found}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--per-cell", type=int, default=40)
    parser.add_argument("--model", default="embedded")
    asked = parser.parse_args()
    rows = read(asked.texts, asked.per_cell)
    domains = sorted({row["domain"] for row in rows})
    begun = time.process_time()
    token_statistics([row["text"] for row in rows], asked.model)
    print(f"{len(rows)} texts; passes {time.process_time() - begun:.1f} s CPU (0: kept before)", flush=True)
    for half in (domains[::2], domains[1::2]):
        train, test = ([row for row in rows if (row["domain"] in half) == side] for side in (True, False))
        print(f"trained on {', '.join(half)} ({len(train)} texts)")
        for spec in LEARNERS:
            print("  " + measure(spec, asked.model, train, test), flush=True)
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
