"""Every way a command can end badly, and its exit code.

A message says what is wrong, where, and what to do. Nothing else in the package decides an exit code.
"""

from __future__ import annotations


class RatinglistError(Exception):
    """Shown to the user as one message, without a traceback."""

    exit_code = 1


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


class StoreInUseError(RatinglistError):
    """Another writer has the store open."""

    exit_code = 5
