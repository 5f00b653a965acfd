"""Does the finding hang on the model behind a formula? Table 2 of the two-sided paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..errors import SpecError
from ..registry import Card, format_spec, parse_spec
from .base import Audit, by_detector
from .finding import Finding, Layout, Result
from .rows import Rows, Settings
from .two_sided import AUROC, FPR, attack_findings, measure

TABLE = "backbones"
MODELS = ("model", "observer", "reference")
"""Parameters of a detector that name a model."""


@dataclass(frozen=True)
class Backbones(Audit):
    name: ClassVar[str] = "backbones"
    title: ClassVar[str] = "One formula, several models"
    question: ClassVar[str] = (
        "Does the same formula make the same errors on edited text when another model stands behind it?"
    )
    card: ClassVar[Card] = Card(
        "AUROC clean, one- and two-sided, and FPR on edited human text, of detectors that differ in their model only",
        source="'Attacking Only Half the Data', table 2",
        pitfalls="detectors that differ in any other parameter are not compared",
    )

    replicates: int = 2000

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        families = formulas(rows, settings)
        chosen = {short: pair for pairs in families.values() if len(pairs) > 1 for short, pair in pairs.items()}
        if not chosen:
            note = "No two detectors of this run differ in their model only; score one formula with several models."
            return Result(self.spec, self.title, self.question, (), (), notes=(note,))
        study = measure(rows, settings, self.replicates, tuple(d for d in by_detector(rows) if d[0] in chosen))
        found = tuple(f for one in attack_findings(study) for f in told(one, chosen))
        layout = Layout(
            TABLE,
            "Backbones",
            "Marks: the change of AUROC against the unedited sources, as in the two-sided tables; corrected over these cells.",
            ("formula", "backbone"),
            ("attack", "metric"),
        )
        return Result(self.spec, self.title, self.question, found, (layout,))


def formulas(rows: Rows, settings: Settings) -> dict[str, dict[str, tuple[str, str]]]:
    """formula -> {short name: (formula, backbone)}: detectors by all but their models."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for short, spec in by_detector(rows):
        formula, backbone = split(spec, settings.plan.get("model"))
        found.setdefault(formula, {})[short] = (formula, backbone)
    return found


def split(spec: str, default: str | None) -> tuple[str, str]:
    """(the spec without its models, its models): ``default`` is the model of the plan, for specs that name none."""
    try:
        name, parameters = parse_spec(spec)
    except SpecError:
        return spec, "one model"
    named: dict[str, Any] = {k: v for k, v in parameters.items() if k in MODELS and v is not None}
    rest = {k: v for k, v in parameters.items() if k not in MODELS}
    return format_spec(name, rest), ", ".join(str(v) for v in named.values()) or default or "default model"


def told(one: Finding, chosen: dict[str, tuple[str, str]]) -> list[Finding]:
    """The findings of the two-sided audit that table 2 holds, under formula and backbone."""
    formula, backbone = chosen[one.where["detector"]]
    where = {"formula": formula, "backbone": backbone, "attack": one.where["attack"]}
    if one.table == AUROC:
        return [replace(one, table=TABLE, where=where, metric=f"AUROC {one.where['protocol']}")]
    if one.table == FPR and one.where["reading"] == "human author":
        return [replace(one, table=TABLE, where=where, metric="FPR on edited human text")]
    return []
