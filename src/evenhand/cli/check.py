"""evenhand check: the contracts, for a plug-in."""

from __future__ import annotations

from typing import Annotated

import typer


def check(
    component: Annotated[str, typer.Argument(help="MODULE:NAME of a plug-in, or a spec such as 'log_rank'.")],
    family: Annotated[str, typer.Option(help="detectors, attacks or sanitizers.")] = "detectors",
) -> None:
    """Run the contracts on a component: one score a text, no leaking batches, honest spans, ..."""
    from importlib import import_module

    from .. import testing
    from ..errors import ContractError, SpecError

    checks = {
        "detectors": testing.detector_checks,
        "attacks": testing.attack_checks,
        "sanitizers": testing.sanitizer_checks,
    }
    if family not in checks:
        raise SpecError(f"no contracts for {family!r}; there are some for {', '.join(checks)}")
    module, _, name = component.partition(":")
    try:
        made = getattr(import_module(module), name) if name.isidentifier() else None
    except (ImportError, AttributeError) as error:
        raise SpecError(
            f"{component} cannot be imported: {error}; install its package, or put its folder on PYTHONPATH"
        ) from None
    made = import_module(f"evenhand.{family}").get(component) if made is None else made
    made = made() if isinstance(made, type) else made
    broken = 0
    for what, found in testing.run_checks(made, checks[family]()):
        typer.echo(
            f"{'ok  ' if found is None else 'FAIL'} {what.replace('_', ' ')}{'' if found is None else ': ' + found}"
        )
        broken += found is not None
    if broken:
        raise ContractError(f"{component} breaks {broken} contract{'s' * (broken > 1)}")
