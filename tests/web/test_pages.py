"""The local page over real run folders, through its addresses."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")
from starlette.testclient import TestClient

from evenhand import Plan, score
from evenhand.documents import Judgement
from evenhand.store import Store
from evenhand.web import page
from evenhand.web.runs import Study, judged, one_run, runs

HOST = "http://127.0.0.1"
OPENINGS = ("The framework provides a robust solution", "We walked home and she was glad")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 24 texts, half of them training, whose detector needs no model; and a damaged one beside it."""
    made = tmp_path_factory.mktemp("runs")
    rows = [
        {
            "id": f"t{i}<b>",
            "text": f"{OPENINGS[i % 2]} {'again ' * (i % 5)}{i}.",
            "label": ("machine", "human")[i % 2],
            "cluster": f"c{i}",
            "split": ("train", "test")[i % 4 // 2],
        }
        for i in range(24)
    ]
    source = made / "texts.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    plan = Plan(
        f"jsonl(path='{source}')", detectors=("tfidf_lr(min_words=2)",), attacks=("upper_lower",), audits=("clean",)
    )
    score(plan, made / "deep" / "study")
    (made / "broken").mkdir()
    (made / "broken" / "plan.toml").write_text("x = [")
    return made


def judge(run: Store, text: str) -> dict[str, Judgement]:
    return {spec: Judgement(float(len(text))) for spec in run.read_json("environment.json")["detectors"]}


@pytest.fixture
def client(folder: Path) -> TestClient:
    return TestClient(page(folder, judge), base_url=HOST)


def test_runs_are_listed_and_a_damaged_one_is_told(client: TestClient, folder: Path) -> None:
    assert list(runs(folder)) == ["broken", "deep/study"]
    shown = client.get("/")
    assert shown.status_code == 200
    assert "tfidf_lr" in shown.text
    assert "cannot be read" in shown.text


def test_a_run_folder_itself_can_be_served(folder: Path) -> None:
    assert list(runs(folder / "deep" / "study")) == ["study"]


def test_a_plan_of_ones_own_beside_the_runs_is_no_run(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text('corpus = "embedded"')
    (tmp_path / "study").symlink_to(folder / "deep" / "study", target_is_directory=True)
    assert list(runs(tmp_path)) == ["study"]


def test_the_report_follows_the_policy_asked_for(client: TestClient) -> None:
    frame = client.get("/run/deep/study", params={"fpr": "0.2"})
    assert 'src="/report/deep/study?boundary=rewrite-human&amp;fpr=0.2"' in frame.text
    assert "20%" in client.get("/report/deep/study", params={"fpr": "0.2"}).text
    assert "20%" not in client.get("/report/deep/study", params={"fpr": "0.1"}).text


def test_texts_are_filtered_sorted_and_escaped(client: TestClient) -> None:
    every = client.get("/texts/deep/study").text
    assert "24 texts" in every  # 12 of the test half, and each attacked
    assert "t2&lt;b&gt;" in every
    assert "t2<b>" not in every
    few = client.get("/texts/deep/study", params={"label": "human", "attack": "none", "detector": "tfidf_lr"}).text
    assert "6 texts" in few
    scores = [float(found) for found in re.findall(r"<td(?: class=\"flagged\")?>(-?[\d.]+)</td>", few)]
    assert len(scores) == 6
    assert scores == sorted(scores, reverse=True)


def test_one_text_stands_beside_the_human_ones(client: TestClient, folder: Path) -> None:
    study = Study.of(one_run(folder, "deep/study"))
    place = int(np.flatnonzero(study.rows.clean & study.rows.human)[0])
    shown = client.get(f"/text/deep/study/{place}").text
    assert "We walked home" in shown
    spec = study.detectors["tfidf_lr"]
    rows, calibration = study.rows, study.rows.half(study.settings.seed) == "calibration"
    others = rows.scores[spec][rows.clean & rows.human & calibration & (np.arange(len(rows)) != place)]
    mine = rows.scores[spec][place]
    (found,) = judged(study, place)
    assert found.standing.p == pytest.approx((1 + (others >= mine).sum()) / (len(others) + 1))
    assert found.standing.human == len(others)


def test_a_new_text_is_judged_by_what_the_command_hands_in(client: TestClient) -> None:
    shown = client.post("/try", data={"run": "deep/study", "text": "abcde <i>"})
    assert shown.status_code == 200
    assert "abcde &lt;i&gt;" in shown.text
    assert "<td>9</td>" in re.sub(r"\s+", "", shown.text)


def test_without_a_judge_nothing_is_tried(folder: Path) -> None:
    alone = TestClient(page(folder), base_url=HOST)
    assert "Try a text" not in alone.get("/").text
    assert alone.get("/try").status_code == 400


@pytest.mark.parametrize(
    "address",
    [
        "/run/nowhere", "/run/../../etc", "/texts/deep/study?page=0", "/texts/deep/study?page=x", "/text/deep/study/999",
        "/text/deep/study/-1", "/report/deep/study?fpr=a", "/report/deep/study?fpr=2", "/report/deep/study?boundary=x",
        "/run/broken", "/try?run=x",
    ],
)  # fmt: skip
def test_what_is_not_there_is_a_page_with_the_cure(client: TestClient, address: str) -> None:
    shown = client.get(address)
    assert shown.status_code in (400, 404)
    assert "Traceback" not in shown.text


def test_other_hosts_and_other_sites_are_refused(client: TestClient) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400
    for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "http://evil.example"}):
        shown = client.post("/try", data={"run": "deep/study", "text": "a"}, headers=headers)
        assert shown.status_code == 400
        assert "another site" in shown.text


def test_a_form_has_a_limit(client: TestClient) -> None:
    assert "longer than" in client.post("/try", data={"run": "deep/study", "text": "a" * 2_100_000}).text


def test_no_page_loads_anything_from_elsewhere(client: TestClient) -> None:
    for address in ("/", "/run/deep/study", "/texts/deep/study", "/try"):
        shown = client.get(address)
        assert "default-src 'none'" in shown.headers["content-security-policy"]
        assert not re.findall(r"(?:src|href)=\"(?:https?:)?//", shown.text)
    assert "content-security-policy" not in client.get("/report/deep/study").headers  # the report has its own


def test_the_command_judges_by_the_detectors_as_the_run_fitted_them(folder: Path) -> None:
    from evenhand.cli.serve import judge as handed

    run = one_run(folder, "deep/study")
    row = Study.of(run).rows
    place = int(np.flatnonzero(row.clean)[0])
    (answer,) = handed(run, str(row.texts[place])).values()
    (scores,) = row.scores.values()
    assert answer.score == pytest.approx(scores[place])
    environment = json.loads((run.folder / "environment.json").read_text())
    environment["detectors"]["saved(path='nowhere')"] = "x"
    other = Store(folder / "copy")
    shutil.copytree(run.folder, other.folder)
    (other.folder / "environment.json").write_text(json.dumps(environment))
    assert handed(other, "some words of a text here")["saved(path='nowhere')"].status == "failed"
    shutil.rmtree(other.folder)
