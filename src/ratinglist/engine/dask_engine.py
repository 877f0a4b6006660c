"""Dask's workers as an engine: the same steps, called in other processes, here or on other machines.

A bucket whose worker ends is done again by another one (``distributed`` does that), and one that fails twice more.
"""

from __future__ import annotations

import logging
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import polars as pl

from ratinglist import __version__
from ratinglist.config import Warn
from ratinglist.engine.bucket_tables import BucketFolder
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.system_errors import first_line

try:
    import dask
    import distributed
except ImportError as missing:
    raise CommandLineError(
        f"--engine dask needs Dask, and its module '{missing.name}' is not installed: pip install 'ratinglist[dask]', "
        "here and on every worker. On one machine, --engine local --buckets N needs nothing else. Nothing was received "
        "or calculated."
    ) from None

Result = TypeVar("Result")

_RETRIES = 2
_SECONDS_TO_ANSWER = 20
"""How long a scheduler may take to answer, and to name its first worker."""

_SECONDS_WITHOUT_WORKERS = 60
"""How long a month waits for the scheduler, and for workers when the last one has gone."""

_NOTHING_DONE = "Nothing was received or calculated."
_CALCULATE_AGAIN = "Nothing was calculated or published; what was received is kept, and the command may be given again."


class DaskEngine:
    """The workers of a Dask scheduler.

    ``client``: connected to the scheduler; None: ``start`` gives one, with workers that run while :meth:`started` does.
    """

    def __init__(
        self,
        client: distributed.Client | None,
        start: Callable[[], AbstractContextManager[distributed.Client]] | None = None,
    ) -> None:
        self._client = client
        self._start = start

    @contextmanager
    def started(self) -> Iterator[None]:
        """Have workers in the block; see :class:`~ratinglist.engine.month.Engine`."""
        if self._start is None:
            yield
            return
        with self._start() as self._client:
            yield
        self._client = None

    @property
    def workers(self) -> int:
        """How many buckets are done at once: the threads of all workers."""
        return max(sum(map(int, self._connected.nthreads().values())), 1)

    @property
    def _connected(self) -> distributed.Client:
        if self._client is None:
            raise RuntimeError("there are no workers outside of started()")
        return self._client

    def map_buckets(
        self, function: Callable[[int], Result], buckets: Sequence[int], done: Callable[[], None]
    ) -> list[Result]:
        """Return ``function(bucket)`` for each of ``buckets``; see :class:`~ratinglist.engine.month.Engine`.

        Raises :class:`NothingReadError` where the scheduler or the workers are lost, or a bucket ends its workers.
        """
        try:
            # A step is called for its files, so Dask must not take it for one it has done (pure).
            futures = self._connected.map(function, list(buckets), pure=False, retries=_RETRIES)
            self._wait(futures, done)
            results: list[Result] = self._connected.gather(futures)
        except distributed.scheduler.KilledWorker:
            raise NothingReadError(
                "Several workers ended while they did one bucket, most likely because it needs more memory than they "
                f"have: give more --buckets, or more memory to a worker. {_CALCULATE_AGAIN}"
            ) from None
        except (OSError, distributed.client.FutureCancelledError, distributed.CancelledError) as error:
            if isinstance(error, OSError) and error.filename is not None:
                raise
            raise NothingReadError(f"The Dask scheduler does not answer any more. {_CALCULATE_AGAIN}") from None
        return results

    def _wait(self, futures: Sequence[distributed.Future], done: Callable[[], None]) -> None:
        """Wait until all are complete, or one has failed, and call ``done`` for each; raise where no worker is left."""
        pending, idle = set(futures), 0
        while pending:
            try:
                finished = distributed.wait(pending, timeout=1, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                # While the connection is lost, the client keeps the workers it knew.
                answers = self._connected.status == "running"
                idle = 0 if answers and self._connected.scheduler_info()["workers"] else idle + 1
                if idle >= _SECONDS_WITHOUT_WORKERS:
                    what = (
                        "has had no worker" if answers else "has not answered"
                    ) + f" for {_SECONDS_WITHOUT_WORKERS} seconds"
                    raise NothingReadError(
                        f"The Dask scheduler {what}. Start workers, or the scheduler and workers. {_CALCULATE_AGAIN}"
                    ) from None
                continue
            pending -= finished
            for future in finished:
                done()
                if future.status == "error":
                    return


@contextmanager
def connected(scheduler: str | None, folder: BucketFolder, warn: Warn) -> Iterator[DaskEngine]:
    """Give the workers of ``scheduler``; None: one worker for each processor of this machine, when they are needed.

    Raises :class:`CommandLineError` where the scheduler does not answer or has no worker, and where a worker has
    another version of the program or does not see ``folder``.
    """
    # The errors here name what went wrong; Dask's own log would print tracebacks.
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.startswith("distributed"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    if scheduler is None:
        yield DaskEngine(None, _own_workers)
        return
    with _client_of(scheduler) as client:
        try:
            _check_workers(client, folder, warn)
            yield DaskEngine(client)
        finally:
            # Empty where nothing was calculated, and deleted already where something was.
            with suppress(OSError):
                folder.root.rmdir()


_OF_WORKERS = {
    # As many workers as processors: with threads of their own they would wait for each other.
    "distributed.nanny.pre-spawn-environ.POLARS_MAX_THREADS": "1",
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    # What only Dask's dashboard shows costs a tenth of a processor.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}


@contextmanager
def _own_workers() -> Iterator[distributed.Client]:
    """Start a worker for each processor of this machine, and end them after the block."""
    with (
        dask.config.set(_OF_WORKERS),
        distributed.LocalCluster(
            threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextmanager
def _client_of(scheduler: str) -> Iterator[distributed.Client]:
    try:
        client = distributed.Client(scheduler, timeout=_SECONDS_TO_ANSWER)
    except (OSError, ValueError) as error:
        raise CommandLineError(
            f"--scheduler {scheduler}: no Dask scheduler answers there ({_reason(error)}). Start one: dask "
            f"scheduler; the address is the one it prints, such as tcp://scheduler:8786. {_NOTHING_DONE}"
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=_SECONDS_TO_ANSWER)
        except TimeoutError:
            raise CommandLineError(
                f"--scheduler {scheduler}: the scheduler has no workers. Start some on the machines that calculate: "
                f"POLARS_MAX_THREADS=1 dask worker {scheduler} --nthreads 1 --nworkers auto. {_NOTHING_DONE}"
            ) from None
        yield client


def _check_workers(client: distributed.Client, folder: BucketFolder, warn: Warn) -> None:
    """Compare every worker with this process; raise :class:`CommandLineError` for the first that differs."""
    folder.make()
    seen = folder.root / f"seen-{uuid4().hex}"
    seen.write_text("", encoding="utf-8")
    try:
        found: dict[str, Any] = client.run(describe_worker, str(seen), on_error="return")
    finally:
        seen.unlink()
    here = describe_worker(None)
    for address, worker in sorted(found.items()):
        if isinstance(worker, ModuleNotFoundError):
            raise CommandLineError(
                f"The worker {address} lacks the module '{worker.name}': install there what is installed here, "
                f"ratinglist[dask] {__version__}. {_NOTHING_DONE}"
            )
        if isinstance(worker, BaseException):
            raise CommandLineError(f"The worker {address} cannot be used: {_reason(worker)}. {_NOTHING_DONE}")
        for name, version in here["versions"].items():
            if worker["versions"].get(name) != version:
                raise CommandLineError(
                    f"The worker {address} has {name} {worker['versions'].get(name)}, and this process {version}: the "
                    f"versions must be the same. {_NOTHING_DONE}"
                )
        if not worker["sees"]:
            raise CommandLineError(
                f"The worker {address} does not see {folder.root}, where the buckets are: put the home on a folder "
                "that all workers have under the same path (--home), and start them under an account that may write "
                f"there. {_NOTHING_DONE}"
            )
    machines = [worker["machine"] for worker in found.values() if worker["threads"] > 1]
    if len(set(machines)) < len(machines):
        warn(
            "several workers of one machine take more than one thread for a bucket and wait for each other: start "
            "them with POLARS_MAX_THREADS=1 in their environment"
        )


def describe_worker(seen: str | None) -> dict[str, Any]:
    """Return what the process it is called in has: versions, threads, and whether it may write where ``seen`` is."""
    sees = True
    if seen is not None:
        path = Path(seen)
        trial = path.with_name(f"{path.name}-{uuid4().hex}")
        try:
            sees = path.exists()
            if sees:
                trial.write_text("", encoding="utf-8")
                trial.unlink()
        except OSError:
            sees = False
    return {
        "versions": {
            "ratinglist": __version__,
            "polars": pl.__version__,
            "Python": ".".join(platform.python_version_tuple()[:2]),
        },
        "machine": platform.node(),
        "threads": pl.thread_pool_size(),
        "sees": sees,
    }


def _reason(error: BaseException) -> str:
    return first_line(error).rstrip(".")
