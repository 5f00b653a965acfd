"""Every engine gives the same results; a worker's death and its errors are told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from evenhand import engines
from evenhand.engines.processes import Processes, cores
from evenhand.errors import DataError, MissingError, SpecError


def double(batch: list[int]) -> list[int]:
    return [2 * x for x in batch]


def refuse(batch: list[int]) -> list[int]:
    raise DataError("row 3 is no text; repair it")


def die(batch: list[int]) -> list[int]:
    os.kill(os.getpid(), signal.SIGKILL)
    return batch


def process(batch: list[int]) -> int:
    time.sleep(0.05)
    return os.getpid()


def group_ends(group: int) -> bool:
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


BATCHES = [[1, 2], [3], [], [4, 5, 6]]


@pytest.mark.parametrize("spec", ["serial", "processes(workers=2)"])
def test_engines_do_every_batch_once(spec: str) -> None:
    found = list(engines.get(spec).map(double, iter(BATCHES)))
    assert sorted(found) == sorted(double(batch) for batch in BATCHES)


def test_work_is_done_elsewhere_and_by_several() -> None:
    workers = set(Processes(2).map(process, ([i] for i in range(12))))
    assert os.getpid() not in workers
    assert len(workers) == 2


def test_an_error_of_ours_comes_back_whole() -> None:
    with pytest.raises(DataError, match="row 3 is no text"):
        list(Processes(1).map(refuse, BATCHES))


def test_a_killed_worker_is_told_with_the_cure() -> None:
    with pytest.raises(MissingError, match="fewer workers"):
        list(Processes(2).map(die, BATCHES))


def test_a_lambda_is_refused_before_any_process_starts() -> None:
    with pytest.raises(SpecError, match="'serial'"):
        list(Processes(1).map(lambda batch: batch, BATCHES))


def test_batches_are_taken_as_they_are_needed() -> None:
    taken = []

    def batches():
        for i in range(100):
            taken.append(i)
            yield [i]

    results = Processes(1).map(double, batches())
    next(results)
    assert len(taken) < 10
    results.close()


def test_workers_must_be_a_number() -> None:
    with pytest.raises(SpecError, match="workers"):
        engines.get("processes(workers=-1)")
    assert engines.get("processes").workers == 0
    assert cores() >= 1


def hears_ctrl_c() -> None:
    """A shell starts its background jobs deaf to Ctrl-C, and what they start inherits it: the tests may be such a job."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_control_c_ends_workers_and_parent() -> None:
    program = """
        import time
        from evenhand.engines.processes import Processes
        if __name__ == "__main__":
            print("started", flush=True)
            list(Processes(2).map(time.sleep, [0.01] * 4 + [60] * 8))
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hears_ctrl_c,
    )
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(4)
    os.killpg(child.pid, signal.SIGINT)
    _, errors = child.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors
    assert group_ends(child.pid), "a worker outlived its parent"
