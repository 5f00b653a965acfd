"""The command line of the study; see ``python -m studies.scientific --help``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..pages import write
from . import __doc__ as told
from .jobs import run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scientific-papers.md"
LATER = 75
"""The exit code of a run whose time was up (EX_TEMPFAIL): the same command goes on."""


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=told, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("run", "write"):
        command = commands.add_parser(name)
        command.add_argument("texts", type=Path)
        command.add_argument("results", type=Path)
        if name == "run":
            command.add_argument("--job", default="", help="only jobs whose name holds this")
            command.add_argument("--minutes", type=float, default=1e9, help="begin no job after so many")
        else:
            command.add_argument("page", type=Path, nargs="?", default=PAGE)
    options = parser.parse_args(given)
    if options.command == "run":
        done, left = run(options.texts, options.results, options.job, options.minutes)
        print(f"{done} jobs done" + (f", {left} left: call it again" if left else ""))
        return LATER if left else 0
    from .tables import TABLES

    write(options.page, TABLES, options.texts, options.results)
    print(f"{options.page.name} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
