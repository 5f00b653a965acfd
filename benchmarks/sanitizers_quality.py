"""What each sanitizer restores of RAID's homoglyphs, and what it harms: one table, measured in one run.

Texts: every distinct clean text of ../shared/data/dev (attack "none"). Each is attacked at six rates by RAID's table (33
code points for 22 letters, uniform choice), one seed per text and rate. Restored: substituted characters that are the
original again. Exact: documents equal to the clean text. Harm: clean texts and harm lines that the sanitizer alters.
Characters of disarm, which gives no map of positions, are counted glyph by glyph: it folds without context.

A third table asks more of script_aware than anyone promised: each harm line as a paragraph between two attacked ones.

    python benchmarks/sanitizers_quality.py [--every N] [--only NAME]
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from evenhand import sanitizers
from evenhand.seeds import rng

RATES = (0.02, 0.05, 0.1, 0.25, 0.5, 1.0)
RAID = {
    "a": "\u0430", "A": "\u0410\u0391", "B": "\u0412\u0392", "e": "\u0435", "E": "\u0415\u0395", "c": "\u0441",
    "p": "\u0440", "K": "\u041a\u039a", "O": "\u041e\u039f", "P": "\u0420\u03a1", "M": "\u041c\u039c",
    "H": "\u041d\u0397", "T": "\u0422\u03a4", "X": "\u0425\u03a7", "C": "\u0421", "y": "\u0443", "o": "\u043e",
    "x": "\u0445", "I": "\u0406\u0399", "i": "\u0456", "N": "\u039d", "Z": "\u0396",
}  # fmt: skip
PARAGRAPH = (
    "“I’d rather walk,” Zoë said — and so we left the café behind us, past Mr. Peña’s bakery and the naïve façade of "
    "the town hall… Nobody spoke until the bridge; then she laughed. ‘It’s only rain,’ she called, “and rain dries.” "
    "By noon the whole of Malmö seemed to be out in the streets, eating, talking, pointing at the river, which had "
    "risen by half a metre since Tuesday and carried branches, a chair, and at one point an entire door. "
)
OURS = ("script_aware", "paper_figure5", "paper_table6", "paper_table6_full", "curated47", "uts39", "nfkc", "none")
DISARM = ("normalize_confusables", "canonicalize")
ROOT = Path(__file__).resolve().parents[1]
DEV = ROOT.parent / "shared" / "data" / "dev"


@dataclass
class Tally:
    restored: Counter[float] = field(default_factory=Counter)
    exact: Counter[float] = field(default_factory=Counter)
    altered: Counter[str] = field(default_factory=Counter)


def clean_texts() -> dict[str, str]:
    """Text -> label, each text once; one text of the sets bears both labels and counts as human."""
    texts: dict[str, str] = {}
    for path in sorted(DEV.glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).decode("utf-8").split("\n"):
            record = json.loads(line or "{}")
            if record.get("attack") == "none" and record["text"]:
                label = "human" if texts.get(record["text"]) == "human" else record["label"]
                texts[record["text"]] = label
    return texts


def harm_lines(name: str) -> list[str]:
    lines = (ROOT / "tests" / "sanitizers" / name).read_text("utf-8").splitlines()
    if name.endswith(".jsonl"):
        return [json.loads(line)["text"] for line in lines]
    return [line for line in lines if line and not line.startswith("# ")]


def attack(text: str, rate: float, draw: Random) -> tuple[str, list[int]]:
    hit = [i for i, letter in enumerate(text) if letter in RAID and (rate == 1.0 or draw.random() < rate)]
    letters = list(text)
    for i in hit:
        letters[i] = draw.choice(RAID[letters[i]])
    return "".join(letters), hit


def restored(name: str, clean: str, attacked: str, hit: list[int]) -> tuple[int, bool]:
    done = sanitizers.get(name)(attacked)
    assert done.origin is not None
    moved = len(done.text) != len(attacked)
    back = dict(zip(done.origin, done.text, strict=True)) if moved else dict(enumerate(done.text))
    return sum(back.get(i) == clean[i] for i in hit), done.text == clean


def disarmed(
    clean: Callable[[str], str], glyphs: dict[str, str], text: str, attacked: str, hit: list[int]
) -> tuple[int, bool]:
    return sum(glyphs[attacked[i]] == text[i] for i in hit), clean(attacked) == text


def methods() -> Iterator[tuple[str, Callable[[str], str], Callable[[str, str, list[int]], tuple[int, bool]]]]:
    for name in OURS:
        yield name, lambda t, n=name: sanitizers.get(n)(t).text, lambda c, a, h, n=name: restored(n, c, a, h)
    try:
        import disarm
    except ImportError:
        print("disarm is not installed (pip install disarm): its rows are left out")
        return
    for name in DISARM:
        clean = getattr(disarm, name)
        glyphs = {g: clean(g) for options in RAID.values() for g in options}
        yield f"disarm {name}", clean, lambda t, a, h, f=clean, g=glyphs: disarmed(f, g, t, a, h)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="take every n-th text")
    parser.add_argument("--only", help="a single sanitizer")
    options = parser.parse_args()
    texts = list(clean_texts().items())[:: options.every]
    chosen = [method for method in methods() if options.only in (None, method[0])]
    sets = {"harm": harm_lines("harm.jsonl"), "harm_second": harm_lines("harm_second.txt")}
    tallies = {name: Tally() for name, *_ in chosen}
    edits, attacked_texts = Counter[float](), Counter[float]()
    for text, label in texts:
        cases = [(rate, *attack(text, rate, rng(text, "benchmark", rate))) for rate in RATES]
        for rate, _, hit in cases:
            edits[rate] += len(hit)
            attacked_texts[rate] += bool(hit)
        for name, clean, undo in chosen:
            tally = tallies[name]
            tally.altered[label] += clean(text) != text
            for rate, attacked, hit in cases:
                if hit:
                    count, same = undo(text, attacked, hit)
                    tally.restored[rate] += count
                    tally.exact[rate] += same
    for name, clean, _ in chosen:
        for key, lines in sets.items():
            tallies[name].altered[key] += sum(clean(line) != line for line in lines)
    show(texts, sets, tallies, edits, attacked_texts)
    show_company(sets)


def show(
    texts: list[tuple[str, str]],
    sets: dict[str, list[str]],
    tallies: dict[str, Tally],
    edits: Counter[float],
    attacked: Counter[float],
) -> None:
    labels = Counter(label for _, label in texts)
    print(f"{len(texts)} clean texts ({dict(labels)}), {sum(len(t) for t, _ in texts)} characters")
    print("characters restored, % (n substituted): " + ", ".join(f"rate {r}: {edits[r]}" for r in RATES))
    for name, tally in tallies.items():
        print(f"  {name:32}" + "".join(f"{100 * tally.restored[r] / edits[r]:9.3f}" for r in RATES))
    print("documents exactly restored, % (n attacked): " + ", ".join(f"rate {r}: {attacked[r]}" for r in RATES))
    for name, tally in tallies.items():
        print(f"  {name:32}" + "".join(f"{100 * tally.exact[r] / attacked[r]:9.2f}" for r in RATES))
    sizes = {**labels, **{key: len(lines) for key, lines in sets.items()}}
    print("altered: " + ", ".join(f"{key} of {n}" for key, n in sizes.items()))
    for name, tally in tallies.items():
        print(f"  {name:32}" + "".join(f"{tally.altered[key]:9d}" for key in sizes))


def show_company(sets: dict[str, list[str]]) -> None:
    print("script_aware on a harm line between two paragraphs attacked at each rate: lines altered")
    clean = sanitizers.get("script_aware")
    for key, lines in sets.items():
        altered = []
        for rate in RATES:
            around = attack(PARAGRAPH, rate, rng("company", rate))[0]
            done = [clean(f"{around}\n{line}\n{around}").text for line in lines]
            altered.append(sum(f"\n{line}\n" not in text for line, text in zip(lines, done, strict=True)))
        print(f"  {key} of {len(lines):<20}" + "".join(f"{n:9d}" for n in altered))


if __name__ == "__main__":
    main()
