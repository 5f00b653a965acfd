"""Scientific papers as IDMGSP sorts them: the source of a paper, its test set, what of it a machine wrote."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import DataError
from ..evaluations.table_two import generator_of
from .keyed import Words, told, value, word
from .rows import Mask, Rows

HUMAN, CO_CREATED = "arXiv", "co-created"
SETS = ("TEST", "OOD-GPT3", "OOD-REAL", "TECG", "TEST-CC")
IN_DOMAIN = ("ChatGPT", "GPT-2", "SCIgen", "Galactica")
DERIVED = "derived"


def sources(rows: Rows) -> Words:
    """'arXiv parsing 1' (of humans; the parsing where meta tells it), a generator, or 'co-created by' one; '' where label is
    unknown or a machine text names no generator."""
    return np.array([source(rows, i) for i in range(len(rows))], object)


def source(rows: Rows, i: int) -> str:
    label, generator = rows["label"][i], generator_of(rows["generator"][i])
    if label == "human":
        parsing = word(rows.meta[i], "parsing")
        return f"{HUMAN} parsing {parsing}" if parsing else HUMAN
    if label == "mixed":
        return f"{CO_CREATED} by {generator}" if generator else CO_CREATED
    return generator if label == "machine" else ""


def fake(rows: Rows) -> Mask:
    """What the paper labels 1: machine papers and, whatever the machine's share, co-created ones."""
    return np.isin(rows["label"], ("machine", "mixed"))


def sets_of(rows: Rows, key: str) -> dict[str, Mask]:
    """The unedited rows of each test set. ``key``: a column or meta entry that names it (a list for papers in several);
    'derived': by table 2, from label, generator and parsing. Raises DataError where no row is in any."""
    found = derived(rows) if key == DERIVED else by_key(rows, key)
    kept = {name: mask & rows.clean for name, mask in found.items() if (mask & rows.clean).any()}
    if not kept:
        raise DataError(
            f"no unedited text of this run is in a test set by {key!r}; name a column or meta entry that tells it"
        )
    return kept


def derived(rows: Rows) -> dict[str, Mask]:
    """Table 2: TEST has both classes; the others one. TECG's papers are TEST's. Generators that the paper has not are sets of
    their own, with one class."""
    names = sources(rows)
    human = np.asarray(rows.human)
    second = human & (names == f"{HUMAN} parsing 2")
    of = {
        name: rows.where(label="machine") & (names == name)
        for name in sorted({*names[rows["label"] == "machine"]} - {""})
    }
    found = {
        "TEST": (human & ~second) | np.any([of.get(name, np.zeros(len(rows), bool)) for name in IN_DOMAIN], axis=0),
        "OOD-GPT3": of.pop("GPT-3", np.zeros(len(rows), bool)),
        "OOD-REAL": second,
        "TECG": of.get("ChatGPT", np.zeros(len(rows), bool)),
        "TEST-CC": rows.where(label="mixed"),
    }
    return found | {name: mask for name, mask in of.items() if name not in IN_DOMAIN}


def by_key(rows: Rows, key: str) -> dict[str, Mask]:
    if key in rows.columns:
        return {name: rows.where(**{key: name}) for name in rows.values(key) if name}
    told(rows, key)  # refuses a key that no row has
    members: dict[str, Mask] = {}
    for i, meta in enumerate(rows.meta):
        for name in listed(value(meta, key), ","):
            members.setdefault(name, np.zeros(len(rows), np.bool_))[i] = True
    order = {name: i for i, name in enumerate(SETS)}
    return dict(sorted(members.items(), key=lambda pair: (order.get(pair[0], len(order)), pair[0])))


def listed(named: object, between: str) -> list[str]:
    """The names in a meta entry: a list, or a text with the sign ``between`` them."""
    if isinstance(named, list | tuple):
        return [str(one) for one in named]
    return [one.strip() for one in str(named or "").split(between) if one.strip()]


def paraphrased(meta: Mapping[str, str]) -> tuple[str, ...]:
    """The sections that a machine paraphrased, in the order told."""
    return tuple(listed(value(meta, "paraphrased_sections"), "+"))
