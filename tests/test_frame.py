"""The nouns, the registry, the seeds: what everything else stands on."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand
from evenhand.documents import Document, Level, Policy, digest
from evenhand.errors import EvenhandError, SpecError
from evenhand.registry import Card, Component, Registry, format_spec, parse_chain, parse_spec
from evenhand.seeds import numpy_rng, rng, seed_of


def test_the_levels_are_ordered_as_in_gede():
    names = "human improve-human rewrite-human summary task-summary task rewrite-llm humanize".split()
    assert [str(level) for level in sorted(Level)] == names


def test_an_unknown_level_lists_the_known():
    with pytest.raises(SpecError, match="improve-human"):
        Level.read("improved")


@pytest.mark.parametrize(
    ("label", "level", "verdict"),
    [
        ("human", "improve-human", False),
        ("human", "summary", True),
        ("human", None, False),
        ("machine", None, True),
        ("mixed", None, None),
        ("unknown", None, None),
        ("machine", "rewrite-human", False),
    ],
)
def test_a_policy_judges_by_level_and_by_label_where_there_is_none(label, level, verdict):
    assert Policy(Level.REWRITE_HUMAN).positive(label, level) is verdict


@pytest.mark.parametrize("fpr", [0, 1, -0.1, 5])
def test_a_policy_needs_a_rate(fpr):
    with pytest.raises(SpecError, match="fpr"):
        Policy(fpr=fpr)


def test_digests_tell_texts_apart_and_survive_lone_surrogates():
    assert digest("a") != digest("a ")
    assert digest("\ud800") != digest("\udfff")
    assert Document("1", "a", "human").digest == digest("a")


def test_seeds_depend_on_what_is_made_and_on_nothing_else():
    assert seed_of("a", "bc") != seed_of("ab", "c")
    assert rng("x", 1).random() == rng("x", 1).random() != rng("x", 2).random()
    assert numpy_rng("x").integers(1 << 60) == numpy_rng("x").integers(1 << 60)


@dataclass(frozen=True)
class Made(Component):
    name: ClassVar[str] = "made"
    card: ClassVar[Card] = Card("a component of the tests")
    rate: float = 0.1
    words: str | None = None


@pytest.fixture
def registry():
    return Registry("attacks", {"made": f"{__name__}:Made", "other": f"{__name__}:Made"})


values = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.none(), st.text())


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True).filter(str.isidentifier), values, max_size=4))
def test_specs_print_back_what_they_parse(parameters):
    import keyword

    parameters = {key: value for key, value in parameters.items() if not keyword.iskeyword(key)}
    assert parse_spec(format_spec("name", parameters)) == ("name", parameters)


@pytest.mark.parametrize(
    "spec", ["", "a(", "a(1)", "a(x=b)", "a.b", "__import__('os')", "a(**{})", "a(x=open('f'))", "1"]
)
def test_what_is_no_spec_is_refused(spec):
    with pytest.raises(SpecError, match="cannot read"):
        parse_spec(spec)


def test_chains_keep_their_order():
    assert parse_chain("a + b(x='c + d') + e") == ["a", "b(x='c + d')", "e"]


def test_the_registry_makes_components_that_print_back(monkeypatch):
    monkeypatch.setitem(sys.modules, "made_for_test", sys.modules[__name__])
    registry = Registry("attacks", {"made": "made_for_test:Made"})
    assert registry.canonical("made") == "made(rate=0.1, words=None)"
    assert registry.canonical(registry.canonical("made(rate=0.5)")) == "made(rate=0.5, words=None)"
    with pytest.raises(SpecError, match="did you mean 'made'"):
        registry.get("mode")
    with pytest.raises(SpecError, match="did you mean 'rate'"):
        registry.get("made(rat=1)")


def test_a_name_is_never_replaced(registry):
    with pytest.raises(SpecError, match="already"):
        registry.register("made", "elsewhere:Thing")


def test_errors_have_distinct_exit_codes():
    codes = {kind.__name__: kind.exit_code for kind in EvenhandError.__subclasses__()}
    assert len(set(codes.values())) == len(codes)
    assert 0 not in codes.values()


def test_the_public_door():
    assert set(dir(evenhand)) == set(evenhand.__all__)
    for name in ("Plan", "score", "audit", "report", "score_texts"):
        assert callable(getattr(evenhand, name))


def test_importing_evenhand_loads_nothing_heavy():
    code = "import evenhand, sys; print([m for m in ('numpy', 'pyarrow', 'torch', 'typer') if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_the_command_line_helps_without_anything_heavy():
    code = (
        "import sys; sys.argv = ['evenhand', '--help']\n"
        "from evenhand.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([m for m in ('numpy', 'pyarrow', 'torch', 'scipy', 'sklearn') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip().endswith("[]")
    assert "demo" in told.stdout
