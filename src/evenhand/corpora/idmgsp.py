"""IDMGSP's published data set: real, fake and co-created papers in the hub's configurations, as CSV or Parquet files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from ..documents import Document, Label, Level
from ..errors import DataError, SpecError
from ..files import csv_rows, existing, opened
from ..registry import Card
from ..sections import SECTIONS, join_sections
from .base import Corpus, distinct, some
from .parquet import parquet_rows

SETS = {
    ("classifier_input", "train"): "TRAIN",
    ("classifier_input", "test"): "TEST",
    ("train+gpt3", "train"): "TRAIN+GPT3",
    ("train-cg", "train"): "TRAIN-CG",
    ("ood_gpt3", "test"): "OOD-GPT3",
    ("ood_real", "test"): "OOD-REAL",
    ("tecg", "test"): "TECG",
    ("test-cc", "test"): "TEST-CC",
}
"""(configuration, split) on the hub -> the set of table 2."""
CONFIGS = tuple(dict.fromkeys(config for config, _ in SETS))
GENERATORS = {"ood_gpt3": "GPT-3", "tecg": "ChatGPT", "test-cc": "gpt-3.5-turbo-0613"}
"""Of configurations that hold one source."""
PARAPHRASED = "paraphrased_sections"


@dataclass(frozen=True)
class Idmgsp(Corpus):
    """``path``: a folder with the files of the hub's configurations, unpacked; each lies in a folder, or begins with the name,
    of its configuration, and names its split: classifier_input/train.csv, classifier_input_test.parquet, tecg/test.csv (the last
    of both words; without one, what is called train... is for training, the others are tests). ``configs``: only these; by
    default all that are there. ``unit``: 'whole' or 'sections'.

    A paper that is in several sets is one document; meta training_sets and test_sets name them, with commas.
    """

    path: str
    configs: tuple[str, ...] = ()
    unit: str = "whole"
    name: ClassVar[str] = "idmgsp"
    card: ClassVar[Card] = Card(
        summary="IDMGSP: scientific papers by people, five generators, and ChatGPT's paraphrases of some sections.",
        source="IDMGSP (scientific papers); hub datasets tum-nlp/IDMGSP",
        licence="openrail++ (as the hub says); texts of real papers have terms of their own",
        family="corpus",
        needs="the files of the hub, unpacked",
        follows="label 1 is fake. Co-created papers (test-cc) are labelled 1 there, whatever the machine's share; here they are "
        "'mixed' with meta paraphrased_sections. Human papers of ood_real are parsing 2",
        pitfalls="Abstracts of real papers come from metadata and the other sections from PDFs, so ligatures tell classes. "
        "The published accuracies on TEST and TECG contradict each other if TECG is a part of TEST (see beside_idmgsp).",
    )

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.configs) - set(CONFIGS)):
            raise SpecError(f"{self.name}: no configuration {some(unknown)}; there are {', '.join(CONFIGS)}")
        if self.unit not in ("whole", "sections"):
            raise SpecError(f"{self.name}: unit is 'whole' or 'sections', got {self.unit!r}")
        object.__setattr__(self, "configs", tuple(self.configs))

    def __iter__(self) -> Iterator[Document]:
        papers = _merged(self._papers())
        sources = {paper.cluster: paper.id for paper in papers if paper.label == "human"}
        linked = (replace(p, source_id=sources.get(p.cluster)) if p.label == "mixed" else p for p in papers)
        return distinct((made for paper in linked for made in _units(paper, self.unit)), self.path)

    def _papers(self) -> Iterator[Document]:
        root = existing(self.path, folder=True)
        files = _files(root, self.configs or CONFIGS)
        if lost := [name for name in self.configs if name not in {config for config, _, _ in files}]:
            raise DataError(
                f"{self.path}: no file of {some(lost)}{_packed(root)}; name them as {self.name}'s docstring says"
            )
        if not files:
            raise DataError(
                f"{self.path}: no CSV or Parquet file of any configuration ({', '.join(CONFIGS)}){_packed(root)}"
            )
        rows: Counter[tuple[str, str]] = Counter()  # a set may lie in several files
        for config, split, path in files:
            for number, row in _rows(path):
                rows[config, split] += 1
                identity = f"{config}/{split}/{rows[config, split]}"
                yield _paper(row, config, split, f"{path}, row {number}", identity)


def _files(root: Path, configs: Iterable[str]) -> list[tuple[str, str, Path]]:
    """(configuration, split, file), in the order of the configurations."""
    found = []
    for path in sorted(p for p in root.rglob("*") if p.suffix.lower() in (".csv", ".parquet") and p.is_file()):
        name = path.relative_to(root).as_posix().lower()
        fits = [config for config in CONFIGS if name.startswith(config)]
        if fits:
            config = max(fits, key=len)
            found.append((config, _split(config, name.removeprefix(config)), path))
    order = {config: i for i, config in enumerate(configs)}
    return sorted((one for one in found if one[0] in order), key=lambda one: (order[one[0]], one[1], one[2]))


def _split(config: str, rest: str) -> str:
    """By the last 'train' or 'test' in what follows the configuration's name; else as the configuration is called."""
    named = re.findall(r"train|(?<![a-z])test", rest)
    return named[-1] if named else "train" if config.startswith("train") else "test"


