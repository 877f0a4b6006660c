"""Engines: what calls a step once for each bucket. On this machine, one bucket after the other; or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Protocol, TypeVar

from ratinglist.config import EngineChoice, Warn
from ratinglist.engine.bucket_folder import BucketFolder

Result = TypeVar("Result")


class Engine(Protocol):
    """Calls a function once for each bucket, perhaps on other machines."""

    @property
    def workers(self) -> int:
        """How many buckets are done at once."""
        ...

    def started(self) -> AbstractContextManager[None]:
        """Have workers in the block: the rest is called inside it alone."""
        ...

    def map_buckets(
        self, function: Callable[[int], Result], buckets: Sequence[int], done: Callable[[], None]
    ) -> list[Result]:
        """Return ``function(bucket)`` for each of ``buckets``, in their order.

        ``done`` is called here whenever one is complete. A bucket may be done more than once, so ``function`` writes
        the same files each time. The first error of a bucket is raised.
        """
        ...


class LocalEngine:
    """One bucket after the other, in this process: as much memory as one bucket needs."""

    workers = 1

    def started(self) -> AbstractContextManager[None]:
        """Return a block without effect; see :class:`Engine`."""
        return nullcontext()

    def map_buckets(
        self, function: Callable[[int], Result], buckets: Sequence[int], done: Callable[[], None]
    ) -> list[Result]:
        """Return ``function(bucket)`` for each of ``buckets``; see :class:`Engine`."""
        results = []
        for bucket in buckets:
            results.append(function(bucket))
            done()
        return results


@contextmanager
def opened_engine(choice: EngineChoice, root: Path, warn: Warn) -> Iterator[Engine]:
    """Give the engine that is chosen.

    In: ``root``: the folder of the buckets. Raises what :func:`~ratinglist.engine.dask_engine.connected` raises, before
    anything is received or calculated.
    """
    if choice.name == "local":
        yield LocalEngine()
    else:
        # Imported here: it takes seconds, and an office without a cluster has not installed it.
        from ratinglist.engine.dask_engine import connected

        with connected(choice.scheduler, BucketFolder(root), warn) as engine:
            yield engine
