"""evenhand list, evenhand show: the components and their cards."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any

import typer

from .options import Json, print_json

FAMILIES = ("corpora", "levels", "attacks", "sanitizers", "detectors", "measures", "evaluations", "audits", "engines")


def list_components(
    family: Annotated[str | None, typer.Argument(help=f"One of: {', '.join(FAMILIES)}.")] = None,
    json: Json = False,
) -> None:
    """All components, or those of one family, with a line each."""
    from ..errors import SpecError

    if family and family not in FAMILIES:
        raise SpecError(f"no family {family!r}; the families are: {', '.join(FAMILIES)}")
    rows = [row for name in ([family] if family else FAMILIES) for row in family_rows(name)]
    if json:
        print_json(rows)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("family", "name", "what it is")
    for row in rows:
        table.add_row(row["family"], row["name"], row["summary"])
    Console().print(table)


def show(
    name: Annotated[str, typer.Argument(help="A component's name.")],
    json: Json = False,
) -> None:
    """A component's card: parameters, source, licence, what it needs, its pitfalls, an example before and after."""
    import difflib

    from ..errors import SpecError

    found = [card_of(family, name) for family in FAMILIES if name in family_of(family).names()]
    if not found:
        every = [known for family in FAMILIES for known in family_of(family).names()]
        near = difflib.get_close_matches(name, every, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise SpecError(f"no component {name!r}{hint} (`evenhand list` shows them all)")
    if json:
        print_json(found)
        return
    for told in found:
        for key, value in told.items():
            if value:
                typer.echo(f"{key:>12}  {value if not isinstance(value, dict) else format_parameters(value)}")
        typer.echo()


def family_of(family: str) -> Any:
    from importlib import import_module

    return import_module(f"evenhand.{family}")


def family_rows(family: str) -> list[dict[str, Any]]:
    module = family_of(family)
    return [{"family": family, "name": name, "summary": summary(module, name)} for name in module.names()]


def summary(module: Any, name: str) -> str:
    from ..errors import MissingError

    try:
        return str(module.factory(name).card.summary)
    except MissingError as error:
        return f"({error})"


def card_of(family: str, name: str) -> dict[str, Any]:
    factory = family_of(family).factory(name)
    card = {field.name: getattr(factory.card, field.name) for field in fields(factory.card)}
    told = {"family": family, "name": name, "parameters": parameters(factory), **card, **example(family, factory)}
    return told | {"family": f"{family} / {card['family']}" if card.get("family") else family}


def parameters(factory: Any) -> dict[str, str]:
    if not is_dataclass(factory):
        return {}
    return {
        f.name: "required" if f.default is MISSING and f.default_factory is MISSING else repr(f.default)
        for f in fields(factory)
        if f.init and f.repr
    }


def format_parameters(values: dict[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in values.items())


EXAMPLE = 'The colour of the "harbor" on 12 May 2016 was grey; a boat left it.\u200b'


def example(family: str, factory: Any) -> dict[str, str]:
    """Before and after, for the cheap edits."""
    if family not in ("attacks", "sanitizers") or getattr(factory, "costly", False):
        return {}
    try:
        return {"before": repr(EXAMPLE), "after": repr(factory()(EXAMPLE, seed=1).text)}
    except Exception as error:  # an example needs what the component needs: a file, a program
        return {"example": f"not shown: {error}"}
