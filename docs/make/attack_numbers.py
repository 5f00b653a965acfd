"""Measures what every attack does to each class and every sanitizer undoes: a file of numbers for docs/make/attacks.py.

    python docs/make/attack_numbers.py TEXTS.jsonl.gz NUMBERS.json [--words RAID_MISSPELLINGS.json] [--dev]

About three minutes of a core. NUMBERS.json holds numbers, one a text, and sentences of this file; no text of the corpus.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import runpy
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from evenhand import attacks, measures, sanitizers
from evenhand.errors import EvenhandError
from evenhand.seeds import rng

ROOT = Path(__file__).resolve().parents[2]
CLASSES = ("human", "machine")
SANITIZERS = ("zero_width", "whitespace", "nfkc", "curated47", "uts39", "script_aware")
LEFT_OUT = {
    "none": "the clean text",
    "polish": "a language model writes; what it changes is that model's",
    "paraphrase": "a language model writes; what it changes is that model's",
    "mt_draft": "its text is that of `back_translation`: there is no draft, so the text is translated there and back",
}
SLOW = ("grammar", "back_translation")
"""Attacks that run a program over the text: on the texts of the meaning sample only."""
EXAMPLE = (
    "**Low tide.** The first boats came home at 6, and nobody said a word about the color of the water. \"It isn't the "
    "storm,\" my neighbor told me, because she didn't trust the 12 officials who had called it a different kind of wave. "
    "An old engineer drew a hand-made map of the the channel, and we kept it.\n\n"
    "The committee will publish its decision next week. I went home and wrote everything down."
)
DONOR = "Snow fell on the market before noon. Two dogs slept under the fish stall."
SHORTER = {"truncate": "truncate(words=12)", "excerpt": "excerpt(words=12)"}
"""In place of 200 words, for the example."""
BAD = {
    "empty": "",
    "blanks only": " \n\t \n",
    "Russian": "Лодки вернулись домой рано утром, и никто не сказал ни слова о шторме.",
    "Chinese": "清晨，第一批船回来了，码头上没有人说起昨夜的风暴。",
    "a lone surrogate": "The boats \ud83d came home, and nobody said a word about the storm.",
}
RATES = (0.02, 0.1, 1.0)
"""Homoglyph rates of the sanitizers' table."""
PACKAGES = {"evenhand": "evenhand", "numpy": "numpy", "torch": "torch", "harper-py": "harper", "disarm": "disarm"}
"""Package -> the module that it brings."""
Row = dict[str, Any]


def numbers(texts: Sequence[Row], words: str | None, a_class: int, meant: int, encoder: bool = True) -> Row:
    """All numbers of the attacks: one value a text, so that ``write`` makes the intervals."""
    chosen = {label: drawn(texts, label, a_class) for label in CLASSES}
    with tempfile.TemporaryDirectory() as folder:
        specs, not_run = runnable(specs_of(donors(Path(folder) / "pairs.jsonl", pairs(chosen)), words))
        rows = [row_of(shown, label, spec, chosen[label], meant) for shown, spec in specs for label in CLASSES]
    add_meaning(rows, encoder)
    told = {"a_class": a_class, "meant": meant, "slow": SLOW, "versions": versions()}
    return {"attacks": rows, "not_run": not_run, **on_own_texts(), **told}


def on_own_texts() -> Row:
    """Examples and bad input, with a donor and a list of misspellings of our own."""
    with tempfile.TemporaryDirectory() as folder:
        misspelt = Path(folder) / "words.json"
        misspelt.write_text(json.dumps({"because": ["becuase"]}), encoding="utf-8")
        specs = dict(runnable(specs_of(donors(Path(folder) / "own.jsonl", [{"donor": DONOR}]), str(misspelt)))[0])
        examples = {shown: example(SHORTER.get(shown, spec)) for shown, spec in specs.items()}
        return {"examples": examples, "bad": {what: outcomes(text, specs) for what, text in bad_inputs().items()}}


def versions() -> dict[str, str]:
    """Of the packages that the numbers depend on, as far as they are installed."""
    return {name: version(name) for name in PACKAGES if find_spec(PACKAGES[name])}


def drawn(texts: Sequence[Row], label: str, count: int) -> list[str]:
    """``count`` texts of a class, one of each document, by seed 0."""
    one: dict[str, str] = {str(row.get("doc", row["id"])): row["text"] for row in texts if row["label"] == label}
    return [one[key] for key in rng("attacks page", label, 0).sample(sorted(one), min(count, len(one)))]


def pairs(chosen: Mapping[str, Sequence[str]]) -> list[Row]:
    """DetectRL mixes each text with one of the other class; any other text gets our donor."""
    human, machine = (chosen[label] for label in CLASSES)
    both = [(human, machine), (machine, human)]
    return [{"text": a, "donor": them[i % len(them)]} for us, them in both for i, a in enumerate(us)] + [
        {"donor": DONOR}
    ]


