"""The errors a command can end with, and the exit code of each.

A message says what is wrong, where, and what to do. No other module decides an exit code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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


class NotKeptError(RatinglistError):
    """The disk refused to keep what was received."""

    exit_code = 3


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
