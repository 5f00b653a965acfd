"""The open family of corpora: ``corpora.get("jsonl(path='x.jsonl')")`` is an iterable of Document."""

from __future__ import annotations

from ..registry import Registry
from .base import Corpus, check

_registry = Registry(
    "corpora",
    {
        "csv": "evenhand.corpora.delimited:Csv",
        "embedded": "evenhand.corpora.embedded:Embedded",
        "folder": "evenhand.corpora.folder:Folder",
        "jsonl": "evenhand.corpora.jsonl:Jsonl",
        "parquet": "evenhand.corpora.parquet:Parquet",
    },
)
get, canonical, names, register, factory = (
    _registry.get,
    _registry.canonical,
    _registry.names,
    _registry.register,
    _registry.factory,
)

__all__ = ["Corpus", "canonical", "check", "factory", "get", "names", "register"]
