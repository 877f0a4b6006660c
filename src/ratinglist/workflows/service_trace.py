"""What the service that looks after an office's runs leaves in the home, so that others see whether it works.

``HOME/notifications/service`` has its last round, and ``working`` is locked for as long as it lives: where the first is
there and the second is not locked, the service ended without being stopped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ratinglist.files.durable_files import read_regular_file, replace_file
from ratinglist.files.folder_lock import locked_file
from ratinglist.files.private_files import make_private_folder

_FOLDER, _TRACE, _LOCK = "notifications", "service", "working"
_TRACE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class ServiceTrace:
    """The last round of the service, as times in UTC. ``since``: of the first round that had ``problems``, or empty."""

    last_round: str
    since: str
    problems: Sequence[str]


@contextmanager
def working(home: Path) -> Iterator[None]:
    """State in the home, for as long as the block lasts, that its service works; an orderly end leaves no trace.

    Where nothing can be written, the service works all the same.
    """
    with ExitStack() as stack:
        # On a full disk; another service of the same home has the lock, and leaves the trace.
        with suppress(OSError):
            make_private_folder(home / _FOLDER)
            lock = locked_file(home / _FOLDER / _LOCK)
            if lock is not None:
                stack.callback(os.close, lock)
                stack.callback((home / _FOLDER / _TRACE).unlink, missing_ok=True)
        yield


def note_round(home: Path, at: str, problems: Sequence[str]) -> None:
    """Write the trace of a round. Raises :class:`OSError` where there is no room for it."""
    before = read(home)
    since = (before.since if before is not None and before.since else at) if problems else ""
    content = asdict(ServiceTrace(at, since, list(problems)))
    replace_file(home / _FOLDER / _TRACE, f"{json.dumps(content, ensure_ascii=False)}\n".encode())


def read(home: Path) -> ServiceTrace | None:
    """Return the last round; None where no service looks after the home, or it was stopped."""
    try:
        content = json.loads(read_regular_file(home / _FOLDER / _TRACE, _TRACE_BYTES) or b"null")
        problems = [str(one) for one in content["problems"]]
        return ServiceTrace(str(content["last_round"]), str(content["since"]), problems)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def text(home: Path) -> str:
    """Return what is wrong with the service of a home, as a line for the officer; empty where nothing is."""
    trace = read(home)
    if trace is None:
        return ""
    if not _is_working(home):
        return f"The office's service ended without being stopped; its last round was at {trace.last_round}. Start it."
    if trace.problems:
        return f"The office's service cannot do all of its work since {trace.since}: {'; '.join(trace.problems)}"
    return ""


def _is_working(home: Path) -> bool:
    """Return whether a service has the lock. Where it cannot be opened, none is known to work."""
    try:
        lock = locked_file(home / _FOLDER / _LOCK)
    except OSError:
        return False
    if lock is not None:
        os.close(lock)
    return lock is None
