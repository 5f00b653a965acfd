"""The head's product by oneDNN: the same numbers to rounding, and the layer's own wherever it is another product."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from evenhand.models import linear  # noqa: E402
from evenhand.models.linear import project  # noqa: E402

needed = pytest.mark.skipif(not linear.available(), reason="this torch does not expose oneDNN's product")


@pytest.fixture
def by_onednn(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Rows of each product that went through oneDNN."""
    linear.available()
    rows: list[int] = []
    real = linear.product

    def counted(torch: object, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        rows.append(len(x))
        return real(torch, x, weight, bias)

    monkeypatch.setattr(linear, "product", counted)
    return rows


@needed
@pytest.mark.parametrize("rows", [1, 7, 130])
@pytest.mark.parametrize("bias", [True, False])
def test_as_exact_as_the_plain_product(rows: int, bias: bool, by_onednn: list[int]) -> None:
    torch.manual_seed(rows)
    layer, x = torch.nn.Linear(576, 1000, bias=bias), torch.randn(rows, 576)
    with torch.inference_mode():
        exact = torch.nn.functional.linear(x.double(), layer.weight.double(), layer.bias.double() if bias else None)
        ours, plain = ((found.double() - exact).abs().max() for found in (project(layer, x), layer(x)))
    assert by_onednn == [rows]
    assert ours < 2 * plain + 1e-6


class Doubled(torch.nn.Linear):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return 2 * super().forward(input)


def test_any_other_layer_multiplies_by_itself(by_onednn: list[int]) -> None:
    x = torch.randn(4, 16)
    doubled, half = Doubled(16, 8), torch.nn.Linear(16, 8, dtype=torch.bfloat16)
    with torch.inference_mode():
        torch.testing.assert_close(project(doubled, x), doubled(x))
        torch.testing.assert_close(project(half, x.bfloat16()), half(x.bfloat16()))
    assert by_onednn == []


def test_a_torch_without_it_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise AttributeError("no such operator")

    monkeypatch.setattr(linear, "product", missing)
    linear.available.cache_clear()
    layer, x = torch.nn.Linear(16, 8), torch.randn(4, 16)
    try:
        with torch.inference_mode():
            torch.testing.assert_close(project(layer, x), layer(x))
    finally:
        linear.available.cache_clear()
