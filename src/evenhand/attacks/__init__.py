"""The open family of attacks."""

from __future__ import annotations

from ..registry import Registry

_registry = Registry("attacks", {})
get, canonical, names, register, factory = (
    _registry.get,
    _registry.canonical,
    _registry.names,
    _registry.register,
    _registry.factory,
)
