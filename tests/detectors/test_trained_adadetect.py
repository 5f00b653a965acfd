"""AdaDetectGPT: the spline, the two forms of its weights, and Fast-DetectGPT as its special case."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand import detectors
from evenhand.detectors.trained.adadetect import PIECES, RELEASED, bases, expectations, knots, weights
from evenhand.detectors.trained.panel import PANEL_HUMAN, PANEL_MACHINE
from evenhand.errors import DataError, SpecError

HUMAN = "Stop {}: we got off at the harbour, lost the dog twice, found it, ate plums till dark, and ran for the bus."
MACHINE = "The harbour offers {} benefits to the community, and its many visitors value the place in the evening."
TEXTS = [HUMAN.format(i) for i in range(8)] + [MACHINE.format(i) for i in range(8)]
LABELS = [0] * 8 + [1] * 8


def cox_de_boor(x: float, i: int, degree: int) -> float:
    t = knots()
    if degree == 0:
        return float(t[i] <= x < t[i + 1])
    left = (x - t[i]) / (t[i + degree] - t[i]) * cox_de_boor(x, i, degree - 1)
    return left + (t[i + degree + 1] - x) / (t[i + degree + 1] - t[i + 1]) * cox_de_boor(x, i + 1, degree - 1)


def test_bases_are_those_of_the_recursion_and_sum_to_one():
    points = np.array([-50.0, -32.0, -17.3, -6.4, -0.2, 0.0])
    found = bases(points)
    hand = [[cox_de_boor(max(x, -32.0), i, 2) for i in range(7)] for x in points]
    assert found == pytest.approx(np.array(hand), abs=1e-12)
    assert found.sum(1) == pytest.approx(1)


def test_a_linear_transform_is_fast_detect_gpt(tiny_models, own_cache):
    """A spline can be any straight line; then the score is that of Fast-DetectGPT."""
    points = np.linspace(-31, -0.1, 50)
    line, *_ = np.linalg.lstsq(bases(points), points, rcond=None)
    assert bases(points) @ line == pytest.approx(points, abs=1e-9)
    ada = detectors.get(f"adadetect_gpt_released(beta={tuple(line.tolist())!r})", tiny_models["first"])
    fdg = detectors.get("fast_detect_gpt", tiny_models["first"])
    assert ada(TEXTS[:6]) == pytest.approx(fdg(TEXTS[:6]), abs=2e-4)


def test_expectations_are_those_of_sums_over_the_vocabulary():
    torch = pytest.importorskip("torch")
    from evenhand.models.pieces import piece_moments

    draw = np.random.default_rng(3)
    logits = draw.normal(0, [[0.1], [3], [12], [30]], (4, 500))
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    q = draw.dirichlet(np.full(500, 0.3), size=4)
    moments = piece_moments(*(torch.from_numpy(x.astype(np.float32)) for x in (q, log_p)), PIECES)
    beta = draw.normal(size=7)
    w = bases(log_p) @ beta
    mean = (q * w).sum(1)
    variance = (q * (w - mean[:, None]) ** 2).sum(1)
    found = expectations(moments, beta)
    assert found[0] == pytest.approx(mean, abs=1e-5)
    assert found[1] == pytest.approx(variance, rel=1e-4, abs=1e-6)


def test_inverse_maximises_the_separation_and_root_does_not():
    draw = np.random.default_rng(5)
    features = [bases(-draw.gamma(1 + 0.4 * (i % 2), 2, size=80)) for i in range(40)]
    machine = np.arange(40) % 2 == 0
    means = np.array([f.mean(0) for f in features])
    delta = means[machine].mean(0) - means[~machine].mean(0)
    sigma = sum(np.cov(f.T) / len(f) for f in features)

    def separation(beta):
        return delta @ beta / np.sqrt(beta @ sigma @ beta)

    inverse, root = (weights(form, features, machine) for form in ("inverse", "root"))
    tried = [separation(inverse + 0.05 * draw.normal(size=7)) for _ in range(200)]
    assert separation(inverse) >= max(*tried, separation(root)) - 1e-9
    assert separation(root) > 0
    assert np.linalg.norm(root) == pytest.approx(1)
    assert weights("inverse", [*features, *features[1::2]], np.append(machine, [False] * 20)) @ delta > 0


@pytest.mark.parametrize("form", ["inverse", "root"])
def test_it_learns(form, tiny_models, own_cache):
    fitted = detectors.get(f"adadetect_gpt(form={form!r})", tiny_models["first"]).fit(TEXTS, LABELS)
    again = detectors.get(f"adadetect_gpt(form={form!r})", tiny_models["first"]).fit(TEXTS[::-1], LABELS[::-1])
    assert np.array_equal(fitted(TEXTS), again(TEXTS))
    assert fitted.key == again.key
    scores = fitted(TEXTS)
    assert scores[8:].mean() > scores[:8].mean()
    assert fitted.judge(["short"])[0].status == "abstained"
    human, machine = (fitted(list(panel)).mean() for panel in (PANEL_HUMAN, PANEL_MACHINE))
    assert fitted.training_["panel"] == {"human": round(human, 4), "machine": round(machine, 4)}


def test_what_is_refused(tiny_models, own_cache):
    with pytest.raises(DataError, match="has learnt nothing yet"):
        detectors.get("adadetect_gpt", tiny_models["first"])(TEXTS[:1])
    with pytest.raises(SpecError, match="'inverse' or 'root'"):
        detectors.get("adadetect_gpt(form='x')")
    with pytest.raises(SpecError, match="two classes"):
        detectors.get("adadetect_gpt(labels='ordinal')")
    with pytest.raises(SpecError, match="7 finite weights"):
        detectors.get("adadetect_gpt_released(beta=(1.0,))")
    with pytest.raises(DataError, match="are alike"):
        weights("inverse", [bases(np.linspace(-5, -1, 30))] * 4, np.array([True, True, False, False]))
    assert len(RELEASED) == 7
