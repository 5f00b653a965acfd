"""Batches over a Ray cluster: other machines, and cards of their own for the workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, TypeVar

from ..errors import MissingError, MissingExtra, SpecError
from ..registry import Card, Component

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True)
class Ray(Component):
    """``workers`` batches at once (0: as many as the cluster has processors), each with ``gpus`` cards (0.5: two share one).

    ``address`` is that of a running cluster ('auto' finds one); None starts Ray on this machine and ends it afterwards.
    """

    name: ClassVar[str] = "ray"
    card: ClassVar[Card] = Card(
        "Batches over a Ray cluster; results come as they are ready.",
        family="engine",
        licence="MIT (Ray: Apache-2.0)",
        needs="the extra 'ray'; evenhand and its models' cache on every machine of the cluster",
        pitfalls="each machine fetches the models into its own cache; share EVENHAND_CACHE or fetch beforehand",
    )
    workers: int = 0
    gpus: float = 0.0
    address: str | None = None

    def __post_init__(self) -> None:
        if self.workers < 0 or self.gpus < 0:
            raise SpecError(f"ray: workers and gpus are 0 or more, got {self.workers!r} and {self.gpus!r}")

    def map(self, work: Callable[[A], B], batches: Iterable[A]) -> Iterator[B]:
        """Yields the result of every batch, in any order. What a worker raises is raised here."""
        ray = import_ray()
        ours = not ray.is_initialized()
        if ours:
            ray.init(
                address=self.address, log_to_driver=False, include_dashboard=False if self.address is None else None
            )
        try:
            yield from self._flow(ray, ray.put(work), iter(batches))
        except ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, Exception) else error from error
        except ray.exceptions.WorkerCrashedError as error:
            raise MissingError(
                "a Ray worker was ended from outside (often: memory ran out); run the same command again, it goes on where it was"
            ) from error
        finally:
            if ours:
                ray.shutdown()

    def _flow(self, ray: Any, work: Any, batches: Iterator[Any]) -> Iterator[Any]:
        task = ray.remote(num_cpus=1, num_gpus=self.gpus or None, max_retries=0)(do)
        at_once = self.workers or int(ray.cluster_resources().get("CPU", 1))
        waiting = [task.remote(work, batch) for batch in islice(batches, at_once)]
        while waiting:
            done, waiting = ray.wait(waiting)
            waiting += [task.remote(work, batch) for batch in islice(batches, len(done))]
            yield from ray.get(done)


def do(work: Callable[[Any], Any], batch: Any) -> Any:
    return work(batch)


def import_ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError as error:
        raise MissingExtra("the engine 'ray'", "ray") from error
    return ray
