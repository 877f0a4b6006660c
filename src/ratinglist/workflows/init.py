"""Begin an office: import the list that it starts from, and write the choices that it can make, with comments."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from ratinglist import office as office_file
from ratinglist.errors import CommandLineError
from ratinglist.files import resources
from ratinglist.files.durable_files import replace_file
from ratinglist.period import Period
from ratinglist.settings import Settings, is_home
from ratinglist.summaries import Facts, Summary
from ratinglist.workflows import import_files, run

OFFICE = """\
# The choices of this office. What is not here has its default: the page office.toml of the documents names every key.

# Stated in what is published, and verified with it.
name = ""

[publication]
# How many different people approve a list before it is published; 0: the officer alone decides.
approvals = 0
# The private key that signs every list, a path from this folder; empty: lists are not signed.
signing_key = ""

[notify]
# Who is told of the lists that the schedule publishes: mailto://..., json://... and the other addresses of apprise.
to = []

[site]
# The folder of the site, which is made again after each publication by the schedule; empty: none is made.
out = ""

[reports]
# The time control of reports that state none: standard, rapid or blitz; empty: they wait until you say it.
time_control = ""

# Who may approve lists; without such a section anybody.
# [[approvers]]
# name = "Anna Adams"
"""
"""The ``office.toml`` of a new office: what most offices choose, each with its default."""


def init(settings: Settings, file: Path, period: Period, time_control: str | None = None) -> Facts:
    """Import the list of ``period`` into a home that is not there yet, and write ``office.toml``.

    Raises :class:`CommandLineError` where the home is there, and what
    :func:`~ratinglist.workflows.import_files.import_list` raises; then nothing was made.

    Out: ``home``; ``office``: the path of its choices; ``imported``; ``next_list``: the first list that it can
    calculate.
    """
    check_new(settings)
    path = settings.home / office_file.NAME
    imported = import_files.import_list(settings, file, period, time_control)
    replace_file(path, OFFICE.encode())
    home, next_list = f" --home {shlex.quote(str(settings.home))}", str(period + 1)
    lines = [
        imported.text(),
        f"Its choices, to change with any editor: {path}",
        "What comes next:",
        f"  reports, as they arrive    ratinglist load FOLDER{home}",
        f"  players with new FIDE IDs  ratinglist import-players FILE{home}",
        f"  the list of {next_list}        ratinglist run {next_list}{home}",
        f"  what is to be done         ratinglist status{home}",
    ]
    facts = {"home": str(settings.home), "office": str(path), "imported": asdict(imported), "next_list": next_list}
    return Facts(f"A new office: {settings.home}", facts, lines)


def check_new(settings: Settings) -> None:
    """Raise :class:`CommandLineError` where the home is there: a new office would be mixed with another one."""
    path = settings.home / office_file.NAME
    if is_home(settings.home) or path.exists():
        raise CommandLineError(
            f"{settings.home} is an office already. Name another folder with --home; to change its choices, edit "
            f"{path}. Nothing was changed."
        )


STARTS_FROM = Period.parse("2025-08")
MONTHS = tuple(STARTS_FROM + number for number in range(1, 5))


def by_run(settings: Settings, month: Period, reports: Path) -> Iterator[Summary]:
    """Make the list of a month of the sample as the command ``run`` does; yield all that it did for the last one."""
    done = run.run(settings, month, [reports])
    yield done if month == MONTHS[-1] else done.published


def demo(
    settings: Settings, make_list: Callable[[Settings, Period, Path], Iterable[Summary]] = by_run
) -> Iterator[Summary]:
    """Make the sample's office and its lists; yield what each command did.

    ``make_list``: makes the list of a month from a folder of reports. Raises
    :class:`~ratinglist.errors.CommandLineError` where the home is there.
    """
    check_new(settings)
    sample = resources.data("sample")
    yield import_files.import_list(settings, sample / f"list-{STARTS_FROM}.csv", STARTS_FROM)
    for month in MONTHS:
        yield import_files.import_players(settings, sample / f"players-{month}.csv")
        yield from make_list(settings, month, sample / "reports" / str(month))
