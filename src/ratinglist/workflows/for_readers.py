"""What readers get besides the published tables: clubs, the rules in force, lists to come, files in other formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, ExportError
from ratinglist.lists.formats import FORMATS, ExportRequest
from ratinglist.names.folding import folded, letters_to_ascii
from ratinglist.period import Period
from ratinglist.rating.rules import shown
from ratinglist.settings import Settings
from ratinglist.store import received
from ratinglist.store.rule_files import rule_book
from ratinglist.text import counted
from ratinglist.workflows.export import export
from ratinglist.workflows.opening import open_to_read

_AS_PUBLISHED = ("csv", "parquet")
"""The formats of the published files: they are not exported."""
_COMING_LISTS = 12


@dataclass(frozen=True, slots=True)
class ComingList:
    """A list to come: its month, and the days by which reports for it are due."""

    period: Period
    closing: Sequence[date]


@dataclass(frozen=True, slots=True)
class RuleSetShown:
    """A rule set: its name, its source, and key, value and article of each rule."""

    name: str
    source: str
    values: Sequence[tuple[str, str, str]]


def rules_in_force(family: str, period: Period) -> list[RuleSetShown]:
    """Return the rule sets in force for the lists of a month; none of a family that is not installed."""
    book = rule_book()
    return [
        RuleSetShown(
            rules.name,
            rules.source,
            [(key, shown(value), rules.articles[key]) for key, value in rules.values().items()],
        )
        for rules in (book.in_force(family, period.first_day) if family in book.families else [])
    ]


def caps_of_differences() -> dict[str, str]:
    """Return the article on the largest difference of two ratings by the name of each rule set that has one."""
    keys = ("expected_score.cap", "expected_score.cap_applies_to")
    return {rules.name: rules.articles[key] for rules in rule_book().rule_sets for key in keys if key in rules.articles}


def coming_lists(family: str, newest: Period) -> list[ComingList]:
    """Return the next lists after the newest one; none of a family that is not installed."""
    book, coming = rule_book(), []
    for _ in range(_COMING_LISTS if family in book.families else 0):
        newest = book.next_list(family, newest + 1)
        coming.append(ComingList(newest, book.closing_dates(family, newest)))
    return coming


def members_of_clubs(settings: Settings, day: date) -> pl.DataFrame:
    """Return the members of clubs on a day (:data:`~ratinglist.tables.MEMBER`).

    A club whose name has a date of birth, as where a column of a file was moved, is left out with a warning.
    """
    with open_to_read(settings) as store:
        members = received.members(store)
        named = members["club"].unique().sort().to_list()
        private = [
            club for club in named if any(map(str.isdigit, club)) and received.text_problem(store, club, settings.today)
        ]
    if private:
        settings.warn(
            f"{counted(len(private), 'club')} of the register {'has' if len(private) == 1 else 'have'} a date of birth "
            "in the name and is not shown on the site: was a column of a file of players moved? Correct the clubs with "
            "ratinglist import-players"
        )
        members = members.filter(~pl.col("club").is_in(private))
    return members.filter(pl.col("member_until").is_null() | (pl.col("member_until") >= day))


def words_of_names(names: pl.Series) -> pl.Series:
    """Return the words of each name in lower-case ASCII, as a search folds them."""
    words = folded(pl.col("name")).str.replace_all(",", " ").str.split(" ")
    return names.rename("name").to_frame().select(words).to_series()


def letters_of_names(names: pl.Series) -> dict[str, str]:
    """Return the letters of names that ASCII cannot hold, each with its ASCII text."""
    return letters_to_ascii(names)


def export_every_format(settings: Settings, period: Period, controls: Sequence[str], into: Path) -> list[Path]:
    """Export a published list into a folder in every format that is not published as it is; return the files.

    A format that cannot hold the list is left out with a warning: the published files hold it.
    """
    files: list[Path] = []
    # What a format cannot keep is for the officer who exports a list, and is the same at every run.
    quiet = replace(settings, warn=lambda _: None)
    for name, list_format in FORMATS.items():
        if name in _AS_PUBLISHED:
            continue
        for control in controls if list_format.single_list_name else [None]:
            request = ExportRequest(period, name, time_control=control, zipped=bool(list_format.fide_name))
            try:
                files.append(Path(export(quiet, request, into).values["file"]))
            except (ExportError, CommandLineError, pl.exceptions.ComputeError) as error:
                settings.warn(f"the site has no {name} file of {period}: {error}")
    return files
