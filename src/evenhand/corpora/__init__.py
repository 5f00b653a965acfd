"""The open family of corpora: ``corpora.get("jsonl(path='x.jsonl')")`` is an iterable of Document."""

from __future__ import annotations

from ..registry import Registry
from .base import Corpus, check, content

_registry = Registry(
    "corpora",
    {
        "aae": "evenhand.corpora.aae:Aae",
        "arxiv": "evenhand.corpora.arxiv:Arxiv",
        "bawe": "evenhand.corpora.bawe:Bawe",
        "csv": "evenhand.corpora.delimited:Csv",
        "detectrl": "evenhand.corpora.detectrl:Detectrl",
        "embedded": "evenhand.corpora.embedded:Embedded",
        "folder": "evenhand.corpora.folder:Folder",
        "gede": "evenhand.corpora.gede:Gede",
        "idmgsp": "evenhand.corpora.idmgsp:Idmgsp",
        "jsonl": "evenhand.corpora.jsonl:Jsonl",
        "mixset": "evenhand.corpora.mixset:Mixset",
        "parquet": "evenhand.corpora.parquet:Parquet",
        "persuade": "evenhand.corpora.persuade:Persuade",
        "raid": "evenhand.corpora.raid:Raid",
    },
)
get, canonical, names, register, factory = (
    _registry.get,
    _registry.canonical,
    _registry.names,
    _registry.register,
    _registry.factory,
)

__all__ = ["Corpus", "canonical", "check", "content", "factory", "get", "names", "register"]
