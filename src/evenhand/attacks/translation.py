"""Translators: Apertium, which works by rules and offline, as a program; or an encoder-decoder model."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import lru_cache

from ..errors import DataError, MissingError, SpecError
from .rewriting import encodable

CODE = re.compile(r"[a-z]{2,3}(?:_[A-Za-z]+)?")


def check_language(name: str, language: str) -> None:
    if not isinstance(language, str) or not CODE.fullmatch(language):
        raise SpecError(f"{name}: a language is written as a code such as 'spa', got {language!r}")


@lru_cache(maxsize=1)
def _installed() -> frozenset[str]:
    program = shutil.which("apertium")
    if program is None:
        return frozenset()
    listed = subprocess.run([program, "-l"], capture_output=True, text=True, check=False, timeout=60)
    return frozenset(listed.stdout.split())


def round_trip(text: str, language: str) -> str:
    """English -> ``language`` -> English; the layout stays. Unknown words stay as they are.

    Raises MissingError where the program or the pair of languages is not installed.
    """
    for pair in (f"eng-{language}", f"{language}-eng"):
        if pair not in _installed():
            raise MissingError(
                f"the translator Apertium with the pair {pair} is not installed; on Debian or Ubuntu: "
                f"apt-get install apertium apertium-eng-{language}"
            )
    return _apertium(_apertium(encodable(text), f"eng-{language}"), f"{language}-eng")


def _apertium(text: str, pair: str) -> str:
    done = subprocess.run(["apertium", "-u", pair], input=text.encode(), capture_output=True, check=False, timeout=3600)
    if done.returncode:
        raise DataError(f"apertium {pair} failed: {done.stderr.decode(errors='replace').strip()[:300]}")
    return done.stdout.decode("utf-8", "replace")


def round_trip_by_model(texts: list[str], language: str, model: str, batch: int = 16) -> list[str]:
    """English -> ``language`` -> English, text by text, with the likeliest tokens. The model is told '<2xx> text'."""
    return _translated(_translated(texts, language, model, batch), "en", model, batch)


def _translated(texts: list[str], language: str, model: str, batch: int) -> list[str]:
    from ..models.generation import Sampling
    from ..models.loading import tokenizer
    from ..models.seq2seq import transduce
    from ..models.weights import resolve

    weights, likeliest = resolve(model), Sampling(temperature=0.0, max_new_tokens=512)
    decode = tokenizer(weights).decode
    made: list[str] = []
    for start in range(0, len(texts), batch):
        asked = [f"<2{language}> {text}" for text in texts[start : start + batch]]
        rows = transduce(asked, weights, seeds=[0] * len(asked), sampling=likeliest)
        made += [str(decode(ids, skip_special_tokens=True)).strip() for ids in rows]
    return made
