"""Where corpora, levels, writers and paraphrasers meet: texts at contribution levels, and what they would cost.

``python -m evenhand.build demo`` remakes the machine texts of the embedded corpus.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from . import attacks, levels
from .documents import Document, Level
from .errors import SpecError
from .kept import edited
from .models.chat import Cached, Completion, LocalChat, Request, Writer

FROM_HUMANS = ("improve_human", "rewrite_human", "summary", "task_summary", "task")
"""The levels that need no second model."""
DEMO_SEED = 0
DEMO_SETTINGS = "temperature=0.7, max_new_tokens=360"
DEMO_TEST_SOURCES = 40
TOKENS_A_WORD = 4 / 3
"""A rule of thumb for English; a tokenizer says 1.2 to 1.5."""


@dataclass(frozen=True)
class Cost:
    """What a level asks a chat model for: requests, tokens of the prompts (about), tokens of the answers (at most)."""

    level: str
    requests: int
    prompt_tokens: int
    answer_tokens: int


@dataclass
class Tally(Writer):
    """A writer that writes nothing of sense and counts what it was asked; ``spec`` is that of the paraphraser it stands for."""

    counts_only: ClassVar[bool] = True
    model: str = "nobody"
    asked: list[Request] = field(default_factory=list)
    spec: str | None = None

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        self.asked += requests
        yield from ((i, Completion(self.text(one), "stop", 0, self.model)) for i, one in enumerate(requests))

    def text(self, request: Request) -> str:
        """As many words as an answer may have, and no more than it was shown."""
        shown, room = len(request.messages[-1]["content"].split()), request.sampling.max_new_tokens
        return "w " * min(shown, int(room / TOKENS_A_WORD))


@dataclass(frozen=True)
class Paraphraser(Writer):
    """An attack that rewrites, such as paraphrase (DIPPER), in a chat model's place: it answers a text with its edit."""

    spec: str

    @property
    def model(self) -> str:  # type: ignore[override]
        return str(attacks.get(self.spec).key)

    @property
    def about(self) -> dict[str, str]:
        return {"provider": "local"}

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        attack = attacks.get(self.spec)
        for index, request in enumerate(requests):
            made = edited(attack, request.messages[-1]["content"], request.seed)
            failed = made.note if (made.note or "").startswith("failed:") else None
            yield index, Completion(*(("", "error") if failed else (made.text, "stop")), None, self.model, failed)


def estimate(documents: Sequence[Document], specs: Iterable[str]) -> list[Cost]:
    """The cost of each level, before a single request is made; what two levels ask for alike is counted once.

    Levels that rework another model's texts are counted on these documents, and that model's task texts stand as 'other: ...'.
    """
    chosen = list(specs)
    reworking = [builder for spec in chosen if (builder := levels.get(spec)).source != Level.HUMAN]
    seen: set[str] = set()
    costs = [_cost(documents, spec, levels.get(spec), seen) for spec in chosen]
    if reworking:
        costs += [_cost(documents, f"other: {task_of(reworking[0])}", levels.get(task_of(reworking[0])), set())]
    return costs


def _cost(documents: Sequence[Document], name: str, builder: Any, seen: set[str]) -> Cost:
    tally = Tally(spec=getattr(builder, "paraphrase", None))
    builder.build(documents, tally)
    asked = {key: one for one in tally.asked if (key := repr((one.messages, one.seed, one.sampling))) not in seen}
    seen.update(asked)
    if tally.spec:  # a paraphraser runs on this machine: its tokens are nobody's to bill
        return Cost(name, len(asked), 0, 0)
    return cost_of(name, asked.values())


def cost_of(name: str, asked: Collection[Request]) -> Cost:
    words = sum(len(message["content"].split()) for one in asked for message in one.messages)
    answers = sum(one.sampling.max_new_tokens for one in asked)
    return Cost(name, len(asked), round(words * TOKENS_A_WORD), answers)


