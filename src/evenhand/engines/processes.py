"""One batch per worker process, one thread each: the fastest way on a processor.

Workers map the weights from the same file (float32, as it is stored), so the machine holds them once. They leave Ctrl-C to
this process; where one of them dies, the others are ended and the error says what to do.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, TypeVar

from ..errors import MissingError, SpecError
from ..registry import Card, Component

A = TypeVar("A")
B = TypeVar("B")

_work: Callable[[Any], Any]
"""In a worker: what it does with a batch; sent once, not with every batch."""


@dataclass(frozen=True)
class Processes(Component):
    """``workers=0`` is one per core that this process may use."""

    name: ClassVar[str] = "processes"
    card: ClassVar[Card] = Card(
        "Batches over worker processes of one thread each; results come as they are ready.",
        family="engine",
        needs="a work function and detectors that can be sent to another process (no lambda)",
        pitfalls="each worker holds its own activations, and in bfloat16 its own weights; in float32 they are shared",
    )
    workers: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.workers, int) or self.workers < 0:
            raise SpecError(f"processes: workers is 0 (one per core) or a number of processes, got {self.workers!r}")

    def map(self, work: Callable[[A], B], batches: Iterable[A]) -> Iterator[B]:
        """Yields the result of every batch, in any order. What a worker raises is raised here, and ends the rest."""
        check_sendable(work)
        pool = ProcessPoolExecutor(self.workers or cores(), context(), initializer=start, initargs=(work,))
        try:
            yield from flow(pool, iter(batches), ahead=2 * (self.workers or cores()))
        except BrokenProcessPool as error:
            raise MissingError(
                "a worker process was ended from outside (often: memory ran out); "
                "run the same command again, it goes on where it was, with fewer workers: processes(workers=1)"
            ) from error
        finally:
            stop(pool)


def flow(pool: ProcessPoolExecutor, batches: Iterator[A], ahead: int) -> Iterator[Any]:
    """Keeps ``ahead`` batches in the pool, so that a long corpus is never in memory as a whole."""
    waiting: set[Future[Any]] = {pool.submit(do, batch) for batch in islice(batches, ahead)}
    while waiting:
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        waiting |= {pool.submit(do, batch) for batch in islice(batches, len(done))}
        for future in done:
            yield future.result()


def stop(pool: ProcessPoolExecutor) -> None:
    """Ends the workers at once: what they still do is not wanted any more."""
    workers = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join(5)


def context() -> Any:
    """A fork server where there is one: children of a process that never started threads."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(["evenhand.engines.warm"])
    return found


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_sendable(work: Callable[..., Any]) -> None:
    try:
        pickle.dumps(work)
    except Exception as error:
        raise SpecError(
            f"the engine 'processes' cannot send this to a worker: {error}; use a function of a module, or the engine 'serial'"
        ) from error


def start(work: Callable[[Any], Any]) -> None:
    global _work  # noqa: PLW0603
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _work = work


def do(batch: Any) -> Any:
    return _work(batch)
