"""Many detectors over many texts, with one model pass for all that share it. What fails is a row, never a lost run."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from ..documents import Judgement
from ..errors import ContractError, DataError, EvenhandError
from ..models.batches import many
from ..models.causal import Job, check_tokenizers, one_shape
from ..models.statistics import TokenStatistics
from ..models.weights import Weights, resolve
from .base import Detector, TokenDetector, check_texts
from .language import language_note

if TYPE_CHECKING:
    import pyarrow as pa

AT_ONCE = 256
"""Texts whose statistics are in memory together: enough to fill a card, and no more for a longer list."""


def judge(texts: Sequence[str], detectors: Sequence[Any]) -> list[list[Judgement]]:
    """One list of Judgements per detector, in the order of the texts; each text goes through each model once.

    Detectors are Detectors or plain callables, texts -> floats. Raises EvenhandError for what is wrong with a set-up (no such
    model, tokenizers that differ); any other exception becomes the status 'failed' of the text that met it.
    """
    texts = check_texts(texts)
    answers: dict[int, list[Judgement]] = {}
    for models, places in groups(detectors).items():
        members = [detectors[place] for place in places]
        answers.update(zip(places, judge_group(texts, models, members), strict=True))
    for place, detector in enumerate(detectors):
        if place not in answers:
            answers[place] = judge_apart(detector, texts)
    return [answers[place] for place in range(len(detectors))]


Models = tuple[Weights, Weights | None, int | None]
"""The scoring model, the one beside it, and the truncation: what detectors must share to share a pass."""


def groups(detectors: Sequence[Any]) -> dict[Models, list[int]]:
    """The places of the token detectors, by the passes that they share. Raises SpecError where a pair's tokenizers differ."""
    found: dict[Models, list[int]] = defaultdict(list)
    for place, detector in enumerate(detectors):
        if isinstance(detector, TokenDetector):
            found[models_of(detector)].append(place)
    pairs = [(models, models[1]) for models in found if models[1] is not None]
    for models, second in pairs:
        check_tokenizers(models[0], second)
    for alone in [models for models in found if models[1] is None]:
        if any(detectors[place].request.weighted for place in found[alone]):
            continue
        pair = next((m for m, second in pairs if m[::2] == alone[::2] and one_shape(alone[0], second)), None)
        if pair:  # what one model needs is a part of what the pair gives
            found[pair] += found.pop(alone)
    return found


def models_of(detector: TokenDetector) -> Models:
    weights = resolve(detector.model)
    second = resolve(detector.second_model) if detector.second_model else None
    return weights, None if second == weights else second, detector.truncate


def judge_group(texts: Sequence[str], models: Models, members: Sequence[TokenDetector]) -> list[list[Judgement]]:
    """One pass for detectors that share models and truncation."""
    weights, second, truncate = models
    job = Job(weights, second, truncate, reduce(or_, (member.request for member in members)))
    rows: list[list[Judgement]] = []
    for start in range(0, len(texts), AT_ONCE):
        part = texts[start : start + AT_ONCE]
        rows += [judge_text(text, stats, job, members) for text, stats in zip(part, many(part, job), strict=True)]
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in members]


def judge_text(
    text: str, stats: TokenStatistics | Exception, job: Job, members: Sequence[TokenDetector]
) -> list[Judgement]:
    if isinstance(stats, Exception):
        return [failed(stats)] * len(members)
    return [noted(answer(member, text, seen_by(member, stats, job), job), text) for member in members]


def seen_by(member: TokenDetector, stats: TokenStatistics, job: Job) -> TokenStatistics:
    """With the cross statistics that this detector asked for: of the pair, of one model on both sides, or none."""
    if member.second_model is None:
        return replace(stats, cross=None)
    return stats.against_itself() if resolve(member.second_model) == job.weights else stats


def answer(member: TokenDetector, text: str, stats: TokenStatistics, job: Job) -> Judgement:
    try:
        return member.judge_statistics(text, stats, job)
    except EvenhandError:
        raise
    except Exception as error:
        return failed(error)