def _packed(root: Path) -> str:
    zips = sorted(path.name for path in root.glob("*.zip"))
    return f" (unpack {some(zips)} first, each into a folder of its name)" if zips else ""


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if path.suffix.lower() == ".csv":
        with opened(path) as stream:
            yield from enumerate((row for _, row in csv_rows(stream, str(path))), 1)
    else:
        yield from parquet_rows(path)


def _paper(row: Mapping[str, Any], config: str, split: str, where: str, identity: str) -> Document:
    if missing := [name for name in ("title", *SECTIONS) if name not in row]:
        raise DataError(f"{where}: no column {some(missing)} among {some(row, 20)}; is it one of IDMGSP's files?")
    parts = {name: str(row[name] or "").strip() for name in SECTIONS}
    label, source = _label(row, config, where), str(row.get("src") or "")
    name, categories = SETS.get((config, split), ""), str(row.get("categories") or "")
    human, title = label == "human", str(row["title"] or "").strip()
    told = {
        "training_sets": name if name.startswith("TRAIN") else "", "test_sets": "" if name.startswith("TRAIN") else name,
        "src": source, "parsing": ("2" if config == "ood_real" else "1") if human else "",
        "categories": categories, "year": _year(row.get("year")),
        PARAPHRASED: _names(row.get(PARAPHRASED)) if label == "mixed" else "",
    }  # fmt: skip
    return Document(
        id=identity,
        text=join_sections(parts),
        label=label,
        level=Level.HUMAN if human else None,
        generator=None if human else GENERATORS.get(config) or source or None,
        corpus="idmgsp",
        domain=categories.split(maxsplit=1)[0] if categories.strip() else None,
        title=title or None,
        cluster=_bare(title) or identity,
        split="train" if split == "train" else "test",
        meta={key: value for key, value in told.items() if value not in ("", None)} | {"parts": parts},
    )


def _bare(title: str) -> str:
    """Letters and digits in lower case: a title stands on one side, however it is spelt."""
    return re.sub(r"[\W_]+", "", title.casefold())


def _label(row: Mapping[str, Any], config: str, where: str) -> Label:
    """0 real, 1 fake; a configuration of one source needs no column."""
    if config == "test-cc":
        return "mixed"
    told = str(row.get("label", "")).strip().removesuffix(".0")
    if told in ("0", "1"):
        return "machine" if told == "1" else "human"
    if "label" not in row and config in ("ood_real", "ood_gpt3", "tecg"):
        return "human" if config == "ood_real" else "machine"
    raise DataError(f"{where}: label {row.get('label')!r}; IDMGSP's are 0 (real) and 1 (fake)")


def _year(value: Any) -> int | None:
    try:
        return int(float(value))
    except (TypeError, ValueError, OverflowError):
        return None


def _names(value: Any) -> str:
    """The sections that a machine paraphrased, joined by '+', however the file lists them."""
    told = " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")
    return "+".join(name for name in SECTIONS if re.search(name, told, re.IGNORECASE))


def _merged(papers: Iterable[Document]) -> list[Document]:
    """A paper that comes again with another set is the one that was there, with the names of both sets."""
    found: dict[tuple[str, str, str], Document] = {}
    for paper in papers:
        key = (paper.cluster, paper.digest, paper.label)
        known = found.get(key)
        found[key] = paper if known is None else _joined(known, paper)
    return list(found.values())


def _joined(known: Document, again: Document) -> Document:
    sets = {key: _union(known.meta.get(key, ""), again.meta.get(key, "")) for key in ("training_sets", "test_sets")}
    split = "test" if "test" in (known.split, again.split) else known.split
    meta = {**again.meta, **known.meta, **{key: value for key, value in sets.items() if value}}
    return replace(known, split=split, generator=known.generator or again.generator, meta=meta)


def _union(one: str, other: str) -> str:
    return ",".join(dict.fromkeys(name for name in (*one.split(","), *other.split(",")) if name))


def _units(paper: Document, unit: str) -> Iterator[Document]:
    """The paper as one document, or as one a section; a section of a co-created paper is a machine's or a person's."""
    parts, meta = paper.meta["parts"], {key: value for key, value in paper.meta.items() if key != "parts"}
    if unit == "whole":
        yield replace(paper, meta=meta)
        return
    if paper.label == "mixed" and PARAPHRASED not in meta:
        raise DataError(
            f"{paper.id}: no {PARAPHRASED} tell which of its sections are a machine's; read it with unit='whole'"
        )
    for name in (name for name in SECTIONS if parts[name]):
        source = f"{paper.source_id}#{name}" if paper.source_id else None
        part = replace(paper, id=f"{paper.id}#{name}", text=parts[name], section=name, source_id=source, meta=meta)
        yield _of_its_author(part, name) if paper.label == "mixed" else part


def _of_its_author(part: Document, name: str) -> Document:
    """A section of a co-created paper, with the label of who wrote it."""
    if name in part.meta[PARAPHRASED].split("+"):
        return replace(part, label="machine", meta={**part.meta, PARAPHRASED: name})
    meta = {key: value for key, value in part.meta.items() if key != PARAPHRASED}
    return replace(part, label="human", level=Level.HUMAN, generator=None, meta=meta)
