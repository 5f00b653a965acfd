"""Every zero-shot formula against its own plain form, and where each of them gives no score."""

from __future__ import annotations

import cmath
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from evenhand import detectors
from evenhand.detectors.base import TokenDetector
from evenhand.detectors.zero_shot.binoculars import Binoculars
from evenhand.detectors.zero_shot.glimpse import tail_ratio, with_geometric_tail, with_zipf_tail, zipf_shape
from evenhand.detectors.zero_shot.lastde import diversity, lastde
from evenhand.detectors.zero_shot.presets import BinocularsFalcon
from evenhand.errors import Abstain, SpecError
from evenhand.models.statistics import Cross, Draw, TokenStatistics

N = 90
VOCABULARY = 40


@pytest.fixture(scope="module")
def matrices() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """log p and log q [N + 1, V] of two random models, and the tokens [N] that followed the first N rows."""
    random = np.random.default_rng(5)
    logits = random.normal(0, 2, (2, N + 1, VOCABULARY))
    log_p, log_q = (x - np.log(np.exp(x).sum(1, keepdims=True)) for x in logits)
    tokens = np.array([random.choice(VOCABULARY, p=np.exp(row)) for row in log_p[:-1]])
    return log_p, log_q, tokens


@pytest.fixture(scope="module")
def stats(matrices: tuple[np.ndarray, np.ndarray, np.ndarray]) -> TokenStatistics:
    log_p, log_q, tokens = matrices
    rows, places = log_p[:-1], np.arange(N)
    p, q = np.exp(log_p), np.exp(log_q)
    own = rows[places, tokens]
    mean, cross = (p * log_p).sum(1), -(q * log_p).sum(1)
    return TokenStatistics(
        token_ids=tokens.astype(np.int32),
        offsets=np.zeros((N, 2), np.int32),
        log_prob=own.astype(np.float32),
        rank=((rows > own[:, None]).sum(1) + 1).astype(np.int32),
        entropy=-mean[:-1].astype(np.float32),
        variance=(p * (log_p - mean[:, None]) ** 2).sum(1)[:-1].astype(np.float32),
        top1=rows.max(1).astype(np.float32),
        n_tokens=N + 1,
        final_entropy=-mean[-1],
        top_k=-np.sort(-rows, 1)[:, :6].astype(np.float32),
        cross=Cross(
            cross[:-1].astype(np.float32),
            (q * (log_p + cross[:, None]) ** 2).sum(1)[:-1].astype(np.float32),
            -(p * log_q).sum(1)[:-1].astype(np.float32),
            log_q[:-1][places, tokens].astype(np.float32),
            cross[-1],
        ),
    )


def alone(stats: TokenStatistics) -> TokenStatistics:
    return replace(stats, cross=None)


def score(spec: str, stats: TokenStatistics) -> float:
    return detectors.get(spec).of(stats)


def test_means(stats: TokenStatistics) -> None:
    ranks = [int(r) for r in stats.rank]
    assert score("log_likelihood", stats) == pytest.approx(sum(map(float, stats.log_prob)) / N)
    assert score("rank", stats) == pytest.approx(-sum(ranks) / N)
    assert score("log_rank", stats) == pytest.approx(-sum(map(math.log, ranks)) / N)
    assert score("entropy", stats) == pytest.approx(-sum(map(float, stats.entropy)) / N)
    assert score("lrr", stats) == pytest.approx(abs(sum(map(float, stats.log_prob))) / sum(map(math.log, ranks)))
    assert score("gltr", stats) == sum(r <= 10 for r in ranks) / N
    assert score("gltr(top=1)", stats) == sum(r == 1 for r in ranks) / N


def test_gltr_buckets_are_shares(stats: TokenStatistics) -> None:
    ranks = np.array([1, 10, 11, 100, 101, 1000, 1001, 5], np.int32)
    few = replace(stats, rank=ranks, log_prob=stats.log_prob[:8])
    assert detectors.get("gltr").buckets(few) == (3 / 8, 2 / 8, 2 / 8, 1 / 8)


