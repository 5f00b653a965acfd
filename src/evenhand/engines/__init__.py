"""The open family of engines: how work is run. Each has one method, ``map(work, batches)``, results in any order."""

from __future__ import annotations

from ..registry import Registry

_registry = Registry(
    "engines",
    {
        "serial": "evenhand.engines.serial:Serial",
        "processes": "evenhand.engines.processes:Processes",
        "ray": "evenhand.engines.ray:Ray",
    },
)
get, canonical, names, register, factory = (
    _registry.get,
    _registry.canonical,
    _registry.names,
    _registry.register,
    _registry.factory,
)
