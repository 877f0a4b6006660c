"""Dask's workers calculate a month in buckets: the same bytes, also where a worker is killed; and what can be wrong."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest

from ratinglist.config import EngineChoice, Settings
from ratinglist.engine import BucketFolder
from ratinglist.errors import CommandLineError, NothingReadError
from tests.conftest import published_bytes, run_sample

distributed = pytest.importorskip("distributed")

from ratinglist.engine import dask_engine  # noqa: E402 - it cannot be imported without Dask

MONTH = "2025-11"


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a scheduler with two workers, all in threads of this process: it starts in a second."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster.scheduler_address


def test_the_published_bytes_are_those_of_a_month_as_a_whole(
    until_october: Settings, homes: Path, scheduler: str
) -> None:
    run_sample(replace(until_october, engine=EngineChoice("dask", 3, scheduler)), MONTH)
    assert published_bytes(until_october.home) == published_bytes(homes / MONTH)
    assert not (until_october.home / "buckets").exists()


def connected(scheduler: str, folder: Path) -> Any:
    # The workers are in one process, so they have its threads.
    return dask_engine.connected(scheduler, BucketFolder(folder), lambda _: None)


def fail(bucket: int) -> int:
    raise NothingReadError(f"bucket {bucket} cannot be read")


def test_the_error_of_a_bucket_is_raised(scheduler: str, tmp_path: Path) -> None:
    with connected(scheduler, tmp_path) as engine, pytest.raises(NothingReadError, match="bucket 1 cannot be read"):
        engine.map_buckets(fail, [1], lambda: None)


def test_results_are_in_the_order_of_the_buckets_and_each_is_counted(scheduler: str, tmp_path: Path) -> None:
    counted: list[int] = []
    with connected(scheduler, tmp_path) as engine:
        assert engine.map_buckets(partial(pow, 2), [3, 1, 2], lambda: counted.append(1)) == [8, 2, 4]
    assert len(counted) == 3
    # The folder that the workers had to see is deleted where nothing is in it.
    assert not tmp_path.exists()


def test_no_scheduler_answers(until_october: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_engine, "_SECONDS_TO_ANSWER", 1)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(CommandLineError, match=f"--scheduler {address}: no Dask scheduler answers there"):
        run_sample(replace(until_october, engine=EngineChoice("dask", 3, address)), MONTH)
    assert not (until_october.home / "published" / MONTH).exists()


def test_an_address_that_is_none(until_october: Settings) -> None:
    with pytest.raises(CommandLineError, match="--scheduler nonsense://: no Dask scheduler answers there"):
        run_sample(replace(until_october, engine=EngineChoice("dask", 3, "nonsense://")), MONTH)


def test_a_scheduler_without_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_engine, "_SECONDS_TO_ANSWER", 1)
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
        ) as cluster,
        pytest.raises(CommandLineError, match="the scheduler has no workers"),
        connected(cluster.scheduler_address, tmp_path),
    ):
        pass


@pytest.mark.long
def test_the_last_worker_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_engine, "_SECONDS_WITHOUT_WORKERS", 2)
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(NothingReadError, match="has had no worker for 2 seconds"),
    ):
        dask_engine.DaskEngine(client).map_buckets(fail, [1], lambda: None)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"sees": False}, "does not see .*put the home on a folder that all workers have"),
        ({"versions": {"ratinglist": "0.1"}}, "has ratinglist 0.1, and this process"),
    ],
)
def test_a_worker_that_differs(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: dict[str, Any], message: str
) -> None:
    describe = dask_engine.describe_worker

    def describe_other(seen: str | None) -> dict[str, Any]:
        return describe(seen) | (other if seen else {})

    monkeypatch.setattr(dask_engine, "describe_worker", describe_other)
    with pytest.raises(CommandLineError, match=message), connected(scheduler, tmp_path):
        pass


def test_workers_of_one_machine_with_threads_of_their_own_are_warned_of(
    scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = dask_engine.describe_worker(None)
    warnings: list[str] = []
    for threads in (1, 4):
        monkeypatch.setattr(dask_engine, "describe_worker", lambda _, threads=threads: {**here, "threads": threads})
        with dask_engine.connected(scheduler, BucketFolder(tmp_path), warnings.append):
            pass
        assert len(warnings) == (threads > 1)


def test_a_folder_that_is_not_there_is_not_seen(tmp_path: Path) -> None:
    assert not dask_engine.describe_worker(str(tmp_path / "no-folder" / "seen"))["sees"]
    assert dask_engine.describe_worker(str(tmp_path))["sees"]


def end_once(folder: Path, bucket: int) -> int:
    """Kill the process of the first call for bucket 1, as a machine that loses its power does."""
    mark = folder / "killed"
    if bucket == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return bucket


def end_always(bucket: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return bucket


@pytest.mark.long
def test_workers_of_this_machine_are_started_and_one_is_killed(tmp_path: Path) -> None:
    with dask_engine.connected(None, BucketFolder(tmp_path / "buckets"), pytest.fail) as engine, engine.started():
        assert engine.map_buckets(partial(end_once, tmp_path), range(4), lambda: None) == [0, 1, 2, 3]
        assert (tmp_path / "killed").exists()
        with pytest.raises(NothingReadError, match="give more --buckets"):
            engine.map_buckets(end_always, [0], lambda: None)


@pytest.mark.long
@pytest.mark.parametrize("table", ["participants", "sides", "rated_sides"])
def test_a_worker_killed_in_the_middle_of_a_month_changes_no_byte(
    until_october: Settings, homes: Path, table: str
) -> None:
    killed: list[int] = []
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:

        def kill_one() -> None:
            end = monotonic() + 120
            while monotonic() < end and not list((until_october.home / "buckets" / table).glob("bucket=*")):
                sleep(0.001)
            process = cluster.workers[0].process.process
            killed.append(process.pid)
            os.kill(process.pid, signal.SIGKILL)

        killer = Thread(target=kill_one)
        killer.start()
        run_sample(replace(until_october, engine=EngineChoice("dask", 8, cluster.scheduler_address)), MONTH)
        killer.join()
    assert killed
    assert published_bytes(until_october.home) == published_bytes(homes / MONTH)
