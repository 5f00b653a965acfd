"""A Llama-like GGUF file as a folder that transformers reads. Weights equal those of transformers' own GGUF loader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFReader, dequantize
from safetensors.numpy import save_file

PARTS = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}
WHOLE = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
SPECIAL = 3
"""GGUF's token type of control tokens."""


def write(gguf: Path, out: Path) -> None:
    reader = GGUFReader(gguf)
    facts = {key: value.contents() for key, value in reader.fields.items() if not key.startswith("GGUF.")}
    weights = {_name(t.name): _values(t, facts) for t in reader.tensors}
    save_file(weights, out / "model.safetensors", metadata={"format": "pt"})
    (out / "model.safetensors").chmod(0o644)
    config = _config(facts, tied="lm_head.weight" not in weights)
    _dump(out / "config.json", config)
    ids = {key: config[key] for key in ("bos_token_id", "eos_token_id", "pad_token_id")}
    _dump(out / "generation_config.json", {**ids, "do_sample": True})  # or servers ignore the temperature
    _dump(out / "tokenizer.json", _tokenizer(facts))
    _dump(out / "tokenizer_config.json", _tokenizer_config(facts))


def _dump(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def _name(gguf_name: str) -> str:
    stem = gguf_name.removesuffix(".weight")
    if stem in WHOLE:
        return f"{WHOLE[stem]}.weight"
    _, layer, part = stem.split(".")
    return f"model.layers.{layer}.{PARTS[part]}.weight"


def _values(tensor: Any, facts: dict[str, Any]) -> np.ndarray:
    values = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
    values = values.reshape([int(size) for size in tensor.shape][::-1])
    heads = {"attn_q": "llama.attention.head_count", "attn_k": "llama.attention.head_count_kv"}
    for part, fact in heads.items():
        if f".{part}." in tensor.name:
            values = _unpermute(values, facts[fact])
    return np.ascontiguousarray(values)


def _unpermute(weight: np.ndarray, heads: int) -> np.ndarray:
    """llama.cpp interleaves the rotary halves of q and k; transformers wants them one after the other."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def _config(facts: dict[str, Any], tied: bool) -> dict[str, Any]:
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        "attention_bias": False,
        "mlp_bias": False,
        "attention_dropout": 0.0,
        "vocab_size": facts["llama.vocab_size"],
        "hidden_size": facts["llama.embedding_length"],
        "intermediate_size": facts["llama.feed_forward_length"],
        "num_hidden_layers": facts["llama.block_count"],
        "num_attention_heads": facts["llama.attention.head_count"],
        "num_key_value_heads": facts["llama.attention.head_count_kv"],
        "head_dim": facts["llama.rope.dimension_count"],
        "max_position_embeddings": facts["llama.context_length"],
        "rms_norm_eps": 1e-5,
        "rope_theta": facts["llama.rope.freq_base"],
        "rope_parameters": {"rope_type": "default", "rope_theta": facts["llama.rope.freq_base"]},
        "tie_word_embeddings": tied,
        "initializer_range": 0.041666666666666664,
        "bos_token_id": facts["tokenizer.ggml.bos_token_id"],
        "eos_token_id": facts["tokenizer.ggml.eos_token_id"],
        "pad_token_id": facts["tokenizer.ggml.padding_token_id"],
        "dtype": "float32",
        "use_cache": True,
    }


def _tokenizer(facts: dict[str, Any]) -> dict[str, Any]:
    """Byte-level BPE; the 'smollm' pre-tokenizer splits every digit off before GPT-2's expression is applied."""
    tokens, types = facts["tokenizer.ggml.tokens"], facts["tokenizer.ggml.token_type"]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    level = {"type": "ByteLevel", "trim_offsets": True, "use_regex": True}
    digits = {"type": "Digits", "individual_digits": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": i, "content": tokens[i], **flags} for i, kind in enumerate(types) if kind == SPECIAL],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [digits, {**level, "add_prefix_space": False}]},
        "post_processor": None,
        "decoder": {**level, "add_prefix_space": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": {token: i for i, token in enumerate(tokens)},
            "merges": [merge.split(" ") for merge in facts["tokenizer.ggml.merges"]],
        },
    }


def _tokenizer_config(facts: dict[str, Any]) -> dict[str, Any]:
    tokens = facts["tokenizer.ggml.tokens"]
    names = {"bos": "bos", "eos": "eos", "pad": "padding", "unk": "unknown"}
    special = {f"{ours}_token": tokens[facts[f"tokenizer.ggml.{theirs}_token_id"]] for ours, theirs in names.items()}
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        **special,
        "model_max_length": facts["llama.context_length"],
        "clean_up_tokenization_spaces": False,
        "add_prefix_space": False,
        "chat_template": facts["tokenizer.chat_template"],
    }
