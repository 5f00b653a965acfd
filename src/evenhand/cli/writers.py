"""Who writes: a local model, or one at an endpoint, behind its kept answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..models.chat import Writer


@dataclass(frozen=True)
class Endpoint:
    """Where models are asked: an OpenAI-compatible address, or None for this machine."""

    base_url: str | None
    key_env: str
    concurrency: int


def writer(model: str, place: Endpoint) -> Writer:
    """The model behind its kept answers."""
    from ..models.chat import Cached, LocalChat, OpenAIChat
    from ..models.home import cache_dir

    there, key = place.base_url, place.key_env
    chosen = OpenAIChat(there, model, key, place.concurrency) if there else LocalChat(model)
    return Cached(chosen, cache_dir() / "answers")
