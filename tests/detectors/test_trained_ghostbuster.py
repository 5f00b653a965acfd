"""Ghostbuster: its expressions by hand, its n-grams against the formulas written out, its search against scikit-learn."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from evenhand import detectors
from evenhand.detectors.trained import expressions as ex
from evenhand.detectors.trained import ghostbuster_released as gr
from evenhand.detectors.trained import selection
from evenhand.detectors.trained.ghostbuster import HAND, PUBLISHED, hand_features, word_tokens
from evenhand.detectors.trained.ngrams import NGrams
from evenhand.errors import DataError, SpecError
from evenhand.models.causal import token_statistics
from evenhand.testing import detector_checks

HUMAN = "Stop {}: we got off at the harbour, lost the dog twice, found it, ate plums till dark, and ran for the bus."
MACHINE = "The harbour offers {} benefits to the community, and its many visitors value the place in the evening."
TEXTS = [HUMAN.format(i) for i in range(12)] + [MACHINE.format(i) for i in range(12)]
LABELS = [0] * 12 + [1] * 12
CLUSTERS = [f"c{i % 6}" for i in range(24)]


@pytest.fixture(autouse=True, scope="module")
def _cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVENHAND_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


# expressions

VECTORS = {
    "u": np.array([0.5, 0.25, 0.125, 0.0]),
    "g": np.array([0.4, 0.5, 0.1, 0.2]),
    "a": np.array([0.6, 0.2, 0.3, 0.1]),
    "d": np.array([0.5, 0.5, 0.0, 0.2]),
}


@pytest.mark.parametrize(
    ("expression", "by_hand"),
    [
        ("d s-var", 0.045),  # mean .3; (.04 + .04 + .09 + .01) / 4
        ("d s-len", 4),
        ("d s-max", 0.5),
        ("u s-min", 0),
        ("a s-avg", 0.3),
        ("a v-sub d s-l2", math.sqrt(0.01 + 0.09 + 0.09 + 0.01)),
        ("u v-sub d v-div u s-avg-top-25", (0 - 1 + 1 + 0) / 4),  # the last u is 0, so its quotient is
        ("u v-> d s-var", 0.1875),  # 0 0 1 0
        ("g v-> a v-> d s-avg-top-25", 0.5),  # 0 1 0 1 above .5 .5 0 .2
        ("g v-> a v-mul d s-avg", (0.5 + 0.2) / 4),
        ("g v-> a v-sub d s-var", np.var([-0.5, 0.5, 0, 0.8])),
        ("u v-< g v-add a s-max", 1.2),  # 0 1 0 1 + a
        ("g v-< d v-div u s-l2", 1.0),  # 1 0 0 0 / u is 2 0 0 0, and a divided comparison stays 0 or 1
        ("g v-div d s-max", 1.0),  # .8 1 (0: d is 0) 1
    ],
)
def test_expressions_by_hand(expression, by_hand):
    assert ex.values([ex.parse(expression)], VECTORS) == pytest.approx([by_hand], abs=1e-12)


def test_top_25_is_the_mean_of_the_25_largest():
    x = np.random.default_rng(1).permutation(np.arange(100.0))
    assert ex.values([ex.parse("d s-avg-top-25")], {"d": x})[0] == np.arange(75, 100).mean()


def test_together_they_are_as_each_alone_and_print_back():
    every = ex.every(list("dagu"), 3)
    together = ex.values(every, VECTORS)
    some = range(0, len(every), 37)
    assert together[some] == pytest.approx([ex.values([every[i]], VECTORS)[0] for i in some])
    assert [ex.parse(str(e)) for e in every] == every
    assert len(every) == len(set(every)) == 362 * 6 + 1, "4 + 42 + 316 walks; the length once"
    assert len(ex.every(list("dgu"), 2)) == 6 * (3 + 3 * 5 + 6) + 1, "3 pairs in 5 operations, 6 quotients"
    assert set(map(ex.parse, PUBLISHED)) <= set(every), "the authors' search could find what they released"


def test_the_authors_long_names():
    assert str(ex.parse("unigram-logprobs v-> davinci-logprobs s-var")) == PUBLISHED[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it ends in ''"),
        ("s-var", "a vector is expected before 's-var'"),
        ("u v-> s-var", "a vector is expected before 's-var'"),
        ("u d s-var", "word 2 is 'd', expected one of v-add"),
        ("u v-> x s-var", "word 3 is 'x', expected one of u"),
        ("u v-> d", "it ends in 'd', expected one of s-max"),
        ("__import__('os') s-var", "word 1 is"),
    ],
)
def test_what_is_no_expression(text, message):
    with pytest.raises(SpecError, match=message.replace("(", r"\(")):
        ex.parse(text)


# n-grams

CORPUS = [[0, 1, 2, 0, 1, 3], [1, 2, 0, 1], [4, 4, 4]]


def brute(context: tuple[int, ...], word: int, discount: float, vocabulary: int) -> float:
    """The formulas on plain dictionaries."""
    pairs = {pair for text in CORPUS for pair in itertools.pairwise(text)}
    if not context:
        kinds = sum(1 for _, b in pairs if b == word)
        return kinds / len(pairs) if kinds else 1 / vocabulary
    n = len(context) + 1
    grams = Counter(tuple(text[i : i + n]) for text in CORPUS for i in range(len(text) - n + 1))
    following = {gram[-1]: count for gram, count in grams.items() if gram[:-1] == context}
    lower = brute(context[1:], word, discount, vocabulary)
    if not following:
        return lower
    total = sum(following.values())
    return (max(following.get(word, 0) - discount, 0) + discount * len(following) * lower) / total


def test_n_grams_are_the_formulas():
    model = NGrams.learn([np.array(text, np.int32) for text in CORPUS], vocabulary=7)
    text = np.array([1, 2, 0, 1, 6, 3, 4, 4, 5, 0, 1, 3])
    padded = [7, 7, *text.tolist()]
    assert model.unigram(text) == pytest.approx([brute((), w, 0.9, 7) for w in text])
    trigrams = [brute(tuple(padded[i : i + 2]), padded[i + 2], 0.9, 7) for i in range(len(text))]
    assert model.trigram(text) == pytest.approx(trigrams)
    assert model.trigram(text)[0] == model.unigram(text)[0], "nothing stands before the first token"
    seen = [0, 1, 2, 3, 4]
    after = [model.trigram(np.array([0, 1, w]))[2] for w in seen]
    assert sum(after) == pytest.approx(1), "the unigram's seen words sum to one, and so do the mixtures"


def test_n_grams_come_back_from_a_file(tmp_path):
    model = NGrams.learn([np.array(text) for text in CORPUS], vocabulary=7, discount=0.5)
    model.save(tmp_path / "n.npz")
    again, text = NGrams.load(tmp_path / "n.npz"), np.array([1, 2, 0, 6, 4, 4])
    assert np.array_equal(again.trigram(text), model.trigram(text))
    (tmp_path / "n.npz").write_bytes(b"no numbers")
    with pytest.raises(DataError, match="cannot be read as n-grams"):
        NGrams.load(tmp_path / "n.npz")
    with pytest.raises(DataError, match="none has three tokens"):
        NGrams.learn([np.array([1, 2])], 7)


# the search


def test_the_criterion_is_scikit_learns():
    draw = np.random.default_rng(0)
    machine = np.arange(60) % 2 == 0
    columns = draw.normal(size=(60, 5)) + machine[:, None] * [0, 0.5, 1, 2, 4]
    z = (columns - columns.mean(0)) / columns.std(0)
    held = selection.folds([str(i // 3) for i in range(60)], machine, 5, 0)
    base = np.column_stack([np.ones(60), z[:, 1]])
    found = selection.scored(base, z, machine.astype(float), held, "log_loss")
    for i in (0, 2, 4):
        both, parts = z[:, [1, i]], []
        for out in held:
            head = LogisticRegression(C=10, max_iter=1000, tol=1e-8).fit(both[~out], machine[~out])
            parts.append(np.log(head.predict_proba(both[out])[np.arange(out.sum()), machine[out].astype(int)]).mean())
        assert found[i] == pytest.approx(np.mean(parts), abs=1e-4)


def test_forward_takes_what_helps_and_stops():
    draw = np.random.default_rng(2)
    machine = np.arange(200) % 2 == 0
    noise = draw.normal(size=(200, 6))
    noise[:, 3] += 1.5 * machine
    noise[:, 5] += 0.8 * machine
    columns = np.column_stack([noise, np.full(200, 3.0), noise[:, 3]])
    held = selection.folds([str(i) for i in range(200)], machine, 5, 0)
    taken = selection.forward(columns, machine, held, 4, "log_loss")
    assert taken[:2] == [3, 5], "of two equal columns the first"
    assert len(taken) < 4, "noise gains nothing"
    assert selection.forward(columns, machine, held, 1, "log_loss") == [3]
    with pytest.raises(DataError, match="no feature varies"):
        selection.forward(np.ones((200, 2)), machine, held, 2, "log_loss")


def test_folds_keep_clusters_whole():
    machine = np.arange(40) % 2 == 0
    held = selection.folds([f"c{i // 4}" for i in range(40)], machine, 5, 0)
    assert sum(out.astype(int) for out in held).tolist() == [1] * 40
    assert all(len({out[i] for i in range(4 * c, 4 * c + 4)}) == 1 for out in held for c in range(10))
    with pytest.raises(DataError, match="40 texts in 1 clusters leave a side with one class"):
        selection.folds(["one"] * 40, machine, 5, 0)


# the features by hand


def test_words_in_tokens():
    text = "ab cde f"
    offsets = np.array([[0, 1], [1, 2], [3, 4], [4, 6], [7, 8]])
    assert word_tokens(text, offsets) == [2, 2], "the last word is not counted, as in the code"
    with_space = np.array([[0, 1], [1, 2], [2, 4], [4, 6], [6, 8]])
    assert word_tokens(text, with_space) == [2, 2], "tokens that carry their space"
    assert word_tokens("abc", np.array([[0, 3]])) == []


def test_hand_features():
    offsets = np.array([[0, 1], [2, 3], [4, 5], [6, 7]])
    found = hand_features("a b c d", offsets, VECTORS)
    gains = [0.3, 0.1, -0.1, -0.3]
    assert len(found) == len(HAND)
    assert found == pytest.approx([0, 0, 0, sum(gains) / 25, 0, 3 / 25, 0])
    assert hand_features("a b c d", offsets, {"d": VECTORS["d"]}) == pytest.approx([0, 0, 0, 3 / 25, 0])


# the detector


def ghostbuster(tiny_models, options: str = "", second: bool = True):
    pair = f"second_model={tiny_models['second']!r}, " if second else ""
    return detectors.get(f"ghostbuster({pair}{options})", tiny_models["first"])


@pytest.mark.parametrize(
    ("options", "second"),
    [("depth=2", True), ("depth=2, criterion='log_loss'", False), ("expressions='published'", True)],
)
def test_it_learns(options, second, tiny_models, tmp_path):
    fitted = ghostbuster(tiny_models, options, second).fit(TEXTS, LABELS, clusters=CLUSTERS)
    turned = ghostbuster(tiny_models, options, second).fit(TEXTS[::-1], LABELS[::-1], clusters=CLUSTERS[::-1])
    assert np.array_equal(fitted(TEXTS), turned(TEXTS))
    assert fitted.key == turned.key
    assert (fitted.predict(TEXTS) == LABELS).mean() > 0.9
    assert fitted.training_["expressions"] == fitted.expressions_
    assert len(fitted.feature_names) == fitted.heads_[0].coef_.size
    assert fitted.feature_names[-1] == fitted.expressions_[-1]
    assert ("a" in {name for e in fitted.expressions_ for name in ex.parse(e).vectors}) <= second
    detectors.save(fitted, tmp_path / "kept")
    again = detectors.load(tmp_path / "kept")
    assert np.array_equal(again(TEXTS), fitted(TEXTS))
    assert again.key == fitted.key


@pytest.mark.parametrize("check", detector_checks(), ids=lambda check: check.__name__)
def test_contract(check, tiny_models):
    check(ghostbuster(tiny_models, "depth=1").fit(TEXTS, LABELS, clusters=CLUSTERS))


def test_a_training_text_is_not_recognised_by_its_own_n_grams(tiny_models):
    """Read by n-grams that hold it, a human training text is far likelier than any new one; out of its part it is not."""
    from evenhand.detectors.trained.base import lesson
    from evenhand.detectors.trained.ghostbuster import vectors_of

    draw = np.random.default_rng(4)
    odd = ["".join(draw.choice(list("abcdefghijklmnopqrstuvwxyz "), 80)) for _ in range(12)]
    texts = odd + TEXTS[12:]
    detector = ghostbuster(tiny_models, "depth=1", second=False)
    taught = lesson(detector, texts, LABELS, {"levels": None, "corpora": None, "clusters": texts})
    stats = token_statistics(taught.texts, tiny_models["first"])
    held = selection.folds(taught.clusters, taught.machine, 5, 0)
    apart = detector.training_vectors(stats, taught, held)
    human = np.flatnonzero(~taught.machine)
    inside = [vectors_of(stats[i], detector.ngrams_)["g"].mean() for i in human]
    assert np.mean([apart[i]["g"].mean() for i in human]) < 0.8 * np.mean(inside)


def test_a_corpus_of_its_own_for_the_n_grams(tiny_models, tmp_path):
    file = tmp_path / "weak.txt"
    file.write_text("\n\n".join(TEXTS[:6]), encoding="utf-8")
    fitted = ghostbuster(tiny_models, f"depth=1, weak_corpus={str(file)!r}").fit(TEXTS, LABELS, clusters=CLUSTERS)
    file.write_text("\n\n".join(TEXTS[6:12]), encoding="utf-8")
    other = ghostbuster(tiny_models, f"depth=1, weak_corpus={str(file)!r}").fit(TEXTS, LABELS, clusters=CLUSTERS)
    assert fitted.key != other.key, "another corpus under the same name is another detector"
    file.unlink()
    assert np.isfinite(fitted(TEXTS)).all(), "fitted, it needs the file no more"
    with pytest.raises(DataError, match="cannot be read as UTF-8 text"):
        ghostbuster(tiny_models, f"depth=1, weak_corpus={str(file)!r}").fit(TEXTS, LABELS, clusters=CLUSTERS)


def test_other_clusters_are_another_detector(tiny_models):
    one, two = (
        ghostbuster(tiny_models, "depth=1").fit(TEXTS, LABELS, clusters=clusters)
        for clusters in (CLUSTERS, [f"c{i % 8}" for i in range(24)])
    )
    assert one.key != two.key


def test_what_is_refused(tiny_models):
    with pytest.raises(DataError, match="has learnt nothing yet"):
        ghostbuster(tiny_models)(TEXTS[:1])
    with pytest.raises(SpecError, match=r"the tokenizers of .* differ"):
        detectors.get(f"ghostbuster(second_model={tiny_models['stranger']!r})", tiny_models["first"]).fit(TEXTS, LABELS)
    for options, message in (
        ("expressions='mine'", "'search' or 'published'"),
        ("criterion='f2'", "log_loss, accuracy"),
        ("depth=4", "1, 2 or 3 vectors"),
        ("most=0", "most must be a whole number"),
    ):
        with pytest.raises(SpecError, match=message):
            ghostbuster(tiny_models, options)
    with pytest.raises(SpecError, match="set second_model"):
        ghostbuster(tiny_models, "expressions='published'", second=False)
    with pytest.raises(DataError, match="leave a side with one class"):
        ghostbuster(tiny_models, "depth=1").fit(TEXTS, LABELS, clusters=["one"] * 24)
    fitted = ghostbuster(tiny_models, "depth=1").fit([*TEXTS, "", "a"], [*LABELS, 0, 1])
    assert fitted.training_["unreadable"] == 2
    assert [j.status for j in fitted.judge(["", "one"])] == ["abstained", "abstained"]


# the released numbers


@pytest.fixture
def folder(tmp_path):
    """As the authors' files, written out: their twelve expressions by their long names, made-up numbers."""
    long = {"u": "unigram-logprobs", "g": "trigram-logprobs", "a": "ada-logprobs", "d": "davinci-logprobs"}
    lines = [" ".join(long.get(word, word) for word in expression.split()) for expression in PUBLISHED]
    (tmp_path / "released").mkdir()
    (tmp_path / "released" / "features.txt").write_text("\n".join(lines) + "\n")
    draw = np.random.default_rng(8)
    numbers = {
        "mu": draw.normal(size=19),
        "sigma": draw.uniform(1, 2, 19),
        "coef": draw.normal(size=(1, 19)),
        "intercept": [0.5],
    }
    write(tmp_path / "released", numbers)
    (tmp_path / "weak.txt").write_text("\n\n".join(TEXTS[:5]))
    return tmp_path


