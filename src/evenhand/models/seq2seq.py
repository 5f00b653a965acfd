"""Sampling from an encoder-decoder model (T5, and others of its form), T5's filling of gaps, and how likely it finds a text.

Batched, one random generator per answer, as in generation.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import Abstain, DataError, SpecError
from .generation import Sampling, cache_name, draw_token
from .loading import pretrained, tokenizer
from .weights import Weights, import_torch

LONGEST = 1024
"""Tokens of a text whose likelihood is asked for, as in BARTScore."""
GAP = re.compile(r"<extra_id_\d+>")


@lru_cache(maxsize=1)
def seq2seq_model(weights: Weights) -> Any:
    """The encoder-decoder model, in evaluation mode, without gradients."""
    return pretrained("AutoModelForSeq2SeqLM", weights)


def transduce(
    texts: Sequence[str],
    weights: Weights,
    *,
    seeds: Sequence[int],
    sampling: Sampling,
    ends: frozenset[int] = frozenset(),
) -> list[list[int]]:
    """Token ids sampled for each text, all in one batch; a row ends at the model's end token or at one of ``ends``."""
    if len(texts) != len(seeds):
        raise SpecError(f"{len(texts)} texts need as many seeds, got {len(seeds)}")
    torch, model = import_torch(), seq2seq_model(weights)
    read = tokenizer(weights)(list(texts), return_tensors="pt", padding=True).to(model.device)
    stop = ends | {model.config.eos_token_id}
    generators = [np.random.default_rng(seed) for seed in seeds]
    made: list[list[int]] = [[] for _ in texts]
    alive = [True] * len(texts)
    with torch.inference_mode():
        encoded = model.get_encoder()(input_ids=read.input_ids, attention_mask=read.attention_mask)
        last = torch.full((len(texts), 1), model.config.decoder_start_token_id, device=model.device)
        past: dict[str, Any] = {}
        for _ in range(sampling.max_new_tokens):
            out = model(
                encoder_outputs=encoded,
                attention_mask=read.attention_mask,
                decoder_input_ids=last,
                use_cache=True,
                **past,
            )
            past = {cache_name(model): out[cache_name(model)]}
            for row, values in enumerate(out.logits[:, -1].float().cpu().numpy()):
                if alive[row]:
                    made[row].append(draw_token(values, generators[row], sampling))
                    alive[row] = made[row][-1] not in stop
            if not any(alive):
                break
            last = torch.tensor([[ids[-1]] for ids in made], device=model.device)
    return made


def log_likelihoods(text: str, sources: Sequence[str], weights: Weights) -> list[float]:
    """Mean log-probability of the text's tokens, special ones included, after each source (BARTScore): one a source.

    Raises Abstain where the text or a source has more tokens than BARTScore reads, or than the model has positions.
    """
    torch, model, read = import_torch(), seq2seq_model(weights), tokenizer(weights)
    target = read(text, return_tensors="pt").input_ids.to(model.device)
    given = read(list(sources), return_tensors="pt", padding=True, return_token_type_ids=False).to(model.device)
    longest = max(target.shape[1], given.input_ids.shape[1])
    if longest > (room := min(getattr(model.config, "max_position_embeddings", LONGEST), LONGEST)):
        raise Abstain(f"{longest} tokens of {weights.source}, which reads {room}: cut the text beforehand")
    with torch.inference_mode():
        labels = target.repeat(len(sources), 1)
        own = model(**given, labels=labels).logits.float().log_softmax(-1).gather(-1, labels[..., None])
    return [float(value) for value in own[..., 0].mean(1)]


def fill_gaps(
    texts: Sequence[str], weights: Weights, *, seeds: Sequence[int], max_tokens: int = 150
) -> list[list[str]]:
    """T5's fillings for the gaps <extra_id_0>, <extra_id_1>, ... of each text, in order; fewer where it ended early.

    As DetectGPT's code asks: sampled, top_p 1, at most 150 tokens, ended by the sentinel after the last gap.
    """
    counts = [len(GAP.findall(text)) for text in texts]
    vocabulary = tokenizer(weights).get_vocab()
    end = f"<extra_id_{max(counts, default=0)}>"
    if "<extra_id_0>" not in vocabulary:
        raise DataError(f"{weights.source} has no <extra_id_0>: fillings need a T5 such as hub:google-t5/t5-large")
    if end not in vocabulary:
        raise DataError(f"{weights.source} has fewer gap marks than the {max(counts)} gaps of a text; mask fewer spans")
    sampling = Sampling(max_new_tokens=max_tokens)
    rows = transduce(texts, weights, seeds=seeds, sampling=sampling, ends=frozenset([vocabulary[end]]))
    return [
        fillings(tokenizer(weights).decode(ids, skip_special_tokens=False), n)
        for ids, n in zip(rows, counts, strict=True)
    ]


def fillings(answer: str, n_gaps: int) -> list[str]:
    """The pieces between the sentinels of an answer, at most ``n_gaps``; padding and end marks taken off."""
    answer = answer.replace("<pad>", "").replace("</s>", "")
    pieces = [piece.strip() for piece in GAP.split(answer)[1:]]
    return pieces[:n_gaps]
