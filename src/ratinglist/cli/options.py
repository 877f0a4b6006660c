"""The parts that commands share: types of arguments, options, progress, and printing a result."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import click

from ratinglist.cli.progress import Progress, end_progress
from ratinglist.config import ENGINES, EngineChoice, Settings
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.home.place import check_home
from ratinglist.period import Period
from ratinglist.safe_text import visible

R = TypeVar("R")


class Month(click.ParamType[Period]):
    """A list's month, ``YYYY-MM``."""

    name = "YYYY-MM"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Period:
        """Return the month; fail with a message where it is none."""
        try:
            return Period.parse(str(value))
        except CommandLineError as error:
            self.fail(str(error), param, ctx)


class Day(click.ParamType[date]):
    """A day, ``YYYY-MM-DD``."""

    name = "YYYY-MM-DD"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """Return the day; fail with a message where it is none."""
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self.fail(f"'{value}' is not a date: write YYYY-MM-DD, for example 2025-10-28.", param, ctx)


class WholeNumber(click.IntRange):
    """A whole number, of a range or of any."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; fail with the numbers that are allowed where it is none of them."""
        allowed = ""
        if self.min is not None:
            allowed = f" from {self.min:,} on" if self.max is None else f" from {self.min:,} to {self.max:,}"
        number = int(value) if re.fullmatch(r"[+-]?[0-9]{1,18}", str(value)) else None
        if number is None or self.clamped(number) != number:
            self.fail(f"'{value}' cannot be used: write a whole number{allowed}.", param, ctx)
        return number

    def clamped(self, number: int) -> int:
        """Return the allowed number that is nearest to ``number``."""
        least = number if self.min is None else max(number, int(self.min))
        return least if self.max is None else min(least, int(self.max))


MONTH = Month()
DAY = Day()
CONTROL = click.Choice(["standard", "rapid", "blitz"])


def office_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options that every command of an office takes: ``--home`` and ``--json``."""
    home = click.option(
        "--home",
        type=click.Path(path_type=Path),
        default=lambda: click.get_current_context().find_root().params.get("home"),
        help="The rating office's directory; default: RATINGLIST_HOME, else ./ratinglist-home.",
    )
    return home(JSON_OPTION(command))


def office_settings(home: Path | None, family: str | None = None, engine: EngineChoice | None = None) -> Settings:
    """Return the settings of a command in an office that is there already, with progress on stderr.

    Where no family is named, it is that of the home (:func:`~ratinglist.workflows.home_family.family_of_home`).

    Raises :class:`CommandLineError` where the home is none, naming the one that may be meant: only ``import-list`` and
    ``simulate`` make one.
    """
    # Imported here so that `ratinglist --help` does not import Polars.
    from ratinglist.workflows.home_family import family_of_home

    settings = Settings.read(home, family, progress=Progress(), engine=engine, family_of=family_of_home)
    check_home(settings.home)
    return settings


def engine_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the options that say how a month is calculated: ``--engine``, ``--scheduler`` and ``--buckets``."""
    for option in (
        click.option(
            "--buckets", type=WholeNumber(), help="Calculate in so many parts, each in as little memory as it needs."
        ),
        click.option("--scheduler", help="Address of a Dask scheduler, tcp://HOST:8786; default: workers of its own."),
        click.option(
            "--engine",
            type=click.Choice(ENGINES),
            default="local",
            show_default=True,
            help="Where the parts are calculated: in this process, or by Dask's workers.",
        ),
    ):
        command = option(command)
    return command


def calculates_as_a_whole(command: Callable[..., R]) -> Callable[..., R]:
    """Let a command that has no engines refuse the options of :func:`engine_options` with a reason."""
    for name in ("--engine", "--scheduler", "--buckets"):
        command = click.option(name, hidden=True, expose_value=False, callback=_refuse_engine)(command)
    return command


def _refuse_engine(context: click.Context, option: click.Parameter, given: str | None) -> None:
    """Raise :class:`CommandLineError` where an option of the engines was given."""
    if given is not None:
        raise CommandLineError(
            f"{option.opts[0]}: {context.info_name} calculates every month as a whole, in this process. Leave the "
            "option out; run and rate have it. Nothing was calculated."
        )


def check_strict(refused: int, unread: int, *, strict: bool) -> None:
    """Raise :class:`NothingReadError` under ``--strict`` where a report is refused, waits, or was not read."""
    if strict and refused + unread:
        raise NothingReadError(f"--strict: {refused:,} refused or waiting, {unread:,} not read.")


JSON_OPTION = click.option(
    "--json",
    "as_json",
    is_flag=True,
    default=lambda: click.get_current_context().find_root().params.get("as_json", False),
    help="Print one JSON document, for an error too.",
)
RULES_OPTION = click.option(
    "--rules",
    "family",
    help="Rule family: fide, or another that `ratinglist rules` can show, such as course, fsi, club, glicko. Default: "
    "that of the home's lists where they are of another system than FIDE's, else fide.",
)
RECEIVED_OPTION = click.option("--received", type=DAY, help="Day the reports arrived; default: manifest, else today.")
STRICT_OPTION = click.option("--strict", is_flag=True, help="Exit with 3 if any report is refused.")


def show(summary: Any, *, as_json: bool) -> None:
    """Print a summary on stdout: as text, or as one JSON document."""
    say(_json_text(summary.as_dict()) if as_json else summary.text())


def show_rows(rows: list[dict[str, object]], text: Callable[[], str], *, as_json: bool) -> None:
    """Print rows on stdout: as the text that ``text`` returns, or as one JSON document."""
    say(_json_text(rows) if as_json else text())


def _json_text(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2, default=_day_text)


def _day_text(value: object) -> str:
    """Return a day as text: all else that commands print has a form in JSON."""
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def say(text: str, *, err: bool = False) -> None:
    """Print ``text``, or a JSON document, with every control character escaped: none may move the cursor.

    The progress shown is removed first.
    """
    end_progress()
    click.echo(visible(text), err=err)
