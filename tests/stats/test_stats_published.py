"""The published AUROC and average precision of other people's evaluations, recomputed from their arrays."""

from __future__ import annotations

import gzip
import json

import pytest

from evenhand import stats


@pytest.fixture(scope="module")
def published(shared):
    with gzip.open(shared / "data" / "dev" / "published_predictions.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_all_files_are_here(published):
    assert len(published) == 104


def test_auroc_is_the_published_one(published):
    for record in published:
        ours = stats.auroc(record["machine"], record["human"])
        assert ours.value == pytest.approx(record["roc_auc"], abs=1e-9), record["id"]


def test_average_precision_is_the_published_one(published):
    """What they print is the area under the joined-up precision-recall points."""
    for record in published:
        ours = stats.average_precision(record["machine"], record["human"], method="trapezoid", replicates=0)
        assert ours.value == pytest.approx(record["pr_auc"], abs=1e-9), record["id"]


def test_the_step_rule_is_another_number(published):
    steps = [stats.average_precision(r["machine"], r["human"], replicates=0).value - r["pr_auc"] for r in published]
    assert max(map(abs, steps)) > 1e-4
