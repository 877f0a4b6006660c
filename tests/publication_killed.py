"""Publishes November a second time and is killed by the system before, or in the middle of, one step of writing.

``python -m tests.publication_killed FOLDER STEP...``: for every step (from 1) a process of its own, in ``FOLDER/STEP``;
step 0 is never killed and writes the number of steps. A step is whatever changes the disk: opening a file to write,
half of what is written to it, a row group, syncing, changing the mode, making, renaming and removing.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ratinglist.publication.policy import PublishingPolicy
from ratinglist.publication.signature import Signer
from ratinglist.schemas import DIFF
from ratinglist.store import table_files
from tests.published_sample import ANNA, FACTS, NOVEMBER, november, october, publish_tables, rows

TOUCHES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.truncate", "os.link", "os.symlink"}


def signing_policy() -> PublishingPolicy:
    """Return a policy that signs with a fixed key."""
    return PublishingPolicy(signer=Signer(Ed25519PrivateKey.from_private_bytes(bytes(32))))


def publish_first(folder: Path) -> Path:
    """Publish the first list of November."""
    return publish_tables(folder, NOVEMBER, november(), FACTS, policy=signing_policy()).folder


def publish_second(folder: Path) -> Path:
    """Publish the corrected list of November, with its diff."""
    row = {"time_control": "standard", "fide_id": ANNA, "name": "Àlba, Anna", "cause": "game"}
    tables = {**november(), "pool": october()["pool"], "diff": rows(DIFF, row)}
    return publish_tables(folder, NOVEMBER, tables, FACTS, {"DIFF.md": "# What changed\n"}, signing_policy()).folder


class KillAtStep:
    """Counts the steps under ``folder`` and ends this process at one of them."""

    def __init__(self, folder: Path, at: int) -> None:
        self.steps, self._at, self._folder, self._lock = 0, at, str(folder), threading.Lock()

    def step(self) -> None:
        """Count one step, and end the process at the chosen one."""
        with self._lock:
            self.steps += 1
            if self.steps == self._at:
                os.kill(os.getpid(), signal.SIGKILL)

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Count an audit event that writes under the folder: see ``sys.addaudithook``."""
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if (writes or event in TOUCHES) and self._folder in str(arguments[0]):
            self.step()

    def watch(self) -> None:
        """Start counting; functions without an audit event are wrapped."""
        sys.addaudithook(self.hook)
        os.fsync = self._before(os.fsync)
        for name in ("write_table", "close"):
            setattr(pq.ParquetWriter, name, self._before(getattr(pq.ParquetWriter, name)))
        table_files._Hashing.write = self._in_halves(table_files._Hashing.write)  # type: ignore[method-assign]
        Path.write_bytes = self._torn("wb")  # type: ignore[method-assign]
        Path.write_text = self._torn("w")  # type: ignore[method-assign]

    def _before(self, touch: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **named: Any) -> Any:
            self.step()
            return touch(*arguments, **named)

        return wrapper

    def _in_halves(self, write: Callable[..., int]) -> Callable[..., int]:
        def wrapper(to: Any, data: bytes) -> int:
            middle = len(data) // 2
            written = write(to, bytes(data[:middle]))
            if to._file is not None:
                to._file.flush()
                self.step()
            return written + write(to, bytes(data[middle:]))

        return wrapper

    def _torn(self, mode: str) -> Callable[..., int]:
        def wrapper(path: Path, data: Any, *_: Any, **named: Any) -> int:
            with path.open(mode, **named) as file:
                file.write(data[: len(data) // 2])
                file.flush()
                self.step()
                file.write(data[len(data) // 2 :])
            return len(data)

        return wrapper


def main(base: Path, steps: list[int]) -> None:
    """Run a process for each step; no thread was started yet, so each can be a fork of this one."""
    for at in steps:
        folder = base / str(at)
        folder.mkdir()
        child = os.fork()
        if child == 0:
            publish_first(folder / "published")
            killer = KillAtStep(folder, at)
            killer.watch()
            publish_second(folder / "published")
            (base / "steps").write_text(str(killer.steps))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        if killed != (at > 0):
            raise SystemExit(f"step {at}: ended with status {status}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(one) for one in sys.argv[2:]])
