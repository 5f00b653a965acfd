"""Characters a second of every attack, how time grows up to 1 MB, and the plain quadratic way beside it.

    python benchmarks/attacks_throughput.py [NAME ...]

Processor time, the best of three runs, on texts made of this file's own sentences. ``growth``: time for 1 MB over time for
250 kB (4 is linear). The aim is 5 million characters a second for every attack that works by characters and tables; the
others are named with what they need.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from evenhand import attacks
from evenhand.errors import MissingError

SENTENCES = (
    "The harbor was quiet when the first boats came home, and nobody on the quay said a word about the storm.",
    'My neighbor Ruth Calder told me that "the color of the water" had changed in 1998, but I never believed her.',
    "Researchers measured the flow in 12 channels and found an increase of 3.5 percent over the baseline.",
    "It's not that we didn't try; we simply had no idea how the machine worked, or why it stopped.",
    "For a full list of the results, see https://example.org/results?id=42 or write to the office.",
    "An old engineer explained the problem, then drew a small picture of the different parts on the table.",
    "The committee will publish its decision before the end of the year, and the center will open in March.",
    "She bought a gray coat, a favorite book of her father's, and two tickets to the theater.",
    "Because the family was large, the kitchen was always full of people, noise and the smell of bread.",
    "Which of these methods is better depends on the question that is asked and on the data at hand.",
)
AIM = 5e6
NEEDS = {
    "insert_paragraphs": "sentence splitter",
    "insert_paragraphs(profile='raid')": "sentence splitter",
    "mixing": "sentence splitter",
    "mixing(profile='detectrl')": "sentence splitter",
    "character(profile='detectrl')": "sentence splitter and TextAttack's tokenizer",
    "upper_lower(profile='raid')": "NLTK's tokenizer",
    "misspelling(profile='raid')": "NLTK's tokenizer",
    "synonym": "thesaurus, word by word",
    "word": "thesaurus, word by word",
    "sentence": "thesaurus, word by word",
    "grammar": "grammar checker",
    "mt_draft": "translator",
    "back_translation": "translator",
}
SKIPPED = {"paraphrase": "a model decides its time", "polish": "a model decides its time"}
SLOW = {"grammar", "mt_draft", "back_translation"}


def sample(size: int, number: int = 0) -> str:
    """A text of its own for each number, so that nothing that was kept of another one helps."""
    random, made, length = Random(number), [], 0
    while length < size:
        sentence = random.choice(SENTENCES) + random.choice((" ", " ", " ", "\n\n"))
        made.append(sentence)
        length += len(sentence)
    return "".join(made)[:size]


def now() -> float:
    """Processor time of this program and of those it started, in seconds."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def seconds(run: Callable[[str], object], texts: list[str]) -> float:
    """For one text: the fastest."""
    times = []
    for text in texts:
        before = now()
        run(text)
        times.append(now() - before)
    return min(times)


def specs(folder: Path) -> list[tuple[str, str]]:
    """(what is printed, the spec) of every attack and profile that runs here."""
    words, donors = folder / "words.json", folder / "donors.jsonl"
    words.write_text(
        json.dumps({"because": ["becuase"], "different": ["diffrent"], "which": ["wich"]}), encoding="utf-8"
    )
    donors.write_text(json.dumps({"donor": sample(5000)}), encoding="utf-8")
    paths = {"misspelling(profile='raid')": f"words={str(words)!r}"}
    paths |= dict.fromkeys(("mixing", "mixing(profile='detectrl')"), f"donors={str(donors)!r}")
    made = []
    for name in attacks.names():
        for profile in getattr(attacks.factory(name), "rates", {"default": 1.0}):
            shown = name if profile == "default" else f"{name}(profile={profile!r})"
            given = ", ".join(filter(None, [f"profile={profile!r}" * (profile != "default"), paths.get(shown)]))
            made.append((shown, f"{name}({given})" if given else name))
    return made


def measure(spec: str, slow: bool) -> tuple[float, float, float, int]:
    """(characters a second at 10 kB, at 1 MB, growth from 250 kB to 1 MB, edits at 1 MB); slow ones at a tenth of each."""
    attack, scale, runs = attacks.get(spec), 10 if slow else 1, 1 if slow else 3
    attack(sample(1000))
    short, middle, long = (
        [sample(size // scale, number) for number in range(count)]
        for size, count in ((10_000, 10 * runs), (250_000, runs), (1_000_000, runs))
    )
    small, at_250, at_1000 = (seconds(attack, texts) for texts in (short, middle, long))
    return len(short[0]) / small, len(long[0]) / at_1000, at_1000 / at_250, attack(long[0]).edits


def quadratic(text: str, positions: list[int], put: str) -> str:
    """The plain way: the text is joined anew for every edit."""
    for done, position in enumerate(positions):
        text = text[: position + done] + put + text[position + done :]
    return text


def beside_the_plain_way() -> None:
    for name, size in (("zero_width", 40_000), ("whitespace", 400_000)):
        text, attack = sample(size), attacks.get(f"{name}(profile='raid')")
        after = (
            [at for at, letter in enumerate(text) if letter == " "][::5] if name == "whitespace" else list(range(size))
        )
        put = " " if name == "whitespace" else "\u200b"
        plain = seconds(lambda given, at=after, new=put: quadratic(given, at, new), [text] * 2)
        ours = seconds(attack, [text] * 3)
        print(
            f"{attack.name}(profile='raid'), {size:,} characters: {plain / ours:.0f} times as fast as one join an edit"
        )


def main(chosen: list[str]) -> None:
    print(f"{'attack':44} {'10 kB':>9} {'1 MB':>9} {'growth':>7} {'edits':>8}  (thousand characters a second)")
    with tempfile.TemporaryDirectory() as folder:
        for shown, spec in specs(Path(folder)):
            name = shown.partition("(")[0]
            if chosen and name not in chosen:
                continue
            if name in SKIPPED:
                print(f"{shown:44} not measured: {SKIPPED[name]}")
                continue
            try:
                short, long, growth, edits = measure(spec, name in SLOW)
            except (MissingError, ImportError) as error:
                print(f"{shown:44} not here: {error}")
                continue
            note = NEEDS.get(shown, "" if min(short, long) >= AIM else "below the aim")
            print(f"{shown:44} {short / 1e3:9,.0f} {long / 1e3:9,.0f} {growth:7.1f} {edits:8,}  {note}", flush=True)
    if not chosen:
        beside_the_plain_way()


if __name__ == "__main__":
    main(sys.argv[1:])
