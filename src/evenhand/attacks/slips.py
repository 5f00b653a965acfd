"""How a word goes wrong: rules of English spelling that are often broken, and slips of the fingers."""

from __future__ import annotations

import re

import numpy as np

# Pairs that sound alike; the first that fits is not preferred: all that fit are offered. The first letter stays.
_SOUND = [
    (re.compile(pattern), new)
    for pattern, new in (
        (r"(?<=\w)ie(?=[a-z])", "ei"), (r"(?<=\w)ei", "ie"), (r"(?<=\w)([cdfglmnprst])\1(?=[a-z])", r"\1"),
        (r"(?<=[aeiou])([lmnprt])(?=(?:ed|ing|er)\b)", r"\1\1"), (r"ance\b", "ence"), (r"ence\b", "ance"),
        (r"ant\b", "ent"), (r"(?<=[a-z]{3})ent\b", "ant"), (r"able\b", "ible"), (r"ible\b", "able"), (r"ary\b", "ery"),
        (r"ory\b", "ery"), (r"ful\b", "full"), (r"ely\b", "ly"), (r"ally\b", "aly"), (r"(?<=[a-z])e(?=ment\b)", ""),
        (r"(?<=[a-z])sion\b", "tion"), (r"tious\b", "cious"), (r"(?<=\w)ea(?=[dklmnprt])", "ee"), (r"ough", "uogh"),
        (r"(?<=\w)ou(?=[nsr])", "o"), (r"(?<=\w)ph", "f"), (r"\bdis(?=[aeious])", "diss"),
        (r"(?<=\w)ur(?=[a-z])", "er"), (r"(?<=\w)se\b", "ce"), (r"(?<=\w)ce\b", "se"), (r"iou(?=s\b)", "io"),
        (r"(?<=[b-df-hj-np-tv-z])e(?=[rnl][aeiou])", ""),
    )
]  # fmt: skip

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
NEIGHBOURS = {
    key: "".join(
        other
        for r in (row - 1, row, row + 1)
        if 0 <= r < 3
        for c in (column - 1, column, column + 1)
        if 0 <= c < len(_ROWS[r]) and (other := _ROWS[r][c]) != key
    )
    for row, keys in enumerate(_ROWS)
    for column, key in enumerate(keys)
}
"""Keys that touch each other on a keyboard of the US layout."""


def by_sound(word: str) -> tuple[str, ...]:
    """The misspellings that the rules allow; none of them the word itself."""
    made = dict.fromkeys(pattern.sub(new, word, count=1) for pattern, new in _SOUND)
    return tuple(one for one in made if one != word)


def by_keyboard(word: str, generator: np.random.Generator) -> str:
    """Two letters swapped, one left out, doubled, or hit on a neighbouring key; the first letter stays."""
    at = int(generator.integers(1, len(word)))
    swapped = [i for i in range(1, len(word) - 1) if word[i] != word[i + 1]]
    kind = int(generator.integers(4))
    if kind == 0 and swapped:
        i = swapped[int(generator.integers(len(swapped)))]
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    near = NEIGHBOURS.get(word[at], "")
    if kind == 1 and near:
        return word[:at] + near[int(generator.integers(len(near)))] + word[at + 1 :]
    if kind == 2:
        return word[:at] + word[at] + word[at:]
    return word[:at] + word[at + 1 :]
