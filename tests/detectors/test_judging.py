"""Many detectors over many texts: one pass, answers in order, failures as rows; and the scikit-learn face."""

from __future__ import annotations

import json
import math
import pickle
import shutil
from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from sklearn.base import clone  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

from evenhand import detectors, score_texts  # noqa: E402
from evenhand.detectors.base import TokenDetector, best_threshold  # noqa: E402
from evenhand.detectors.judging import judge, key  # noqa: E402
from evenhand.detectors.language import language_note  # noqa: E402
from evenhand.detectors.zero_shot.means import LogLikelihood  # noqa: E402
from evenhand.errors import Abstain, ContractError, DataError, MissingError, SpecError  # noqa: E402
from evenhand.models import causal  # noqa: E402
from evenhand.models.statistics import TokenStatistics  # noqa: E402
from evenhand.registry import Card  # noqa: E402
from evenhand.testing import detector_checks  # noqa: E402

TEXTS = [
    "The ferry left at seven and nobody on the pier could say why it was so early that day.",
    "",
    "Two children raced a dog along the rail until the wind had turned and the captain called.",
    "bad \ud800 text",
    "By noon the crates were counted, lost, and counted again, as every day that summer.",
]
ALL = [
    *("log_likelihood", "rank", "log_rank", "entropy", "lrr", "gltr", "fast_detect_gpt", "lastde", "lastde_plus"),
    *("binoculars", "dna_detectllm", "fourier_gpt(k=3)", "glimpse", "fast_detect_gpt(form='sampled', n_samples=50)"),
]


@pytest.fixture(autouse=True)
def _own_cache(own_cache: Path) -> None:
    """Every test computes."""


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each text that goes through a model's body."""
    seen: list[str] = []
    real = causal.hidden

    def counted(weights, ids):  # type: ignore[no-untyped-def]
        seen.append(weights.source)
        return real(weights, ids)

    monkeypatch.setattr(causal, "hidden", counted)
    return seen


def test_one_pass_serves_every_detector(tiny_models: dict[str, str], passes: list[str]) -> None:
    table = score_texts(TEXTS, ALL, model=tiny_models["first"])
    assert len(passes) == 3, "three readable texts"
    assert table.num_rows == len(TEXTS) * len(ALL)


def test_the_table(tiny_models: dict[str, str]) -> None:
    rows = score_texts(TEXTS, ["lrr", "log_rank"], model=tiny_models["first"]).to_pylist()
    assert [row["text_index"] for row in rows] == [0, 1, 2, 3, 4] * 2
    assert [row["detector"] for row in rows] == ["lrr"] * 5 + ["log_rank"] * 5
    assert [row["status"] for row in rows[:5]] == ["ok", "abstained", "ok", "abstained", "ok"]
    for row in rows:
        assert (row["status"] == "ok") == math.isfinite(row["score"])
        assert row["status"] == "ok" or row["reason"]
    assert rows[0]["n_tokens"] > 10
    assert not rows[0]["truncated"]


def test_together_as_apart(tiny_models: dict[str, str]) -> None:
    made = [detectors.get(spec, model=tiny_models["first"]) for spec in ALL]
    for detector, column in zip(made, judge(TEXTS, made), strict=True):
        np.testing.assert_array_equal(detector(TEXTS), [answer.score for answer in column])


def test_two_models(tiny_models: dict[str, str], passes: list[str]) -> None:
    first, second = tiny_models["first"], tiny_models["second"]
    specs = [f"binoculars(observer={second!r})", f"fast_detect_gpt(reference={second!r})", "lrr"]
    table = score_texts(TEXTS[:1], specs, model=first).to_pylist()
    assert [row["status"] for row in table] == ["ok"] * 3
    assert not any("one model" in (row["reason"] or "") for row in table)
    assert sorted(Path(source).name for source in passes) == ["first", "second"]
    alone = score_texts(TEXTS[:1], ["lrr"], model=first).to_pylist()
    assert alone[0]["score"] == table[2]["score"]


@pytest.mark.parametrize("context", [256, 64])
def test_a_pair_beside_it_moves_no_score_of_one_model(
    context: int, tiny_models: dict[str, str], tmp_path: Path
) -> None:
    """Neither what it draws, nor the windows of a text that the other model cannot hold whole."""
    first, text = tiny_models["first"], " ".join(TEXTS[::2])
    other = shutil.copytree(tiny_models["second"], tmp_path / "other")
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps({**config, "max_position_embeddings": context}))
    pair = f"binoculars(observer={str(other)!r})"
    specs = [*ALL, "adadetect_gpt_released"]
    beside = score_texts([text], [*specs, pair], model=first).to_pylist()
    for row in beside[:-1]:
        assert row == score_texts([text], [row["detector"]], model=first).to_pylist()[0]


