"""The study of scientific texts: kinds, folds without shared clusters, sections found, and tables from kept numbers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from evenhand.errors import DataError
from evenhand.levels.papers.grammar import GrammarPapers, made_up_titles
from evenhand.seeds import rng

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from studies.pages import filled
from studies.scientific import jobs, tables
from studies.scientific.__main__ import main
from studies.scientific.texts import documents_of, fold_of, in_sections, kind_of, sections_of

SOURCES = {
    "GeneratedTextDetection": ("vijini/full", "vijini/hybrid"),
    "scigen-detection": ("scigen",),
    "Binoculars": ("binoculars",),
}


@pytest.fixture(scope="module")
def texts(tmp_path_factory) -> Path:
    """A file of the same shape: ten pairs of each source, people's texts with words of their own, all made here."""
    rows, titles = [], iter(made_up_titles(80))
    for corpus, stems in SOURCES.items():
        for stem in stems:
            for n in range(10):
                for label in ("human", "machine"):
                    parts = GrammarPapers().parts(next(titles), n)
                    words = " ".join(rng(stem, n).choices(("harbour", "sail", "tide", "rope", "keel"), k=12))
                    mark = f"We saw the {words}." if label == "human" else "It is what it is."
                    text = " ".join(
                        f"{name.capitalize()} {mark} {' '.join(part.split())}" for name, part in parts.items()
                    )
                    row = {
                        "id": f"{stem}/{n}/{label}",
                        "text": text,
                        "label": label,
                        "corpus": corpus,
                        "doc": f"{stem}{n}",
                    }
                    rows.append(row | ({"source_id": f"{stem}/{n}/human"} if label == "machine" else {}))
    path = tmp_path_factory.mktemp("scientific") / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_every_text_has_a_kind_and_its_pair_is_in_its_fold(texts):
    documents = documents_of(texts, "raw")
    assert {kind_of(d) for d in documents} == {*jobs.PEOPLE_OF, *jobs.PEOPLE_OF.values()}
    folds = fold_of(documents)
    assert sorted(set(folds.values())) == list(range(5))
    for kind in jobs.PEOPLE_OF:
        counts = np.bincount([folds[d.cluster] for d in documents if kind_of(d) == kind], minlength=5)
        assert counts.tolist() == [2, 2, 2, 2, 2]


def test_no_text_is_judged_by_what_learnt_from_its_cluster(texts, monkeypatch):
    documents, seen = documents_of(texts, "raw"), []

    def watched(spec, train, test):
        assert not {d.cluster for d in train} & {d.cluster for d in test}
        seen.extend(d.id for d in test)
        return {d.id: 0.0 for d in test}

    monkeypatch.setattr(jobs, "margins", watched)
    jobs.by_fold("x", documents, documents, fold_of(documents))
    assert sorted(seen) == sorted(d.id for d in documents)


def test_sections_of_a_paper_on_one_line():
    text = "\ufeffAbstract We row. Introduction The introduction of oars. 5. Conclusions and Future Work We end."
    assert sections_of(text) == {
        "abstract": "We row.",
        "introduction": "The introduction of oars.",
        "conclusion": "We end.",
    }
    assert sections_of("Introduction We row. Abstract We rowed. Conclusion We end.") == {}
    assert sections_of("We row. The conclusion Is near.") == {}


def test_sections_survive_the_repairs(texts):
    raw, mended = in_sections(texts, "raw"), in_sections(texts, "repaired")
    assert len(raw) == len(mended) == 20
    assert all(part == part.lower() for _, parts in mended for part in parts.values())
    assert [d.id for d, _ in raw] == [d.id for d, _ in mended]


def test_jobs_are_kept_and_the_tables_are_made_of_them(texts, tmp_path, capsys):
    results, page = tmp_path / "results", tmp_path / "page.md"
    wanted = ("bow/LR-1gram/TRAIN", "generator/LR-1gram/scigen", "sections/LR-1gram")
    for name in wanted:
        assert main(["run", str(texts), str(results), "--job", name]) == 0
    capsys.readouterr()
    assert main(["run", str(texts), str(results), "--job", wanted[0]]) == 0
    assert capsys.readouterr().out == "0 jobs done\n"
    assert main(["run", str(texts), str(results), "--job", "bow/RF", "--minutes", "0"]) == 75
    page.write_text("".join(f"<!-- table {name} -->\n<!-- end -->\n" for name in tables.TABLES))
    assert main(["write", str(texts), str(results), str(page)]) == 0
    told = page.read_text()
    assert "| LR-1gram | TRAIN | 100 [" in told, "the marks of the people are learnt"
    assert "| LR-1gram | scigen (n=10) | acl (n=10) | 1.00 [" in told
    assert "people's and 10 machine papers" in told
    once = told
    main(["write", str(texts), str(results), str(page)])
    assert page.read_text() == once


def test_shares_have_intervals_over_clusters():
    exact = tables.share([True, True, False, True], ["a", "b", "c", "d"])
    assert (exact.value, exact.n) == (0.75, 4)
    pairs = tables.share([True] * 6, ["a", "a", "b", "b", "c", "c"])
    assert (pairs.value, pairs.n) == (1.0, 3)
    assert pairs.low == pytest.approx(0.025 ** (1 / 3))
    drawn = tables.share([True, False, True, True], ["a", "a", "b", "b"])
    assert (drawn.value, drawn.low, drawn.high) == (0.75, 0.5, 1.0)


def test_the_eighteen_rows_are_the_published_ones(shared):
    rows = json.loads((shared / "data/published_tables/published_tables.json").read_text())["tables"]["idm.TA2"][
        "values"
    ]
    ours = [f"{model}-{grams}gram" for model in jobs.ROWS for grams in jobs.GRAMS]
    assert list(dict.fromkeys(row["model"].removesuffix(" (tf-idf)") for row in rows)) == ours
    assert len(rows) == len(ours) * len(jobs.SETS) == 18


def test_an_unknown_table_is_named():
    with pytest.raises(DataError, match="asks for the table 'moods'"):
        filled("<!-- table moods -->\n<!-- end -->", tables.TABLES, Path("x"), Path("y"))
