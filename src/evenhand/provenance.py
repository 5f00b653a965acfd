"""What a run folder tells of how it came to be, and the refusal to mix two studies in one folder."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .documents import Document
from .errors import StoreError
from .store import Store, row_of

PACKAGES = ("evenhand", "numpy", "scipy", "scikit-learn", "pyarrow", "torch", "transformers", "tokenizers", "nupunkt")
IDENTITY, CONTENT = "documents.json", "content"
FACTS = (
    "id",
    "label",
    "level",
    "level_after",
    "generator",
    "cluster",
    "split",
    "source_id",
    "section",
    "domain",
    "attack",
)


def claim(store: Store, identity: Mapping[str, Any]) -> None:
    """Makes the folder that of this study, or raises StoreError where it is another's."""
    wanted = json.loads(json.dumps(identity))
    found = store.read_json(IDENTITY).get("identity")
    if found is None:
        store.create()
        store.write_text(IDENTITY, json.dumps({"identity": wanted}, indent=1))
        return
    differing = [name for name in wanted if found.get(name) != wanted[name]]
    if differing:
        told = "; ".join(f"{name}: there {found.get(name)!r}, here {wanted[name]!r}" for name in differing)
        raise StoreError(
            f"{store.folder} holds the run of another plan ({told}). Choose another folder with -o, or delete it; "
            "detectors and audits may differ, they join a run without harm"
        )


def complete(store: Store) -> bool:
    """Are the study's documents written, every one?"""
    told = store.read_json(IDENTITY)
    return "documents" in told and store.read("documents", ["id"]).num_rows == told["documents"]


def seal(store: Store, documents: Sequence[Document], content: str) -> None:
    """Notes that the documents are whole, and the digest of the corpus's files as they lie there, '' where it reads none."""
    now = {"documents": len(documents), "digest": digest_of(documents)}
    store.write_text(IDENTITY, json.dumps({**now, **store.read_json(IDENTITY), CONTENT: content}, indent=1))


def untouched(store: Store, content: str) -> bool:
    """Do the corpus's files lie as they did when the documents were made? So too where they are not at hand."""
    before = store.read_json(IDENTITY).get(CONTENT)
    return not content or not before or before == content


def refuse_changed(store: Store, documents: Sequence[Document]) -> None:
    """Raises StoreError where ``documents``, made anew, are not those of the folder: by their texts, and by what a row tells of
    each beside the meta, to which a later release may add."""
    now = digest_of(documents)
    same = store.read_json(IDENTITY).get("digest", now) == now
    stored = {row["id"]: facts(row) for row in store.read("documents", FACTS).to_pylist()}
    rows = (facts(row_of(document, text=False)) for document in documents)
    if not same or any(stored.get(row[0], row) != row for row in rows):
        raise StoreError(
            f"the corpus has changed since {store.folder} was begun; choose another folder with -o, so that its scores "
            "stay those of one corpus, or delete it"
        )


def facts(row: Mapping[str, Any]) -> list[Any]:
    return [row[name] for name in FACTS]


def digest_of(documents: Sequence[Document]) -> str:
    joined = "\n".join(sorted(f"{d.id}\t{d.digest}" for d in documents))
    return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def environment(detector_keys: Mapping[str, str]) -> dict[str, Any]:
    """Versions and machine of a computation; ``detectors`` maps each spec of the plan to the key of its scores."""
    return {
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := installed(name))},
        "platform": {"system": platform.system(), "machine": platform.machine()},
        "detectors": dict(detector_keys),
        "byteorder": sys.byteorder,
    }


def told(store: Store, plan: Mapping[str, Any], uses: int) -> dict[str, Any]:
    """What a report prints of where its numbers come from: no times and no paths, so that equal runs are equal files."""
    environment = store.read_json("environment.json")
    environment.pop("verification_uses", None)
    for about in environment.get("about", {}).values():
        about.pop("weights", None)  # long, and a table of its own: the audit word_weights
    documents = {key: value for key, value in store.read_json(IDENTITY).items() if key not in ("identity", CONTENT)}
    return {"plan": dict(plan), "environment": environment, "documents": documents, "verification_uses": uses}


def installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def note_use(store: Store, audits: Sequence[str], detectors: Sequence[str]) -> int:
    """Counts how often the verification half was looked at with new eyes: once for each set of audits and detectors, not at
    all where no audit was asked."""
    told = store.read_json("environment.json")
    uses = told.setdefault("verification_uses", [])
    use = {"audits": sorted(audits), "detectors": sorted(detectors)}
    if audits and use not in uses:
        uses.append(use)
        store.write_text("environment.json", json.dumps(told, indent=1, sort_keys=True))
    return len(uses)
