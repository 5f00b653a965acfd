"""How DIPPER is asked: control codes, the paraphrase so far as context, and a window of sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .chat_rewriting import units

LONGEST_SENTENCE = 250  # words; what is longer comes in parts, since DIPPER reads 512 tokens


def windows(text: str, size: int) -> list[str]:
    """Sentences, ``size`` at a time, joined by a space; all blanks become one space."""
    plain = " ".join(text.split())
    found = [unit for unit, _ in units(plain, LONGEST_SENTENCE)] if plain else []
    return [" ".join(found[at : at + size]) for at in range(0, len(found), size)]


def request(opening: str, context: str, window: str, fits: Callable[[str], bool]) -> str:
    """One request. A context that makes it too long loses words at its left."""
    words = context.split(" ")
    while True:
        asked = f"{opening}{' '.join(words)}{window}"
        if not any(words) or fits(asked):
            return asked
        words = words[max(1, len(words) // 16) :]


def head(lexical: int, order: int) -> str:
    """The control codes of two diversities, 0 to 100; DIPPER's codes count the other way."""
    return f"lexical = {100 - lexical}, order = {100 - order}"


def paraphrased(
    parts: Sequence[str], opening: str, context: str, fits: Callable[[str], bool], answer: Callable[[str], str]
) -> list[str]:
    """The paraphrase of each window in turn; every one sees those before it (DIPPER's own code)."""
    made: list[str] = []
    for part in parts:
        made.append(answer(request(f"{opening} ", context and f"{context} ", f"<sent> {part} </sent>", fits)).strip())
        context = f"{context} {made[-1]}".strip()
    return made


def paraphrased_by_raid(
    parts: Sequence[str], opening: str, fits: Callable[[str], bool], answer: Callable[[str], str]
) -> list[str]:
    """The same as RAID asks: there are always two spaces before the window."""
    made: list[str] = []
    for part in parts:
        context = "".join(f"{one} " for one in made)
        made.append(answer(request(f"{opening} ", context, f" <sent> {part} </sent>", fits)))
    return made
