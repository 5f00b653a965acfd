"""The open family of audits: one question each, score rows -> findings. Nothing here can reach a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

from ..registry import Registry

if TYPE_CHECKING:
    from ..documents import Level
    from ..store import Store
    from .base import Audit
    from .finding import Findings, Result
    from .rows import Rows, Settings

_registry = Registry(
    "audits",
    {
        "clean": "evenhand.audits.clean:Clean",
        "boundary": "evenhand.audits.boundary:Boundary",
        "levels": "evenhand.audits.levels:Levels",
        "by_generator": "evenhand.audits.by_generator:ByGenerator",
        "by_corpus": "evenhand.audits.by_corpus:ByCorpus",
        "by_discipline": "evenhand.audits.by_discipline:ByDiscipline",
        "by_length": "evenhand.audits.by_length:ByLength",
        "ordinal": "evenhand.audits.ordinal:Ordinal",
        "groups": "evenhand.audits.groups:Groups",
        "accusation": "evenhand.audits.accusation:Accusation",
        "answers": "evenhand.audits.answers:Answers",
        "decision": "evenhand.audits.decision:Decision",
        "gede_checks": "evenhand.audits.gede_checks:GedeChecks",
        "gede_counts": "evenhand.audits.gede_counts:GedeCounts",
        "run_settings": "evenhand.audits.run_settings:RunSettings",
        "corpus_statistics": "evenhand.audits.corpus_statistics:CorpusStatistics",
        "revisions": "evenhand.audits.revisions:Revisions",
        "beside_gede": "evenhand.audits.beside_gede:BesideGede",
        "transfer": "evenhand.audits.transfer:Transfer",
        "two_sided": "evenhand.audits.two_sided:TwoSided",
        "score_shift": "evenhand.audits.score_shift:ScoreShift",
        "backbones": "evenhand.audits.backbones:Backbones",
        "generators": "evenhand.audits.generators:Generators",
        "truncation": "evenhand.audits.truncation:Truncation",
        "sanitized": "evenhand.audits.sanitized:Sanitized",
        "restoration": "evenhand.audits.restoration:Restoration",
        "meaning": "evenhand.audits.meaning:Meaning",
        "beside_published": "evenhand.audits.beside_published:BesidePublished",
        "idmgsp_counts": "evenhand.audits.idmgsp_counts:IdmgspCounts",
        "idmgsp_generation": "evenhand.audits.idmgsp_generation:IdmgspGeneration",
        "accuracy_by_set": "evenhand.audits.accuracy_by_set:AccuracyBySet",
        "machine_share": "evenhand.audits.machine_share:MachineShare",
        "word_weights": "evenhand.audits.word_weights:WordWeights",
        "by_source": "evenhand.audits.by_source:BySource",
        "beside_idmgsp": "evenhand.audits.beside_idmgsp:BesideIdmgsp",
        "certificate": "evenhand.audits.certificate:CertificateAudit",
    },
)
get, canonical, names, register, factory = (
    _registry.get,
    _registry.canonical,
    _registry.names,
    _registry.register,
    _registry.factory,
)


def audit(
    run: Store | str | PathLike[str],
    specs: Sequence[str] | None = None,
    *,
    boundary: Level | None = None,
    fpr: float | None = None,
) -> Findings:
    """Asks a run folder the audits ``specs`` (its plan's where there are none), under its plan's policy or another one.

    The same rows give the same findings. An audit that these texts do not allow (a key that none of them has) says so in its
    own result; the others go on. Raises StoreError where the run holds no scores.
    """
    from .. import provenance
    from ..documents import Policy
    from ..store import Store
    from .finding import Findings
    from .rows import Settings, ledger, read_rows

    store = run if isinstance(run, Store) else Store.existing(run)
    settings = Settings.of(store.settings())
    policy = Policy(boundary or settings.policy.boundary, settings.policy.fpr if fpr is None else fpr)
    settings = replace(settings, policy=policy, environment=store.read_json("environment.json"))
    chosen = [get(spec) for spec in (specs or settings.plan.get("audits", ()))]
    rows = read_rows(store)
    results = tuple(asked(one, rows, settings) for one in chosen)
    uses = provenance.note_use(store, [one.spec for one in chosen], list(rows.scores))
    return Findings(results, ledger(rows), provenance.told(store, settings.plan, uses))


def asked(one: Audit, rows: Rows, settings: Settings) -> Result:
    """What the audit says, or why it refuses."""
    from ..errors import DataError
    from .finding import Answer, Result

    try:
        return one(rows, settings)
    except DataError as reason:
        return Result(one.spec, one.title, one.question, (), (), answers=(Answer("missing", f"Not asked: {reason}"),))