class TestFastDetectGPT:
    def test_one_model(self, stats: TokenStatistics, matrices: tuple[np.ndarray, ...]) -> None:
        log_p, _, tokens = matrices
        top, below = 0.0, 0.0
        for row, token in zip(log_p[:-1], tokens, strict=True):
            mean = sum(math.exp(v) * v for v in row)
            top += row[token] - mean
            below += sum(math.exp(v) * (v - mean) ** 2 for v in row)
        assert score("fast_detect_gpt", alone(stats)) == pytest.approx(top / math.sqrt(below), rel=1e-5)

    def test_two_models(self, stats: TokenStatistics, matrices: tuple[np.ndarray, ...]) -> None:
        log_p, log_q, tokens = matrices
        top, below = 0.0, 0.0
        for row, guess, token in zip(log_p[:-1], np.exp(log_q[:-1]), tokens, strict=True):
            mean = sum(guess * row)
            top += row[token] - mean
            below += sum(guess * (row - mean) ** 2)
        assert score("fast_detect_gpt", stats) == pytest.approx(top / math.sqrt(below), rel=1e-5)

    def test_sampled_form_nears_the_analytic_one(
        self, stats: TokenStatistics, matrices: tuple[np.ndarray, ...]
    ) -> None:
        log_p, _, _ = matrices
        random = np.random.default_rng(0)
        draw = Draw(10_000, 0, "sum")
        sums = sum(row[random.choice(VOCABULARY, draw.n, p=np.exp(row))] for row in log_p[:-1])
        sampled = score("fast_detect_gpt(form='sampled')", replace(alone(stats), draws={draw: sums}))
        analytic = score("fast_detect_gpt", alone(stats))
        assert sampled == pytest.approx(analytic, abs=5 * (0.01 + 0.007 * abs(analytic)))


def plain_lastde(series: list[float], s: int, bins: int, tau: int) -> float:
    """Loops and lists, straight from the definition."""
    entropies = []
    for scale in range(1, tau + 1):
        y = [sum(series[j : j + scale]) / scale for j in range(len(series) - scale + 1)]
        orbits = [y[j : j + s] for j in range(len(y) - s + 1)]
        counts = [0] * bins
        for a, b in pairwise(orbits):
            cosine = sum(u * v for u, v in zip(a, b, strict=True)) / math.sqrt(
                sum(u * u for u in a) * sum(v * v for v in b)
            )
            counts[min(int((cosine + 1) / 2 * bins), bins - 1)] += 1
        shares = [c / sum(counts) for c in counts if c]
        entropies.append(-sum(p * math.log(p) for p in shares) / math.log(bins))
    middle = sum(entropies) / tau
    mde = math.sqrt(sum((e - middle) ** 2 for e in entropies) / (tau - 1))
    return sum(series) / len(series) / mde


class TestLastde:
    @pytest.mark.parametrize(("s", "eps", "tau"), [(3, 10, 5), (3, 1, 15), (4, 8, 10), (4, 8, 15)])
    def test_against_the_definition(self, stats: TokenStatistics, s: int, eps: int, tau: int) -> None:
        series = [float(v) for v in stats.log_prob]
        found = score(f"lastde(s={s}, eps_per_token={eps}, tau={tau})", stats)
        assert found == pytest.approx(plain_lastde(series, s, eps * N, tau), rel=1e-9)

    def test_the_authors_example(self) -> None:
        """Seven numbers, orbits of three, ten bins: entropies .3010, 0, 0 at the scales 1, 2, 3 (their documentation)."""
        series = np.array([[1.0, 2, 13, 7, 9, 5, 4]])
        found = [
            float(diversity(np.array([np.convolve(series[0], np.ones(k) / k, "valid")]), 3, 10)[0]) for k in (1, 2, 3)
        ]
        assert found == pytest.approx([math.log10(2), 0, 0], abs=1e-12)

    def test_plus_against_loops(self, stats: TokenStatistics) -> None:
        draw = Draw(20, 0, "path")
        paths = np.random.default_rng(1).normal(-3, 1, (20, N)).astype(np.float32)
        found = score("lastde_plus(n_samples=20)", replace(stats, draws={draw: paths}))
        own = plain_lastde([float(v) for v in stats.log_prob], 4, 8 * N, 15)
        others = [plain_lastde([float(v) for v in path], 4, 8 * N, 15) for path in paths]
        assert found == pytest.approx((own - np.mean(others)) / np.std(others, ddof=1), rel=1e-6)

    def test_a_constant_series_has_none(self) -> None:
        with pytest.raises(Abstain, match="constant"):
            lastde(np.full((1, 50), -2.0), 3, 10, 5)

    def test_a_series_shorter_than_its_scales_has_none(self) -> None:
        with pytest.raises(Abstain, match="needs 8"):
            lastde(np.array([[-1.0, -2, -3, -4, -5, -6, -7]]), 3, 10, 5)


