"""Fine-tuning of a causal language model on prompts and what follows them; goes on after the last whole epoch, as finetune."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MissingError
from .encoder import fetched
from .finetune import Classifier, Examples, Outcome, Progress, Read, Schedule, Training, outcome, reader
from .home import cache_dir
from .loading import quiet
from .weights import Weights, import_torch

GPT2_SECTIONS = Schedule(epochs=6, lr=5e-5, batch=16, warmup=200, max_tokens=1024, patience=None, seed=0)
"""IDMGSP, section 3.2.2: 6 epochs, 16 papers a step, 1,024 tokens; rate and warm-up are the notebook's (its library's default,
and 200 steps). The notebook cuts all papers, joined, into blocks of 128 tokens; here a paper is an example, as the paper says.
Weights are those of the epoch with the lowest loss on the validation papers; the notebook keeps the last ones."""


class LanguageTraining(Training):
    """The loss is that of every token, the prompt's included."""

    def loss(self, examples: Examples, rows: Sequence[int] | NDArray[Any]) -> Any:
        torch, device = self.torch, self.by.model.device
        ids = [examples.reads[i].ids for i in rows]
        longest, pad = max(map(len, ids)), self.by.reader.tokenizer.pad_token_id
        inputs = torch.tensor([one + [pad] * (longest - len(one)) for one in ids], device=device)
        mask = torch.tensor([[1] * len(one) + [0] * (longest - len(one)) for one in ids], device=device)
        labels = inputs.masked_fill(mask == 0, -100)
        return self.by.model(input_ids=inputs, attention_mask=mask, labels=labels).loss


def tune(
    base: Weights,
    train: Sequence[tuple[str, str]],
    validation: Sequence[tuple[str, str]],
    schedule: Schedule = GPT2_SECTIONS,
    progress: Progress | None = None,
) -> Outcome:
    """Learns (prompt, what follows) pairs; each ends with the end of text, so that what is generated ends too.

    Raises DataError where a side is empty, MissingError where a card is asked for and none is here.
    """
    if not train or not validation:
        raise DataError(f"a language model is tuned on papers of two sides; got {len(train)} and {len(validation)}")
    torch = import_torch("fine-tuning")
    if base.device.startswith("cuda") and not torch.cuda.is_available():
        raise MissingError(f"{base.key} asks for a CUDA card and none is here; use device=cpu")
    work = work_folder(base, train, validation, schedule)
    if not ((work / "model").is_dir() and (work / "state.json").is_file()):
        work.mkdir(parents=True, exist_ok=True)
        with torch.random.fork_rng():
            by = language_model(base, torch)
            sides = [examples(by, side, schedule.max_tokens) for side in (train, validation)]
            LanguageTraining(torch, by, sides[0], sides[1], schedule, base, work).run(progress)
    return outcome(work)


def work_folder(
    base: Weights, train: Sequence[tuple[str, str]], validation: Sequence[tuple[str, str]], schedule: Schedule
) -> Path:
    """Named after all that decides the weights."""
    parts = repr((base.key, schedule, list(train), list(validation)))
    return cache_dir() / "tuned" / blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def language_model(base: Weights, torch: Any) -> Classifier:
    """The base model in float32, with its reader."""
    from transformers import AutoModelForCausalLM

    quiet()
    folder = fetched(base)
    model = AutoModelForCausalLM.from_pretrained(
        folder, local_files_only=True, use_safetensors=True, dtype=torch.float32
    )
    return Classifier(reader(folder), model.to(base.device))


def examples(by: Classifier, pairs: Sequence[tuple[str, str]], max_tokens: int) -> Examples:
    """Prompt, text and the end of text as token ids, cut at ``max_tokens``; what was cut has no end."""
    tokenizer, limit = by.reader.tokenizer, min(max_tokens, by.reader.longest)
    reads = []
    for prompt, text in pairs:
        ids = [*tokenizer(prompt + text, verbose=False)["input_ids"], tokenizer.eos_token_id]
        reads.append(Read(ids[:limit], len(ids) > limit))
    return Examples(reads, np.zeros((len(reads), 1), np.bool_))
