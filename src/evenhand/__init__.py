"""Evenhand: which errors will an AI-text detector make on these texts, under this policy, after the edits that everyone makes?

The public names are imported when they are first used: ``import evenhand`` loads neither numpy nor torch.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
_NAMES: dict[str, str] = {}
_MODULES = ("attacks", "corpora", "detectors", "levels", "measures", "sanitizers", "stats")
__all__ = sorted([*_NAMES, *_MODULES, "__version__"])


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(import_module(f"{__name__}.{_NAMES[name]}"), name)
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
