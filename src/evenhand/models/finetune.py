"""Fine-tuning of a transformer with a classification head; goes on after the last whole epoch, to the bit as if never stopped.

One step above which a text stands or not: two outputs and cross entropy, as published. Several: an output a step, each with a
binary cross entropy. Weights are kept by the lowest loss on the validation texts.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, MissingError
from ..seeds import seed_of
from .causal import SURROGATE
from .encoder import fetched, positions
from .loading import quiet
from .weights import Weights, import_torch

Progress = Callable[[int, int, float | None, float], None]
"""Epochs done, epochs in all, validation loss (None after the first step, before an epoch is done), seconds that are left."""
Above = NDArray[np.bool_]


@dataclass(frozen=True)
class Schedule:
    """Hyper-parameters. AdamW; the rate rises over ``warmup`` steps and falls linearly to 0 at the last one.

    ``batch`` texts a pass, ``accumulate`` passes an optimiser step. ``patience``: epochs without a lower validation loss
    before it stops; None: all ``epochs`` are run. ``checkpointing`` spends time to save memory.
    """

    epochs: int
    lr: float
    batch: int
    weight_decay: float = 0.0
    warmup: int = 0
    accumulate: int = 1
    max_tokens: int = 512
    patience: int | None = None
    class_weights: bool = False
    checkpointing: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Read:
    """A text's token ids, special ones included; ``reason`` says why it has none."""

    ids: list[int]
    truncated: bool = False
    reason: str | None = None


@dataclass(frozen=True)
class Examples:
    reads: list[Read]
    above: Above


@dataclass(frozen=True)
class Reader:
    """A tokenizer, and how many tokens its model has places for."""

    tokenizer: Any
    longest: int

    def read(self, text: str, max_tokens: int) -> Read:
        """The first ``max_tokens`` tokens, or as many as the model takes."""
        if bad := SURROGATE.search(text):
            return Read([], reason=f"a lone surrogate at character {bad.start()}: the text is no valid Unicode")
        limit = min(max_tokens, self.longest)
        bare = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        if not bare:
            return Read([], reason="no tokens: the text is empty")
        ids = self.tokenizer(text, truncation=True, max_length=limit)["input_ids"]
        return Read(list(ids), len(bare) + self.tokenizer.num_special_tokens_to_add() > limit)


@dataclass(frozen=True)
class Classifier:
    reader: Reader
    model: Any


def reader(folder: str | Path) -> Reader:
    """Of the model in a folder; loads no weights. Padding is the end token where there is none, and on the right."""
    import_torch("a classifier")
    from transformers import AutoConfig, AutoTokenizer

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    tokenizer.padding_side = "right"
    config = AutoConfig.from_pretrained(folder, local_files_only=True).get_text_config()
    return Reader(tokenizer, min(int(tokenizer.model_max_length), positions(config)))


@dataclass(frozen=True)
class Outcome:
    """Validation losses by epoch and the epoch (from 1) whose weights were kept; the folder that holds them."""

    folder: Path
    losses: list[float]
    kept: int
    steps: int


def fine_tune(
    base: Weights,
    train: Examples,
    validation: Examples,
    schedule: Schedule,
    work: Path,
    progress: Progress | None = None,
) -> Outcome:
    """Trains in the folder ``work``; a finished or interrupted training of the same inputs there is taken up.

    The caller names ``work`` after everything that decides the weights. Raises DataError where the loss is not finite.
    """
    state = work / "state.json"
    if (work / "model").is_dir() and state.is_file():
        return outcome(work)
    work.mkdir(parents=True, exist_ok=True)
    torch = import_torch("fine-tuning")
    with torch.random.fork_rng():
        torch.manual_seed(seed_of("head", schedule.seed) % 2**63)
        classifier = with_head(base, 2 if train.above.shape[1] == 1 else train.above.shape[1])
        Training(torch, classifier, train, validation, schedule, base, work).run(progress)
    return outcome(work)


def outcome(work: Path) -> Outcome:
    told = json.loads((work / "state.json").read_text())
    return Outcome(work / "model", told["losses"], told["kept"], told["steps"])


def with_head(base: Weights, n_outputs: int) -> Classifier:
    """The base model with a new head of ``n_outputs``, drawn from torch's generator; weights in float32."""
    torch = import_torch(f"the model {base.source!r}")
    if base.device.startswith("cuda") and not torch.cuda.is_available():
        raise MissingError(f"{base.key} asks for a CUDA card and none is here; use device=cpu")
    return with_model(fetched(base), base.device, torch.float32, num_labels=n_outputs)


