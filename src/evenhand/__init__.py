"""Evenhand: which errors will an AI-text detector make on these texts, under this policy, after the edits that everyone makes?

The public names are imported when they are first used: ``import evenhand`` loads neither numpy nor torch.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
_NAMES = {
    "Document": "documents",
    "Level": "documents",
    "Plan": "plan",
    "Policy": "documents",
    "Store": "store",
    "audit": "audits",
    "report": "reports",
    "score": "run",
    "score_texts": "detectors.judging",
}
_MODULES = (
    "attacks",
    "audits",
    "corpora",
    "detectors",
    "levels",
    "measures",
    "reports",
    "sanitizers",
    "stats",
    "testing",
)
__all__ = [
    "Document", "Level", "Plan", "Policy", "Store", "__version__", "attacks", "audit", "audits", "corpora", "detectors",
    "levels", "measures", "report", "reports", "sanitizers", "score", "score_texts", "stats", "testing",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(import_module(f"{__name__}.{_NAMES[name]}"), name)
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
