"""What every command of the command line shares: kinds of arguments, options, progress, and how a result is shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.safe_text import visible

R = TypeVar("R")


class Month(click.ParamType[Period]):
    """A list's month."""

    name = "YYYY-MM"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Period:
        """The month, or the message of a wrong one."""
        try:
            return Period.parse(str(value))
        except CommandLineError as error:
            self.fail(str(error), param, ctx)


class Day(click.ParamType[date]):
    """A day."""

    name = "YYYY-MM-DD"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """The day, or the message of a wrong one."""
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self.fail(f"'{value}' is not a date: write YYYY-MM-DD, for example 2025-10-28.", param, ctx)


MONTH = Month()
DAY = Day()
CONTROL = click.Choice(["standard", "rapid", "blitz"])


class Progress:
    """Says on stderr what is going on, once a command has taken a second, and then once a second."""

    def __init__(self) -> None:
        self._started = self._told = datetime.now().astimezone()

    def __call__(self, what: str, done: int, of: int) -> None:
        """Tell how many of how many are done, if it is time to tell again."""
        now = datetime.now().astimezone()
        if (now - self._told).total_seconds() >= 1:
            self._told = now
            counted = f" {done:,} of {of:,}" if of > 1 else ""
            click.echo(f"{(now - self._started).total_seconds():5.0f} s  {what}{counted}", err=True)


def office_options(command: Callable[..., R]) -> Callable[..., R]:
    """Options every command takes."""
    home = click.option(
        "--home",
        type=click.Path(path_type=Path),
        default=lambda: click.get_current_context().find_root().params.get("home"),
        help="The rating office's directory; default: RATINGLIST_HOME, else ./ratinglist-home.",
    )
    return home(JSON_OPTION(command))


JSON_OPTION = click.option(
    "--json",
    "as_json",
    is_flag=True,
    default=lambda: click.get_current_context().find_root().params.get("as_json", False),
    help="Print one JSON document, also of an error.",
)
RULES_OPTION = click.option("--rules", "family", help="Rule family: fide (default), course, course-tranche.")
RECEIVED_OPTION = click.option("--received", type=DAY, help="Day the reports arrived; default: manifest, else today.")
STRICT_OPTION = click.option("--strict", is_flag=True, help="Exit with 3 if any report is refused.")


def show(summary: Any, *, as_json: bool) -> None:
    """Print a summary on stdout."""
    say(json.dumps(summary.as_dict(), ensure_ascii=False, indent=2) if as_json else summary.text())


def show_rows(rows: list[dict[str, object]], told: Callable[[], str], *, as_json: bool) -> None:
    """Print rows on stdout: as one JSON document, or as ``told`` tells them."""
    say(json.dumps(rows, ensure_ascii=False, indent=2, default=str) if as_json else told())


def say(text: str, *, err: bool = False) -> None:
    """Print ``text``, a JSON document too, without any character that would move the cursor of who reads it."""
    click.echo(visible(text), err=err)
