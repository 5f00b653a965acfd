"""99 cells of 1,440 human and 720 machine sources, both protocols, 2,000 clustered resamples with max-T.

    python benchmarks/stats_bootstrap.py [--loop-replicates 10]

The loop beside it draws the same clusters, writes the rows out and calls scikit-learn's roc_auc_score; it is run for
a stated share of the replicates and scaled up. Both run in this process, one after the other, on the same scores.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_auc_score

from evenhand import stats

DETECTORS, ATTACKS, HUMANS, MACHINES, REPLICATES = 9, 11, 1440, 720, 2000
HUMAN_IDS, MACHINE_IDS = np.arange(HUMANS), np.arange(HUMANS, HUMANS + MACHINES)


@dataclass(frozen=True)
class Study:
    """Scores by detector, attacked ones by (detector, attack)."""

    human: np.ndarray
    machine: np.ndarray
    attacked_human: np.ndarray
    attacked_machine: np.ndarray


def study(seed: int = 0) -> Study:
    """Made-up scores: a source's difficulty is shared by its attacked versions; attacks shift both classes."""
    draw = np.random.default_rng(seed)
    human = draw.normal(0, 1, (DETECTORS, HUMANS))
    machine = draw.normal(1.5, 1, (DETECTORS, MACHINES))
    shift = draw.normal(0, 0.3, (DETECTORS, ATTACKS, 1))
    noise = [draw.normal(0, 0.5, (DETECTORS, ATTACKS, n)) for n in (HUMANS, MACHINES)]
    return Study(human, machine, human[:, None] + shift + noise[0], machine[:, None] + shift + noise[1])


def ours(data: Study) -> tuple[list[stats.Change], list[stats.Change]]:
    ids = np.concatenate([HUMAN_IDS, MACHINE_IDS])
    resample = stats.resample_clusters(ids, strata=ids >= HUMANS, replicates=REPLICATES)
    human = [stats.rows(resample, s, HUMAN_IDS) for s in data.human]
    machine = [stats.rows(resample, s, MACHINE_IDS) for s in data.machine]
    pairs = [(d, a) for d in range(DETECTORS) for a in range(ATTACKS)]
    attacked_h = [stats.rows(resample, data.attacked_human[p], HUMAN_IDS) for p in pairs]
    attacked_m = [stats.rows(resample, data.attacked_machine[p], MACHINE_IDS) for p in pairs]
    clean_and_one = [(machine[d], human[d]) for d in range(DETECTORS)]
    clean_and_one += [(attacked_m[i], human[d]) for i, (d, _) in enumerate(pairs)]
    both = stats.bootstrap_aurocs(clean_and_one, resample)
    two = stats.bootstrap_aurocs(list(zip(attacked_m, attacked_h, strict=True)), resample)
    clean, one = both.take([d for d, _ in pairs]), both.take(np.arange(DETECTORS, len(clean_and_one)))
    thresholds = [stats.threshold(s, 0.01) for s in data.human]
    tpr = stats.bootstrap_rates([(attacked_m[i], thresholds[d]) for i, (d, _) in enumerate(pairs)], resample)
    again = stats.bootstrap_tprs([(attacked_m[i], human[d]) for i, (d, _) in enumerate(pairs)], resample, 0.01)
    assert len(tpr.values) == len(again.values) == len(pairs)
    return stats.mark_changes(one - clean), stats.mark_changes(two - clean)


def loops(data: Study, replicates: int) -> None:
    """The AUROCs alone, as a notebook would: no thresholds, no max-T."""
    draw = np.random.default_rng(1)
    labels = np.concatenate([np.zeros(HUMANS), np.ones(MACHINES)])
    for _ in range(replicates):
        h, m = draw.integers(0, HUMANS, HUMANS), draw.integers(0, MACHINES, MACHINES)
        for d in range(DETECTORS):
            roc_auc_score(labels, np.concatenate([data.human[d, h], data.machine[d, m]]))
            for a in range(ATTACKS):
                attacked = data.attacked_machine[d, a, m]
                roc_auc_score(labels, np.concatenate([data.human[d, h], attacked]))
                roc_auc_score(labels, np.concatenate([data.attacked_human[d, a, h], attacked]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loop-replicates", type=int, default=10)
    asked = parser.parse_args()
    data = study()
    start = time.perf_counter()
    one, two = ours(data)
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    loops(data, asked.loop_replicates)
    loop = (time.perf_counter() - start) * REPLICATES / asked.loop_replicates
    marks = [sum(f"{way}-corrected" in c.marks for c in cells for way in ("up", "down")) for cells in (one, two)]
    print(f"evenhand: {seconds:.1f} s (198 differences, TPR at fixed and re-estimated thresholds, max-T)")
    print(f"scikit-learn loop: {loop:.0f} s (AUROC alone; {asked.loop_replicates} of {REPLICATES} replicates run)")
    print(f"ratio: {loop / seconds:.0f}; corrected marks one-sided {marks[0]}, two-sided {marks[1]}")


if __name__ == "__main__":
    main()
