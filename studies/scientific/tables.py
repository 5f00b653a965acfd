"""The tables of docs/scientific-papers.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evenhand import stats
from evenhand.documents import Document
from evenhand.errors import DataError
from evenhand.sections import SECTIONS

from ..pages import Lines, Tables
from .jobs import GRAMS, HEAD, HELD_OUT, PEOPLE_OF, ROWS, SETS, result
from .texts import STATES, chosen, documents_of, in_sections, kind_of, repairs_told

COLUMNS = {
    "TEST": ("arxiv", "acl", "gpt2", "scigen"),
    "OOD-Falcon": ("falcon",),
    "OOD-PubMed": ("pubmed",),
    "TE-GPT-2": ("gpt2",),
    "TE-SCIgen": ("scigen",),
    "TEST-CC": ("hybrid",),
    "CC sources": ("abstract",),
}
"""As table A2's TEST, OOD-GPT3, OOD-REAL, TECG and TEST-CC; the other generator alone, and the people's abstracts that TEST-CC's
were made from."""


def shown(estimate: Any, percent: bool = True) -> str:
    scale, digits = (100, 0) if percent else (1, 2)
    value, low, high = (f"{scale * number:.{digits}f}" for number in (estimate.value, estimate.low, estimate.high))
    return value if np.isnan(estimate.low) else f"{value} [{low}, {high}]"


def share(flags: Sequence[bool], clusters: Sequence[str]) -> Any:
    """Of texts, with an interval over clusters: exact where no two texts share one, or where all texts agree."""
    n = len(set(clusters))
    if n == len(clusters) or len(set(flags)) == 1:
        return stats.proportion(round(float(np.mean(flags)) * n), n)
    return stats.cluster_bootstrap(lambda f: float(np.mean(f)), list(clusters), np.asarray(flags, float))


def auroc(documents: Sequence[Document], margins: Mapping[str, float]) -> Any:
    sides = [[d for d in documents if (d.label == "machine") is side] for side in (True, False)]
    values, clusters = ([[margins[d.id] for d in s] for s in sides], [[d.cluster for d in s] for s in sides])
    return stats.auroc(*values, positive_clusters=clusters[0], negative_clusters=clusters[1])


def right(documents: Iterable[Document], margins: Mapping[str, float]) -> tuple[list[bool], list[str]]:
    """Is each text judged as it is labelled; the texts that were abstained on are left out. And their clusters."""
    kept = [d for d in documents if not np.isnan(margins[d.id])]
    return [(margins[d.id] > 0) == (d.label == "machine") for d in kept], [d.cluster for d in kept]


# what the texts are


def texts(path: Path, results: Path) -> Lines:
    lines = [["kind", "what", "texts", "words", "8-grams also in their source, raw", "repaired"]]
    what = {
        "arxiv": "people's papers", "acl": "people's papers, lower case, digits masked", "pubmed": "people's papers, lower case",
        "abstract": "people's abstracts", "gpt2": "papers 'fully generated' by a GPT-2", "scigen": "SCIgen's papers",
        "falcon": "Falcon-7B goes on after a person's opening", "hybrid": "abstracts with sentences of a GPT-2",
    }  # fmt: skip
    raw = documents_of(path, "raw")
    for kind, told in what.items():
        held = chosen(raw, [kind])
        words = f"{np.mean([len(d.text.split()) for d in held]):,.0f}"
        lines.append([kind, told, str(len(held)), words, *(copied(path, state, kind) for state in STATES)])
    return lines


def copied(path: Path, state: str, kind: str) -> str:
    """The mean share of a machine text's 8-grams that stand in the person's text it was made from, least and most."""
    texts = {d.id: d for d in documents_of(path, state)}
    pairs = [(d.text, texts[d.source_id].text) for d in texts.values() if kind_of(d) == kind and d.source_id in texts]
    if not pairs or kind not in PEOPLE_OF:
        return "-"
    shares = [len(a & b) / len(a) for a, b in ((grams(x), grams(y)) for x, y in pairs) if a]
    return f"{np.mean(shares):.2f} ({min(shares):.2f} to {max(shares):.2f})"


def grams(text: str, n: int = 8) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}


def repairs(path: Path, results: Path) -> Lines:
    lines = [["step", "people's texts changed", "edits", "machine texts changed", "edits"]]
    for told in repairs_told(path):
        cells = [f"{told.counts.get(label, 0)} of {told.of[label]}" for label in ("human", "machine")]
        edits = [f"{told.edits.get(label, 0):,}" for label in ("human", "machine")]
        lines.append([told.step, cells[0], edits[0], cells[1], edits[1]])
    return lines


# the eighteen rows


def bow(state: str) -> Callable[[Path, Path], Lines]:
    def made(path: Path, results: Path) -> Lines:
        documents = documents_of(path, "raw")
        sizes = {name: len(chosen(documents, kinds)) for name, kinds in COLUMNS.items()}
        lines = [["model", "training set", *(f"{name} (n={n})" for name, n in sizes.items())]]
        for row, training, margins in bow_margins(results, state):
            cells = [shown(share(*right(chosen(documents, kinds), margins))) for kinds in COLUMNS.values()]
            lines.append([row, training, *cells])
        return lines

    return made


def bow_margins(results: Path, state: str) -> Iterable[tuple[str, str, dict[str, float]]]:
    for model in ROWS:
        for grams_ in GRAMS:
            for training in SETS:
                row = f"{model}-{grams_}gram"
                if (found := result(results, f"{state}/bow/{row}/{training}")) is not None:
                    yield row, training, found["margins"]


def survives(path: Path, results: Path) -> Lines:
    """AUROC on TEST before and after, and within each of its two sources, with the change from one resample of clusters."""
    documents = documents_of(path, "raw")
    sources = {"TEST": COLUMNS["TEST"], "arxiv and gpt2": ("arxiv", "gpt2"), "acl and scigen": ("acl", "scigen")}
    lines = [
        ["model, learnt from TRAIN", *(f"{name}, {part}" for name in sources for part in ("raw", "repaired", "change"))]
    ]
    before = {row: margins for row, training, margins in bow_margins(results, "raw") if training == "TRAIN"}
    after = {row: margins for row, training, margins in bow_margins(results, "repaired") if training == "TRAIN"}
    for row in (row for row in before if row in after):
        cells = []
        for kinds in sources.values():
            held = chosen(documents, kinds)
            cells += [shown(auroc(held, m), percent=False) for m in (before[row], after[row])]
            cells.append(shown(change(held, before[row], after[row]), percent=False))
        lines.append([row, *cells])
    return lines


def change(documents: Sequence[Document], before: Mapping[str, float], after: Mapping[str, float]) -> Any:
    machine = np.array([d.label == "machine" for d in documents])
    a, b = (np.array([m[d.id] for d in documents]) for m in (before, after))

    def difference(a: Any, b: Any, machine: Any) -> float:
        machine = machine.astype(bool)
        return area(b[machine], b[~machine]) - area(a[machine], a[~machine])

    return stats.cluster_bootstrap(difference, [d.cluster for d in documents], a, b, machine, replicates=1000)


def area(positive: Any, negative: Any) -> float:
    if not len(positive) or not len(negative):
        raise DataError("a class is gone from the resample")
    return float(stats.auroc(positive, negative).value)


# unseen generators, sections, head


def generators(path: Path, results: Path) -> Lines:
    documents = documents_of(path, "raw")
    head = ["model", "generator", "people's texts", "AUROC raw: learnt with it", "without it"]
    lines = [[*head, "AUROC repaired: with it", "without it", "recall without it, raw", "repaired"]]
    for row in HELD_OUT:
        for generator, people in PEOPLE_OF.items():
            held, own = chosen(documents, [generator, people]), chosen(documents, [generator])
            found = {
                (state, seen): result(results, f"{state}/generator/{row}/{generator}/{seen}")
                for state in STATES for seen in ("seen", "unseen")
            }  # fmt: skip
            if None in found.values():
                continue
            areas = [
                shown(auroc(held, found[state, seen]["margins"]), percent=False)
                for state in STATES
                for seen in ("seen", "unseen")
            ]  # type: ignore[index]
            caught = [shown(share(*right(own, found[state, "unseen"]["margins"]))) for state in STATES]  # type: ignore[index]
            lines.append([row, f"{generator} (n={len(own)})", f"{people} (n={len(held) - len(own)})", *areas, *caught])
    return lines


def votes(path: Path, results: Path) -> Lines:
    papers = [d for d, _ in in_sections(path, "raw")]
    n = {label: sum(d.label == label for d in papers) for label in ("human", "machine")}
    sizes = f"{n['human']} people's and {n['machine']} machine papers"
    areas_of = [
        *(f"{name}, AUROC" for name in SECTIONS),
        f"vote, AUROC ({sizes})",
        "the notebook's vote",
        "whole paper",
    ]
    lines = [["model", "state", *areas_of, "vote, accuracy", "vote, caught"]]
    machine = [d for d in papers if d.label == "machine"]
    for row in HELD_OUT:
        for state in STATES:
            if (found := result(results, f"{state}/sections/{row}")) is None:
                continue
            kinds = [*found["sections"].values(), found["vote"], found["notebook"], found["whole"]]
            areas = [shown(auroc(papers, margins), percent=False) for margins in kinds]
            lines.append(
                [row, state, *areas, *(shown(share(*right(held, found["vote"]))) for held in (papers, machine))]
            )
    return lines


def head(path: Path, results: Path) -> Lines:
    by_id = {d.id: d for d in documents_of(path, "raw")}
    lines = [
        ["recipe", "state", "learnt from", "validation losses", "tested on", "AUROC", "accuracy", "caught", "accused"]
    ]
    for state, recipe in (("raw", "plain"), ("repaired", "plain"), ("raw", "printed")):
        if (found := result(results, f"{state}/head/{recipe}")) is None:
            continue
        held = [by_id[name] for name in found["margins"]]
        machine, people = ([d for d in held if (d.label == "machine") is side] for side in (True, False))
        flags = right(people, found["margins"])
        losses = ", ".join(f"{loss:.2f}" for loss in found["training"]["losses"])
        learnt = f"{HEAD['train']} papers, {HEAD['max_tokens']} tokens each"
        cells = [
            auroc(held, found["margins"]),
            share(*right(held, found["margins"])),
            share(*right(machine, found["margins"])),
        ]
        accused = share([not flag for flag in flags[0]], flags[1])
        numbers = [shown(cells[0], percent=False), *(shown(c) for c in (*cells[1:], accused))]
        lines.append([recipe, state, learnt, losses, f"{len(people)} + {len(machine)}", *numbers])
    return lines


TABLES: Tables = {
    "texts": texts,
    "repairs": repairs,
    "bow_raw": bow("raw"),
    "bow_repaired": bow("repaired"),
    "survives": survives,
    "generators": generators,
    "votes": votes,
    "head": head,
}
