"""Why a text got its score. ``from evenhand.explain import lime``; each name is loaded when it is first used.

lime(text, detector, *, by, samples, seeds, seed, mask, most)   a local linear model, any detector     -> Explanation
shap(text, detector, *, by, orders, seeds, seed, mask, most)    Shapley values, any detector           -> Explanation
coefficients(text, detector)                                    exact shares of a linear learner       -> Explanation
top_coefficients(detector, k)                                   the model's largest and smallest       -> [(name, value)]
importances(detector, k)                                        a forest's, by impurity                -> [Importance]
permutation_importances(detector, texts, machine, *, k, ...)    fall of AUROC, shuffled                -> [Importance]
reading(text, source)                                           length, readability, sections          -> [Told]
standing(run, detector, score, text)                            beside a run's threshold               -> Standing
account(text, detector, methods, settings)                      all of it;  page(account, title) -> HTML
"""

from importlib import import_module
from typing import Any

_NAMES = {
    "Account": "methods",
    "Explanation": "parts",
    "Importance": "forests",
    "Part": "parts",
    "Settings": "methods",
    "Standing": "beside_run",
    "account": "methods",
    "coefficients": "linear",
    "importances": "forests",
    "lime": "local_linear",
    "page": "document",
    "permutation_importances": "forests",
    "reading": "text_measures",
    "shap": "shapley",
    "standing": "beside_run",
    "top_coefficients": "linear",
}
__all__ = [
    "Account", "Explanation", "Importance", "Part", "Settings", "Standing", "account", "coefficients", "importances", "lime",
    "page", "permutation_importances", "reading", "shap", "standing", "top_coefficients",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(import_module(f"{__name__}.{_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