class TestBinoculars:
    def test_code_variant(self, stats: TokenStatistics, matrices: tuple[np.ndarray, ...]) -> None:
        log_p, log_q, tokens = matrices
        perplexity = -sum(row[token] for row, token in zip(log_p[:-1], tokens, strict=True)) / N
        crossed = sum(-sum(np.exp(b) * a) for a, b in zip(log_p, log_q, strict=True)) / (N + 1)
        assert score("binoculars(observer='other')", stats) == pytest.approx(-perplexity / crossed, rel=1e-5)

    def test_paper_variant(self, stats: TokenStatistics, matrices: tuple[np.ndarray, ...]) -> None:
        log_p, log_q, tokens = matrices
        perplexity = -sum(row[token] for row, token in zip(log_q[:-1], tokens, strict=True))
        crossed = sum(-sum(np.exp(a) * b) for a, b in zip(log_p[:-1], log_q[:-1], strict=True))
        found = score("binoculars(observer='other', variant='paper')", stats)
        assert found == pytest.approx(-perplexity / crossed, rel=1e-5)

    def test_dna_detectllm(self, stats: TokenStatistics, matrices: tuple[np.ndarray, ...]) -> None:
        log_p, log_q, tokens = matrices
        text = -sum(row[token] for row, token in zip(log_p[:-1], tokens, strict=True)) / N
        repaired = -sum(max(row) for row in log_p[:-1]) / N
        crossed = sum(-sum(np.exp(b) * a) for a, b in zip(log_p, log_q, strict=True)) / (N + 1)
        assert score("dna_detectllm", stats) == pytest.approx(-(text + repaired) / (2 * crossed), rel=1e-5)

    def test_published_thresholds_only_where_they_belong(self) -> None:
        from evenhand.detectors.zero_shot.binoculars import FALCONS

        observer, performer = (f"{name}[dtype=bfloat16]" for name in FALCONS)
        theirs = Binoculars(model=performer, observer=observer, truncate=512)
        assert theirs.published_thresholds["low_fpr"] == -0.8536432310785527
        assert BinocularsFalcon().published_thresholds == theirs.published_thresholds
        others = [replace(theirs, truncate=None), replace(theirs, variant="paper"), Binoculars()]
        others += [replace(theirs, model=observer, observer=performer), replace(theirs, model=FALCONS[1])]
        others += [replace(theirs, model=f"{FALCONS[1]}[dtype=bfloat16,quantization=4bit]")]
        for other in others:
            with pytest.raises(SpecError, match="calibrate your own"):
                _ = other.published_thresholds

    def test_one_model_on_both_sides_is_noted(self, stats: TokenStatistics) -> None:
        assert "one model" in str(detectors.get("binoculars").note(stats))
        assert detectors.get("binoculars(observer='other')").note(stats) is None


def test_a_repeated_token_is_constant_to_its_rounding(stats: TokenStatistics) -> None:
    """As measured for one letter repeated under a real model: values of -16.37655 that differ by 3e-5."""
    noise = np.random.default_rng(0).uniform(-1.5e-5, 1.5e-5, stats.n_scored)
    with pytest.raises(Abstain, match="constant"):
        score("fourier_gpt", replace(stats, log_prob=(-16.37655 + noise).astype(np.float32)))


