"""The detector contract catches what goes wrong in the field: leaking batches, lost rows, zeros for failures."""

from __future__ import annotations

import math
import random

from evenhand.testing import detector_checks, run_checks


def broken(detector):
    return {name for name, found in run_checks(detector, detector_checks()) if found}


def words(texts):
    """Mean word length: an honest, if poor, detector."""
    return [sum(map(len, w)) / len(w) if (w := text.split()) else math.nan for text in texts]


def test_an_honest_detector_passes():
    assert broken(words) == set()


def test_a_leaking_batch_is_found():
    assert "neighbours_do_not_matter" in broken(lambda texts: [len(t) / max(1, *map(len, texts), 1) for t in texts])


def test_a_lost_row_is_found():
    assert "answers_every_text" in broken(lambda texts: words([t for t in texts if t.strip()]))


def test_randomness_is_found():
    assert "answers_alike_twice" in broken(lambda texts: [random.random() for _ in texts])


def test_zero_for_nothing_is_found():
    assert broken(lambda texts: [0.0 if not t.split() else v for t, v in zip(texts, words(texts), strict=True)]) == {
        "nothing_is_scored_as_zero_because_it_is_empty"
    }


def test_an_exception_is_a_finding():
    assert len(broken(lambda texts: 1 / 0)) == len(detector_checks())
