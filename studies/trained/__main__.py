"""The command line of the study; see ``python -m studies.trained --help``."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from .. import pages
from ..results import keep
from . import __doc__ as told
from .folds import SIDES, Fold, documents_of, folds
from .learners import LEARNERS, UNTRAINED, Clock, labels_of, peak_mb, run

NAMES = (*UNTRAINED, *LEARNERS)
LATER = 75
"""The exit code of a run whose time was up (EX_TEMPFAIL): the same command goes on."""
PAGE = Path(__file__).resolve().parents[2] / "docs" / "trained.md"


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=told, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("passes", "run", "repeat", "write"):
        command = commands.add_parser(name)
        command.add_argument("data", type=Path)
        if name != "passes":
            command.add_argument("results", type=Path)
        if name in ("passes", "run"):
            command.add_argument("--study", choices=tuple(SIDES), action="append")
            command.add_argument("--minutes", type=float, help="stop after so many; the same command goes on")
        if name in ("run", "repeat"):
            command.add_argument("--learner", choices=NAMES, action="append")
        if name == "write":
            command.add_argument("page", type=Path, nargs="?", default=PAGE)
    options = parser.parse_args(given)
    return {"passes": passes, "run": run_all, "repeat": repeat, "write": write}[options.command](options)


def passes(options: argparse.Namespace) -> int:
    """The one pass that all learners on token statistics share."""
    from evenhand.models.causal import token_statistics

    clock, end, tokens = Clock(), deadline(options), 0
    wanted = [fold for study in options.study or SIDES for fold in folds(study, documents_of(study, options.data))]
    texts = sorted({d.text for fold in wanted for d in (*fold.train, *fold.test)})
    done = 0
    for text in texts:
        done += 1
        tokens += token_statistics([text], "embedded")[0].n_tokens
        if time.monotonic() > end:
            break
    print(f"{done} of {len(texts)} texts, {tokens} tokens, {clock.lap()}, peak {peak_mb()} MB", flush=True)
    return 0 if done == len(texts) else LATER


def deadline(options: argparse.Namespace) -> float:
    return time.monotonic() + 60 * (options.minutes or 1e9)


def run_all(options: argparse.Namespace) -> int:
    chosen = options.learner or NAMES
    if len(chosen) > 1:
        return max(apart(options, name) for name in chosen)
    end = deadline(options)
    for fold, labels in jobs(options, chosen[0]):
        clock = Clock()
        if run(fold, chosen[0], labels, options.results):
            print(f"{fold.study} {fold.name} {chosen[0]} {labels}: {clock.lap()}", flush=True)
        if time.monotonic() > end:
            print("time is up; call it again to go on")
            return LATER
    return 0


def jobs(options: argparse.Namespace, name: str) -> Iterator[tuple[Fold, str]]:
    for study in options.study or SIDES:
        for fold in folds(study, documents_of(study, options.data)):
            for labels in labels_of(name, study):
                yield fold, labels


def apart(options: argparse.Namespace, name: str) -> int:
    """One learner in a process of its own."""
    more = [f"--study={study}" for study in options.study or ()]
    more += [f"--minutes={options.minutes}"] if options.minutes else []
    words = ["run", str(options.data), str(options.results), f"--learner={name}", *more]
    return subprocess.run([sys.executable, "-m", __package__, *words], check=False).returncode


def repeat(options: argparse.Namespace) -> int:
    from .again import compare, two_runs

    fold = folds("domains", documents_of("domains", options.data))[0]
    for name in options.learner or LEARNERS:
        found = compare(*two_runs(fold, name))
        keep(options.results / "repeat" / f"{name}.json", found)
        print(name, found, flush=True)
    return 0


def write(options: argparse.Namespace) -> int:
    from .page import TABLES

    pages.write(options.page, TABLES, options.data, options.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
