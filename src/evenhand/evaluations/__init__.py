"""The open family of evaluations: which texts a detector learns from and which it is tested on, fold by fold.

A plan names one: ``evaluation = "leave_out(by='domain')"``. What learns is fitted once a fold; no text is scored by a detector
that learnt from it or from its cluster, nor, but under ``idmgsp_sets``, from a tenth of its wording.
"""

from __future__ import annotations

from ..registry import Registry
from .base import FOLD, GROUP, Evaluation, column_of, told_by

__all__ = ["FOLD", "GROUP", "Evaluation", "canonical", "column_of", "factory", "get", "names", "register", "told_by"]

_registry = Registry(
    "evaluations",
    {
        "leave_out": "evenhand.evaluations.leave_out:LeaveOut",
        "train_on": "evenhand.evaluations.train_on:TrainOn",
        "cross_validation": "evenhand.evaluations.cross_validation:CrossValidation",
        "idmgsp_sets": "evenhand.evaluations.idmgsp_sets:IdmgspSets",
        "gede_choice": "evenhand.evaluations.gede_choice:GedeChoice",
    },
)
get, canonical, names, register, factory = (
    _registry.get,
    _registry.canonical,
    _registry.names,
    _registry.register,
    _registry.factory,
)