def write(folder, numbers):
    told = {name: np.asarray(values).tolist() for name, values in numbers.items()}
    (folder / "parameters.json").write_text(json.dumps(told))
    return {name: np.array(values) for name, values in told.items()}


def of_folder(folder, tiny_models):
    own = f"path={str(folder / 'released')!r}, weak_corpus={str(folder / 'weak.txt')!r}"
    return detectors.get(
        f"ghostbuster_released({own}, model={tiny_models['first']!r}, second_model={tiny_models['second']!r})"
    )


def test_released_numbers_score_as_their_formula(folder, tiny_models):
    found = of_folder(folder, tiny_models)
    numbers = json.loads((folder / "released" / "parameters.json").read_text())
    text = TEXTS[6]
    (stats,) = token_statistics([text], tiny_models["first"], reference=tiny_models["second"])
    d, a = np.exp(stats.log_prob.astype(float)), np.exp(stats.cross.log_prob.astype(float))
    n_grams = gr.of_corpus(str(folder / "weak.txt"), tiny_models["first"])
    vectors = {"u": n_grams.unigram(stats.token_ids), "g": n_grams.trigram(stats.token_ids), "a": a, "d": d}
    x = np.array([*hand_features(text, stats.offsets, vectors), *ex.values([ex.parse(e) for e in PUBLISHED], vectors)])
    assert x[0] == x[1] == x[2] == 0, "the three that are constant"
    expected = numbers["coef"][0] @ ((x - numbers["mu"]) / numbers["sigma"]) + 0.5
    assert found([text]) == pytest.approx([expected])
    before = found.key
    write(folder / "released", {**numbers, "intercept": [1.5]})
    assert found.key != before
    assert found([text]) == pytest.approx([expected + 1]), "what is in memory is read again"
    assert found.judge(["one"])[0].status == "abstained"


