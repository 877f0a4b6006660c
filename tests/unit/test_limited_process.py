"""A function in a process of its own: what it yields, raises, and at which limits it is ended."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import chain, count, islice

import psutil
import pytest

from ratinglist.errors import CommandLineError
from ratinglist.files import limited_process
from ratinglist.files.limited_process import MemoryLimitError, ProcessEndedError, TimeLimitError, results
from ratinglist.period import Period

GIB = 2**30
OWN_NUMBER = "__import__('os').getpid()"


def processes() -> set[int]:
    """The processes that this one started and that have not ended."""
    return {child.pid for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE}


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    """Every test begins and ends without a process that waits."""
    limited_process._end_idle()
    limited_process._idle.clear()
    before = processes()
    yield
    limited_process._end_idle()
    limited_process._idle.clear()
    assert processes() == before


def test_what_a_function_yields_is_yielded_in_its_order() -> None:
    assert list(results(GIB, 20, map, str.upper, ["a", "b"])) == ["A", "B"]


def test_values_come_before_the_last_one_is_computed() -> None:
    assert list(islice(results(GIB, 20, count, 7), 3)) == [7, 8, 9]


def test_an_error_is_raised_after_the_values_before_it() -> None:
    found = results(GIB, 20, map, int, ["1", "a"])
    assert next(found) == 1
    with pytest.raises(ValueError, match="invalid literal for int"):
        next(found)


def test_an_error_of_the_program_keeps_its_kind() -> None:
    with pytest.raises(CommandLineError, match="is not a month: write YYYY-MM"):
        list(results(GIB, 20, map, Period.parse, ["13"]))


def test_a_text_of_gigabytes_is_ended_soon() -> None:
    began = time.monotonic()
    with pytest.raises(MemoryLimitError, match="needs more than 200 MiB of memory"):
        list(results(200 * 2**20, 60, map, "x".__mul__, [8 * GIB]))
    assert time.monotonic() - began < 10


def test_a_function_that_takes_too_long_is_ended() -> None:
    began = time.monotonic()
    with pytest.raises(TimeLimitError, match="takes more than 1 seconds"):
        list(results(GIB, 1, map, time.sleep, [60]))
    assert time.monotonic() - began < 10


def test_the_time_of_the_caller_does_not_count() -> None:
    found = results(GIB, 1, iter, [1, 2])
    assert next(found) == 1
    time.sleep(1.2)
    assert list(found) == [2]


def test_a_library_that_aborts_ends_its_own_process_alone() -> None:
    with pytest.raises(ProcessEndedError, match="made the library that reads it crash"):
        list(results(GIB, 20, map, eval, ["__import__('os').abort()"]))


def test_what_a_library_prints_is_not_read_as_a_result() -> None:
    assert list(results(GIB, 20, map, os.write, [1], [b"printed"])) == [7]


def test_a_process_is_kept_for_the_next_call() -> None:
    pids = [list(results(GIB, 20, map, eval, [OWN_NUMBER])) for _ in range(2)]
    assert pids[0] == pids[1]


def test_a_process_that_was_ended_or_left_is_not_kept() -> None:
    pid = list(results(GIB, 20, map, eval, [OWN_NUMBER]))
    found = results(GIB, 20, chain, pid, count())
    assert next(found) == pid[0]
    found.close()
    assert list(results(GIB, 20, map, eval, [OWN_NUMBER])) != pid


def test_two_calls_at_once_have_a_process_each() -> None:
    first, second = results(GIB, 20, iter, "ab"), results(GIB, 20, iter, "cd")
    assert [next(first), next(second), *first, *second] == ["a", "c", "b", "d"]


def test_the_process_ends_with_the_one_that_started_it() -> None:
    program = (
        "import time; from ratinglist.files.limited_process import results\n"
        "print(next(results(2**30, 20, map, eval, [\"__import__('os').getpid()\", \"__import__('time').sleep(60)\"])),"
        " flush=True)\n"
        "time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 10
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.02)
