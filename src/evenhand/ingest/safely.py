"""Many files, each read in a child process with a limit of time and memory: one bad file costs one row."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from queue import SimpleQueue

from .blocks import Limits
from .files import Found
from .reading import FileRead, check_parser, out_of_memory


class Child:
    """One child process; it is started when a file is asked of it, and anew after each failure."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[str] | None = None

    def read(self, path: Path, parser: str) -> FileRead:
        started = time.monotonic()
        process = self._running()
        late = threading.Event()

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._limits.seconds, end)
        timer.start()
        try:
            line = self._asked(process, json.dumps({"path": str(path), "parser": parser}))
        finally:
            timer.cancel()
        seconds = round(time.monotonic() - started, 3)
        if line.endswith("\n"):  # else it died while it answered
            if late.is_set():
                self.close()  # its time ran out just when it answered
            return replace(_read_back(line), seconds=seconds)
        code = self.close()
        reason = f"not read within {self._limits.seconds:g} s" if late.is_set() else _death(code, self._limits)
        return FileRead(str(path), "failed", reason, parser=parser, seconds=seconds)

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            # -P: nothing is imported from the folder where the command runs
            command = [sys.executable, "-P", "-m", "evenhand.ingest.worker", json.dumps(asdict(self._limits))]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="ascii",
            )
        return self._process

    def _asked(self, process: subprocess.Popen[str], request: str) -> str:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(request + "\n")
            process.stdin.flush()
            return process.stdout.readline()
        except BrokenPipeError:
            return ""

    def close(self) -> int:
        """Ends the process; its exit code."""
        if self._process is None:
            return 0
        process, self._process = self._process, None
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):  # what was asked of a dead child is still to be written
                    stream.close()
        try:
            return process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


def _read_back(line: str) -> FileRead:
    row = json.loads(line)
    return FileRead(**{**row, "notes": tuple(row["notes"])})


def _death(code: int, limits: Limits) -> str:
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return f"its reader died ({how}): a damaged file, or one that {out_of_memory(limits)}"


def read_files(
    found: Iterable[Found], parser: str = "layout", limits: Limits | None = None, jobs: int = 1
) -> Iterator[FileRead]:
    """One answer a file, in their order. ``jobs``: child processes at once."""
    check_parser(parser)
    children = [Child(limits or Limits()) for _ in range(jobs)]
    free = SimpleQueue[Child]()
    for child in children:
        free.put(child)

    def answer(one: Found) -> FileRead:
        if one.problem:
            return FileRead(one.name, "refused", one.problem, parser=parser)
        child = free.get()
        try:
            return replace(child.read(one.path, parser), file=one.name)
        finally:
            free.put(child)

    try:
        if jobs == 1:
            yield from map(answer, found)
        else:
            yield from _side_by_side(answer, found, jobs)
    finally:
        for child in children:
            child.close()


def _side_by_side(answer: Callable[[Found], FileRead], found: Iterable[Found], jobs: int) -> Iterator[FileRead]:
    """In order, and so far ahead of what is asked for that no answer waits long: texts of few files are held at once."""
    waiting: deque[Future[FileRead]] = deque()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for one in found:
                waiting.append(pool.submit(answer, one))
                if len(waiting) > 4 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for left in waiting:
                left.cancel()
