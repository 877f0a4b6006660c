"""Find processes by a variable of their environment, where the system has ``/proc``: this account's alone are seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """A process. ``words``: its command line; ``value``: that of the variable it was found by."""

    number: int
    words: list[bytes]
    value: bytes


def with_variable(name: str) -> Iterator[Process]:
    """Yield the processes that have a variable of this name; none where the system has no ``/proc``."""
    mark = f"{name}=".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            # It has ended since it was listed, or belongs to another account.
            continue
        value = next((one.removeprefix(mark) for one in variables if one.startswith(mark)), b"")
        if value:
            yield Process(int(folder.name), words, value)
