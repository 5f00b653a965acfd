"""Every registered attack and sanitizer that needs no file, program or model keeps the public contracts."""

from __future__ import annotations

import pytest

from evenhand import attacks, sanitizers
from evenhand.documents import Edited
from evenhand.errors import ContractError, MissingError, SpecError
from evenhand.testing import attack_checks, run_checks, sanitizer_checks

PUBLISHED_FAULTS = {"paper_figure5": {"cleaning_twice_is_cleaning_once"}}
"""The paper's order ends with NFKC, which makes new spaces that its own earlier step would have collapsed."""


def components(family):
    for name in family.names():
        try:
            component = family.get(name)
            getattr(component, "costly", False) or component("A text to try.", seed=0)
        except (MissingError, SpecError):
            continue  # it needs a path or a program: its own tests give it one
        if not getattr(component, "costly", False):
            yield component


@pytest.mark.parametrize("attack", list(components(attacks)), ids=lambda c: c.name)
def test_attacks_keep_their_contract(attack):
    assert [found for found in run_checks(attack, attack_checks()) if found[1]] == []


@pytest.mark.parametrize("sanitizer", list(components(sanitizers)), ids=lambda c: c.spec)
def test_sanitizers_keep_their_contract(sanitizer):
    broken = {name for name, found in run_checks(sanitizer, sanitizer_checks()) if found}
    assert broken == PUBLISHED_FAULTS.get(sanitizer.name, set())


class Liar:
    """Says that it changed nothing, and changes a word."""

    spec = "liar"

    def __call__(self, text, seed=0):
        return Edited(text.replace("river", "canal"))


def test_the_contract_finds_an_edit_that_is_not_told():
    broken = {name for name, found in run_checks(Liar(), attack_checks()) if found}
    assert {"spans_tell_where", "no_edit_leaves_the_text"} <= broken
    with pytest.raises(ContractError):
        attack_checks()[1](Liar())
