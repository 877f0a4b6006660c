"""The parts that commands share: types of arguments, options, progress, and printing a result."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from ratinglist import workflows
from ratinglist.errors import CommandLineError, NothingReadError, RatinglistError
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.text import visible

R = TypeVar("R")

_QUICK = 1 / 2
"""How many seconds nothing is shown: a command that ends before needs no progress."""


class Progress:
    """Shows the progress of a command (:data:`~ratinglist.settings.Progress`) on stderr.

    A line is printed at most once a second, the first half a second after the command began.
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._last_shown = self._started + _QUICK - 1

    def __call__(self, what: str, done: int, of: int) -> None:
        """Show how many of how many are done."""
        now = time.monotonic()
        if now - self._last_shown >= 1:
            self._last_shown = now
            counted = f" {done:,} of {of:,}" if of > 1 else ""
            click.echo(f"{now - self._started:5.0f} s  {what}{counted}", file=sys.stderr)


class Written(click.ParamType[Any]):
    """A text in the form ``name``, which ``read`` makes a value of."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name, self.read = name, read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value; fail with the form where it is not written so."""
        try:
            return self.read(str(value))
        except (LookupError, ValueError, CommandLineError):
            self.fail(f"'{value}' cannot be used: write {self.name}.", param, ctx)


class InRange(click.ParamType[Any]):
    """A number from ``least`` to ``most``: a whole one, or of another ``kind``."""

    name = "number"

    def __init__(self, least: Any, most: Any = 10**9, kind: click.ParamType[Any] = click.INT) -> None:
        self.least, self.most, self.kind = least, most, kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number; fail with the numbers that are allowed where it is none of them."""
        number = self.kind.convert(value, param, ctx)
        if not self.least <= number <= self.most:
            self.fail(f"'{value}' cannot be used: write a number from {self.least} to {self.most}.", param, ctx)
        return number


MONTH = Written("YYYY-MM", Period.parse)
DAY = Written("YYYY-MM-DD", date.fromisoformat)
PATH = click.Path(path_type=Path)
CONTROL = click.Choice(["standard", "rapid", "blitz"])
_JSON_OPTION = click.option(
    "--json",
    "as_json",
    is_flag=True,
    default=lambda: click.get_current_context().find_root().params.get("as_json", False),
    help="Print one JSON document, for an error too.",
)
_HOME_OPTION = click.option(
    "--home",
    type=PATH,
    default=lambda: click.get_current_context().find_root().params.get("home"),
    help="The rating office's directory; default: RATINGLIST_HOME, else ./ratinglist-home.",
)


@dataclass(frozen=True, slots=True)
class Office:
    """The office that a command is given for, ``--home``, and how it prints its result: as text, or as JSON."""

    as_json: bool
    home: Path | None

    def show(self, summary: Any) -> None:
        """Print a summary."""
        say(_json_text(summary.as_dict()) if self.as_json else summary.text())

    def show_rows(self, rows: list[dict[str, object]], text: Callable[[], str]) -> None:
        """Print rows; ``text`` returns them as text."""
        say(_json_text(rows) if self.as_json else text())

    def settings(self, family: str | None = None) -> Settings:
        """Return the settings of a command in an office that is there already, with progress on stderr.

        Where no family is named, it is that of the home (:func:`~ratinglist.workflows.opening.family_of_home`).

        Raises :class:`CommandLineError` where the home is none, naming the one that may be meant: only ``import-list``
        and ``simulate`` make one.
        """
        from ratinglist.home.location import check_home

        settings = Settings.read(self.home, family, progress=Progress(), family_of=workflows.opening.family_of_home)
        check_home(settings.home)
        return settings

    def settings_without_home(self, family: str | None = None) -> Settings:
        """Return the settings of a command that needs no home, or makes one, with progress on stderr."""
        return Settings.read(self.home, family, progress=Progress())


def in_office(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options ``--home`` and ``--json``, and give the command the :class:`Office` of both as ``office``."""

    @wraps(command)
    def given(*arguments: object, home: Path | None, as_json: bool, **options: object) -> R:
        return command(*arguments, office=Office(as_json, home), **options)

    return _HOME_OPTION(_JSON_OPTION(given))


def check_strict(refused: int, unread: int, *, strict: bool) -> None:
    """Raise :class:`NothingReadError` under ``--strict`` where a report is refused, waits, or was not read."""
    if strict and refused + unread:
        raise NothingReadError(f"--strict: {refused:,} refused or waiting, {unread:,} not read.")


RATING = InRange(0, 9999)
FIDE_ID = InRange(1, 99_999_999_999)
"""A FIDE ID that fits into a report: eleven digits."""
RULES_OPTION = click.option(
    "--rules",
    "family",
    help="Rule family: fide, or another that `ratinglist rules` can show, such as course, fsi, club, glicko. Default: "
    "that of the home's lists where they are of another system than FIDE's, else fide.",
)
RECEIVED_OPTION = click.option("--received", type=DAY, help="Day the reports arrived; default: manifest, else today.")
PREVIEW_OPTION = click.option("--preview", is_flag=True, help="Show what would change, and change nothing.")
BECAUSE_OPTION = click.option(
    "--because",
    multiple=True,
    metavar='QUESTION="REASON"',
    help="Why what raises this question is right; kept in the log, and published with a list. May be repeated.",
)
STRICT_OPTION = click.option("--strict", is_flag=True, help="Exit with 3 if any report is refused.")


def reasons(because: tuple[str, ...], when: str) -> dict[str, str]:
    """Return the reasons of ``--because`` by question; ``CommandLineError`` where one cannot be read.

    ``when``: what asks, such as ``publish``.
    """
    from ratinglist.publication.doubts import parse_reasons, question_names

    return parse_reasons(because, question_names(when)) if because else {}


def _json_text(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2, default=str)


def end_with(error: type[RatinglistError], text: str) -> NoReturn:
    """Exit with the code of an error where the result on stdout is what is wrong, so that none is raised."""
    say(f"ratinglist: {text}", err=True)
    sys.exit(error.exit_code)


def say(text: str, *, err: bool = False) -> None:
    """Print ``text``, or a JSON document, with every control character escaped: none may move the cursor."""
    click.echo(visible(text), err=err)
