"""The open family of sanitizers; specs joined by ``+`` are applied from left to right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..registry import Registry, parse_chain

if TYPE_CHECKING:
    from .base import Sanitizer

_registry = Registry(
    "sanitizers",
    {
        "none": "evenhand.sanitizers.plain:Nothing",
        "zero_width": "evenhand.sanitizers.plain:ZeroWidth",
        "whitespace": "evenhand.sanitizers.plain:Whitespace",
        "nfkc": "evenhand.sanitizers.plain:Nfkc",
        "curated47": "evenhand.sanitizers.fold:Curated47",
        "uts39": "evenhand.sanitizers.fold:Uts39",
        "script_aware": "evenhand.sanitizers.script_aware:ScriptAware",
        "paper_figure5": "evenhand.sanitizers.paper:PaperFigure5",
        "paper_table6": "evenhand.sanitizers.paper:PaperTable6",
        "paper_table6_full": "evenhand.sanitizers.paper:PaperTable6Full",
    },
)
names, register, factory = _registry.names, _registry.register, _registry.factory


def get(spec: str) -> Sanitizer:
    """The sanitizer of ``"zero_width"`` or ``"zero_width + nfkc"``; raises SpecError for what is not there."""
    from .chain import Chain

    steps: tuple[Sanitizer, ...] = tuple(_registry.get(part) for part in parse_chain(spec))
    return steps[0] if len(steps) == 1 else Chain(steps)


def canonical(spec: str) -> str:
    """The full spelling, defaults included: the key under which results are kept."""
    return get(spec).spec
