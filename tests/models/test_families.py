"""Body and head taken apart give the logits of the whole model, in every family that a published detector scores with."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
import transformers  # noqa: E402

from evenhand.models import causal  # noqa: E402
from evenhand.models.weights import Weights  # noqa: E402

SMALL = {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
LIKE_LLAMA = {**SMALL, "intermediate_size": 48, "num_key_value_heads": 1, "head_dim": 16}
LIKE_GPT2 = {"vocab_size": 64, "n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 40}
FAMILIES: dict[str, dict[str, Any]] = {
    "GPT2": LIKE_GPT2,
    "GPTNeo": {
        **SMALL,
        "num_layers": 2,
        "num_heads": 2,
        "attention_types": [[["global", "local"], 1]],
        "window_size": 8,
    },
    "GPTJ": {**LIKE_GPT2, "rotary_dim": 8},
    "GPTNeoX": {**SMALL, "intermediate_size": 48},
    "OPT": {**SMALL, "ffn_dim": 48, "word_embed_proj_dim": 16, "max_position_embeddings": 40},
    "Falcon": {**SMALL, "multi_query": True, "alibi": False},
    "Bloom": {"vocab_size": 64, "hidden_size": 32, "n_layer": 2, "n_head": 2},
    "Llama": LIKE_LLAMA,
    "Mistral": LIKE_LLAMA,
    "Qwen2": LIKE_LLAMA,
    "Phi": {**SMALL, "intermediate_size": 48},
    "Gemma": LIKE_LLAMA,
    "Gemma2": {**LIKE_LLAMA, "final_logit_softcapping": 3.0},
    "Cohere": {**LIKE_LLAMA, "logit_scale": 0.3},
    "Granite": {**LIKE_LLAMA, "logits_scaling": 4.0},
}


@pytest.mark.parametrize("family", FAMILIES)
def test_head_on_body_is_the_model(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = getattr(transformers, f"{family}Config")(**FAMILIES[family], bos_token_id=0, eos_token_id=0)
    torch.manual_seed(0)
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    monkeypatch.setattr(causal, "causal_model", lambda _: model)
    weights, ids = Weights(family, "0"), torch.randint(0, 64, (20,))
    with torch.inference_mode():
        apart = causal.apply_head(weights, causal.hidden(weights, ids))
        whole = model(input_ids=ids[None]).logits[0]
    torch.testing.assert_close(apart, whole, rtol=1e-4, atol=1e-4)
