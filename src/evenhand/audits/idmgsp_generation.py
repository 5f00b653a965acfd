"""With which settings were the papers made? IDMGSP, table A1, beside what the run's papers tell of their making."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..registry import Card
from .base import Audit, counted, fixed
from .finding import Answer, Finding, Layout, Result
from .keyed import word
from .published import tables
from .rows import Rows, Settings

PRINTED, MADE = "idmgsp_decoding", "idmgsp_made"
NAMES = {
    "Tokenizer Max_Input_Size": "tokens of input",
    "Max_New_Tokens": "new tokens",
    "Temperature": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
    "No_Repeat_Ngram_Size": "no repeated n-gram of",
}
"""The numbers of table A1; the rest is 'True' everywhere (do_sample), or where beams are searched only (early_stopping)."""
AS_PRINTED = "as printed; '-' is the library's default"


@dataclass(frozen=True)
class IdmgspGeneration(Audit):
    name: ClassVar[str] = "idmgsp_generation"
    title: ClassVar[str] = "How the papers were made"
    question: ClassVar[str] = "With which settings did IDMGSP's Galactica write, and how were this run's papers made?"
    card: ClassVar[Card] = Card(
        "Decoding of each section as IDMGSP prints it; the run's papers counted by generator, decoding and maker",
        source="IDMGSP, table A1",
        follows="each section is written from the title and the sections before it; causal_papers(recipe='galactica') does so "
        "with these numbers",
    )

    def __call__(self, rows: Rows, settings: Settings) -> Result:
        made = tuple(ways(rows))
        layouts = (
            Layout(PRINTED, "IDMGSP's Galactica, table A1", f"Published, {AS_PRINTED}.", ("section",), ("metric",)),
            Layout(MADE, "This run's papers", "Unedited.", ("prompt", "decoding", "generator"), ("metric",)),
        )
        answers = () if made else (Answer("missing", "No paper of this run names a generator."),)
        return Result(self.spec, self.title, self.question, (*printed(), *made), layouts, answers=answers)


def ways(rows: Rows) -> Iterator[Finding]:
    """How many papers came of each generator, decoding and maker (the entry 'prompt' of their meta)."""
    places = [i for i in range(len(rows)) if rows.clean[i] and rows["generator"][i]]
    told = Counter((rows["generator"][i], rows["decoding"][i], word(rows.meta[i], "prompt")) for i in places)
    for (generator, decoding, prompt), n in sorted(told.items()):
        where = {"generator": generator, "decoding": decoding or "-", "prompt": prompt or "-"}
        yield counted(MADE, where, "papers", n)


def printed() -> Iterator[Finding]:
    for section, values in tables()["idm.TA1"]["values"].items():
        for name, shown in NAMES.items():
            if (value := values[name]) != "-":
                where = {"section": section.rpartition(" ")[2].lower()}
                yield fixed(PRINTED, where, shown, float(value.split()[0]), 0, AS_PRINTED)