def test_numbers_of_a_calibrated_model(folder):
    numbers = json.loads((folder / "released" / "parameters.json").read_text())
    rows = np.random.default_rng(3).normal(size=(5, 19))
    calibration = np.column_stack([-np.linspace(0.5, 1.5, 5), np.linspace(-0.2, 0.2, 5)])
    five = write(folder / "released", {**numbers, "coef": rows, "intercept": np.arange(5), "calibration": calibration})
    x = np.random.default_rng(4).normal(size=19)
    odds = five["coef"] @ ((x - five["mu"]) / five["sigma"]) + five["intercept"]
    p = (1 / (1 + np.exp(calibration[:, 0] * odds + calibration[:, 1]))).mean()
    assert gr.parameters(str(folder / "released"), 0.0).log_odds(x) == pytest.approx(np.log(p / (1 - p)))


def test_numbers_as_npz_and_what_is_refused_of_a_folder(folder, tiny_models):
    released = folder / "released"
    numbers = {k: np.array(v) for k, v in json.loads((released / "parameters.json").read_text()).items()}
    before = of_folder(folder, tiny_models)(TEXTS[:2])
    (released / "parameters.json").unlink()
    np.savez(released / "parameters.npz", **numbers)
    assert np.array_equal(of_folder(folder, tiny_models)(TEXTS[:2]), before)
    (released / "parameters.npz").unlink()
    (released / "mu").write_bytes(b"\x80\x04pickled")
    with pytest.raises(
        DataError, match=r"it has mu: pickle files run what they hold, so they are not read here\. Where"
    ):
        gr.parameters(str(released), 1.0)
    np.savez(released / "parameters.npz", mu=np.array([object()]))
    with pytest.raises(DataError, match="cannot be read: Object arrays"):
        gr.parameters(str(released), 2.0)
    for wrong, message in (
        ({"mu": numbers["mu"][:5]}, r"mu has the shape \(5,\) and must have \(19,\)"),
        ({"sigma": numbers["sigma"] * 0}, "sigma must be above 0"),
        ({"coef": numbers["coef"] * np.nan}, "all finite"),
        ({"calibration": [[1, 2], [3, 4]]}, "calibration has the shape"),
    ):
        write(released, {**numbers, **wrong})
        with pytest.raises(DataError, match=message):
            gr.parameters(str(released), np.random.default_rng().random())
    (released / "features.txt").write_text("unigram-logprobs v-up davinci-logprobs s-var")
    with pytest.raises(DataError, match=r"features\.txt: expression .* word 2 is 'v-up'"):
        gr.parameters(str(released), 4.0)
    with pytest.raises(SpecError, match="missing a required argument: 'path'"):
        detectors.get("ghostbuster_released(second_model='x')")
    with pytest.raises(SpecError, match="needs path, weak_corpus and second_model"):
        detectors.get("ghostbuster_released(path='x', weak_corpus='y')")
    with pytest.raises(DataError, match="give the folder of the released numbers"):
        gr.parameters(str(released / "no"), 5.0)
    (folder / "weak.txt").unlink()
    with pytest.raises(DataError, match=r"weak\.txt cannot be read: .* give a file that is there"):
        _ = of_folder(folder, tiny_models).key


