"""The errors a command can end with, and the exit code of each.

A message says what is wrong, where, and what to do. No other module decides an exit code.
"""

from __future__ import annotations

from ratinglist.safe_text import visible


class RatinglistError(Exception):
    """An error that is printed as one message, without a traceback and with control characters escaped."""

    exit_code = 1

    def __init__(self, message: str = "") -> None:
        super().__init__(visible(message))


class CommandLineError(RatinglistError):
    """The command line is wrong."""

    exit_code = 2


class NothingReadError(RatinglistError):
    """Nothing could be read where something was asked for; with ``--strict``, a report was refused."""

    exit_code = 3


class RulesError(RatinglistError):
    """A rule set file or table is wrong, or none is in force on the day asked for."""

    exit_code = 3


class CheckError(RatinglistError):
    """A check stopped the publication; nothing was published."""

    exit_code = 4


class AlteredError(RatinglistError):
    """A published file is not what was published; or a list cannot be reproduced."""

    exit_code = 4


class UnansweredError(CheckError):
    """A list raises a question that nobody has answered; nothing was published."""


class NotApprovedError(CheckError):
    """What would be published was not approved by as many people as the office asks for; nothing was published."""


class ExportError(CheckError):
    """A published value has no place in the format asked for; nothing was exported."""


class StoreInUseError(RatinglistError):
    """Another writer has the store open."""

    exit_code = 5
