"""Makes src/evenhand/data/synonyms.tsv from the files of WordNet 3.0: python attacks_synonym_table.py DICT > synonyms.tsv

One line a lemma and part of speech: lemma, part (n, v, a, r), how often WordNet's tagged texts have it so, whether its
forms are irregular ('!' or '-'), and its synonyms. A synonym shares one of the lemma's leading senses (at least 30% of
its tagged uses), is one word in lower case, and occurs in the tagged texts itself.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
TYPES = {"1": "n", "2": "v", "3": "a", "5": "a", "4": "r"}
WORD = re.compile(r"[a-z]{2,}")


def tag_counts(folder: Path) -> dict[tuple[str, str], Counter[int]]:
    """(lemma, part) -> sense number -> uses."""
    counts: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for line in (folder / "cntlist.rev").read_text(encoding="utf-8").splitlines():
        key, sense, uses = line.split()
        lemma, _, rest = key.partition("%")
        counts[lemma, TYPES[rest[0]]][int(sense)] += int(uses)
    return counts


def synsets(folder: Path, name: str) -> dict[str, list[str]]:
    """Offset -> the words of the set, without the marks of adjectives."""
    found = {}
    for line in (folder / f"data.{name}").read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            fields = line.split(" ")
            size = int(fields[3], 16)
            found[fields[0]] = [re.sub(r"\(.*\)", "", word) for word in fields[4 : 4 + 2 * size : 2]]
    return found


def senses(folder: Path, name: str) -> dict[str, list[str]]:
    """Lemma -> the offsets of its senses, the most frequent first."""
    found = {}
    for line in (folder / f"index.{name}").read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            fields = line.split()
            found[fields[0]] = fields[-int(fields[2]) :]
    return found


def irregular(folder: Path, name: str) -> set[str]:
    """Lemmas with a form that no rule of doubling, -s, -ed, -ing, -er, -est gives."""
    path, found = folder / f"{name}.exc", set()
    for line in path.read_text(encoding="utf-8").splitlines():
        form, *lemmas = line.split()
        for lemma in lemmas:
            stem = re.sub(r"e$|y$", "", lemma)
            doubled = lemma + lemma[-1]
            if not re.fullmatch(rf"(?:{stem}|{lemma}|{doubled})(?:i?es|s|i?ed|ing|i?er|i?est|ying)", form):
                found.add(lemma)
    return found


def main(folder: Path) -> None:
    counts = tag_counts(folder)
    for name, part in PARTS.items():
        sets, forms, odd = synsets(folder, name), senses(folder, name), irregular(folder, name)
        for lemma, offsets in forms.items():
            uses = counts.get((lemma, part), Counter())
            total = sum(uses.values())
            if not WORD.fullmatch(lemma) or not total:
                continue
            leading = [offset for at, offset in enumerate(offsets, 1) if uses[at] >= 0.3 * total]
            words = dict.fromkeys(word for offset in leading for word in sets[offset])
            kept = [
                w for w in words if w != lemma and WORD.fullmatch(w) and sum(counts.get((w, part), Counter()).values())
            ]
            print(lemma, part, total, "!" if lemma in odd else "-", ",".join(kept), sep="\t")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