@pytest.mark.long
@pytest.mark.model
def test_a_real_pair_on_real_texts(embedded, shared, tmp_path, monkeypatch):
    """The embedded model and itself after a short further training, on texts of one domain, tested on another's."""
    import gzip

    torch = pytest.importorskip("torch")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from evenhand import stats
    from evenhand.models.weights import resolve

    monkeypatch.delenv("EVENHAND_CACHE")
    monkeypatch.setenv("EVENHAND_STATISTICS_CACHE", "0")
    source = resolve(embedded).folder()
    read, model = AutoTokenizer.from_pretrained(source), AutoModelForCausalLM.from_pretrained(source)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for text in (HUMAN, MACHINE):
        ids = read(text, return_tensors="pt").input_ids
        model(input_ids=ids, labels=ids).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(tmp_path / "second")
    read.save_pretrained(tmp_path / "second")
    with gzip.open(shared / "data" / "dev" / "detectrl_clean.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if len(row["text"]) < 1200]
    cells = {
        (domain, label): [r for r in rows if r["domain"] == domain and r["label"] == label][:20]
        for domain in ("xsum", "writing_prompt")
        for label in ("human", "machine")
    }
    train, test = ([*cells[d, "human"], *cells[d, "machine"]] for d in ("writing_prompt", "xsum"))
    fitted = detectors.get(f"ghostbuster(second_model={str(tmp_path / 'second')!r}, depth=2)", embedded)
    fitted.fit(
        [r["text"] for r in train], [int(r["label"] == "machine") for r in train], clusters=[r["doc"] for r in train]
    )
    found = fitted([r["text"] for r in test])
    machine = np.array([r["label"] == "machine" for r in test])
    assert stats.auroc(found[machine], found[~machine]).value > 0.6
    words = token_statistics([HUMAN], embedded)[0]
    assert sum(word_tokens(HUMAN, words.offsets)) < words.n_scored, (
        "the real tokenizer's offsets show where words begin"
    )
    assert len(word_tokens(HUMAN, words.offsets)) == HUMAN.count(" ")
