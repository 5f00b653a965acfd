"""Token statistics against a plain computation of the whole matrix, in float64."""

from __future__ import annotations

import math
import textwrap
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from evenhand.errors import SpecError  # noqa: E402
from evenhand.models import cache, causal  # noqa: E402
from evenhand.models.causal import token_statistics  # noqa: E402
from evenhand.models.loading import causal_model, tokenizer  # noqa: E402
from evenhand.models.statistics import Draw, Pieces, Request, TokenStatistics  # noqa: E402
from evenhand.models.weights import resolve  # noqa: E402

TEXTS = [
    "The harbour was empty, and the harbour master had gone home.",
    "Seven crates; nine dogs. Nobody counted, nobody cared, nobody came back before the wind had turned again.",
    "été, naïve, 東京 and a 🌍 with\ttabs\nand lines",
    "\x00 a NUL \x00 and more of it",
    "ab",
]


@pytest.fixture(autouse=True)
def _no_kept_statistics(own_cache: Path) -> None:
    """Every test computes."""


def log_softmax(model: str, text: str) -> tuple[np.ndarray, np.ndarray]:
    """log p [N, V] in float64 from the model's own forward pass, and the ids [N]."""
    weights = resolve(model)
    ids = tokenizer(weights)(text)["input_ids"]
    with torch.no_grad():
        logits = causal_model(weights)(input_ids=torch.tensor([ids])).logits[0].double().numpy()
    logits -= logits.max(1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(1, keepdims=True)), np.array(ids)


@pytest.mark.parametrize("text", TEXTS)
def test_every_statistic_against_the_whole_matrix(tiny_models: dict[str, str], text: str) -> None:
    found = token_statistics([text], tiny_models["first"], request=Request(top_k=4))[0]
    log_p, ids = log_softmax(tiny_models["first"], text)
    rows, p = log_p[:-1], np.exp(log_p[:-1])
    own = rows[np.arange(len(rows)), ids[1:]]
    mean = (p * rows).sum(1)
    assert found.n_tokens == len(ids)
    assert found.n_scored == len(ids) - 1
    np.testing.assert_array_equal(found.token_ids, ids[1:])
    np.testing.assert_allclose(found.log_prob, own, atol=2e-5)
    np.testing.assert_array_equal(found.rank, (rows > own[:, None]).sum(1) + 1)
    np.testing.assert_allclose(found.entropy, -mean, atol=2e-5)
    np.testing.assert_allclose(found.mean, mean, atol=2e-5)
    np.testing.assert_allclose(found.variance, (p * (rows - mean[:, None]) ** 2).sum(1), rtol=1e-4, atol=2e-5)
    np.testing.assert_allclose(found.top1, rows.max(1), atol=2e-5)
    np.testing.assert_allclose(found.top_k, -np.sort(-rows, 1)[:, :4], atol=2e-5)
    assert found.final_entropy == pytest.approx(-(np.exp(log_p[-1]) * log_p[-1]).sum(), abs=2e-5)


@pytest.mark.parametrize("text", TEXTS)
def test_offsets_tell_the_characters_of_each_token(tiny_models: dict[str, str], text: str) -> None:
    found = token_statistics([text], tiny_models["first"])[0]
    assert found.offsets.shape == (found.n_scored, 2)
    assert found.offsets[-1, 1] == len(text)
    for (start, end), token in zip(found.offsets, found.token_ids, strict=True):
        piece = tokenizer(resolve(tiny_models["first"])).decode([token])
        if "\ufffd" not in piece:
            assert piece.strip() == text[start:end].strip()


def test_two_models_both_ways(tiny_models: dict[str, str]) -> None:
    text = TEXTS[1]
    found = token_statistics([text], tiny_models["first"], reference=tiny_models["second"])[0]
    alone = token_statistics([text], tiny_models["first"])[0]
    log_p, ids = log_softmax(tiny_models["first"], text)
    log_q, _ = log_softmax(tiny_models["second"], text)
    q = np.exp(log_q)
    cross = -(q * log_p).sum(1)
    assert found.cross is not None
    np.testing.assert_array_equal(found.log_prob, alone.log_prob)
    np.testing.assert_allclose(found.cross.cross_entropy, cross[:-1], rtol=2e-5)
    np.testing.assert_allclose(found.cross.variance, (q * (log_p + cross[:, None]) ** 2).sum(1)[:-1], rtol=1e-4)
    np.testing.assert_allclose(found.cross.cross_entropy_back, -(np.exp(log_p) * log_q).sum(1)[:-1], rtol=2e-5)
    np.testing.assert_allclose(found.cross.log_prob, log_q[:-1][np.arange(len(ids) - 1), ids[1:]], atol=2e-5)
    assert found.cross.final_cross_entropy == pytest.approx(cross[-1], rel=2e-5)


