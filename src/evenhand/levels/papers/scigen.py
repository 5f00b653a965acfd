"""SCIgen itself, where it is installed: its grammar is run, its LaTeX read. Nothing of it comes with Evenhand."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from shutil import which
from typing import ClassVar

from ...documents import Document
from ...errors import MissingError, SpecError
from ...ingest.latex import text_of
from ...models.chat import Writer
from ...registry import Card
from ...sections import SECTIONS
from ...seeds import rng, seed_of
from .base import IDMGSP, Made, PaperMaker

NEEDED = ("scigen.pl", "scigen.pm", "scirules.in", "system_names.in")
_RUN = 'srand(shift @ARGV); do "./scigen.pl"; die $@ if $@'
"""scigen.pl takes no seed; make-latex.pl does, but draws figures with gnuplot and tries for ever where that is missing."""
_HEADING = re.compile(r"\\section\*?\{([^}]*)\}|\\(?:bibliography|end\{document\})")


@dataclass(frozen=True)
class SciGen(PaperMaker):
    """``path``: the folder with scigen.pl. ``seconds``: how long one run may take. A run that fails is the title's reason."""

    path: str = ""
    seconds: float = 20.0
    name: ClassVar[str] = "scigen"
    asks: ClassVar[bool] = False
    models_asked: ClassVar[bool] = False
    card: ClassVar[Card] = Card(
        summary="Papers of an installed SCIgen, one run a title.",
        source=f"{IDMGSP}, section 3.2.1; SCIgen (Stribling, Krohn and Aguayo, 2005)",
        licence="SCIgen: GPL 2, not part of Evenhand; driver: MIT",
        family="papers",
        needs="perl, and SCIgen's folder: scigen(path='FOLDER')",
        follows="the grammar and its system names as SCIgen combines them; sections are read from the LaTeX, where the paper "
        "reads them from a PDF, so no artefact of a parser is in them",
        pitfalls="Its text knows nothing of the title, which only seeds it. Citations and references to figures are taken out.",
    )

    def __post_init__(self) -> None:
        if not isinstance(self.seconds, int | float) or not 0 < self.seconds <= 3600:
            raise SpecError(f"scigen: seconds must lie between 0 and 3600, got {self.seconds!r}")

    @property
    def recorded(self) -> str:
        return replace(self, path=Path(self.path).name).spec

    def make(self, documents: list[Document], writer: Writer, seed: int) -> Iterator[tuple[Document, Made]]:
        check_installed(self.path)
        for document in documents:
            yield document, self.one(str(document.title), seed)

    def one(self, title: str, seed: int) -> Made:
        number = seed_of(title, "scigen", seed) % 2**31
        try:
            latex = self.paper(number)
        except subprocess.TimeoutExpired:
            return Made({}, "SCIgen", "grammar", error=f"no end within {self.seconds:g} seconds")
        except subprocess.CalledProcessError as error:
            return Made(
                {}, "SCIgen", "grammar", error=f"perl ended with {error.returncode}: {error.stderr.strip()[:200]}"
            )
        parts = sections_of(latex)
        lost = [name for name in SECTIONS if not parts.get(name)]
        why = f"its LaTeX has no {' and no '.join(lost)}" if lost else None
        return Made({} if lost else parts, "SCIgen", "grammar", error=why, told={"scigen_seed": number})

    def paper(self, number: int) -> str:
        system = self.system_name(number)
        given = [f"SYSNAME={system}", "SCI_TITLE=SYSNAME", "AUTHOR_NAME=Anonymous", "SCIAUTHORS=Anonymous"]
        return self.run(number, "scirules.in", "SCIPAPER_LATEX", *given)

    def system_name(self, number: int) -> str:
        """As make-latex.pl has it: one in ten in italics, short ones often in capitals."""
        name, chance = self.run(number, "system_names.in", "SYSTEM_NAME").strip(), rng("scigen name", number).random()
        if chance < 0.1:
            return rf"{{\em {name}}}"
        return name.upper() if len(name) <= 6 and chance < 0.4 else name

    def run(self, number: int, rules: str, start: str, *given: str) -> str:
        command = ["perl", "-I.", "-e", _RUN, str(number), "-f", rules, "-s", start, *given]
        fixed = os.environ | {
            "PERL_HASH_SEED": "0",
            "PERL_PERTURB_KEYS": "0",
        }  # else rules come in another order each time
        done = subprocess.run(
            command, cwd=self.path, env=fixed, timeout=self.seconds, check=True, capture_output=True, text=True, errors="replace"
        )  # fmt: skip
        return done.stdout


def check_installed(path: str) -> None:
    """Raises MissingError, which says what is missing and what to use instead."""
    instead = "; grammar_papers needs neither"
    if not which("perl"):
        raise MissingError(f"scigen needs perl, which is not on the path{instead}")
    if lost := [name for name in NEEDED if not (Path(path) / name).is_file()] if path else list(NEEDED):
        raise MissingError(
            f"scigen: no {lost[0]} in {path or 'a folder'!r}; name SCIgen's folder: scigen(path='FOLDER'){instead}"
        )


def sections_of(latex: str) -> dict[str, str]:
    """Section -> plain text of SCIgen's LaTeX."""
    found = list(_HEADING.finditer(latex))
    bounds = pairwise([*found, None])
    bodies = {
        (match[1] or "").strip().lower(): latex[match.end() : after.start() if after else len(latex)]
        for match, after in bounds
        if match
    }
    return {name: text for name in SECTIONS if (text := text_of(bodies.get(name, bodies.get(f"{name}s", ""))))}