def noted(found: Judgement, text: str) -> Judgement:
    """The note on the text's language stands beside the score and never changes it."""
    note = language_note(text) if found.status == "ok" else None
    if note is None:
        return found
    reason = "; ".join(filter(None, (found.reason, note)))
    return Judgement(found.score, found.status, reason, found.n_tokens, found.truncated)


def judge_apart(detector: Any, texts: list[str]) -> list[Judgement]:
    """A detector with a way of its own; where it fails on the list, each text is tried alone."""
    try:
        return ask(detector, texts)
    except EvenhandError:
        raise
    except Exception as error:
        if len(texts) == 1:
            return [failed(error)]
        return [judge_apart(detector, [text])[0] for text in texts]


def ask(detector: Any, texts: list[str]) -> list[Judgement]:
    if isinstance(detector, Detector) or hasattr(detector, "judge"):
        found = list(detector.judge(texts))
    else:
        found = [of_number(value) for value in detector(texts)]
    if len(found) != len(texts):
        raise ContractError(f"{name_of(detector)} gave {len(found)} scores for {len(texts)} texts; one each is needed")
    return found


def of_number(value: Any) -> Judgement:
    score = float(value)
    if math.isfinite(score):
        return Judgement(score)
    return Judgement(math.nan, "abstained", "NaN: no reason given" if math.isnan(score) else f"the score is {score}")


def failed(error: Exception) -> Judgement:
    return Judgement(math.nan, "failed", f"{type(error).__name__}: {error}"[:500])


def name_of(detector: Any) -> str:
    """A Detector's spec; a plain callable's module and name."""
    if spec := getattr(detector, "spec", None):
        return str(spec)
    named = detector if hasattr(detector, "__qualname__") else type(detector)
    return f"{named.__module__}:{named.__qualname__}"


def key(detector: Any) -> str:
    """What a detector's results are kept under: its canonical spec, with its models at their revisions."""
    own = getattr(detector, "key", None)
    return str(own) if own is not None else name_of(detector)


def as_detector(detector: Any, model: str | None = None) -> Any:
    """Of a spec, with ``model`` filled in; what is no spec must be callable."""
    from . import get

    if isinstance(detector, str):
        return get(detector, model)
    if not callable(detector):
        raise DataError(f"{detector!r} is no detector: give a spec such as 'lrr', or a callable, texts -> floats")
    return detector


def score_texts(texts: Sequence[str], detectors: Sequence[Any] | str, model: str | None = None) -> pa.Table:
    """One row per text and detector: text_index, detector (as it was given), score (NaN unless status is 'ok'), status,
    reason, n_tokens, truncated. Every text goes through each model once; ``model`` is for detectors that name none."""
    import pyarrow as pa

    one = isinstance(detectors, str) or callable(detectors)
    if not one and not isinstance(detectors, Iterable):
        raise DataError(f"a list of detectors is needed, got {detectors!r}; give specs such as 'lrr', or callables")
    asked = [detectors] if one else list(detectors)
    columns = judge(texts, [as_detector(detector, model) for detector in asked])
    names = [detector if isinstance(detector, str) else name_of(detector) for detector in asked]
    rows = [
        row_of(index, name, found)
        for name, column in zip(names, columns, strict=True)
        for index, found in enumerate(column)
    ]
    return pa.Table.from_pylist(rows, score_schema())


def score_schema() -> pa.Schema:
    import pyarrow as pa

    fields = [("text_index", pa.int64()), ("detector", pa.string()), ("score", pa.float64()), ("status", pa.string())]
    return pa.schema([*fields, ("reason", pa.string()), ("n_tokens", pa.int32()), ("truncated", pa.bool_())])


def row_of(index: int, name: str, found: Judgement) -> dict[str, Any]:
    return {
        "text_index": index,
        "detector": name,
        "score": found.score,
        "status": found.status,
        "reason": found.reason,
        "n_tokens": found.n_tokens,
        "truncated": found.truncated,
    }
