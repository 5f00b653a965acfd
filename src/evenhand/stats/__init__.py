"""Statistics of detection: pure functions on arrays of scores."""

from .estimate import Estimate

__all__ = ["Estimate"]
