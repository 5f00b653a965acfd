"""Every style and every step of LLMFE against a real server, `transformers serve` with the embedded model: 135M parameters may
answer anything, so what is checked is that all of it arrives, is read or counted, and is never asked for twice."""

from __future__ import annotations

import math
import time

import pytest

from evenhand import corpora, detectors
from evenhand.detectors.prompted.drawing import Known
from evenhand.detectors.prompted.features import Feature, Proposal
from evenhand.errors import MissingError

pytestmark = [pytest.mark.long, pytest.mark.model]
pytest.importorskip("openai", reason="needs the extra llm")


@pytest.fixture(scope="module")
def passages() -> tuple[list[str], list[str]]:
    documents = list(corpora.get("embedded"))
    sides = ([d.text for d in documents if d.label == label][:8] for label in ("human", "machine"))
    return next(sides), next(sides)


def spec(name: str, server: tuple[str, str], **more: object) -> str:
    told = {"endpoint": server[0], "model": server[1], "key_env": "", "max_words": 40, **more}
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in told.items())})"


@pytest.mark.parametrize("style", ["io", "cot", "ip", "fs"])
def test_each_style(model_server, answers_apart, passages, style):
    human, machine = passages
    detector = detectors.get(spec(f"prompted_{style}", model_server, max_new_tokens=24))
    if style == "fs":
        detector.fit([*human, *machine], [0] * 8 + [1] * 8)
    texts = [human[0], machine[0], ""]
    assert detector.cost(texts).requests == 2
    found = detector.judge(texts)
    assert [one.status for one in found[:2]].count("failed") == 0
    assert all((one.status == "ok") == (one.score in (0.0, 1.0)) for one in found)
    assert all(one.reason for one in found if one.status == "abstained")
    assert detector.cost(texts).kept == 2
    started = time.perf_counter()
    assert [one.status for one in detector.judge(texts)] == [one.status for one in found]
    assert time.perf_counter() - started < 2  # nothing was asked again
    print(style, [(one.score, one.reason) for one in found])


def test_a_server_that_lists_no_alternatives_is_told_of(model_server, answers_apart, passages):
    detector = detectors.get(spec("prompted_io", model_server, output="log_odds"))
    with pytest.raises(MissingError, match=r"gives no log-probabilities .* output='answer'"):
        detector(passages[0][:1])


def test_the_steps_of_llmfe(model_server, answers_apart, passages):
    human, machine = passages
    detector = detectors.get(spec("llmfe", model_server, n_pairs=4, n_train=16, max_new_tokens=64, repairs=1, chunk=2))
    rows = [*(Known(text, False) for text in human), *(Known(text, True) for text in machine)]
    proposals = detector.propose(detector.pairs(detector.chosen(rows)))
    assert len(proposals) == 4
    assert not any(reply.failed for reply in proposals)
    assert all(isinstance(reply.value, Proposal) or reply.reason for reply in proposals)
    given = [
        Feature("sentence length", "short", "long"),
        Feature("humour", "none", "much"),
        Feature("detail", "little", "much"),
    ]
    kept = detector.consolidated(given).kept
    detector.features_ = [[one.name, one.zero, one.ten, ""] for one in kept]
    columns = [detector.score_part(human[:2], part) for part in detector.parts]
    rows_read = [detector.row(replies) for replies in zip(*columns, strict=True)]
    assert [len(values) for values, _ in rows_read] == [3, 3]
    assert all(math.isnan(value) or value in range(11) for values, _ in rows_read for value in values)
    print([reply.value for reply in proposals], rows_read)