def test_one_model_on_both_sides_needs_one_pass(tiny_models: dict[str, str]) -> None:
    found = token_statistics([TEXTS[0]], tiny_models["first"], reference=tiny_models["first"])[0]
    assert found.cross is not None
    np.testing.assert_array_equal(found.cross.cross_entropy, found.entropy)
    assert found.cross.final_cross_entropy == found.final_entropy


def test_unlike_tokenizers_are_refused_before_any_model_loads(tiny_models: dict[str, str]) -> None:
    causal_model.cache_clear()
    with pytest.raises(SpecError, match=r"tokenizers .* differ"):
        token_statistics([TEXTS[0]], tiny_models["first"], reference=tiny_models["stranger"])
    assert causal_model.cache_info().currsize == 0


def test_a_text_scores_alike_whoever_stands_beside_it(tiny_models: dict[str, str]) -> None:
    together = token_statistics(TEXTS, tiny_models["first"])
    backwards = token_statistics(TEXTS[::-1], tiny_models["first"])[::-1]
    cache.clear()
    for text, a, b in zip(TEXTS, together, backwards, strict=True):
        alone = token_statistics([text], tiny_models["first"])[0]
        np.testing.assert_array_equal(a.log_prob, alone.log_prob)
        np.testing.assert_array_equal(a.entropy, b.entropy)


