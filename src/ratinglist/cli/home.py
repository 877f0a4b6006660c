"""The commands of every day, status, players by name, letters, reports set aside, and those that keep a home."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from ratinglist import workflows
from ratinglist.cli.options import DAY, MONTH, PATH, InRange, Office, end_with, in_office
from ratinglist.errors import HomeError
from ratinglist.period import Period
from ratinglist.text import counted

MOST_PLAYERS = 10_000


@click.command()
@click.argument("name", nargs=-1, required=True)
@click.option("--limit", type=InRange(1, MOST_PLAYERS), default=20, show_default=True, help="How many players to show.")
@in_office
def find(name: tuple[str, ...], limit: int, office: Office) -> None:
    """Find players by any part of a name, in any alphabet, with their newest ratings; a number is a FIDE ID."""
    office.show(workflows.find.find(office.settings(), " ".join(name), limit))


@click.command()
@in_office
def status(office: Office) -> None:
    """Show the office at a glance: lists published, the next closing date, what waits and why, what is to be done."""
    office.show(workflows.status.status(office.settings()))


@click.command()
@click.argument("report")
@click.option("--because", help="Why the report is set aside; it is kept, and not published.")
@click.option("--undo", is_flag=True, help="Take the report up again.")
@in_office
def dismiss(report: str, because: str | None, undo: bool, office: Office) -> None:
    """Set a refused report aside, by file name, event code or digest: no count has it any more."""
    if undo == (because is not None):
        raise click.UsageError('Give one of the two: --because "why it is set aside", or --undo.')
    office.show(workflows.undo.dismiss(office.settings(), report, because))


@click.command()
@click.argument("month", type=MONTH)
@click.option("--out", type=PATH, help="Folder of the letters; default: letters-YYYY-MM here.")
@click.option("--language", default="en", show_default=True, help="Language of the letters: en or it.")
@in_office
def letters(month: Period, out: Path | None, language: str, office: Office) -> None:
    """Write a letter to the arbiter of each report of a month: rated, refused or waiting, why, and what to do."""
    office.show(workflows.letters.letters(office.settings(), month, out, language))


@click.command()
@click.argument("folder", metavar="DIR", type=PATH)
@in_office
def backup(folder: Path, office: Office) -> None:
    """Copy the home into DIR, or what changed since the backup in DIR; checked, verified, all or nothing."""
    office.show(workflows.backup.backup(office.settings(), folder))


@click.command()
@click.argument("folder", metavar="DIR", type=PATH)
@in_office
def restore(folder: Path, office: Office) -> None:
    """Copy the backup in DIR back into an empty home, and check it."""
    office.show(workflows.backup.restore(office.settings_without_home(), folder))


@click.command()
@click.option("--since", type=DAY, metavar="YYYY-MM-DD", help="Only what was done on that day and later.")
@in_office
def log(since: date | None, office: Office) -> None:
    """Show what was done in this office, when and by whom; each change has a number."""
    rows = workflows.log.changes(office.settings(), since)
    office.show_rows(rows, lambda: workflows.log.text(rows))


@click.command()
@click.argument("entry", type=InRange(1))
@click.option("--because", help="Why it is undone; kept in the log.")
@in_office
def retract(entry: int, because: str | None, office: Office) -> None:
    """Undo an import, a load or a dismissal, by the number that `ratinglist log` shows."""
    office.show(workflows.undo.retract(office.settings(), entry, because))


@click.command()
@click.option("--rebuild", is_flag=True, help="Make the store again, and put back what was altered or lost.")
@click.option("--tidy", is_flag=True, help="Delete old previews, and what rebuilds replaced.")
@in_office
def doctor(rebuild: bool, tidy: bool, office: Office) -> None:
    """Check everything the home keeps: log, originals, store, calculations, publications (exit 4 if not whole)."""
    settings = office.settings()
    if rebuild and tidy:
        raise click.UsageError("--rebuild and --tidy are two commands: rebuild first, look at the home, then tidy it.")
    if rebuild:
        office.show(workflows.rebuild.rebuild(settings))
    elif tidy:
        office.show(workflows.doctor.tidy(settings))
    else:
        found = workflows.doctor.check(settings)
        office.show(found)
        if found.problems:
            end_with(HomeError, f"{counted(len(found.problems), 'problem')} found in {settings.home}")
