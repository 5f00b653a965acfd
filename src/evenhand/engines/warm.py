"""Imported once by the process that workers are forked from, so that each of them starts with torch already in memory."""

from __future__ import annotations

import contextlib
import os

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

with contextlib.suppress(ModuleNotFoundError):
    import torch

    torch.set_num_threads(1)
    import transformers  # noqa: F401
