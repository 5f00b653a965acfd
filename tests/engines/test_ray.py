"""The Ray engine on a cluster of this machine; its refusals without one."""

from __future__ import annotations

import importlib.util
import os
import signal

import pytest

from evenhand import engines
from evenhand.engines import ray as engine
from evenhand.errors import DataError, MissingError, MissingExtra, SpecError

installed = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not installed, reason="the extra 'ray' is not installed")


def double(batch: list[int]) -> list[int]:
    return [2 * x for x in batch]


def refuse(batch: list[int]) -> list[int]:
    raise DataError("row 3 is no text; repair it")


def die(batch: list[int]) -> list[int]:
    os.kill(os.getpid(), signal.SIGKILL)
    return batch


@pytest.mark.skipif(installed, reason="Ray is installed")
def test_without_ray_the_extra_is_named() -> None:
    with pytest.raises(MissingExtra, match=r"evenhand\[ray\]"):
        list(engines.get("ray").map(double, [[1]]))


def test_parameters_are_checked() -> None:
    with pytest.raises(SpecError):
        engines.get("ray(workers=-1)")
    assert engines.get("ray(gpus=0.5)").spec == "ray(address=None, gpus=0.5, workers=0)"


@needs_ray
@pytest.mark.long
def test_a_cluster_on_this_machine() -> None:
    ray = engine.import_ray()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        found = list(engines.get("ray(workers=2)").map(double, iter([[1, 2], [3], [], [4]])))
        assert sorted(found) == [[], [2, 4], [6], [8]]
        with pytest.raises(DataError, match="row 3"):
            list(engines.get("ray").map(refuse, [[1]]))
        with pytest.raises(MissingError, match="goes on where it was"):
            list(engines.get("ray").map(die, [[1]]))
        assert ray.is_initialized(), "a cluster that was there stays"
    finally:
        ray.shutdown()
