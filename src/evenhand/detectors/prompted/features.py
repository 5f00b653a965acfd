"""The first steps of LLMFE as functions of what is given to them: features from pairs of texts, read from answers, one of each
kind kept, and scores of texts along them. Answers are kept, so any step can be done again without asking."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...documents import digest
from ...models.chat import Request
from ...models.generation import Message, Sampling
from ...seeds import seed_of
from .prompts import Profile, noun, structured
from .reading import LONGEST, objects

Matrix = NDArray[np.float64]
HIGHEST = 10
_LONGEST_NAME = 200
BLANK = "\n\n"


@dataclass(frozen=True, slots=True)
class Feature:
    """What is looked at, what 0 and 10 mean, and what the model expects of humans and machines."""

    name: str
    zero: str
    ten: str
    hypothesis: str = ""

    @property
    def described(self) -> str:
        return f"{self.name} (0 = {self.zero}; 10 = {self.ten})"


@dataclass(frozen=True, slots=True)
class Proposal:
    """The features of one answer; ``dropped`` were named without both ends of their scale, or with ends that are the same."""

    features: tuple[Feature, ...]
    dropped: int = 0


# --- 1 features from pairs


def task(profile: Profile) -> str:
    what = f"{noun(profile)}s"
    return (
        f"You are a data scientist. Your task is to engineer and score a set of features suitable to distinguish {what} written "
        f"by humans from {what} written by machine language models."
    )


FEATURE_FORM = (
    "The output should be a JSON object with a list 'features'. Each feature is an object with the texts 'name' (concise name of "
    "the feature), 'zero' (meaning of feature value of 0), 'ten' (meaning of feature value of 10) and 'hypothesis' (hypothesis "
    "of how human- and machine-written {what}s would score differently on this feature). For example:\n"
    '{{"features": [{{"name": "sentence length", "zero": "all sentences are short", "ten": "all sentences are long", '
    '"hypothesis": "machines write longer sentences"}}]}}'
)


def feature_form(profile: Profile) -> str:
    return FEATURE_FORM.format(what="paper" if profile == "idmgsp" else "text")


def pair_messages(human: str, machine: str, profile: Profile) -> list[Message]:
    """The authors' prompt for one pair (their notebook; the form of the answer is told in our words)."""
    short, what = ("paper" if profile == "idmgsp" else "text"), noun(profile)
    general = "\nThe features should generalize to scientific papers in a broad range of scientific fields."
    instructions = (
        f"###### Instructions ######\n\nBased on the above examples, describe a list of features that would best distinguish "
        f"human- and machine-written {what}s from each other. Features can be everything from very low level (e.g., occurrences "
        "of a specific word) to very high level (e.g., logical conclusiveness of argumentation). Each feature should be measured "
        'on a scale of 0 to 10. Therefore, indicate for each feature what 0 and 10 mean, respectively (e.g., 0 = "few", 10 = '
        f'"many").{general if profile == "idmgsp" else ""}'
    )
    content = (
        f"###### The following {short} was written by a HUMAN ######\n\n{human}\n\n"
        f"###### The following {short} was written by a MACHINE ######\n\n{machine}\n\n{instructions}\n\n{feature_form(profile)}"
    )
    return [{"role": "system", "content": task(profile)}, {"role": "user", "content": content}]


def pair_requests(pairs: Iterable[tuple[str, str]], profile: Profile, sampling: Sampling, seed: int) -> list[Request]:
    return [
        Request(
            pair_messages(human, machine, profile),
            seed_of(digest(human), digest(machine), "pair", seed),
            sampling,
            digest(human),
        )
        for human, machine in pairs
    ]


def read_features(text: str) -> Proposal | None:
    """The features that an answer names, in JSON or a line each (name | 0 = ... | 10 = ...); None where there are none."""
    told = list(_told(text[:LONGEST])) or list(_lines(text[:LONGEST]))
    found = [feature for one in told if (feature := _feature(one))]
    unique = tuple(dict.fromkeys(found))
    return Proposal(unique, len(told) - len(found)) if unique else None


def _told(text: str) -> Iterator[Mapping[str, Any]]:
    for one in objects(text):
        listed = one.get("features")
        if isinstance(listed, list):
            yield from (feature for feature in listed if isinstance(feature, dict))
        elif "name" in one:
            yield one


_LINE = re.compile(
    r"^\s*(?:[-*•]|\d+[.)])?\s*[*\"]*(?P<name>[^|(:=\n]{2,120}?)[*\"]*\s*[|(:–-]+\s*0\s*[=:]\s*[\"']?(?P<zero>[^|,;)\n]+?)[\"']?"
    r"\s*[|,;]\s*10\s*[=:]\s*[\"']?(?P<ten>[^|)\n]+?)[\"')|]*\s*$",
    re.MULTILINE,
)


def _lines(text: str) -> Iterator[Mapping[str, Any]]:
    yield from (match.groupdict() for match in _LINE.finditer(text))


def _feature(told: Mapping[str, Any]) -> Feature | None:
    values = {key: " ".join(str(told.get(key) or "").split()) for key in ("name", "zero", "ten", "hypothesis")}
    ends = values["zero"].lower(), values["ten"].lower()
    if not values["name"] or not all(ends) or ends[0] == ends[1] or max(map(len, values.values())) > 5 * _LONGEST_NAME:
        return None
    return Feature(values["name"][:_LONGEST_NAME], values["zero"], values["ten"], values["hypothesis"])


