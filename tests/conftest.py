"""Fixtures that several folders of tests share."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from hypothesis import HealthCheck, settings

# A shared machine is slow at times; what a property says does not depend on how long it takes to try it.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before any test imports torch: see import_torch

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real texts beside the checkout; what needs it skips where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the folder ../shared with the real texts is not here")
    return SHARED


TINY_PROSE = (
    "The ferry left at seven, and nobody on the pier could say why it was early. A clerk counted crates, lost count, and began "
    "again; two children raced a dog along the rail. By noon the wind had turned, so the captain kept close to the shore."
)


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Folders of three causal models made on the spot: 'first' and 'second' of one tokenizer, 'stranger' of another."""
    pytest.importorskip("torch")
    made = tmp_path_factory.mktemp("tiny")
    return {
        "first": make_tiny_model(made / "first", n_tokens=300, seed=1),
        "second": make_tiny_model(made / "second", n_tokens=300, seed=2),
        "stranger": make_tiny_model(made / "stranger", n_tokens=290, seed=3),
    }


def make_tiny_model(folder: Path, n_tokens: int, seed: int, context: int = 256) -> str:
    """A random Llama of two layers over a byte-level vocabulary of ``n_tokens``, as a folder."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=n_tokens, initial_alphabet=alphabet, special_tokens=["<end>"], show_progress=False
    )
    tokenizer.train_from_iterator([TINY_PROSE], trainer)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", pad_token="<end>").save_pretrained(folder)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=n_tokens,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=context,
        initializer_range=0.3,
        eos_token_id=0,
        pad_token_id=0,
        bos_token_id=None,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder for one test."""
    monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def tiny_t5(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a random T5 with ten gap marks."""
    pytest.importorskip("torch")
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    folder = tmp_path_factory.mktemp("tiny") / "t5"
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<pad>", "</s>", *(f"<extra_id_{i}>" for i in range(10))]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=alphabet, special_tokens=special, show_progress=False
    )
    tokenizer.train_from_iterator([TINY_PROSE], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>", pad_token="<pad>").save_pretrained(folder)
    torch.manual_seed(4)
    config = T5Config(
        vocab_size=300,
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=2,
        num_heads=2,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    )
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="session")
def embedded() -> str:
    """The spec of the embedded model, fetched into the user's cache; skips where it cannot be had."""
    pytest.importorskip("torch")
    from evenhand.errors import MissingError
    from evenhand.models.weights import fetch

    try:
        fetch("embedded")
    except MissingError as error:
        pytest.skip(f"the embedded model cannot be had: {error}")
    return "embedded"


@pytest.fixture(scope="session")
def model_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """(address, model's name) of a real OpenAI-compatible server: `transformers serve` with the embedded model, on loopback."""
    from evenhand.models.weights import resolve

    if not all(map(find_spec, ("fastapi", "uvicorn", "openai"))):
        pytest.skip("needs pip install 'transformers[serving]' openai")
    folder = str(resolve("embedded").folder())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (tmp_path_factory.mktemp("serve") / "log").open("w")
    command = [sys.executable, "-c", "from transformers.cli.transformers import main; main()", "serve", folder]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "2"}
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)], env=environment, stdout=log, stderr=log
    )
    try:
        wait_for(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1", folder
    finally:
        process.terminate()
        process.wait(20)


def wait_for(url: str, process: subprocess.Popen) -> None:
    for _ in range(1200):
        assert process.poll() is None, "the server ended by itself"
        try:
            with urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except (URLError, OSError):
            time.sleep(0.5)
    pytest.fail("the server did not answer within ten minutes")
