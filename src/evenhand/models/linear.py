"""The head's product in float32 on a processor, by oneDNN instead of the BLAS that torch takes by default.

For a block of positions against a whole vocabulary oneDNN is 1.3 to 1.5 times as fast and as exact. In the body it is a tenth
faster, but its sums are longer chains: logits moved by up to 30 times as much from those of float64, so the body keeps its
own (`benchmarks/passes_variants.py` has both). The weights stay as they are, so processes go on sharing them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .weights import import_torch


def project(layer: Any, states: Any) -> Any:
    """What ``layer(states)`` gives, [n, d] -> [n, V]; by oneDNN where that is the same product."""
    torch = import_torch()
    plain = type(layer) is torch.nn.Linear and layer.weight.dtype == torch.float32 and states.device.type == "cpu"
    return product(torch, states, layer.weight, layer.bias) if plain and available() else layer(states)


@lru_cache(maxsize=1)
def available() -> bool:
    """torch shows this product to its own compiler only: is it there, and does it give what the plain one gives?"""
    torch = import_torch()
    with torch.inference_mode():
        x, weight, bias = torch.arange(6.0).view(2, 3), torch.arange(12.0).view(4, 3), torch.ones(4)
        try:
            found = product(torch, x, weight, bias)
        except (AttributeError, RuntimeError, TypeError):
            return False
        return bool(torch.allclose(found, torch.nn.functional.linear(x, weight, bias)))


def product(torch: Any, x: Any, weight: Any, bias: Any) -> Any:
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
