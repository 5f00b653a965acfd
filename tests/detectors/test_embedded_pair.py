"""Two-model detectors with a real pair: the embedded model, and itself after a short further training."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from evenhand import score_texts  # noqa: E402
from evenhand.models.weights import resolve  # noqa: E402

pytestmark = [pytest.mark.model, pytest.mark.long]

LESSONS = [
    "The keeper of the lighthouse wrote down the wind every hour, and every hour the wind was the same.",
    "Bread was cheap that winter; coal was not. We burned the fence, then the shed, then the chairs.",
    "Nobody asked the translator what she thought, so she translated that as well.",
    "On the third day the river gave the bridge back, one stone at a time.",
]
TEXT = (
    "The market opened late because the clock tower had stopped, and the sellers, who did not own watches, waited for a bell "
    "that would not ring. When it was noon by the shadows, an old woman put her basket on a table and began."
)


@pytest.fixture(scope="module")
def trained(embedded: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    source, folder = resolve(embedded).folder(), tmp_path_factory.mktemp("trained")
    tokenizer, model = AutoTokenizer.from_pretrained(source), AutoModelForCausalLM.from_pretrained(source)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    model.train()
    for lesson in LESSONS:
        ids = tokenizer(lesson, return_tensors="pt").input_ids
        model(input_ids=ids, labels=ids).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def test_a_real_pair_against_its_whole_matrices(embedded: str, trained: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    monkeypatch.setenv("EVENHAND_STATISTICS_CACHE", "0")
    folder = resolve(embedded).folder()
    ids = AutoTokenizer.from_pretrained(folder)(TEXT, return_tensors="pt").input_ids
    logs = []
    for source in (trained, folder):
        with torch.no_grad():
            logits = AutoModelForCausalLM.from_pretrained(source)(input_ids=ids).logits[0].double()
        logs.append(torch.log_softmax(logits, -1).numpy())
    performer, observer = logs
    tokens = ids[0, 1:].numpy()
    own = performer[:-1][np.arange(len(tokens)), tokens]
    q = np.exp(observer)
    cross = -(q * performer).sum(1)
    spread = (q * (performer + cross[:, None]) ** 2).sum(1)[:-1].sum()
    expected = [
        own.mean() / cross.mean(),
        (own.mean() + performer[:-1].max(1).mean()) / (2 * cross.mean()),
        (own + cross[:-1]).sum() / np.sqrt(spread),
    ]
    specs = [f"binoculars(observer={embedded!r})", f"dna_detectllm(observer={embedded!r})"]
    specs += [f"fast_detect_gpt(reference={embedded!r})", f"lastde_plus(reference={embedded!r}, n_samples=20)"]
    rows = score_texts([TEXT], specs, model=trained).to_pylist()
    assert [row["status"] for row in rows] == ["ok"] * 4
    np.testing.assert_allclose([row["score"] for row in rows[:3]], expected, rtol=1e-4)
    one_sided = score_texts([TEXT], ["binoculars"], model=trained).to_pylist()[0]["score"]
    assert abs(one_sided - rows[0]["score"]) > 1e-4, "the training made another model"
