"""The study of student essays with published scores of commercial detectors, and docs/student-essays.md from its run folder.

    python docs/make/student_essays.py score TEXTS.jsonl.gz RUN
    python docs/make/student_essays.py write RUN

``score`` runs the embedded model over every text (about a second a text on a free core; stop it and call it again: it goes
on), and lays the published scores that stand in the records beside it. ``write`` needs no model. Run folders hold texts and
stay outside the repository; the page holds numbers only.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evenhand import Plan, Store, audits, score, stats
from evenhand.audits.base import by_detector, cell, percent, share
from evenhand.audits.finding import Finding, Layout, Result
from evenhand.audits.keyed import told
from evenhand.audits.rows import Mask, Rows, Settings, read_rows
from evenhand.cli.options import progress
from evenhand.documents import Level, digest
from evenhand.reports.markdown import escape
from evenhand.reports.tables import Cell, grid
from evenhand.run import Options
from evenhand.stats.decisions import family_level

DETECTORS = (
    "log_likelihood", "rank", "log_rank", "entropy", "lrr", "gltr", "fast_detect_gpt", "lastde", "lastde_plus",
    "fourier_gpt", "glimpse",
)  # fmt: skip
"""All detectors of one model and one pass."""
PUBLISHED = ("Crossplag", "GPTZero", "HFOpenAI", "OriginalityAI", "Quil", "Sapling", "ZeroGPT")
"""Commercial detectors whose scores, 0 to 1, stand in the records."""
CORPORA = {
    ("TOEFL-126", "essay_toefl"): "TOEFL-126",
    ("ChatGPT-Detector-Bias", "essay_toefl"): "TOEFL-91",
    ("ChatGPT-Detector-Bias", "essay_us8"): "US grade 8",
    ("ChatGPT-Detector-Bias", "essay_college"): "US college",
    ("ChatGPT-Detector-Bias", "report_cs224n"): "CS224N",
}
NATIVE, SECOND = "native", "non-native"
Tuned = list[tuple[str, stats.Estimate, stats.Estimate]]
"""(detector, share of native writers above their own threshold, FPR of second-language writers at it)."""
PAGE = Path(__file__).resolve().parents[1] / "student-essays.md"
KEPT = ("id", "text", "label", "level", "generator", "source_id", "doc", "group")


def prepared(records: Sequence[Mapping[str, Any]], run: Path) -> Path:
    """The records as a corpus beside the run folder; self-edited generated texts stand as the level rewrite-llm."""
    target = run.with_name(f"{run.name}-corpus.jsonl")
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", encoding="utf-8") as out:
        for row in records:
            made = {key: row[key] for key in KEPT if row.get(key) is not None}
            made |= {"corpus": "student essays", "domain": CORPORA[row["corpus"], row["domain"]]}
            out.write(json.dumps(made) + "\n")
    return target


def plan_of(corpus: Path) -> Plan:
    text = f"""
