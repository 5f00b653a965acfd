"""What is wrong with a corpus before anything is measured on it: shortcuts, damage, copies, leaks; and splits that hold.

``lint`` lists what tells the classes apart, ``feature_values`` gives the numbers behind it; ``leaks`` says what two sides
of a split share, ``split`` makes sides that share nothing, ``hold_out`` keeps a generator or domain for the test;
``repair`` mends both classes alike and says what it changed.
"""

from __future__ import annotations

from .leakage import Leak, check_split, leaks
from .repairs import Repaired, repair
from .shortcuts import Issue, feature_values, lint, unedited
from .splits import hold_out, split

__all__ = [
    "Issue", "Leak", "Repaired", "check_split", "feature_values", "hold_out", "leaks", "lint", "repair", "split", "unedited",
]  # fmt: skip
