"""DetectRL: four domains, four LLMs, and attacks on both classes (Wu et al., 2024)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, cast

from ..documents import Document, Label, Level
from ..errors import DataError
from ..files import existing
from ..registry import Card
from .base import Corpus, distinct
from .folder import inside
from .records import read_records

DOMAINS = {"abstract": "arxiv", "document": "xsum", "story": "writing_prompt", "content": "yelp_review"}
LABELS = {"human": "human", "llm": "machine"}
ATTACKS = {
    "character_word": "sentence",  # so it is spelt in data_type
    "polish": "polish",
    "back_translation": "back_translation",
    "dipper": "dipper",
    "character": "character",
    "word": "word",
    "sent": "sentence",
    "mixing": "mixing",
    "few_shot": "few_shot_prompt",
    "ICO": "sico_prompt",
}
AFTER = {"polish": Level.IMPROVE_HUMAN, "back_translation": Level.REWRITE_HUMAN, "dipper": Level.REWRITE_HUMAN}


@dataclass(frozen=True)
class Detectrl(Corpus):
    """``path``: the folder Benchmark_Data. ``files`` chooses: 'Direct_Prompt/*' is the clean half."""

    path: str
    files: str = "*/*_test.json"
    name: ClassVar[str] = "detectrl"
    card: ClassVar[Card] = Card(
        summary="DetectRL's JSON files: clean, paraphrased, perturbed, mixed, on both classes.",
        source="Wu et al. 2024, DetectRL; github NLP2CT/DetectRL",
        licence="unclear: the repository has none",
        family="corpus",
        needs="the folder, from the authors",
        follows="attack names come from file names, and from data_type in files of many attacks: data_type says "
        "'dipper_llm' of human records, and 'character_word' of sentence attacks",
        pitfalls="An attacked text does not say which clean one it comes from, and its position in the file is not safe "
        "(dipper: 74% right), so every text is a cluster of its own. The domain of machine texts is not in the records. "
        "Files that equal another byte by byte are read once.",
    )

    def __iter__(self) -> Iterator[Document]:
        return distinct(self._documents(), self.path)

    def _documents(self) -> Iterator[Document]:
        root = existing(self.path, folder=True)
        seen: set[bytes] = set()
        for file in sorted(inside(root, self.files)):
            digest = sha256((root / file).read_bytes()).digest()
            if digest not in seen:
                seen.add(digest)
                yield from _file(root / file, str(file.with_suffix("")))


def _file(path: Path, name: str) -> Iterator[Document]:
    for number, row in enumerate(read_records(path, "text", "label", "data_type")):
        if row["label"] not in LABELS:
            raise DataError(f"{path}, record {number}: label {row['label']!r}; DetectRL knows human and llm")
        yield _document(row, path.stem, f"{name}/{number}")


def _document(row: dict[str, Any], stem: str, identity: str) -> Document:
    human = row["label"] == "human"
    attack = _attack(stem) or _attack(row["data_type"]) or "none"
    return Document(
        id=identity,
        text=row["text"],
        label=cast(Label, LABELS[row["label"]]),
        level=Level.HUMAN if human else None,
        level_after=AFTER.get(attack) if human else None,
        generator=None if human else row.get("llm_type"),
        corpus="detectrl",
        domain=DOMAINS.get(row["data_type"]),
        cluster=identity,
        attack=attack,
        meta={"data_type": row["data_type"]},
    )


def _attack(told: str) -> str | None:
    return next((ours for theirs, ours in ATTACKS.items() if theirs in told), None)