def test_fourier_against_sums(stats: TokenStatistics) -> None:
    series = -stats.log_prob.astype(float)
    z = [(v - series.mean()) / (series.std() + 1e-6) for v in series]
    sizes = [abs(sum(v * cmath.exp(-2j * math.pi * f * t / N) for t, v in enumerate(z))) for f in range(10)]
    assert score("fourier_gpt", stats) == pytest.approx(sum(sizes) / 10)
    assert score("fourier_gpt(k=4, sign=-1)", stats) == pytest.approx(-sum(sizes[:4]) / 4)


class TestGlimpse:
    def test_tail_holds_what_is_left(self, stats: TokenStatistics) -> None:
        assert stats.top_k is not None
        p = with_geometric_tail(np.exp(stats.top_k.astype(float)), 1000)
        np.testing.assert_allclose(p.sum(1), 1, atol=1e-9)
        assert (np.diff(p[:, 5:], axis=1) <= 0).all()

    def test_ratio_of_a_long_tail_is_the_closed_form(self) -> None:
        last, rest = np.array([0.05]), np.array([0.2])
        assert tail_ratio(last, rest, 10**6)[0] == pytest.approx(0.2 / 0.25)

    def test_zipf_finds_the_tail_that_it_was_made_of(self) -> None:
        """Of a true Zipfian distribution on the grid, the shape and the whole distribution come back from five ranks."""
        steps = np.arange(1, 996)
        tail = (2.6 / (steps + 2.6)) ** 1.0
        p = np.concatenate([[9.0, 5, 3, 2, 1], tail]) / (20 + tail.sum())
        assert zipf_shape(float(tail.sum()), 995) == (1.0, 2.6)
        np.testing.assert_allclose(with_zipf_tail(p[None, :5], 1000)[0], p, rtol=1e-9)

    def test_zipf_shape_is_the_nearest_of_the_grid(self) -> None:

        def distance(a: float, b: float, ratio: float) -> float:
            total = sum((b / (j + b)) ** a for j in range(1, 21))
            return (total - ratio) ** 2 + (a - 1) ** 2 + 0.001 * (b - 2.7) ** 2

        for ratio in (0.0, 0.3, 7.5, 400.0):
            best = min(distance(x / 10, y / 5, ratio) for x in range(100) for y in range(100))
            assert distance(*zipf_shape(ratio, 20), ratio) == pytest.approx(best)

    def test_zipf_after_a_vanishing_last_rank_stays_a_distribution(self) -> None:
        p = with_zipf_tail(np.array([[0.9, 1e-300], [1.0, 0.0]]), 50)
        assert np.isfinite(p).all()
        np.testing.assert_allclose(p.sum(1), 1)

    def test_zipf_on_a_text(self, stats: TokenStatistics) -> None:
        p = with_zipf_tail(np.exp(stats.top_k[:, :5].astype(float)), 1000)
        np.testing.assert_allclose(p.sum(1), 1, atol=1e-9)
        logs = np.log(p)
        mean = (p * logs).sum(1)
        expected = (stats.log_prob - mean).sum() / math.sqrt((p * (logs - mean[:, None]) ** 2).sum())
        assert score("glimpse(tail='zipf')", stats) == pytest.approx(expected, rel=1e-6)

    def test_with_nearly_all_of_the_distribution_it_is_fast_detect_gpt(self, matrices: tuple[np.ndarray, ...]) -> None:
        log_p, _, tokens = matrices
        rows = log_p[:-1]
        p = np.exp(rows)
        mean = (p * rows).sum(1)
        top_k = -np.sort(-rows, 1)
        own = rows[np.arange(N), tokens]
        nothing = np.zeros(0, np.float32)
        whole = TokenStatistics(tokens, np.zeros((N, 2)), own, tokens, nothing, nothing, nothing, N + 1, top_k=top_k)  # type: ignore[arg-type]
        expected = (own - mean).sum() / math.sqrt((p * (rows - mean[:, None]) ** 2).sum())
        assert score("glimpse(top_k=40, n_ranks=41)", whole) == pytest.approx(expected, rel=1e-6)
        assert score("glimpse(top_k=40, n_ranks=41, criterion='entropy')", whole) == pytest.approx(
            mean.mean(), rel=1e-6
        )


