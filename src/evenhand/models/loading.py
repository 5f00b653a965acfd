"""Weights and tokenizers in memory: loaded once per process, at most two causal models at a time."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from ..errors import DataError, MissingError
from .weights import Weights, import_torch

ANNOUNCED = 1e8
"""Bytes from which a model, other than the embedded one, is told of before it is loaded."""
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""The numbers of these settings in glibc's malloc.h."""


@lru_cache(maxsize=8)
def tokenizer(weights: Weights) -> Any:
    """The fast tokenizer of these weights (the slow ones give no character offsets)."""
    check_device(weights)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from transformers import AutoTokenizer

    loaded = AutoTokenizer.from_pretrained(weights.folder(), local_files_only=True)
    if not loaded.is_fast:
        raise DataError(f"{weights.source}: its tokenizer has no fast form, so no character offsets; use another model")
    loaded.model_max_length = 1 << 62  # lengths are our business; no warning about the context
    return loaded


@lru_cache(maxsize=2)
def causal_model(weights: Weights) -> Any:
    """The causal language model, in evaluation mode, without gradients."""
    keep_pages()
    return pretrained("AutoModelForCausalLM", weights)


def pretrained(kind: str, weights: Weights) -> Any:
    """The model of these weights as ``kind``, a class of transformers, in evaluation mode, without gradients."""
    torch = check_device(weights)
    import transformers

    quiet()
    announce(weights)
    model = getattr(transformers, kind).from_pretrained(
        weights.folder(), local_files_only=True, use_safetensors=True, **load_arguments(torch, weights)
    )
    if weights.device not in ("cpu", "auto") and weights.quantization == "none":
        model = model.to(weights.device)
    return model.eval().requires_grad_(False)


def check_device(weights: Weights) -> Any:
    """torch; MissingError where the card is not here that a model asks for: told before the model is even fetched."""
    torch = import_torch(f"the model {weights.source!r}")
    if weights.device.startswith(("cuda", "auto")) and not torch.cuda.is_available():
        raise MissingError(f"{weights.key} asks for a CUDA card and none is here; use device=cpu")
    return torch


def announce(weights: Weights) -> None:
    """Tells on standard error what a large model will need, before it is loaded."""
    stored = sum(file.stat().st_size for file in weights.folder().glob("*.safetensors"))
    need = stored * bytes_of(weights) / stored_bytes(weights)
    if need > ANNOUNCED and weights.kind != "embedded":
        told = f"loading {weights.source}: about {need / 1e9:.1f} GB for its weights in {weights.dtype} on {weights.device}"
        print(told, file=sys.stderr, flush=True)


@lru_cache(maxsize=1)
def keep_pages() -> None:
    """Tells glibc to keep freed memory at hand: else every layer gives its pages back and takes them anew (thousands of page
    faults a text, a tenth of the time of a pass). Elsewhere nothing is done."""
    try:
        adjust = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    adjust(M_MMAP_THRESHOLD, 1 << 27)
    adjust(M_TRIM_THRESHOLD, 1 << 29)


def bytes_of(weights: Weights) -> float:
    """Of one parameter in memory."""
    quantized = {"4bit": 0.5, "8bit": 1.0}
    return quantized.get(weights.quantization, 4.0 if weights.dtype == "float32" else 2.0)


def stored_bytes(weights: Weights) -> float:
    """Of one parameter on disk, by the first tensor of the first file."""
    from safetensors import safe_open

    first = next(iter(sorted(weights.folder().glob("*.safetensors"))), None)
    if first is None:
        raise MissingError(
            f"{weights.source} has no safetensors files, and weights in pickle files are not read; "
            "save it once as safetensors (model.save_pretrained) and give that folder"
        )
    with safe_open(first, framework="numpy") as file:
        kind = file.get_slice(next(iter(file.keys()))).get_dtype()
    return {"F64": 8.0, "F32": 4.0, "F16": 2.0, "BF16": 2.0}.get(kind, 1.0)


def load_arguments(torch: Any, weights: Weights) -> dict[str, Any]:
    """What from_pretrained is told of type, place and quantization; raises MissingError where one of them is not to be had."""
    check_device(weights)
    arguments: dict[str, Any] = {"dtype": getattr(torch, weights.dtype)}
    if weights.device == "auto":
        arguments["device_map"] = "auto"
    if weights.quantization != "none":
        from transformers import BitsAndBytesConfig

        if find_spec("bitsandbytes") is None:
            raise MissingError(
                f"{weights.key}: {weights.quantization} weights are loaded by bitsandbytes, which is not installed; "
                "pip install bitsandbytes, or leave quantization out"
            )
        four = weights.quantization == "4bit"
        arguments["quantization_config"] = BitsAndBytesConfig(load_in_4bit=four, load_in_8bit=not four)
        arguments["device_map"] = weights.device if weights.device != "cpu" else "auto"
    return arguments


def quiet() -> None:
    """No warnings and no progress bars of transformers."""
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