def with_model(folder: str | Path, device: str, dtype: Any, **options: Any) -> Classifier:
    from transformers import AutoModelForSequenceClassification

    quiet()
    if not list(Path(folder).glob("*.safetensors")):
        raise MissingError(
            f"{folder} has no safetensors files, and weights in pickle files are not read; save it once as safetensors "
            "(model.save_pretrained) and give that folder"
        )
    by = reader(folder)
    model = AutoModelForSequenceClassification.from_pretrained(
        folder, local_files_only=True, use_safetensors=True, dtype=dtype, **options
    )
    model.config.pad_token_id = (
        by.tokenizer.pad_token_id
    )  # a causal model's head reads the last token that is no padding
    return Classifier(by, model.to(device))


class Training:
    """What stays the same over the epochs."""

    def __init__(
        self,
        torch: Any,
        by: Classifier,
        train: Examples,
        validation: Examples,
        plan: Schedule,
        base: Weights,
        work: Path,
    ) -> None:
        self.torch, self.by, self.train, self.validation = torch, by, train, validation
        self.plan, self.base, self.work = plan, base, work
        self.per_epoch = math.ceil(math.ceil(len(train.reads) / plan.batch) / plan.accumulate)
        self.total = self.per_epoch * plan.epochs
        self.optimizer = torch.optim.AdamW(by.model.parameters(), lr=plan.lr, weight_decay=plan.weight_decay)
        self.steps = self.steps_here = 0
        self.progress: Progress | None = None
        self.started = time.monotonic()
        self.scaler = torch.amp.GradScaler(enabled=base.dtype == "float16" and base.device != "cpu")
        if plan.checkpointing:
            by.model.gradient_checkpointing_enable()

    def rate_at(self, step: int) -> float:
        """Of the highest rate."""
        if step < self.plan.warmup:
            return step / self.plan.warmup
        return max(0.0, (self.total - step) / max(1, self.total - self.plan.warmup))

    def run(self, progress: Progress | None) -> None:
        losses = self.resume()
        self.progress, self.started = progress, time.monotonic()
        while len(losses) < self.plan.epochs and not self.exhausted(losses):
            self.epoch(len(losses))
            losses.append(self.validation_loss())
            if not math.isfinite(losses[-1]):
                raise DataError(
                    f"the loss of epoch {len(losses)} is {losses[-1]}: lower the learning rate {self.plan.lr}"
                )
            self.keep(losses)
            self.tell(len(losses), losses[-1])
        self.finish(losses)

    def tell(self, done: int, loss: float | None) -> None:
        """With the time that the steps so far took, the steps to come take as long."""
        if self.progress:
            pace = (time.monotonic() - self.started) / max(1, self.steps_here)
            self.progress(done, self.plan.epochs, loss, pace * (self.total - self.steps))

    def exhausted(self, losses: list[float]) -> bool:
        patience = self.plan.patience
        return patience is not None and bool(losses) and len(losses) - 1 - int(np.argmin(losses)) >= patience

    def epoch(self, number: int) -> None:
        """Its order and its dropout depend on the seed and the number alone, so that a resumed epoch is the same."""
        seed = seed_of("epoch", self.plan.seed, number)
        self.torch.manual_seed(seed % 2**63)
        order = np.random.default_rng(seed).permutation(len(self.train.reads))
        self.by.model.train()
        for start in range(0, len(order), self.plan.batch * self.plan.accumulate):
            group = order[start : start + self.plan.batch * self.plan.accumulate]
            for i in range(0, len(group), self.plan.batch):
                rows = group[i : i + self.plan.batch]
                loss = self.loss(self.train, rows) * (len(rows) / len(group))
                self.scaler.scale(loss).backward()
            self.step()
            if self.steps_here == 1:
                self.tell(number, None)

    def step(self) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = self.plan.lr * self.rate_at(self.steps)
        self.scaler.unscale_(self.optimizer)
        self.torch.nn.utils.clip_grad_norm_(self.by.model.parameters(), 1.0)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.steps, self.steps_here = self.steps + 1, self.steps_here + 1
        self.optimizer.zero_grad(set_to_none=True)

    def loss(self, examples: Examples, rows: Sequence[int] | NDArray[Any]) -> Any:
        torch, device = self.torch, self.by.model.device
        above = torch.tensor(examples.above[list(rows)], device=device)
        mixed = self.base.dtype in ("bfloat16", "float16")
        kind = getattr(torch, self.base.dtype) if mixed else None
        with torch.autocast(device.type, dtype=kind, enabled=mixed):
            logits = outputs(self.by, [examples.reads[i] for i in rows]).float()
        weight = self.weights(above)
        if above.shape[1] == 1:
            each = torch.nn.functional.cross_entropy(logits, above[:, 0].long(), reduction="none")[:, None]
        else:
            each = torch.nn.functional.binary_cross_entropy_with_logits(logits, above.float(), reduction="none")
        return (each * weight).sum() / weight.sum()

    def weights(self, above: Any) -> Any:
        """Inverse to the frequency of its class in training, where asked for."""
        share = self.torch.tensor(self.train.above.mean(axis=0), device=above.device, dtype=self.torch.float32)
        balanced = self.torch.where(above, 0.5 / share, 0.5 / (1 - share))
        return balanced if self.plan.class_weights else self.torch.ones_like(balanced)

    def validation_loss(self) -> float:
        self.by.model.eval()
        n = len(self.validation.reads)
        with self.torch.inference_mode():
            parts = [
                (len(rows), float(self.loss(self.validation, rows)))
                for start in range(0, n, self.plan.batch)
                if (rows := range(start, min(n, start + self.plan.batch)))
            ]
        return sum(size * loss for size, loss in parts) / n

    # what is on disk: epoch-N (the last whole epoch, and the best weights so far), then model and state.json

    def keep(self, losses: list[float]) -> None:
        from safetensors.torch import save_file

        number = len(losses)
        made = Path(tempfile.mkdtemp(dir=self.work, prefix=".epoch-"))
        tensors = {name: value.contiguous().clone() for name, value in self.by.model.state_dict().items()}
        save_file(tensors, made / "model.safetensors")
        save_file(flat(self.optimizer.state_dict()["state"], self.torch), made / "optimizer.safetensors")
        if int(np.argmin(losses)) == number - 1:
            shutil.copyfile(made / "model.safetensors", made / "best.safetensors")
        else:
            shutil.copyfile(self.work / f"epoch-{number - 1}" / "best.safetensors", made / "best.safetensors")
        told = {"losses": losses, "scale": self.scaler.state_dict()}
        (made / "state.json").write_text(json.dumps(told))
        os.replace(made, self.work / f"epoch-{number}")
        shutil.rmtree(self.work / f"epoch-{number - 1}", ignore_errors=True)

    def resume(self) -> list[float]:
        """Losses of the epochs that are done; model, optimiser and steps as they were after the last of them."""
        from safetensors.torch import load_file

        done = [path for path in self.work.glob("epoch-*") if (path / "state.json").is_file()]
        if not done:
            return []
        last = max(done, key=lambda path: int(path.name.split("-")[1]))
        told = json.loads((last / "state.json").read_text())
        self.by.model.load_state_dict(load_file(last / "model.safetensors"))
        groups = self.optimizer.state_dict()["param_groups"]
        state = nested(load_file(last / "optimizer.safetensors"))
        self.optimizer.load_state_dict({"state": state, "param_groups": groups})
        self.scaler.load_state_dict(told["scale"])
        self.steps = self.per_epoch * len(told["losses"])
        return list(told["losses"])

    def finish(self, losses: list[float]) -> None:
        from safetensors.torch import load_file

        last = self.work / f"epoch-{len(losses)}"
        self.by.model.load_state_dict(load_file(last / "best.safetensors"))
        made = Path(tempfile.mkdtemp(dir=self.work, prefix=".model-"))
        self.by.model.save_pretrained(made)
        self.by.reader.tokenizer.save_pretrained(made)
        told = {"losses": losses, "kept": int(np.argmin(losses)) + 1, "steps": self.per_epoch * len(losses)}
        (self.work / "state.json").write_text(json.dumps(told))
        os.replace(made, self.work / "model")
        shutil.rmtree(last, ignore_errors=True)


