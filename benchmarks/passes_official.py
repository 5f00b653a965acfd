"""The authors' own functions, read from checkouts of theirs at run time: nothing of them is kept here.

    git clone https://github.com/baoguangsheng/fast-detect-gpt       (likelihood, rank, logrank, entropy, lrr, fast)
    git clone https://github.com/TrustMedia-zju/Lastde_Detector      (lastde, lastde_plus)
    git clone https://github.com/ahans30/Binoculars                  (binoculars, one model on both sides)
    python benchmarks/passes_speed.py TEXTS.json --official fast-detect-gpt=PATH --official lastde=PATH --official binoculars=PATH

Each script tokenizes a text, runs the whole model on it (Binoculars: twice) and calls the authors' function, as their loop
over texts does. Only functions, constants and imports of torch and the like are taken from a file, so that neither their data
loaders nor their argument parsers run.
"""

from __future__ import annotations

import ast
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

Script = Callable[[str], float]
"""A text -> the score as the authors' code returns it."""

OURS = {
    "likelihood": ("log_likelihood", 1),
    "rank": ("rank", 1),
    "logrank": ("log_rank", 1),
    "entropy": ("entropy", -1),
    "lrr": ("lrr", 1),
    "fast": ("fast_detect_gpt", 1),
    "lastde": ("lastde", 1),
    "lastde_plus": ("lastde_plus", 1),
    "binoculars": ("binoculars", -1),
}
"""Their script: our spec, and its sign beside ours."""
IMPORTED = {"torch", "numpy", "random", "transformers"}


def scripts(paths: dict[str, Path], model: str) -> dict[str, Script]:
    """The scripts of the checkouts that are there, in the order of OURS."""
    makers = {"fast-detect-gpt": fast_detect_gpt, "lastde": lastde, "binoculars": binoculars}
    if unknown := set(paths) - set(makers):
        raise SystemExit(f"--official knows {', '.join(makers)}; not {', '.join(unknown)}")
    found: dict[str, Script] = {}
    for name, path in paths.items():
        found |= makers[name](path, Loaded(model))
    return {name: found[name] for name in OURS if name in found}


class Loaded:
    """The model and its tokenizer, called as the authors call theirs."""

    def __init__(self, spec: str) -> None:
        from evenhand.models.loading import causal_model, tokenizer
        from evenhand.models.weights import resolve

        weights = resolve(spec)
        self.model, self.tokenizer = causal_model(weights), tokenizer(weights)

    def read(self, text: str) -> Any:
        return self.tokenizer(text, return_tensors="pt", return_token_type_ids=False)

    def on_logits(self, function: Callable[[Any, Any], float]) -> Script:
        def script(text: str) -> float:
            import torch

            read = self.read(text)
            with torch.no_grad():
                return float(function(self.model(**read).logits[:, :-1], read.input_ids[:, 1:]))

        return script


def functions(file: Path, **given: Any) -> Namespace:
    """The functions and constants of a file, ``given`` in place of what it would import from its neighbours."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if wanted(node)]
    names = dict(given)
    exec(compile(tree, str(file), "exec"), names)  # the user named this checkout
    return Namespace(**{name: value for name, value in names.items() if not name.startswith("__")})


def wanted(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import):
        return all(alias.name.split(".")[0] in IMPORTED for alias in node.names)
    return isinstance(node, ast.FunctionDef | ast.Assign)


def fast_detect_gpt(path: Path, loaded: Loaded) -> dict[str, Script]:
    folder = path / "scripts"
    base, llm, fast = (functions(folder / f"{name}.py") for name in ("baselines", "detect_llm", "fast_detect_gpt"))
    found = {
        name: loaded.on_logits(getattr(base, f"get_{name}")) for name in ("likelihood", "rank", "logrank", "entropy")
    }
    found["lrr"] = lambda text: llm.get_lrr(Namespace(device="cpu"), loaded.model, loaded.tokenizer, text, None)
    found["fast"] = loaded.on_logits(lambda x, labels: fast.get_sampling_discrepancy_analytic(x, x, labels))
    return found


def lastde(path: Path, loaded: Loaded) -> dict[str, Script]:
    folder = path / "py_scripts" / "baselines"
    series = functions(folder / "scoring_methods" / "fastMDE.py")
    plain = functions(folder / "scoring_methods" / "based_scoring_baselines.py", fastMDE=series)
    plus = functions(folder / "lastde_doubleplus.py", fastMDE=series)
    shape = Namespace(n_samples=100, embed_size=4, epsilon=8, tau_prime=15)

    def seeded(logits: Any, labels: Any) -> float:
        import torch

        torch.manual_seed(0)
        return float(plus.get_sampling_discrepancy(logits, logits, labels, shape))

    return {"lastde": loaded.on_logits(plain.get_lastde), "lastde_plus": loaded.on_logits(seeded)}


def binoculars(path: Path, loaded: Loaded) -> dict[str, Script]:
    metrics = functions(path / "binoculars" / "metrics.py")

    def script(text: str) -> float:
        import torch

        read = loaded.read(text)
        with torch.inference_mode():
            observer, performer = loaded.model(**read).logits, loaded.model(**read).logits
            above = metrics.perplexity(read, performer)
            return float((above / metrics.entropy(observer, performer, read, loaded.tokenizer.pad_token_id))[0])

    return {"binoculars": script}
