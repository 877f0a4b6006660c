"""The errors a command can end with, and the exit code of each; and what the machine refused, in one sentence.

A message says what is wrong, where, and what to do. No other module decides an exit code. Of the disk, permissions and
memory the libraries report the same cause in many ways: Python by a number, Polars and DuckDB by a text alone. So a
cause is recognised here by either, and nowhere else.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ratinglist.text import visible


class RatinglistError(Exception):
    """An error that is printed as one message, without a traceback and with control characters escaped."""

    exit_code = 1
    doubts: Sequence[dict[str, object]] = ()
    """The doubts that are the reason, as ``--json`` prints them (:class:`~ratinglist.publication.doubts.Doubt`)."""

    def __init__(self, message: str = "") -> None:
        super().__init__(visible(message))

    def begin_with(self, lines: Sequence[str]) -> None:
        """Let the message begin with what was done before."""
        self.args = (visible("\n".join([*lines, str(self)])),)


class CommandLineError(RatinglistError):
    """The command line is wrong."""

    exit_code = 2


class MissingExtraError(CommandLineError):
    """A command needs a package that only an extra of the distribution brings."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"this needs {package}, which is not installed: pip install 'ratinglist[{extra}]'")


class NothingReadError(RatinglistError):
    """Nothing could be read from what was given; with ``--strict``, a report was refused."""

    exit_code = 3


class UnfinishedError(RatinglistError):
    """A step was refused, by the disk or by a network, after what it follows was done; the next command finishes it."""

    exit_code = 3

    @classmethod
    def of(cls, what: str, error: OSError) -> UnfinishedError:
        """Return the error of a change; ``what``: a sentence on it."""
        return cls(
            f"{what}: this was decided, and may not be wholly in place yet ({error.filename or 'the system'}: "
            f"{error.strerror or error}). Readers may still see what was there before. Free space on the disk or "
            "correct the permissions, then give any command of this office, for example the same one again: first it "
            "finishes what was decided."
        )


class RulesError(RatinglistError):
    """A rule set file or table is wrong, or none is in force on the day requested."""

    exit_code = 3


class StoreDamagedError(NothingReadError):
    """The store was found damaged while it was used. Once its file is deleted, the next command makes it again."""


class CheckError(RatinglistError):
    """A check stopped the publication; nothing was published."""

    exit_code = 4

    def __init__(self, message: str = "", doubts: Sequence[dict[str, object]] = ()) -> None:
        super().__init__(message)
        self.doubts = doubts


class AlteredError(RatinglistError):
    """A published file was altered, or a list cannot be reproduced."""

    exit_code = 4


class HomeError(RatinglistError):
    """The parts of a home do not belong together, or one of them is missing."""

    exit_code = 4


class UndecidedError(CheckError):
    """Lists wait for people; nothing was published.

    ``previews``: a :class:`~ratinglist.summaries.PreviewSummary` of each list that waits, where they are kept.
    """

    def __init__(
        self, message: str = "", previews: Sequence[Any] = (), doubts: Sequence[dict[str, object]] = ()
    ) -> None:
        super().__init__(message, doubts)
        self.previews = previews


class UnansweredError(UndecidedError):
    """A list raises a question without an answer; nothing was published."""


class NotApprovedError(UndecidedError):
    """The list has fewer approvals than the office requires; nothing was published."""


class NotConfirmedError(CheckError):
    """A person at the terminal did not agree to publish the list; nothing was published."""


class ExportError(CheckError):
    """A published value cannot be written in the requested format; nothing was exported."""


class StoreInUseError(RatinglistError):
    """Another writer has the store open, or another laboratory command is running."""

    exit_code = 5


class BeingPublishedError(StoreInUseError):
    """Lists are being published, or their publication was interrupted: what readers see is not complete."""


_AGAIN = "Then give the command again. What it finished before this is kept."
_LIBRARIES: Final = ("duckdb", "polars", "pyarrow", "xlsxwriter")
_NAMED: Final = re.compile(
    r"""["'](?P<quoted>[^"'\\]*[/\\][^"'\\]*)\\?["']|error \d+\): (?P<behind>\S.*)$""", re.MULTILINE
)
"""The file that a library names in its text."""


@dataclass(frozen=True, slots=True)
class _Cause:
    """A cause, what is said of it, and the remedy; an error has one of its ``numbers`` or one of its ``texts``."""

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
        if number in cause.numbers or any(phrase in text for phrase in cause.texts):
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
    return any(phrase in str(error) for phrase in ("Could not set lock on file", "used by another process"))


def _where(error: BaseException) -> str:
    """Return the file that an error names and a colon; empty where it names none."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: "
    match = _NAMED.search(str(error))
    return f"{match['quoted'] or match['behind']}: " if match else ""
