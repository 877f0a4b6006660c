"""Run a function in a process of its own, which is ended at a limit of memory or of time.

A file or a query of somebody else may make a library allocate whatever it states, in one call that nothing interrupts.
So it is read in another process, and this one measures that: :mod:`psutil` gives the memory that a process really has,
on Linux, Windows and macOS alike. Between two looks a process gets some 50 MB, so a limit holds to within that. No
limit has to be derived from the bytes of a file, and a library that aborts ends its own process alone.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic_ns
from typing import IO, Any, Final, ParamSpec, TypeVar, cast

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_LOOKS: Final = 50
"""Looks at the process in a second."""
_NANO: Final = 10**9
_KEPT_BYTES: Final = 256 * 2**20
"""A process that has at most so much memory after its last result is kept for the next call."""
# Without -P the current folder comes first on the path, and it may hold modules of anybody.
_COMMAND: Final = (sys.executable, "-P", "-c", "from ratinglist.files.limited_process import serve; serve()")
_VALUE, _ERROR, _END = range(3)


class LimitError(Exception):
    """The process gave no further result. The message continues a sentence that begins with what it read."""


class MemoryLimitError(LimitError):
    """The process had more memory than it may."""


class TimeLimitError(LimitError):
    """The process did not give its results in time."""


class ProcessEndedError(LimitError):
    """The process ended by itself: a library could not bear what it read."""


def results(
    memory: int,
    seconds: int,
    function: Callable[Arguments, Iterator[Result]],
    *args: Arguments.args,
    **kwargs: Arguments.kwargs,
) -> Iterator[Result]:
    """Yield what ``function`` yields, as it does; it runs in a process of its own.

    ``memory``: the most bytes that the process may have. ``seconds``: the most time that the caller waits for results,
    all waits together. The function, its arguments and its results have to be picklable, and the module of the function
    is imported by the process. Raises what the function raises, and :class:`LimitError`. A process that gave its last
    result waits for the next call: to start one takes a tenth of a second. It ends when this process ends in any way.
    """
    process = _idle_process() or _started()
    watch = _Watch(process, memory, seconds)
    watch.start()
    is_sound = False
    try:
        watch.send((function, args, kwargs))
        while (message := watch.received())[0] == _VALUE:
            yield message[1]
        is_sound = True
        if message[0] == _ERROR:
            raise message[1]
    finally:
        watch.stop()
        if is_sound and watch.last_memory <= _KEPT_BYTES:
            _idle.append((os.getpid(), process))
        else:
            _end(process)


_idle: list[tuple[int, subprocess.Popen[bytes]]] = []
"""The processes that wait, each with the process that started it: a copy of that by a fork must not use them."""


def _idle_process() -> subprocess.Popen[bytes] | None:
    while _idle:
        parent, process = _idle.pop()
        if parent == os.getpid() and process.poll() is None:
            return process
    return None


def _started() -> subprocess.Popen[bytes]:
    errors = None if os.environ.get("RATINGLIST_DEBUG") else subprocess.DEVNULL
    return subprocess.Popen(_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)  # noqa: S603 - our own words


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        # What was not sent cannot be sent any more.
        with suppress(OSError):
            cast("IO[bytes]", pipe).close()


@atexit.register
def _end_idle() -> None:
    for parent, process in _idle:
        if parent == os.getpid():
            _end(process)


class _Watch(Thread):
    """Gives a process one request, receives its messages, and ends it at a limit."""

    def __init__(self, process: subprocess.Popen[bytes], memory: int, seconds: int) -> None:
        super().__init__(daemon=True)
        self.last_memory = 0
        self._process, self._memory, self._seconds = process, memory, seconds
        self._waited = 0
        self._waits_since: int | None = None
        self._limit: LimitError | None = None
        self._is_over = Event()

    def send(self, request: object) -> None:
        """Give the process its request."""
        # One that ended already is found when its first message is read.
        with suppress(OSError):
            _send(cast("IO[bytes]", self._process.stdin), request)

    def received(self) -> tuple[int, Any]:
        """Return the next message of the process; raise :class:`LimitError` where it was ended, or has ended."""
        self._waits_since = since = monotonic_ns()
        try:
            message: tuple[int, Any] = pickle.load(cast("IO[bytes]", self._process.stdout))  # noqa: S301 - our own
        except (EOFError, OSError, pickle.UnpicklingError):
            self._process.wait()
            self.join()
            raise self._limit or ProcessEndedError("made the library that reads it crash") from None
        finally:
            self._waits_since, self._waited = None, self._waited + monotonic_ns() - since
        return message

    def stop(self) -> None:
        """Let the process go on without limits."""
        self._is_over.set()
        self.join()

    def run(self) -> None:
        """Look at the process until it ends or the last message was received."""
        # Here, because its import takes a tenth of a short command, and few commands need it.
        import psutil

        seen = psutil.Process(self._process.pid)
        while self._process.poll() is None and self._limit is None:
            # The process may end between two lines, and this one may have too many files open to look at it.
            with suppress(psutil.Error, OSError):
                self.last_memory = seen.memory_info().rss
            if self._is_over.is_set():
                return
            since = self._waits_since
            waited = self._waited + (0 if since is None else monotonic_ns() - since)
            if self.last_memory > self._memory:
                self._limit = MemoryLimitError(f"needs more than {self._memory // 2**20:,} MiB of memory")
            elif waited > self._seconds * _NANO:
                self._limit = TimeLimitError(f"takes more than {self._seconds:g} seconds")
            else:
                self._is_over.wait(1 / _LOOKS)
        self._process.kill()


def serve() -> None:
    """Run the functions of the requests on standard input and write their results: what the process itself does."""
    requests: SimpleQueue[tuple[Callable[..., Iterator[object]], tuple[object, ...], dict[str, object]]] = SimpleQueue()
    # What a library prints goes to standard error, and not between the messages.
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def receive() -> None:
        try:
            while True:
                requests.put(pickle.load(sys.stdin.buffer))  # noqa: S301 - written by this program
        finally:
            # The other end is closed, because the parent has ended: so does this process, whatever it computes.
            os._exit(0)

    Thread(target=receive, daemon=True).start()
    while True:
        function, args, kwargs = requests.get()
        try:
            for value in function(*args, **kwargs):
                _send(output, (_VALUE, value))
            message: tuple[int, object] = (_END, None)
        except BaseException as error:
            message = (_ERROR, error)
            # A panic of Polars, for one, cannot be pickled.
            if not _is_picklable(error):
                message = (_ERROR, RuntimeError(f"{type(error).__name__}: {error}"))
        _send(output, message)


def _is_picklable(value: object) -> bool:
    try:
        pickle.loads(pickle.dumps(value))  # noqa: S301 - made in the same line
    except Exception:
        return False
    return True


def _send(file: IO[bytes], message: object) -> None:
    pickle.dump(message, file, protocol=5)
    file.flush()