def donors(path: Path, rows: Iterable[Row]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def specs_of(donor_file: str, words: str | None) -> dict[str, str]:
    """What the page calls an attack -> its spec, for every name and profile."""
    paths = {"mixing": f"donors={donor_file!r}", "mixing(profile='detectrl')": f"donors={donor_file!r}"}
    paths |= {"misspelling(profile='raid')": f"words={words!r}"} if words else {}
    made = {}
    for name in attacks.names():
        for profile in getattr(attacks.factory(name), "rates", {"default": 0}):
            shown = name if profile == "default" else f"{name}(profile={profile!r})"
            given = filter(None, [f"profile={profile!r}" * (profile != "default"), paths.get(shown)])
            made[shown] = f"{name}({', '.join(given)})"
    return made


def runnable(specs: Mapping[str, str]) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """The attacks that run on this machine, and why the others do not."""
    run, left = [], {}
    for shown, spec in specs.items():
        try:
            if not (why := LEFT_OUT.get(shown)):
                attacks.get(spec)(DONOR)
        except (EvenhandError, ImportError) as error:
            why = str(error)
        if why:
            left[shown] = why
        else:
            run.append((shown, spec))
    return run, left


def now() -> float:
    """Processor time of this program and of those it started, in seconds."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def row_of(shown: str, label: str, spec: str, texts: Sequence[str], meant: int) -> Row:
    """One attack on one class; ``seconds`` and ``characters`` for all texts, the rest for those that it changed."""
    attack, seconds, kept = attacks.get(spec), [], []
    texts = texts[:meant] if shown in SLOW else texts
    for text in texts:
        before = now()
        done = attack(text)
        seconds.append(now() - before)
        if done.changed:
            kept.append((text, done))
    changes = [(done.text, text) for text, done in kept]
    restored = {name: [sanitizers.get(name)(new).text == old for new, old in changes] for name in SANITIZERS}
    return {
        "attack": shown,
        "class": label,
        "texts": len(texts),
        "seconds": seconds,
        "characters": [len(text) for text in texts],
        "dose": [done.dose for _, done in kept],
        "positions": [one.value for one in measures.get("words_changed")(changes)],
        "aligned": [one.value for one in measures.get("words_changed_aligned")(changes)],
        "restored": restored,
        "pairs": changes[:meant],
    }


def add_meaning(rows: Sequence[Row], encoder: bool) -> None:
    """In one call, so that each source is embedded once; the texts themselves leave the rows here."""
    measure, given = measures.get("semantic_similarity"), [row.pop("pairs") for row in rows]
    values = [one.value for one in measure([pair for some in given for pair in some])] if encoder else []
    for row, some in zip(rows, given, strict=True):
        row["meaning"], values = values[: len(some)], values[len(some) :]


def example(spec: str) -> tuple[str, str] | None:
    """The first edit of our own text and what stands around it, before and after; the first of 200 seeds that edits it."""
    attack = attacks.get(spec)
    done = next((one.text for one in (attack(EXAMPLE, seed) for seed in range(200)) if one.changed), None)
    if done is None:
        return None
    at = next((i for i, (a, b) in enumerate(zip(EXAMPLE, done, strict=False)) if a != b), min(len(EXAMPLE), len(done)))
    start = max(0, at - 12)
    return EXAMPLE[start : at + 24], done[start : at + 24]


def bad_inputs() -> dict[str, str]:
    attacked = attacks.get("zero_width(profile='raid')")(attacks.get("homoglyph(profile='raid')")(EXAMPLE).text).text
    return {**BAD, "every letter a look-alike, a zero-width space between all": attacked}


def outcomes(text: str, specs: Mapping[str, str]) -> dict[str, list[str]]:
    """What each attack makes of a bad input: 'changed', 'no-op' (with a reason), 'silent no-op', or the error's name."""
    made: dict[str, list[str]] = {}
    for shown, spec in specs.items():
        try:
            done = attacks.get(spec)(text)
            what = "changed" if done.changed else "no-op" if done.note else "silent no-op"
        except Exception as error:  # every error is a result here
            what = type(error).__name__
        made.setdefault(what, []).append(shown)
    return made


def benchmark() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "benchmarks" / "sanitizers_quality.py"))


def sanitizer_numbers(texts: Mapping[str, str]) -> Row:
    """Of the methods in benchmarks/sanitizers_quality.py: per text and rate the characters put in and restored, and harm."""
    bench = benchmark()
    cases = {
        rate: [(text, *bench["attack"](text, rate, rng(text, "benchmark", rate))) for text in texts] for rate in RATES
    }
    lines = {name: bench["harm_lines"](name) for name in ("harm.jsonl", "harm_second.txt")}
    made: Row = {"labels": dict(Counter(texts.values())), "methods": {}}
    for name, clean, undo in bench["methods"]():
        undone = {
            rate: [(len(hit), *undo(text, new, hit)) for text, new, hit in some if hit] for rate, some in cases.items()
        }
        harmed = {label: [clean(text) != text for text, own in texts.items() if own == label] for label in CLASSES}
        harmed |= {key: [clean(line) != line for line in some] for key, some in lines.items()}
        made["methods"][name] = {
            "undone": {str(rate): some for rate, some in undone.items()},
            "harmed": {key: [sum(some), len(some)] for key, some in harmed.items()},
        }
    return made


def measured(texts: Path, words: Path | None, dev: bool) -> Row:
    with gzip.open(texts, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    found = numbers(records, str(words) if words else None, a_class=60, meant=20)
    if dev:
        clean = benchmark()["clean_texts"]()
        found["sanitizers"] = sanitizer_numbers(dict(list(clean.items())[::20]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("numbers", type=Path)
    parser.add_argument("--words", type=Path, help="RAID's list of misspellings")
    parser.add_argument("--dev", action="store_true", help="the sanitizers too, on ../shared/data/dev")
    given = parser.parse_args()
    given.numbers.write_text(json.dumps(measured(given.texts, given.words, given.dev)), encoding="utf-8")


if __name__ == "__main__":
    main()