# --- 2 one of each kind


@dataclass(frozen=True, slots=True)
class Consolidated:
    """``kept`` features, one a cluster; ``clusters`` [n] names each proposed feature's, and ``tree`` is scipy's linkage
    [n - 1, 4] of average cosine distances."""

    kept: tuple[Feature, ...]
    clusters: NDArray[np.int64]
    tree: Matrix


def consolidate(features: Sequence[Feature], vectors: Matrix, cut: float) -> Consolidated:
    """Average linkage of cosine distances, cut at ``cut``; of each cluster the feature nearest to its centroid stays (by
    cosine; the first, where two are as near). ``vectors`` [n, d] stand for the features' descriptions."""
    from scipy.cluster.hierarchy import fcluster, linkage

    if len(features) < 2:
        return Consolidated(tuple(features), np.ones(len(features), np.int64), np.empty((0, 4)))
    tree = linkage(np.asarray(vectors, np.float64), method="average", metric="cosine")
    tree[:, 2] = np.maximum(tree[:, 2], 0)  # equal vectors are -1e-16 apart
    labels = np.asarray(fcluster(tree, t=cut, criterion="distance"), np.int64)
    kept = sorted(representative(np.flatnonzero(labels == label), vectors) for label in np.unique(labels))
    return Consolidated(tuple(features[i] for i in kept), labels, tree)


def representative(members: NDArray[np.int64], vectors: Matrix) -> int:
    mine = np.asarray(vectors, np.float64)[members]
    centroid = mine.mean(0)
    nearness = mine @ centroid / (np.linalg.norm(mine, axis=1) * np.linalg.norm(centroid) + 1e-300)
    return int(members[int(np.argmax(np.round(nearness, 9)))])


def description(feature: Feature, profile: Profile) -> str:
    """What is embedded of a feature: in the paper's way its JSON."""
    if profile == "idmgsp":
        import json

        return json.dumps(asdict(feature), ensure_ascii=False)
    return feature.described


# --- 3 scores


def chunks(features: Sequence[Feature], size: int) -> list[Sequence[Feature]]:
    return [features[start : start + size] for start in range(0, len(features), size)]


def score_form(features: Sequence[Feature], profile: Profile) -> str:
    if profile == "idmgsp":
        what = "to what degree the paper shows '{}' (value from 0 to 10, 0 = '{}', 10 = '{}')"
        return structured({label(one): what.format(one.name.lower(), one.zero, one.ten) for one in features})
    listed = "\n".join(f"{number}. {one.described}" for number, one in enumerate(features, 1))
    wanted = "\n".join(f"{number}: number" for number in range(1, len(features) + 1))
    return f"{listed}\n\nAnswer with one line for each, and nothing else:\n{wanted}"


def tokens_of(features: Sequence[Feature], profile: Profile) -> int:
    """Enough for the answer, so that a model which rambles on costs little: a line of a few tokens a feature, or a JSON field
    with its name, which is seldom under two letters a token."""
    if profile == "idmgsp":
        return 48 + sum(max(32, 12 + len(label(one)) // 2) for one in features)
    return 16 + 8 * len(features)


def label(feature: Feature) -> str:
    return feature.name.lower().replace(" ", "_")


def score_messages(text: str, features: Sequence[Feature], profile: Profile) -> list[Message]:
    what = noun(profile)
    content = (
        f"Here is a {what} that you should evaluate.\n\n{text}\n\n###### Instructions ######\n\nEvaluate the above {what} along "
        "the following list of criteria. For each criteria, assign an integer value from 0 to 10 that most accurately describes "
        f"the {what}.{' ' if profile == 'idmgsp' else BLANK}{score_form(features, profile)}"
    )
    return [{"role": "system", "content": task(profile)}, {"role": "user", "content": content}]


def read_scores(text: str, features: Sequence[Feature]) -> list[float] | None:
    """One score a feature, NaN where the answer has none from 0 to 10, or two that differ; None where it has none at all."""
    text = text[:LONGEST]
    told = [{str(k).strip().lower(): v for k, v in one.items()} for one in objects(text)]
    found = [_score(number, feature, told, text) for number, feature in enumerate(features, 1)]
    return found if any(not math.isnan(value) for value in found) else None


def _score(number: int, feature: Feature, told: Sequence[Mapping[str, Any]], text: str) -> float:
    names = (feature.name.lower(), label(feature), str(number))
    values = {_integer(one[name]) for one in told for name in names if name in one}
    if not values and not told:
        numbered = re.finditer(rf"(?m)^\s*{number}\s*[.:)=|-]+\s*(\d+(?:\.0+)?)(?:\s*/\s*10)?\b(?![.:)]\s*\S)", text)
        named = re.finditer(rf"(?mi)\b{re.escape(feature.name)}\W{{0,4}}[:=|]\W{{0,3}}(\d+(?:\.0+)?)(?![\d.])", text)
        values = {_integer(match[1]) for match in (*numbered, *named)}
    return values.pop() if len(values) == 1 else math.nan


def _integer(value: Any) -> float:
    """A whole number from 0 to 10, however it is written; NaN for what is none."""
    if isinstance(value, str):
        plain = re.fullmatch(r"\s*(\d+(?:\.0+)?)\s*(?:/\s*10)?\s*", value)
        value = float(plain[1]) if plain else math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    return float(value) if 0 <= value <= HIGHEST and float(value).is_integer() else math.nan