def test_unlike_tokenizers_stop_the_run(tiny_models: dict[str, str], passes: list[str]) -> None:
    pair = f"binoculars(observer={tiny_models['stranger']!r})"
    for specs in ([pair], ["log_rank", pair], ["fast_detect_gpt(form='sampled', n_samples=5)", pair]):
        with pytest.raises(SpecError, match="tokenizers"):
            score_texts(TEXTS, specs, model=tiny_models["first"])
    assert passes == []


class TestOneTokenizer:
    """What two models of a pair may differ in."""

    @staticmethod
    def changed(folder: str, into: Path, change: Callable[[Any], None]) -> str:
        from transformers import AutoTokenizer

        shutil.copytree(folder, into)
        reader = AutoTokenizer.from_pretrained(into)
        change(reader)
        reader.save_pretrained(into)
        return str(into)

    def test_tokens_beside_the_vocabulary_as_gpt_j_has_them(self, tiny_models: dict[str, str], tmp_path: Path) -> None:
        first, second = tiny_models["first"], tiny_models["second"]
        more = self.changed(second, tmp_path / "more", lambda reader: reader.add_tokens(["<|extratoken_1|>"]))
        texts = [TEXTS[0], f"{TEXTS[0]} <|extratoken_1|>"]
        same, wider = (score_texts(texts, [f"fast_detect_gpt(reference={r!r})"], model=first) for r in (second, more))
        assert wider.column("score") == same.column("score")
        turned = score_texts(texts, [f"fast_detect_gpt(reference={first!r})"], model=more).to_pylist()
        assert [row["status"] for row in turned] == ["ok", "abstained"]
        assert "'<|extratoken_1|>' is unknown to first@" in turned[1]["reason"]

    def test_another_way_to_read_is_another_tokenizer(self, tiny_models: dict[str, str], tmp_path: Path) -> None:
        from tokenizers import pre_tokenizers

        def prefixed(reader: Any) -> None:
            reader.backend_tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)

        other = self.changed(tiny_models["second"], tmp_path / "prefixed", prefixed)
        with pytest.raises(SpecError, match="split, or begun, in two ways"):
            score_texts(TEXTS, [f"binoculars(observer={other!r})"], model=tiny_models["first"])


def test_a_model_that_is_not_there_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_OFFLINE", "1")
    with pytest.raises(DataError, match="no model at"):
        score_texts(TEXTS, ["lrr"], model="nowhere/at/all")
    with pytest.raises(MissingError, match="evenhand fetch"):
        score_texts(TEXTS, ["lrr"], model="embedded")


def word_lengths(texts: Sequence[str]) -> list[float]:
    return [sum(map(len, text.split())) / len(text.split()) for text in texts]


def too_few(texts: Sequence[str]) -> list[float]:
    return [0.5]


def test_a_plain_callable_is_a_detector() -> None:
    rows = score_texts(["one two", "", "three"], [word_lengths]).to_pylist()
    assert [row["status"] for row in rows] == ["ok", "failed", "ok"]
    assert [row["score"] for row in rows][::2] == [3.0, 5.0]
    assert rows[1]["reason"] == "ZeroDivisionError: division by zero"
    assert rows[0]["detector"] == key(word_lengths) == f"{__name__}:word_lengths"


def test_a_callable_that_miscounts_is_told() -> None:
    with pytest.raises(ContractError, match="1 scores for 2 texts"):
        score_texts(["a", "b"], [too_few])


def test_infinite_is_no_score() -> None:
    rows = score_texts(["a"], [lambda texts: [math.inf], lambda texts: [math.nan]]).to_pylist()
    assert [row["status"] for row in rows] == ["abstained", "abstained"]


@dataclass(frozen=True)
class Breaks(TokenDetector):
    name: ClassVar[str] = "breaks"
    card: ClassVar[Card] = Card("Raises on every text with a dog.")

    def of_text(self, text: str, stats: TokenStatistics, job: object) -> float:
        if "dog" in text:
            raise ValueError("a dog")
        if "crates" in text:
            raise Abstain("crates are not judged")
        return 1.0