def flat(state: dict[int, dict[str, Any]], torch: Any) -> dict[str, Any]:
    return {
        f"{i}.{name}": torch.as_tensor(value).detach().contiguous().clone()
        for i, parts in state.items()
        for name, value in parts.items()
    }


def nested(tensors: dict[str, Any]) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for key, value in tensors.items():
        i, _, name = key.partition(".")
        found.setdefault(int(i), {})[name] = value
    return found


def outputs(by: Classifier, reads: Sequence[Read]) -> Any:
    """Logits, shape (n, n_outputs)."""
    torch = import_torch()
    longest, pad = max(len(r.ids) for r in reads), by.reader.tokenizer.pad_token_id
    ids = torch.tensor([r.ids + [pad] * (longest - len(r.ids)) for r in reads], device=by.model.device)
    mask = torch.tensor([[1] * len(r.ids) + [0] * (longest - len(r.ids)) for r in reads], device=by.model.device)
    return by.model(input_ids=ids, attention_mask=mask).logits


@lru_cache(maxsize=4)
def classifier(folder: str, device: str = "cpu", dtype: str = "float32") -> Classifier:
    """A sequence classifier of a folder, in evaluation mode, without gradients; four stay in memory, as the folds of an
    evaluation take turns."""
    torch = import_torch("a classifier")
    by = with_model(folder, device, getattr(torch, dtype))
    by.model.eval().requires_grad_(False)
    return by


def logits(by: Classifier, read: Read) -> NDArray[np.float64]:
    """Of one text, alone: no neighbour changes it. Shape (n_outputs,)."""
    torch = import_torch()
    with torch.inference_mode():
        return np.asarray(outputs(by, [read])[0].float().cpu().numpy(), np.float64)
