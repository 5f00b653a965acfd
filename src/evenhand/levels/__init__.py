"""The open family of levels: ``levels.get("improve_human").build(documents, writer, seed)``."""

from __future__ import annotations

from ..registry import Registry

_registry = Registry(
    "levels",
    {
        "causal_papers": "evenhand.levels.papers.causal:CausalPapers",
        "cascade_papers": "evenhand.levels.papers.chat:CascadePapers",
        "chat_papers": "evenhand.levels.papers.chat:ChatPapers",
        "co_created": "evenhand.levels.papers.co_created:CoCreated",
        "grammar_papers": "evenhand.levels.papers.grammar:GrammarPapers",
        "humanize": "evenhand.levels.humanize:Humanize",
        "improve_human": "evenhand.levels.improve_human:ImproveHuman",
        "rewrite_human": "evenhand.levels.rewrite_human:RewriteHuman",
        "rewrite_llm": "evenhand.levels.rewrite_llm:RewriteLlm",
        "scigen": "evenhand.levels.papers.scigen:SciGen",
        "summary": "evenhand.levels.summary:Summary",
        "task": "evenhand.levels.task:Task",
        "task_summary": "evenhand.levels.summary:TaskSummary",
    },
)
get, canonical, names, register, factory = (
    _registry.get,
    _registry.canonical,
    _registry.names,
    _registry.register,
    _registry.factory,
)