def test_an_exception_is_a_row_and_its_neighbours_keep_their_scores(tiny_models: dict[str, str]) -> None:
    broken, sound = judge(TEXTS, [Breaks(model=tiny_models["first"]), LogLikelihood(model=tiny_models["first"])])
    assert [answer.status for answer in broken] == ["ok", "abstained", "failed", "abstained", "abstained"]
    assert broken[2].reason == "ValueError: a dog"
    assert broken[4].reason == "crates are not judged"
    assert [answer.status for answer in sound] == ["ok", "abstained", "ok", "abstained", "ok"]


def test_a_model_that_fails_on_a_text_fails_that_text(
    tiny_models: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = causal.measure

    def measure(encoded, job):  # type: ignore[no-untyped-def]
        if np.array_equal(encoded.ids, causal.encode(TEXTS[0], job.weights).ids):  # type: ignore[union-attr]
            raise RuntimeError("out of memory")
        return real(encoded, job)

    monkeypatch.setattr(causal, "measure", measure)
    answers = judge(TEXTS, [LogLikelihood(model=tiny_models["first"])])[0]
    assert (answers[0].status, answers[0].reason) == ("failed", "RuntimeError: out of memory")
    assert answers[2].status == "ok"


def test_one_string_is_no_list_of_texts() -> None:
    for wrong in ("a text", [1], [None]):
        with pytest.raises(DataError):
            score_texts(wrong, ["lrr"])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no detector"):
        score_texts(["a"], [3])


def test_no_texts_no_rows(tiny_models: dict[str, str]) -> None:
    assert score_texts([], ["lrr", "gltr"], model=tiny_models["first"]).num_rows == 0


def test_keys_hold_all_that_can_change_a_score(tiny_models: dict[str, str]) -> None:
    first, second = tiny_models["first"], tiny_models["second"]
    made = [
        LogLikelihood(model=first),
        LogLikelihood(model=second),
        LogLikelihood(model=first, truncate=512),
        LogLikelihood(model=f"{first}[dtype=bfloat16]"),
        LogLikelihood(model=first, min_tokens=20),
    ]
    assert len({key(detector) for detector in made}) == len(made)
    assert "dtype=float32" in key(made[0])
    assert first not in key(made[0]), "the key holds a digest, no path of this machine"


def test_contracts_of_plug_ins_hold_for_ours(tiny_models: dict[str, str]) -> None:
    detector = detectors.get("lastde", model=f"{tiny_models['first']}")
    for check in detector_checks():
        check(detectors.get("fast_detect_gpt(truncate=64)", model=tiny_models["first"]))
        check(detector)


class TestLanguage:
    """The note on a text's language."""

    ENGLISH = "We walked home slowly along the river because nobody wanted the evening to end. " * 3
    GERMAN = "Wir gingen langsam am Fluss entlang nach Hause, weil niemand wollte, dass der Abend endet. " * 4
    RUSSIAN = "Мы медленно шли домой вдоль реки, потому что никто не хотел, чтобы вечер кончался."

    def test_it_is_told_where_text_is_not_english(self) -> None:
        assert language_note(self.ENGLISH) is None
        assert "not Latin" in str(language_note(self.RUSSIAN))
        assert "may not be English" in str(language_note(self.GERMAN))
        assert language_note("Kurz und gut.") is None, "too short to tell"
        assert language_note("3.14 " * 50) is None

    def test_it_stands_in_the_reason_and_leaves_the_score(self, tiny_models: dict[str, str]) -> None:
        detector = detectors.get("log_rank", model=tiny_models["first"])
        answer = judge([self.RUSSIAN], [detector])[0][0]
        assert answer.status == "ok"
        assert "not Latin" in str(answer.reason)
        stats = causal.token_statistics([self.RUSSIAN], tiny_models["first"])[0]
        assert answer.score == detector.of(stats)


LABELLED = [(f"{'calm sea ' * (6 + i % 5)} number {i}", 0) for i in range(12)]
LABELLED += [(f"xq zv jk {i} wq pz {'kx vj ' * (6 + i % 4)}", 1) for i in range(12)]
X, Y = [text for text, _ in LABELLED], np.array([y for _, y in LABELLED])


class TestScikitLearn:
    """A detector is a classifier over a list of texts."""

    @pytest.fixture
    def detector(self, tiny_models: dict[str, str]) -> TokenDetector:
        return LogLikelihood(model=tiny_models["first"])

    def test_scores_predictions_classes(self, detector: TokenDetector) -> None:
        with pytest.raises(NotFittedError):
            detector.predict(X)
        fitted = detector.fit(X, Y)
        assert fitted is detector
        assert fitted.classes_.tolist() == [0, 1]
        scores = fitted.decision_function(X)
        np.testing.assert_array_equal(fitted.predict(X), (scores > fitted.threshold_).astype(int))
        assert fitted.score(X, Y) >= 0.5

    def test_labels_may_be_words(self, detector: TokenDetector) -> None:
        words = np.where(Y == 1, "machine", "human")
        assert set(detector.fit(X, words).predict(X)) <= {"human", "machine"}

    def test_fit_says_what_is_wrong(self, detector: TokenDetector) -> None:
        for labels, told in ((None, "labels"), (Y[:3], "3 labels"), (np.zeros(len(X)), "two classes")):
            with pytest.raises(DataError, match=told):
                detector.fit(X, labels)  # type: ignore[arg-type]

    def test_an_abstention_is_no_class(self, detector: TokenDetector) -> None:
        with pytest.raises(DataError, match="abstained on 1 of 2"):
            detector.fit(X, Y).predict([X[0], ""])

    def test_clone_pickle_parameters(self, detector: TokenDetector) -> None:
        twin = clone(detector.fit(X, Y))
        assert twin == detector
        assert not hasattr(twin, "threshold_")
        assert pickle.loads(pickle.dumps(detector)).threshold_ == detector.threshold_
        assert detector.get_params()["min_tokens"] == 10
        assert clone(detector).set_params(min_tokens=20).min_tokens == 20
        for wrong in (0, "ten"):
            with pytest.raises(SpecError):
                detector.set_params(min_tokens=wrong, truncate=64)
            assert detector == twin, "it stays as it was"
        with pytest.raises(SpecError, match="min_token"):
            clone(detector).set_params(min_token=20)

    def test_cross_validation_pipelines_search(self, detector: TokenDetector) -> None:
        assert cross_val_score(detector, X, Y, cv=3, scoring="roc_auc").shape == (3,)
        assert cross_val_predict(detector, X, Y, cv=3, method="decision_function").shape == (len(X),)
        pipeline = make_pipeline(FunctionTransformer(lambda texts: [t.strip() for t in texts]), detector)
        assert pipeline.fit(X, Y).predict(X).shape == (len(X),)
        search = GridSearchCV(detector, {"truncate": [20, None]}, cv=2, scoring="roc_auc").fit(X, Y)
        assert search.best_params_["truncate"] in (20, None)

    @pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
    def test_calibration_gives_probabilities(self, detector: TokenDetector, method: str) -> None:
        calibrated = CalibratedClassifierCV(detector, method=method, cv=3).fit(X, Y)
        found = calibrated.predict_proba(X)
        assert found.shape == (len(X), 2)
        np.testing.assert_allclose(found.sum(1), 1)

    def test_the_estimator_checks_that_apply(self, detector: TokenDetector) -> None:
        """Those of the generator, which leaves out all that feed numbers; and, of these, the ones that feed none."""
        for estimator, check in estimator_checks_generator(detector, legacy=True):
            check(estimator)
        for name in ("no_attributes_set_in_init", "get_params_invariance", "estimator_get_tags_default_keys"):
            if check := getattr(estimator_checks, f"check_{name}", None):
                check(type(detector).__name__, detector)
        estimator_checks.check_estimator_repr(type(detector).__name__, detector)
        estimator_checks.check_estimator_cloneable(type(detector).__name__, detector)

    def test_parameters_stay_frozen(self, detector: TokenDetector) -> None:
        with pytest.raises(FrozenInstanceError, match="truncate"):
            detector.truncate = 5  # type: ignore[misc]

    def test_best_threshold_against_all_cuts(self) -> None:
        random = np.random.default_rng(0)
        scores = np.round(random.normal(0, 1, 60), 1)
        positive = random.random(60) < 0.4 + 0.2 * scores
        cut = best_threshold(scores, positive)

        def balanced(at: float) -> float:
            return float(np.mean(scores[positive] > at) + np.mean(scores[~positive] <= at))

        assert balanced(cut) == pytest.approx(max(balanced(at) for at in np.linspace(-4, 4, 2000)))
