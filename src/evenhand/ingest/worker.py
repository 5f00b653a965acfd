"""The child process that reads files: one request a line on standard input, one answer a line on standard output.

It may use only so much memory, write no file and leave no core; the parent ends it when its time is up.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from .blocks import Limits
from .reading import FileRead, read_file


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what libraries print must not get between the answers
    limits = Limits(**json.loads(sys.argv[1]))
    confine(limits)
    for line in sys.stdin:
        request = json.loads(line)
        answers.write(json.dumps(asdict(answer(request["path"], request["parser"], limits))) + "\n")
        answers.flush()


def answer(path: str, parser: str, limits: Limits) -> FileRead:
    """Never raises: whatever a library does with a damaged file is a failure of that file alone."""
    try:
        return read_file(Path(path), parser, limits)
    except Exception as error:
        text = f"damaged, or of a kind that its reader does not know: {type(error).__name__}: {error}"
        return FileRead(path, "failed", text[:300], parser=parser)


def confine(limits: Limits) -> None:
    """Address space, files and cores; where the system has no such limits (Windows), time is the only one."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in ((resource.RLIMIT_AS, limits.memory), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)):
        try:
            resource.setrlimit(kind, (most, most))
        except (ValueError, OSError):
            continue  # a system that does not let this one be set


if __name__ == "__main__":
    main()
