"""The same seed twice, from nothing each time: are the weights and the scores the same to the bit?"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from evenhand import detectors
from evenhand.detectors.trained.saving import save
from evenhand.models.home import cache_dir

from .folds import Fold
from .learners import fit, spec_of

Made = dict[str, Any]
"""``card`` of the saved detector, ``scores`` of the test texts."""


def two_runs(fold: Fold, name: str) -> tuple[Made, Made]:
    return once(fold, name), once(fold, name)


def once(fold: Fold, name: str) -> Made:
    """In a cache of its own that knows the models and the passes, and no training."""
    shared = cache_dir().resolve()
    with tempfile.TemporaryDirectory() as made:
        for part in ("models", "statistics"):
            (shared / part).mkdir(parents=True, exist_ok=True)
            (Path(made) / part).symlink_to(shared / part)
        before = os.environ.get("EVENHAND_CACHE")
        os.environ["EVENHAND_CACHE"] = made
        try:
            detector = detectors.get(spec_of(name, fold.study, "policy"), "embedded")
            fit(detector, fold, "policy")
            folder = save(detector, Path(made) / "saved")
            scores = detector([d.text for d in fold.test])
        finally:
            os.environ.pop("EVENHAND_CACHE") if before is None else os.environ.update(EVENHAND_CACHE=before)
        return {"card": json.loads((folder / "card.json").read_text()), "scores": scores.tobytes()}


def compare(first: Made, second: Made) -> dict[str, bool]:
    """Weights: the files of a fine-tuned model, bit by bit. Archives of scikit-learn's parts hold random ids: for those the
    scores speak, and the learnt threshold."""
    tensors = [{f: d for f, d in one["card"]["files"].items() if f.endswith(".safetensors")} for one in (first, second)]
    found = {
        "scores": first["scores"] == second["scores"],
        "state": first["card"]["state"] == second["card"]["state"],
    }
    return {**found, "weights": tensors[0] == tensors[1]} if tensors[0] else found