corpus = "jsonl(path={str(corpus)!r})"
model = "embedded"
detectors = {json.dumps(DETECTORS)}
measures = ["words", "words_changed_aligned"]
audits = ["gede_counts(by='domain')", "by_corpus(by='domain')", "groups", "decision"]
seed = 0
[policy]
boundary = "rewrite-human"
fpr = 0.05
"""
    return Plan.parse(text)


def run_study(texts: Path, run: Path) -> None:
    with gzip.open(texts, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    store = score(plan_of(prepared(records, run)), run, Options(progress=progress()))
    lay_beside(store, records)


def lay_beside(store: Store, records: Sequence[Mapping[str, Any]]) -> None:
    """The published scores as further detectors of the run; a text without one is 'abstained', and says why."""
    for name in PUBLISHED:
        rows = {digest(r["text"]): published_row(r, name) for r in records}
        store.append("scores", [rows[key] for key in sorted(rows)])
    environment = store.read_json("environment.json")
    environment["detectors"] |= {name: key_of(name) for name in PUBLISHED}
    store.write_text("environment.json", json.dumps(environment, indent=1, sort_keys=True))


def key_of(name: str) -> str:
    return f"published:{name}"


def published_row(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = (record.get("scores") or {}).get(name)
    status, reason = ("ok", None) if value is not None else ("abstained", "no score was published")
    facts = {"status": status, "reason": reason, "n_tokens": None, "truncated": False}
    return {"digest": digest(record["text"]), "detector": key_of(name), "score": value, **facts}


# --- the page


def page(run: Path) -> str:
    """The whole page; the same run folder gives the same text."""
    store = Store.existing(run)
    rows, settings = read_rows(store), Settings.of(store.settings())
    ask = {spec: audits.get(spec)(rows, settings) for spec in settings.plan["audits"]}
    levels, tuned = within_corpora(rows, settings), tuned_on_native(rows, settings)
    blocks = [
        "# Student essays: who is accused?",
        "Generated by `python docs/make/student_essays.py write RUN`; it holds numbers only.",
        *introduction(rows, settings),
        "## In short",
        in_short(levels, tuned, ask["groups"], settings.policy.fpr),
        "## The texts",
        *table(ask["gede_counts(by='domain')"], "gede_counts"),
        "Each corpus has levels of its own, and each group of writers a corpus of its own: a difference between levels, or "
        "between groups, over all texts is also one of genre, length and time. So levels are compared within a corpus only, and "
        "what is said of groups holds for these two groups of texts, not for writers at large. Native: US grade 8 and US "
        "college; non-native: TOEFL-91; of TOEFL-126 and CS224N the group is not told ('unknown').",
        "## Each level against the human texts of its corpus",
        *laid_out(
            levels,
            Layout(
                "levels",
                "",
                "AUROC; .5 is chance, and below it the machine's version looks the more human. TOEFL-91: the same essays, "
                "polished by GPT-4; US grade 8: the same essays, simplified by GPT-4.",
                ("corpus", "level"),
                ("detector",),
            ),
        ),
        "## The policy 'rewrite-human' within each corpus",
        *table(ask["by_corpus(by='domain')"], "by_corpus", ("AUROC",)),
        "## Human texts accused, by group, at one threshold",
        *table(ask["groups"], "groups", with_n=True),
        *table(ask["groups"], "groups_gap"),
        "## A threshold tuned on native writers",
        "Each detector's threshold lets at most "
        f"{percent(settings.policy.fpr)} of the native writers' essays pass above it. The second-language writers' essays, all "
        "of them, are judged by it; the intervals hold for all detectors together (exact, Sidak).",
        markdown(
            [("detector", "native writers above it (they set it)", "second-language writers accused"), *told_in(tuned)]
        ),
        "## The commercial detectors at .5",
        *at_one_half(rows),
        "## If one of them were used",
        "Class: students who hand in one text each; 40 texts: those of one student, taken as independent, which is the most that "
        "the rate can give.",
        *table(ask["decision"], "decision", with_n=True),
        *table(ask["decision"], "decision_right"),
        *table(ask["decision"], "decision_proof"),
    ]
    return "\n\n".join(blocks) + "\n"


def in_short(levels: Sequence[Finding], tuned: Tuned, groups: Result, fpr: float) -> str:
    """What the intervals settle, counted; nothing that they do not."""
    polished = [f.estimate for f in levels if f.where["corpus"] == "TOEFL-91" and not np.isnan(f.estimate.low)]
    simplified = [f.estimate for f in levels if f.where["corpus"] == "US grade 8" and not np.isnan(f.estimate.low)]
    over = [name for name, _, second in tuned if second.low > fpr]
    unequal = [answer for answer in groups.answers if answer.kind == "warning"]
    asked = [f for f in groups.findings if f.metric == "FPR certified" and not np.isnan(f.estimate.value)]
    proven = [f for f in asked if not f.note]
    lines = [
        f"Second-language writers' essays that GPT-4 polished look more human than the essays themselves to "
        f"{sum(e.high < 0.5 for e in polished)} of {len(polished)} detectors (AUROC below .5 by its whole interval), and more "
        f"like a machine's to {sum(e.low > 0.5 for e in polished)}.",
        f"Native writers' essays that GPT-4 simplified, which the policy accepts, look more like a machine's to "
        f"{sum(e.low > 0.5 for e in simplified)} of {len(simplified)} detectors.",
        f"At a threshold that spares {percent(1 - fpr)} of these native writers, {len(over)} of {len(tuned)} detectors are shown "
        f"to accuse more than {percent(fpr)} of the second-language writers"
        + (f": {', '.join(over)}." if over else "."),
        f"At one threshold from all human texts, with half of the texts left to judge, {len(unequal)} of {len(tuned)} detectors "
        "are shown to accuse the groups unequally, each at 95% by itself; for the others these texts are too few.",
        f"An FPR of {percent(fpr)} is certified for {len(proven)} of {len(asked)} pairs of group and detector: it takes "
        f"{stats.texts_needed(fpr)} writers without an accusation, and more for several groups at once.",
    ]
    return "\n".join(f"- {line}" for line in lines)


def introduction(rows: Rows, settings: Settings) -> Iterator[str]:
    human = rows.clean & rows.human
    calibration = int((human & (rows.half(settings.seed) == "calibration")).sum())
    tau = stats.threshold(np.arange(calibration), settings.policy.fpr)
    low, high = tau.fpr_range(0.9)
    yield (
        f"{len(rows)} texts ({int(human.sum())} by humans alone) in {len(np.unique(rows.clusters))} clusters, judged by "
        f"{len(DETECTORS)} one-pass detectors on the embedded model (135 million parameters) and beside them by {len(PUBLISHED)} "
        "commercial detectors, whose scores were published with the texts in 2023 and are read from the records. The texts are a "
        "sample of ChatGPT-Detector-Bias (Liang et al. 2023, Patterns) and of a corpus of 126 TOEFL questions with answers by "
        "humans and ChatGPT (TOEFL-126)."
    )
    yield (
        f"The policy accepts texts up to rewrite-human and tolerates {percent(settings.policy.fpr)}. The threshold comes from "
        f"{calibration} human texts; at that size its true FPR lies between {percent(low)} and {percent(high)} in 90 of 100 "
        "draws. Brackets: 95% interval, by cluster where texts share one."
    )


def within_corpora(rows: Rows, settings: Settings) -> list[Finding]:
    """AUROC of every level against the human texts of its own corpus."""
    strict = replace(settings, policy=replace(settings.policy, boundary=Level.HUMAN))
    return [
        replace(f, where={**f.where, "corpus": name})
        for name in sorted(set(rows["domain"]))
        for f in audits.get("levels")(part(rows, rows["domain"] == name), strict).findings
        if f.table == "levels" and f.metric == "AUROC" and f.where["level"] != Level.HUMAN.value
    ]


def part(rows: Rows, mask: Mask) -> Rows:
    """Some of the rows, as rows."""
    some = [i for i, kept in enumerate(mask) if kept]

    def cut(columns: Mapping[str, Any]) -> dict[str, Any]:
        return {name: column[mask] for name, column in columns.items()}

    return Rows(
        cut(rows.columns), cut(rows.scores), cut(rows.status), cut(rows.reason), cut(rows.truncated),
        tuple(rows.meta[i] for i in some), tuple(rows.texts[i] for i in some), cut(rows.measures),
    )  # fmt: skip


def tuned_on_native(rows: Rows, settings: Settings) -> Tuned:
    """What a threshold that spares native writers does to second-language writers, none of whom set it."""
    group, human = told(rows, "group"), rows.clean & rows.human
    found, level = [], family_level(0.95, len(rows.scores))
    for short, spec in by_detector(rows):
        native, second = (cell(rows, spec, human & (group == name)) for name in (NATIVE, SECOND))
        if native.n and second.n:
            tau = stats.threshold(native.scores, settings.policy.fpr).value
            found.append((short, *(share(one, tau, "FPR", level) for one in (native, second))))
    return found


def told_in(tuned: Tuned) -> Iterator[tuple[str, str, str]]:
    for name, native, second in tuned:
        yield name, f"{native.value:.2f}, n={native.n}", bounded(second)


def at_one_half(rows: Rows) -> Iterator[str]:
    """Share of texts with a published score above .5: humans by group, and each level of machine help."""
    group, human = told(rows, "group"), rows.clean & rows.human
    kinds: dict[str, Mask] = {
        "native": human & (group == NATIVE),
        "second-language": human & (group == SECOND),
        "CS224N": human & (rows["domain"] == "CS224N"),
    }
    for level in (Level.IMPROVE_HUMAN, Level.REWRITE_HUMAN, Level.TASK, Level.REWRITE_LLM):
        kinds[level.value] = rows.clean & rows.where(level=level.value)
    level_of_each = family_level(0.95, len(kinds))
    lines = [("detector", *kinds)]
    for name in PUBLISHED:
        cells = [cell(rows, name, mask) for mask in kinds.values()]
        lines.append((name, *(bounded(share(c, 0.5, "share", level_of_each)) if c.n else "-" for c in cells)))
    yield (
        "Share of texts with a score above .5, the middle of each detector's scale and not a threshold that its maker names. "
        "The intervals of a row hold together (exact, Sidak). Human texts first, then machine help by level; '-': no score was "
        "published."
    )
    yield markdown(lines)


def bounded(rate: stats.Estimate) -> str:
    return f"{rate.value:.2f} [{rate.low:.2f}, {rate.high:.2f}], n={rate.n}"


# --- forms


def table(result: Result, name: str, metrics: Sequence[str] = (), *, with_n: bool = False) -> Iterator[str]:
    layout = next(one for one in result.layouts if one.table == name)
    found = [f for f in result.findings if f.table == name and (not metrics or f.metric in metrics)]
    yield from laid_out(found, layout, with_n)


def laid_out(found: Sequence[Finding], layout: Layout, with_n: bool = False) -> Iterator[str]:
    """A table as Markdown: value and interval a cell, and n where it is asked for."""
    made = grid(layout, found)
    heads = [" / ".join(column) for column in made.columns]
    lines = [("", *map(escape, heads))]
    for group in made.groups:
        for row in group.rows:
            name = ", ".join(filter(None, (group.label.removeprefix("detector: "), row.label)))
            lines.append((escape(name), *(in_cell(some, with_n) for some in row.cells)))
    yield made.caption or layout.title
    yield markdown(lines)


def in_cell(some: Sequence[Cell], with_n: bool) -> str:
    told_cells = []
    for one in some:
        n = f", {one.n.replace(' ', '')}" if with_n and one.interval else ""
        told_cells.append(f"{one.value} {escape(one.interval or '')}".strip() + n)
    return "; ".join(told_cells) or "-"


def markdown(lines: Sequence[Sequence[str]]) -> str:
    head, *body = lines
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *body))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    scoring = commands.add_parser("score")
    scoring.add_argument("texts", type=Path)
    scoring.add_argument("run", type=Path)
    commands.add_parser("write").add_argument("run", type=Path)
    given = parser.parse_args()
    if given.command == "score":
        run_study(given.texts, given.run)
    else:
        PAGE.write_text(page(given.run), encoding="utf-8")


if __name__ == "__main__":
    main()