@pytest.mark.parametrize("block", [1, 3, 7, 1000])
def test_the_size_of_a_block_changes_nothing(
    tiny_models: dict[str, str], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = Request(draws=frozenset([Draw(5, 3, "path"), Draw(5, 3, "sum")]))
    whole = token_statistics([TEXTS[1]], tiny_models["first"], request=request)[0]
    cache.clear()
    monkeypatch.setattr(causal, "block_size", lambda job: block)
    parts = token_statistics([TEXTS[1]], tiny_models["first"], request=request)[0]
    np.testing.assert_allclose(parts.log_prob, whole.log_prob, atol=1e-5)
    np.testing.assert_array_equal(parts.rank, whole.rank)
    for draw in request.draws:
        np.testing.assert_allclose(parts.draws[draw], whole.draws[draw], atol=1e-3)


@pytest.mark.parametrize(("n", "context"), [(1, 8), (8, 8), (9, 8), (100, 8), (5000, 2048), (4096, 4096), (9000, 4096)])
def test_windows_keep_every_position_once(n: int, context: int) -> None:
    kept = [position for w in causal.windows(n, context) for position in range(w.first, w.stop)]
    assert kept == list(range(n))
    for window in causal.windows(n, context):
        assert window.stop - window.start <= context
        assert window.first == 0 or window.first - window.start >= min(context, causal.WINDOW) // 4


def test_long_text_in_windows(tiny_models: dict[str, str]) -> None:
    text = " ".join(TEXTS[:2] * 8)
    found = token_statistics([text], tiny_models["first"])[0]
    assert found.windows > 1
    assert found.n_scored == found.n_tokens - 1 > 256
    start = token_statistics([text], tiny_models["first"], truncate=200)[0]
    assert (start.windows, start.truncated, start.n_tokens) == (1, True, 200)
    np.testing.assert_allclose(found.log_prob[:199], start.log_prob, atol=1e-4)
    assert np.isfinite(found.log_prob).all()


def test_truncation_keeps_the_first_tokens(tiny_models: dict[str, str]) -> None:
    whole, cut = (token_statistics([TEXTS[1]], tiny_models["first"], truncate=n)[0] for n in (None, 20))
    assert (whole.truncated, cut.truncated, cut.n_tokens) == (False, True, 20)
    np.testing.assert_allclose(cut.log_prob, whole.log_prob[:19], atol=1e-5)
    exact = token_statistics([TEXTS[1]], tiny_models["first"], truncate=whole.n_tokens)[0]
    assert not exact.truncated


def test_what_cannot_be_read_says_why(tiny_models: dict[str, str]) -> None:
    empty, one, broken = token_statistics(["", "a", "before \udce4 behind"], tiny_models["first"])
    assert empty.refusal == "0 tokens: no token has another before it"
    assert one.refusal == "1 tokens: no token has another before it"
    assert broken.refusal is not None
    assert "lone surrogate at character 7" in broken.refusal


def test_too_long_to_be_scored_whole_says_so(tiny_models: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(causal, "MAX_TOKENS", 10)
    refused, cut = (token_statistics([TEXTS[1]], tiny_models["first"], truncate=n)[0] for n in (None, 10))
    assert "set truncate" in str(refused.refusal)
    assert cut.refusal is None


def test_odd_texts_end(tiny_models: dict[str, str]) -> None:
    odd = ["   \n\t ", "word " * 5000, "x" * 1_000_000, "🌍" * 400, "שלום עולם " * 30, "a\u0301" * 300]
    for found in token_statistics(odd, tiny_models["first"], truncate=512):
        assert found.refusal or np.isfinite(found.log_prob).all()
        assert found.n_tokens <= 512


def test_a_beginning_token_is_no_part_of_the_text(tiny_models: dict[str, str], tmp_path: Path) -> None:
    """With a BOS of the tokenizer the first token of the text is scored, and bos says so."""
    import shutil

    from tokenizers.processors import TemplateProcessing
    from transformers import AutoTokenizer

    folder = shutil.copytree(tiny_models["first"], tmp_path / "with_bos")
    loaded = AutoTokenizer.from_pretrained(folder)
    loaded.backend_tokenizer.post_processor = TemplateProcessing(single="<end> $A", special_tokens=[("<end>", 0)])
    loaded.save_pretrained(folder)
    plain, marked = (token_statistics([TEXTS[0]], str(f))[0] for f in (tiny_models["first"], folder))
    assert (plain.bos, marked.bos) == (False, True)
    assert marked.n_scored == plain.n_scored + 1
    assert tuple(marked.offsets[0]) == (0, plain.offsets[0, 0])


class TestDraws:
    """Sampled sequences against what the model's distribution says of them."""

    def test_a_seed_decides_them(self, tiny_models: dict[str, str]) -> None:
        draws = [Draw(4, 1), Draw(4, 1), Draw(4, 2)]
        found = []
        for draw in draws:
            cache.clear()
            made = token_statistics([TEXTS[0]], tiny_models["first"], request=Request(draws=frozenset([draw])))[0]
            found.append(made.draws[draw])
        np.testing.assert_array_equal(found[0], found[1])
        assert not np.array_equal(found[0], found[2])

    def test_sums_are_sums_of_paths(self, tiny_models: dict[str, str]) -> None:
        path, total = Draw(50, 7, "path"), Draw(50, 7, "sum")
        found = token_statistics([TEXTS[0]], tiny_models["first"], request=Request(draws=frozenset([path, total])))[0]
        np.testing.assert_allclose(found.draws[path].sum(1), found.draws[total], rtol=1e-5)

    def test_their_mean_and_spread_are_those_of_the_distribution(self, tiny_models: dict[str, str]) -> None:
        draw = Draw(20_000, 0, "sum")
        found = token_statistics([TEXTS[1]], tiny_models["first"], request=Request(draws=frozenset([draw])))[0]
        spread = math.sqrt(found.variance.sum())
        assert found.draws[draw].mean() == pytest.approx(found.mean.sum(), abs=5 * spread / math.sqrt(draw.n))
        assert found.draws[draw].std(ddof=1) == pytest.approx(spread, rel=5 / math.sqrt(2 * draw.n))

    def test_of_two_models_they_come_from_the_reference(self, tiny_models: dict[str, str]) -> None:
        draw = Draw(20_000, 0, "sum")
        request = Request(draws=frozenset([draw]))
        found = token_statistics([TEXTS[0]], tiny_models["first"], reference=tiny_models["second"], request=request)[0]
        assert found.cross is not None
        spread = math.sqrt(found.cross.variance.sum())
        expected = -found.cross.cross_entropy.sum()
        assert found.draws[draw].mean() == pytest.approx(expected, abs=5 * spread / math.sqrt(draw.n))


def ran(*_: object) -> TokenStatistics:
    raise RuntimeError("a model ran")


class TestCache:
    """What was computed once is not computed again, and nothing else is taken for it."""

    def test_a_second_time_runs_no_model(
        self, tiny_models: dict[str, str], monkeypatch: pytest.MonkeyPatch, own_cache: Path
    ) -> None:
        cut = Pieces(-20.0, 0.0, 4, -19.0)
        request = Request(top_k=3, draws=frozenset([Draw(4), Draw(6, 1, "sum")]), pieces=frozenset([cut]))
        first = token_statistics(TEXTS, tiny_models["first"], reference=tiny_models["second"], request=request)
        monkeypatch.setattr(causal, "measure", ran)
        again = token_statistics(TEXTS, tiny_models["first"], reference=tiny_models["second"], request=request)
        for a, b in zip(first, again, strict=True):
            assert (a.n_tokens, a.bos, a.windows, a.truncated) == (b.n_tokens, b.bos, b.windows, b.truncated)
            assert a.final_entropy == b.final_entropy
            for name in ("log_prob", "rank", "entropy", "variance", "top1", "offsets", "token_ids", "top_k"):
                np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
            assert a.cross is not None
            assert b.cross is not None
            np.testing.assert_array_equal(a.cross.variance, b.cross.variance)
            for draw in request.draws:
                np.testing.assert_array_equal(a.draws[draw], b.draws[draw])
            np.testing.assert_array_equal(a.pieces[cut], b.pieces[cut])
            np.testing.assert_allclose(a.pieces[cut][:, :, 0].sum(1), 1, rtol=1e-5)
            assert a.pieces[cut].shape == (a.n_scored, 4, 5)

    def test_less_is_served_by_more(self, tiny_models: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
        token_statistics(TEXTS[:1], tiny_models["first"], request=Request(top_k=5, draws=frozenset([Draw(4)])))
        monkeypatch.setattr(causal, "measure", ran)
        found = token_statistics(TEXTS[:1], tiny_models["first"], request=Request(top_k=2))[0]
        assert found.top_k is not None
        assert found.top_k.shape[1] == 2
        assert token_statistics(TEXTS[:1], tiny_models["first"])[0].top_k is None

    @pytest.mark.parametrize("change", [{"truncate": 30}, {"request": Request(top_k=1)}, {"reference": "second"}])
    def test_another_question_is_another_key(
        self, tiny_models: dict[str, str], change: dict, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        token_statistics(TEXTS[:1], tiny_models["first"])
        monkeypatch.setattr(causal, "measure", ran)
        more = {"reference": tiny_models["second"]} if "reference" in change else change
        with pytest.raises(RuntimeError, match="a model ran"):
            token_statistics(TEXTS[:1], tiny_models["first"], **more)

    def test_a_damaged_file_is_computed_anew(self, tiny_models: dict[str, str], own_cache: Path) -> None:
        first = token_statistics(TEXTS[:1], tiny_models["first"])[0]
        kept = list(cache.files())
        assert len(kept) == 1
        for damage in (b"", kept[0].read_bytes()[:100], b"PK nonsense"):
            kept[0].write_bytes(damage)
            again = token_statistics(TEXTS[:1], tiny_models["first"])[0]
            np.testing.assert_array_equal(first.log_prob, again.log_prob)

    def test_a_pickle_is_never_read(self, own_cache: Path) -> None:
        file = own_cache / "bad.npz"
        file.parent.mkdir(parents=True)
        with file.open("wb") as stream:
            np.savez(stream, values=np.array([object()], dtype=object), allow_pickle=True)
        assert cache.read(file) is None

    def test_size_clear_and_forget(self, tiny_models: dict[str, str]) -> None:
        from evenhand.documents import digest

        token_statistics(TEXTS[:2], tiny_models["first"])
        assert cache.size() > 0
        assert cache.forget(digest(TEXTS[0])) == 1
        assert len(list(cache.files())) == 1
        assert cache.clear() > 0
        assert cache.size() == 0

    def test_the_oldest_half_goes_above_the_limit(
        self, tiny_models: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        token_statistics(TEXTS[:4], tiny_models["first"])
        monkeypatch.setattr(cache, "LIMIT", 10)
        cache.keep_below_limit.cache_clear()
        cache.keep_below_limit()
        assert len(list(cache.files())) == 2

    def test_it_can_be_switched_off(self, tiny_models: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("EVENHAND_STATISTICS_CACHE", "0")
        token_statistics(TEXTS[:1], tiny_models["first"])
        assert cache.size() == 0

    def test_a_folder_that_cannot_be_written_costs_no_result(
        self, tiny_models: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "file").write_text("in the way")
        monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path / "file"))
        assert token_statistics(TEXTS[:1], tiny_models["first"])[0].n_scored > 0


@pytest.mark.model
@pytest.mark.long
def test_memory_stays_flat_over_a_long_text(embedded: str) -> None:
    """Windows after the first ones add nothing to the peak (in a process of its own: a peak never falls)."""
    import subprocess
    import sys

    program = """
        import os, resource
        os.environ["EVENHAND_STATISTICS_CACHE"] = "0"
        from evenhand.models.causal import token_statistics
        words = "the old ferry left at noon and nobody on the pier could say why it was late again this year "
        for n in (500, 700):
            found = token_statistics([words * n], "embedded")[0]
            print(found.windows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    (few, before), (more, after) = (map(int, line.split()) for line in done.stdout.split("\n") if line)
    assert more >= few + 2 > 4
    assert after < 1.02 * before