SERIES = ["log_likelihood", "rank", "log_rank", "entropy", "lrr", "gltr", "fast_detect_gpt", "lastde", "fourier_gpt"]


@pytest.mark.parametrize("spec", [*SERIES, "binoculars", "dna_detectllm", "glimpse"])
def test_too_short_and_refused_texts_are_no_number(spec: str, stats: TokenStatistics) -> None:
    detector: TokenDetector = detectors.get(spec)
    for bad in (TokenStatistics.refused("a lone surrogate at character 0"), TokenStatistics.refused("0 tokens")):
        answer = detector.judge_statistics("", bad, None)  # type: ignore[arg-type]
        assert (answer.status, math.isnan(answer.score), answer.reason) == ("abstained", True, bad.refusal)
    names = ("token_ids", "offsets", "log_prob", "rank", "entropy", "variance", "top1")
    short = replace(stats, **{name: getattr(stats, name)[:5] for name in names})
    answer = detector.judge_statistics("", short, None)  # type: ignore[arg-type]
    assert (answer.status, answer.n_tokens) == ("abstained", N + 1)
    assert "fewer than min_tokens=10" in str(answer.reason)


def test_certain_text_has_no_ratio(stats: TokenStatistics) -> None:
    ones, zeros = np.ones(N, np.int32), np.zeros(N, np.float32)
    certain = replace(stats, rank=ones, log_prob=zeros, variance=zeros, entropy=zeros, top1=zeros, cross=None)
    for spec in ("lrr", "fast_detect_gpt", "lastde", "fourier_gpt"):
        answer = detectors.get(spec).judge_statistics("", certain, None)
        assert answer.status == "abstained", spec
    mirrored = replace(certain, final_entropy=0.0).against_itself()
    for spec in ("binoculars", "dna_detectllm"):
        assert detectors.get(spec).judge_statistics("", mirrored, None).status == "abstained"


@pytest.mark.parametrize(
    "spec",
    [
        "lrr(min_tokens=1)",
        "lrr(truncate=1)",
        "lrr(min_tokens='ten')",
        "gltr(top=0)",
        "lastde(tau=1)",
        "lastde(eps_per_token=0)",
        "lastde_plus(n_samples=1)",
        "fast_detect_gpt(form='exact')",
        "fast_detect_gpt(n_samples=1)",
        "binoculars(variant='mine')",
        "fourier_gpt(sign=0)",
        "glimpse(top_k=0)",
        "glimpse(criterion='rank')",
        "detect_gpt(pct=2)",
        "npr(k=1)",
        "dna_gpt(share=1)",
        "log_rnk",
        "lrr(modle='embedded')",
    ],
)
def test_wrong_parameters_are_told(spec: str) -> None:
    with pytest.raises(SpecError):
        detectors.get(spec)


ZERO_SHOT = [name for name in detectors.names() if "zero_shot" in detectors.factory(name).__module__]


@pytest.mark.parametrize("name", ZERO_SHOT)
def test_specs_print_back_and_cards_are_whole(name: str) -> None:
    made = detectors.get(name)
    assert detectors.get(made.spec) == made
    for told in ("summary", "source", "licence", "pitfalls", "needs", "follows"):
        assert getattr(made.card, told), told


def test_a_model_is_filled_in_where_none_is_named() -> None:
    assert detectors.get("lrr", model="elsewhere").model == "elsewhere"
    assert detectors.get("lrr(model='embedded')", model="elsewhere").model == "embedded"
    assert detectors.get("fdg_gpt2", model="elsewhere").model.startswith("hub:openai-community/gpt2@607a30d")


def test_groups_name_detectors_that_are_there() -> None:
    nine = detectors.group("two_sided_nine")
    assert {"binoculars_falcon", "fdg_neo", "fdg_gpt2xl", "fdg_gpt2", "lastde_neo", "loglik_neo", "logrank_neo"} <= {
        *nine
    }
    assert set(nine) <= set(detectors.names())
    with pytest.raises(SpecError, match="two_sided_nine"):
        detectors.group("nine")
