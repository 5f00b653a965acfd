"""The open family of attacks: one edit each, on any text, with its dose and its spans."""

from __future__ import annotations

from ..registry import Registry

_BUILTIN = {
    "none": "none:NoAttack",
    "homoglyph": "homoglyph:Homoglyph",
    "zero_width": "zero_width:ZeroWidth",
    "whitespace": "whitespace:Whitespace",
    "upper_lower": "upper_lower:UpperLower",
    "article_deletion": "article_deletion:ArticleDeletion",
}

_registry = Registry("attacks", {name: f"{__name__}.{target}" for name, target in _BUILTIN.items()})
get, canonical, names, register, factory = (
    _registry.get,
    _registry.canonical,
    _registry.names,
    _registry.register,
    _registry.factory,
)
