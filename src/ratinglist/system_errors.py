"""Say in one sentence what the disk, the permissions or the memory of the machine refused, and what to do.

The libraries report the same cause in many ways: Python by a number, Polars and DuckDB by a text alone. So a cause is
recognised here by either, and nowhere else.
"""

from __future__ import annotations

import errno
import re
from dataclasses import dataclass
from typing import Final

_AGAIN = "Then give the command again. What it finished before this is kept."
_LIBRARIES: Final = ("duckdb", "polars", "pyarrow", "xlsxwriter")
_NAMED: Final = re.compile(
    r"""["'](?P<quoted>[^"'\\]*[/\\][^"'\\]*)\\?["']|error \d+\): (?P<behind>\S.*)$""", re.MULTILINE
)
"""The file that a library names in its text."""


@dataclass(frozen=True, slots=True)
class _Cause:
    """A cause, what is said of it, and the remedy: ``numbers`` of the system, and ``texts`` of which one is there."""

    numbers: tuple[int, ...]
    texts: tuple[str, ...]
    sentence: str
    remedy: str


_CAUSES: Final = (
    _Cause(
        (errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
        ("No space left", "quota exceeded", "File too large", "not enough space on the disk"),
        "No space left on device",
        "Free space on the disk.",
    ),
    _Cause(
        (errno.EMFILE, errno.ENFILE),
        ("Too many open files",),
        "too many files are open at the same time",
        "Close other programs, or allow more open files: in a terminal of Linux or macOS, ulimit -n 4096.",
    ),
    _Cause(
        (errno.EACCES, errno.EPERM),
        ("Permission denied", "Operation not permitted", "Access is denied"),
        "Permission denied",
        "Correct the permissions of the file and its folder, or give the command as the account that owns them.",
    ),
    _Cause(
        (errno.EROFS,),
        ("Read-only file system",),
        "this disk can only be read",
        "Mount it for writing, or name a folder on another disk.",
    ),
    _Cause(
        (errno.EIO,),
        ("Input/output error", "fsync failed"),
        "the disk could not read or write (Input/output error)",
        "Look whether it is still connected and whole; restore a backup if it is not.",
    ),
    _Cause(
        (errno.ENOMEM,),
        ("Out of Memory", "Cannot allocate memory", "memory allocation"),
        "the memory of this machine does not suffice",
        "Close other programs, or use a larger one.",
    ),
)

_SHORTAGES: Final = (_CAUSES[0], _CAUSES[1], _CAUSES[-1])
"""Space on the disk, files that may be open, memory."""


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text, or the name of its class where it has no text."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def system_error_text(error: BaseException) -> str:
    """Return the message of an error of the disk, of permissions or of memory; empty for any other error.

    ``error``: of Python, or of a library, which may have its own class for it.
    """
    text = str(error)
    is_of_system = isinstance(error, OSError)
    is_of_library = type(error).__module__.lstrip("_").startswith(_LIBRARIES)
    if isinstance(error, MemoryError):
        return f"{_CAUSES[-1].sentence}. {_CAUSES[-1].remedy} {_AGAIN}"
    if not (is_of_system or is_of_library):
        return ""
    number = error.errno if isinstance(error, OSError) else None
    for cause in _CAUSES:
        if number in cause.numbers or any(one in text for one in cause.texts):
            return f"{_where(error)}{cause.sentence}. {cause.remedy} {_AGAIN}"
    if isinstance(error, OSError):
        return f"{_where(error) or 'the system: '}{error.strerror or text}. Look at the file and its folder. {_AGAIN}"
    if type(error).__name__ == "IOException":
        return f"the store could not be read or written: {first_line(error)}. Look at its disk. {_AGAIN}"
    return ""


def is_shortage(error: BaseException) -> bool:
    """Return whether the machine ran out of something, so that nothing is wrong with a file that ``error`` names."""
    text = system_error_text(error)
    return any(shortage.sentence in text for shortage in _SHORTAGES)


def is_held_by_another(error: BaseException) -> bool:
    """Return whether DuckDB cannot open a file because another program has it open for writing."""
    return any(one in str(error) for one in ("Could not set lock on file", "used by another process"))


def _where(error: BaseException) -> str:
    """Return the file that an error names and a colon; empty where it names none."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: "
    found = _NAMED.search(str(error))
    return f"{found['quoted'] or found['behind']}: " if found else ""