def build_levels(
    documents: Sequence[Document], specs: Iterable[str], writer: Writer, seed: int = 0, other: Writer | None = None
) -> list[Document]:
    """One document per source and level, level by level; each says the digest of the text it was made from.

    Levels that rework a machine's text take the task texts of ``other``, another model, which are given too.
    """
    builders = [levels.get(spec) for spec in specs]
    if twice := [str(level) for level, n in Counter(one.level for one in builders).items() if n > 1]:
        raise SpecError(f"{', '.join(twice)}: named twice, and its texts would share their ids; make them in two calls")
    reworking = [builder for builder in builders if builder.source != Level.HUMAN]
    if other is not None and other.model == writer.model and any(one.level == Level.REWRITE_LLM for one in builders):
        raise SpecError(
            f"rewrite_llm: both writers are {writer.model}; this level needs another model as the other writer"
        )
    tasks = _tasks_of_other(documents, reworking[0], seed, other) if reworking else []
    sources = {Level.HUMAN: documents, Level.TASK: tasks}
    made = [one for builder in builders for one in builder.build(sources[builder.source], by(builder, writer), seed)]
    digests = {document.id: document.digest for document in [*documents, *tasks, *made]}
    told = (replace(one, meta={**one.meta, "source_digest": digests[one.source_id or ""]}) for one in [*tasks, *made])
    return list(told)


def by(builder: Any, writer: Writer) -> Writer:
    """Who answers for this level: the writer, or the paraphraser that the level names."""
    spec = getattr(builder, "paraphrase", None)
    return Paraphraser(spec) if spec else writer


def task_of(level: Any) -> str:
    """The level 'task' with the settings of the level that reworks its texts."""
    return f"task(temperature={level.temperature}, max_new_tokens={level.max_new_tokens})"


def _tasks_of_other(documents: Sequence[Document], level: Any, seed: int, other: Writer | None) -> list[Document]:
    """The other model's task texts, once, with the settings of the first level that reworks them."""
    if other is None:
        raise SpecError(f"{level.name}: needs a second model, whose texts are reworked; name one as the other writer")
    made = levels.get(task_of(level)).build(documents, other, seed)
    return [replace(one, id=f"{one.id}@{other.model}") for one in made]


def save(documents: Iterable[Document], path: Path) -> None:
    """Documents as one Parquet file, whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from .documents import documents_schema
    from .store import row_of

    rows = [row_of(document) for document in documents]
    half = path.with_suffix(".half")
    pq.write_table(pa.Table.from_pylist(rows, documents_schema()), half, compression="zstd", compression_level=19)
    half.replace(path)


def demo(cache: Path, source: str = "embedded") -> list[Document]:
    """The machine texts of the embedded corpus: five levels of 40 test passages, and the task level of all train ones."""
    from .corpora.embedded import chosen

    writer = Cached(LocalChat(source, batch=48), cache)
    specs = [f"{name}({DEMO_SETTINGS})" for name in FROM_HUMANS]
    train, test = chosen("train", 1000), chosen("test", DEMO_TEST_SOURCES)
    return [*build_levels(train, specs[-1:], writer, DEMO_SEED), *build_levels(test, specs, writer, DEMO_SEED)]


def main(arguments: Sequence[str]) -> None:
    from .corpora.embedded import MACHINE
    from .models.home import cache_dir

    if list(arguments) != ["demo"]:
        sys.exit("usage: python -m evenhand.build demo")
    made = demo(cache_dir() / "answers")
    save(made, MACHINE)
    table = facts(made)
    print(table)
    MACHINE.with_name("facts.md").write_text(table, encoding="utf-8")


def facts(documents: Sequence[Document]) -> str:
    """What came, per split and level, as a Markdown table: texts, their mean words, and the marks of their answers."""
    from .levels.base import counts

    marks = ("error", "empty", "refusal", "copy", "lead-in", "lead-out", "echo", "quoted", "comment", "loop", "cut")
    lines = ["| split | level | n | words | " + " | ".join(marks) + " |", "|---" * (4 + len(marks)) + "|"]
    for split, level in dict.fromkeys((document.split, str(document.level)) for document in documents):
        chosen = [one for one in documents if (one.split, str(one.level)) == (split, level)]
        row, words = counts(chosen)[level], sum(len(one.text.split()) for one in chosen) / len(chosen)
        cells = [split, level, row["n"], round(words), *(row.get(mark, 0) for mark in marks)]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
