"""Answers as models give them: what is read, and what is left in doubt."""

from __future__ import annotations

import math
import time

import pytest

from evenhand.detectors.prompted.features import Feature, read_features, read_scores
from evenhand.detectors.prompted.reading import Answer, answer

IO = '```json\n{\n\t"author": "machine",\n\t"explanation": "It repeats itself."\n}\n```'


@pytest.mark.parametrize(
    ("text", "author", "explanation"),
    [
        (IO, "machine", "It repeats itself."),
        (
            'Sure! Here it is: {"author": "Human", "explanation": "Plain \\"voice\\"."} I hope this helps.',
            "human",
            'Plain "voice".',
        ),
        ("{'author': 'human', 'explanation': \"it's plain\"}", "human", "it's plain"),
        ('{"author": "machine", "explanation": "cut off in the midd', "machine", "cut off in the midd"),
        ('{"author": "machine",\n "explanation": "two\nlines",\n}', "machine", "two\nlines"),
        ('{"author": "human"  // most likely author\n"explanation": "no comma"}', "human", "no comma"),
        ("“author”: “unknown”".replace("“", '"').replace("”", '"'), "unknown", ""),
        ("**Author:** machine\n**Explanation:** formulaic", "machine", "formulaic"),
        ("The text was written by a human.", "human", ""),
        ('The answer is "machine".', "machine", ""),
        ("Human", "human", ""),
        ("The most likely author is: a machine.", "machine", ""),
        ("Look at the human author and the machine author.", None, ""),
        ('{"author": "a machine language model"}', "machine", ""),
        ('{"author": ["human"], "note": 1} {"author": "human"}', None, ""),
        ('{"author": "human"} ... no, {"author": "machine"}', None, ""),
        ("\"author\": string  // most likely author (either 'human' or 'machine')", None, ""),
        ('{"author": "human or machine"}', None, ""),
        ("It was not written by a human.", None, ""),
        ("I cannot say whether it was written by a machine.", None, ""),
        ("It was written by a human or by a machine.", None, ""),
        ("It was written by a human. It was written by a machine.", None, ""),
        ("", None, ""),
        ("{" * 5000, None, ""),
        ('{"author": ' * 300, None, ""),
        ('{"author": "human"' + "\n" * 30_000 + '"x', "human", ""),
        ('"author" ' + "," * 15_000 + " // " * 5_000, None, ""),
    ],
)
def test_the_author_of_an_answer(text, author, explanation):
    started = time.process_time()
    found = answer(text)
    assert (found.author, found.explanation) == (author, explanation) if author else found is None
    assert time.process_time() - started < 2


def test_thoughts_and_indications():
    text = '{"human_indications": ["a typo", "a date"], "machine_indications": "smooth", "author": "human"}'
    assert answer(text) == Answer("human", "", "", ("a typo", "a date"), ("smooth",))
    assert answer('{"thoughts": "hm", "author": "unknown"}').thoughts == "hm"


SHORT = Feature("sentence length", "short", "long")
A, B = Feature("sentence length", "short", "long", "h"), Feature("vividness", "dull", "vivid")


@pytest.mark.parametrize(
    ("text", "features", "dropped"),
    [
        (f'{{"features": [{{"name": "{A.name}", "zero": "short", "ten": "long", "hypothesis": "h"}}]}}', [A], 0),
        ('[{"name": "vividness", "zero": "dull", "ten": "vivid"}, {"name": "x", "zero": "a"}]', [B], 1),
        ('{"name": "vividness", "zero": "dull", "ten": "vivid"}\n{"name": "y", "zero": "same", "ten": "Same"}', [B], 1),
        (
            "1. **vividness** | 0 = dull | 10 = vivid\nprose between\n* sentence length: 0 = short; 10 = long",
            [B, SHORT],
            0,
        ),
        ("- vividness (0 = dull, 10 = vivid)", [B], 0),
        ('{"features": "none"}', None, 0),
        ("Vehicle safety is important.", None, 0),
    ],
)
def test_features_of_an_answer(text, features, dropped):
    found = read_features(text)
    assert (list(found.features), found.dropped) == (features, dropped) if features else found is None


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ('{"sentence_length": 7, "vividness": "3"}', [7, 3]),
        ('{"Sentence length": 7.0, "vividness": 11}', [7, math.nan]),
        ("1: 7\n2: 0", [7, 0]),
        ("1) 7/10\n2) 4.5", [7, math.nan]),
        ("sentence length: 6, vividness = 2", [6, 2]),
        ("1: 7\n1: 8\n2: 5", [math.nan, 5]),
        ('{"1": true, "2": 9}', [math.nan, 9]),
        ("1. 2. 3.", None),
        ("seven", None),
    ],
)
def test_scores_of_an_answer(text, scores):
    found = read_scores(text, [A, B])
    assert found == pytest.approx(scores, nan_ok=True) if scores else found is None
